// LocalDataPlane: directories and processes of this machine, behind the interface of the service.
//
// IT ISOLATES NOTHING AND IS NOT A SANDBOX. A command runs as the caller, with the caller's network
// and the caller's files; an egress policy is kept and reported, and not enforced. It is for tests,
// demonstrations and development, with commands that may do whatever the caller may.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "sandproof/data_plane.h"
#include "sandproof/session_state.h"

namespace sandproof {

// k_max_local_file_size is the longest file that is read, in bytes.
inline constexpr std::size_t k_max_local_file_size = std::size_t{64} << 20;

// LocalOptions says where the sandboxes are and how slowly they change.
struct LocalOptions {
  // base is an existing directory; each sandbox is a directory of mode 0700 in it.
  std::string base;

  // A state on the way to another (Creating, Resuming, Stopping, Deleting) is shown by at least
  // this many reads, and for at least this long. With neither, the first read shows the next state.
  int reads = 0;
  std::chrono::milliseconds time{0};

  // search_path is the PATH of every command.
  std::string search_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
};

// LocalDataPlane keeps sandboxes for as long as it lives. Every call may come from any thread; one
// session's do not wait for another's.
//
//   create      names a new directory; it keeps the policy, the variables and the idle time, and
//               ignores the rest of the body. Creating, then Running.
//   get         reads the record, and moves the sandbox on. Once it was deleted, not_found.
//   execute     runs the text with `/bin/sh -c`, in a session of its own, with standard input from
//               /dev/null, no signal ignored or blocked, and no other descriptor. Its variables are
//               PATH, HOME (the sandbox's directory), and the session's, which come last. A
//               relative working directory is below the sandbox's directory, and so is the default;
//               an absolute one is this machine's. One that cannot be entered, and a text with an
//               environment that execve(2) does not take, are invalid_input: nothing was started.
//               Both streams are read as they come. The answer comes when the command and both
//               streams have ended: a descendant that holds one of them open is waited for. Their
//               bytes are kept as they are, UTF-8 or not. The exit code of a command that signal n
//               ended is 128 + n. More than 16 MiB (k_max_exec_result_size) in both streams
//               together is an answer that cannot be read, `too_large`: what the call started is
//               ended. When the bound has passed: timed_out, and everything runs on until remove().
//   read_file, write_file, mkdir
//               are confined to the sandbox's directory, whatever symbolic links are in it: one
//               that leads out is access_denied. A hard link is the file itself. A file of over
//               k_max_local_file_size bytes is `too_large`; what is no regular file is
//               invalid_input. write_file makes no directory: not_found. mkdir makes the missing
//               ones above as well, and accepts one that is there.
//   stop        ends every process of the session, and keeps the files. Stopping, then Stopped.
//               Nothing new for one that is stopping or rests.
//   resume      Resuming, then Running. Nothing new for one that is resuming or running.
//   remove      ends every process of the session, then removes the directory, then answers:
//               accepted means that nothing is left. Deleting, then gone. Where something is left
//               when the bound has passed: timed_out; where nobody can tell (below): unavailable;
//               and the sandbox stays Deleting.
//
// A sandbox that was created with an idle time and that nobody asked to work for that long is
// Suspended, which ends its processes as well; this is looked at when the sandbox is next asked for
// anything. A call that the state does not allow is a conflict with status 409.
//
// The processes of a session are all descendants of its commands, those included that changed their
// group or session, or lost their parents: each command has a supervisor that they cannot leave
// (prctl(2), PR_SET_CHILD_SUBREAPER) and that signals nothing but them. They end, too, when this
// process ends, however it does. A command that kills or stops its supervisor, which it may,
// escapes or is waited for: then what is left is unknown. One that finds its supervisor can also
// lie about its own end. Nor is a process found that a daemon started on a command's behalf.
//
// The supervisor is made by fork(); the command's process group, terminal and signals are its own.
// Needs Linux 5.9, and /proc with lists of children (CONFIG_PROC_CHILDREN): without them execute is
// `unavailable`.
class LocalDataPlane final : public DataPlane {
 public:
  explicit LocalDataPlane(LocalOptions options);

  // This closes it.
  ~LocalDataPlane() override;

  Reply<SandboxRecord> create(const CreateBody& body, Bound bound) override;
  Reply<SandboxRecord> get(SessionId id, Bound bound) override;
  Reply<Accepted> remove(AddressableId id, Bound bound) override;
  Reply<Accepted> stop(SessionId id, Bound bound) override;
  Reply<Accepted> resume(SessionId id, Bound bound) override;
  Reply<ExecResult> execute(SessionId id, const ExecBody& body, Bound bound) override;
  Reply<FileContent> read_file(SessionId id, SandboxPath path, Bound bound) override;
  Reply<Accepted> write_file(SessionId id, SandboxPath path, std::string_view content,
                             Bound bound) override;
  Reply<Accepted> mkdir(SessionId id, const MkdirBody& body, Bound bound) override;

  // set_state puts a sandbox into a state at once: for tests of what the service does by itself.
  // Any but Running ends its processes. False where there is no such sandbox.
  bool set_state(SessionId id, ServiceState state);

  // close removes every sandbox, and refuses every later call as `unavailable`; a call in flight
  // ends with that, too. It waits, for ten seconds at most, until nothing is left; false if
  // something may be. May be called from any thread, and again.
  bool close();

 private:
  class State;

  std::unique_ptr<State> state_;
};

}  // namespace sandproof
