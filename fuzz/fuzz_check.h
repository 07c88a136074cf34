// What every fuzz target shares: a check that is always on, inputs without slack around them, and
// the library's answers in the words of the reference model.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reference/scanners.h"
#include "sandproof/refusal.h"

namespace sandproof::fuzz {

// k_max_shown_answer is how much of one answer a failed check prints.
inline constexpr std::size_t k_max_shown_answer = 4096;

// shown renders one answer for a report: printable ASCII whatever is in it.
inline std::string shown(std::string_view text) { return escaped(text, k_max_shown_answer); }
inline std::string shown(const std::string& text) { return shown(std::string_view(text)); }
inline std::string shown(const char* text) { return shown(std::string_view(text)); }
inline std::string shown(bool value) { return value ? "true" : "false"; }
inline std::string shown(std::integral auto value) { return std::to_string(value); }
inline std::string shown(const std::optional<std::size_t>& place) {
  return place ? std::to_string(*place) : "no place";
}
inline std::string shown(const reference::Answer& answer) {
  return answer.accepted ? "accepted, value " + shown(answer.value)
                         : "refused, " + answer.reason + " at " + shown(answer.offset);
}
inline std::string shown(const reference::ListAnswer& answer) {
  return answer.accepted ? "accepted"
                         : "refused, " + answer.reason + " at " + shown(answer.offset) +
                               ", entry " + shown(answer.entry);
}

template <class... Answers>
void report(const char* file, int line, const char* expression, const Answers&... answers) {
  std::fprintf(stderr, "%s:%d: FUZZ_CHECK failed: %s\n", file, line, expression);
  (std::fprintf(stderr, "  %s\n", shown(answers).c_str()), ...);
  std::fflush(stderr);
}

// FUZZ_CHECK(condition, answer...) is an assertion that no build type switches off. The answers are
// evaluated only after a failure, and printed escaped. A macro, so that it can print the expression
// as it was written, and trap in the frame of the check.
#define FUZZ_CHECK(condition, ...)                                                          \
  do {                                                                                      \
    if (!(condition)) [[unlikely]] {                                                        \
      ::sandproof::fuzz::report(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__); \
      __builtin_trap();                                                                     \
    }                                                                                       \
  } while (false)

// ExactCopy holds a text in a heap block of exactly its size, so that a sanitizer sees the first
// byte read past it. An empty text stands at the end of a block of one byte: allocators round an
// allocation of no bytes up, and would let a read of one byte pass.
class ExactCopy {
 public:
  explicit ExactCopy(std::string_view text)
      : block_(std::make_unique_for_overwrite<char[]>(std::max<std::size_t>(text.size(), 1))),
        text_(block_.get() + (text.empty() ? 1 : 0), text.size()) {
    std::ranges::copy(text, block_.get());
  }
  ExactCopy(const std::uint8_t* data, std::size_t size)
      : ExactCopy(std::string_view(reinterpret_cast<const char*>(data), size)) {}

  [[nodiscard]] std::string_view view() const noexcept { return text_; }

 private:
  std::unique_ptr<char[]> block_;
  std::string_view text_;
};

// is_printable: every byte is printable ASCII.
inline bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// k_max_message is longer than any message: what it shows of an input is cut.
inline constexpr std::size_t k_max_message = 2048;

// check_message holds a message to what its readers rely on: it says something, on one line of
// printable ASCII, and its size does not depend on the size of the input.
inline void check_message(std::string_view message) {
  FUZZ_CHECK(!message.empty());
  FUZZ_CHECK(is_printable(message), message);
  FUZZ_CHECK(message.size() <= k_max_message, message);
}

// quoted_in undoes what a message does to the input that it shows: what stands between its first
// quote and the next one that is no escape.
inline std::optional<std::string> quoted_in(std::string_view message) {
  std::string text;
  for (std::size_t at = message.find('"') + 1; at != 0 && at < message.size(); ++at) {
    if (message[at] == '"') return text;
    if (message[at] != '\\') {
      text += message[at];
    } else if (++at == message.size()) {
      break;
    } else if (message[at] == 'x') {
      unsigned byte = 0;
      const char* const digits = message.data() + at + 1;
      const char* const end = message.data() + std::min(at + 3, message.size());
      if (std::from_chars(digits, end, byte, 16).ptr != digits + 2) break;
      text += static_cast<char>(byte);
      at += 2;
    } else {
      const char letter = message[at];
      text += letter == 'n' ? '\n' : letter == 'r' ? '\r' : letter == 't' ? '\t' : letter;
    }
  }
  return std::nullopt;
}

// check_message of an input: its readers can tell the beginning of the input from the message's own
// words, byte for byte.
inline void check_message(std::string_view message, std::string_view input) {
  check_message(message);
  FUZZ_CHECK(quoted_in(message) == input.substr(0, k_max_shown), message, input);
}

inline std::optional<std::size_t> place(std::size_t offset) {
  return offset == k_no_place ? std::nullopt : std::optional(offset);
}

inline reference::Answer as_answer(const Refusal& refusal) {
  return reference::refuse(code(refusal.reason), place(refusal.offset));
}

// as_answer puts an answer of the library into the reference model's words; `value_of` gives the
// text that an accepted value stands for.
template <class T, class ValueOf>
reference::Answer as_answer(const Checked<T>& checked, ValueOf value_of) {
  return checked ? reference::accept(value_of(*checked)) : as_answer(checked.error());
}

template <class T>
  requires requires(const T& value) { value.view(); }
reference::Answer as_answer(const Checked<T>& checked) {
  return as_answer(checked, [](const T& value) { return value.view(); });
}

}  // namespace sandproof::fuzz
