// What the tests of LocalDataPlane share. All of them run in a PID namespace of their own (the main
// in local_support.cc sees to it), so that a wrong kill reaches nothing else, with a canary in a
// session of its own that must survive each of them.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/local_data_plane.h"

namespace sandproof::local {

using namespace std::chrono_literals;

inline constexpr std::chrono::milliseconds k_bound = 60s;  // of calls that are to succeed

// all_processes lists this namespace without its first process, zombies, and those in `but`.
std::vector<pid_t> all_processes(const std::vector<pid_t>& but = {});

// eventually asks until the answer is yes, for ten seconds.
bool eventually(const std::function<bool()>& question);

// is_written says whether a file is there and has something in it.
bool is_written(const std::string& path);

// without_capabilities asks as a user who is no root, and owns what this one owns.
std::string without_capabilities(const std::function<std::string()>& question);

// limited_as_a_user asks as one whom the limit of processes holds, which root is spared, and who
// may do what this one may otherwise.
std::string limited_as_a_user(const std::function<std::string()>& question);

// under_limit asks while this process may have no more than so much of something.
template <class Question>
auto under_limit(__rlimit_resource_t which, rlim_t most, Question question) {
  rlimit before{};
  EXPECT_EQ(getrlimit(which, &before), 0);
  const rlimit few{std::min(most, before.rlim_max), before.rlim_max};
  EXPECT_EQ(setrlimit(which, &few), 0);
  auto answer = question();
  EXPECT_EQ(setrlimit(which, &before), 0);
  return answer;
}

// without_call asks where a system call fails for want of memory, unless its first argument is 1:
// this process.
std::string without_call(int number, const std::function<std::string()>& question);

// word_of names a transport error, or says "unreadable"; "" is success.
template <class Body>
std::string word_of(const Reply<Body>& reply) {
  if (reply) return "";
  const auto* error = std::get_if<TransportError>(&reply.error());
  if (error == nullptr) return "unreadable";
  std::string word(name(error->kind()));
  if (error->status()) word += ' ' + std::to_string(*error->status());
  return word;
}

// Ran is what a wrapped command left.
struct Ran {
  std::string failed;  // word_of
  std::string out;
  std::string err;  // without the report
  std::optional<std::int32_t> exit_code;
  bool attested = false;
  bool killed = false;
};

struct Script {
  std::string_view text;
  std::optional<std::string_view> directory = {};
  std::chrono::milliseconds deadline = 60s;
  std::chrono::milliseconds bound = k_bound;
};

// LocalTest owns a base directory, a data plane, and the canary; it holds each test to leaving no
// process behind once its data plane is gone.
class LocalTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // open makes the data plane afresh.
  void open(LocalOptions options = {});

  // make makes a session; create also reads it once: it runs.
  OwnedSessionId make(const CreateBody& body);
  OwnedSessionId create(const std::vector<EnvEntry>& environment = {},
                        std::optional<std::chrono::seconds> idle = {},
                        const DeclaredEgress& egress = DeclaredEgress::allow());

  static CreateBody create_body(const std::vector<EnvEntry>& environment = {},
                                std::optional<std::chrono::seconds> idle = {},
                                const DeclaredEgress& egress = DeclaredEgress::allow());
  static ExecBody exec_body(const Script& script);

  Ran run(const OwnedSessionId& id, const Script& script);
  std::string state(const OwnedSessionId& id);  // or the word of the failure

  // run_operation drives an operation of a provider's over the data plane.
  template <class T>
  Result<T> run_operation(Operation<T> operation, Clock& clock) {
    return sandproof::run(std::move(operation), *plane_, clock);
  }

  // sweep waits for the orphans that this process was given, once all have ended, and empties the
  // directory: for a test whose data plane could not.
  void sweep();

  // others are the processes that a test has not been told of.
  [[nodiscard]] std::vector<pid_t> others() const { return all_processes({canary_}); }

  std::string base_;
  std::unique_ptr<LocalDataPlane> plane_;
  pid_t canary_ = -1;
};

}  // namespace sandproof::local
