// The reference model of reading a deadline report from a call's stderr.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sandproof::reference {

// Every line of the sealed scheme begins with this.
inline constexpr std::string_view k_report_tag = "sandproof1 ";

inline constexpr std::size_t k_max_checked_candidates = 64;

// ReportAnswer is what was read. Only a run has a preamble, `before` and `after`; the command's own
// stderr is before + after, and `after` is empty where no report was removed. `tool` is set only
// when this call's refused line was read.
struct ReportAnswer {
  std::string outcome = "unverified";  // Or "ran", or "not_run".
  bool killed = false;
  bool attested = false;
  std::string preamble;
  std::string before;
  std::string after;
  std::string tool;

  bool operator==(const ReportAnswer&) const = default;
};

// read_nonce and read_sealed take any bytes. The call id is 32 lower-case hex digits.
[[nodiscard]] ReportAnswer read_nonce(std::optional<int> exit_code, std::string_view bytes);
[[nodiscard]] ReportAnswer read_sealed(std::optional<int> exit_code, std::string_view bytes,
                                       std::string_view call_id);

// digest_of is the commitment to a secret: SHA-256 of the text and one newline, in lower-case hex.
[[nodiscard]] std::string digest_of(std::string_view secret);

// call_prefix is what every line of one call begins with.
[[nodiscard]] std::string call_prefix(std::string_view call_id);

}  // namespace sandproof::reference
