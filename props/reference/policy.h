// The reference model of egress policies: reading them from JSON text, and holding one against a
// declaration, rule by rule. It works on the JSON itself and knows no record type of the library.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts.h"
#include "json_text.h"

namespace sandproof::reference {

// Reading is a policy's text, read: `document` when readable, `reason` and `pointer` when not.
// Several reasons may apply to one text; the first one found is given. The text `null` reads as the
// document null: no policy.
struct Reading {
  bool readable = false;
  std::string reason;
  std::string pointer;
  Document document;
};

[[nodiscard]] Reading read_policy(std::string_view text);

// RecordReading is a sandbox record's text, read. What is wrong inside its policy makes the policy
// unreadable and nothing else; the document then lacks the member egressPolicy.
struct RecordReading {
  enum class Policy { absent, read, unreadable };

  bool readable = false;
  std::string reason;
  std::string pointer;
  Document document;
  std::string id;
  std::optional<std::string> state;
  Policy policy = Policy::absent;
  std::string policy_reason;   // For an unreadable policy,
  std::string policy_pointer;  // from the record's root.
};

[[nodiscard]] RecordReading read_record(std::string_view text);

struct Finding {
  std::string kind;
  std::string effect;  // widens, within or unknown
  std::string pointer;
  bool has_witness = false;
  std::string witness;

  bool operator==(const Finding&) const = default;
};

struct Comparison {
  std::string verdict;  // identical, contained, widened or unknown
  std::vector<Finding> findings;

  bool operator==(const Comparison&) const = default;
};

// asked_rules are the host rules that a declaration asks for: `*` -> Deny, or one Allow a domain.
[[nodiscard]] std::vector<HostRule> asked_rules(const Declared& declared);

// comparable_rule brings a rule into the form in which rules are compared by string equality: the
// canonical pattern (lower-cased text where it is outside the pattern language) and `Allow`,
// `Deny`, or the lower-cased action.
[[nodiscard]] HostRule comparable_rule(const HostRule& rule);

// compare_host_rules compares two lists of comparable rules, each rule with each, and says what is
// missing and what is there too much. Pointers begin with `prefix`. Quadratic on purpose.
[[nodiscard]] Comparison compare_host_rules(const std::vector<HostRule>& asked,
                                            const std::vector<HostRule>& effective,
                                            const std::string& prefix = "");

// compare holds a readable document against the declaration: a policy (or null), or a record whose
// policy was read or is absent.
[[nodiscard]] Comparison compare(const Declared& declared, const Document& document,
                                 bool is_record);

// compare also knows a record whose policy could not be read: `unreadable_policy` at /egressPolicy.
[[nodiscard]] Comparison compare(const Declared& declared, const RecordReading& record);

// widening_host is a host that an Allow for the pattern lets out and the declaration does not,
// under some reading of
// `*.`; none if there is no such host. The pattern is canonical and in the pattern language, or
// exactly `*`.
[[nodiscard]] std::optional<std::string> widening_host(std::string_view pattern,
                                                       const Declared& declared);

}  // namespace sandproof::reference
