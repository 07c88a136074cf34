// What a declaration lets out, and which host a pattern adds to it.
#pragma once

#include <string>
#include <string_view>

#include "sandproof/domain_pattern.h"
#include "sandproof/egress.h"

namespace sandproof {

// Widening says whether a pattern lets out a host that the declaration does not, under some reading
// of `*.` (one label or any depth, with or without the apex) that both are read by.
struct Widening {
  bool widens;
  std::string witness;  // such a host, or empty
};

// Reach borrows a declaration. Lookups take expected constant time.
class Reach {
 public:
  explicit Reach(const DeclaredEgress& declared) noexcept : declared_(declared) {}

  // widening judges a pattern that is not declared.
  [[nodiscard]] Widening widening(const DomainPattern& pattern) const;

  // widening_by_every_host judges the pattern `*`.
  [[nodiscard]] Widening widening_by_every_host() const;

 private:
  [[nodiscard]] bool declares(std::string_view pattern) const noexcept {
    return declared_.index_of(pattern) != k_no_place;
  }
  [[nodiscard]] bool declares_wildcard_over(std::string_view host) const;
  [[nodiscard]] Widening widening_by_wildcard(std::string_view apex) const;

  const DeclaredEgress& declared_;
};

}  // namespace sandproof
