// A service's answers from its own JSON: decoded by the library, and understood by the reference
// model, so that the provider and its checks read the same text each in their own way.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "provider/answerer.h"
#include "reference/policy.h"
#include "reference/report.h"
#include "reference/scanners.h"
#include "sandproof/wire.h"

namespace sandproof::fuzz {

// Spoken is an answer, what it means, and what the meaning refers to.
struct Spoken {
  Answer answer;
  props::Saw saw;
  std::string minted = {};
  std::unique_ptr<props::Output> output = {};
};

[[nodiscard]] inline Spoken undecodable(Unreadable why) {
  Spoken spoken{std::unexpected(CallError(std::move(why))), {}};
  spoken.saw.got = props::Got::undecodable;
  return spoken;
}

[[nodiscard]] inline props::Life life_of(const std::optional<std::string>& state) {
  using props::Life;
  if (!state) return Life::unnamed;
  for (std::size_t i = 0; i < props::k_life_count; ++i) {
    const auto life = static_cast<Life>(i);
    if (!props::is_unreadable(life) && props::name(life) == *state) return life;
  }
  return Life::unknown;
}

[[nodiscard]] inline reference::Declared declared_of(const DeclaredEgress& egress) {
  reference::Declared declared;
  declared.mode = egress.mode() == EgressMode::allow  ? reference::Declared::Mode::allow
                  : egress.mode() == EgressMode::deny ? reference::Declared::Mode::deny
                                                      : reference::Declared::Mode::allow_domains;
  for (const DomainPattern& domain : egress.domains()) declared.domains.emplace_back(domain.view());
  return declared;
}

// speak_record reads a record. `expected` is the id that belongs there, if any is known.
[[nodiscard]] inline Spoken speak_record(std::string_view text, const props::Setting& setting,
                                         std::string_view expected) {
  using props::Whose;
  auto decoded = decode_record(text);
  if (!decoded) return undecodable(decoded.error());
  const reference::RecordReading reading = reference::read_record(text);
  const std::string verdict = reference::compare(declared_of(setting.egress), reading).verdict;

  Spoken spoken{Answer(*decoded), {}};
  spoken.saw.life = life_of(reading.state);
  spoken.saw.carries = reading.policy != reference::RecordReading::Policy::absent;
  spoken.saw.holds = verdict == "identical" ||
                     (verdict == "contained" && setting.acceptance == Acceptance::contained);
  if (!expected.empty()) {
    spoken.saw.whose = reading.id == expected ? Whose::right : Whose::other;
  } else if (reference::session_id(reading.id).accepted) {
    spoken.minted = reading.id;
  } else {
    spoken.minted = reading.id;
    spoken.saw.whose =
        reference::addressable_id(reading.id) ? Whose::too_long : Whose::unaddressable;
  }
  return spoken;
}

[[nodiscard]] inline props::Finish finish_of(const reference::ReportAnswer& report,
                                             std::optional<std::int32_t> exit_code) {
  using props::Finish;
  if (report.outcome == "not_run") return Finish::not_bounded;
  if (report.outcome == "unverified") return Finish::unverified;
  if (!exit_code || !report.attested) return Finish::unknown;
  return report.killed ? Finish::killed : Finish::exited;
}

// speak_result reads an exec result.
[[nodiscard]] inline Spoken speak_result(std::string_view text, std::string_view call_id) {
  using props::Finish;
  auto decoded = decode_exec_result(text);
  if (!decoded) return undecodable(decoded.error());
  const reference::ReportAnswer report =
      reference::read_sealed(decoded->exit_code, decoded->standard_error, call_id);

  Spoken spoken{Answer(*decoded), {}};
  spoken.saw.finish = finish_of(report, decoded->exit_code);
  spoken.output = std::make_unique<props::Output>();
  if (report.outcome == "ran") {
    *spoken.output = {decoded->standard_output, report.before + report.after, report.preamble, {}};
  }
  if (spoken.saw.finish == Finish::exited) spoken.output->exit_code = decoded->exit_code;
  spoken.saw.output = spoken.output.get();
  return spoken;
}

}  // namespace sandproof::fuzz
