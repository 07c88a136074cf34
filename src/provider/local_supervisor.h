// The process between the caller and one command: it outlives the command, and ends what it left.
#pragma once

#include <cstdint>

namespace sandproof::provider {

// Launch is everything that a supervisor works with. It is made before the fork: in the child of a
// process that has threads nothing may be allocated, because another thread may have held any lock.
// The descriptors are above standard error, and close on exec.
struct Launch {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int working_directory;
  int standard_input;
  int standard_output;
  int standard_error;
  int status;   // a pipe that takes one StatusMessage
  int control;  // a socket: its peer's end of file says "end everything"; one byte back, "all
                // ended"
  int caller;   // a pidfd: a child that the caller made may hold the peer open, and not that
};

// StatusMessage is what became of the command. It is written at once, so it is read whole.
struct StatusMessage {
  enum class Kind : std::int32_t { not_started, ended };
  Kind kind;
  std::int32_t value;  // an errno, or what waitpid gave
};

// supervise starts the command, in a session of its own, and stays until none of its descendants is
// left, those included that changed their group, their session or their parent: as a subreaper
// (prctl(2)) it becomes the parent of every orphan below it. When the peer of `control` closes,
// and when the caller has ended in whatever way, it ends them all with SIGKILL.
//
// It signals no process but its descendants. Its own children have not been reaped, since nobody
// else can, so their pids name nothing else; anything below is signalled through a pidfd whose
// parent was checked after it was opened.
//
// To be called in a child made by fork, with every signal blocked. Needs Linux 5.9 and a /proc of
// its own PID namespace with lists of children; otherwise it reports `not_started`.
[[noreturn]] void supervise(const Launch& launch) noexcept;

}  // namespace sandproof::provider
