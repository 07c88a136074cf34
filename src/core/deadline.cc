#include "sandproof/deadline.h"

#include <charconv>
#include <optional>

#include "bytes.h"

namespace sandproof {
namespace {

constexpr std::size_t k_max_whole_digits = 15;
constexpr std::size_t k_max_fraction_digits = 3;

constexpr std::unexpected<Refusal> refuse(Reason reason) noexcept {
  return std::unexpected(Refusal{Subject::deadline, reason});
}

struct Unit {
  std::string_view name;
  std::uint64_t milliseconds;
};
constexpr Unit k_units[] = {
    Unit{"ms", 1},
    Unit{"s", 1'000},
    Unit{"m", 60'000},
    Unit{"h", 3'600'000},
};

std::optional<std::uint64_t> milliseconds_in(std::string_view unit) noexcept {
  for (const Unit& each : k_units) {
    if (each.name == unit) return each.milliseconds;
  }
  return std::nullopt;
}

// take_digits removes the digits at the front of `text` and gives them back.
std::string_view take_digits(std::string_view& text) noexcept {
  const auto end = std::ranges::find_if_not(text, bytes::is_digit);
  const auto size = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

// Eighteen digits at most reach this, so 64 bits hold the number.
constexpr std::uint64_t number(std::string_view digits) noexcept {
  std::uint64_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

// thousandths reads `whole.fraction` as an integer count of 1/1000.
constexpr std::uint64_t thousandths(std::string_view whole, std::string_view fraction) noexcept {
  std::uint64_t value = number(fraction);
  for (std::size_t i = fraction.size(); i < k_max_fraction_digits; ++i) value *= 10;
  return number(whole) * 1'000 + value;
}

}  // namespace

Checked<Deadline> Deadline::parse(std::string_view text) noexcept {
  if (text.empty()) return refuse(Reason::empty);
  std::string_view rest = text;
  const std::string_view whole = take_digits(rest);
  if (whole.empty() || whole.size() > k_max_whole_digits) return refuse(Reason::malformed);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    if (fraction.empty() || fraction.size() > k_max_fraction_digits) {
      return refuse(Reason::malformed);
    }
  }
  const auto unit = milliseconds_in(rest);
  if (!unit) return refuse(Reason::malformed);

  std::uint64_t product = 0;
  if (__builtin_mul_overflow(thousandths(whole, fraction), *unit, &product)) {
    return refuse(Reason::too_long);
  }
  if (product % 1'000 != 0) return refuse(Reason::malformed);
  // The quotient is below 2^54, so the signed count holds it.
  return from(std::chrono::milliseconds(static_cast<std::int64_t>(product / 1'000)));
}

Checked<Deadline> Deadline::from(std::chrono::milliseconds duration) noexcept {
  if (duration < k_min_deadline) return refuse(Reason::too_short);
  if (duration > k_max_deadline) return refuse(Reason::too_long);
  return Deadline(duration);
}

SecondsText Deadline::seconds_text() const noexcept {
  SecondsText text;
  char* const begin = text.bytes_.data();
  char* at = std::to_chars(begin, begin + text.bytes_.size(), duration_.count() / 1'000).ptr;
  if (const auto rest = duration_.count() % 1'000; rest != 0) {
    *at++ = '.';
    *at++ = static_cast<char>('0' + rest / 100);
    *at++ = static_cast<char>('0' + rest / 10 % 10);
    *at++ = static_cast<char>('0' + rest % 10);
  }
  text.size_ = static_cast<std::uint8_t>(at - begin);
  return text;
}

}  // namespace sandproof
