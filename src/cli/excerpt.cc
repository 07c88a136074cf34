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

// ends_line: the text, or the line, ends before this byte.
bool ends_line(std::string_view text, std::size_t at) noexcept {
  return at >= text.size() || text[at] == '\n' || text.substr(at, 2) == "\r\n";
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

// A line may be the whole document: no more of it is looked at than is shown.
std::string excerpt(std::string_view text, const Place& place, const Style& style) {
  std::string before;
  std::size_t at = place.begin;
  while (at > 0 && text[at - 1] != '\n') {
    const std::string c = visible(text[at - 1]);
    if (before.size() + c.size() > k_room_before) break;
    before.insert(0, c);
    --at;
  }
  if (at > 0 && text[at - 1] != '\n') before.insert(0, k_cut);

  std::string after;
  std::size_t marked = 0;  // columns
  for (at = place.begin; !ends_line(text, at); ++at) {
    const std::string c = visible(text[at]);
    if (after.size() + c.size() > k_room_after) break;
    after += c;
    if (place.exact && at < place.end) marked = after.size();
  }
  if (!ends_line(text, at)) after += k_cut;

  const std::string number = std::to_string(place.first.line);
  const std::string mark = '^' + std::string(std::max<std::size_t>(marked, 1) - 1, '~');
  return "  " + number + " | " + before + after + "\n  " + std::string(number.size(), ' ') + " | " +
         std::string(before.size(), ' ') + style.mark(mark) + '\n';
}

}  // namespace sandproof::cli
