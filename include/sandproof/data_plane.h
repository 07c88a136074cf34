// A blocking transport, a clock, and the loop that drives an operation over them.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "sandproof/operation.h"

namespace sandproof {

// DataPlane is the service's data plane, over a transport that blocks. It is bound to one sandbox
// group. Its arguments are types that only a parse makes, so no id that leaves its URL segment and
// no path that names a parent can be passed.
//
// Each call returns within about `bound`, and says timed_out when the bound has passed; a time-out
// of its own that comes earlier is `unavailable`. Bodies are decoded by wire.h: a body that cannot
// be decoded is the Unreadable that the decoder gave. remove() and the calls after it are accepted,
// not completed. Standard error must come as the sandbox wrote it, read while the command runs:
// capping, merging or re-encoding it makes commands unattested.
//
// An exception from a call counts as `unavailable`.
class DataPlane {
 public:
  using Bound = std::chrono::milliseconds;

  DataPlane() = default;
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;
  virtual ~DataPlane() = default;

  virtual Reply<SandboxRecord> create(const CreateBody& body, Bound bound) = 0;
  virtual Reply<SandboxRecord> get(SessionId id, Bound bound) = 0;
  virtual Reply<Accepted> remove(AddressableId id, Bound bound) = 0;
  virtual Reply<Accepted> stop(SessionId id, Bound bound) = 0;
  virtual Reply<Accepted> resume(SessionId id, Bound bound) = 0;
  virtual Reply<ExecResult> execute(SessionId id, const ExecBody& body, Bound bound) = 0;
  virtual Reply<FileContent> read_file(SessionId id, SandboxPath path, Bound bound) = 0;
  virtual Reply<Accepted> write_file(SessionId id, SandboxPath path, std::string_view content,
                                     Bound bound) = 0;
  virtual Reply<Accepted> mkdir(SessionId id, const MkdirBody& body, Bound bound) = 0;
};

// Clock is time as the caller sees it: one that never goes back. now() must not throw: with it
// would be lost what an operation still has to clean up. What wait() throws is dropped.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual Instant now() = 0;
  virtual void wait(std::chrono::milliseconds duration) = 0;
};

// SteadyClock is the system's monotonic clock; wait sleeps.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override;
  void wait(std::chrono::milliseconds duration) override;
};

// run_to_end drives an operation until it has ended.
void run_to_end(AnyOperation& operation, DataPlane& data_plane, Clock& clock);

// run drives an operation until it has ended, and gives its result.
//   SteadyClock clock;
//   Result<Session> session = run(provider.create({}), data_plane, clock);
template <class T>
[[nodiscard]] Result<T> run(Operation<T> operation, DataPlane& data_plane, Clock& clock) {
  run_to_end(operation, data_plane, clock);
  return std::move(*operation.result());
}

}  // namespace sandproof
