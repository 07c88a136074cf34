// The C interface: driving an operation. Requests go out, answers come in.
#include "operation.h"

#include <chrono>
#include <type_traits>
#include <utility>

#include "sandproof/wire.h"

using namespace sandproof;
using namespace sandproof::c;

namespace {

using Kind = TransportError::Kind;
constexpr std::size_t k_kind_count = number(Kind::unavailable) + 1;

// A call's number is its place among the requests, behind the one for "ended".
template <std::int32_t call, class Call>
consteval bool is_call() {
  constexpr auto k_place = static_cast<std::size_t>(call - 1);
  return std::is_same_v<std::variant_alternative_t<k_place, Request>, Call>;
}
static_assert(is_call<SANDPROOF_CALL_WAIT, Wait>());
static_assert(is_call<SANDPROOF_CALL_CREATE, CreateCall>());
static_assert(is_call<SANDPROOF_CALL_GET, GetCall>());
static_assert(is_call<SANDPROOF_CALL_DELETE, DeleteCall>());
static_assert(is_call<SANDPROOF_CALL_STOP, StopCall>());
static_assert(is_call<SANDPROOF_CALL_RESUME, ResumeCall>());
static_assert(is_call<SANDPROOF_CALL_EXEC, ExecCall>());
static_assert(is_call<SANDPROOF_CALL_READ_FILE, ReadFileCall>());
static_assert(is_call<SANDPROOF_CALL_WRITE_FILE, WriteFileCall>());
static_assert(is_call<SANDPROOF_CALL_MKDIR, MkdirCall>());
static_assert(std::variant_size_v<Request> == SANDPROOF_CALL_MKDIR);

// NOLINTNEXTLINE(bugprone-exception-escape): an operation is never without its verb.
AnyOperation& any(sandproof_operation& operation) noexcept {
  return std::visit([](auto& verb) noexcept -> AnyOperation& { return verb; }, operation.verb);
}

Instant instant(std::int64_t milliseconds) noexcept {
  return Instant(std::chrono::milliseconds(milliseconds));
}

// ---- Requests. ----

// Parts are the session, the path and the body of a request; `made` keeps a body that is written
// for it.
struct Parts {
  std::string_view session_id;
  std::string_view path;
  std::string_view body;
};

struct PartsOf {
  std::optional<std::string>& made;

  Parts operator()(const Wait&) const { return {}; }
  Parts operator()(const CreateCall& call) const { return {{}, {}, written(call.body)}; }
  Parts operator()(const ExecCall& call) const { return {call.id.view(), {}, written(call.body)}; }
  Parts operator()(const MkdirCall& call) const { return {call.id.view(), {}, written(call.body)}; }
  Parts operator()(const ReadFileCall& call) const {
    return {call.id.view(), call.path.view(), {}};
  }
  Parts operator()(const WriteFileCall& call) const {
    return {call.id.view(), call.path.view(), call.content};
  }
  template <class Call>
  Parts operator()(const Call& call) const {
    return {call.id.view(), {}, {}};
  }

 private:
  template <class Body>
  std::string_view written(const Body& body) const {
    if (!made) made = encode(body);
    return *made;
  }
};

// ---- Answers. ----

// read_as gives a body of the kind that a request asks for.
template <class Body>
Reply<Body> read_as(std::string_view) {
  return Accepted{};
}
template <>
Reply<SandboxRecord> read_as<SandboxRecord>(std::string_view body) {
  return decode_record(body);
}
template <>
Reply<ExecResult> read_as<ExecResult>(std::string_view body) {
  return decode_exec_result(body);
}
template <>
Reply<FileContent> read_as<FileContent>(std::string_view body) {
  return FileContent{std::string(body)};
}

Answer read_answer(const Request& request, std::string_view body) {
  return std::visit(
      [body]<class Call>(const Call&) -> Answer { return read_as<typename Call::Body>(body); },
      request);
}

// is_failure: HTTP has such a status, and it is no success.
bool is_failure(std::int32_t status) noexcept {
  return 100 <= status && status <= 599 && status / 100 != 2;
}

// is_whole: the error has the status that its kind has, and no other mark.
bool is_whole(const sandproof_transport_error& error) noexcept {
  if (!to_enum<Kind>(error.kind, k_kind_count) || !to_enum<bool>(error.is_delayed, 2) ||
      !is_usable(error.raw) || (error.status != nullptr && !is_failure(*error.status))) {
    return false;
  }
  if (error.kind == SANDPROOF_TRANSPORT_CONFLICT) return true;
  return error.is_delayed == 0 &&
         (error.status != nullptr) == (error.kind == SANDPROOF_TRANSPORT_HTTP_STATUS);
}

TransportError from_c(const sandproof_transport_error& error) {
  std::string raw(view(error.raw));
  switch (static_cast<Kind>(error.kind)) {
    case Kind::not_found:
      return TransportError::not_found(std::move(raw));
    case Kind::access_denied:
      return TransportError::access_denied(std::move(raw));
    case Kind::invalid_input:
      return TransportError::invalid_input(std::move(raw));
    case Kind::conflict:
      return TransportError::conflict(
          error.status == nullptr ? std::nullopt : std::optional(*error.status),
          static_cast<TransportError::Propagation>(error.is_delayed), std::move(raw));
    case Kind::http_status:
      return TransportError::http_status(*error.status, std::move(raw));
    case Kind::timed_out:
      return TransportError::timed_out(std::move(raw));
    case Kind::unavailable:
      break;
  }
  return TransportError::unavailable(std::move(raw));
}

// go_on gives an operation the answer to its request. Where there is no memory for the answer it
// has not moved; where there is none behind that, it is lost.
template <class Answering>
sandproof_status go_on(sandproof_operation& operation, std::int64_t sent, std::int64_t answered,
                       Answering answer_to) noexcept {
  AnyOperation& driven = any(operation);
  return guarded([&] {
    Answer answer = answer_to(*driven.request());
    operation.is_lost = true;  // unless nothing fails
    driven.sent(instant(sent));
    driven.resume(std::move(answer), instant(answered));
    operation.body.reset();
    operation.is_lost = false;
    return SANDPROOF_ACCEPTED;
  });
}

// ---- Results. ----

static_assert(number(ErrorCode::invalid_input) + 1 == SANDPROOF_ERROR_INVALID_INPUT);
static_assert(number(ErrorCode::operation_not_supported) + 1 ==
              SANDPROOF_ERROR_OPERATION_NOT_SUPPORTED);
static_assert(number(ErrorCode::command_failed) + 1 == SANDPROOF_ERROR_COMMAND_FAILED);
static_assert(number(ErrorCode::outcome_unknown) + 1 == SANDPROOF_ERROR_OUTCOME_UNKNOWN);
static_assert(number(ErrorCode::unreachable) + 1 == SANDPROOF_ERROR_UNREACHABLE);
static_assert(number(ErrorCode::not_as_declared) + 1 == SANDPROOF_ERROR_NOT_AS_DECLARED);
static_assert(number(ErrorCode::unexpected_response) + 1 == SANDPROOF_ERROR_UNEXPECTED_RESPONSE);
static_assert(k_error_code_count == SANDPROOF_ERROR_UNEXPECTED_RESPONSE);
static_assert(number(Failure::data_plane_refused) + 1 == SANDPROOF_FAILURE_DATA_PLANE_REFUSED);
static_assert(number(Failure::session_gone) + 1 == SANDPROOF_FAILURE_SESSION_GONE);
static_assert(number(Failure::session_terminated) + 1 == SANDPROOF_FAILURE_SESSION_TERMINATED);
static_assert(number(Failure::session_not_ready) + 1 == SANDPROOF_FAILURE_SESSION_NOT_READY);
static_assert(number(Failure::session_suspended) + 1 == SANDPROOF_FAILURE_SESSION_SUSPENDED);
static_assert(number(Failure::command_not_bounded) + 1 == SANDPROOF_FAILURE_COMMAND_NOT_BOUNDED);
static_assert(number(Failure::deadline_exceeded) + 1 == SANDPROOF_FAILURE_DEADLINE_EXCEEDED);
static_assert(number(Failure::sandbox_left_awake) + 1 == SANDPROOF_FAILURE_SANDBOX_LEFT_AWAKE);
static_assert(number(Failure::sandbox_left_behind) + 1 == SANDPROOF_FAILURE_SANDBOX_LEFT_BEHIND);
static_assert(k_failure_count == SANDPROOF_FAILURE_SANDBOX_LEFT_BEHIND);

// ResultOf fills in what a value has.
struct ResultOf {
  sandproof_result& to;

  void operator()(const Session& session) const {
    to.has_session = 1;
    to.session_id = text(session.id.view());
    to.state = number(session.state);
    to.generation = session.generation;
  }
  void operator()(const std::optional<Session>& session) const {
    if (session) (*this)(*session);
  }
  void operator()(const std::string& content) const { to.content = text(content); }
  void operator()(const CommandRun& run) const {
    for (const CommandRun::Frame& frame : run.frames) {
      const bool is_output = frame.stream == CommandRun::Stream::standard_output;
      (is_output ? to.standard_output : to.standard_error) = text(frame.data);
    }
    to.preamble = text(run.preamble);
    to.has_exit_code = number(run.end.has_value());
    to.exit_code = run.end.value_or(0);
  }
};

sandproof_result result_of(AnyVerb& verb) {
  sandproof_result result{};
  if (const Error* const error = error_of(verb)) {
    result.error = number(error->code()) + 1;
    if (const auto failure = error->failure()) result.failure = number(*failure) + 1;
    if (const auto& session = error->session()) result.session_id = text(session->view());
    if (const auto& attempt = error->attempt()) result.attempt = text(attempt->view());
  }
  std::visit(
      [&result]<class T>(Operation<T>& operation) {
        if constexpr (!std::is_void_v<T>) {
          if (const Result<T>& ended = *operation.result()) ResultOf{result}(*ended);
        }
      },
      verb);
  return result;
}

// Which operations may be looked at, and which take an answer, and which have a result.
bool is_usable_operation(sandproof_operation* operation) noexcept {
  return operation != nullptr && !operation->is_lost;
}
bool is_waiting(sandproof_operation* operation) noexcept {
  return is_usable_operation(operation) && any(*operation).request() != nullptr;
}
bool has_ended(sandproof_operation* operation) noexcept {
  return is_usable_operation(operation) && any(*operation).request() == nullptr;
}

}  // namespace

sandproof_status sandproof_operation_get_request(sandproof_operation* operation,
                                                 sandproof_request* request) noexcept {
  if (!is_usable_operation(operation) || !are_usable(request)) return SANDPROOF_BAD_CALL;
  const Request* const next = any(*operation).request();
  if (next == nullptr) return give(sandproof_request{}, *request);
  return guarded([&] {
    const Parts parts = std::visit(PartsOf{operation->body}, *next);
    return give(sandproof_request{number(next->index()) + 1, bound_of(*next).count(),
                                  text(parts.session_id), text(parts.path), text(parts.body)},
                *request);
  });
}

sandproof_status sandproof_operation_answer(sandproof_operation* operation, sandproof_text body,
                                            std::int64_t sent_milliseconds,
                                            std::int64_t answered_milliseconds) noexcept {
  if (!is_waiting(operation) || !are_usable(body)) return SANDPROOF_BAD_CALL;
  return go_on(*operation, sent_milliseconds, answered_milliseconds,
               [&](const Request& request) { return read_answer(request, view(body)); });
}

sandproof_status sandproof_operation_fail(sandproof_operation* operation,
                                          const sandproof_transport_error* error,
                                          std::int64_t sent_milliseconds,
                                          std::int64_t answered_milliseconds) noexcept {
  if (!is_waiting(operation) || !are_usable(error) || !is_whole(*error)) return SANDPROOF_BAD_CALL;
  if (std::holds_alternative<Wait>(*any(*operation).request())) return SANDPROOF_BAD_CALL;
  return go_on(*operation, sent_milliseconds, answered_milliseconds,
               [&](const Request&) -> Answer { return std::unexpected(from_c(*error)); });
}

sandproof_status sandproof_operation_get_result(sandproof_operation* operation,
                                                sandproof_result* result) noexcept {
  if (!has_ended(operation) || !are_usable(result)) return SANDPROOF_BAD_CALL;
  return give(result_of(operation->verb), *result);
}

sandproof_status sandproof_operation_explain(sandproof_operation* operation,
                                             sandproof_buffer* sentence) noexcept {
  if (!has_ended(operation) || !are_usable(sentence)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const Error* const error = error_of(operation->verb);
    return write(error == nullptr ? std::string() : error->external(), *sentence);
  });
}

sandproof_status sandproof_operation_get_json(sandproof_operation* operation,
                                              sandproof_buffer* json) noexcept {
  if (!has_ended(operation) || !are_usable(json)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    return write(result_json(operation->verb, operation->surroundings->warnings), *json);
  });
}

void sandproof_operation_free(sandproof_operation* operation) noexcept { delete operation; }
