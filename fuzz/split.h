// The parts of an input, from its front.
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

// take_line takes the first line, which is given without its newline.
inline std::string_view take_line(std::string_view& input) {
  const std::string_view line = input.substr(0, input.find('\n'));
  input.remove_prefix(std::min(line.size() + 1, input.size()));
  return line;
}

// take_byte takes the first byte, or a zero where the input has ended.
inline std::size_t take_byte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

// pick gives what a number stands for: any number stands for something.
template <class List>
auto& pick(List& list, std::size_t number) {
  return list[number % list.size()];
}

}  // namespace sandproof::fuzz
