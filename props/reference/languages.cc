#include "languages.h"

#include <re2/re2.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace sandproof::reference {
namespace {

struct Fragments {
  // Characters of more than one byte, as UTF-8: no overlong form (c0, c1, e0 80-9f, f0 80-8f), no
  // surrogate (ed a0-bf), nothing above U+10FFFF (f4 90-bf, f5-ff).
  std::string wide = R"([\xc2-\xdf][\x80-\xbf])"
                     R"(|\xe0[\xa0-\xbf][\x80-\xbf])"
                     R"(|[\xe1-\xec][\x80-\xbf]{2})"
                     R"(|\xed[\x80-\x9f][\x80-\xbf])"
                     R"(|[\xee-\xef][\x80-\xbf]{2})"
                     R"(|\xf0[\x90-\xbf][\x80-\xbf]{2})"
                     R"(|[\xf1-\xf3][\x80-\xbf]{3})"
                     R"(|\xf4[\x80-\x8f][\x80-\xbf]{2})";

  // In a path, one-byte characters are 20-7e without the slash (2f); control bytes, 7f and NUL are
  // out.
  std::string in_segment = R"((?:[\x20-\x2e\x30-\x7e]|)" + wide + ")";
  std::string not_a_dot = R"((?:[\x20-\x2d\x30-\x7e]|)" + wide + ")";

  // A segment is `.`, or begins with something other than `..`, or goes on after it: everything but
  // `..` and nothing.
  std::string segment = R"((?:\.|\.?)" + not_a_dot + in_segment + R"(*|\.\.)" + in_segment + "+)";
  std::string path = segment + "(?:/" + segment + ")*";

  // A label of a canonical host name. Its length is a number in the table.
  std::string label = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?";
  std::string host = label + R"((?:\.)" + label + ")*";
  std::string wildcard = R"(\*\.)" + label + R"((?:\.)" + label + ")+";
  std::string domain = "(?:" + host + "|" + wildcard + ")";

  // A last label that URL parsers read as a number, decimal or hexadecimal, makes the host an
  // address.
  std::string ends_in_number = R"((?:.*\.)?(?:[0-9]+|0x[0-9a-f]*))";

  // Only the millisecond takes no fraction but zero: everything else is a whole number of
  // milliseconds anyway.
  std::string deadline = R"([0-9]{1,15}(?:\.[0-9]{1,3})?(?:s|m|h)|[0-9]{1,15}(?:\.0{1,3})?ms)";
};

const Fragments& fragments() {
  static const Fragments all;
  return all;
}

const RE2& compiled(std::string_view expression) {
  static std::map<std::string, std::unique_ptr<RE2>, std::less<>> cache;
  auto found = cache.find(expression);
  if (found == cache.end()) {
    RE2::Options options(RE2::Latin1);
    options.set_log_errors(false);
    auto made =
        std::make_unique<RE2>(re2::StringPiece(expression.data(), expression.size()), options);
    if (!made->ok())
      throw std::logic_error("RE2 does not take an expression of the table: " + made->error());
    found = cache.emplace(std::string(expression), std::move(made)).first;
  }
  return *found->second;
}

bool full_match(std::string_view expression, std::string_view text) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled(expression));
}

bool pieces_fit(const Language& row, std::string_view text) {
  std::size_t size = 0;
  for (const char c : text) {
    size = (c == row.separator) ? 0 : size + 1;
    if (size > row.max_piece_size) return false;
  }
  return true;
}

// milliseconds reads a text that has the shape of a duration already. A double holds every value
// near the limits exactly, and one that it has to round is far beyond them.
double milliseconds(std::string_view text) {
  const std::string copy(text);
  const std::size_t unit_at = copy.find_first_not_of("0123456789.");
  const std::string unit = copy.substr(unit_at);
  std::string digits = copy.substr(0, unit_at);
  if (!digits.contains('.')) digits += ".";
  const std::size_t point = digits.find('.');
  std::string fraction = digits.substr(point + 1);
  fraction.resize(3, '0');
  const double thousandths = static_cast<double>(std::stoull(digits.substr(0, point))) * 1000 +
                             static_cast<double>(std::stoull(fraction));
  const std::map<std::string, double> unit_in_ms = {
      {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
  return thousandths * unit_in_ms.at(unit) / 1000;
}

}  // namespace

// clang-format off
const std::vector<Language>& languages() {
  static const std::vector<Language> table = {
    // name             expression                  bytes             separator, piece   exclusion                     milliseconds
    {"session-id",      "[A-Za-z0-9_-]+",           1, 63,            '\0', k_unbounded, "",                           0, 0},
    {"addressable-id",  "[A-Za-z0-9_-]+",           1, k_unbounded,   '\0', k_unbounded, "",                           0, 0},
    {"call-id",         "[0-9a-f]+",                32, 32,           '\0', k_unbounded, "",                           0, 0},
    // The path that is sent, so without the leading slashes of the input.
    {"path",            fragments().path,           1, 4095,          '/',  255,         "",                           0, 0},
    {"env-name",        "[A-Za-z_][A-Za-z0-9_]*",   1, 256,           '\0', k_unbounded, "",                           0, 0},
    // The canonical form: lower case, no root dot, a leading `*.` counted in the 253.
    {"domain",          fragments().domain,         1, 253,           '.',  63,          fragments().ends_in_number,   0, 0},
    // At most 15 digits, a point, 3 digits and the longest unit.
    {"deadline",        fragments().deadline,       2, 21,            '\0', k_unbounded, "",                           1, 86'400'000},
  };
  return table;
}
// clang-format on

const Language& language(std::string_view name) {
  for (const Language& row : languages()) {
    if (row.name == name) return row;
  }
  throw std::out_of_range("no language of that name: " + std::string(name));
}

bool in_language(const Language& row, std::string_view text) {
  if (text.size() < row.min_size || text.size() > row.max_size) return false;
  if (!full_match(row.expression, text)) return false;
  if (!row.exclusion.empty() && full_match(row.exclusion, text)) return false;
  if (!pieces_fit(row, text)) return false;
  if (row.max_milliseconds != 0) {
    const double duration = milliseconds(text);
    if (duration < static_cast<double>(row.min_milliseconds)) return false;
    if (duration > static_cast<double>(row.max_milliseconds)) return false;
  }
  return true;
}

}  // namespace sandproof::reference
