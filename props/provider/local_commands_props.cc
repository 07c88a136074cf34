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
