// Finding one fixed text in a long stream, much faster than reading every byte of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sandproof {

// TextFinder finds a text of 8 to 64 bytes. Every occurrence covers one of the places that it
// samples: a gram of four bytes, at a stride at which no occurrence can slip through. Where a
// sampled gram is one of the text's own, the text is compared at the places that this leaves.
// A stream that is made to look like the text at many samples uses a budget up, and memmem goes on.
class TextFinder {
 public:
  explicit TextFinder(std::string_view text) noexcept;

  // find gives the first occurrence at or after `from`, or npos.
  [[nodiscard]] std::size_t find(std::string_view stream, std::size_t from) const noexcept;

 private:
  static constexpr std::size_t k_gram_size = 4;
  static constexpr std::size_t k_max_size = 64;
  static constexpr std::size_t k_buckets = 4'096;  // so that few other grams share one

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

  std::array<char, k_max_size> text_{};
  std::size_t size_;
  // For each hash of a gram, one more than the last offset with it, or 0; and the offset before.
  std::array<std::uint8_t, k_buckets> last_{};
  std::array<std::uint8_t, k_max_size> before_{};
};

}  // namespace sandproof
