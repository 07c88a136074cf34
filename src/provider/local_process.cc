#include "local_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "local_supervisor.h"

namespace sandproof::provider {
namespace {

using namespace std::chrono_literals;

constexpr const char* k_shell = "/bin/sh";
constexpr std::chrono::seconds k_patience{10};        // of a destructor
constexpr std::chrono::milliseconds k_nudge = 100ms;  // how often a stopped supervisor is continued

std::expected<Pair, int> make_sockets() {
  std::array<int, 2> ends{};
  return made(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), ends);
}

// fork_quietly forks with every signal blocked: no handler of the caller's runs in the child.
pid_t fork_quietly() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  const int error = errno;
  if (pid != 0) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

int exit_code(int wait_status) {
  return WIFSIGNALED(wait_status) ? k_signal_base + WTERMSIG(wait_status)
                                  : WEXITSTATUS(wait_status);
}

}  // namespace

std::expected<std::shared_ptr<LocalProcess>, int> LocalProcess::start(const LocalCommand& command) {
  auto output = make_pipe();
  if (!output) return std::unexpected(output.error());
  auto error = make_pipe();
  if (!error) return std::unexpected(error.error());
  auto status = make_pipe();
  if (!status) return std::unexpected(status.error());
  auto control = make_sockets();
  if (!control) return std::unexpected(control.error());
  const Descriptor input = above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input) return std::unexpected(errno);
  const Descriptor directory =
      Descriptor(fcntl(command.directory.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!directory) return std::unexpected(errno);

  const Descriptor caller = above_standard(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!caller) return std::unexpected(errno);

  std::shared_ptr<LocalProcess> process(new LocalProcess);
  // execve takes what it does not change as char*.
  std::array<char*, 4> arguments{const_cast<char*>("sh"), const_cast<char*>("-c"),
                                 const_cast<char*>(command.text.c_str()), nullptr};
  std::vector<char*> environment;
  environment.reserve(command.environment.size() + 1);
  for (const std::string& each : command.environment) {
    environment.push_back(const_cast<char*>(each.c_str()));
  }
  environment.push_back(nullptr);
  const Launch launch{k_shell,
                      arguments.data(),
                      environment.data(),
                      directory.get(),
                      input.get(),
                      output->theirs.get(),
                      error->theirs.get(),
                      status->theirs.get(),
                      control->theirs.get(),
                      caller.get()};
  const pid_t supervisor = fork_quietly();
  if (supervisor < 0) return std::unexpected(errno);
  if (supervisor == 0) supervise(launch);

  process->supervisor_ = above_standard(static_cast<int>(syscall(SYS_pidfd_open, supervisor, 0)));
  if (!process->supervisor_) {
    const int failed = errno;
    shutdown(control->ours.get(), SHUT_WR);
    waitpid(supervisor, nullptr, 0);
    return std::unexpected(failed);
  }
  process->output_ = std::move(output->ours);
  process->error_ = std::move(error->ours);
  process->status_ = std::move(status->ours);
  process->control_ = std::move(control->ours);
  return process;
}

LocalProcess::~LocalProcess() {
  if (!supervisor_) return;  // it was never started
  end();
  wait_for_end(std::chrono::steady_clock::now() + k_patience);
  if (left() == Left::some) return;
  siginfo_t unused;
  while (waitid(P_PIDFD, static_cast<id_t>(supervisor_.get()), &unused, WEXITED) != 0 &&
         errno == EINTR) {
  }
}

LocalProcess::Collected LocalProcess::collect(SteadyTime until) {
  ExecResult result;
  StatusMessage message{};
  std::array<pollfd, 3> waited{
      {{output_.get(), POLLIN, 0}, {error_.get(), POLLIN, 0}, {status_.get(), POLLIN, 0}}};
  const std::array<std::string*, 2> streams{&result.standard_output, &result.standard_error};
  while (std::ranges::any_of(waited, [](const pollfd& each) { return each.fd >= 0; })) {
    if (!wait_until(waited, until)) return Lost::timed_out;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (waited[i].revents == 0) continue;
      if (read_some(waited[i].fd, *streams[i]) == Reading::end) waited[i].fd = -1;
    }
    if (result.standard_output.size() + result.standard_error.size() > k_max_exec_result_size) {
      end();  // nobody reads what it would go on writing
      return Lost::too_large;
    }
    if (waited.back().revents == 0) continue;
    if (read(status_.get(), &message, sizeof message) != sizeof message) return Lost::ended;
    if (message.kind == StatusMessage::Kind::not_started) return NotStarted{message.value};
    waited.back().fd = -1;
  }
  result.exit_code = exit_code(message.value);
  return result;
}

void LocalProcess::end() noexcept { shutdown(control_.get(), SHUT_WR); }

LocalProcess::Left LocalProcess::left() noexcept {
  pollfd supervisor{supervisor_.get(), POLLIN, 0};
  if (poll(&supervisor, 1, 0) != 1) return Left::some;
  char byte = 0;
  // Its last word, which is left where it is for whoever asks next.
  const ssize_t count = recv(control_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 1 ? Left::none : Left::unknown;
}

void LocalProcess::wait_for_end(SteadyTime until) noexcept {
  while (left() == Left::some) {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= until) return;
    // Somebody may have stopped it.
    syscall(SYS_pidfd_send_signal, supervisor_.get(), SIGCONT, nullptr, 0);
    std::array<pollfd, 1> waited{{{supervisor_.get(), POLLIN, 0}}};
    static_cast<void>(wait_until(waited, std::min(until, now + k_nudge)));
  }
}

}  // namespace sandproof::provider
