// What a provider's operation answers when it does not succeed: a stable code, a reason that may be
// shown to anybody, and the evidence that may not.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sandproof/call_id.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/refusal.h"
#include "sandproof/session_id.h"

namespace sandproof {

// ---- What a transport says of a call that gave no body. ----

// TransportError is why a data-plane call failed, typed by the transport that knows, never guessed
// from text. raw() is what the transport has to say, for the log of whoever runs the service: it is
// internal, and external() never shows it.
class TransportError {
 public:
  enum class Kind : std::uint8_t {
    not_found,
    access_denied,
    invalid_input,
    conflict,
    http_status,
    timed_out,    // the bound given to the call has passed
    unavailable,  // anything else that did not complete, an earlier transport time-out included
  };

  // Propagation says whether the service marked a conflict as a delay that will pass by itself.
  enum class Propagation : std::uint8_t { unmarked, delayed };

  [[nodiscard]] static TransportError not_found(std::string raw = {});
  [[nodiscard]] static TransportError access_denied(std::string raw = {});
  [[nodiscard]] static TransportError invalid_input(std::string raw = {});
  [[nodiscard]] static TransportError conflict(std::optional<int> status, Propagation propagation,
                                               std::string raw = {});
  [[nodiscard]] static TransportError http_status(int status, std::string raw = {});
  [[nodiscard]] static TransportError timed_out(std::string raw = {});
  [[nodiscard]] static TransportError unavailable(std::string raw = {});

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::optional<int> status() const noexcept { return status_; }
  [[nodiscard]] const std::string& raw() const noexcept { return raw_; }

  // is_not_found says that what the call named does not exist: the kind not_found, or the kind
  // http_status with 404; a conflict with that status contradicts itself and is none. Text never
  // decides: a throttle whose body mentions 404 is not a missing session.
  [[nodiscard]] bool is_not_found() const noexcept;

  // is_refusal says that the service understood the call and rejected it, so that nothing happened
  // and a repeat is rejected again: not found, access denied, invalid input; an HTTP 4xx other than
  // 408; a conflict with such a status and without the mark of a propagation delay.
  [[nodiscard]] bool is_refusal() const noexcept;

 private:
  TransportError(Kind kind, std::string raw) : kind_(kind), raw_(std::move(raw)) {}

  Kind kind_;
  Propagation propagation_ = Propagation::unmarked;
  std::optional<int> status_;
  std::string raw_;
};

// name gives "not_found", "access_denied", ...
[[nodiscard]] std::string_view name(TransportError::Kind kind) noexcept;

// ---- What an operation says. ----

// Verb is what was asked of the provider.
enum class Verb : std::uint8_t {
  create,
  get,
  get_or_create,
  list,
  run_command,
  read_file,
  write_files,
  mkdir,
  preview,
  suspend,
  resume,
  snapshot,
  start_job,
  poll_job,
  cancel_job,
  terminate,
};

inline constexpr std::size_t k_verb_count = static_cast<std::size_t>(Verb::terminate) + 1;

// name gives the verb as errors call it: "sandbox.create", "sandbox.runCommand", ...
[[nodiscard]] std::string_view name(Verb verb) noexcept;

// ErrorCode is what kind of error it is, for a program to act on.
enum class ErrorCode : std::uint8_t {
  invalid_input,            // an argument was refused; no request was made
  operation_not_supported,  // and no request was made
  command_failed,           // failure() says how
  outcome_unknown,          // it may or may not have happened: repeating it may do it twice
  unreachable,              // it did not complete, and may be repeated
  not_as_declared,          // the sandbox's egress policy is not the declared one
  unexpected_response,      // the service answered what cannot be used
};

inline constexpr std::size_t k_error_code_count =
    static_cast<std::size_t>(ErrorCode::unexpected_response) + 1;

// code gives the stable name: "INVALID_INPUT", "SANDBOX_COMMAND_FAILED", ...
[[nodiscard]] std::string_view code(ErrorCode code) noexcept;

// Failure is how a command failed, of an error whose code is command_failed.
enum class Failure : std::uint8_t {
  data_plane_refused,
  session_gone,
  session_terminated,
  session_not_ready,
  session_suspended,
  command_not_bounded,
  deadline_exceeded,
  sandbox_left_awake,
  sandbox_left_behind,
};

inline constexpr std::size_t k_failure_count =
    static_cast<std::size_t>(Failure::sandbox_left_behind) + 1;

// name gives the stable name: "dataPlaneRefused", "sessionGone", ...
[[nodiscard]] std::string_view name(Failure failure) noexcept;

// Visibility says who may see an error: anybody who called, or only who runs the service. An error
// that wraps another is as visible as what it wraps.
enum class Visibility : std::uint8_t { external, internal };

// Literal is text that stood in this library's source: nothing that came from outside is one.
class Literal {
 public:
  template <std::size_t n>
  consteval Literal(const char (&text)[n]) : text_(text, n - 1) {}  // NOLINT

  [[nodiscard]] constexpr std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
};

// Foreign is text of the service's that belongs to an error, for the log only.
struct Foreign {
  std::string text;
};

// NotDeclared is what a comparison found, with the policy in words; for the log only, because a
// policy can name what its owner does not publish.
struct NotDeclared {
  Verdict verdict;
  std::vector<Finding> findings;
  std::string running;
};

// RefusedInput is what was wrong with an argument, and the sentence that says so: the caller's own
// bytes, escaped.
struct RefusedInput {
  Refusal refusal;
  std::string_view field;  // "sessionId", "env", "command", ...
  std::string sentence;
};

// Evidence is what an error rests on.
using Evidence =
    std::variant<std::monostate, RefusedInput, TransportError, Unreadable, NotDeclared, Foreign>;

// Error is one link of a chain, outermost first; copying one copies a pointer.
//
// Every link holds a sentence of this library's own (a Literal), and may name a parsed session id
// and an attempt label; what came from the service is evidence. So external() cannot show what it
// must not: no foreign text has a way into it.
class Error {
 public:
  // Parts is what one link is made of.
  struct Parts {
    ErrorCode code;
    Verb verb;
    Literal why;
    std::optional<Failure> failure = {};  // with command_failed, and with nothing else
    std::optional<OwnedSessionId> session = {};
    std::optional<CallId> attempt = {};
    Evidence evidence = {};
  };

  explicit Error(Parts parts);

  // This one wraps another, and is as visible as that.
  Error(Parts parts, Error cause);

  [[nodiscard]] ErrorCode code() const noexcept;
  [[nodiscard]] Verb verb() const noexcept;
  [[nodiscard]] std::string_view why() const noexcept;
  [[nodiscard]] std::optional<Failure> failure() const noexcept;
  [[nodiscard]] bool is(Failure failure) const noexcept { return this->failure() == failure; }

  // session is the sandbox that somebody must look at; attempt is the label that finds a sandbox
  // whose id nobody could read.
  [[nodiscard]] const std::optional<OwnedSessionId>& session() const noexcept;
  [[nodiscard]] const std::optional<CallId>& attempt() const noexcept;

  [[nodiscard]] const Evidence& evidence() const noexcept;

  // cause is what this one wraps, or nullptr.
  [[nodiscard]] const Error* cause() const noexcept;

  // is_retryable says that the same operation may be asked for again: it does nothing twice.
  [[nodiscard]] bool is_retryable() const noexcept { return code() == ErrorCode::unreachable; }

  // visibility: HTTP responses, unreadable bodies and calls that did not complete are internal,
  // refusals of a kind that the transport knows are external, and so is what has no such evidence.
  // Wrapping inherits.
  [[nodiscard]] Visibility visibility() const noexcept;

  // labelled gives the same error with an attempt label.
  [[nodiscard]] Error labelled(const CallId& attempt) const;

  // external renders the error for anybody: code, failure, verb, reason, a parsed session id, the
  // attempt label, and the caller's own refused argument; then the causes, down to the first that
  // is internal. Printable ASCII, without a byte that came from the service but that id.
  [[nodiscard]] std::string external() const;

  // text renders everything, for the log of whoever runs the service: printable ASCII, foreign
  // text escaped and cut.
  [[nodiscard]] std::string text() const;

 private:
  struct Link;

  std::shared_ptr<const Link> link_;
};

// Result<T> is what every operation ends with.
template <class T>
using Result = std::expected<T, Error>;

}  // namespace sandproof
