// Edge checks of commands, of quoting, and of the reader of shell words.
#include <random>

#include "command.h"
#include "selfcheck_calls.h"
#include "shell_words.h"

namespace sandproof::reference {
namespace {

using namespace std::string_literals;

using Words = std::vector<std::string>;

struct CommandRow {
  std::string name;
  Words argv;
  Variables variables;
  std::optional<std::string> working_directory;
  std::string expected;  // `accepted`, or `reason subject word@offset` with `-` for none.
};

std::string number(const std::optional<std::size_t>& value) {
  return value.has_value() ? std::to_string(*value) : "-";
}

std::string written(const CommandAnswer& answer) {
  if (answer.accepted) return "accepted";
  return answer.reason + " " + answer.subject + " " + number(answer.word) + "@" +
         number(answer.offset);
}

std::vector<CommandRow> command_rows() {
  const std::optional<std::string> none;
  const Variables no_variables;
  // ` 'x'` and what stands around the second word take 4 and 3 bytes.
  const std::string longest(122'879 - 7, 'a');
  const std::string half_quotes(61'436, 'a');
  // ` 'env'`, ` 'A='` and ` 'x'` take 6, 5 and 4 bytes.
  const std::string longest_value(122'879 - 15, 'v');
  return {
      {"no words", {}, {{"1", "\0"s}}, "", "no_program command -@-"},
      {"empty program", {"", "\0"s}, no_variables, none, "no_program command -@-"},
      {"empty later word", {"x", ""}, no_variables, none, "accepted"},
      {"nul", {"x", "\xff", "ab\0\0"s}, no_variables, none, "nul word 2@2"},
      {"nul in the directory", {"x", "\xff"}, no_variables, "/\0"s, "nul working_directory -@1"},
      {"nul in a word first", {"x\0"s}, no_variables, "/\0"s, "nul word 0@1"},
      {"utf8", {"x", "a\xc3"}, {{"", ""}}, "\xff", "invalid_utf8 word 1@1"},
      {"utf8 directory", {"x"}, {{"", ""}}, "a\xed\xa0\x80", "invalid_utf8 working_directory -@1"},
      {"name", {"a=b"}, {{"A", "\0"s}, {"1", ""}}, "", "leading_digit variable_name 1@0"},
      {"name order", {"a=b"}, {{"b-", ""}, {"", ""}}, "", "forbidden_byte variable_name 0@1"},
      {"value", {"a=b"}, {{"A", "x"}, {"A", "y\0"s}}, "", "nul variable_value 1@1"},
      {"value utf8", {"a=b"}, {{"A", "x\x80"}}, "", "invalid_utf8 variable_value 0@1"},
      {"value size",
       {"a=b"},
       {{"A", std::string(131'070, 'v')}},
       "",
       "too_long variable_value 0@-"},
      {"repeat",
       {"a=b"},
       {{"A", ""}, {"B", ""}, {"B", ""}, {"A", ""}},
       "",
       "duplicate_name variable_name 2@-"},
      {"assignment", {"a=b=c"}, {{"A", ""}}, "", "assignment_program word 0@1"},
      {"leading equals", {"=x"}, {{"A", ""}}, none, "assignment_program word 0@0"},
      {"no variables", {"a=b"}, no_variables, none, "accepted"},
      {"equals later", {"a", "b=c"}, {{"A", ""}}, none, "accepted"},
      {"empty directory",
       {"x", longest + "a"},
       no_variables,
       "",
       "empty_cwd working_directory -@-"},
      {"longest", {"x", longest}, no_variables, none, "accepted"},
      {"too long",
       {"x", longest + "a"},
       no_variables,
       std::string(4'096, 'd'),
       "too_long command -@-"},
      {"quotes count four",
       {"x", half_quotes + std::string(15'359, '\'')},
       no_variables,
       none,
       "accepted"},
      {"one quote more",
       {"x", half_quotes + std::string(15'360, '\'')},
       no_variables,
       none,
       "too_long command -@-"},
      {"longest value", {"x"}, {{"A", longest_value}}, none, "accepted"},
      {"value too long", {"x"}, {{"A", longest_value + "v"}}, none, "too_long command -@-"},
      {"longest directory", {"x"}, no_variables, std::string(4'095, 'd'), "accepted"},
      {"long directory",
       {"x"},
       no_variables,
       std::string(4'096, 'd'),
       "too_long working_directory -@-"},
  };
}

struct ShellRow {
  std::string text;
  Words words;
  std::string why;  // Empty: plain.
};

std::vector<ShellRow> shell_rows() {
  return {
      {"", {}, ""},
      {" \t \n", {}, ""},
      {"\n a 'b'\tc\n\n", {"a", "b", "c"}, ""},
      {"'' \"\" a''", {"", "", "a"}, ""},
      {"'it'\\''s' 'a\nb'", {"it's", "a\nb"}, ""},
      {R"('\' "\a\\\$\`\"" \a\\\ b)", {"\\", "\\a\\$`\"", "a\\ b"}, ""},
      {"a\\\nb \\\n \"c\\\nd\" '\\\n'", {"ab", "cd", "\\\n"}, ""},
      {"'*?[#~=$`' \\*\\?\\[\\#\\~\\=\\$\\`", {"*?[#~=$`", "*?[#~=$`"}, ""},
      {"'A=b' A=b c~ d#", {"A=b", "A=b", "c~", "d#"}, ""},
      {"'a='b c", {"a=b", "c"}, ""},
      {"\xff '\x80'", {"\xff", "\x80"}, ""},
      {"a\nb", {"a"}, "second command"},
      {"a\n''", {"a"}, "second command"},
      {"a\n\\b", {"a"}, "second command"},
      {"a 'b", {"a"}, "unterminated quote"},
      {"a \"b\\", {"a"}, "unterminated quote"},
      {"a \"b\\\"", {"a"}, "unterminated quote"},
      {"a \\", {"a"}, "backslash at the end"},
      {"a b*", {"a"}, "pattern"},
      {"a b?", {"a"}, "pattern"},
      {"a b[", {"a"}, "pattern"},
      {"a #b", {"a"}, "comment"},
      {"a \\\n#b", {"a"}, "comment"},
      {"a ~", {"a"}, "tilde"},
      {"a=b", {}, "assignment"},
      {"a $b", {"a"}, "expansion"},
      {"a `b", {"a"}, "expansion"},
      {"a \"$b\"", {"a"}, "expansion"},
      {"a \"`b\"", {"a"}, "expansion"},
      {"a 'b\0'"s, {}, "nul"},
      {"a | b", {"a"}, "operator"},
      {"a & b", {"a"}, "operator"},
      {"a ; b", {"a"}, "operator"},
      {"a < b", {"a"}, "operator"},
      {"a > b", {"a"}, "operator"},
      {"a ( b", {"a"}, "operator"},
      {"a ) b", {"a"}, "operator"},
  };
}

// random_words are up to four words of bytes that matter to a shell.
Words random_words(std::mt19937& random) {
  const std::string alphabet = "'\\\"$`\n \t#~=*?[]{}!|&;<>()a1\r\x80\xff";
  Words words(random() % 5);
  for (std::string& word : words) {
    for (std::size_t left = random() % 9; left > 0; --left)
      word += alphabet[random() % alphabet.size()];
  }
  return words;
}

}  // namespace

std::vector<std::string> command_failures() {
  std::vector<std::string> failures;
  for (const CommandRow& row : command_rows()) {
    const std::string got = written(command(row.argv, row.variables, row.working_directory));
    if (got != row.expected)
      failures.push_back("command, " + row.name + ": expected " + row.expected + ", got " + got);
  }
  for (const ShellRow& row : shell_rows()) {
    const ShellWords got = shell_words(row.text);
    if (got != ShellWords{row.why.empty(), row.words, row.why})
      failures.push_back("shell words of `" + row.text + "`: got " + quoted_words(got.words) +
                         " and `" + got.why + "`");
  }

  if (quotable({"a", "b\0"s}) != CommandAnswer{false, "nul", 1, 1, "word"} ||
      !quotable({"", "\xff"}).accepted)
    failures.push_back("quotable");
  if (!quoted_words({}).empty() || quoted_words({"", "'"}) != "'' ''\\'''")
    failures.push_back("quoted words");
  if (bounded_suffix({"x", ""}, {}) != " 'x' ''" ||
      bounded_suffix({"x"}, {{"B", "'"}, {"A_", "1"}, {"A", "2"}, {"a", ""}}) !=
          " 'env' 'A=2' 'A_=1' 'B='\\''' 'a=' 'x'")
    failures.push_back("bounded suffix");

  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const Words words = random_words(random);
    if (shell_words(quoted_words(words)) != ShellWords{true, words, ""})
      failures.push_back("does not read back: " + quoted_words(words));
  }
  return failures;
}

}  // namespace sandproof::reference
