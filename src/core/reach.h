// What a declaration lets out, and which host a pattern adds to it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pattern_table.h"
#include "sandproof/domain_pattern.h"

namespace sandproof {

// Widening says whether a pattern lets out a host that the declaration does not, under some reading
// of `*.` (one label or any depth, with or without the apex) that both are read by.
struct Widening {
  bool widens;
  std::string witness;  // such a host, or empty
};

// Reach borrows a declaration's domains. Lookups take expected constant time.
class Reach {
 public:
  explicit Reach(std::span<const DomainPattern> domains) noexcept : domains_(domains) {}

  // index_of gives the index of a declared pattern, in canonical form, or k_no_place.
  [[nodiscard]] std::size_t index_of(std::string_view pattern);

  // stands_at says whether `pattern` is the declared pattern at an index; none stands past the end.
  [[nodiscard]] bool stands_at(std::size_t index, std::string_view pattern) const noexcept {
    return index < domains_.size() && domains_[index].view() == pattern;
  }

  // widening judges a pattern that is not declared.
  [[nodiscard]] Widening widening(const DomainPattern& pattern);

  // widening_by_every_host judges the pattern `*`.
  [[nodiscard]] Widening widening_by_every_host();

 private:
  [[nodiscard]] bool declares(std::string_view pattern) { return index_of(pattern) != k_no_place; }
  [[nodiscard]] bool declares_wildcard_over(std::string_view host);
  [[nodiscard]] Widening widening_by_wildcard(std::string_view apex);

  std::span<const DomainPattern> domains_;
  std::optional<PatternTable> table_;  // made when it is first needed
};

}  // namespace sandproof
