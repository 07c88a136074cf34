// What does a policy let out? Everything in a document that may let any host out.
#pragma once

#include <string>
#include <vector>

#include "sandproof/egress_comparison.h"
#include "sandproof/egress_host.h"

namespace sandproof {

// Opening is one distinct thing that lets hosts out, or may, at its first place.
//   pattern  the hosts, as a domain pattern in canonical form; or k_every_host, which also stands
//            for hosts that nobody can name
//   certain  nothing in the document may stop any of these hosts
//   pointer  RFC 6901 pointer into the document given; holds names from outside, unescaped
//   detail   for people, printable ASCII
struct Opening {
  CauseKind kind;
  std::string pattern;
  bool certain;
  std::string pointer;
  std::string detail;
  friend bool operator==(const Opening&, const Opening&) = default;
};

// openings lists them in the order of the document's copies and of their rules. It agrees with
// judge_host() under every reading: a host that no opening covers is stopped, and one that a
// certain opening covers gets out. No opening: nothing gets out, as far as the document says.
// O(n log n) in the size of the document, for names of few labels.
[[nodiscard]] std::vector<Opening> openings(const EffectiveEgress& effective);

}  // namespace sandproof
