#include "excerpt.h"

#include <algorithm>

#include "sandproof/refusal.h"

namespace sandproof::cli {
namespace {

constexpr std::size_t k_room_before = 30;  // columns on either side of the first byte
constexpr std::size_t k_room_after = 66;
constexpr std::string_view k_cut = "...";

std::string visible(char c) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  if (c == '\t') return " ";
  if (c >= ' ' && c <= '~') return std::string(1, c);
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', k_digits[byte >> 4], k_digits[byte & 0xf]};
}

}  // namespace

std::string plain(std::string_view text) {
  const bool ordinary = std::ranges::all_of(
      text, [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\'; });
  return ordinary && !text.empty() && text.size() <= k_max_shown ? std::string(text)
                                                                 : escaped(text);
}

std::string shown_name(const Source& source) {
  return source.name == "-" ? "<stdin>" : plain(source.name);
}

std::string place_of(const Source& source, const Place& place, const Style& style) {
  return style.strong(shown_name(source) + ':' + std::to_string(place.first.line) + ':' +
                      std::to_string(place.first.column) + ':');
}

std::string excerpt(std::string_view text, const Place& place, const Style& style) {
  const std::size_t newline = text.substr(0, place.begin).rfind('\n');
  const std::size_t first = newline == text.npos ? 0 : newline + 1;
  std::size_t last = std::min(text.find('\n', place.begin), text.size());
  if (last > place.begin && text[last - 1] == '\r') --last;

  std::string before;
  std::size_t at = place.begin;
  while (at > first) {
    const std::string c = visible(text[at - 1]);
    if (before.size() + c.size() > k_room_before) break;
    before.insert(0, c);
    --at;
  }
  if (at > first) before.insert(0, k_cut);

  std::string after;
  std::size_t marked = 0;  // columns
  for (at = place.begin; at < last; ++at) {
    const std::string c = visible(text[at]);
    if (after.size() + c.size() > k_room_after) break;
    after += c;
    if (place.exact && at < place.end) marked = after.size();
  }
  if (at < last) after += k_cut;

  const std::string number = std::to_string(place.first.line);
  const std::string mark = '^' + std::string(std::max<std::size_t>(marked, 1) - 1, '~');
  return "  " + number + " | " + before + after + "\n  " + std::string(number.size(), ' ') + " | " +
         std::string(before.size(), ' ') + style.mark(mark) + '\n';
}

}  // namespace sandproof::cli
