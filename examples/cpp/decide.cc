// What a caller asks the library, in C++: is this id fit for a URL, what is sent to the shell, what
// did the report say, and does the sandbox run the policy that was declared?
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "sandproof/sandproof.hpp"

using namespace sandproof;
using namespace std::chrono_literals;

// A refusal comes with a sentence for people.
static void check_id(std::string_view text) {
  if (const auto id = SessionId::parse(text)) {
    std::cout << "accepted: " << id->view() << '\n';
  } else {
    std::cout << "refused: " << explain(id.error(), text) << '\n';
  }
}

// The words reach the program as they are, whatever is in them.
static bool build_shell(const ReportScheme& scheme) {
  const std::string_view words[] = {"echo", "it's; rm -rf /"};
  const EnvEntry variables[] = {{"TOKEN", "t"}};
  const auto command =
      Command::parse({.argv = words, .variables = variables, .working_directory = {}});
  const auto deadline = Deadline::parse("1.5s");
  if (!command || !deadline) return false;
  const ShellText text = bounded_shell(*command, *deadline, scheme);
  // The wrapper in front of the words is long; they stand at the end.
  constexpr std::string_view k_before_words = "' sh ";
  std::cout << "words: "
            << text.view().substr(text.view().rfind(k_before_words) + k_before_words.size())
            << '\n';
  return true;
}

// The secrets are those that the announcement commits to, so the deadline line is the wrapper's.
static void read_stream(const ReportScheme& scheme) {
  constexpr std::string_view k_stream =
      "sandproof1 00112233445566778899aabbccddeeff "
      "8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e "
      "404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\n"
      "working...\n"
      "sandproof1 00112233445566778899aabbccddeeff deadline d0d1d2d3d4d5d6d7d8d9dadbdcdddedf\n";
  const DeadlineReport report = read_report(scheme, 137, k_stream);
  const bool credible = is_credible_kill(Deadline::from(1500ms).value(), 1600ms);
  std::cout << "report: ran " << (report.outcome == Outcome::ran) << " killed " << report.killed
            << " attested " << report.attested << " credible " << credible << '\n'
            << "stderr: " << report.before;
}

static bool compare_policy(std::string_view json) {
  const std::string_view domains[] = {"API.example.com"};
  const auto declared = DeclaredEgress::allow_domains(domains);
  const auto policy = decode_policy(json);
  if (!declared || !policy) return false;
  const Comparison comparison = compare(*declared, normal_form(&*policy));
  std::cout << "verdict: " << name(comparison.verdict()) << '\n';
  for (const Finding& finding : comparison.findings) {
    std::cout << "finding: " << name(finding.kind) << "\nat: " << finding.pointer
              << "\nwitness: " << finding.witness << '\n';
  }
  return true;
}

int main() {
  const auto call_id = CallId::parse("00112233445566778899aabbccddeeff");
  if (!call_id) return 1;
  const ReportScheme scheme = ReportScheme::sealed(*call_id);
  check_id("team--box-605");
  check_id("../team");
  if (!build_shell(scheme)) return 1;
  read_stream(scheme);
  return compare_policy(R"({"defaultAction":"Deny","trafficInspection":"Full","hostRules":[)"
                        R"({"pattern":"api.example.com","action":"Allow"},)"
                        R"({"pattern":"evil.example","action":"Allow"}]})")
             ? 0
             : 1;
}
