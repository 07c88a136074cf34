// Commands: the library and the reference model say the same of every request.
#include "sandproof/command.h"

#include <algorithm>

#include "command_support.h"

namespace sandproof::props {
namespace {

using namespace std::string_literals;
using Words = std::vector<std::string>;

// What was accepted borrows from the request: views of its bytes, and its list of words as it is.
void expect_views(const CommandText& text, const CommandViews& views, const Command& command) {
  ASSERT_EQ(command.words().data(), views.argv().data()) << "the caller's words, not a copy";
  ASSERT_EQ(command.words().size(), text.argv.size());
  ASSERT_EQ(command.working_directory().has_value(), text.working_directory.has_value());
  if (command.working_directory()) {
    ASSERT_EQ(command.working_directory()->data(), text.working_directory->data());
    ASSERT_EQ(command.working_directory()->size(), text.working_directory->size());
  }

  const auto name = [](const EnvVariable& variable) { return variable.name().view(); };
  ASSERT_TRUE(std::ranges::is_sorted(command.variables(), {}, name));
  ASSERT_EQ(command.variables().size(), text.variables.size());
  for (const EnvVariable& variable : command.variables()) {
    const auto given = std::ranges::find_if(text.variables, [&](const auto& each) {
      return each.first.data() == variable.name().view().data();
    });
    ASSERT_NE(given, text.variables.end()) << "a view, not a copy";
    ASSERT_EQ(variable.name().view(), given->first);
    ASSERT_EQ(variable.value().data(), given->second.data());
    ASSERT_EQ(variable.value(), given->second);
  }
  ASSERT_EQ(command.words_size(), reference::bounded_suffix(text.argv, text.variables).size());
  ASSERT_LE(command.words_size(), k_max_words_size);
}

void expect_agreement(const CommandText& text) {
  const CommandViews views(text);
  const Checked<Command> command = Command::parse(views.request());
  ASSERT_EQ(command_answer(command), ask_reference(text))
      << reference::quoted_words(text.argv).substr(0, 300);
  if (command) {
    expect_views(text, views, *command);
  } else {
    const std::string message = explain(command.error(), refused_text(text, command.error()));
    ASSERT_TRUE(is_printable(message) && !message.empty()) << escaped(message);
  }
}

// expect_answer also holds both to what a person wrote down.
void expect_answer(const CommandText& text, std::string_view expected) {
  expect_agreement(text);
  EXPECT_EQ(shown(ask_reference(text)), expected);
}

TEST(Command, AgreesOnEveryByteAndPairInEveryPart) {
  for_each_short([](std::string_view bytes) {
    const std::string part(bytes);
    expect_agreement({{part}, {}, {}});
    expect_agreement({{"x", part}, {{"A", "1"}}, {}});
    expect_agreement({{part, "y"}, {{"A", "1"}}, {}});
    expect_agreement({{"x"}, {{part, "1"}}, {}});
    expect_agreement({{"x"}, {{"A", part}}, {}});
    expect_agreement({{"x"}, {}, part});
  });
}

// Every combination of parts that each obey or break one rule.
TEST(Command, AgreesOnEveryCombinationOfSmallParts) {
  const Words parts{"", "a", "a=b", "\0"s, "\xff", "'"};
  std::vector<Words> argvs{{}};
  for (const std::string& first : parts) {
    argvs.push_back({first});
    for (const std::string& second : parts) argvs.push_back({first, second});
  }
  std::vector<std::pair<std::string, std::string>> entries;
  for (const std::string& name : {"A"s, "B"s, ""s, "1"s}) {
    for (const std::string& value : {""s, "\0"s, "\xc3"s}) entries.emplace_back(name, value);
  }
  std::vector<reference::Variables> lists{{}};
  for (const auto& first : entries) {
    lists.push_back({first});
    for (const auto& second : entries) lists.push_back({first, second});
  }
  const std::vector<std::optional<std::string>> directories{std::nullopt, "", "/", "\0"s, "\xff"};
  for (const Words& argv : argvs) {
    for (const reference::Variables& variables : lists) {
      for (const auto& directory : directories) expect_agreement({argv, variables, directory});
    }
  }
}

// A command with every mistake at once: each rule shows only when all before it are obeyed.
TEST(Command, TheFirstRuleThatIsBrokenDecides) {
  CommandText text{{}, {{"A", "\0"s}, {"B", "v\xff"}, {"B", ""}, {"A", ""}, {"1", ""}}, "\xff\0"s};
  expect_answer(text, "no_program command -@-");
  text.argv = {"", "\xff", "x\0"s};
  expect_answer(text, "no_program command -@-");
  text.argv[0] = "a=b=";
  expect_answer(text, "nul word 2@1");
  text.argv[2].clear();
  expect_answer(text, "nul working_directory -@1");
  text.working_directory = "\xff";
  expect_answer(text, "invalid_utf8 word 1@0");
  text.argv[1] = std::string(k_max_words_size / 4, '\'');
  expect_answer(text, "invalid_utf8 working_directory -@0");
  text.working_directory = "";
  expect_answer(text, "leading_digit variable_name 4@0");
  text.variables.pop_back();
  expect_answer(text, "nul variable_value 0@0");
  text.variables[0].second = "1";
  expect_answer(text, "invalid_utf8 variable_value 1@1");
  text.variables[1].second = std::string(k_max_env_entry_size - 1, 'v');
  expect_answer(text, "too_long variable_value 1@-");
  text.variables[1].second.clear();
  expect_answer(text, "duplicate_name variable_name 2@-");
  text.variables.erase(text.variables.begin() + 1);
  expect_answer(text, "duplicate_name variable_name 2@-");
  text.variables.pop_back();
  expect_answer(text, "assignment_program word 0@1");
  text.argv[0] = "a";
  expect_answer(text, "empty_cwd working_directory -@-");
  text.working_directory = std::string(k_max_working_directory_size + 1, 'd');
  expect_answer(text, "too_long command -@-");
  text.argv[1].clear();
  expect_answer(text, "too_long working_directory -@-");
  text.working_directory->pop_back();
  expect_answer(text, "accepted");
}

TEST(Command, AProgramMayLookLikeAnAssignmentOnlyWithoutVariables) {
  expect_answer({{"a=b", "c"}, {}, {}}, "accepted");
  expect_answer({{"a=b", "c"}, {{"A", ""}}, {}}, "assignment_program word 0@1");
  expect_answer({{"=", "c"}, {{"A", ""}}, {}}, "assignment_program word 0@0");
  expect_answer({{"a", "b=c"}, {{"A", ""}}, {}}, "accepted");
}

TEST(Command, TakesDefaultConstructedViews) {
  EXPECT_EQ(Command::parse({}).error(), (Refusal{Subject::command, Reason::no_program}));
  const std::vector<std::string_view> nothing(1);
  EXPECT_EQ(Command::parse({nothing, {}, {}}).error().reason, Reason::no_program);
  const std::vector<std::string_view> words{"x", {}};
  const std::vector<EnvEntry> unnamed(1);
  EXPECT_EQ(Command::parse({words, unnamed, {}}).error(),
            (Refusal{Subject::env_name, Reason::empty, k_no_place, 0}));
  EXPECT_EQ(Command::parse({words, {}, std::string_view()}).error(),
            (Refusal{Subject::working_directory, Reason::empty_cwd}));
  EXPECT_EQ(Command::parse({words, {}, {}})->words_size(), 7U);
}

// Sorted by the names alone: as words, A1=... would come before A=...
TEST(Command, VariablesAreSortedByTheBytesOfTheirNames) {
  const CommandText text{{"x"}, {{"b", ""}, {"_", ""}, {"A1", ""}, {"B", ""}, {"A", ""}}, {}};
  const CommandViews views(text);
  std::string names;
  const Checked<Command> command = Command::parse(views.request());
  for (const EnvVariable& variable : command->variables()) {
    names += std::string(variable.name().view()) + ' ';
  }
  EXPECT_EQ(names, "A A1 B _ b ");
}

TEST(Command, NamesTheFirstRepeatAmongManyVariables) {
  CommandText text{{"x"}, {}, {}};
  for (int i = 0; i < 1'000; ++i) text.variables.emplace_back("N" + std::to_string(i * 7), "");
  for (const std::size_t place : {std::size_t{1}, std::size_t{500}, std::size_t{999}}) {
    CommandText repeated = text;
    repeated.variables.push_back(text.variables[3]);
    repeated.variables[place] = text.variables[0];
    expect_answer(repeated, "duplicate_name variable_name " + std::to_string(place) + "@-");
  }
}

// ---- Limits. ----

// expect_limit fills a part up until the words take exactly what may be taken, one less, one more.
void expect_limit(CommandText text, std::string& (*part)(CommandText&)) {
  const std::size_t size = reference::bounded_suffix(text.argv, text.variables).size();
  part(text).append(k_max_words_size - 1 - size, 'v');
  expect_answer(text, "accepted");
  part(text) += 'v';
  expect_answer(text, "accepted");
  const CommandViews views(text);
  EXPECT_EQ(Command::parse(views.request())->words_size(), k_max_words_size);
  part(text) += 'v';
  expect_answer(text, "too_long command -@-");
}

std::string& last_word(CommandText& text) { return text.argv.back(); }
std::string& program(CommandText& text) { return text.argv.front(); }
std::string& last_value(CommandText& text) { return text.variables.back().second; }

TEST(Command, TheWordsTakeTheirLimitAndNotOneByteMore) {
  const std::string quotes(10'000, '\'');
  expect_limit({{"x"}, {}, {}}, program);
  expect_limit({{"x", ""}, {}, {}}, last_word);
  expect_limit({{"x", quotes}, {}, {}}, last_word);
  expect_limit({{"x", quotes, "'"}, {}, {}}, program);
  expect_limit({{"x"}, {{"A", ""}}, {}}, program);
  expect_limit({{"x"}, {{"A", ""}}, {}}, last_value);
  expect_limit({{"'"}, {{"LONG_NAME", "'"}, {"A", quotes}}, {}}, last_value);
  CommandText many{Words(20'000, ""), {}, {}};
  many.argv.front() = "x";
  expect_limit(many, last_word);
  many.argv.resize(1);
  for (int i = 0; i < 3'000; ++i) many.variables.emplace_back("N" + std::to_string(i), "'");
  expect_limit(many, last_value);
}

TEST(Command, OneQuoteMoreCountsFourBytes) {
  // ` 'x'` takes 4 bytes, the quotes of the second word and its space 3.
  const auto command = [](std::size_t quotes, std::size_t others) {
    return CommandText{{"x", std::string(quotes, '\'') + std::string(others, 'a')}, {}, {}};
  };
  const std::size_t room = k_max_words_size - 7;
  expect_answer(command(room / 4, room % 4), "accepted");
  expect_answer(command(room / 4, room % 4 + 1), "too_long command -@-");
  expect_answer(command(room / 4 + 1, 0), "too_long command -@-");
}

TEST(Command, TheWorkingDirectoryTakesItsLimit) {
  const std::string limit(k_max_working_directory_size, 'd');
  expect_answer({{"x"}, {}, limit}, "accepted");
  expect_answer({{"x"}, {}, limit + "d"}, "too_long working_directory -@-");
}

TEST(Command, LimitsAreThoseOfTheReference) {
  EXPECT_EQ(k_max_words_size, reference::k_max_words_size);
  EXPECT_EQ(k_max_working_directory_size, reference::k_max_working_directory_size);
}

// ---- Generated. ----

RC_GTEST_PROP(Command, AValidOneIsAccepted, ()) {
  const CommandText text = *valid_command();
  if (text.variables.empty() || text.argv.front().find('=') == std::string::npos) {
    RC_ASSERT(ask_reference(text).accepted);
  }
  expect_agreement(text);
}

RC_GTEST_PROP(Command, AgreesNearValid, ()) {
  for (int i = 0; i < 20; ++i) expect_agreement(*near_valid_command());
}

RC_GTEST_PROP(Command, AgreesOnAnyBytes, ()) { expect_agreement(*any_command()); }

RC_GTEST_PROP(Command, TheOrderOfVariablesDoesNotMatter, ()) {
  CommandText text = *valid_command();
  const CommandText given = text;
  std::ranges::reverse(text.variables);
  const CommandViews views(text);
  const CommandViews given_views(given);
  const auto command = Command::parse(views.request());
  const auto same = Command::parse(given_views.request());
  RC_ASSERT(command.has_value() && same.has_value());
  RC_ASSERT(std::ranges::equal(command->variables(), same->variables(),
                               [](const EnvVariable& a, const EnvVariable& b) {
                                 return a.name() == b.name() && a.value() == b.value();
                               }));
}

}  // namespace
}  // namespace sandproof::props
