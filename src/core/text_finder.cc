#include "text_finder.h"

#include <algorithm>
#include <cstring>

#include "blocks.h"

namespace sandproof {
namespace {

// A failed comparison costs about as much as reading so many bytes; a few are free.
constexpr std::size_t k_bytes_per_failure = 16;
constexpr std::size_t k_free_failures = 32;

std::size_t bucket(const char* gram) noexcept {
  const std::uint64_t value = bytes::blocks::load<std::uint32_t>(gram);
  return static_cast<std::uint32_t>(value * 0x9e37'79b1U) >> 20U;
}

std::size_t find_slowly(std::string_view stream, std::string_view text, std::size_t from) noexcept {
  const void* const hit =
      ::memmem(stream.data() + from, stream.size() - from, text.data(), text.size());
  return hit == nullptr ? stream.npos
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - stream.data());
}

}  // namespace

TextFinder::TextFinder(std::string_view text) noexcept : size_(text.size()) {
  std::ranges::copy(text, text_.begin());
  for (std::size_t offset = 0; offset + k_gram_size <= size_; ++offset) {
    std::uint8_t& last = last_[bucket(text_.data() + offset)];
    before_[offset] = last;
    last = static_cast<std::uint8_t>(offset + 1);
  }
}

std::size_t TextFinder::find(std::string_view stream, std::size_t from) const noexcept {
  if (from >= stream.size() || stream.size() - from < size_) return stream.npos;
  const std::size_t reach = size_ - k_gram_size;  // the last offset of a gram
  const std::size_t stride = reach + 1;
  const std::size_t last = stream.size() - k_gram_size;
  const auto known = [&](std::size_t place) { return last_[bucket(stream.data() + place)]; };
  std::size_t failures = 0;
  for (std::size_t at = from + reach;; at += stride) {
    while (at <= last && known(at) == 0) {
      at += stride;
      // Four places at a time, where there are so many: one branch for all of them.
      while (at + 3 * stride <= last && (known(at) | known(at + stride) | known(at + 2 * stride) |
                                         known(at + 3 * stride)) == 0) {
        at += 4 * stride;
      }
    }
    if (at > last) return stream.npos;
    std::size_t found = stream.npos;
    for (std::size_t next = last_[bucket(stream.data() + at)]; next != 0;
         next = before_[next - 1]) {
      const std::size_t begin = at - (next - 1);
      if (bytes::equal(stream.substr(begin, size_), text())) {
        found = std::min(found, begin);
      } else {
        ++failures;
      }
    }
    if (found != stream.npos) return found;
    if (failures > k_free_failures + (at - from) / k_bytes_per_failure) {
      return find_slowly(stream, text(), at - reach);
    }
  }
}

}  // namespace sandproof
