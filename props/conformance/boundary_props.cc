// The bounds that a machine leaves out because they would make millions of states: how long a path,
// a segment of it and a domain may be. (Labels and all other bounds are in the machines
// themselves.)
//
// What is tried: every length of a piece, up to two beyond the bound, in every state of the shape
// that can be reached with it, and all suffixes behind it; every length of the whole, each in one
// of those states; and next to a bound each length in every state, also with a byte of every class
// and then all suffixes behind it. That shows a wrong number, a wrong begin or end of what is
// counted, a state in which nothing is counted or compared: all that can be wrong where a scanner
// compares a count of bytes with a number. And a scanner that takes bytes in blocks, which has more
// states than the shape, meets each state at each place of a block.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "check.h"

namespace sandproof::conformance {
namespace {

constexpr std::size_t k_beyond = 2;

// Bounds is a row: what the machine of that name leaves out.
struct Bounds {
  std::string_view specification;
  char separator;
  std::size_t max_piece;
  std::size_t max_size;
  // Of a text, what the bound of the whole counts.
  std::string_view (*counted)(std::string_view);
  // Beginnings behind which a text goes on with pieces.
  std::vector<std::string> heads;
};

std::string_view without_leading_slashes(std::string_view path) {
  return path.substr(std::min(path.find_first_not_of('/'), path.size()));
}

std::string_view without_root_dot(std::string_view domain) {
  return domain.substr(0, domain.size() - (domain.ends_with('.') ? 1 : 0));
}

const Bounds k_path{"path", '/', 255, 4'095, without_leading_slashes, {"", "///"}};
const Bounds k_domain{"domain", '.', 63, 253, without_root_dot, {"", "*."}};

class Boundary {
 public:
  explicit Boundary(const Bounds& bounds)
      : bounds_(bounds),
        specification_(specification(bounds.specification)),
        set_(test_set_of(specification_)),
        shape_(set_.machine()),
        pieces_(pieces(bounds.separator, bounds.max_piece)),
        check_(specification_) {}

  void try_pieces();
  void try_wholes();

 private:
  [[nodiscard]] bool accepts(const std::string& text) const {
    return shape_.accepts(text) && pieces_.accepts(text) &&
           bounds_.counted(text).size() <= bounds_.max_size;
  }

  void try_text(const std::string& text) {
    check_(text, [this](const std::string& each) { return accepts(each); });
  }

  void try_with_suffixes(const std::string& text) {
    for (const std::string& suffix : set_.all_suffixes()) try_text(text + suffix);
  }

  void try_with_bytes_and_suffixes(const std::string& text) {
    for (const char byte : shape_.representatives()) try_with_suffixes(text + byte);
  }

  // whole_pieces is `size` bytes of short pieces, the last one ended; none where that cannot be.
  [[nodiscard]] std::optional<std::string> whole_pieces(std::size_t size) const;

  const Bounds& bounds_;
  const Specification& specification_;
  const TestSet& set_;
  const Machine& shape_;
  Machine pieces_;
  Check check_;
};

// A state of this machine is one of the shape with the length of the piece so far.
void Boundary::try_pieces() {
  const Machine counted = both(shape_, pieces(bounds_.separator, bounds_.max_piece + k_beyond));
  const std::string piece = {'b', bounds_.separator};
  for (const std::string& before : {std::string(), piece, piece + piece}) {
    for (const auto& word : shortest_words(counted, counted.run(0, before))) {
      if (!word) continue;
      try_with_suffixes(before + *word);
      const std::size_t last = word->size() - (word->rfind(bounds_.separator) + 1);
      if (last + 1 >= bounds_.max_piece) try_with_bytes_and_suffixes(before + *word);
    }
  }
  check_.finish("lengths of a piece");
}

std::optional<std::string> Boundary::whole_pieces(std::size_t size) const {
  if (size == 1) return std::nullopt;
  std::string text(size, 'a');
  for (std::size_t at = 1 + size % 2; at < size; at += 2) text[at] = bounds_.separator;
  return text;
}

void Boundary::try_wholes() {
  const std::size_t largest = bounds_.max_size + k_beyond;
  for (const std::string& head : bounds_.heads) {
    const std::size_t uncounted = head.size() - bounds_.counted(head + 'a').size() + 1;
    const State behind = shape_.run(0, head + *whole_pieces(4));
    const auto tails = shortest_words(shape_, behind);
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(tails, [](const auto& tail) { return tail.has_value(); }));
    std::size_t turn = 0;  // the lengths that are far from the bound take turns
    for (const auto& tail : tails) {
      if (!tail) continue;
      ++turn;
      for (std::size_t size = head.size() + tail->size(); size <= largest + uncounted; ++size) {
        const auto middle = whole_pieces(size - head.size() - tail->size());
        if (!middle) continue;
        const std::string text = head + *middle + *tail;
        if (size + k_beyond < bounds_.max_size + uncounted) {
          if (size % count == turn % count) try_text(text);
          continue;
        }
        try_with_suffixes(text);
        try_with_bytes_and_suffixes(text);
      }
    }
  }
  check_.finish("lengths of the whole");
}

TEST(Boundary, OfASegment) { Boundary(k_path).try_pieces(); }
TEST(Boundary, OfALabel) { Boundary(k_domain).try_pieces(); }
TEST(Boundary, OfAPath) { Boundary(k_path).try_wholes(); }
TEST(Boundary, OfADomain) { Boundary(k_domain).try_wholes(); }

}  // namespace
}  // namespace sandproof::conformance
