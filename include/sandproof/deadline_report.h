// Reading what the wrapper wrote on standard error: was the command ended at its deadline?
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sandproof/call_id.h"
#include "sandproof/deadline.h"

namespace sandproof {

// k_max_candidates is how many final lines, counted from the end of the stream, are looked at.
inline constexpr std::size_t k_max_candidates = 64;

// Outcome says what the stream shows of a call.
//   ran         the wrapper announced itself, so the command was about to start
//   not_run     the sandbox claims that it could not bound the command; a claim, never a proof
//   unverified  nothing can be told: the command may have run
enum class Outcome : std::uint8_t { ran, not_run, unverified };

// DeadlineReport is what one stream says. Its views borrow from the stream.
//   killed    the deadline ended the command: a valid report, and exit code 137
//   attested  the wrapper reached its own end; not that the deadline held. Never with nonce
//   preamble  what stood before the announcement: the shell's own warnings
//   before, after   the command's own standard error, around the report that was removed
//   tool      what was missing, where a sealed wrapper refused
struct DeadlineReport {
  Outcome outcome = Outcome::unverified;
  bool killed = false;
  bool attested = false;
  std::string_view preamble;
  std::string_view before;
  std::string_view after;
  std::string_view tool;
};

// read_report reads a whole stream. `exit_code` is none where the service gave none.
//
// sealed: the announcement is the first line `sandproof1 <call-id> <digest> <digest>` of this call;
// the report is the first of the last 64 lines `... deadline <secret>` or `... exit <secret>`, at
// any place, whose secret hashes to its digest. A second announcement that differs, or a valid
// deadline beside a valid exit, is believed in neither. nonce: the announcement is the first line
// of 32 lower-case hex digits, the report their first repeat. What is not this call's report is the
// command's own output and stays.
//
// Linear in the size of the stream whatever it holds; allocates nothing.
[[nodiscard]] DeadlineReport read_report(const ReportScheme& scheme,
                                         std::optional<std::int32_t> exit_code,
                                         std::string_view standard_error) noexcept;

// ReportReader reads the same from a stream that comes in pieces, and gives the command's output
// back as it goes.
//
// However the bytes are cut, after finish() the pieces together are what read_report says of the
// whole: `leading` is the preamble where the call ran, and the whole stream where it did not;
// `output` is before + after. The reader holds back only what could still be, or be a part of, a
// line of this call: under honest output a few hundred bytes, among fakes k_max_held before they
// are hashed. Behind a valid final line it holds everything back, until 64 more candidates or
// finish(), because only then is it known which one is the report: a caller that must bound its
// memory bounds what it feeds.
// A caller with a clock of its own believes `killed` only where is_credible_kill() does.
//   ReportReader reader(ReportScheme::sealed(id));
//   for (bytes : stream) { const auto piece = reader.feed(bytes); print(piece.output); }
//   const auto end = reader.finish(exit_code);  // end.output is the rest
class ReportReader {
 public:
  // k_max_held is how many bytes are held back before candidates among them are hashed.
  static constexpr std::size_t k_max_held = std::size_t{64} << 10;

  // Piece is what became certain. Its views are good until the next call.
  struct Piece {
    std::string_view leading;
    std::string_view output;
  };

  // End is the rest, and what the whole stream says; `report.preamble`, `before` and `after` are
  // empty, because they have been given out.
  struct End {
    DeadlineReport report;
    std::string_view leading;
    std::string_view output;
  };

  class State;  // the implementation's own

  explicit ReportReader(const ReportScheme& scheme);
  ~ReportReader();
  ReportReader(ReportReader&&) noexcept;
  ReportReader& operator=(ReportReader&&) noexcept;

  // feed takes the next bytes, which must not be those of a piece that this reader gave: they move
  // before they are read. Amortised linear in their number.
  [[nodiscard]] Piece feed(std::string_view bytes);

  // finish ends the stream; the reader must not be fed again.
  [[nodiscard]] End finish(std::optional<std::int32_t> exit_code);

 private:
  std::unique_ptr<State> state_;
};

// is_credible_kill says whether a deadline kill may be believed: at least 99 % of the deadline has
// passed on the caller's own clock since the call was sent. Code that can erase the announcement
// before it is read can put a whole report in its place; it cannot move that clock. Exact, O(1).
[[nodiscard]] bool is_credible_kill(Deadline deadline, std::chrono::milliseconds elapsed) noexcept;

// explain says why a report is not_run or unverified: one sentence of printable ASCII that never
// says that nothing ran. Empty for ran.
[[nodiscard]] std::string explain(const DeadlineReport& report);

}  // namespace sandproof
