// LocalDataPlane: that nothing of a session is left, whatever its commands did.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include "provider/local_support.h"

namespace sandproof::local {
namespace {

using LocalEndings = LocalTest;

// Each leaves something behind that its process group, its session or its parent does not lead to.
// "ready" is printed once it is there.
constexpr std::array<std::string_view, 13> k_escapes{
    // in the group, and not
    "sleep 600 & echo ready",
    "setsid sleep 600 & sleep 0.2; echo ready",
    "setsid setsid sleep 600 & sleep 0.2; echo ready",
    "setsid sh -c 'setsid sh -c \"setsid sleep 600 & exit\" & exit' & sleep 0.3; echo ready",
    // orphans
    "(sleep 600 &); echo ready",
    "(setsid sh -c '(sleep 600 & sleep 600 &) & sleep 600' &); sleep 0.2; echo ready",
    // signals are no way
    "setsid sh -c 'trap \"\" TERM HUP INT QUIT CHLD; echo ready; sleep 600; sleep 600' &",
    "setsid sh -c 'kill -STOP $$' & sleep 0.2; echo ready",
    // deep, wide
    "n=0; d() { n=$((n+1)); case $n in 60) echo ready; sleep 600;; *) (d; :);; esac; }; d",
    "for i in $(seq 200); do sleep 600 & done; echo ready",
    "t() { case $1 in xxxxxx) sleep 600;; *) (t x$1; :) & (t x$1; :) & wait;; esac; };"
    "t & sleep 0.5; echo ready",
    // always another process: each starts the next one and ends
    "c() { (c) & exit; }; (c) & sleep 0.2; echo ready",
    // a PID namespace of its own
    "unshare --pid --fork sh -c 'setsid sleep 600 & sleep 600' & sleep 0.3; echo ready",
};

// left_running starts a script and gives the call up once it has said that it is ready.
class Left {
 public:
  Left(LocalDataPlane& plane, const OwnedSessionId& id, ExecBody body)
      : call_([&plane, id, body = std::move(body)] {
          static_cast<void>(plane.execute(id.borrow(), body, k_bound));
        }) {}
  ~Left() { call_.join(); }

 private:
  std::thread call_;
};

TEST_F(LocalEndings, RemoveLeavesNothing) {
  for (const std::string_view escape : k_escapes) {
    SCOPED_TRACE(escape);
    const OwnedSessionId id = create();
    const std::string ready = base_ + '/' + std::string(id.view()) + "/ready";
    const std::string script = "exec >ready 2>&1; " + std::string(escape);
    const Left call(*plane_, id, exec_body({script}));
    ASSERT_TRUE(eventually([&] { return is_written(ready); }));
    EXPECT_GE(others().size(), 2U);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(word_of(plane_->remove(id.borrow(), 20s)), "");
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
    EXPECT_EQ(others(), std::vector<pid_t>{});
    EXPECT_EQ(state(id), "not_found");
  }
}

TEST_F(LocalEndings, StopEndsProcessesAndKeepsFiles) {
  const OwnedSessionId id = create();
  EXPECT_EQ(run(id, {"echo kept >file; setsid sleep 600 >/dev/null 2>&1 &"}).exit_code, 0);
  EXPECT_FALSE(others().empty());
  EXPECT_EQ(word_of(plane_->stop(id.borrow(), k_bound)), "");
  EXPECT_TRUE(eventually([&] { return state(id) == "Stopped"; }));
  EXPECT_EQ(others(), std::vector<pid_t>{});
  EXPECT_EQ(word_of(plane_->resume(id.borrow(), k_bound)), "");
  EXPECT_EQ(state(id), "Running");
  EXPECT_EQ(run(id, {"cat file"}).out, "kept\n");
}

// From the bottom up, so that nothing sees its parent's end and has time to start more: what would
// tell of that is ended before it can.
TEST_F(LocalEndings, DescendantsEndBeforeTheirParents) {
  const OwnedSessionId id = create();
  const std::string home = base_ + '/' + std::string(id.view());
  const Left call(*plane_, id, exec_body({R"sh(
    for each in $(seq 20); do
      mkfifo fifo-$each
      sh -c "sh -c ': >child-$each; read line; : >orphan-$each' <fifo-$each &
             exec sleep 600 >fifo-$each" &
    done
    wait
  )sh"}));
  const auto count = [&](const std::string& what) {
    return std::ranges::count_if(std::filesystem::directory_iterator(home), [&](const auto& each) {
      return each.path().filename().string().starts_with(what);
    });
  };
  ASSERT_TRUE(eventually([&] { return count("child-") == 20; }));
  EXPECT_EQ(word_of(plane_->stop(id.borrow(), k_bound)), "");
  EXPECT_TRUE(eventually([&] { return others().empty(); }));
  EXPECT_EQ(count("orphan-"), 0);
}

TEST_F(LocalEndings, OtherSessionsAreLeftAlone) {
  const OwnedSessionId one = create();
  const OwnedSessionId two = create();
  EXPECT_EQ(run(one, {"setsid sleep 600 >/dev/null 2>&1 &"}).exit_code, 0);
  EXPECT_EQ(run(two, {"setsid sleep 600 >/dev/null 2>&1 &"}).exit_code, 0);
  const std::size_t both = others().size();
  EXPECT_EQ(word_of(plane_->remove(one.borrow(), k_bound)), "");
  EXPECT_EQ(others().size() * 2, both);
  EXPECT_EQ(state(two), "Running");
}

TEST_F(LocalEndings, TheDestructorRemovesWhatIsLeft) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(create(), {"setsid sleep 600 >/dev/null 2>&1 &"}).exit_code, 0);
  }
  plane_.reset();
  EXPECT_EQ(others(), std::vector<pid_t>{});
  EXPECT_TRUE(std::filesystem::is_empty(base_));
}

TEST_F(LocalEndings, AnEndedCallerEndsEverything) {
  // The caller is a process of its own, and has no time to clean up.
  const std::string ready = base_ + "/ready";
  const pid_t caller = fork();
  if (caller == 0) {
    open();
    const OwnedSessionId id = create();
    static_cast<void>(run(id, {"setsid sleep 600 & (sleep 600 &); : >" + ready + "; sleep 600"}));
    _exit(0);
  }
  ASSERT_GT(caller, 1);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(ready); }));
  EXPECT_GE(others().size(), 5U);
  kill(caller, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(caller, &status, 0), caller);
  sweep();
}

// A process that the caller forked holds what the caller held, and is nobody to wait for.
TEST_F(LocalEndings, ACallerThatEndedAndLeftAChildEndsEverything) {
  const std::string ready = base_ + "/ready";
  const std::string held = base_ + "/held";
  const pid_t caller = fork();
  if (caller == 0) {
    open();
    const OwnedSessionId id = create();
    const Left call(*plane_, id, exec_body({": >" + ready + "; sleep 600"}));
    static_cast<void>(eventually([&] { return std::filesystem::exists(ready); }));
    if (fork() == 0) {
      std::ofstream(held) << getpid();
      for (;;) pause();
    }
    for (;;) pause();
  }
  ASSERT_GT(caller, 1);
  ASSERT_TRUE(eventually([&] { return is_written(held); }));
  pid_t holder = -1;
  std::ifstream(held) >> holder;
  kill(caller, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(caller, &status, 0), caller);
  EXPECT_TRUE(eventually([&] { return others() == std::vector<pid_t>{holder}; }));
  kill(holder, SIGKILL);
  sweep();
}

// $PPID is the wrapper; its parent is the shell that was started, and the parent of that the
// supervisor.
TEST_F(LocalEndings, AStoppedSupervisorGoesOn) {
  const OwnedSessionId id = create();
  EXPECT_EQ(run(id, {"setsid sleep 600 >/dev/null 2>&1 & "
                     "kill -STOP $(ps -o ppid= -p $(ps -o ppid= -p $PPID)) && sleep 600",
                     {},
                     60s,
                     1s})
                .failed,
            "timed_out");
  // Without time it is not continued, and the directory stays for what may still write to it.
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), 0ms)), "timed_out");
  EXPECT_TRUE(std::filesystem::exists(base_ + '/' + std::string(id.view())));
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
  EXPECT_EQ(others(), std::vector<pid_t>{});
}

TEST_F(LocalEndings, AKilledSupervisorIsToldOf) {
  const OwnedSessionId id = create();
  EXPECT_EQ(run(id, {"setsid sleep 600 >/dev/null 2>&1 & sleep 0.2; outer=$(ps -o ppid= -p $PPID); "
                     "echo $outer >outer; kill -KILL $(ps -o ppid= -p $outer); sleep 600"})
                .failed,
            "unavailable");
  // The command ends with it, though not what the command started.
  pid_t outer = -1;
  std::ifstream(base_ + '/' + std::string(id.view()) + "/outer") >> outer;
  ASSERT_GT(outer, 1);
  EXPECT_TRUE(eventually([&] { return std::ranges::count(others(), outer) == 0; }));
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "unavailable");
  EXPECT_EQ(state(id), "Deleting");
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "unavailable");
  EXPECT_FALSE(plane_->close());
  plane_.reset();
  for (const pid_t pid : others()) kill(pid, SIGKILL);
  sweep();
}

class LocalRemovals : public LocalTest {
 protected:
  void SetUp() override {
    LocalTest::SetUp();
    if (IsSkipped()) return;
    outside_ = base_ + "-outside";
    std::filesystem::create_directory(outside_);
    std::ofstream(outside_ + "/file") << "kept";
  }
  void TearDown() override {
    if (!outside_.empty()) {
      EXPECT_TRUE(std::filesystem::exists(outside_ + "/file"));
      std::filesystem::remove_all(outside_);
    }
    LocalTest::TearDown();
  }
  std::string home(const OwnedSessionId& id) const { return base_ + '/' + std::string(id.view()); }

  std::string outside_;
};

TEST_F(LocalRemovals, LinksAndModes) {
  const OwnedSessionId id = create();
  EXPECT_EQ(run(id, {"mkdir -p a/b/c; echo x >a/b/c/file; ln -s " + outside_ + " link; ln -s " +
                     outside_ + " a/b/link; mkfifo fifo; chmod 0 a/b/c; chmod 0500 a/b; chmod 0 a"})
                .exit_code,
            0);
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
  EXPECT_TRUE(std::filesystem::is_empty(base_));
}

// nest makes so many directories, each in the one before.
void nest(const std::string& top, int depth) {
  std::filesystem::create_directory(top);
  int above = ::open(top.c_str(), O_PATH | O_DIRECTORY);
  for (int i = 0; i < depth; ++i) {
    ASSERT_EQ(mkdirat(above, "d", 0700), 0);
    const int below = openat(above, "d", O_PATH | O_DIRECTORY);
    close(above);
    above = below;
  }
  close(above);
}

// What lies deeper than there are descriptors is moved up. The first name for it is taken, in
// whichever order they are looked at.
TEST_F(LocalRemovals, ADeepTree) {
  const OwnedSessionId id = create();
  nest(home(id) + "/moved-1", 100);
  nest(home(id) + "/d", 300);
  const auto removed = [&] { return word_of(plane_->remove(id.borrow(), k_bound)); };
  EXPECT_EQ(under_limit(RLIMIT_NOFILE, 200, removed), "");
  EXPECT_TRUE(std::filesystem::is_empty(base_));
}

// Who is no root may remove only what its modes let it: they are changed, and not those of a link's
// target.
TEST_F(LocalRemovals, ModesThatKeepTheirOwnerOut) {
  const OwnedSessionId id = create();
  std::string deep = home(id);
  for (int depth = 0; depth < 100; ++depth) deep += "/d";
  std::filesystem::create_directories(deep);
  std::filesystem::create_directories(home(id) + "/a/b/c");
  std::filesystem::create_directory_symlink(outside_, home(id) + "/link");
  EXPECT_EQ(chmod(outside_.c_str(), 0), 0);
  for (std::string path = deep; path != home(id); path.resize(path.size() - 2)) {
    EXPECT_EQ(chmod(path.c_str(), 0500), 0);
  }
  for (const std::string path : {"/a/b/c", "/a/b", "/a"}) {
    EXPECT_EQ(chmod((home(id) + path).c_str(), 0), 0);
  }
  EXPECT_EQ(without_capabilities([&] { return word_of(plane_->remove(id.borrow(), k_bound)); }),
            "");
  EXPECT_TRUE(std::filesystem::is_empty(base_));
  struct stat about{};
  EXPECT_EQ(stat(outside_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0U);
}

TEST_F(LocalRemovals, ADirectoryThatIsGone) {
  const OwnedSessionId id = create();
  EXPECT_EQ(run(id, {"rmdir \"$HOME\""}).exit_code, 0);
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
  EXPECT_EQ(state(id), "not_found");
}

// A directory that is a link by now: what it leads to is not touched.
TEST_F(LocalRemovals, ASwappedDirectory) {
  const OwnedSessionId other = create();
  std::ofstream(home(other) + "/file") << "kept";
  for (const std::string& target : {outside_, std::string(other.view())}) {
    const OwnedSessionId id = create();
    EXPECT_EQ(run(id, {"rmdir \"$HOME\" && ln -s " + target + " \"$HOME\""}).exit_code, 0);
    EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "unavailable");
    EXPECT_EQ(state(id), "Deleting");
    EXPECT_TRUE(std::filesystem::exists(home(id) + "/file"));
    std::filesystem::remove(home(id));
    std::filesystem::create_directory(home(id));
    EXPECT_EQ(state(id), "not_found");
  }
}

TEST_F(LocalRemovals, AMount) {
  const OwnedSessionId id = create();
  const std::string mount_point = home(id) + "/mount";
  std::filesystem::create_directory(mount_point);
  if (mount(outside_.c_str(), mount_point.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "nothing can be mounted here";
  }
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "unavailable");
  EXPECT_TRUE(std::filesystem::exists(mount_point + "/file"));
  EXPECT_EQ(umount(mount_point.c_str()), 0);
  EXPECT_EQ(state(id), "not_found");
}

}  // namespace
}  // namespace sandproof::local
