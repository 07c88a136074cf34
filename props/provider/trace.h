// What a check sees of an operation, in small words of its own: what was asked, what the answer
// meant, when, and how it ended. Neither the monitor nor the model knows the library's types beyond
// the names of its results.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/error.h"
#include "sandproof/operation.h"
#include "sandproof/session_state.h"

namespace sandproof::props {

using std::chrono::milliseconds;

// ---- The call: what was asked of the provider. ----

// Call is what the checks must know of it. A call that is `refused` must not send anything.
struct Call {
  Verb verb;
  bool names_session = true;  // only get_or_create may do without
  std::optional<ErrorCode> refused = {};
  milliseconds deadline{0};  // of a command
  int files = 0;             // to be written, in this order
};

// ---- Requests. ----

enum class Ask : std::uint8_t {
  wait,
  create,
  get,
  remove,
  stop,
  wake,
  exec,
  read,
  write,
  mkdir,
};
inline constexpr std::size_t k_ask_count = static_cast<std::size_t>(Ask::mkdir) + 1;

constexpr std::size_t index(Ask ask) { return static_cast<std::size_t>(ask); }

// Whom: the session that the caller named, the one that the service made in this call, or one that
// this call has no business with.
enum class Whom : std::uint8_t { nobody, asked, minted, stranger };

// Asked is one request. `as_given` says that everything in it but the id is what the caller gave
// and the configuration says, byte for byte.
struct Asked {
  Ask what;
  Whom whom = Whom::nobody;
  milliseconds bound{30'000};
  bool as_given = true;
  int file = 0;  // which of the files, for a write
};

// ---- Answers. ----

// Life is a record's state; `unnamed` is none at all, `unknown` a word that nobody knows.
enum class Life : std::uint8_t {
  running,
  creating,
  resuming,
  stopping,
  stopped,
  suspended,
  idle,
  deleting,
  failed,
  unnamed,
  unknown,
};
inline constexpr std::size_t k_life_count = static_cast<std::size_t>(Life::unknown) + 1;

constexpr bool is_starting(Life life) { return life == Life::creating || life == Life::resuming; }
constexpr bool is_resting(Life life) {
  return life == Life::stopped || life == Life::suspended || life == Life::idle;
}
constexpr bool is_ending(Life life) { return life == Life::deleting || life == Life::failed; }
constexpr bool is_unreadable(Life life) { return life == Life::unnamed || life == Life::unknown; }

// Whose is the id in a record: the one that belongs there, another that could be one, one that is
// too long for a session's id but can be addressed, or one that nothing can be addressed by.
enum class Whose : std::uint8_t { right, other, too_long, unaddressable };

// Got is what kind of answer came. `missing` is a refusal too.
enum class Got : std::uint8_t { body, refused, missing, incomplete, timed_out, undecodable };

constexpr bool is_refusal(Got got) { return got == Got::refused || got == Got::missing; }

// Finish is how a command's own report reads.
enum class Finish : std::uint8_t {
  exited,       // attested, with an exit code
  killed,       // by a report that is true if the clock says so
  unknown,      // it ran, or may have, and nobody knows how it ended
  not_bounded,  // the sandbox claims that it could not bound the command
  unverified,   // nothing can be told
};

// Output is what a command gave, or what it must have given.
struct Output {
  std::string out;
  std::string err;
  std::string preamble;
  std::optional<std::int32_t> exit_code;
  friend bool operator==(const Output&, const Output&) = default;
};

// Saw is what an answer means: the letter carries it, so that no check judges by the library's own
// comparison or its own reader of reports.
struct Saw {
  Got got = Got::body;
  bool published = false;  // a refusal of a kind that the transport knows

  // Of a record.
  Life life = Life::running;
  Whose whose = Whose::right;
  bool carries = false;  // a policy, read or not
  bool holds = false;    // that policy is the declared one, as far as is asked

  // Of an exec result.
  Finish finish = Finish::exited;
  const Output* output = nullptr;
};

constexpr bool is_record_of(const Saw& saw, Whose whose) {
  return saw.got == Got::body && saw.whose == whose;
}

// is_wrong: the record says enough to be judged, and the policy is not the declared one.
constexpr bool is_wrong(const Saw& saw) {
  const bool judgeable = saw.life == Life::running ||
                         ((saw.life == Life::stopping || is_resting(saw.life)) && saw.carries);
  return judgeable && !saw.holds;
}

// Event is a request with its answer.
struct Event {
  Asked asked;
  Saw saw;
  Instant sent;
  Instant came;
};

// ---- The end. ----

// Fault is an error: the operation's own, or the one that a command's run ends with.
struct Fault {
  ErrorCode code;
  std::optional<Failure> failure;
  Visibility visibility = Visibility::external;
  bool retryable = false;
  bool of_verb = true;        // it names the verb that was called
  bool has_evidence = false;  // something in its chain is an answer of the service
  // What somebody who reads it learns: the ids in its chain, and the attempt label.
  bool names_asked = false;
  bool names_minted = false;
  bool names_attempt = false;
};

// Shown is an error as people read it, one that went to the log included.
struct Shown {
  std::string external;
  std::string text;
};

// Ending is how an operation ended.
struct Ending {
  std::optional<Fault> fault;
  // Of a success.
  Whom session = Whom::nobody;  // whose handle was returned
  std::optional<SessionState> state;
  bool whole = true;  // a handle's generation is 1; frames are in order, numbered, none is empty
  std::string bytes;  // of a file
  // Of a command: it ran; `fault` is how the run ends, if not by itself.
  std::optional<Output> output;

  std::vector<Shown> shown;
  std::size_t warnings = 0;
};

}  // namespace sandproof::props
