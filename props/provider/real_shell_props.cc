// The text that the provider sends, run by this machine's own shell: the provider, the wrapper and
// the reader of its report together. Each command has a PID namespace of its own, because a wrong
// kill ends everything that it can see; where none can be made, these tests are skipped.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "setting.h"

namespace sandproof::props {
namespace {

// Pipe is one that nothing inherits but what is told to.
struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }

  std::array<int, 2> ends{-1, -1};
};

// drain reads both pipes as they come, until both have ended.
void drain(std::array<pollfd, 2>& from, std::array<std::string*, 2> into) {
  std::array<char, 4096> buffer{};
  while (from[0].fd >= 0 || from[1].fd >= 0) {
    if (poll(from.data(), from.size(), -1) < 0) throw std::runtime_error("poll");
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i].revents == 0) continue;
      const ssize_t size = read(from[i].fd, buffer.data(), buffer.size());
      if (size > 0) {
        into[i]->append(buffer.data(), static_cast<std::size_t>(size));
      } else {
        from[i].fd = -1;
      }
    }
  }
}

// in_namespace runs a command there, to its end.
ExecResult in_namespace(std::vector<std::string> words) {
  const std::array<std::string, 5> begin{"unshare", "--pid", "--fork", "--mount-proc",
                                         "--kill-child"};
  words.insert(words.begin(), begin.begin(), begin.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  Pipe out;
  Pipe err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ExecResult result;
  if (failed != 0) return result;

  for (Pipe* each : {&out, &err}) {
    close(each->ends[1]);
    each->ends[1] = -1;
  }
  std::array<pollfd, 2> from{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
  drain(from, {&result.standard_output, &result.standard_error});
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

// LocalPlane has one session, which runs, and executes what it is sent.
class LocalPlane final : public DataPlane {
 public:
  Reply<SandboxRecord> create(const CreateBody&, Bound) override { return none<SandboxRecord>(); }
  Reply<SandboxRecord> get(SessionId id, Bound) override { return running(id.view()); }
  Reply<Accepted> remove(AddressableId, Bound) override { return none<Accepted>(); }
  Reply<Accepted> stop(SessionId, Bound) override { return none<Accepted>(); }
  Reply<Accepted> resume(SessionId, Bound) override { return none<Accepted>(); }
  Reply<ExecResult> execute(SessionId, const ExecBody& body, Bound) override {
    return in_namespace({"sh", "-c", std::string(body.command().view())});
  }
  Reply<FileContent> read_file(SessionId, SandboxPath, Bound) override {
    return none<FileContent>();
  }
  Reply<Accepted> write_file(SessionId, SandboxPath, std::string_view, Bound) override {
    return none<Accepted>();
  }
  Reply<Accepted> mkdir(SessionId, const MkdirBody&, Bound) override { return none<Accepted>(); }

 private:
  template <class Body>
  static Reply<Body> none() {
    ADD_FAILURE() << "a command needs nothing but its session's record";
    return std::unexpected(TransportError::unavailable());
  }
};

class RealShell : public testing::Test {
 protected:
  void SetUp() override {
    static const bool can = in_namespace({"true"}).exit_code == 0;
    if (!can) GTEST_SKIP() << "no PID namespace can be made here";
  }

  static Result<CommandRun> ran(std::string_view script, std::span<const EnvEntry> variables,
                                milliseconds deadline) {
    const std::array<std::string_view, 3> argv{"/bin/sh", "-c", script};
    LocalPlane plane;
    SteadyClock clock;
    return run(provider().run_command("s1", {{argv, variables, {}}, deadline}), plane, clock);
  }
};

TEST_F(RealShell, TheCommandRunsWithItsVariables) {
  constexpr std::array<EnvEntry, 1> k_variables{{{"TOKEN", "it's $HOME"}}};
  const auto run = ran("printf %s \"$TOKEN\"; printf lost >&2; exit 3", k_variables, 20s);
  ASSERT_EQ(outcome(run), "ok");
  EXPECT_EQ(frames_of(*run), "0 out:it's $HOME, 1 err:lost");
  EXPECT_EQ(end_of(*run), "exit 3");
}

// The wrapper finds its tools before the caller's variables apply.
TEST_F(RealShell, ACallersPathReachesTheCommandAndNotTheWrapper) {
  constexpr std::array<EnvEntry, 1> k_variables{{{"PATH", "/nonexistent"}}};
  const auto run = ran("printf %s \"$PATH\"", k_variables, 20s);
  ASSERT_EQ(outcome(run), "ok");
  EXPECT_EQ(frames_of(*run), "0 out:/nonexistent");
  EXPECT_EQ(end_of(*run), "exit 0");
}

TEST_F(RealShell, ACommandIsKilledAtItsDeadline) {
  const auto run = ran("printf begun; sleep 60", {}, 500ms);
  ASSERT_EQ(outcome(run), "ok");
  EXPECT_EQ(frames_of(*run), "0 out:begun");
  EXPECT_EQ(end_of(*run), "deadlineExceeded");
}

}  // namespace
}  // namespace sandproof::props
