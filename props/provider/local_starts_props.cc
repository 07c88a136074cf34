// LocalDataPlane: what a start hands down to a command, and what is left when it fails.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>

#include "provider/local_support.h"

namespace sandproof::local {
namespace {

class LocalStarts : public LocalTest {
 protected:
  // Unless another text is given, nothing but the supervisor's end would end what was started.
  std::string why_not_started(const OwnedSessionId& id, std::string_view text = "exec sleep 3600") {
    const auto result = plane_->execute(id.borrow(), exec_body({text, {}, 3600s}), k_bound);
    if (result) return "it was started";
    const auto* error = std::get_if<TransportError>(&result.error());
    const bool here = error != nullptr && error->kind() == TransportError::Kind::unavailable;
    return here ? error->raw() : "it failed otherwise";
  }
};

TEST_F(LocalStarts, StartsClean) {
  // The caller's own state must not reach the command: ignored and blocked signals, descriptors.
  const int leak = ::open("/", O_RDONLY | O_DIRECTORY);  // not closed on exec
  const auto pipe_before = signal(SIGPIPE, SIG_IGN);
  const auto usr1_before = signal(SIGUSR1, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  const OwnedSessionId id = create();
  const Ran ran = run(id, {R"sh(
    sed -n 's/^Sig\(Blk\|Ign\):\t*0*/\1 /p' /proc/self/status
    for each in 0 1 2; do readlink /proc/$$/fd/$each | sed 's/[0-9].*//'; done
    ls /proc/self/fd | wc -l
    cat | wc -c
    outer=$(ps -o ppid= -p $PPID)
    supervisor=$(ps -o ppid= -p $outer)
    ps -o comm= -p $supervisor
    for each in $outer $supervisor; do
      [ $(ps -o sid= -p $each) -eq $each ] && echo own session
    done
  )sh"});
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  signal(SIGPIPE, pipe_before);
  signal(SIGUSR1, usr1_before);
  close(leak);
  EXPECT_EQ(ran.failed, "");
  // SIGINT and SIGQUIT (6) are the wrapper's doing. ls has one descriptor more than it was given.
  EXPECT_EQ(
      ran.out,
      "Blk \nIgn 6\n/dev/null\npipe:[\npipe:[\n4\n0\nsandproof-super\nown session\nown session\n");
  EXPECT_EQ(ran.err, "");
}

// Each descriptor that a start opens has one of the caller's own right behind it.
TEST_F(LocalStarts, NoDescriptorInBetweenReachesTheCommand) {
  const OwnedSessionId id = create();
  std::vector<int> opened;
  for (int i = 0; i < 80; ++i) opened.push_back(::open("/", O_RDONLY | O_DIRECTORY));
  for (std::size_t i = 0; i < opened.size(); i += 2) close(opened[i]);
  const Ran ran = run(id, {"ls /proc/self/fd"});
  for (std::size_t i = 1; i < opened.size(); i += 2) close(opened[i]);
  EXPECT_EQ(ran.out, "0\n1\n2\n3\n");  // 3 is what ls reads
}

TEST_F(LocalStarts, SignalsAreBlockedAsBefore) {
  const auto blocked = [] {
    std::vector<int> signals;
    sigset_t now;
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &now), 0);
    for (int signal = 1; signal < NSIG; ++signal) {
      if (sigismember(&now, signal) == 1) signals.push_back(signal);
    }
    return signals;
  };
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &one, nullptr), 0);
  EXPECT_EQ(run(create(), {"true"}).exit_code, 0);
  EXPECT_EQ(blocked(), std::vector<int>{SIGUSR2});
  ASSERT_EQ(pthread_sigmask(SIG_UNBLOCK, &one, nullptr), 0);
}

TEST_F(LocalStarts, CallerWithoutStandardDescriptors) {
  const OwnedSessionId id = create();
  const SandboxPath path = *SandboxPath::parse("file");
  for (unsigned int closed = 1; closed < 8; ++closed) {
    std::array<int, 3> kept{};
    for (int each = 0; each < 3; ++each) {
      kept[static_cast<std::size_t>(each)] = fcntl(each, F_DUPFD_CLOEXEC, 100);
      if ((closed >> each & 1U) != 0) close(each);
    }
    const Ran ran = run(id, {"cat; echo out; echo err >&2; exit 5"});
    const std::string written = word_of(plane_->write_file(id.borrow(), path, "x", k_bound));
    for (int each = 0; each < 3; ++each) {
      const bool was_closed = (closed >> each & 1U) != 0;
      EXPECT_EQ(fcntl(each, F_GETFD) < 0, was_closed) << closed << ", descriptor " << each;
      dup2(kept[static_cast<std::size_t>(each)], each);
      close(kept[static_cast<std::size_t>(each)]);
    }
    EXPECT_EQ(written, "") << closed;
    EXPECT_EQ(ran.exit_code, 5) << closed;
    EXPECT_EQ(ran.out, "out\n") << closed;
    EXPECT_EQ(ran.err, "err\n") << closed;
  }
}

TEST_F(LocalStarts, TooLargeForExec) {
  // Linux takes a quarter of the stack's limit for words and variables together.
  const std::string value(100'000, 'x');
  std::vector<EnvEntry> environment;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("V" + std::to_string(i));
  for (const std::string& name : names) environment.push_back({name, value});
  const OwnedSessionId id = create(environment);
  const auto failed = [&] { return run(id, {"true"}).failed; };
  EXPECT_EQ(under_limit(RLIMIT_STACK, 8 << 20, failed), "invalid_input");
  EXPECT_TRUE(eventually([&] { return others().empty(); }));
}

// With one descriptor more each time, until the command can be started: every one of them is missed
// once, and none is kept.
TEST_F(LocalStarts, WithTooFewDescriptorsNothingIsStartedOrKept) {
  const OwnedSessionId id = create();
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto open_before = count();
  for (rlim_t most = STDERR_FILENO + 1;; ++most) {
    ASSERT_LT(most, 100U);
    const Ran ran = under_limit(RLIMIT_NOFILE, most, [&] { return run(id, {"echo started"}); });
    if (ran.out == "started\n") break;
    EXPECT_EQ(ran.failed, "unavailable") << most;
    EXPECT_EQ(count(), open_before) << most;
    EXPECT_TRUE(eventually([&] { return others().empty(); })) << most;
  }
}

// As above, for processes: first the supervisor is one too many, then the command.
TEST_F(LocalStarts, WithTooFewProcessesNothingIsStarted) {
  const OwnedSessionId id = create();
  int failures = 0;
  const std::string last = limited_as_a_user([&] {
    std::string why;
    for (rlim_t most = 1; most < 1'000; ++most, ++failures) {
      why = under_limit(RLIMIT_NPROC, most, [&] { return why_not_started(id, "true"); });
      EXPECT_TRUE(eventually([&] { return others().empty(); })) << most;
      if (why != "the command could not be started: Resource temporarily unavailable") break;
    }
    return why;
  });
  if (failures == 0) GTEST_SKIP() << "no limit of processes holds here";
  EXPECT_EQ(last, "it was started");
  EXPECT_GE(failures, 2);
}

TEST_F(LocalStarts, WithoutASystemCallNothingIsStarted) {
  const OwnedSessionId id = create();
  for (const int call : {SYS_clone, SYS_pidfd_open, SYS_prctl, SYS_close_range, SYS_signalfd4}) {
    EXPECT_EQ(without_call(call, [&] { return why_not_started(id); }),
              "the command could not be started: Cannot allocate memory")
        << call;
    EXPECT_TRUE(eventually([&] { return others().empty(); })) << call;
  }
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
}

// A /proc of another namespace would name other processes: nothing is started.
TEST_F(LocalStarts, UnderAForeignProcNothingIsStarted) {
  const pid_t outside = fork();
  if (outside == 0) {
    if (unshare(CLONE_NEWPID) != 0) _exit(2);
    const pid_t inside = fork();
    if (inside == 0) {
      open();
      const OwnedSessionId id = create();
      const bool told =
          why_not_started(id) == "the command could not be started: Function not implemented";
      _exit(told && word_of(plane_->remove(id.borrow(), k_bound)).empty() ? 0 : 1);
    }
    int status = -1;
    waitpid(inside, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
  }
  int status = -1;
  ASSERT_EQ(waitpid(outside, &status, 0), outside);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace sandproof::local
