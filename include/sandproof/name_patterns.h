// A deployment's own refused names and domains, as RE2 regular expressions.
//
// This header belongs to an archive of its own, libsandproof_patterns: who configures no patterns
// links no RE2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sandproof/name_rule.h"

namespace sandproof {

// k_max_pattern_memory bounds what one compiled set and its matching may use, in bytes.
inline constexpr std::int64_t k_max_pattern_memory = std::int64_t{8} << 20;

// PatternError says which pattern did not compile, and RE2's own message. `index` is one past the
// last pattern when the set as a whole did not compile (out of memory).
struct PatternError {
  std::size_t index;
  std::string pattern;
  std::string message;
};

// explain renders a PatternError as one sentence of printable ASCII.
[[nodiscard]] std::string explain(const PatternError& error);

// NamePatterns refuses every name that one of its patterns matches as a whole.
//
// compile takes RE2 syntax, bytes as Latin-1; one pattern that RE2 does not take refuses the whole
// set. Matching takes time linear in the name whatever the patterns are, and may allocate.
// A match that RE2 could not finish (it reports one when it runs out of memory) refuses the name.
//
// What a domain pattern sees is the canonical text of a declaration, `*.` included: to refuse a
// zone and everything below it, write `(.*\.)?internal\.example`.
//   auto own = NamePatterns::compile(std::array<std::string_view, 1>{"CORP_.*"});
//   SessionName::parse("CORP_TOKEN", {.also = &*own})  // refused_family
class NamePatterns final : public NameRule {
 public:
  [[nodiscard]] static std::expected<NamePatterns, PatternError> compile(
      std::span<const std::string_view> patterns, std::int64_t max_memory = k_max_pattern_memory);

  NamePatterns(NamePatterns&&) noexcept;
  NamePatterns& operator=(NamePatterns&&) noexcept;
  ~NamePatterns() override;

  [[nodiscard]] bool refuses(std::string_view name) const noexcept override;

 private:
  struct Compiled;
  explicit NamePatterns(std::unique_ptr<const Compiled> compiled) noexcept;

  std::unique_ptr<const Compiled>
      compiled_;  // null once moved from, and then everything is refused
};

}  // namespace sandproof
