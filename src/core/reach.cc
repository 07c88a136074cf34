#include "reach.h"

#include <algorithm>
#include <ranges>
#include <vector>

namespace sandproof {
namespace {

constexpr std::string_view k_label_bytes = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::size_t k_longest_fresh_label = 3;

// A top-level domain that is reserved and never resolves (RFC 6761, 6.4).
constexpr std::string_view k_unused_domain = "invalid";

// FreshLabels counts through all labels of one byte, then of two, up to `longest` bytes: without
// inner hyphens, which only longer labels could have.
class FreshLabels {
 public:
  explicit FreshLabels(std::size_t longest) : longest_(longest), digits_(1, 0) {}

  [[nodiscard]] bool done() const noexcept { return digits_.size() > longest_; }

  [[nodiscard]] std::string label() const {
    std::string text;
    for (const std::size_t digit : digits_) text += k_label_bytes[digit];
    return text;
  }

  void next() {
    for (std::size_t& digit : std::views::reverse(digits_)) {
      if (++digit < k_label_bytes.size()) return;
      digit = 0;
    }
    digits_.push_back(0);
  }

 private:
  std::size_t longest_;
  std::vector<std::size_t> digits_;
};

std::string joined(std::string_view label, std::string_view domain) {
  std::string host(label);
  host += '.';
  host += domain;
  return host;
}

}  // namespace

// The reading that lets out least, one label without the apex, has only this pattern for a host;
// every other reading lets out what this pattern lets out there.
bool Reach::declares_wildcard_over(std::string_view host) const {
  const std::size_t dot = host.find('.');
  return dot != host.npos && declares(joined("*", host.substr(dot + 1)));
}

Widening Reach::widening(const DomainPattern& pattern) const {
  if (pattern.is_wildcard()) return widening_by_wildcard(pattern.apex());
  if (declares_wildcard_over(pattern.view())) return {false, {}};
  return {true, std::string(pattern.view())};
}

// Read as one label without the apex, only a declared host covers a host that this wildcard lets
// out, so nearly any label is a witness. All of them can be declared only where the apex is so long
// that there is room for a few; then the apex itself, and deeper hosts, remain. Each failed try is
// a declared host below this apex, so all tries of a comparison together are linear.
Widening Reach::widening_by_wildcard(std::string_view apex) const {
  const std::size_t room = k_max_domain_size - 1 - apex.size();
  for (FreshLabels fresh(std::min(room, k_longest_fresh_label)); !fresh.done(); fresh.next()) {
    std::string host = joined(fresh.label(), apex);
    if (!declares(host)) return {true, std::move(host)};
  }
  if (!declares(apex) && !declares_wildcard_over(apex)) return {true, std::string(apex)};
  // A deeper host needs two labels and a dot. Not searched for: refused without a witness.
  return {room >= k_longest_fresh_label, {}};
}

// Under the widest reading a declared pattern covers at most one host below the unused domain: the
// host itself, or the apex of a wildcard. So one of the first labels is free.
Widening Reach::widening_by_every_host() const {
  for (FreshLabels fresh(k_max_label_size);; fresh.next()) {
    std::string host = joined(fresh.label(), k_unused_domain);
    if (!declares(host) && !declares(joined("*", host))) return {true, std::move(host)};
  }
}

}  // namespace sandproof
