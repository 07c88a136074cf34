#include "provider/local_support.h"

#include <dirent.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sandproof/deadline_report.h"

namespace sandproof::local {
namespace {

constexpr const char* k_inside = "SANDPROOF_TEST_INSIDE";
constexpr std::array k_unshare{"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};

CallId call_id() { return *CallId::parse("00112233445566778899aabbccddeeff"); }

bool is_inside() { return getpid() == 1 && getenv(k_inside) != nullptr; }

// spawn starts a program, in a session of its own if asked to.
pid_t spawn(std::vector<const char*> words, bool own_session) {
  words.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (own_session) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  if (posix_spawnp(&pid, words[0], nullptr, &attributes, const_cast<char**>(words.data()),
                   environ) != 0) {
    pid = -1;
  }
  posix_spawnattr_destroy(&attributes);
  return pid;
}

std::vector<const char*> in_namespace(const std::vector<const char*>& words) {
  std::vector<const char*> all(k_unshare.begin(), k_unshare.end());
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

bool has_namespaces() {
  const pid_t pid = spawn(in_namespace({"true"}), false);
  int status = -1;
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

}  // namespace

std::vector<pid_t> all_processes(const std::vector<pid_t>& but) {
  std::vector<pid_t> pids;
  DIR* const proc = opendir("/proc");
  while (const dirent* entry = readdir(proc)) {
    const std::string name = entry->d_name;
    if (name.find_first_not_of("0123456789") != name.npos || name == "1") continue;
    std::ifstream file("/proc/" + name + "/stat");
    std::string stat;
    std::getline(file, stat, '\0');  // fails quietly for a process that has ended
    const std::size_t name_end = stat.rfind(')');
    if (name_end == stat.npos || stat[name_end + 2] == 'Z' || stat[name_end + 2] == 'X') continue;
    const pid_t pid = std::stoi(name);
    if (std::ranges::find(but, pid) == but.end()) pids.push_back(pid);
  }
  closedir(proc);
  return pids;
}

bool eventually(const std::function<bool()>& question) {
  for (int tries = 0; tries < 1'000; ++tries) {
    if (question()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

bool is_written(const std::string& path) {
  return std::filesystem::exists(path) && std::filesystem::file_size(path) > 0;
}

// asked_without asks in a thread that gives something up: what it gives up is its own.
std::string asked_without(const std::function<bool()>& give_up,
                          const std::function<std::string()>& question) {
  std::string answer = "it cannot be given up here";
  std::thread([&] {
    if (give_up()) answer = question();
  }).join();
  return answer;
}

std::string without_capabilities(const std::function<std::string()>& question) {
  const auto give_up = [] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const std::array<__user_cap_data_struct, 2> none{};
    return syscall(SYS_capset, &header, none.data()) == 0;
  };
  return asked_without(give_up, question);
}

std::string limited_as_a_user(const std::function<std::string()>& question) {
  constexpr uid_t k_user = 54'321;
  const auto give_up = [] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> kept{};
    if (syscall(SYS_capget, &header, kept.data()) != 0) return false;
    for (const unsigned int lost : std::array<unsigned int, 2>{CAP_SYS_ADMIN, CAP_SYS_RESOURCE}) {
      kept[CAP_TO_INDEX(lost)].permitted &= ~CAP_TO_MASK(lost);
    }
    for (auto& each : kept) each.effective = each.permitted;
    prctl(PR_SET_KEEPCAPS, 1);
    // By the system's call, since the library's changes every thread. Who may not is no root.
    static_cast<void>(syscall(SYS_setresuid, k_user, k_user, k_user));
    prctl(PR_SET_DUMPABLE, 1);
    return syscall(SYS_capset, &header, kept.data()) == 0;
  };
  return asked_without(give_up, question);
}

std::string without_call(int number, const std::function<std::string()>& question) {
  constexpr std::uint32_t k_self = 1;  // this process is the first one of its namespace
  std::array<sock_filter, 6> steps{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 3),
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k_self, 1, 0),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{steps.size(), steps.data()};
  const auto give_up = [&program] {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  };
  return asked_without(give_up, question);
}

void LocalTest::SetUp() {
  if (!is_inside()) GTEST_SKIP() << "no PID namespace can be made here";
  base_ = testing::TempDir() + "sandproof-local-XXXXXX";
  ASSERT_NE(mkdtemp(base_.data()), nullptr);
  canary_ = spawn({"sleep", "3600"}, true);
  ASSERT_GT(canary_, 1);
  open();
}

void LocalTest::TearDown() {
  if (!is_inside()) return;
  plane_.reset();
  EXPECT_EQ(others(), std::vector<pid_t>{}) << "processes were left";
  for (const pid_t pid : others()) kill(pid, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(canary_, &status, WNOHANG), 0) << "the canary is dead";
  kill(canary_, SIGKILL);
  waitpid(canary_, &status, 0);
  EXPECT_EQ(waitpid(-1, &status, WNOHANG), -1) << "a child was not waited for";
  EXPECT_TRUE(std::filesystem::is_empty(base_)) << "directories were left";
  std::filesystem::remove_all(base_);
}

void LocalTest::open(LocalOptions options) {
  options.base = base_;
  plane_ = std::make_unique<LocalDataPlane>(std::move(options));
}

CreateBody LocalTest::create_body(const std::vector<EnvEntry>& environment,
                                  std::optional<std::chrono::seconds> idle,
                                  const DeclaredEgress& egress) {
  return {*PlainText::parse("image"),
          *PlainText::parse("1000m"),
          *PlainText::parse("1024Mi"),
          std::nullopt,
          *SessionEnvironment::parse(environment, {FamilySet::baseline}),
          created_with(egress),
          call_id(),
          idle};
}

ExecBody LocalTest::exec_body(const Script& script) {
  const std::array<std::string_view, 3> words{"sh", "-c", script.text};
  const auto command = Command::parse({words, {}, script.directory});
  return {*command, *Deadline::from(script.deadline), ReportScheme::sealed(call_id())};
}

OwnedSessionId LocalTest::make(const CreateBody& body) {
  const auto record = plane_->create(body, k_bound);
  EXPECT_EQ(word_of(record), "");
  return OwnedSessionId(*SessionId::parse(std::string_view(record->id)));
}

OwnedSessionId LocalTest::create(const std::vector<EnvEntry>& environment,
                                 std::optional<std::chrono::seconds> idle,
                                 const DeclaredEgress& egress) {
  const OwnedSessionId id = make(create_body(environment, idle, egress));
  EXPECT_EQ(state(id), "Running");
  return id;
}

Ran LocalTest::run(const OwnedSessionId& id, const Script& script) {
  const auto result = plane_->execute(id.borrow(), exec_body(script), script.bound);
  if (!result) return {.failed = word_of(result), .out = {}, .err = {}, .exit_code = {}};
  const DeadlineReport report =
      read_report(ReportScheme::sealed(call_id()), result->exit_code, result->standard_error);
  return {.failed = {},
          .out = result->standard_output,
          .err = std::string(report.before) + std::string(report.after),
          .exit_code = result->exit_code,
          .attested = report.attested,
          .killed = report.killed};
}

void LocalTest::sweep() {
  EXPECT_TRUE(eventually([&] { return others().empty(); }));
  int status = 0;
  while (waitpid(-1, &status, WNOHANG) > 0) {
  }
  std::filesystem::remove_all(base_);
  std::filesystem::create_directory(base_);
}

std::string LocalTest::state(const OwnedSessionId& id) {
  const auto record = plane_->get(id.borrow(), k_bound);
  if (!record) return word_of(record);
  EXPECT_EQ(record->id, id.view());
  return record->state.value_or("none");
}

}  // namespace sandproof::local

// Starts itself again in a namespace, where one can be made; there it is the first process.
int main(int count, char** words) {
  using namespace sandproof::local;
  if (!is_inside() && has_namespaces()) {
    setenv(k_inside, "1", 1);
    std::vector<const char*> again = in_namespace({"/proc/self/exe"});
    // unshare looks its program up before it is this one, so by its own name.
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    again.back() = self.c_str();
    again.insert(again.end(), words + 1, words + count);
    again.push_back(nullptr);
    execvp(again[0], const_cast<char**>(again.data()));
    std::perror("unshare");
    return 1;
  }
  testing::InitGoogleTest(&count, words);
  return RUN_ALL_TESTS();
}
