// Quoting, against copying the quoted text, and against the loop that one would write first.
//
//   quote/into/WORDS/SIZE     quote_into, into room that the caller has
//   quote/sized/WORDS/SIZE    quoted_size first, as a caller has to who makes the room
//   quote/whole/WORDS/SIZE    the whole call: checking, counting, allocating, writing
//
// WORDS have no quote (none), one in a hundred bytes on average (one_percent), or nothing else
// (all).
#include <array>
#include <cstring>

#include "contest.h"
#include "reference/command.h"
#include "reference/shell_words.h"
#include "sandproof/shell.h"
#include "texts.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

struct Kind {
  std::string_view name;
  std::size_t quotes_in;  // a quote in so many bytes; 0 is none
};
constexpr Kind k_kinds[] = {{"none", 0}, {"one_percent", 100}, {"all", 1}};

// Words are what is quoted, what must come out, and room for one of them.
struct Words {
  Texts texts;
  Texts quoted;
  std::string room;
};

Words make_words(std::size_t size, std::size_t quotes_in) {
  const auto make = [=](Numbers& numbers, std::size_t wanted) {
    std::string text;
    while (text.size() < wanted) {
      const bool quote = quotes_in != 0 && numbers.one_in(quotes_in);
      text += quote ? '\'' : numbers.of("abcdefghijklmnopqrstuvwxyz0123456789 \n/-_=\"$");
    }
    return text;
  };
  Words words{texts(size, false, make, [](Numbers&, std::string&) {}), {}, {}};
  for (const std::string& text : words.texts) {
    words.quoted.push_back(reference::quoted(text));
    words.room.resize(std::max(words.room.size(), words.quoted.back().size()));
  }
  return words;
}

// ---- What is done with one word. ----

std::string_view into(std::string& room, std::string_view word) {
  return {room.data(), quote_into(room.data(), word)};
}

std::string_view size_and_into(std::string& room, std::string_view word) {
  benchmark::DoNotOptimize(quoted_size(word));
  return into(room, word);
}

std::string whole(std::string&, std::string_view word) { return quote({&word, 1}).value(); }

std::string_view loop(std::string& room, std::string_view word) {
  char* out = room.data();
  *out++ = '\'';
  for (const char c : word) {
    if (c == '\'') {
      *out++ = '\'';
      *out++ = '\\';
      *out++ = '\'';
    }
    *out++ = c;
  }
  *out++ = '\'';
  return {room.data(), out};
}

void verify(Words& words) {
  for (std::size_t i = 0; i < words.texts.size(); ++i) {
    const std::string_view text = words.texts[i];
    const std::string& quoted = words.quoted[i];
    must(quoted_size(text) == quoted.size(), "another size than the reference's", text);
    must(into(words.room, text) == quoted, "another text than the reference's", text);
    must(whole(words.room, text) == quoted, "quote gives another text", text);
    must(loop(words.room, text) == quoted, "the loop gives another text", text);
    must(reference::shell_words(quoted).words == std::vector{std::string(text)},
         "does not read back", text);
  }
}

template <auto work>
Contest contest(std::size_t size, std::size_t quotes_in) {
  const auto words = std::make_shared<Words>(make_words(size, quotes_in));
  verify(*words);
  std::size_t bytes = 0;
  for (const std::string& quoted : words->quoted) bytes += quoted.size();
  const auto each = [words](auto quote) {
    return [words, quote] {
      for (const std::string& text : words->texts) {
        benchmark::DoNotOptimize(quote(words->room, text));
        benchmark::ClobberMemory();
      }
    };
  };
  const auto copy = [words] {
    for (const std::string& quoted : words->quoted) {
      benchmark::DoNotOptimize(std::memcpy(words->room.data(), quoted.data(), quoted.size()));
      benchmark::ClobberMemory();
    }
  };
  return {words->texts.size(),
          bytes,
          {{"sandproof", each([](auto&... all) { return work(all...); })},
           {"memcpy", copy},
           {"loop", each([](auto&... all) { return loop(all...); })}}};
}

}  // namespace

int main(int count, char** arguments) {
  for (const std::size_t size : {8U, 512U, 65'536U, 1'048'576U}) {
    for (const Kind& kind : k_kinds) {
      const std::string suffix = std::string(kind.name) + '/' + std::to_string(size);
      add_contest("quote/into/" + suffix, [=] { return contest<into>(size, kind.quotes_in); });
      add_contest("quote/sized/" + suffix,
                  [=] { return contest<size_and_into>(size, kind.quotes_in); });
      add_contest("quote/whole/" + suffix, [=] { return contest<whole>(size, kind.quotes_in); });
    }
  }
  return run(count, arguments);
}
