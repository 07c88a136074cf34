#include "locate.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace sandproof::cli {
namespace {

constexpr bool continues_code_point(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Cursor counts lines and columns while it goes through a text, never back.
class Cursor {
 public:
  explicit Cursor(std::string_view text) noexcept : text_(text) {}

  Position at(std::size_t offset) noexcept {
    for (; offset_ < std::min(offset, text_.size()); ++offset_) {
      const char c = text_[offset_];
      if (c == '\n') {
        position_ = {position_.line + 1, 1};
      } else if (!continues_code_point(c)) {
        ++position_.column;
      }
    }
    return position_;
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Position position_;
};

// Node is a value that some pointer goes to or through.
struct Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
  std::optional<Place> place;
};

// next_token takes one reference token off a pointer (RFC 6901, 3 and 4).
std::string next_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  std::string token;
  for (std::size_t i = 0; i < end; ++i) {
    const bool escapes = pointer[i] == '~' && i + 1 < end;
    token += escapes ? (pointer[++i] == '1' ? '/' : '~') : pointer[i];
  }
  pointer.remove_prefix(end);
  return token;
}

// Walker goes through a text, into the values that have a node, and over all others. It goes as
// deep as the pointers do. Each step is false where the text is not JSON.
class Walker {
 public:
  explicit Walker(std::string_view text) noexcept : text_(text), cursor_(text) {}

  bool value(Node& node) {
    skip_space();
    Place place;
    place.begin = at_;
    place.first = cursor_.at(at_);
    place.exact = true;
    // Kept before the end is known: a text that stops to be JSON inside has it nevertheless.
    place.end = std::min(at_ + 1, text_.size());
    place.last = place.first;
    node.place = place;
    if (!inside(node)) return false;
    place.end = at_;
    place.last = cursor_.at(at_);
    node.place = place;
    return true;
  }

 private:
  bool inside(Node& node) {
    if (node.children.empty() || (next() != '{' && next() != '[')) return skip_value();
    const bool is_object = next() == '{';
    const char close = is_object ? '}' : ']';
    ++at_;
    skip_space();
    if (next() == close) return ++at_, true;
    for (std::size_t index = 0;; ++index) {
      std::string token = std::to_string(index);
      if (is_object && !key(token)) return false;
      const auto child = node.children.find(token);
      if (!(child == node.children.end() ? skip_value() : value(*child->second))) return false;
      skip_space();
      const char after = next();
      ++at_;
      if (after == close) return true;
      if (after != ',') return false;
    }
  }

  // key reads a key and its colon.
  bool key(std::string& name) {
    skip_space();
    const std::size_t begin = at_;
    if (!skip_string()) return false;
    const std::string_view quoted = text_.substr(begin, at_ - begin);
    const auto read = nlohmann::json::parse(quoted.begin(), quoted.end(), nullptr, false);
    if (!read.is_string()) return false;
    name = read.get<std::string>();
    skip_space();
    return next() == ':' && (++at_, true);
  }

  // skip_value goes over a value of any depth without looking at more than its brackets.
  bool skip_value() {
    skip_space();
    std::size_t depth = 0;
    do {
      const std::size_t begin = at_;
      const char c = next();
      if (c == '"') {
        if (!skip_string()) return false;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (depth > 0 && (c == '}' || c == ']')) {
        --depth;
        ++at_;
      } else if (depth > 0 && (c == ',' || c == ':' || is_space(c))) {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of("{}[],:\" \t\r\n", at_), text_.size());
      }
      if (at_ == begin) return false;
    } while (depth > 0);
    return true;
  }

  bool skip_string() {
    if (next() != '"') return false;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') return ++at_, true;
      if (text_[at_] == '\\') ++at_;
    }
    at_ = text_.size();
    return false;
  }

  static constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  void skip_space() {
    while (is_space(next())) ++at_;
  }

  // next is NUL, which is no part of JSON, at the end.
  [[nodiscard]] char next() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
  Cursor cursor_;
};

}  // namespace

std::vector<Place> locate(std::string_view text, std::span<const std::string_view> pointers) {
  Node root;
  std::vector<std::vector<const Node*>> paths;  // from the root to where each pointer goes
  for (std::string_view rest : pointers) {
    Node* node = &root;
    auto& path = paths.emplace_back(1, node);
    while (rest.starts_with('/')) {
      auto& child = node->children[next_token(rest)];
      if (!child) child = std::make_unique<Node>();
      node = child.get();
      path.push_back(node);
    }
  }
  // Where the text stops to be JSON, what was found is kept.
  static_cast<void>(Walker(text).value(root));

  std::vector<Place> places;
  for (const auto& path : paths) {
    const auto found = std::ranges::find_if(
        path.rbegin(), path.rend(), [](const Node* node) { return node->place.has_value(); });
    Place place = *(*found)->place;  // the root has one
    place.exact = found == path.rbegin();
    places.push_back(place);
  }
  return places;
}

Place place_at(std::string_view text, std::size_t offset) noexcept {
  const std::size_t begin = std::min(offset, text.size());
  const std::size_t end = std::min(begin + 1, text.size());
  Cursor cursor(text);
  const Position first = cursor.at(begin);
  return {begin, end, first, cursor.at(end), true};
}

}  // namespace sandproof::cli
