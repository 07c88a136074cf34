#include "scanners.h"

#include <cstdint>

#include "utf8.h"

namespace sandproof::reference {
namespace {

constexpr std::string_view k_letters_and_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool in_id_alphabet(char c) { return k_letters_and_digits.contains(c) || c == '_' || c == '-'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// digits_from is the run of digits that starts at `at`.
std::string_view digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(at, end - at);
}

std::uint64_t number(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

}  // namespace

Answer accept(std::string_view value) {
  Answer answer;
  answer.accepted = true;
  answer.value = value;
  return answer;
}

Answer refuse(std::string_view reason, std::optional<std::size_t> offset) {
  Answer answer;
  answer.reason = reason;
  answer.offset = offset;
  return answer;
}

std::string lower_ascii(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

Answer session_id(std::string_view text) {
  if (text.empty()) return refuse("empty");
  if (text.size() > 63) return refuse("too_long");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!in_id_alphabet(text[i])) return refuse("forbidden_byte", i);
  }
  return accept(text);
}

bool addressable_id(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (!in_id_alphabet(c)) return false;
  }
  return true;
}

Answer call_id(std::string_view text) {
  if (text.size() != 32) return refuse("bad_length");
  const std::size_t at = text.find_first_not_of("0123456789abcdef");
  if (at != std::string_view::npos) return refuse("forbidden_byte", at);
  return accept(text);
}

Answer sandbox_path(std::string_view text) {
  if (text.ends_with('/')) return refuse("trailing_slash", text.size() - 1);

  std::size_t leading = 0;
  while (leading < text.size() && text[leading] == '/') ++leading;
  const std::string_view sent = text.substr(leading);
  if (sent.empty()) return refuse("empty");

  if (sent.size() > 4095) return refuse("too_long");

  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (sent[i] == '\0') return refuse("nul", leading + i);
  }

  if (const auto ill_formed = first_ill_formed(sent))
    return refuse("invalid_utf8", leading + *ill_formed);

  for (std::size_t i = 0; i < sent.size(); ++i) {
    const auto byte = static_cast<unsigned char>(sent[i]);
    if ((byte >= 0x01 && byte <= 0x1f) || byte == 0x7f) return refuse("control_byte", leading + i);
  }

  std::size_t begin = 0;
  while (begin <= sent.size()) {
    std::size_t end = begin;
    while (end < sent.size() && sent[end] != '/') ++end;
    const std::string_view segment = sent.substr(begin, end - begin);
    if (segment.empty()) return refuse("empty_segment", leading + begin);
    if (segment == "..") return refuse("parent_segment", leading + begin);
    if (segment.size() > 255) return refuse("segment_too_long", leading + begin);
    begin = end + 1;
  }
  return accept(sent);
}

Answer deadline(std::string_view text) {
  constexpr std::uint64_t k_longest_ms = 24ULL * 60 * 60 * 1000;

  if (text.empty()) return refuse("empty");

  // The shape: 1..15 digits, perhaps a point and 1..3 digits, a unit, and nothing after it.
  const std::string_view whole = digits_from(text, 0);
  if (whole.empty() || whole.size() > 15) return refuse("malformed");
  std::size_t at = whole.size();
  std::string fraction;
  if (at < text.size() && text[at] == '.') {
    fraction = digits_from(text, at + 1);
    if (fraction.empty() || fraction.size() > 3) return refuse("malformed");
    at += 1 + fraction.size();
  }
  const std::string_view unit = text.substr(at);
  std::uint64_t unit_ms = 0;
  if (unit == "ms") unit_ms = 1;
  if (unit == "s") unit_ms = 1000;
  if (unit == "m") unit_ms = 60 * 1000;
  if (unit == "h") unit_ms = 60 * 60 * 1000;
  if (unit_ms == 0) return refuse("malformed");

  // Thousandths of every unit but the millisecond itself are whole milliseconds.
  while (fraction.size() < 3) fraction += '0';
  const std::uint64_t thousandths = number(fraction);
  if (unit_ms == 1 && thousandths != 0) return refuse("malformed");

  // No unit is shorter than a millisecond, so a count beyond 24 h in milliseconds is too long in
  // every unit; what is left below cannot overflow.
  const std::uint64_t count = number(whole);
  if (count > k_longest_ms) return refuse("too_long");
  const std::uint64_t milliseconds = count * unit_ms + thousandths * unit_ms / 1000;
  if (milliseconds < 1) return refuse("too_short");
  if (milliseconds > k_longest_ms) return refuse("too_long");

  std::string shell_text = std::to_string(milliseconds / 1000);
  if (milliseconds % 1000 != 0) {
    std::string decimals = std::to_string(milliseconds % 1000);
    while (decimals.size() < 3) decimals.insert(0, "0");
    shell_text += "." + decimals;
  }
  return accept(shell_text);
}

std::optional<std::string> session_state(std::string_view raw) {
  if (raw == "Running") return "running";
  if (raw == "Creating" || raw == "Resuming") return "starting";
  if (raw == "Stopping" || raw == "Stopped" || raw == "Suspended" || raw == "Idle")
    return "suspended";
  if (raw == "Deleting" || raw == "Failed") return "terminated";
  return std::nullopt;
}

bool judgeable(std::string_view raw_state, bool carries_policy) {
  const std::optional<std::string> state = session_state(raw_state);
  if (state == "running") return true;
  if (state == "suspended") return carries_policy;
  return false;
}

}  // namespace sandproof::reference
