#include "errors.h"

#include <utility>

namespace sandproof::provider {
namespace {

// The argument that holds what was refused, as callers call it.
std::string_view field_of(Subject subject) noexcept {
  switch (subject) {
    case Subject::session_id:
      return "sessionId";
    case Subject::path:
      return "path";
    case Subject::env_name:
    case Subject::env_value:
      return "env";
    case Subject::working_directory:
      return "workingDirectory";
    case Subject::deadline:
      return "deadline";
    default:
      return "command";
  }
}

Error invalid_input(Verb verb, const Refusal& refusal, std::string sentence) {
  return Error({.code = ErrorCode::invalid_input,
                .verb = verb,
                .why = "an argument is refused",
                .evidence = RefusedInput{refusal, field_of(refusal.subject), std::move(sentence)}});
}

constexpr bool may_do_twice(Verb verb) noexcept {
  return verb == Verb::create || verb == Verb::run_command;
}

Evidence evidence_of(const CallError& error) {
  return std::visit([](const auto& each) { return Evidence(each); }, error);
}

const TransportError* transport(const CallError& error) noexcept {
  return std::get_if<TransportError>(&error);
}

}  // namespace

Error refused(Verb verb, const Refusal& refusal, std::string_view input) {
  return invalid_input(verb, refusal, explain(refusal, input));
}

Error refused_environment(Verb verb, const Refusal& refusal, std::span<const EnvEntry> entries) {
  const EnvEntry& entry = entries[refusal.word];
  if (refusal.subject == Subject::env_name) return refused(verb, refusal, entry.name);
  return invalid_input(verb, refusal, escaped(entry.name) + ": " + explain(refusal, entry.value));
}

Error refused_command(Verb verb, const Refusal& refusal, const CommandRequest& request) {
  switch (refusal.subject) {
    case Subject::env_name:
    case Subject::env_value:
      return refused_environment(verb, refusal, request.variables);
    case Subject::word:
      return refused(verb, refusal, request.argv[refusal.word]);
    case Subject::working_directory:
      return refused(verb, refusal, *request.working_directory);
    default:
      return refused(verb, refusal, request.argv.empty() ? "" : request.argv.front());
  }
}

Error not_supported(Verb verb, Literal why) {
  return Error({.code = ErrorCode::operation_not_supported, .verb = verb, .why = why});
}

Error failed(Verb verb, const CallError& error, const std::optional<OwnedSessionId>& session) {
  Error::Parts parts{.code = ErrorCode::unreachable,
                     .verb = verb,
                     .why = "the data plane did not complete the call; it may be repeated",
                     .session = session,
                     .evidence = evidence_of(error)};
  if (is_refusal(error)) {
    parts.code = ErrorCode::command_failed;
    parts.failure = Failure::data_plane_refused;
    parts.why = "the data plane refused the call";
  } else if (may_do_twice(verb)) {
    parts.code = ErrorCode::outcome_unknown;
    parts.why = "the data plane did not complete the call; it may have taken effect";
  } else if (transport(error) == nullptr) {
    parts.code = ErrorCode::unexpected_response;
    parts.why = "the data plane's answer cannot be read";
  }
  return Error(std::move(parts));
}

Error command_failed(Verb verb, Failure failure, const OwnedSessionId& session, Literal why,
                     Evidence evidence) {
  return Error({.code = ErrorCode::command_failed,
                .verb = verb,
                .why = why,
                .failure = failure,
                .session = session,
                .evidence = std::move(evidence)});
}

Error outcome_unknown(const OwnedSessionId& session, Literal why, Evidence evidence) {
  return Error({.code = ErrorCode::outcome_unknown,
                .verb = Verb::run_command,
                .why = why,
                .session = session,
                .evidence = std::move(evidence)});
}

Error unexpected(Verb verb, const std::optional<OwnedSessionId>& session, Literal why,
                 std::string foreign) {
  return Error({.code = ErrorCode::unexpected_response,
                .verb = verb,
                .why = why,
                .session = session,
                .evidence = Foreign{std::move(foreign)}});
}

bool is_not_found(const CallError& error) noexcept {
  return transport(error) != nullptr && transport(error)->is_not_found();
}

bool is_refusal(const CallError& error) noexcept {
  return transport(error) != nullptr && transport(error)->is_refusal();
}

bool is_timed_out(const CallError& error) noexcept {
  return transport(error) != nullptr && transport(error)->kind() == TransportError::Kind::timed_out;
}

}  // namespace sandproof::provider
