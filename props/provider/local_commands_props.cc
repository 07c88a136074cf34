// LocalDataPlane: what a command gets, and what comes back.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "provider/local_support.h"

namespace sandproof::local {
namespace {

using LocalCommands = LocalTest;

std::vector<std::string> sorted_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

TEST_F(LocalCommands, OutputAndExitCode) {
  const OwnedSessionId id = create();
  for (const int code : {0, 1, 3, 126, 127, 255}) {
    const Ran ran = run(id, {"echo out; echo err >&2; exit " + std::to_string(code)});
    EXPECT_EQ(ran.failed, "");
    EXPECT_EQ(ran.exit_code, code);
    EXPECT_EQ(ran.out, "out\n");
    EXPECT_EQ(ran.err, "err\n");
    EXPECT_TRUE(ran.attested);
  }
  const Ran none = run(id, {"exec >&- 2>&-; exit 4"});
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_EQ(none.out, "");
  EXPECT_TRUE(none.attested);
}

TEST_F(LocalCommands, ASignalIs128AndMore) {
  const OwnedSessionId id = create();
  EXPECT_EQ(run(id, {"kill -TERM $$"}).exit_code, 128 + SIGTERM);
  // The wrapper, and the shell that was started first; what they leave holds standard error.
  for (const std::string_view text : {"kill -KILL $PPID", "kill -HUP $(ps -o ppid= -p $PPID)"}) {
    const Ran ran = run(id, {text, {}, 1s});
    EXPECT_EQ(ran.exit_code, 128 + (text.contains("KILL") ? SIGKILL : SIGHUP));
  }
}

TEST_F(LocalCommands, TheDeadlineEndsIt) {
  const OwnedSessionId id = create();
  const auto began = std::chrono::steady_clock::now();
  const Ran ran = run(id, {"echo begun; sleep 60", {}, 1s});
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_TRUE(ran.killed && ran.attested);
  EXPECT_EQ(ran.exit_code, 128 + SIGKILL);
  EXPECT_EQ(ran.out, "begun\n");
  EXPECT_GE(took, 1s);
  EXPECT_LT(took, 30s);
  EXPECT_TRUE(eventually([&] { return others().empty(); }));
}

TEST_F(LocalCommands, Environment) {
  setenv("SANDPROOF_TEST_LEAK", "1", 1);
  open({.base = {}, .search_path = "/usr/bin:/bin"});
  const OwnedSessionId id = create({{"B", "it's = two"}, {"A", "a\nb"}, {"LANG", "C"}});
  const std::string home = base_ + '/' + std::string(id.view());
  // PWD and the like are sh's own; od, because a value may hold a newline.
  const Ran ran = run(id, {"unset PWD OLDPWD SHLVL _; env"});
  EXPECT_EQ(sorted_lines(ran.out), (std::vector<std::string>{"A=a", "B=it's = two", "HOME=" + home,
                                                             "LANG=C", "PATH=/usr/bin:/bin", "b"}));
  const OwnedSessionId other = create({{"HOME", "/"}});
  EXPECT_EQ(run(other, {"echo $HOME"}).out, "/\n");
  EXPECT_EQ(run(other, {"env | grep -c ^HOME="}).out, "1\n");
  unsetenv("SANDPROOF_TEST_LEAK");
}

TEST_F(LocalCommands, WorkingDirectory) {
  const OwnedSessionId id = create();
  const std::string home = base_ + '/' + std::string(id.view());
  EXPECT_EQ(run(id, {"mkdir -p a/b; ln -s / out; ln -s a in; touch file; pwd -P"}).out,
            home + '\n');
  EXPECT_EQ(run(id, {"pwd -P", "a/b"}).out, home + "/a/b\n");
  EXPECT_EQ(run(id, {"pwd -P", "in/b"}).out, home + "/a/b\n");
  EXPECT_EQ(run(id, {"pwd -P", "/usr"}).out, "/usr\n");
  for (const std::string_view wrong :
       {"missing", "/missing", "file", "out", "../..", "a/../../.."}) {
    EXPECT_EQ(run(id, {"touch started", wrong}).failed, "invalid_input") << wrong;
  }
  EXPECT_FALSE(std::filesystem::exists(home + "/started"));
}

TEST_F(LocalCommands, StartsClean) {
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

TEST_F(LocalCommands, CallerWithoutStandardDescriptors) {
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

TEST_F(LocalCommands, BothStreamsAreReadAsTheyCome) {
  const OwnedSessionId id = create();
  // More than a pipe holds, on each in turn, and then on both at once.
  for (const std::string_view text :
       {"head -c 1048576 /dev/zero >&2; echo done", "head -c 1048576 /dev/zero; echo done >&2",
        "head -c 1048576 /dev/zero >&2 & head -c 1048576 /dev/zero; wait; echo done; echo done "
        ">&2"}) {
    const Ran ran = run(id, {text});
    EXPECT_EQ(ran.exit_code, 0) << text;
    EXPECT_TRUE(ran.attested) << text;
    EXPECT_TRUE(ran.out.ends_with("done\n") || ran.err.ends_with("done\n")) << text;
    EXPECT_GE(std::max(ran.out.size(), ran.err.size()), std::size_t{1} << 20) << text;
  }
}

TEST_F(LocalCommands, BytesAreKept) {
  const OwnedSessionId id = create();
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  ASSERT_EQ(word_of(plane_->write_file(id.borrow(), *SandboxPath::parse("all"), all, k_bound)), "");
  // What errno was before is nothing to a call.
  for (const int stale : {0, EINTR, EAGAIN}) {
    errno = stale;
    const Ran ran = run(id, {"cat all; cat all >&2"});
    EXPECT_EQ(ran.out, all) << stale;
    EXPECT_EQ(ran.err, all) << stale;
  }
  EXPECT_EQ(run(id, {"printf x; sleep 0.1; printf y; sleep 0.1; printf z"}).out, "xyz");
}

TEST_F(LocalCommands, TooMuchOutput) {
  const OwnedSessionId id = create();
  const auto zeros = [&](std::size_t size) {
    return plane_->execute(id.borrow(),
                           exec_body({"head -c " + std::to_string(size) + " /dev/zero"}), k_bound);
  };
  // The report counts, which is of one size.
  const auto report = zeros(0);
  ASSERT_TRUE(report);
  const std::size_t most = k_max_exec_result_size - report->standard_error.size();
  const auto fits = zeros(most);
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->standard_output.size(), most);
  EXPECT_FALSE(zeros(most + 1));
  const std::string half = std::to_string(k_max_exec_result_size / 2);
  for (const std::string& text :
       {"head -c " + std::to_string(k_max_exec_result_size) + " /dev/zero; sleep 60",
        "head -c " + half + " /dev/zero; head -c " + half + " /dev/zero >&2; sleep 60",
        std::string("setsid yes; sleep 60")}) {
    const auto result = plane_->execute(id.borrow(), exec_body({text}), k_bound);
    ASSERT_FALSE(result) << text;
    const auto* error = std::get_if<Unreadable>(&result.error());
    ASSERT_NE(error, nullptr) << text;
    EXPECT_EQ(error->reason, Reason::too_large) << text;
    EXPECT_TRUE(eventually([&] { return others().empty(); })) << text;
  }
  EXPECT_EQ(run(id, {"echo again"}).out, "again\n");
}

TEST_F(LocalCommands, TooLargeForExec) {
  // Linux takes a quarter of the stack's limit for words and variables together.
  rlimit before{};
  getrlimit(RLIMIT_STACK, &before);
  const std::string value(100'000, 'x');
  std::vector<EnvEntry> environment;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("V" + std::to_string(i));
  for (const std::string& name : names) environment.push_back({name, value});
  const rlimit small{std::min<rlim_t>(before.rlim_max, 8 << 20), before.rlim_max};
  setrlimit(RLIMIT_STACK, &small);
  const OwnedSessionId id = create(environment);
  EXPECT_EQ(run(id, {"true"}).failed, "invalid_input");
  setrlimit(RLIMIT_STACK, &before);
  EXPECT_TRUE(eventually([&] { return others().empty(); }));
}

// With one descriptor more each time, until the command can be started: every one of them is missed
// once, and none is kept.
TEST_F(LocalCommands, WithTooFewDescriptorsNothingIsStartedOrKept) {
  const OwnedSessionId id = create();
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto open_before = count();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  for (rlim_t most = STDERR_FILENO + 1;; ++most) {
    ASSERT_LT(most, 100U);
    const rlimit few{most, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const Ran ran = run(id, {"echo started"});
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    if (ran.out == "started\n") break;
    EXPECT_EQ(ran.failed, "unavailable") << most;
    EXPECT_EQ(count(), open_before) << most;
    EXPECT_TRUE(eventually([&] { return others().empty(); })) << most;
  }
}

class LocalStarts : public LocalTest {
 protected:
  std::string why_not_started(const OwnedSessionId& id) {
    // Nothing but the supervisor's end ends it.
    const auto result =
        plane_->execute(id.borrow(), exec_body({"exec sleep 3600", {}, 3600s}), k_bound);
    if (result) return "it was started";
    const auto* error = std::get_if<TransportError>(&result.error());
    const bool here = error != nullptr && error->kind() == TransportError::Kind::unavailable;
    return here ? error->raw() : "it failed otherwise";
  }
};

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

TEST_F(LocalCommands, SignalsAreBlockedAsBefore) {
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

TEST_F(LocalCommands, ADescendantHoldsTheCall) {
  const OwnedSessionId id = create();
  const auto began = std::chrono::steady_clock::now();
  const Ran ran = run(id, {"sleep 1 & exit 3"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_GE(std::chrono::steady_clock::now() - began, 1s);
}

TEST_F(LocalCommands, TheBoundEndsTheCallAndNothingElse) {
  const OwnedSessionId id = create();
  for (const std::string_view text :
       {"sleep 60", "setsid sleep 60 & exit 0", "while echo y >&2; do sleep 0.01; done",
        "exec >&- 2>&-; sleep 60"}) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(run(id, {text, {}, 60s, 500ms}).failed, "timed_out") << text;
    EXPECT_GE(std::chrono::steady_clock::now() - began, 500ms) << text;
    EXPECT_FALSE(others().empty()) << text;
    EXPECT_EQ(run(id, {"echo still here"}).out, "still here\n") << text;
  }
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
  EXPECT_TRUE(others().empty());
}

}  // namespace
}  // namespace sandproof::local
