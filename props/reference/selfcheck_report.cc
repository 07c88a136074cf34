// Edge checks of the report reader, and of the streams that tests draw.
#include <map>
#include <random>

#include "report.h"
#include "report_streams.h"
#include "selfcheck_calls.h"

namespace sandproof::reference {
namespace {

using namespace std::string_literals;

struct Row {
  std::string name;
  int exit_code;
  std::string bytes;
  std::string expected;  // As `written` writes it.
};

// written is `outcome tool`, or `flags|preamble|before|after` with k for killed, a for attested.
std::string written(const ReportAnswer& answer) {
  if (answer.outcome != "ran") return answer.outcome + " " + answer.tool;
  return (answer.killed ? "k"s : "") + (answer.attested ? "a"s : "") + "|" + answer.preamble + "|" +
         answer.before + "|" + answer.after;
}

std::vector<Row> nonce_rows() {
  const std::string n = "0123456789abcdef0123456789abcdef";
  const std::string m = "fedcba9876543210fedcba9876543210";
  const std::string upper = "0123456789ABCDEF0123456789ABCDEF";
  return {
      {"repeat", 137, n + "\na" + n + "b", "k||a|b"},
      {"its newline stays", 137, n + "\n" + n + "\n", "k|||\n"},
      {"only the first repeat", 137, n + "\n" + n + n, "k|||" + n},
      {"twice in the announcement", 137, n + n + "\n" + n + "\n", "|" + n + n + "\n||"},
      {"half a repeat", 137, n + "\n" + n.substr(0, 31), "||" + n.substr(0, 31) + "|"},
      {"the first line counts", 137, m + "\n" + n + "\n" + n, "||" + n + "\n" + n + "|"},
      {"preamble", 137, "w\n" + n + "\n" + n, "k|w\n||"},
      {"own result", 1, n + "\n" + n, "|||"},
      {"no newline", 137, n, "unverified "},
      {"carriage return", 137, n + "\r\n" + n, "unverified "},
      {"not at a line's start", 137, "x" + n + "\n" + n, "unverified "},
      {"upper case", 137, upper + "\n" + upper, "unverified "},
      {"31", 126, n.substr(1) + "\n", "not_run "},
      {"32 in upper case", 126, "x" + upper, "unverified "},
      {"33", 127, n + "0\n", "unverified "},
      {"126", 126, "sh: no od\n", "not_run "},
      {"127", 127, "", "not_run "},
      {"125", 125, "", "unverified "},
  };
}

const std::string k_id = "00112233445566778899aabbccddeeff";
const std::string k_other_id = "ff112233445566778899aabbccddeeff";

std::vector<Row> sealed_rows() {
  const Secrets own = {std::string(32, 'd'), std::string(32, 'e')};
  const Secrets other = {std::string(32, 'a'), std::string(32, 'b')};
  const std::string a = announcement_line(k_id, own);
  const std::string b = announcement_line(k_id, other);
  const std::string d = final_line(k_id, "deadline", own.deadline);
  const std::string e = final_line(k_id, "exit", own.exit);
  const std::string d_bare = d.substr(0, d.size() - 1);
  const std::string crossed = final_line(k_id, "exit", own.deadline);
  const std::string refused = refused_line(k_id, "od");
  const std::string tag = "sandproof1 " + k_id + " ";
  std::string fakes63;
  for (int i = 0; i < 63; ++i) fakes63 += final_line(k_id, "exit", other.exit);
  const std::string fake = final_line(k_id, "deadline", other.deadline);
  const std::string not_a_fake = final_line(k_id, "exit", std::string(31, 'b') + "B");
  const std::string digest = digest_of(own.deadline);
  const std::string not_hex = std::string(63, '0') + "A";
  const std::string odd_first = tag + not_hex + " " + digest + "\n";
  const std::string odd_second = tag + digest + " " + not_hex + "\n";
  const std::string odd_space = tag + digest + "\t" + digest + "\n";
  return {
      {"deadline", 137, "w\n" + a + "x" + d + "y", "ka|w\n|x|y"},
      {"one newline", 137, a + d + "\n", "ka|||\n"},
      {"carriage return", 137, a + d_bare + "\r\n", "ka|||\r\n"},
      {"no newline", 137, a + d_bare, "ka|||"},
      {"33 digits", 137, a + d_bare + "d\n", "ka|||d\n"},
      {"31 digits", 137, a + d_bare.substr(0, d_bare.size() - 1) + "\n",
       "||" + d_bare.substr(0, d_bare.size() - 1) + "\n|"},
      {"own result", 0, a + d, "a|||"},
      {"exit", 137, a + e, "a|||"},
      {"crossed", 137, a + crossed, "||" + crossed + "|"},
      {"both", 137, a + "1" + e + "2" + d, "||1|2" + d},
      {"twice", 137, a + d + d, "ka|||" + d},
      {"fake first", 137, a + fake + d, "ka||" + fake + "|"},
      {"64th from the end", 137, a + d + fakes63, "ka|||" + fakes63},
      {"65th from the end", 137, a + d + fakes63 + fake, "||" + d + fakes63 + fake + "|"},
      {"not a candidate", 137, a + d + fakes63 + not_a_fake, "ka|||" + fakes63 + not_a_fake},
      {"exit beyond the 64", 137, a + e + fakes63 + d, "ka||" + e + fakes63 + "|"},
      {"before the announcement", 137, d + a + e, "a|" + d + "||"},
      {"repeated announcement", 137, a + a + d, "ka||" + a + "|"},
      {"differing announcement", 137, a + b + d + "z", "||" + b + "|z"},
      {"differing after the report", 137, a + d + b, "|||" + b},
      {"differing first", 137, b + a + d, "||" + a + d + "|"},
      {"differing without a newline", 137, a + d + b.substr(0, b.size() - 1),
       "ka|||" + b.substr(0, b.size() - 1)},
      {"differing inside a line", 137, a + "x" + b + d, "ka||x" + b + "|"},
      {"announcement with more", 137, a.substr(0, a.size() - 1) + " \n" + d, "unverified "},
      {"announcement with a return", 137, a.substr(0, a.size() - 1) + "\r\n" + d, "unverified "},
      {"announcements of another shape", 137, odd_first + odd_second + odd_space + a + d,
       "ka|" + odd_first + odd_second + odd_space + "||"},
      {"announcement cut", 137, a.substr(0, a.size() - 1), "unverified "},
      {"announcement inside a line", 137, "x" + a + d, "unverified "},
      {"another call", 137, announcement_line(k_other_id, own) + d, "unverified "},
      {"refused", 126, "w\n" + refused, "not_run od"},
      {"refused, 127", 127, refused, "unverified "},
      {"refused, 1", 1, refused, "unverified "},
      {"refused twice", 126, refused + refused, "unverified "},
      {"refused and a prefix", 126, refused + "x" + tag, "unverified "},
      {"refused and another call's", 126, refused_line(k_other_id, "tr") + refused, "not_run od"},
      {"refused inside a line", 126, "x" + refused, "unverified "},
      {"refused without a newline", 126, refused.substr(0, refused.size() - 1), "unverified "},
      {"refused 64", 126, refused_line(k_id, std::string(64, 't')),
       "not_run " + std::string(64, 't')},
      {"refused 65", 126, refused_line(k_id, std::string(65, 't')), "unverified "},
      {"refused nothing", 126, refused_line(k_id, ""), "unverified "},
      {"refused a capital", 126, refused_line(k_id, "Od"), "unverified "},
      {"announced and refused", 126, a + refused, "||" + refused + "|"},
      {"126", 126, "sh: no\n", "unverified "},
      {"127", 127, "sandproof1", "not_run "},
      {"127 and a tag", 127, "xsandproof1 ", "unverified "},
  };
}

using Counts = std::map<std::string, int>;

void count(const ReportAnswer& answer, const std::string& where, Counts& counts) {
  ++counts[where + answer.outcome + (answer.killed ? " killed" : "") +
           (answer.attested ? " attested" : "")];
}

void check_stream(const Chooser& choose, Counts& counts, std::vector<std::string>& failures) {
  for (const Secrecy secrecy : {Secrecy::kept, Secrecy::spent}) {
    const SealedStream stream = sealed_stream(choose, secrecy);
    const ReportAnswer answer = read_sealed(stream.exit_code, stream.bytes, stream.call_id);
    count(answer, secrecy == Secrecy::kept ? "kept " : "spent ", counts);
    if (stream.must_not_attest) ++counts["must not attest"];
    if (stream.must_not_attest && (answer.killed || answer.attested))
      failures.push_back("attested without a secret: " + stream.bytes);
  }
  const NonceStream stream = nonce_stream(choose);
  const ReportAnswer answer = read_nonce(stream.exit_code, stream.bytes);
  count(answer, "nonce ", counts);
  if (stream.must_not_kill) ++counts["must not kill"];
  if (answer.attested || (stream.must_not_kill && answer.killed))
    failures.push_back("killed without a repeat: " + stream.bytes);

  const HonestStream sealed = honest_sealed_stream(choose);
  if (read_sealed(sealed.exit_code, sealed.bytes, sealed.call_id) != sealed.expected)
    failures.push_back("honest sealed stream: " + sealed.bytes);
  const HonestStream nonce = honest_nonce_stream(choose);
  if (read_nonce(nonce.exit_code, nonce.bytes) != nonce.expected)
    failures.push_back("honest nonce stream: " + nonce.bytes);
}

}  // namespace

std::vector<std::string> report_failures() {
  std::vector<std::string> failures;
  for (const Row& row : nonce_rows()) {
    const std::string got = written(read_nonce(row.exit_code, row.bytes));
    if (got != row.expected) failures.push_back("nonce, " + row.name + ": got " + got);
  }
  for (const Row& row : sealed_rows()) {
    const std::string got = written(read_sealed(row.exit_code, row.bytes, k_id));
    if (got != row.expected) failures.push_back("sealed, " + row.name + ": got " + got);
  }
  if (read_sealed(std::nullopt, refused_line(k_id, "od"), k_id).outcome != "unverified" ||
      read_nonce(std::nullopt, "").outcome != "unverified")
    failures.push_back("no exit code");

  std::mt19937 random(1);
  const Chooser choose = [&random](unsigned below) {
    return static_cast<unsigned>(random() % below);
  };
  Counts counts;
  for (int i = 0; i < 20'000; ++i) check_stream(choose, counts, failures);
  check_stream([](unsigned) { return 0U; }, counts, failures);
  check_stream([](unsigned below) { return below - 1; }, counts, failures);

  // The streams must reach every answer often enough for a property to mean something.
  for (const std::string reached :
       {"kept ran", "kept not_run", "kept unverified", "kept ran attested",
        "spent ran killed attested", "spent ran attested", "spent ran", "nonce ran",
        "nonce ran killed", "nonce not_run", "nonce unverified", "must not attest",
        "must not kill"}) {
    if (counts[reached] < 20)
      failures.push_back("too few: " + reached + " " + std::to_string(counts[reached]));
  }
  return failures;
}

}  // namespace sandproof::reference
