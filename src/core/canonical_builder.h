// A JSON value of any shape, taken in event by event and kept as canonical text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sandproof {

// CanonicalBuilder writes one value without spaces, the keys of every object sorted by their bytes.
// Events come in the order of a parser that has checked the grammar.
class CanonicalBuilder {
 public:
  // scalar takes the text of a string, number, boolean or null.
  void scalar(std::string text) { complete(std::move(text)); }
  void key(std::string name) { frames_.back().key = std::move(name); }
  void open_object() { frames_.push_back({.is_object = true, .key = {}, .members = {}}); }
  void open_list() { frames_.push_back({.is_object = false, .key = {}, .members = {}}); }
  void close_list();

  // close_object is false when the object has a key twice; repeated_key() is then its name.
  [[nodiscard]] bool close_object();
  [[nodiscard]] const std::string& repeated_key() const noexcept { return repeated_key_; }

  // done says that the value is whole.
  [[nodiscard]] bool done() const noexcept { return frames_.empty(); }
  [[nodiscard]] std::string take() noexcept { return std::move(value_); }

  // pointer is the JSON pointer, below the value, of what is being read.
  [[nodiscard]] std::string pointer() const;

 private:
  struct Frame {
    bool is_object;
    std::optional<std::string> key;                            // of the member being read
    std::vector<std::pair<std::string, std::string>> members;  // a list's have no key
  };

  void complete(std::string text);

  std::vector<Frame> frames_;
  std::string value_;
  std::string repeated_key_;
};

}  // namespace sandproof
