#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sandproof/deadline.h"
#include "sandproof/refusal.h"

namespace sandproof::cli {
namespace {

using provider::Descriptor;
using provider::Reading;
using provider::SteadyTime;

constexpr std::chrono::seconds k_patience{2};  // with a child that was killed
constexpr std::size_t k_max_said = 200;

// Group is a child that leads a process group, until both are gone.
//
// The group is killed while the child is not reaped, if only as a zombie: until then no other
// process and no other group can have its number.
class Group {
 public:
  explicit Group(pid_t leader) noexcept
      : leader_(leader),
        watched_(provider::above_standard(static_cast<int>(syscall(SYS_pidfd_open, leader, 0)))),
        error_(watched_ ? 0 : errno) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { static_cast<void>(end()); }

  // error is the errno of what keeps its end from being seen, or 0.
  [[nodiscard]] int error() const noexcept { return error_; }

  // watched can be read once the child has ended.
  [[nodiscard]] int watched() const noexcept { return watched_.get(); }

  // end gives the exit code, or nothing where that was not told: the child could not be ended, as
  // it is another user's, or another process that traces it was told.
  std::optional<int> end() noexcept {
    if (leader_ <= 1) return std::nullopt;  // 0 and 1 would be other people's groups
    kill(-leader_, SIGKILL);
    kill(leader_, SIGKILL);  // it may have gone to another group
    std::array<pollfd, 1> waited{{{watched_.get(), POLLIN, 0}}};
    static_cast<void>(provider::wait_until(waited, std::chrono::steady_clock::now() + k_patience));
    siginfo_t how{};
    while (waitid(P_PID, static_cast<id_t>(leader_), &how, WEXITED | WNOHANG) != 0 &&
           errno == EINTR) {
    }
    leader_ = 0;
    if (how.si_pid == 0) return std::nullopt;
    return how.si_code == CLD_EXITED ? how.si_status : provider::k_signal_base + how.si_status;
  }

 private:
  pid_t leader_;
  Descriptor watched_;
  int error_;
};

// Launch is what posix_spawn is told.
class Launch {
 public:
  Launch(int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes_, 0);
    // What the tool blocks and ignores for itself is not the child's affair.
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  [[nodiscard]] std::expected<pid_t, int> start(const Strings& words) const {
    std::vector<char*> arguments;
    // execve takes what it does not change as char*.
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error =
        posix_spawnp(&pid, arguments.front(), &actions_, &attributes_, arguments.data(), environ);
    if (error != 0) return std::unexpected(error);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Stream is one of the child's, and where what it says goes.
struct Stream {
  int descriptor;
  std::string* text;
  Arrivals* arrivals;
};

// read_all reads what is there, and a little more than the limit at most.
Reading read_all(const Stream& stream, std::size_t limit) {
  Reading reading = Reading::some;
  while (reading == Reading::some && stream.text->size() <= limit) {
    reading = provider::read_some(stream.descriptor, *stream.text);
  }
  return reading;
}

// reap_ended reaps the children of before that could not be ended then and have ended since.
void reap_ended() noexcept {
  siginfo_t how{};
  while (waitid(P_ALL, 0, &how, WEXITED | WNOHANG) == 0 && how.si_pid != 0) how = {};
}

// watch reads the streams until the child has ended, or has to be ended.
// It gives how it ended, and sets what is known only then: elapsed and is_held.
ChildRun::End watch(std::span<const Stream, 2> streams, int child, int stop,
                    const ChildLimits& limits, SteadyTime began, ChildRun& run) {
  SteadyTime until = began + limits.time;
  bool has_ended = false;
  std::array<pollfd, 4> waited{{{streams[0].descriptor, POLLIN, 0},
                                {streams[1].descriptor, POLLIN, 0},
                                {child, POLLIN, 0},
                                {stop, POLLIN, 0}}};
  for (;;) {
    const bool is_ready = provider::wait_until(waited, until);
    const SteadyTime now = std::chrono::steady_clock::now();
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - began);
    if (!has_ended) run.elapsed = elapsed;
    if (!is_ready) {
      run.is_held = has_ended;
      return has_ended ? ChildRun::End::ended : ChildRun::End::timed_out;
    }
    if (waited[3].revents != 0) return ChildRun::End::stopped;
    // Asked before the streams are read, so that nothing it wrote before its end is missed.
    if (!has_ended && waited[2].revents != 0) {
      has_ended = true;
      waited[2].fd = -1;
      until = std::min(until, now + limits.patience);
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (waited[i].fd < 0) continue;
      const Reading reading = read_all(streams[i], limits.size);
      streams[i].arrivals->add(elapsed, streams[i].text->size());
      if (streams[i].text->size() > limits.size) return ChildRun::End::too_large;
      if (reading == Reading::end) waited[i].fd = -1;
    }
    if (has_ended && (waited[0].fd < 0 || limits.patience.count() == 0)) {
      return ChildRun::End::ended;
    }
  }
}

}  // namespace

void Arrivals::add(std::chrono::milliseconds now, std::size_t size) {
  if (size == (arrivals_.empty() ? 0 : arrivals_.back().size)) return;
  if (arrivals_.empty() || arrivals_.back().at != now) {
    arrivals_.push_back({now, size});
  } else {
    arrivals_.back().size = size;
  }
}

std::optional<std::chrono::milliseconds> Arrivals::of(std::size_t size) const {
  const auto found = std::ranges::lower_bound(arrivals_, size, {}, &Arrival::size);
  if (found == arrivals_.end()) return std::nullopt;
  return found->at;
}

StopRequest::StopRequest()
    : event_(provider::above_standard(eventfd(0, EFD_CLOEXEC))),
      error_(event_ ? 0 : errno),
      watch_([this] { static_cast<void>(eventfd_write(event_.get(), 1)); }) {}

std::expected<std::chrono::milliseconds, Complaint> read_time(std::string_view option,
                                                              std::string_view text,
                                                              const TimeRange& range) {
  const auto time = Deadline::parse(text);
  if (time && time->milliseconds() >= range.least && time->milliseconds() <= range.most) {
    return time->milliseconds();
  }
  std::string why(option);
  why.append(1, ' ').append(escaped(text)).append(": give a time such as 30s, 5m or 1.5h, from ");
  return complain(why.append(range.words));
}

std::string explain(const ChildRun& run, const ChildLimits& limits) {
  std::string text;
  switch (run.end) {
    case ChildRun::End::ended:
      text = run.exit_code ? "ended with status " + std::to_string(*run.exit_code)
                           : "ended, with a status that was not told";
      break;
    case ChildRun::End::timed_out:
      text = "was still running after " + std::to_string(limits.time.count()) + " ms";
      break;
    case ChildRun::End::too_large:
      text = "wrote more than " + std::to_string(limits.size) + " bytes";
      break;
    case ChildRun::End::stopped:
      text = "was stopped";
      break;
  }
  if (!run.exit_code && run.end != ChildRun::End::ended) {
    text += ", could not be ended, and may still be running";
  }
  // What it said last says most.
  std::string_view said = run.errors;
  while (said.ends_with('\n')) said.remove_suffix(1);
  if (said.empty()) return text;
  said.remove_prefix(said.size() - std::min(said.size(), k_max_said));
  return text + ": " + escaped(said, k_max_said);
}

std::expected<ChildRun, int> run_child(const Strings& words, const ChildLimits& limits, int stop) {
  // Ignored, as a parent may have left it, it would have children reaped behind the tool's back.
  static_cast<void>(std::signal(SIGCHLD, SIG_DFL));  // fails for other signals only
  reap_ended();
  auto output = provider::make_pipe();
  if (!output) return std::unexpected(output.error());
  auto errors = provider::make_pipe();
  if (!errors) return std::unexpected(errors.error());
  const SteadyTime began = std::chrono::steady_clock::now();
  const auto pid = Launch(output->theirs.get(), errors->theirs.get()).start(words);
  if (!pid) return std::unexpected(pid.error());
  Group group(*pid);
  if (group.error() != 0) return std::unexpected(group.error());
  output->theirs = Descriptor();
  errors->theirs = Descriptor();

  ChildRun run;
  const std::array<Stream, 2> streams{{{output->ours.get(), &run.output, &run.output_arrivals},
                                       {errors->ours.get(), &run.errors, &run.error_arrivals}}};
  run.end = watch(streams, group.watched(), stop, limits, began, run);
  run.exit_code = group.end();
  return run;
}

}  // namespace sandproof::cli
