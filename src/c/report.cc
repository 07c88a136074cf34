// The C interface: reading what the wrapper wrote on standard error.
#include <optional>

#include "sandproof/deadline_report.h"
#include "translate.h"

using namespace sandproof;
using namespace sandproof::c;

// A reader that lost a part of its stream, or whose stream has ended, is spent.
struct sandproof_report_reader {  // NOLINT(readability-identifier-naming)
  ReportReader reader;
  bool is_spent = false;
};

namespace {

constexpr std::size_t k_outcome_count = number(Outcome::unverified) + 1;

std::optional<std::int32_t> optional_code(const std::int32_t* exit_code) noexcept {
  return exit_code == nullptr ? std::nullopt : std::optional(*exit_code);
}

sandproof_report to_c(const DeadlineReport& report) noexcept {
  return {number(report.outcome), number(report.killed), number(report.attested),
          text(report.preamble),  text(report.before),   text(report.after),
          text(report.tool)};
}

// from_c gives a report that the caller holds, if it is one.
std::optional<DeadlineReport> from_c(const sandproof_report& report) noexcept {
  const auto outcome = to_enum<Outcome>(report.outcome, k_outcome_count);
  const auto killed = to_enum<bool>(report.killed, 2);
  const auto attested = to_enum<bool>(report.attested, 2);
  if (!outcome || !killed || !attested) return std::nullopt;
  if (!are_usable(report.preamble, report.before, report.after, report.tool)) return std::nullopt;
  return DeadlineReport{
      *outcome,           *killed,          *attested, view(report.preamble), view(report.before),
      view(report.after), view(report.tool)};
}

}  // namespace

sandproof_status sandproof_report_read(sandproof_scheme scheme, sandproof_text call_id,
                                       const std::int32_t* exit_code, sandproof_text standard_error,
                                       sandproof_report* report,
                                       sandproof_refusal* refusal) noexcept {
  if (!are_usable(call_id, standard_error, report, refusal)) return SANDPROOF_BAD_CALL;
  const auto read = read_scheme(scheme, call_id);
  if (!read) return SANDPROOF_BAD_CALL;
  if (!*read) return refuse(read->error(), *refusal);
  return give(to_c(read_report(**read, optional_code(exit_code), view(standard_error))), *report);
}

sandproof_status sandproof_report_explain(const sandproof_report* report,
                                          sandproof_buffer* sentence) noexcept {
  if (!are_usable(report, sentence)) return SANDPROOF_BAD_CALL;
  const auto read = from_c(*report);
  if (!read) return SANDPROOF_BAD_CALL;
  return guarded([&] { return write(explain(*read), *sentence); });
}

sandproof_status sandproof_report_reader_new(sandproof_scheme scheme, sandproof_text call_id,
                                             sandproof_report_reader** reader,
                                             sandproof_refusal* refusal) noexcept {
  if (!are_usable(call_id, reader, refusal)) return SANDPROOF_BAD_CALL;
  const auto read = read_scheme(scheme, call_id);
  if (!read) return SANDPROOF_BAD_CALL;
  if (!*read) return refuse(read->error(), *refusal);
  return guarded([&] { return give_new(sandproof_report_reader{ReportReader(**read)}, *reader); });
}

sandproof_status sandproof_report_reader_feed(sandproof_report_reader* reader, sandproof_text bytes,
                                              sandproof_piece* piece) noexcept {
  if (!are_usable(reader, bytes, piece) || reader->is_spent) return SANDPROOF_BAD_CALL;
  reader->is_spent = true;  // unless nothing fails
  return guarded([&] {
    const auto [leading, output] = reader->reader.feed(view(bytes));
    reader->is_spent = false;
    return give(sandproof_piece{text(leading), text(output)}, *piece);
  });
}

sandproof_status sandproof_report_reader_finish(sandproof_report_reader* reader,
                                                const std::int32_t* exit_code,
                                                sandproof_piece* piece,
                                                sandproof_report* report) noexcept {
  if (!are_usable(reader, piece, report) || reader->is_spent) return SANDPROOF_BAD_CALL;
  reader->is_spent = true;
  return guarded([&] {
    const auto end = reader->reader.finish(optional_code(exit_code));
    *piece = {text(end.leading), text(end.output)};
    return give(to_c(end.report), *report);
  });
}

void sandproof_report_reader_free(sandproof_report_reader* reader) noexcept { delete reader; }
