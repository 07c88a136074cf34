#include "local_supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <string_view>

// Everything here runs between fork and exec: system calls and the stack, nothing else.

namespace sandproof::provider {
namespace {

constexpr int k_retry_milliseconds = 10;
constexpr int k_max_depth = 16;  // of one round; what lies deeper comes up when its parents end
constexpr int k_exec_failed = 127;

// ---- /proc ----

// ProcPath is "<pid>/stat" or "<pid>/task/<pid>/children".
class ProcPath {
 public:
  ProcPath& add(std::string_view text) noexcept {
    text.copy(bytes_.data() + size_, text.size());
    size_ += text.size();
    return *this;
  }
  ProcPath& add(pid_t pid) noexcept {
    const auto end = std::to_chars(bytes_.data() + size_, bytes_.data() + bytes_.size(), pid).ptr;
    size_ = static_cast<std::size_t>(end - bytes_.data());
    return *this;
  }
  [[nodiscard]] const char* c_str() const noexcept { return bytes_.data(); }

 private:
  std::array<char, 64> bytes_{};
  std::size_t size_ = 0;
};

int open_children(int proc, pid_t pid) noexcept {
  ProcPath path;
  path.add(pid).add("/task/").add(pid).add("/children");
  return openat(proc, path.c_str(), O_RDONLY | O_CLOEXEC);
}

// parent_of reads "pid (any text) state ppid ...".
pid_t parent_of(int proc, pid_t pid) noexcept {
  ProcPath path;
  path.add(pid).add("/stat");
  const int file = openat(proc, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::array<char, 256> bytes;
  const ssize_t count = read(file, bytes.data(), bytes.size());
  close(file);
  if (count <= 0) return -1;
  const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
  constexpr std::string_view k_before_parent = ") S ";
  const std::size_t name_end = text.rfind(')');
  if (name_end == text.npos || text.size() - name_end <= k_before_parent.size()) return -1;
  pid_t parent = -1;
  std::from_chars(text.data() + name_end + k_before_parent.size(), text.data() + text.size(),
                  parent);
  return parent;
}

// is_own_proc says whether /proc speaks of the PID namespace that this process is in: its NSpid
// line then has one number, and not one for each namespace on the way.
bool is_own_proc(int proc) noexcept {
  const int file = openat(proc, "self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 4096> bytes;
  const ssize_t count = read(file, bytes.data(), bytes.size());
  close(file);
  if (count <= 0) return false;
  std::string_view text(bytes.data(), static_cast<std::size_t>(count));
  constexpr std::string_view k_key = "\nNSpid:\t";
  const std::size_t key = text.find(k_key);
  if (key == text.npos) return false;
  text.remove_prefix(key + k_key.size());
  pid_t self = -1;
  const char* const end = std::from_chars(text.data(), text.data() + text.size(), self).ptr;
  return self == getpid() && end < text.data() + text.size() && *end == '\n';
}

// for_each_pid reads a list of pids, each with a space behind it.
template <class Visit>
void for_each_pid(int list, Visit visit) noexcept {
  std::array<char, 4096> bytes;
  pid_t pid = 0;
  for (;;) {
    const ssize_t count = read(list, bytes.data(), bytes.size());
    if (count <= 0) return;
    for (const char byte : std::string_view(bytes.data(), static_cast<std::size_t>(count))) {
      if (byte >= '0' && byte <= '9') {
        pid = pid * 10 + (byte - '0');
      } else {
        if (pid > 1) visit(pid);
        pid = 0;
      }
    }
  }
}

// ---- Ending what is left. ----

int open_pidfd(pid_t pid) noexcept { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

bool send_signal(int pidfd, int signal) noexcept {
  return syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) == 0;
}

// Pinned is a process that has not been reaped, so that its pid is its own. One that is not this
// process's own child has a pidfd, which tells whether that is still so.
struct Pinned {
  pid_t pid;
  int pidfd = -1;
  [[nodiscard]] bool holds() const noexcept { return pidfd < 0 || send_signal(pidfd, 0); }
};

// end_below ends the descendants of a process that can be seen below its first thread. It is here
// so that a tree of processes does not grow faster than it is taken down from the top.
void end_below(int proc, const Pinned& parent, int depth) noexcept {
  if (depth == 0) return;
  const int list = open_children(proc, parent.pid);
  if (list < 0) return;
  for_each_pid(list, [&](pid_t pid) {
    const Pinned child{pid, open_pidfd(pid)};
    if (child.pidfd < 0) return;
    // In this order: where the parent holds, its pid was its own when the child named it.
    if (parent_of(proc, pid) == parent.pid && parent.holds()) {
      end_below(proc, child, depth - 1);
      send_signal(child.pidfd, SIGKILL);
    }
    close(child.pidfd);
  });
  close(list);
}

// end_all ends every child of this process, and what can be seen below.
void end_all(int proc, int own_children) noexcept {
  if (lseek(own_children, 0, SEEK_SET) != 0) return;
  for_each_pid(own_children, [proc](pid_t pid) {
    siginfo_t unused;
    // Only for a child of this process, ended or not, is there something to wait for.
    if (waitid(P_PID, static_cast<id_t>(pid), &unused, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    end_below(proc, {pid}, k_max_depth);
    kill(pid, SIGKILL);
  });
}

// ---- Starting the command. ----

void reset_signals() noexcept {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &standard, nullptr);
}

void tell(int status, StatusMessage::Kind kind, int value) noexcept {
  const StatusMessage message{kind, value};
  while (write(status, &message, sizeof message) < 0 && errno == EINTR) {
  }
}

// close_all_but closes every descriptor but these.
template <std::size_t n>
bool close_all_but(std::array<int, n> kept) noexcept {
  std::ranges::sort(kept);
  unsigned int from = 0;
  for (const int each : kept) {
    const auto next = static_cast<unsigned int>(each);
    if (from < next && close_range(from, next - 1, 0) != 0) return false;
    from = next + 1;
  }
  return close_range(from, UINT_MAX, 0) == 0;
}

[[noreturn]] void become_command(const Launch& launch, pid_t supervisor) noexcept {
  // A command whose supervisor was ended by somebody ends as well; what it started does not.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(k_exec_failed);
  setsid();
  const bool placed = dup2(launch.standard_input, STDIN_FILENO) >= 0 &&
                      dup2(launch.standard_output, STDOUT_FILENO) >= 0 &&
                      dup2(launch.standard_error, STDERR_FILENO) >= 0 &&
                      fchdir(launch.working_directory) == 0;
  if (placed) {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    execve(launch.program, launch.arguments, launch.environment);
  }
  tell(launch.status, StatusMessage::Kind::not_started, errno);
  _exit(k_exec_failed);
}

[[noreturn]] void give_up(const Launch& launch) noexcept {
  // NOLINTNEXTLINE(clang-analyzer-unix.Errno): where nothing set it, it is 0, or as good a reason
  tell(launch.status, StatusMessage::Kind::not_started, errno != 0 ? errno : ENOSYS);
  send(launch.control, "", 1, MSG_NOSIGNAL);
  _exit(1);
}

// ---- Staying. ----

// reap collects what has ended; false when there is no child left, and so no descendant.
bool reap(const Launch& launch, pid_t command, bool ending) noexcept {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
    if (pid == 0) return true;
    if (pid < 0) return false;
    // How a command ended that was ended from here is nobody's result.
    if (pid == command && !ending) tell(launch.status, StatusMessage::Kind::ended, status);
  }
}

[[noreturn]] void stay(const Launch& launch, pid_t command, int signals, int proc,
                       int own_children) noexcept {
  bool ending = false;
  while (reap(launch, command, ending)) {
    if (ending) end_all(proc, own_children);
    std::array<pollfd, 3> waited{{{signals, POLLIN, 0},
                                  {ending ? -1 : launch.control, POLLIN, 0},
                                  {ending ? -1 : launch.caller, POLLIN, 0}}};
    poll(waited.data(), waited.size(), ending ? k_retry_milliseconds : -1);
    signalfd_siginfo unused;
    while (read(signals, &unused, sizeof unused) > 0) {
    }
    ending = ending || waited[1].revents != 0 || waited[2].revents != 0;
  }
  send(launch.control, "", 1, MSG_NOSIGNAL);
  _exit(0);
}

}  // namespace

void supervise(const Launch& launch) noexcept {
  reset_signals();
  setsid();
  prctl(PR_SET_NAME, "sandproof-super");
  errno = 0;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) give_up(launch);
  if (!close_all_but(std::array{launch.working_directory, launch.standard_input,
                                launch.standard_output, launch.standard_error, launch.status,
                                launch.control, launch.caller})) {
    give_up(launch);
  }
  const int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0 || !is_own_proc(proc)) give_up(launch);
  const int own_children = open_children(proc, getpid());
  if (own_children < 0) give_up(launch);
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  const int signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) give_up(launch);

  const pid_t supervisor = getpid();
  const pid_t command = _Fork();
  if (command < 0) give_up(launch);
  if (command == 0) become_command(launch, supervisor);
  close(launch.standard_input);
  close(launch.standard_output);
  close(launch.standard_error);
  close(launch.working_directory);
  stay(launch, command, signals, proc, own_children);
}

}  // namespace sandproof::provider
