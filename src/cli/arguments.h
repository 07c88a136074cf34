// A command's words, sorted into options and the rest.
#pragma once

#include <charconv>
#include <concepts>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tool.h"

namespace sandproof::cli {

// Option is one that a command knows. The name has its dashes.
struct Option {
  std::string_view name;
  bool takes_value = false;
  bool repeats = false;  // one that takes a value and does not repeat may be given once
  std::span<const std::string_view> values = {};  // the only ones there are; empty: many
};

// Those that several commands have.
inline constexpr std::string_view k_json = "--json";
inline constexpr std::string_view k_batch = "--batch";

// Arguments holds views into the program's own words.
//
// parse takes `--name VALUE` and `--name=VALUE` and flags, before, between and after the other
// words; `--` ends the options; `-` is a word. Before a command line the first word ends them, too:
// what follows belongs to the program. It complains about unknown options, missing and unwanted
// values, and values given twice. `--help` and `-h` end it: help() is true and nothing else is
// worth looking at.
class Arguments {
 public:
  [[nodiscard]] static std::expected<Arguments, Complaint> parse(
      std::span<const std::string_view> words, std::span<const Option> known,
      bool before_command = false);

  [[nodiscard]] bool help() const noexcept { return help_; }
  [[nodiscard]] bool has(std::string_view name) const noexcept;
  [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string_view> values(std::string_view name) const;
  [[nodiscard]] std::span<const std::string_view> words() const noexcept { return words_; }

 private:
  Arguments() = default;

  bool help_ = false;
  std::vector<std::pair<std::string_view, std::string_view>> options_;
  std::vector<std::string_view> words_;
};

// whole_number reads a word that is one decimal number of T and nothing else; nothing otherwise.
template <std::integral T>
[[nodiscard]] std::optional<T> whole_number(std::string_view word) noexcept {
  const char* const begin = word.data();
  const char* const end = begin + word.size();
  T number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace sandproof::cli
