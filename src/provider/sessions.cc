// A session's life: made, read, brought back, put to sleep, woken, ended.
#include <utility>

#include "errors.h"
#include "steps.h"
#include "verbs.h"

namespace sandproof::provider {
namespace {

// Everything that can fail after the sandbox exists is here, so that there is one place to delete
// it from. The running sandbox is judged, not the answer to the create: that one may come before
// the policy does.
Step<Session> settle(const AzureConfig& config, const OwnedSessionId& id) {
  bool woken = false;  // deleting it puts it back
  Step<Session> coming_up = bring_up(config, Verb::create, id, woken);
  Result<Session> session = co_await coming_up;
  if (session) co_return session;
  Step<void> discarding = discard(config, OwnedAddressableId(id.borrow()), session.error());
  const Result<void> discarded = co_await discarding;
  co_return std::unexpected(discarded.error());
}

// An id that is no session id can serve nobody. It may still name something to delete, unless it is
// itself the hazard.
Step<void> reject_minted(const AzureConfig& config, const std::string& minted,
                         const CallId& attempt) {
  Error error = unexpected(Verb::create, std::nullopt,
                           "the data plane made a sandbox under an id that cannot be used", minted)
                    .labelled(attempt);
  const auto id = AddressableId::parse(minted);
  if (!id) {
    warn(config, unexpected(Verb::create, std::nullopt,
                            "a sandbox is running under an id that is never put in a URL, so it "
                            "cannot be deleted from here",
                            minted)
                     .labelled(attempt));
    co_return std::unexpected(std::move(error));
  }
  Step<void> discarding = discard(config, OwnedAddressableId(*id), std::move(error));
  const Result<void> discarded = co_await discarding;
  co_return std::unexpected(discarded.error());
}

Step<Session> reconnect(const AzureConfig& config, const OwnedSessionId& id) {
  constexpr Verb k_verb = Verb::get_or_create;
  Step<std::optional<Sighting>> reading = read_session(k_verb, id);
  const Result<std::optional<Sighting>> read = co_await reading;
  if (!read) co_return std::unexpected(read.error());
  const Error gone =
      command_failed(k_verb, Failure::session_gone, id, "the session cannot take work");
  if (!*read || (*read)->state == ServiceState::deleting) co_return std::unexpected(gone);
  if ((*read)->state == ServiceState::failed) {
    Step<void> discarding = discard(config, OwnedAddressableId(id.borrow()), gone);
    const Result<void> discarded = co_await discarding;
    co_return std::unexpected(discarded.error());
  }
  const Result<void> judged = judge_if_judgeable(config, k_verb, id, **read);
  if (!judged) co_return std::unexpected(judged.error());

  bool woken = false;
  Step<Session> coming_up = bring_up(config, k_verb, id, woken);
  Result<Session> session = co_await coming_up;
  if (session) co_return session;
  Step<void> putting_back = put_back(config, id, woken, session.error());
  const Result<void> back = co_await putting_back;
  co_return std::unexpected(back.error());
}

// is_replaceable says that the named session can serve nobody under this declaration, and that
// nothing of this call's is left in it.
bool is_replaceable(const Error& error) {
  return error.code() == ErrorCode::not_as_declared || error.is(Failure::session_gone) ||
         error.is(Failure::session_terminated);
}

}  // namespace

Step<Session> make_session(Config config, SessionEnvironment environment) {
  const CallId attempt = draw_id(*config);
  CreateCall create{{.disk_image = config->disk_image,
                     .cpu = config->cpu,
                     .memory = config->memory,
                     .disk = config->disk,
                     .environment = std::move(environment),
                     .egress = created_with(config->egress),
                     .attempt = attempt,
                     .idle_suspend = config->idle_suspend_seconds.transform(
                         [](std::uint32_t seconds) { return std::chrono::seconds(seconds); })}};
  const Reply<SandboxRecord> made = co_await create;
  if (!made) {
    co_return std::unexpected(failed(Verb::create, made.error(), std::nullopt).labelled(attempt));
  }
  const auto id = SessionId::parse(made->id);
  if (!id) {
    Step<void> rejecting = reject_minted(*config, made->id, attempt);
    const Result<void> rejected = co_await rejecting;
    co_return std::unexpected(rejected.error().labelled(attempt));
  }
  const OwnedSessionId minted(*id);
  Step<Session> settling = settle(*config, minted);
  Result<Session> session = co_await settling;
  if (!session) co_return std::unexpected(session.error().labelled(attempt));
  co_return session;
}

Step<std::optional<Session>> get_session(Config config, OwnedSessionId id) {
  Step<std::optional<Sighting>> reading = read_session(Verb::get, id);
  const Result<std::optional<Sighting>> read = co_await reading;
  if (!read) co_return std::unexpected(read.error());
  if (!*read) co_return std::nullopt;
  const Result<void> judged = judge_if_judgeable(*config, Verb::get, id, **read);
  if (!judged) co_return std::unexpected(judged.error());
  co_return Session{id, session_state((*read)->state)};
}

Step<Session> reconnect_or_make(Config config, OwnedSessionId id, SessionEnvironment environment) {
  Step<Session> reconnecting = reconnect(*config, id);
  Result<Session> session = co_await reconnecting;
  if (session || !is_replaceable(session.error())) co_return session;
  Step<Session> making = make_session(config, std::move(environment));
  Result<Session> made = co_await making;
  co_return made;
}

Step<void> suspend_session(OwnedSessionId id) {
  StopCall stop{id};
  const Reply<Accepted> stopped = co_await stop;
  if (stopped) co_return Result<void>{};
  // The answer may be lost and the stop not: the record says.
  Step<std::optional<Sighting>> reading = read_session(Verb::suspend, id);
  const Result<std::optional<Sighting>> read = co_await reading;
  if (!read) co_return std::unexpected(read.error());
  if (!*read || session_state((*read)->state) == SessionState::suspended) co_return Result<void>{};
  co_return std::unexpected(failed(Verb::suspend, stopped.error(), id));
}

Step<void> resume_session(Config config, OwnedSessionId id) {
  Step<std::optional<Sighting>> reading = read_session(Verb::resume, id);
  const Result<std::optional<Sighting>> read = co_await reading;
  if (!read) co_return std::unexpected(read.error());
  if (!*read) {
    co_return std::unexpected(
        command_failed(Verb::resume, Failure::session_gone, id, "the session does not exist"));
  }
  const Result<void> judged = judge_if_judgeable(*config, Verb::resume, id, **read);
  if (!judged) co_return std::unexpected(judged.error());

  bool woken = false;
  Step<Session> coming_up = bring_up(*config, Verb::resume, id, woken);
  const Result<Session> session = co_await coming_up;
  if (session) co_return Result<void>{};
  Step<void> putting_back = put_back(*config, id, woken, session.error());
  const Result<void> back = co_await putting_back;
  co_return std::unexpected(back.error());
}

Step<void> terminate_session(Config config, OwnedSessionId id) {
  Step<void> ending = end_session(*config, id);
  const Result<void> ended = co_await ending;
  co_return ended;
}

}  // namespace sandproof::provider
