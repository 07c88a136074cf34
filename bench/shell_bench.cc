// Quoting: into room that the caller has, against copying the quoted text; and the bounded text.
//
//   quote/into/WORD        quote_into
//   quote/sized/WORD       quoted_size, then quote_into
//   quote/whole/WORD       the whole call: checking, counting, allocating, writing
//   bounded/SCHEME         the whole text for a usual command
//   command                parsing that command
//
// WORD is 64 KiB: none (no quote in it), one_percent (every hundredth byte on average), all.
#include "sandproof/shell.h"

#include <array>
#include <cstring>
#include <memory>

#include "contest.h"
#include "numbers.h"
#include "reference/command.h"
#include "reference/shell_words.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

constexpr std::size_t k_word_size = std::size_t{64} << 10;

// Word is what is quoted, what must come out, and room for it.
struct Word {
  std::string name;
  std::string text;
  std::string quoted;
  std::unique_ptr<char[]> room;
};

std::vector<Word> make_words() {
  Numbers numbers;
  std::string none;
  std::string one_percent;
  for (std::size_t i = 0; i < k_word_size; ++i) {
    none += numbers.of("abcdefghijklmnopqrstuvwxyz0123456789 \n/-_=\"$");
    one_percent += numbers.one_in(100) ? '\'' : none.back();
  }
  std::vector<Word> words;
  words.push_back({"none", none, {}, {}});
  words.push_back({"one_percent", one_percent, {}, {}});
  words.push_back({"all", std::string(k_word_size, '\''), {}, {}});
  for (Word& word : words) {
    word.quoted = reference::quoted(word.text);
    word.room = std::make_unique<char[]>(word.quoted.size());
  }
  return words;
}

std::vector<Word>& words() {
  static std::vector<Word> all = make_words();
  return all;
}

void size(Word& word) { benchmark::DoNotOptimize(quoted_size(word.text)); }
void into(Word& word) {
  benchmark::DoNotOptimize(quote_into(word.room.get(), word.text));
  benchmark::ClobberMemory();
}
void size_and_into(Word& word) {
  size(word);
  into(word);
}
void copy(Word& word) {
  std::memcpy(word.room.get(), word.quoted.data(), word.quoted.size());
  benchmark::DoNotOptimize(word.room.get());
  benchmark::ClobberMemory();
}
void whole(Word& word) {
  const std::string_view view = word.text;
  benchmark::DoNotOptimize(quote({&view, 1}));
}

void verify(Word& word) {
  must(quoted_size(word.text) == word.quoted.size(), "another size than the reference's",
       word.name);
  char* const end = quote_into(word.room.get(), word.text);
  must(std::string_view(word.room.get(), end) == word.quoted, "another text than the reference's",
       word.name);
  const std::string_view view = word.text;
  must(quote({&view, 1}) == word.quoted, "quote gives another text", word.name);
  must(reference::shell_words(word.quoted).words == std::vector{word.text}, "does not read back",
       word.name);
}

Contest contest(Word& word, void (*work)(Word&)) {
  verify(word);
  return {1,
          word.quoted.size(),
          {{"sandproof", [=, &word] { work(word); }}, {"memcpy", [&word] { copy(word); }}}};
}

// ---- The bounded text. ----

constexpr std::array<std::string_view, 6> k_argv{
    "bash",          "-c", "cd \"$1\" && npm ci && npm test -- --grep \"it's\"", "bash",
    "/work/project", "--"};
constexpr std::array<EnvEntry, 3> k_variables{
    {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"NODE_ENV", "test"}, {"TOKEN", "it's a secret"}}};
constexpr CommandRequest k_request{k_argv, k_variables, "/work"};

// over_memcpy has the bytes of a text copied beside the work that makes it.
Contest over_memcpy(std::string text, std::function<void()> work) {
  const std::size_t size = text.size();
  const auto room = std::make_shared<std::string>(size, '\0');
  return {1, size, {{"sandproof", std::move(work)}, {"memcpy", [room, text = std::move(text)] {
                                                       std::memcpy(room->data(), text.data(),
                                                                   text.size());
                                                       benchmark::DoNotOptimize(room->data());
                                                       benchmark::ClobberMemory();
                                                     }}}};
}

Contest bounded(const ReportScheme& scheme) {
  const Deadline deadline = Deadline::parse("30s").value();
  const Command command = Command::parse(k_request).value();
  const ShellText text = bounded_shell(command, deadline, scheme);
  const reference::ShellWords read = reference::shell_words(text.view());
  must(read.plain && read.words.size() == 4 + 1 + k_variables.size() + k_argv.size(),
       "does not read back", text.view());
  return over_memcpy(std::string(text.view()),
                     [=] { benchmark::DoNotOptimize(bounded_shell(command, deadline, scheme)); });
}

void add_all() {
  for (Word& word : words()) {
    add_contest("quote/into/" + word.name, [&word] { return contest(word, into); });
    add_contest("quote/sized/" + word.name, [&word] { return contest(word, size_and_into); });
    add_contest("quote/whole/" + word.name, [&word] { return contest(word, whole); });
  }
  const CallId id = CallId::parse("00112233445566778899aabbccddeeff").value();
  add_contest("bounded/sealed", [=] { return bounded(ReportScheme::sealed(id)); });
  add_contest("bounded/nonce", [] { return bounded(ReportScheme::nonce()); });
  add_contest("command", [] {
    const Command command = Command::parse(k_request).value();
    return over_memcpy(std::string(command.words_size(), 'a'),
                       [] { benchmark::DoNotOptimize(Command::parse(k_request)); });
  });
}

}  // namespace

int main(int count, char** arguments) {
  add_all();
  return run(count, arguments);
}
