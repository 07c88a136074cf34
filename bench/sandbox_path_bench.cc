// Paths: the library, RE2, and the loop that one would write first.
//
//   path/ascii/SIZE   every path is valid, and ASCII
//   path/utf8/SIZE    every path is valid, every third character is not ASCII
//   path/mixed/SIZE   both kinds; every second one has a mistake somewhere
#include "sandproof/sandbox_path.h"

#include <array>

#include "bench_inputs.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

enum class Kind { ascii, utf8, mixed };
constexpr std::string_view k_kind_names[] = {"ascii", "utf8", "mixed"};

constexpr std::string_view k_ascii = "abcdefghijklmnopqrstuvwxyz0123456789_-.ABCDEF ";
constexpr std::array<std::string_view, 4> k_wide{"\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\xa6\x80",
                                                 "\xd0\xb6"};
constexpr std::array<std::string_view, 5> k_mistakes{"/../", "//", "\x1b[0", "\xed\xa0\x80",
                                                     std::string_view("\0a", 2)};

// path makes segments of 4 to 19 characters until exactly `size` bytes are reached.
std::string path(Numbers& numbers, std::size_t size, bool wide) {
  std::string text;
  std::size_t left = 4 + numbers.below(16);
  while (text.size() < size) {
    if (left == 0 && text.size() + 1 < size) {
      text += '/';
      left = 4 + numbers.below(16);
    }
    const std::string_view character = k_wide[numbers.below(k_wide.size())];
    if (wide && numbers.one_in(3) && text.size() + character.size() <= size) {
      text += character;
    } else {
      // No dot beside a slash: a segment of dots would be a mistake.
      text += text.ends_with('/') || left == 1 ? 'a' : numbers.of(k_ascii);
    }
    left -= std::min<std::size_t>(left, 1);
  }
  if (text.ends_with('/')) text.back() = 'a';
  return text;
}

std::vector<std::string> paths(std::size_t size, Kind kind) {
  Numbers numbers;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < k_inputs; ++i) {
    const bool wide = kind == Kind::utf8 || (kind == Kind::mixed && i % 4 < 2);
    std::string text = path(numbers, size, wide);
    if (kind == Kind::mixed && i % 2 == 0) {
      const std::string_view mistake = k_mistakes[numbers.below(k_mistakes.size())];
      text.replace(1 + numbers.below(size - mistake.size() - 1), mistake.size(), mistake);
    }
    texts.push_back(std::move(text));
  }
  numbers.shuffle(texts);
  return texts;
}

std::string_view without_leading_slashes(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('/'), text.size()));
}

bool by_library(std::string_view text) { return SandboxPath::parse(text).has_value(); }

bool by_expression(std::string_view text) {
  static const Expression expression("path");
  return expression.accepts(without_leading_slashes(text));
}

// One pass, byte by byte.
bool by_loop(std::string_view text) {
  text = without_leading_slashes(text);
  if (text.empty() || text.size() > 4095) return false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) {
      return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned lead = byte(at);
    if (lead < 0x20 || lead == 0x7f) return false;
    if (lead == '/') {
      const std::string_view segment = text.substr(begin, at - begin);
      if (segment.empty() || segment == ".." || segment.size() > 255) return false;
      begin = at + 1;
    }
    std::size_t size = 1;
    unsigned character = lead;
    if (lead >= 0x80) {
      size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
      if (lead < 0xc2 || lead > 0xf4) return false;
      character = lead & (0x7fU >> size);
      for (std::size_t i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xc0U) != 0x80) return false;
        character = character << 6U | (byte(at + i) & 0x3fU);
      }
      if ((size == 3 && character < 0x800) || (size == 4 && character < 0x10000) ||
          (character >= 0xd800 && character < 0xe000) || character > 0x10ffff) {
        return false;
      }
    }
    at += size;
  }
  const std::string_view last = text.substr(begin);
  return !last.empty() && last != ".." && last.size() <= 255;
}

void verify(const Texts& texts, Kind kind) {
  for (const std::string& text : texts) {
    const reference::Answer expected = reference::sandbox_path(text);
    must(kind == Kind::mixed || expected.accepted, "the benchmark made a path that is refused",
         text);
    const Checked<SandboxPath> path = SandboxPath::parse(text);
    must(path.has_value() == expected.accepted, "the library disagrees with the reference", text);
    must(!path || path->view() == expected.value, "the library sends another path", text);
    must(path || (code(path.error().reason) == expected.reason &&
                  path.error().offset == expected.offset),
         "the library refuses otherwise than the reference", text);
    must(by_expression(text) == expected.accepted, "RE2 disagrees with the reference", text);
    must(by_loop(text) == expected.accepted, "the loop disagrees with the reference", text);
  }
}

Contest contest(std::size_t size, Kind kind) {
  Texts texts = paths(size, kind);
  verify(texts, kind);
  return texts_contest<by_library, by_expression, by_loop>(std::move(texts), "sandproof", "re2",
                                                           "loop");
}

}  // namespace

int main(int count, char** arguments) {
  for (const std::size_t size : {16U, 64U, 512U, 4095U}) {
    for (const Kind kind : {Kind::ascii, Kind::utf8, Kind::mixed}) {
      const std::string_view name = k_kind_names[static_cast<std::size_t>(kind)];
      add_contest("path/" + std::string(name) + '/' + std::to_string(size),
                  [=] { return contest(size, kind); });
    }
  }
  return run(count, arguments);
}
