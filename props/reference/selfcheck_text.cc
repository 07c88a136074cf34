// Edge checks of the scanners and of the table of languages.
#include <functional>

#include "languages.h"
#include "scanners.h"
#include "selfcheck.h"

namespace sandproof::reference {
namespace {

using namespace std::string_literals;

struct Row {
  std::string input;
  std::string expected;  // `=value` when accepted; `reason` or `reason@offset` when refused.
};

std::string written(const Answer& answer) {
  if (answer.accepted) return "=" + answer.value;
  return answer.offset.has_value() ? answer.reason + "@" + std::to_string(*answer.offset)
                                   : answer.reason;
}

using Failures = std::vector<std::string>;
using Scanner = std::function<Answer(std::string_view)>;

void check_rows(const std::string& kind, const Scanner& scanner, const std::vector<Row>& rows,
                Failures& failures) {
  for (const Row& row : rows) {
    const std::string got = written(scanner(row.input));
    if (got == row.expected) continue;
    failures.push_back(kind + " `" + row.input.substr(0, 80) + "`: expected " +
                       row.expected.substr(0, 80) + ", got " + got.substr(0, 80));
  }
}

std::string times(std::size_t count, const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

// every_string calls `visit` with every string over the alphabet up to the given length.
void every_string(const std::string& alphabet, std::size_t longest, const std::string& prefix,
                  const std::function<void(const std::string&)>& visit) {
  visit(prefix);
  if (prefix.size() == longest) return;
  for (const char c : alphabet) every_string(alphabet, longest, prefix + c, visit);
}

// A scanner and its language must accept the same inputs; where the value differs from the input,
// an input that is in the language must be its own value.
void check_language(const std::string& kind, const Scanner& scanner, const std::string& alphabet,
                    std::size_t longest, Failures& failures) {
  const Language& row = language(kind);
  every_string(alphabet, longest, "", [&](const std::string& text) {
    const Answer answer = scanner(text);
    const bool is_value = answer.accepted && (kind == "deadline" || answer.value == text);
    if (is_value != in_language(row, text))
      failures.push_back(kind + ": scanner and language differ on " + text);
    if (answer.accepted && kind != "deadline" && !in_language(row, answer.value)) {
      failures.push_back(kind + ": the value is not in the language for " + text);
    }
  });
}

void check_domains(Failures& failures) {
  const std::string label63 = times(63, "a");
  const std::string name253 = label63 + "." + label63 + "." + label63 + "." + times(61, "a");
  check_rows("domain", domain,
             {{".", "leading_dot@0"},
              {"*.", "wildcard@0"},
              {"*..", "wildcard@0"},
              {"*..com", "empty_label@2"},
              {"*.com.", "wildcard@0"},
              {"*.a.", "wildcard@0"},
              {"*.a.b.", "=*.a.b"},
              {"*.a..", "empty_label@4"},
              {"**", "wildcard@0"},
              {"a.*.b", "wildcard@2"},
              {"*.*.a.b", "wildcard@2"},
              {"*a.b", "wildcard@0"},
              {"a.", "=a"},
              {"a..", "empty_label@2"},
              {"a...", "empty_label@2"},
              {"a:1", "port@1"},
              {"a:b:c", "ip_literal@1"},
              {"a://b", "scheme@1"},
              {"a@b/c", "userinfo@1"},
              {"a/[", "ip_literal@2"},
              {"a/:", "path@1"},
              {"a]", "bad_label@0"},
              {"a\x7f", "whitespace@1"},
              {"a\0b"s, "whitespace@1"},
              {" \x80", "non_ascii@1"},
              {"1.0X", "ip_literal@2"},
              {"0x", "ip_literal@0"},
              {"0xg", "=0xg"},
              {"1.a", "=1.a"},
              {"a.1", "ip_literal@2"},
              {"*.a.1", "ip_literal@4"},
              {"_dmarc.A_b-C.Example.", "=_dmarc.a_b-c.example"},
              {"a.b-", "bad_label@2"},
              {name253, "=" + name253},
              {name253 + ".", "=" + name253},
              {name253 + "a", "too_long"},
              {"*." + name253, "too_long"},
              {label63 + "a.b", "bad_label@0"},
              {label63 + ".b", "=" + label63 + ".b"}},
             failures);
}

void check_paths(Failures& failures) {
  const std::string segment255 = times(255, "s");
  check_rows(
      "path", sandbox_path,
      {{"//", "trailing_slash@1"},
       {"//a//b", "empty_segment@4"},
       {"/a/..", "parent_segment@3"},
       {"...", "=..."},
       {".", "=."},
       {"/./..a", "=./..a"},
       {"//\x7f", "control_byte@2"},
       {"/a\0\xff"s, "nul@2"},
       {"\x01\xff", "invalid_utf8@1"},
       {"a\xed\xa0\x80", "invalid_utf8@1"},
       {"a\xe0\x80\x80", "invalid_utf8@1"},
       {"a\xf4\x90\x80\x80", "invalid_utf8@1"},
       {"\xc3", "invalid_utf8@0"},
       {"\xf4\x8f\xbf\xbf", "=\xf4\x8f\xbf\xbf"},
       {"/" + times(4094, "../") + "..", "too_long"},
       {"/x/" + segment255 + "s", "segment_too_long@3"},
       {"../" + segment255 + "s", "parent_segment@0"},
       {times(15, segment255 + "/") + segment255, "=" + times(15, segment255 + "/") + segment255},
       {"/" + times(2047, "s/") + "ss", "too_long"}},
      failures);
}

void check_deadlines(Failures& failures) {
  check_rows("deadline", deadline,
             {{"", "empty"},
              {"0ms", "too_short"},
              {"0.000h", "too_short"},
              {"1ms", "=0.001"},
              {"1.0ms", "=0.001"},
              {"1.5ms", "malformed"},
              {"0.001s", "=0.001"},
              {"1.5s", "=1.500"},
              {"0.001m", "=0.060"},
              {"0.001h", "=3.600"},
              {"24h", "=86400"},
              {"24.000h", "=86400"},
              {"24.001h", "too_long"},
              {"86400000ms", "=86400"},
              {"86400.001s", "too_long"},
              {"999999999999999.9ms", "malformed"},
              {"999999999999999h", "too_long"},
              {"0999999999999999h", "malformed"},
              {"1.s", "malformed"},
              {".5s", "malformed"},
              {"1.0001s", "malformed"},
              {"1 s", "malformed"},
              {"1S", "malformed"},
              {"30", "malformed"},
              {"s", "malformed"},
              {"1s\n", "malformed"},
              {"000000000000001s", "=1"}},
             failures);
}

void check_variables(Failures& failures) {
  const auto strict = [](std::string_view name) {
    return
        [name](std::string_view value) { return session_variable(Families::strict, name, value); };
  };
  check_rows("COLUMNS", strict("COLUMNS"),
             {{"80", "=COLUMNS"},
              {"", "not_digits"},
              {"123456", "not_digits"},
              {"() {", "not_digits"},
              {"8\0"s, "nul@1"},
              {"\xff", "invalid_utf8@0"}},
             failures);
  check_rows("X", strict("X"),
             {{"() {", "function_value"},
              {"() ", "=X"},
              {times(131'069, "v"), "=X"},
              {times(131'070, "v"), "too_long"}},
             failures);
  check_rows("PATH", strict("PATH"), {{"\0"s, "refused_family"}}, failures);
  check_rows("env-name", env_name,
             {{times(256, "A"), "=" + times(256, "A")},
              {times(257, "1"), "too_long"},
              {"1-", "leading_digit@0"}},
             failures);

  ListAnswer list =
      session_environment(Families::strict, {{"A", "\0"s}, {"PATH", ""}, {"A", ""}, {"1", ""}});
  if (list.reason != "leading_digit" || list.entry != 3U)
    failures.push_back("session-env list: names come first");
  list = session_environment(Families::strict, {{"A", "\0"s}, {"PATH", ""}, {"A", ""}});
  if (list.reason != "refused_family" || list.entry != 1U)
    failures.push_back("session-env list: then families");
  list = session_environment(Families::strict, {{"A", ""}, {"A", "\0"s}});
  if (list.reason != "nul" || list.entry != 1U || list.offset != 0U)
    failures.push_back("session-env list: then values");
  list = session_environment(Families::strict, {{"B", ""}, {"A", ""}, {"A", ""}, {"B", ""}});
  if (list.reason != "duplicate_name" || list.entry != 2U)
    failures.push_back("session-env list: then repeats");
}

}  // namespace

std::vector<std::string> text_failures() {
  Failures failures;
  check_domains(failures);
  check_paths(failures);
  check_deadlines(failures);
  check_variables(failures);
  check_language("session-id", session_id, "aZ_-.", 4, failures);
  check_language("env-name", env_name, "a_1-", 5, failures);
  check_language("path", sandbox_path, "a./\x7f\xc3\xa9", 5, failures);
  check_language("path", sandbox_path, "\xe0\xed\xf0\xf4\x80\x8f\x90\x9f\xa0\xbf", 4, failures);
  check_language("domain", domain, "*.a0x-", 6, failures);
  check_language("deadline", deadline, "015.msh", 6, failures);
  return failures;
}

}  // namespace sandproof::reference
