// Texts to decide about, many of each kind: one that is repeated flatters a branch predictor.
//
// Where a kind has mistakes, every second text has one, anywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "numbers.h"

namespace sandproof::bench {

inline constexpr std::string_view k_digits = "0123456789";
inline constexpr std::string_view k_hex = "0123456789abcdef";
inline constexpr std::string_view k_id_bytes =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
inline constexpr std::string_view k_name_bytes = k_id_bytes.substr(0, 63);
inline constexpr std::string_view k_name_starts =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
inline constexpr std::string_view k_no_name_bytes = "./%?#&:@ \n\\~+";

// how_many texts of a size there are: as many as a branch predictor does not learn by heart, but
// no more than 1 MiB of them.
constexpr std::size_t how_many(std::size_t size) {
  return std::clamp<std::size_t>((std::size_t{1} << 20) / size, 1, 512);
}

// texts makes them one after another; `spoil` puts a mistake into one.
template <class Make, class Spoil>
Texts texts(std::size_t size, bool mixed, Make make, Spoil spoil) {
  Numbers numbers;
  Texts all;
  for (std::size_t i = 0; i < how_many(size); ++i) {
    all.push_back(make(numbers, size));
    if (mixed && i % 2 == 0) spoil(numbers, all.back());
  }
  numbers.shuffle(all);
  return all;
}

// words are texts of one alphabet, the first byte apart.
inline Texts words(std::size_t size, bool mixed, std::string_view alphabet,
                   std::string_view starts) {
  const auto make = [=](Numbers& numbers, std::size_t wanted) {
    std::string text(1, numbers.of(starts));
    while (text.size() < wanted) text += numbers.of(alphabet);
    return text;
  };
  return texts(size, mixed, make, [](Numbers& numbers, std::string& text) {
    text[numbers.below(text.size())] = numbers.of(k_no_name_bytes);
  });
}

inline Texts ids(std::size_t size, bool mixed) {
  return words(size, mixed, k_id_bytes, k_id_bytes);
}
inline Texts call_ids(std::size_t size, bool mixed) { return words(size, mixed, k_hex, k_hex); }
inline Texts names(std::size_t size, bool mixed) {
  return words(size, mixed, k_name_bytes, k_name_starts);
}

// domains are canonical already, so that one expression can decide about them: labels of 3 to 20
// bytes.
inline Texts domains(std::size_t size, bool mixed) {
  const auto make = [](Numbers& numbers, std::size_t wanted) {
    std::string text;
    std::size_t left = 3 + numbers.below(18);
    while (text.size() < wanted) {
      const bool at_an_end =
          left == 1 || text.empty() || text.back() == '.' || text.size() + 1 == wanted;
      if (left == 0 && text.size() + 1 < wanted) {
        text += '.';
        left = 3 + numbers.below(18);
        continue;
      }
      text += at_an_end || left == 0 ? numbers.of("abcdefghijklmnopqrstuvwxyz")
                                     : numbers.of("abcdefghijklmnopqrstuvwxyz0123456789-_");
      left -= std::min<std::size_t>(left, 1);
    }
    return text;
  };
  return texts(size, mixed, make, [](Numbers& numbers, std::string& text) {
    text[numbers.below(text.size())] = numbers.of(" ,/@[*%:!");
  });
}

// deadlines have about the size that is asked for.
inline Texts deadlines(std::size_t size, bool mixed) {
  const auto make = [](Numbers& numbers, std::size_t) {
    constexpr std::array<std::string_view, 4> k_units{"ms", "s", "m", "h"};
    constexpr std::array<std::size_t, 4> k_longest{86'400'000, 86'399, 1'439, 23};
    const std::size_t unit = numbers.below(k_units.size());
    std::string text = std::to_string(1 + numbers.below(k_longest[unit]));
    if (unit > 0 && numbers.one_in(2)) text += '.' + std::to_string(numbers.below(1'000));
    return text += k_units[unit];
  };
  return texts(size, mixed, make, [](Numbers& numbers, std::string& text) {
    text[numbers.below(text.size())] = numbers.of(" -+xd,:");
  });
}

// Bytes of a path: what stands between two slashes, and what may not stand anywhere.
enum class Script { ascii, utf8 };

inline std::string path(Numbers& numbers, std::size_t size, Script script) {
  constexpr std::string_view k_ascii = "abcdefghijklmnopqrstuvwxyz0123456789_-.ABCDEF ";
  constexpr std::array<std::string_view, 4> k_wide{"\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\xa6\x80",
                                                   "\xd0\xb6"};
  std::string text;
  std::size_t left = 4 + numbers.below(16);
  while (text.size() < size) {
    if (left == 0 && text.size() + 1 < size) {
      text += '/';
      left = 4 + numbers.below(16);
    }
    const std::string_view character = k_wide[numbers.below(k_wide.size())];
    if (script == Script::utf8 && numbers.one_in(3) && text.size() + character.size() <= size) {
      text += character;
    } else {
      // No dot beside a slash: a segment of dots would be a mistake.
      text += text.ends_with('/') || left == 1 ? 'a' : numbers.of(k_ascii);
    }
    left -= std::min<std::size_t>(left, 1);
  }
  if (text.ends_with('/')) text.back() = 'a';
  return text;
}

// paths have segments of 4 to 19 characters; in those with utf8, every third one is not ASCII.
inline Texts paths(std::size_t size, bool mixed, Script script) {
  const auto make = [script](Numbers& numbers, std::size_t wanted) {
    return path(numbers, wanted, script);
  };
  return texts(size, mixed, make, [](Numbers& numbers, std::string& text) {
    constexpr std::array<std::string_view, 5> k_mistakes{"/../", "//", "\x1b[0", "\xed\xa0\x80",
                                                         std::string_view("\0a", 2)};
    const std::string_view mistake = k_mistakes[numbers.below(k_mistakes.size())];
    text.replace(1 + numbers.below(text.size() - mistake.size() - 1), mistake.size(), mistake);
  });
}

// log_text is what a build prints: lines of many sizes, with paths, numbers and digests.
inline std::string log_text(Numbers& numbers, std::size_t size) {
  constexpr std::array<std::string_view, 8> k_parts{
      "src/core/module.cc:120:14: warning: unused variable 'count' [-Wunused-variable]\n",
      "npm warn deprecated inflight@1.0.6: this module is not supported\n",
      "[ 42%] Building CXX object CMakeFiles/app.dir/main.cc.o\n",
      "    at Object.<anonymous> (/work/project/test/index.test.js:31:5)\n",
      "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\r",
      "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 ok\n",
      "2024-03-01T12:00:00.000Z INFO  server listening on port 8080\n",
      "\n"};
  std::string text;
  while (text.size() < size) {
    text += k_parts[numbers.below(k_parts.size())];
    text += std::to_string(numbers.below(100'000)) + ' ';
  }
  text.resize(size);
  return text;
}

}  // namespace sandproof::bench
