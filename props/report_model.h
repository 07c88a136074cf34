// Reports for both sides: reading a stream whole and in pieces, in the words of the reference
// model. For properties, fuzzers and benchmarks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/report.h"
#include "sandproof/deadline_report.h"
#include "sandproof/refusal.h"

namespace sandproof::props {

inline std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::ran:
      return "ran";
    case Outcome::not_run:
      return "not_run";
    case Outcome::unverified:
      return "unverified";
  }
  return "?";
}

inline reference::ReportAnswer ask_reference(const ReportScheme& scheme,
                                             std::optional<std::int32_t> exit_code,
                                             std::string_view stream) {
  return scheme.is_sealed() ? reference::read_sealed(exit_code, stream, scheme.call_id()->view())
                            : reference::read_nonce(exit_code, stream);
}

// report_answer leaves out what only a run has, as the reference model does.
inline reference::ReportAnswer report_answer(const DeadlineReport& report) {
  reference::ReportAnswer answer;
  answer.outcome = name(report.outcome);
  answer.killed = report.killed;
  answer.attested = report.attested;
  answer.tool = report.tool;
  if (report.outcome == Outcome::ran) {
    answer.preamble = report.preamble;
    answer.before = report.before;
    answer.after = report.after;
  }
  return answer;
}

// shown is an answer for a failure's message.
inline std::string shown(const reference::ReportAnswer& answer) {
  return answer.outcome + (answer.killed ? " killed" : "") + (answer.attested ? " attested" : "") +
         ", tool " + escaped(answer.tool) + ", preamble " + escaped(answer.preamble, 400) +
         ", before " + escaped(answer.before, 400) + ", after " + escaped(answer.after, 400);
}

// Pieces is all that an incremental reading gave.
struct Pieces {
  reference::ReportAnswer end;  // without texts
  std::string leading;
  std::string output;
  bool in_order = true;         // nothing leading came behind output
  std::size_t longest_lag = 0;  // most bytes held back between two feeds

  friend bool operator==(const Pieces& a, const Pieces& b) {
    return a.end == b.end && a.leading == b.leading && a.output == b.output &&
           a.in_order == b.in_order;
  }
};

// pieces_of is what all pieces together must be, where the whole stream was read as `report`.
inline Pieces pieces_of(const DeadlineReport& report, std::string_view stream) {
  Pieces pieces;
  pieces.end = report_answer(report);
  pieces.end.preamble.clear();
  pieces.end.before.clear();
  pieces.end.after.clear();
  if (report.outcome == Outcome::ran) {
    pieces.leading = report.preamble;
    pieces.output = std::string(report.before) + std::string(report.after);
  } else {
    pieces.leading = stream;
  }
  return pieces;
}

// read_in_pieces feeds a stream in pieces of the sizes that `next_size` gives, 0 for an empty one.
// Each piece is in a block of its own, which is gone before the next. The lag counts the lines that
// are given to nobody.
template <class NextSize>
Pieces read_in_pieces(const ReportScheme& scheme, std::optional<std::int32_t> exit_code,
                      std::string_view stream, NextSize next_size) {
  Pieces pieces;
  ReportReader reader(scheme);
  std::size_t given = 0;
  const auto take = [&](std::string_view leading, std::string_view output) {
    pieces.in_order = pieces.in_order && (leading.empty() || pieces.output.empty());
    pieces.leading += leading;
    pieces.output += output;
    given += leading.size() + output.size();
  };
  std::size_t at = 0;
  while (at < stream.size()) {
    const std::size_t size = std::min<std::size_t>(next_size(), stream.size() - at);
    const std::string piece(stream.substr(at, size));
    // A reader may be moved between any two pieces.
    ReportReader moved(std::move(reader));
    reader = std::move(moved);
    const ReportReader::Piece certain = reader.feed(piece);
    take(certain.leading, certain.output);
    at += size;
    pieces.longest_lag = std::max(pieces.longest_lag, at - given);
  }
  const ReportReader::End end = reader.finish(exit_code);
  take(end.leading, end.output);
  pieces.end = report_answer(end.report);
  return pieces;
}

inline std::string shown(const Pieces& pieces) {
  return shown(pieces.end) + ", leading " + escaped(pieces.leading, 400) + ", output " +
         escaped(pieces.output, 400) + (pieces.in_order ? "" : ", leading behind output");
}

}  // namespace sandproof::props
