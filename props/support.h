// What the property tests share: comparing with the reference model, small exhaustive domains, and
// generators that stay near the accepted language.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "answers.h"

namespace sandproof::props {

inline bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// for_each_string calls f with every string of 0..max_size bytes of the alphabet.
template <class F>
void for_each_string(std::string_view alphabet, std::size_t max_size, F f) {
  std::vector<std::size_t> digits;
  std::string text;
  while (text.size() <= max_size) {
    f(std::string_view(text));
    std::size_t i = digits.size();
    while (i > 0 && digits[i - 1] + 1 == alphabet.size()) --i;
    if (i == 0) {
      digits.assign(digits.size() + 1, 0);
    } else {
      ++digits[i - 1];
      std::fill(digits.begin() + static_cast<std::ptrdiff_t>(i), digits.end(), std::size_t{0});
    }
    text.clear();
    for (const std::size_t digit : digits) text += alphabet[digit];
  }
}

// for_each_short calls f with the empty string, all 256 bytes and all 65,536 pairs.
template <class F>
void for_each_short(F f) {
  f(std::string_view());
  std::string text(1, '\0');
  for (int a = 0; a < 256; ++a) {
    text.assign(1, static_cast<char>(a));
    f(std::string_view(text));
    for (int b = 0; b < 256; ++b) {
      text.assign({static_cast<char>(a), static_cast<char>(b)});
      f(std::string_view(text));
    }
  }
}

// for_each_place calls f with every text of 1..max_size bytes of which all are `filler` but one,
// which is any byte: a scanner that takes bytes in blocks must miss none, wherever it stands.
template <class F>
void for_each_place(char filler, std::size_t max_size, F f) {
  for (std::size_t size = 1; size <= max_size; ++size) {
    std::string text(size, filler);
    for (char& place : text) {
      for (int byte = 0; byte < 256; ++byte) {
        place = static_cast<char>(byte);
        f(std::string_view(text));
      }
      place = filler;
    }
  }
}

// any_bytes generates strings of any bytes, NUL and non-UTF-8 included.
inline rc::Gen<std::string> any_bytes() {
  return rc::gen::container<std::string>(
      rc::gen::map(rc::gen::inRange(0, 256), [](int byte) { return static_cast<char>(byte); }));
}

// from_alphabet generates strings of min_size..max_size bytes of the alphabet.
inline rc::Gen<std::string> from_alphabet(std::string alphabet, std::size_t min_size,
                                          std::size_t max_size) {
  return rc::gen::mapcat(rc::gen::inRange(min_size, max_size + 1), [alphabet](std::size_t size) {
    return rc::gen::container<std::string>(size, rc::gen::elementOf(alphabet));
  });
}

// near_valid takes a valid value and does one thing to it: nothing, insert, replace, drop or
// repeat bytes, or join another value.
inline rc::Gen<std::string> near_valid(const rc::Gen<std::string>& valid) {
  return rc::gen::exec([valid] {
    std::string text = *valid;
    const auto byte = static_cast<char>(*rc::gen::oneOf(
        rc::gen::inRange(0, 256), rc::gen::map(rc::gen::elementOf(std::string("./-_*:@ ,=%0a\\\n")),
                                               [](char c) { return static_cast<int>(c); })));
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        if (at < text.size()) text[at] = byte;
        break;
      case 3:
        if (at < text.size()) text.erase(at, 1);
        break;
      case 4:
        text.insert(at, *rc::gen::inRange<std::size_t>(1, 300), byte);
        break;
      default:
        text += *valid;
        break;
    }
    return text;
  });
}

}  // namespace sandproof::props
