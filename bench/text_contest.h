// Contests between checks of one text: the library, an expression of the reference's table in two
// engines, loops that one would write first, and memchr, which reads the same bytes and decides
// nothing.
#pragma once

#include <benchmark/benchmark.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>

#include "contest.h"
#include "reference/languages.h"
#include "reference/scanners.h"
#include "sandproof/refusal.h"
#include "texts.h"

namespace sandproof::bench {

// Re2 and StdRegex match whole texts.
class Re2 {
 public:
  explicit Re2(std::string_view expression)
      : expression_(re2::StringPiece(expression.data(), expression.size()),
                    RE2::Options(RE2::Latin1)) {}
  [[nodiscard]] bool matches(std::string_view text) const {
    return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression_);
  }

 private:
  RE2 expression_;
};

class StdRegex {
 public:
  explicit StdRegex(std::string_view expression)
      : expression_(std::string(expression), std::regex::optimize) {}
  [[nodiscard]] bool matches(std::string_view text) const {
    return std::regex_match(text.begin(), text.end(), expression_);
  }

 private:
  std::regex expression_;
};

// Expression is one row of the reference's table: what somebody would write who had the engine and
// no library.
template <class Engine>
class Expression {
 public:
  explicit Expression(std::string_view name)
      : row_(reference::language(name)), shape_(row_.expression), excluded_(row_.exclusion) {}

  [[nodiscard]] bool accepts(std::string_view text) const {
    return text.size() >= row_.min_size && text.size() <= row_.max_size && shape_.matches(text) &&
           pieces_fit(text) && (row_.exclusion.empty() || !excluded_.matches(text));
  }

 private:
  [[nodiscard]] bool pieces_fit(std::string_view text) const {
    if (row_.separator == '\0') return true;
    std::size_t begin = 0;
    while (true) {
      const std::size_t end = std::min(text.find(row_.separator, begin), text.size());
      if (end - begin > row_.max_piece_size) return false;
      if (end == text.size()) return true;
      begin = end + 1;
    }
  }

  const reference::Language& row_;
  Engine shape_;
  Engine excluded_;
};

using Check = bool (*)(std::string_view text);

template <class T>
bool by_library(std::string_view text) {
  return T::parse(text).has_value();
}

template <class Engine, const std::string_view& row>
bool by_expression(std::string_view text) {
  static const Expression<Engine> expression(row);
  return expression.accepts(text);
}

inline bool by_memchr(std::string_view text) {
  return std::memchr(text.data(), '\x02', text.size()) == nullptr;
}

// texts_contest holds checks against each other. A check is a template argument, so that no call
// through a pointer is measured.
template <Check... checks, class... Names>
Contest texts_contest(Texts given, Names... names) {
  const auto texts = std::make_shared<const Texts>(std::move(given));
  std::size_t bytes = 0;
  for (const std::string& text : *texts) bytes += text.size();
  return {texts->size(), bytes, {{names, [texts] {
                                    for (const std::string& text : *texts) {
                                      benchmark::DoNotOptimize(checks(std::string_view(text)));
                                    }
                                  }}...}};
}

// verify holds what the library made of a text to the reference, with what is refused, and where.
template <class T>
void verify(std::string_view text, const Checked<T>& value, const reference::Answer& expected) {
  must(value.has_value() == expected.accepted, "the library disagrees with the reference", text);
  must(value || (code(value.error().reason) == expected.reason &&
                 value.error().offset == expected.offset.value_or(k_no_place)),
       "the library refuses otherwise than the reference", text);
  if constexpr (requires { value->view(); }) {
    must(!value || value->view() == expected.value, "the library gives another value", text);
  }
}

// add_texts registers a contest of one decision. Of accepted texts all have to be so, of mixed ones
// only some.
template <class T, reference::Answer (*reference_answer)(std::string_view), Check... competitors,
          class... Names>
void add_texts(const std::string& name, bool mixed, std::function<Texts()> make, Names... names) {
  add_contest(name, [=, make = std::move(make)] {
    Texts texts = make();
    for (const std::string& text : texts) {
      const reference::Answer expected = reference_answer(text);
      must(mixed || expected.accepted, "a text that should be good is refused", text);
      verify(text, T::parse(text), expected);
      (must(competitors == by_memchr || competitors(text) == expected.accepted, names, text), ...);
    }
    return texts_contest<by_library<T>, competitors...>(std::move(texts), "sandproof", names...);
  });
}

inline std::string contest_name(std::string_view decision, std::string_view kind,
                                std::size_t size) {
  return std::string(decision) + '/' + std::string(kind) + '/' + std::to_string(size);
}

}  // namespace sandproof::bench
