// The provider for Azure's sandbox data plane: every verb as an operation.
//
// It translates. What may be sent, what a policy or a report means, what a state allows: each is a
// decision of the core. It does no I/O, reads no clock, and has no state but its configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/command.h"
#include "sandproof/egress.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/environment.h"
#include "sandproof/error.h"
#include "sandproof/operation.h"
#include "sandproof/plain_text.h"
#include "sandproof/session_state.h"

namespace sandproof {

// How long a session has to become ready, and how often that is looked at.
inline constexpr std::chrono::milliseconds k_ready_bound = std::chrono::seconds{120};
inline constexpr std::chrono::milliseconds k_ready_interval = std::chrono::seconds{2};

// How often, and at which distance, it is looked whether a deleted session is gone.
inline constexpr int k_terminate_polls = 15;
inline constexpr std::chrono::milliseconds k_terminate_interval = std::chrono::seconds{2};

// Capabilities is what a platform can do, whatever was declared.
struct Capabilities {
  bool files = false;
  bool reconnect = false;
  bool suspend_resume = false;
  bool domain_egress_rules = false;
  bool egress_deny = false;
  bool enforced_limits = false;
  bool jobs = false;
  bool preview = false;
  bool snapshot = false;
  bool process_limit = false;
  bool session_lifetime = false;
  bool supervisor_namespace = false;
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

// Session is a sandbox that a caller may use.
struct Session {
  OwnedSessionId id;
  SessionState state;
  std::uint32_t generation = 1;
};

// CreateRequest is what a caller may say of a new session. There is no id to ask for: the service
// mints it. A tenant key is refused, because the service has nowhere to put one.
struct CreateRequest {
  std::span<const EnvEntry> environment;
  std::optional<std::string_view> tenant_key;
};

// RunRequest is a command and how long it may run: 1 ms to 24 h. Zero is "no deadline", which is
// not supported.
struct RunRequest {
  CommandRequest command;
  std::chrono::milliseconds deadline;
};

// CommandRun is a command that ran, or may have run. `frames` are its output, numbered from 0; an
// empty stream has none. `end` is its exit code, or why there is none: the deadline ended it, or
// nobody knows. `preamble` is what the sandbox's own shell wrote before the command.
struct CommandRun {
  enum class Stream : std::uint8_t { standard_output, standard_error };
  struct Frame {
    Stream stream;
    std::uint64_t seq;
    std::string data;
    friend bool operator==(const Frame&, const Frame&) = default;
  };

  std::vector<Frame> frames;
  std::expected<std::int32_t, Error> end;
  std::string preamble;
};

// File is one file to write.
struct File {
  std::string_view path;
  std::string_view content;
};

// AzureConfig is everything that a provider knows. It has been parsed already: nothing in it can be
// refused later.
struct AzureConfig {
  PlainText disk_image;
  PlainText cpu;     // in the service's own units, as in "1000m"
  PlainText memory;  // as in "2048Mi"
  std::optional<PlainText> disk = {};
  DeclaredEgress egress = DeclaredEgress::deny();
  Acceptance acceptance = Acceptance::identical;
  std::vector<Tolerance> tolerances = {};
  std::optional<std::uint32_t> idle_suspend_seconds = {};
  SessionRules session_rules = {};  // its rule must outlive the provider and its operations

  // random fills in 16 random bytes: call ids and attempt labels. Required; must not throw. Called
  // from every thread that makes or drives operations.
  std::function<void(std::span<std::uint8_t, 16>)> random;

  // warn takes what nobody can act on in a result. Called from every thread that drives operations;
  // what it throws is dropped. May be empty.
  std::function<void(const Error&)> warn = {};
};

// AzureSandbox makes operations. Copies share one configuration, which lives as long as any
// operation of it. Every argument is parsed, and copied, before a verb returns: a refusal is an
// operation that has ended, with nothing sent, naming the verb and the field.
//
// Every verb may be called from any thread.
class AzureSandbox {
 public:
  explicit AzureSandbox(AzureConfig config);

  [[nodiscard]] Capabilities capabilities() const noexcept;

  // create makes a session, waits until it runs, and judges its policy there. Whatever fails after
  // the service made a sandbox deletes it; what could not be deleted is named, by its id or by the
  // attempt label that every error carries from the first request on.
  [[nodiscard]] Operation<Session> create(const CreateRequest& request) const;

  // get reads a session: nothing where it does not exist.
  [[nodiscard]] Operation<std::optional<Session>> get(std::string_view session_id) const;

  // get_or_create brings the named session back into service, or, where that is gone, terminated or
  // not as declared, makes a new one. Any other failure is returned.
  [[nodiscard]] Operation<Session> get_or_create(std::optional<std::string_view> session_id,
                                                 const CreateRequest& request) const;

  // run_command runs one command in a running session whose policy holds, and ends it at its
  // deadline.
  [[nodiscard]] Operation<CommandRun> run_command(std::string_view session_id,
                                                  const RunRequest& request) const;

  // read_file and mkdir add nothing to a sandbox, so the policy is not judged for them.
  [[nodiscard]] Operation<std::string> read_file(std::string_view session_id,
                                                 std::string_view path) const;
  [[nodiscard]] Operation<void> mkdir(std::string_view session_id, std::string_view path) const;

  // write_files writes one file after another, in the order of their paths, into a running session
  // whose policy holds. It stops at the first failure; what was written stays.
  [[nodiscard]] Operation<void> write_files(std::string_view session_id,
                                            std::span<const File> files) const;

  // suspend asks for a stop; it does not wait for it. resume wakes a session whose policy holds,
  // and judges it again once it runs.
  [[nodiscard]] Operation<void> suspend(std::string_view session_id) const;
  [[nodiscard]] Operation<void> resume(std::string_view session_id) const;

  // terminate deletes a session, and says so only once it is not found any more.
  [[nodiscard]] Operation<void> terminate(std::string_view session_id) const;

  // These are not supported, whatever their arguments: each says why.
  [[nodiscard]] Operation<void> list() const;
  [[nodiscard]] Operation<void> preview(std::string_view session_id, std::uint16_t port) const;
  [[nodiscard]] Operation<void> snapshot(std::string_view session_id) const;
  [[nodiscard]] Operation<void> start_job(std::string_view session_id,
                                          const RunRequest& request) const;
  [[nodiscard]] Operation<void> poll_job(std::string_view session_id,
                                         std::string_view job_id) const;
  [[nodiscard]] Operation<void> cancel_job(std::string_view session_id,
                                           std::string_view job_id) const;

 private:
  std::shared_ptr<const AzureConfig> config_;
};

}  // namespace sandproof
