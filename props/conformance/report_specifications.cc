// What is read from a call's standard error: whole, in pieces, and by the reference model.
#include "report_machines.h"
#include "report_model.h"
#include "specifications.h"

namespace sandproof::conformance {
namespace {

using reference::ReportAnswer;

constexpr std::int32_t k_killed = 137;
constexpr std::int32_t k_not_executable = 126;

ReportScheme sealed() { return ReportScheme::sealed(CallId::parse(k_call_id).value()); }

template <class IsAccepted>
std::string compare(const ReportScheme& scheme, std::int32_t exit_code, std::string_view stream,
                    bool accepted, IsAccepted is_accepted) {
  const DeadlineReport report = read_report(scheme, exit_code, stream);
  const ReportAnswer library = props::report_answer(report);
  const ReportAnswer reference = props::ask_reference(scheme, exit_code, stream);
  if (library != reference || is_accepted(library) != accepted) {
    return std::string("machine ") + (accepted ? "accepted" : "refused") + ", library " +
           props::shown(library) + ", reference model " + props::shown(reference);
  }
  const std::size_t half = stream.size() / 2 + 1;
  const props::Pieces expected = props::pieces_of(report, stream);
  const props::Pieces pieces =
      props::read_in_pieces(scheme, exit_code, stream, [half] { return half; });
  if (pieces != expected) {
    return "library " + props::shown(expected) + ", in pieces " + props::shown(pieces);
  }
  return {};
}

bool ran(const ReportAnswer& answer) { return answer.outcome == "ran"; }
bool not_run(const ReportAnswer& answer) { return answer.outcome == "not_run"; }
bool is_attested(const ReportAnswer& answer) { return answer.attested; }

}  // namespace

std::string on_announced(std::string_view stream, bool accepted) {
  return compare(sealed(), k_killed, stream, accepted, ran);
}

std::string on_refused(std::string_view stream, bool accepted) {
  return compare(sealed(), k_not_executable, stream, accepted, not_run);
}

std::string on_attested(std::string_view rest, bool accepted) {
  static const std::string announcement = reference::announcement_line(k_call_id, secrets());
  return compare(sealed(), k_killed, announcement + std::string(rest), accepted, is_attested);
}

std::string on_nonce(std::string_view stream, bool accepted) {
  return compare(ReportScheme::nonce(), k_killed, stream, accepted, ran);
}

std::string on_no_nonce(std::string_view stream, bool accepted) {
  return compare(ReportScheme::nonce(), k_not_executable, stream, accepted, not_run);
}

}  // namespace sandproof::conformance
