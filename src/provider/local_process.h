// One command of a sandbox, as its caller sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "descriptor.h"
#include "sandproof/wire.h"

namespace sandproof::provider {

// LocalCommand is what to start: a text for `sh -c`, variables as NAME=VALUE, and a directory.
struct LocalCommand {
  std::string text;
  std::vector<std::string> environment;
  Descriptor directory;
};

// LocalProcess is a command with all of its descendants, below a supervisor of its own
// (local_supervisor.h). start() and the functions that take a time may be called from any thread,
// collect() from one.
class LocalProcess {
 public:
  // start gives a process, or an errno where none could be made.
  [[nodiscard]] static std::expected<std::shared_ptr<LocalProcess>, int> start(
      const LocalCommand& command);

  LocalProcess(const LocalProcess&) = delete;
  LocalProcess& operator=(const LocalProcess&) = delete;

  // This ends everything, and waits for that for ten seconds.
  ~LocalProcess();

  // Why there is no result.
  enum class Lost : std::uint8_t {
    timed_out,  // the time has passed; everything is still running
    too_large,  // over the limit of a result's bytes; everything is being ended
    ended,      // by end(), or its supervisor was killed
  };
  struct NotStarted {
    int error;
  };
  using Collected = std::variant<ExecResult, Lost, NotStarted>;

  // collect reads both streams as they come, until both have ended and the command has. A
  // descendant that holds one of them open is waited for. The exit code of a command that a signal
  // n ended is 128 + n. Called once.
  [[nodiscard]] Collected collect(SteadyTime until);

  // end asks for the end of every descendant, and returns at once.
  void end() noexcept;

  enum class Left : std::uint8_t {
    some,     // there may be descendants
    none,     // all have ended, the supervisor as well
    unknown,  // somebody killed the supervisor: what it watched over may run on
  };

  // left says what there is; wait_for_end waits, after end(), while there is some.
  [[nodiscard]] Left left() noexcept;
  void wait_for_end(SteadyTime until) noexcept;

 private:
  LocalProcess() = default;

  Descriptor output_;
  Descriptor error_;
  Descriptor status_;
  Descriptor control_;
  Descriptor supervisor_;  // a pidfd
};

}  // namespace sandproof::provider
