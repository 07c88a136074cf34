// Domain patterns: one whole-string scan for each rule, in order.
#include <algorithm>

#include "scanners.h"

namespace sandproof::reference {
namespace {

// A label and where it begins in the input.
struct Label {
  std::string_view text;
  std::size_t offset = 0;
};

std::vector<Label> split_labels(std::string_view name, std::size_t offset) {
  std::vector<Label> labels;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = name.find('.', begin);
    if (dot == std::string_view::npos) {
      labels.push_back({name.substr(begin), offset + begin});
      return labels;
    }
    labels.push_back({name.substr(begin, dot - begin), offset + begin});
    begin = dot + 1;
  }
}

std::string_view without_root_dot(std::string_view name) {
  return name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_label_byte(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
}

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > 63) return false;
  if (label.starts_with('-') || label.ends_with('-')) return false;
  return std::all_of(label.begin(), label.end(), is_label_byte);
}

// is_number: what a URL parser takes for a number, whether or not it would fit an address.
bool is_number(std::string_view label) {
  if (std::all_of(label.begin(), label.end(), is_digit)) return true;
  if (!label.starts_with("0x") && !label.starts_with("0X")) return false;
  return std::all_of(label.begin() + 2, label.end(), is_hex_digit);
}

// leading_wildcard: a `*.` at the start that keeps at least two labels after it, counted by their
// dot alone.
bool leading_wildcard(std::string_view text) {
  return text.starts_with("*.") && without_root_dot(text.substr(2)).contains('.');
}

}  // namespace

Answer domain(std::string_view text) {
  constexpr auto k_nowhere = std::string_view::npos;

  if (text.empty()) return refuse("empty");

  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x80) return refuse("non_ascii", i);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) <= 0x20 || text[i] == 0x7f)
      return refuse("whitespace", i);
  }
  if (const std::size_t comma = text.find(','); comma != k_nowhere) return refuse("list", comma);
  if (const std::size_t scheme = text.find("://"); scheme != k_nowhere)
    return refuse("scheme", scheme);
  if (const std::size_t at_sign = text.find('@'); at_sign != k_nowhere)
    return refuse("userinfo", at_sign);
  if (const std::size_t bracket = text.find('['); bracket != k_nowhere)
    return refuse("ip_literal", bracket);
  if (const std::size_t slash = text.find('/'); slash != k_nowhere) return refuse("path", slash);

  const auto colons = std::count(text.begin(), text.end(), ':');
  if (colons >= 2) return refuse("ip_literal", text.find(':'));
  if (colons == 1) return refuse("port", text.find(':'));

  if (text.starts_with('.')) return refuse("leading_dot", 0);

  const bool wildcard = leading_wildcard(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*' && !(i == 0 && wildcard)) return refuse("wildcard", i);
  }

  const std::string_view name = without_root_dot(text);
  const std::size_t host_offset = wildcard ? 2 : 0;
  const std::vector<Label> labels = split_labels(name.substr(host_offset), host_offset);
  for (const Label& label : labels) {
    if (label.text.empty()) return refuse("empty_label", label.offset);
  }

  if (name.size() > 253) return refuse("too_long");

  for (const Label& label : labels) {
    if (!is_label(label.text)) return refuse("bad_label", label.offset);
  }

  if (is_number(labels.back().text)) return refuse("ip_literal", labels.back().offset);

  return accept(lower_ascii(name));
}

}  // namespace sandproof::reference
