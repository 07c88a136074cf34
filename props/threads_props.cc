// What is const may be read by any number of threads (API-CONVENTIONS.md): several of them ask the
// same objects at once, and each is answered as one alone. `scripts/sanitize thread` looks for data
// races.
#include <gtest/gtest.h>

#include <array>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "provider/setting.h"
#include "sandproof/deadline_report.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/egress_host.h"
#include "sandproof/egress_openings.h"
#include "sandproof/name_patterns.h"
#include "sandproof/shell.h"

namespace sandproof::props {
namespace {

constexpr int k_threads = 4;
constexpr int k_rounds = 25;

constexpr std::array<std::string_view, 3> k_domains{"github.com", "*.PyPI.org", "a.example"};
constexpr std::array<std::string_view, 2> k_patterns{"CORP_.*", R"((.*\.)?internal\.example)"};
constexpr std::array<std::string_view, 3> k_words{"echo", "it's", "\xc3\xa9"};
constexpr std::array<EnvEntry, 2> k_variables{{{"B", "2"}, {"A", "1"}}};

EgressPolicy widened(const DeclaredEgress& declared) {
  EgressPolicy policy = *created_with(declared);
  policy.host_rules.push_back({"*.github.com", "allow"});
  policy.unmodelled.push_back({"ports", "[1.5]"});
  return policy;
}

// Shared is what all threads hold at once.
struct Shared {
  DeclaredEgress declared = DeclaredEgress::allow_domains(k_domains).value();
  EgressPolicy policy = widened(declared);
  EffectiveEgress effective = normal_form(&policy);
  HostName host = HostName::parse("a.b.github.com").value();
  NamePatterns patterns = NamePatterns::compile(k_patterns).value();
  SessionRules rules{.set = FamilySet::strict, .also = &patterns};
  Command command = Command::parse({k_words, k_variables, "/work"}).value();
  Deadline deadline = Deadline::parse("1.5s").value();
  ReportScheme scheme = ReportScheme::sealed(k_id);
  AzureSandbox azure{config(declared)};
};

std::string on_egress(const Shared& shared) {
  const Comparison comparison = compare(shared.declared, shared.effective);
  std::string all(name(comparison.verdict()));
  for (const Finding& each : comparison.findings) all += each.pointer + each.detail + each.witness;
  all += name(judge_host(shared.effective, shared.host).passage());
  for (const Opening& each : openings(shared.effective)) all += each.pattern + each.detail;
  return all + encode(shared.policy) + describe(shared.policy);
}

std::string on_documents(const Shared& shared) {
  const auto policy = decode_policy(encode(shared.policy));
  const auto broken = decode_policy(R"({"defaultAction":"Deny","defaultAction":"Allow"})");
  return encode(policy.value()) + explain(broken.error());
}

std::string on_patterns(const Shared& shared) {
  std::string all;
  for (const std::string_view text : {"CORP_TOKEN", "corp_token", "LD_PRELOAD", "TOKEN"}) {
    all += SessionName::parse(text, shared.rules) ? 'y' : 'n';
  }
  for (const std::string_view text : {"a.internal.example", "*.internal.example", "b.example"}) {
    all += DomainPattern::parse(text, &shared.patterns) ? 'y' : 'n';
  }
  return all;
}

std::string on_command(const Shared& shared) {
  const std::string stream = announced() + "output";
  const DeadlineReport report = read_report(shared.scheme, 137, stream);
  return std::string(bounded_shell(shared.command, shared.deadline, shared.scheme).view()) +
         std::string(report.before);
}

template <class T>
std::string driven(Operation<T> operation, const Shared& shared) {
  Script script;
  script.on(Kind::create, running("s1", *created_with(shared.declared)))
      .on(Kind::get, running("s1", *created_with(shared.declared)))
      .on(Kind::stop, Accepted{})
      .on(Kind::exec, exited(0, "out"));
  ScriptPlane plane(script);
  ScriptClock clock(script);
  const Result<T> result = run(std::move(operation), plane, clock);
  return script.trace() + (result ? "" : result.error().text());
}

std::string on_provider(const Shared& shared) {
  return driven(shared.azure.create({}), shared) + driven(shared.azure.suspend("s1"), shared) +
         driven(shared.azure.run_command("s1", command()), shared) +
         driven(shared.azure.run_command("s/1", command()), shared);
}

using Ask = std::string (*)(const Shared&);
constexpr Ask k_asks[] = {on_egress, on_documents, on_patterns, on_command, on_provider};

// The threads are first, so that what is made when it is first needed is made among them.
TEST(Threads, AreAnsweredAsOneAlone) {
  const Shared shared;
  std::array<std::vector<std::string>, k_threads> answers;
  std::latch ready(k_threads);
  std::vector<std::thread> threads;
  for (std::vector<std::string>& own : answers) {
    threads.emplace_back([&shared, &ready, &own] {
      ready.arrive_and_wait();
      for (int round = 0; round < k_rounds; ++round) {
        for (const Ask ask : k_asks) own.push_back(ask(shared));
      }
    });
  }
  for (std::thread& each : threads) each.join();

  const Shared alone;
  for (std::size_t i = 0; i < std::size(k_asks); ++i) {
    const std::string expected = k_asks[i](alone);
    ASSERT_FALSE(expected.empty());
    for (const std::vector<std::string>& own : answers) {
      for (std::size_t at = i; at < own.size(); at += std::size(k_asks)) {
        ASSERT_EQ(own[at], expected);
      }
    }
  }
}

}  // namespace
}  // namespace sandproof::props
