// Paths: the library, RE2, and the loop that one would write first.
//
//   path/ascii/SIZE, path/utf8/SIZE               every path is good; of the characters of the
//                                                 latter every third is not ASCII
//   path/ascii_mixed/SIZE, path/utf8_mixed/SIZE   every second one has a mistake somewhere
#include "sandproof/sandbox_path.h"

#include "text_contest.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

std::string_view without_leading_slashes(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('/'), text.size()));
}

bool by_re2(std::string_view text) {
  static const Expression<Re2> expression("path");
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

struct Kind {
  std::string_view name;
  Script script;
  bool mixed;
};
constexpr Kind k_kinds[] = {{"ascii", Script::ascii, false},
                            {"utf8", Script::utf8, false},
                            {"ascii_mixed", Script::ascii, true},
                            {"utf8_mixed", Script::utf8, true}};

}  // namespace

int main(int count, char** arguments) {
  for (const std::size_t size : {16U, 64U, 512U, 4095U}) {
    for (const Kind& kind : k_kinds) {
      add_texts<SandboxPath, reference::sandbox_path, by_memchr, by_re2, by_loop>(
          contest_name("path", kind.name, size), kind.mixed,
          [=] { return paths(size, kind.mixed, kind.script); }, "memchr", "re2", "loop");
    }
  }
  return run(count, arguments);
}
