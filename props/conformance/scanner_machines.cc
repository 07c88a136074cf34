#include "scanner_machines.h"

#include <algorithm>
#include <compare>

namespace sandproof::conformance {
namespace {

using namespace std::string_view_literals;
using Rows = std::vector<Transition>;
using Accepting = std::vector<State>;

const ByteSet k_any = ByteSet().set();
const ByteSet k_word = ranges("AZaz09__");  // [A-Za-z0-9_]

Machine id_alphabet() {
  const ByteSet allowed = k_word | ranges("--");
  return table(Rows{{0, allowed, 0}}, Accepting{0});
}

// ---- Paths. ----

// Slashes in front are not counted; no segment is empty or `..`, and none follows the last slash.
Machine segments() {
  enum : State { start, begin, dot, two_dots, name };
  const ByteSet slash = ranges("//");
  const ByteSet point = ranges("..");
  const ByteSet other = k_any & ~(slash | point);
  return table(Rows{{start, slash, start},
                    {start, point, dot},
                    {start, other, name},
                    {begin, point, dot},
                    {begin, other, name},
                    {dot, slash, begin},
                    {dot, point, two_dots},
                    {dot, other, name},
                    {two_dots, point | other, name},
                    {name, slash, begin},
                    {name, point | other, name}},
               Accepting{dot, name});
}

Machine no_control_bytes() { return table(Rows{{0, ranges("\x20\x7e\x80\xff"), 0}}, Accepting{0}); }

// RFC 3629, section 4.
Machine utf8() {
  enum : State { start, one, two, three, after_e0, after_ed, after_f0, after_f4 };
  const ByteSet tail = ranges("\x80\xbf");
  return table(Rows{{start, ranges("\x00\x7f"sv), start},
                    {start, ranges("\xc2\xdf"), one},
                    {start, ranges("\xe0\xe0"), after_e0},
                    {start, ranges("\xe1\xec\xee\xef"), two},
                    {start, ranges("\xed\xed"), after_ed},
                    {start, ranges("\xf0\xf0"), after_f0},
                    {start, ranges("\xf1\xf3"), three},
                    {start, ranges("\xf4\xf4"), after_f4},
                    {one, tail, start},
                    {two, tail, one},
                    {three, tail, two},
                    {after_e0, ranges("\xa0\xbf"), one},
                    {after_ed, ranges("\x80\x9f"), one},
                    {after_f0, ranges("\x90\xbf"), two},
                    {after_f4, ranges("\x80\x8f"), two}},
               Accepting{start});
}

// ---- Domains. ----

// Labels do not begin or end with a hyphen; one dot may follow the last one; `*.` in front keeps
// two labels behind it.
Machine labels() {
  enum : State { start, star, wild, wild_label, wild_hyphen, begin, label, hyphen, root };
  const ByteSet dot = ranges("..");
  const ByteSet dash = ranges("--");
  return table(Rows{{start, ranges("**"), star},
                    {start, k_word, label},
                    {star, dot, wild},
                    {wild, k_word, wild_label},
                    {wild_label, k_word, wild_label},
                    {wild_label, dash, wild_hyphen},
                    {wild_label, dot, begin},
                    {wild_hyphen, k_word, wild_label},
                    {wild_hyphen, dash, wild_hyphen},
                    {begin, k_word, label},
                    {label, k_word, label},
                    {label, dash, hyphen},
                    {label, dot, root},
                    {hyphen, k_word, label},
                    {hyphen, dash, hyphen},
                    {root, k_word, label}},
               Accepting{label, root});
}

// The last label is no number, decimal or behind 0x, as URL parsers read one.
Machine last_label_is_a_name() {
  enum : State { begin, zero, decimal, hexadecimal, name, after_number, after_name };
  const ByteSet dot = ranges("..");
  const ByteSet digit = ranges("09");
  const ByteSet x = ranges("xxXX");
  const ByteSet hex = ranges("09afAF");
  Rows rows{{zero, digit, decimal},           {zero, x, hexadecimal},
            {decimal, digit, decimal},        {hexadecimal, hex, hexadecimal},
            {zero, dot, after_number},        {decimal, dot, after_number},
            {hexadecimal, dot, after_number}, {name, dot, after_name}};
  for (const State from : {begin, after_number, after_name}) {
    rows.push_back({from, ranges("00"), zero});
    rows.push_back({from, ranges("19"), decimal});
  }
  // What no row above names makes a name.
  for (const State from : {begin, zero, decimal, hexadecimal, name, after_number, after_name}) {
    rows.push_back({from, ~dot, name});
  }
  return table(rows, Accepting{name, after_name});
}

// ---- Deadlines. ----

// Whole is the number before the point or the unit: the value, and how many digits it took.
//
// From 1 ms to 24 h: a number of digits d, read so far as v, goes on to be at most `limit` exactly
// as limit / 10^k says for the k digits that may still come. So values that no such quotient tells
// apart go on alike, and the smallest of them stands for all.
constexpr std::uint32_t k_limits[] = {86'400'000, 86'400, 1'440, 24};  // 24 h in ms, s, m, h

std::uint32_t smallest_alike(std::uint32_t value) {
  std::uint32_t smallest = 0;
  for (std::uint32_t quotient : k_limits) {
    for (; quotient > 0; quotient /= 10) {
      if (quotient == value) return value;
      if (quotient < value) smallest = std::max(smallest, quotient + 1);
    }
  }
  return value == 0 ? 0 : std::max(smallest, 1U);
}

struct DeadlineRule {
  enum class Part : std::uint8_t { whole, fraction, after_m, end, dead };
  Part part = Part::whole;
  std::uint8_t digits = 0;  // of this part
  bool has_fraction = false;
  bool fraction_is_zero = true;
  std::uint32_t whole = 0;
  bool accepted = false;  // where the text ends here
  bool in_ms = false;     // where an s ends it, behind an m

  auto operator<=>(const DeadlineRule&) const = default;

  // fits says whether the number, in a unit of which `limit` are 24 h, is in the range.
  [[nodiscard]] bool fits(std::uint32_t limit) const {
    const bool is_zero = whole == 0 && fraction_is_zero;
    return !is_zero && (whole < limit || (whole == limit && fraction_is_zero));
  }
};

DeadlineRule ended(bool accepted) {
  DeadlineRule rule;
  rule.part = accepted ? DeadlineRule::Part::end : DeadlineRule::Part::dead;
  rule.accepted = accepted;
  return rule;
}

DeadlineRule unit(const DeadlineRule& from, char byte) {
  switch (byte) {
    case 's':
      return ended(from.fits(k_limits[1]));
    case 'h':
      return ended(from.fits(k_limits[3]));
    case 'm': {
      DeadlineRule rule = ended(from.fits(k_limits[2]));
      rule.part = DeadlineRule::Part::after_m;
      rule.in_ms = from.fraction_is_zero && from.fits(k_limits[0]);
      return rule;
    }
    default:
      return ended(false);
  }
}

DeadlineRule step(const DeadlineRule& from, char byte) {
  using enum DeadlineRule::Part;
  DeadlineRule to = from;
  const bool is_digit = byte >= '0' && byte <= '9';
  if (from.part == whole && is_digit && from.digits < 15) {
    ++to.digits;
    to.whole = smallest_alike(from.whole * 10 + static_cast<std::uint32_t>(byte - '0'));
    return to;
  }
  if (from.part == fraction && is_digit && from.digits < 3) {
    ++to.digits;
    to.fraction_is_zero = from.fraction_is_zero && byte == '0';
    return to;
  }
  if (from.part == whole && byte == '.' && from.digits > 0) {
    to.part = fraction;
    to.digits = 0;
    return to;
  }
  if ((from.part == whole || from.part == fraction) && from.digits > 0) return unit(from, byte);
  if (from.part == after_m && byte == 's') return ended(from.in_ms);
  return ended(false);
}

}  // namespace

Machine session_id_machine() { return minimal(both(id_alphabet(), sizes(1, 63))); }

Machine addressable_id_machine() {
  const Machine not_empty = table(Rows{{0, k_any, 1}, {1, k_any, 1}}, Accepting{1});
  return minimal(both(id_alphabet(), not_empty));
}

Machine env_name_machine() {
  const Machine alphabet =
      table(Rows{{0, k_word & ~ranges("09"), 1}, {1, k_word, 1}}, Accepting{1});
  return minimal(both(alphabet, sizes(1, 256)));
}

Machine deadline_machine() {
  return minimal(
      explore(DeadlineRule{}, step, [](const DeadlineRule& rule) { return rule.accepted; }));
}

Machine path_shape() { return minimal(both(both(segments(), utf8()), no_control_bytes())); }

Machine domain_shape() { return minimal(both(labels(), last_label_is_a_name())); }

Machine domain_labels() { return minimal(both(domain_shape(), pieces('.', 63))); }

}  // namespace sandproof::conformance
