// Policies to read and to compare: hosts as people declare them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "numbers.h"

namespace sandproof::bench {

inline constexpr std::size_t k_rule_counts[] = {10, 100, 1'000, 10'000};

// how_many_policies of a size there are: several hundred where they are small.
constexpr std::size_t how_many_policies(std::size_t rules) {
  return std::clamp<std::size_t>(10'000 / rules, 1, 512);
}

// host is another one for each `i`; every tenth is a wildcard.
inline std::string host(Numbers& numbers, std::size_t i) {
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view k_zones[] = {"example.com", "internal.example",
                                          "eu-west-1.cloud.example", "pkg.example.org"};
  std::string text = numbers.one_in(10) ? "*." : "";
  for (std::size_t length = 3 + numbers.below(10); length > 0; --length) {
    text += numbers.of(k_letters);
  }
  text += '-' + std::to_string(i) + '.';
  text += k_zones[numbers.below(std::size(k_zones))];
  return text;
}

}  // namespace sandproof::bench
