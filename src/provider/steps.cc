#include "steps.h"

#include "errors.h"

namespace sandproof::provider {
namespace {

constexpr int k_ready_polls = static_cast<int>(k_ready_bound / k_ready_interval);

std::string describe_policy(const SandboxRecord& record) {
  if (const auto* unreadable = std::get_if<Unreadable>(&record.policy)) {
    return "a policy that cannot be read: " + explain(*unreadable);
  }
  if (const auto* policy = std::get_if<EgressPolicy>(&record.policy)) return describe(*policy);
  return describe(std::nullopt);
}

Result<void> policy_must_hold(const AzureConfig& config, Verb verb, const OwnedSessionId& id,
                              const SandboxRecord& record) {
  Comparison comparison = compare(config.egress, normal_form(record), config.tolerances);
  const Verdict verdict = comparison.verdict();
  if (accepts(config.acceptance, verdict)) return {};
  return std::unexpected(Error(
      {.code = ErrorCode::not_as_declared,
       .verb = verb,
       .why = "the session's egress policy is not the declared one",
       .session = id,
       .evidence = NotDeclared{verdict, std::move(comparison.findings), describe_policy(record)}}));
}

// unfit says why a session in this state takes no work, or nothing for one that does.
std::optional<Error> unfit(Verb verb, const OwnedSessionId& id, ServiceState state) {
  switch (session_state(state)) {
    case SessionState::running:
      return std::nullopt;
    case SessionState::starting:
      return command_failed(verb, Failure::session_not_ready, id,
                            "the session is still starting; wait for it");
    case SessionState::suspended:
      return command_failed(verb, Failure::session_suspended, id,
                            "the session is suspended or stopping; resume it first");
    case SessionState::terminated:
      break;
  }
  return command_failed(verb, Failure::session_gone, id,
                        "the session has failed or is being deleted");
}

// Waking is what became of a resume: whether the session is this call's to put back, and the
// failure, if there was one.
struct Waking {
  bool owned;
  std::optional<Error> failure;
};

Step<Waking> wake(const AzureConfig& config, const OwnedSessionId& id) {
  ResumeCall resume{id};
  const Reply<Accepted> resumed = co_await resume;
  if (resumed) co_return Waking{true, std::nullopt};
  const Error failure = failed(Verb::resume, resumed.error(), id);
  warn(config, failure);
  // Only a refusal proves that the session did not wake.
  co_return Waking{!is_refusal(resumed.error()), failure};
}

Error not_ready(Verb verb, const OwnedSessionId& id, const std::optional<Error>& refusal) {
  Error::Parts parts{.code = ErrorCode::command_failed,
                     .verb = verb,
                     .why = "the session was not running within 120 s",
                     .failure = Failure::session_not_ready,
                     .session = id};
  if (refusal) return Error(std::move(parts), *refusal);
  return Error(std::move(parts));
}

Step<SandboxRecord> await_running(const AzureConfig& config, Verb verb, const OwnedSessionId& id,
                                  bool& woken) {
  const Instant started = co_await k_now;
  std::optional<Error> refusal;
  for (int poll = 0;; ++poll) {
    Step<std::optional<Sighting>> reading = read_session(verb, id);
    Result<std::optional<Sighting>> read = co_await reading;
    if (!read) co_return std::unexpected(std::move(read).error());
    if (!*read) {
      co_return std::unexpected(command_failed(verb, Failure::session_gone, id,
                                               "the session disappeared while it was waited for"));
    }
    Sighting& seen = **read;
    switch (session_state(seen.state)) {
      case SessionState::running:
        co_return std::move(seen.record);
      case SessionState::terminated:
        co_return std::unexpected(command_failed(verb, Failure::session_terminated, id,
                                                 "the session will not run again"));
      case SessionState::starting:
        break;
      case SessionState::suspended:
        if (seen.state == ServiceState::stopping) break;  // cannot be resumed before it has stopped
        const Result<void> judged = judge_if_judgeable(config, verb, id, seen);
        if (!judged) co_return std::unexpected(judged.error());
        Step<Waking> waking = wake(config, id);
        Result<Waking> woke = co_await waking;
        woken = woken || woke->owned;
        refusal = std::move(woke->failure);
        break;
    }
    // Both bounds, so that a clock that stands still ends the wait as well.
    const Instant now = co_await k_now;
    if (elapsed(started, now) >= k_ready_bound || poll == k_ready_polls) {
      co_return std::unexpected(not_ready(verb, id, refusal));
    }
    Wait pause{k_ready_interval};
    co_await pause;
  }
}

}  // namespace

Step<std::optional<Sighting>> read_session(Verb verb, const OwnedSessionId& id) {
  GetCall get{id};
  Reply<SandboxRecord> reply = co_await get;
  if (!reply && is_not_found(reply.error())) co_return std::nullopt;
  if (!reply) co_return std::unexpected(failed(verb, reply.error(), id));
  if (reply->id != id.view()) {
    co_return std::unexpected(
        unexpected(verb, id, "the data plane answered with another session's record", reply->id));
  }
  const auto state = parse_state(reply->state);
  if (!state) {
    co_return std::unexpected(unexpected(verb, id, "the session's state is not one that is known",
                                         reply->state.value_or("absent")));
  }
  co_return Sighting{*std::move(reply), *state};
}

Step<FitSession> fit_session(const AzureConfig& config, Verb verb, const OwnedSessionId& id) {
  Step<std::optional<Sighting>> reading = read_session(verb, id);
  const Result<std::optional<Sighting>> read = co_await reading;
  if (!read) co_return std::unexpected(read.error());
  if (!*read) {
    co_return std::unexpected(
        command_failed(verb, Failure::session_gone, id, "the session does not exist"));
  }
  if (auto error = unfit(verb, id, (*read)->state)) co_return std::unexpected(*std::move(error));
  const Result<void> judged = policy_must_hold(config, verb, id, (*read)->record);
  if (!judged) co_return std::unexpected(judged.error());
  co_return FitSession(id);
}

Result<void> judge_if_judgeable(const AzureConfig& config, Verb verb, const OwnedSessionId& id,
                                const Sighting& seen) {
  if (!judgeable(seen.state, carries_policy(seen.record))) return {};
  return policy_must_hold(config, verb, id, seen.record);
}

Step<Session> bring_up(const AzureConfig& config, Verb verb, const OwnedSessionId& id,
                       bool& woken) {
  Step<SandboxRecord> waiting = await_running(config, verb, id, woken);
  const Result<SandboxRecord> running = co_await waiting;
  if (!running) co_return std::unexpected(running.error());
  const Result<void> judged = policy_must_hold(config, verb, id, *running);
  if (!judged) co_return std::unexpected(judged.error());
  co_return Session{id, SessionState::running};
}

Step<void> put_back(const AzureConfig& config, const OwnedSessionId& id, bool woken, Error reason) {
  if (!woken) co_return std::unexpected(std::move(reason));
  StopCall stop{id};
  const Reply<Accepted> stopped = co_await stop;
  if (stopped || is_not_found(stopped.error())) co_return std::unexpected(std::move(reason));
  warn(config, failed(reason.verb(), stopped.error(), id));
  co_return std::unexpected(
      Error({.code = ErrorCode::command_failed,
             .verb = reason.verb(),
             .why = "the session was woken by this call, and could not be put to sleep again",
             .failure = Failure::sandbox_left_awake,
             .session = id},
            reason));
}

Step<void> discard(const AzureConfig& config, OwnedAddressableId id, Error reason) {
  DeleteCall remove{id};
  const Reply<Accepted> removed = co_await remove;
  if (removed || is_not_found(removed.error())) co_return std::unexpected(std::move(reason));
  const std::optional<OwnedSessionId> named = reason.session();
  const Error failure = failed(reason.verb(), removed.error(), named);
  warn(config, reason.attempt() ? failure.labelled(*reason.attempt()) : failure);
  co_return std::unexpected(Error(
      {.code = ErrorCode::command_failed,
       .verb = reason.verb(),
       .why = "a sandbox that no caller received could not be deleted, and may still be there",
       .failure = Failure::sandbox_left_behind,
       .session = named},
      reason));
}

Step<void> end_session(const AzureConfig& config, const OwnedSessionId& id) {
  DeleteCall remove{OwnedAddressableId(id.borrow())};
  const Reply<Accepted> removed = co_await remove;
  if (!removed && !is_not_found(removed.error())) {
    co_return std::unexpected(failed(Verb::terminate, removed.error(), id));
  }
  for (int poll = 0; poll < k_terminate_polls; ++poll) {
    if (poll > 0) {
      Wait pause{k_terminate_interval};
      co_await pause;
    }
    Step<std::optional<Sighting>> reading = read_session(Verb::terminate, id);
    const Result<std::optional<Sighting>> read = co_await reading;
    if (read && !*read) co_return Result<void>{};
    // A read that failed is not a session that is gone, and no reason to stop looking.
    if (!read) warn(config, read.error());
  }
  co_return std::unexpected(
      Error({.code = ErrorCode::unreachable,
             .verb = Verb::terminate,
             .why = "the deletion was accepted, and the session was still there after 15 polls; it "
                    "may still be running",
             .session = id}));
}

void warn(const AzureConfig& config, const Error& error) noexcept {
  if (!config.warn) return;
  try {
    config.warn(error);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a warning changes nothing of what happens
  }
}

}  // namespace sandproof::provider
