// How verdicts look to people.
#pragma once

#include <string>
#include <string_view>

namespace sandproof::cli {

// Style colours a word, or leaves it as it is.
class Style {
 public:
  explicit Style(bool colour) noexcept : colour_(colour) {}

  [[nodiscard]] std::string good(std::string_view word) const { return in("32", word); }
  [[nodiscard]] std::string bad(std::string_view word) const { return in("31", word); }
  [[nodiscard]] std::string doubtful(std::string_view word) const { return in("33", word); }
  [[nodiscard]] std::string mark(std::string_view word) const { return in("1;32", word); }
  [[nodiscard]] std::string strong(std::string_view word) const { return in("1", word); }
  [[nodiscard]] std::string faint(std::string_view word) const { return in("36", word); }

 private:
  [[nodiscard]] std::string in(std::string_view code, std::string_view word) const {
    if (!colour_) return std::string(word);
    return "\x1b[" + std::string(code) + 'm' + std::string(word) + "\x1b[0m";
  }

  bool colour_;
};

}  // namespace sandproof::cli
