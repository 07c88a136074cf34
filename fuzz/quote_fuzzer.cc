// Quoting: the first byte of an input separates the words in the rest of it.
//
// What a POSIX tokenizer makes of the quoted text must be the words, also when the text is quoted
// once more.
#include <string>
#include <string_view>
#include <vector>

#include "command_model.h"
#include "examination.h"
#include "fuzz_check.h"
#include "reference/command.h"
#include "reference/shell_words.h"
#include "sandproof/shell.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

using Words = std::vector<std::string>;

std::vector<std::string_view> views_of(const Words& words) { return {words.begin(), words.end()}; }

Words split(std::string_view text, char separator) {
  Words words;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    words.emplace_back(text.substr(0, end));
    if (end == text.size()) return words;
    text.remove_prefix(end + 1);
  }
}

void check_reads_back(std::string_view text, const Words& words) {
  const reference::ShellWords read = reference::shell_words(text);
  FUZZ_CHECK(read.plain, text, read.why);
  FUZZ_CHECK(read.words == words, text, reference::quoted_words(read.words));
}

// One word into a block of exactly its size.
void check_word(std::string_view word) {
  const std::string expected = reference::quoted(word);
  FUZZ_CHECK(quoted_size(word) == expected.size(), word, quoted_size(word), expected.size());
  const auto room = std::make_unique_for_overwrite<char[]>(expected.size());
  const char* const end = quote_into(room.get(), word);
  const std::string_view written(room.get(), expected.size());
  FUZZ_CHECK(end == room.get() + expected.size() && written == expected, written, expected);
}

constexpr std::size_t k_long_word = 64;

// repeated makes of a long word one that is longer than an input, and than what quotes are summed
// up over. Of a short one that would cost most of the time there is.
std::string repeated(std::string_view word) {
  constexpr std::size_t k_size = 5'000;
  std::string text;
  while (text.size() < k_size) text += word;
  return text;
}

void check_words(const Words& words, bool whole) {
  const Checked<std::string> text = quote(views_of(words));
  const reference::CommandAnswer expected = reference::quotable(words);
  FUZZ_CHECK(props::command_answer(text) == expected, props::shown(props::command_answer(text)),
             props::shown(expected));
  if (!text) {
    check_message(explain(text.error(), words.at(text.error().word)));
    return;
  }
  FUZZ_CHECK(*text == reference::quoted_words(words), *text, reference::quoted_words(words));
  if (!whole) return;
  check_reads_back(*text, words);
  for (const std::string& word : words) check_word(word);
  if (words.back().size() >= k_long_word) check_word(repeated(words.back()));

  // Nested: a shell in a shell.
  const Words layer{*text};
  check_reads_back(quote(views_of(layer)).value(), layer);
  // Every byte but the spaces between words stands inside quotes: more words behind change nothing.
  Words more = words;
  more.emplace_back("'; $(more) \\");
  const std::string longer = quote(views_of(more)).value();
  FUZZ_CHECK(longer.starts_with(*text) && longer[text->size()] == ' ', longer);
  check_reads_back(longer, more);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool whole = whole_examination(64);
  if (input.empty()) {
    FUZZ_CHECK(quote({}) == "");
    return 0;
  }
  check_words(split(input.substr(1), input.front()), whole);
  return 0;
}
