// What the verbs have in common: reading and judging a session, bringing one up, putting it back,
// and getting rid of one. The arguments outlive the step: they stand in the verb that awaits it.
#pragma once

#include <optional>
#include <utility>

#include "sandproof/azure_sandbox.h"
#include "sandproof/operation.h"
#include "sandproof/session_state.h"
#include "sandproof/wire.h"

namespace sandproof::provider {

// Sighting is one reading of the session that was asked for, in a state that is known.
struct Sighting {
  SandboxRecord record;
  ServiceState state;
};

// FitSession is a session that may be given work: a record read in this call says that it runs and
// that its policy holds. Only fit_session makes one, and every command and every file content that
// is sent is addressed by one.
class FitSession {
 public:
  [[nodiscard]] const OwnedSessionId& id() const noexcept { return id_; }

 private:
  friend Step<FitSession> fit_session(const AzureConfig&, Verb, const OwnedSessionId&);
  explicit FitSession(const OwnedSessionId& id) noexcept : id_(id) {}

  OwnedSessionId id_;
};

// read_session reads a session: nothing when it is not found.
Step<std::optional<Sighting>> read_session(Verb verb, const OwnedSessionId& id);

// fit_session reads a session that shall be given work. It wakes nothing.
Step<FitSession> fit_session(const AzureConfig& config, Verb verb, const OwnedSessionId& id);

// judge_if_judgeable holds a record to the declaration where it tells which policy the session has.
[[nodiscard]] Result<void> judge_if_judgeable(const AzureConfig& config, Verb verb,
                                              const OwnedSessionId& id, const Sighting& seen);

// bring_up waits until a session runs, waking it where it rests, and judges it there. `woken` says
// whether this call woke it, or may have.
Step<Session> bring_up(const AzureConfig& config, Verb verb, const OwnedSessionId& id, bool& woken);

// put_back stops a session that this call woke, and ends with `reason`; where the stop failed, with
// an error around it that says so.
Step<void> put_back(const AzureConfig& config, const OwnedSessionId& id, bool woken, Error reason);

// discard deletes a sandbox that nobody will receive, and ends with `reason`; where the delete
// failed, with an error around it that names what is left behind.
Step<void> discard(const AzureConfig& config, OwnedAddressableId id, Error reason);

// end_session deletes a session, and succeeds only when it is not found any more.
Step<void> end_session(const AzureConfig& config, const OwnedSessionId& id);

// warn tells whoever runs the service. It never fails.
void warn(const AzureConfig& config, const Error& error) noexcept;

}  // namespace sandproof::provider
