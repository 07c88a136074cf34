// What the properties of reports share: choices for the drawn streams, exit codes, and comparing
// with the reference model.
#pragma once

#include <array>
#include <random>

#include "reference/report_streams.h"
#include "report_model.h"
#include "support.h"

namespace sandproof::reference {

inline void PrintTo(const ReportAnswer& answer, std::ostream* out) { *out << props::shown(answer); }

}  // namespace sandproof::reference

namespace sandproof::props {

inline void PrintTo(const Pieces& pieces, std::ostream* out) { *out << shown(pieces); }

using ExitCode = std::optional<std::int32_t>;
inline constexpr std::array<ExitCode, 10> k_exit_codes{137, 126, 127, 0,   1,
                                                       9,   124, -1,  393, std::nullopt};

// drawn takes every choice of a stream from RapidCheck, which shrinks each towards the first.
inline reference::Chooser drawn() {
  return [](unsigned below) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0U, below));
  };
}

// random_choices are the same in every run.
inline reference::Chooser random_choices(std::mt19937& random) {
  return [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
}

inline ReportScheme sealed(std::string_view call_id) {
  return ReportScheme::sealed(CallId::parse(call_id).value());
}

// scheme_of: only streams of the sealed scheme have a call id.
inline ReportScheme scheme_of(const reference::HonestStream& stream) {
  return stream.call_id.empty() ? ReportScheme::nonce() : sealed(stream.call_id);
}

// A call and its lines, for streams that are written by hand. The forger is whoever has read the
// announcement, and has secrets of its own.
inline const std::string k_id = "00112233445566778899aabbccddeeff";
inline const std::string k_other_id = "ff112233445566778899aabbccddeeff";
inline const reference::Secrets k_secrets{"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                                          "e0e1e2e3e4e5e6e7e8e9eaebecedeeef"};
inline const reference::Secrets k_forger{"a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
                                         "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf"};
inline const std::string k_prefix = reference::call_prefix(k_id);
inline const std::string k_announcement = reference::announcement_line(k_id, k_secrets);
inline const std::string k_forged_announcement = reference::announcement_line(k_id, k_forger);
inline const std::string k_deadline_line =
    reference::final_line(k_id, "deadline", k_secrets.deadline);
inline const std::string k_exit_line = reference::final_line(k_id, "exit", k_secrets.exit);
inline const std::string k_fake = reference::final_line(k_id, "deadline", k_forger.deadline);
inline const std::string k_refused = reference::refused_line(k_id, "od");

inline std::string without_newline(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

inline std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace sandproof::props
