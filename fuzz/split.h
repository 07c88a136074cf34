// The parts of an input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace sandproof::fuzz {

// split cuts a text at each separator. Behind the last one there is no further, empty part.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace sandproof::fuzz
