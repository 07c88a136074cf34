// One sandbox of this machine: its state, its directory, its processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "local_process.h"
#include "sandproof/operation.h"
#include "sandproof/session_state.h"

namespace sandproof::provider {

// LocalSandbox may be called from any thread. What each call does is in local_data_plane.h.
class LocalSandbox {
 public:
  // Parts is what a sandbox is made of. Its directory is `id` in the directory `base`, which has
  // to stay open.
  struct Parts {
    std::string id;
    int base;
    Descriptor directory;
    std::vector<std::string> environment;
    std::optional<EgressPolicy> policy;
    std::optional<std::chrono::seconds> idle;
    int reads;
    std::chrono::milliseconds time;
  };

  explicit LocalSandbox(Parts parts);

  // read gives the record. For this and every call after it a sandbox that is gone is not_found.
  [[nodiscard]] Reply<SandboxRecord> read();

  [[nodiscard]] bool is_gone();

  // record is the same, without counting as a read.
  [[nodiscard]] SandboxRecord record();

  [[nodiscard]] Reply<Accepted> stop();
  [[nodiscard]] Reply<Accepted> resume();
  [[nodiscard]] Reply<Accepted> remove(SteadyTime until);
  [[nodiscard]] Reply<ExecResult> execute(const ExecBody& body, SteadyTime until);

  // files gives the directory for a file call, as long as the sandbox exists.
  [[nodiscard]] Reply<int> files();

  void set_state(ServiceState state);

 private:
  class Working;

  using Settled = std::expected<void, CallError>;

  [[nodiscard]] Settled settle(SteadyTime now);
  [[nodiscard]] Settled work(SteadyTime now);
  void enter(ServiceState state, SteadyTime now);
  void forget_ended();
  [[nodiscard]] Reply<Accepted> clear_away();
  [[nodiscard]] std::expected<std::shared_ptr<LocalProcess>, TransportError> start(
      const ExecBody& body);

  const Parts parts_;

  std::mutex mutex_;  // of everything below
  ServiceState state_ = ServiceState::creating;
  int reads_left_ = 0;
  SteadyTime next_state_at_;
  SteadyTime used_at_;
  int working_ = 0;  // calls that work in it
  bool is_cleared_ = false;
  bool is_gone_ = false;
  std::vector<std::shared_ptr<LocalProcess>> processes_;
};

}  // namespace sandproof::provider
