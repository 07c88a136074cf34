// The verbs as coroutines. Their arguments have been parsed and are theirs: nothing here can be
// refused for what a caller wrote.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sandproof/azure_sandbox.h"
#include "sandproof/operation.h"

namespace sandproof::provider {

using Config = std::shared_ptr<const AzureConfig>;

// OwnedFile is one file to write.
struct OwnedFile {
  OwnedSandboxPath path;
  std::string content;
};

Step<Session> make_session(Config config, SessionEnvironment environment);
Step<std::optional<Session>> get_session(Config config, OwnedSessionId id);
Step<Session> reconnect_or_make(Config config, OwnedSessionId id, SessionEnvironment environment);
Step<void> suspend_session(OwnedSessionId id);
Step<void> resume_session(Config config, OwnedSessionId id);
Step<void> terminate_session(Config config, OwnedSessionId id);

Step<CommandRun> run_in_session(Config config, OwnedSessionId id, ExecBody body, CallId call_id,
                                Deadline deadline);
Step<std::string> read_one(OwnedSessionId id, OwnedSandboxPath path);
Step<void> write_each(Config config, OwnedSessionId id, std::vector<OwnedFile> files);
Step<void> make_directory(OwnedSessionId id, MkdirBody body);

// draw_id draws 16 random bytes: a call id, or an attempt label.
[[nodiscard]] CallId draw_id(const AzureConfig& config);

}  // namespace sandproof::provider
