// Streams that are almost what the wrapper and a command write together, for tests of the report
// reader. A stream comes with the secrets that went into it and with what must hold of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "report.h"

namespace sandproof::reference {

// A Chooser picks a number below its argument, which is never 0. Every choice is taken from it, so
// a stream is a function of the choices.
using Chooser = std::function<unsigned(unsigned)>;

// Secrets are the two that one announcement commits to.
struct Secrets {
  std::string deadline;
  std::string exit;
};

// announcement_line, final_line (kind: "deadline" or "exit") and refused_line end with a newline.
[[nodiscard]] std::string announcement_line(std::string_view call_id, const Secrets& secrets);
[[nodiscard]] std::string final_line(std::string_view call_id, std::string_view kind,
                                     std::string_view secret);
[[nodiscard]] std::string refused_line(std::string_view call_id, std::string_view tool);

// SealedStream holds the wrapper's announcement and final lines, whatever a command may add that
// has `forger` secrets of its own (announcements of this call and of others, final lines,
// guesses), and some damage.
struct SealedStream {
  std::string bytes;
  std::optional<int> exit_code;
  std::string call_id;
  Secrets wrapper;
  Secrets forger;

  // must_not_attest: neither of the wrapper's secrets stands in the stream, and either its
  // announcement is whole or no digest of the forger is there. Such a stream is never killed and
  // never attested. (Where the announcement was erased and the forger's put in its place, no reader
  // can tell.)
  bool must_not_attest = false;
};

// Kept secrets are written nowhere; spent ones may be, as the wrapper writes them and otherwise.
enum class Secrecy { kept, spent };

[[nodiscard]] SealedStream sealed_stream(const Chooser& choose, Secrecy secrecy);

// NonceStream is the same for the nonce scheme, in which a command can read the nonce.
struct NonceStream {
  std::string bytes;
  std::optional<int> exit_code;
  std::string nonce;

  // must_not_kill: no 32 lower-case hex digits stand in the stream twice. Such a stream is never
  // killed.
  bool must_not_kill = false;
};

[[nodiscard]] NonceStream nonce_stream(const Chooser& choose);

// HonestStream is what an undisturbed wrapper and a command without tricks leave, and how it must
// be read.
struct HonestStream {
  std::string bytes;
  std::optional<int> exit_code;
  std::string call_id;  // Empty in the nonce scheme.
  ReportAnswer expected;
};

[[nodiscard]] HonestStream honest_sealed_stream(const Chooser& choose);
[[nodiscard]] HonestStream honest_nonce_stream(const Chooser& choose);

}  // namespace sandproof::reference
