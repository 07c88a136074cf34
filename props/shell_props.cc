// Quoting and the bounded shell text: a POSIX tokenizer reads back exactly the words that went in.
#include "sandproof/shell.h"

#include <algorithm>
#include <array>

#include "command_support.h"
#include "reference/shell_words.h"

namespace sandproof::props {
namespace {

using namespace std::string_literals;
using Words = std::vector<std::string>;

reference::ShellWords plain(Words words) { return {true, std::move(words), ""}; }

std::vector<std::string_view> views_of(const Words& words) { return {words.begin(), words.end()}; }

void expect_quoted(const Words& words) {
  const Checked<std::string> text = quote(views_of(words));
  ASSERT_EQ(command_answer(text), reference::quotable(words)) << escaped(words.front());
  if (!text) return;
  ASSERT_EQ(*text, reference::quoted_words(words));
  ASSERT_EQ(reference::shell_words(*text), plain(words)) << escaped(*text);

  std::size_t size = words.empty() ? 0 : words.size() - 1;
  for (const std::string& word : words) {
    ASSERT_EQ(quoted_size(word), reference::quoted(word).size()) << escaped(word);
    size += quoted_size(word);
    // quote_into writes its size and not one byte beside it.
    std::string room(quoted_size(word) + 2, '#');
    ASSERT_EQ(quote_into(room.data() + 1, word), room.data() + room.size() - 1);
    ASSERT_EQ(room, "#" + reference::quoted(word) + "#");
  }
  ASSERT_EQ(text->size(), size);
}

TEST(Quote, ReadsBackEveryByteAndPair) {
  for_each_short([](std::string_view word) { expect_quoted({std::string(word)}); });
}

TEST(Quote, ReadsBackEveryShortStringOverTheBytesThatMatter) {
  for_each_string("'\\ \n\"$a", 5, [](std::string_view word) {
    expect_quoted({std::string(word)});
    expect_quoted({"a", std::string(word), ""});
  });
}

TEST(Quote, ReadsBackEveryTwoShortWords) {
  for_each_string("'\\ \n\"$a", 2, [](std::string_view first) {
    for_each_string("'\\ \n\"$a", 2, [first](std::string_view second) {
      expect_quoted({std::string(first), std::string(second)});
    });
  });
}

// Quotes at every place of words of every size, so that no block of a faster copy can miss one.
TEST(Quote, FindsQuotesAtEveryPlaceOfEverySize) {
  for (std::size_t size = 1; size <= 70; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string word(size, '&');  // one less than a quote
      word[at] = '\'';
      expect_quoted({word});
      word[size - 1 - at] = '\'';
      expect_quoted({word});
      word = std::string(size, '(');  // one more
      word[at] = '\'';
      expect_quoted({word});
      word = std::string(size, '\xa7');  // a quote with its highest bit set
      word[at] = '\'';
      expect_quoted({word});
    }
    expect_quoted({std::string(size, '\'')});
  }
}

// More of them than a byte counts, in each of sixteen columns and one past that.
TEST(Quote, CountsAnyNumberOfQuotes) {
  constexpr std::size_t k_sizes[] = {4'079, 4'080, 4'081, 4'096, 8'160, 8'161, 100'000};
  for (const std::size_t size : k_sizes) {
    expect_quoted({std::string(size, '\'')});
    EXPECT_EQ(quoted_size(std::string(size, '\'') + std::string(size, '"')), 2 + 5 * size);
  }
}

TEST(Quote, NeverLeavesQuotesOut) {
  EXPECT_EQ(quote(views_of({"echo", "it's"})), "'echo' 'it'\\''s'");
  EXPECT_EQ(quote(views_of({"safe"})), "'safe'");
  EXPECT_EQ(quote(views_of({"", ""})), "'' ''");
  EXPECT_EQ(quote({}), "");
}

TEST(Quote, RefusesTheFirstNul) {
  EXPECT_EQ(quote(views_of({"a", "b\0\0"s, "\0"s})).error(),
            (Refusal{Subject::word, Reason::nul, 1, 1}));
  EXPECT_EQ(explain(quote(views_of({"a\0"s})).error(), "a\0"s).find("word"), 0U);
}

TEST(Quote, TakesDefaultConstructedViews) {
  EXPECT_EQ(quoted_size({}), 2U);
  const std::array<std::string_view, 2> nothing{};
  EXPECT_EQ(quote(nothing), "'' ''");
  std::array<char, 2> room{};
  EXPECT_EQ(quote_into(room.data(), {}), room.data() + room.size());
}

// quote(quote(...)) comes apart again layer by layer: a shell in a shell in a shell.
void expect_nested(const std::string& word, int depth) {
  std::string text = word;
  for (int i = 0; i < depth; ++i) text = quote(views_of({text})).value();
  for (int i = 0; i < depth; ++i) {
    const reference::ShellWords read = reference::shell_words(text);
    ASSERT_TRUE(read.plain) << read.why;
    ASSERT_EQ(read.words.size(), 1U);
    text = read.words.front();
  }
  ASSERT_EQ(text, word);
}

TEST(Quote, NestsToAnyDepth) {
  for_each_string("'\\\n$", 3, [](std::string_view word) { expect_nested(std::string(word), 5); });
  expect_nested("'", 8);
}

RC_GTEST_PROP(Quote, Nests, ()) { expect_nested(*valid_word(), *rc::gen::inRange(1, 6)); }

RC_GTEST_PROP(Quote, ReadsBackAnyBytes, ()) {
  expect_quoted(*rc::gen::container<Words>(any_bytes()));
}

RC_GTEST_PROP(Quote, ReadsBackWhatShellsReadSpecially, ()) {
  for (int i = 0; i < 20; ++i) expect_quoted(*rc::gen::container<Words>(valid_word()));
}

// ---- The bounded shell text. ----

constexpr char k_id[] = "00112233445566778899aabbccddeeff";
constexpr char k_other_id[] = "f0e1d2c3b4a5968778695a4b3c2d1e0f";

ReportScheme sealed(std::string_view id = k_id) {
  return ReportScheme::sealed(CallId::parse(id).value());
}

Deadline deadline(std::string_view text) { return Deadline::parse(text).value(); }

std::string bounded(const CommandText& text, Deadline limit, const ReportScheme& scheme) {
  const CommandViews views(text);
  return std::string(bounded_shell(Command::parse(views.request()).value(), limit, scheme).view());
}

// program_of is what the shell is given to run in front of any words.
std::string program_of(Deadline limit, const ReportScheme& scheme) {
  const auto read = reference::shell_words(bounded({{"x"}, {}, {}}, limit, scheme));
  return read.words.at(2);
}

// The whole text is one plain command: sh, the wrapper that stands there whatever the words are,
// and the caller's words.
void expect_bounded(const CommandText& text, Deadline limit, const ReportScheme& scheme) {
  const std::string shell = bounded(text, limit, scheme);
  const std::string suffix = reference::bounded_suffix(text.argv, text.variables);
  ASSERT_TRUE(shell.starts_with("sh -c '"));
  ASSERT_TRUE(shell.ends_with("' sh" + suffix)) << escaped(shell, 100'000);
  ASSERT_LE(shell.size() - suffix.size(), k_max_wrapper_size);
  ASSERT_LE(shell.size(), k_max_env_entry_size);

  Words expected{"sh", "-c", program_of(limit, scheme), "sh"};
  if (!text.variables.empty()) expected.emplace_back("env");
  reference::Variables sorted = text.variables;
  std::ranges::sort(sorted);
  for (const auto& [name, value] : sorted) expected.push_back(name + '=' + value);
  expected.insert(expected.end(), text.argv.begin(), text.argv.end());
  ASSERT_EQ(reference::shell_words(shell), plain(expected)) << escaped(shell, 100'000);
}

TEST(BoundedShell, NoWordLeavesItsQuotes) {
  for (const ReportScheme& scheme : {sealed(), ReportScheme::nonce()}) {
    for_each_string("'\\ \n\"$a", 3, [&scheme](std::string_view word) {
      const std::string text(word);
      expect_bounded({{"x", text}, {{"A", text}}, {}}, deadline("30s"), scheme);
      if (!word.empty()) expect_bounded({{text, "y"}, {}, {}}, deadline("1500ms"), scheme);
    });
    for (int byte = 1; byte < 0x80; ++byte) {
      const std::string text(1, static_cast<char>(byte));
      expect_bounded({{"x", text}, {{"A", text}}, {}}, deadline("30s"), scheme);
    }
  }
}

TEST(BoundedShell, VariablesTravelThroughEnvInFrontOfTheProgram) {
  const std::string shell = bounded({{"p", "w"}, {{"PATH", "it's"}, {"A1", ""}, {"A", "="}}, "/d"},
                                    deadline("1s"), sealed());
  EXPECT_TRUE(shell.ends_with("' sh 'env' 'A==' 'A1=' 'PATH=it'\\''s' 'p' 'w'")) << shell;
  EXPECT_EQ(shell.find("PATH"), shell.rfind("PATH")) << "nowhere else";
  EXPECT_TRUE(bounded({{"env"}, {}, {}}, deadline("1s"), sealed()).ends_with("' sh 'env'"));
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// The program is one printable line without a quote, and fixed but for the deadline and the id.
TEST(BoundedShell, TheProgramIsFixedButForTheDeadlineAndTheCallId) {
  for (const ReportScheme& scheme : {sealed(), ReportScheme::nonce()}) {
    const std::string whole = program_of(deadline("13579s"), scheme);
    EXPECT_TRUE(is_printable(whole));
    EXPECT_EQ(whole.find('\''), whole.npos);
    EXPECT_EQ(replaced(whole, "13579", "24680"), program_of(deadline("24680s"), scheme));
    const std::string fraction = program_of(deadline("13579067ms"), scheme);
    EXPECT_GT(replaced(fraction, "13579.067", "13579").size(), whole.size())
        << "sleep is tried with a fraction where the deadline has one";
    EXPECT_EQ(replaced(fraction, "13579.067", "0.001"), program_of(deadline("1ms"), scheme));
  }
  const std::string program = program_of(deadline("30s"), sealed());
  EXPECT_EQ(replaced(program, k_id, k_other_id), program_of(deadline("30s"), sealed(k_other_id)));
}

TEST(BoundedShell, TheDeadlineAndTheCallIdStandWhereTheyAreRead) {
  for (const ReportScheme& scheme : {sealed(), ReportScheme::nonce()}) {
    for (const auto& [written, seconds] :
         {std::pair("30s", "30"), std::pair("1ms", "0.001"), std::pair("1.5s", "1.500"),
          std::pair("24h", "86400"), std::pair("86399999ms", "86399.999")}) {
      EXPECT_NE(program_of(deadline(written), scheme).find("sleep "s + seconds + ' '),
                std::string::npos)
          << written;
    }
  }
  const std::string program = program_of(deadline("30s"), sealed());
  const std::string prefix = "sandproof1 "s + k_id + ' ';
  for (const std::string_view line : {"refused ", "deadline ", "exit "}) {
    EXPECT_NE(program.find(prefix + std::string(line)), program.npos) << line;
  }
  EXPECT_NE(program_of(deadline("30s"), ReportScheme::nonce()), program);
}

TEST(BoundedShell, OnlyTheSealedSchemeTagsItsLines) {
  const std::string program = program_of(deadline("1.5s"), ReportScheme::nonce());
  EXPECT_EQ(program.find("sandproof1"), program.npos);
  EXPECT_EQ(program.find("sha256sum)"), program.npos) << "the scheme for sandboxes without it";
}

TEST(BoundedShell, TheLongestTextFitsIntoOneArgument) {
  for (const ReportScheme& scheme : {sealed(), ReportScheme::nonce()}) {
    for (const std::string& word : {std::string(k_max_words_size - 7, 'a'),
                                    std::string((k_max_words_size - 7) / 4, '\''), std::string()}) {
      CommandText text{{"x", word}, {}, {}};
      if (word.empty()) text.variables = {{"A", std::string(k_max_words_size - 18, 'v')}};
      expect_bounded(text, deadline("86399999ms"), scheme);
    }
  }
}

RC_GTEST_PROP(BoundedShell, IsOnePlainCommandWhateverTheWordsAre, ()) {
  const CommandText text = *valid_command();
  const auto limit = Deadline::from(std::chrono::milliseconds(*rc::gen::inRange(1, 86'400'001)));
  std::array<std::uint8_t, 16> bytes{};
  for (std::uint8_t& byte : bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  expect_bounded(text, limit.value(), ReportScheme::sealed(CallId::from_random(bytes)));
  expect_bounded(text, limit.value(), ReportScheme::nonce());
}

}  // namespace
}  // namespace sandproof::props
