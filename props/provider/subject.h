// Operations under test: the calls that are made of a provider, and their requests and results in
// the words of the checks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answerer.h"
#include "sandproof/azure_sandbox.h"
#include "trace.h"

namespace sandproof::props {

// Subject is an operation whatever it results in.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  virtual AnyOperation& operation() = 0;

  // ending gives the result, which must be there. `names` are the ids of this call.
  virtual Ending ending(const Call& call, const Names& names, std::string_view attempt) = 0;
};

[[nodiscard]] std::unique_ptr<Subject> subject(Operation<Session> operation);
[[nodiscard]] std::unique_ptr<Subject> subject(Operation<std::optional<Session>> operation);
[[nodiscard]] std::unique_ptr<Subject> subject(Operation<CommandRun> operation);
[[nodiscard]] std::unique_ptr<Subject> subject(Operation<std::string> operation);
[[nodiscard]] std::unique_ptr<Subject> subject(Operation<void> operation);

// Given is what the requests of a call must hold.
struct Given {
  std::vector<std::pair<std::string, std::string>> files =
      {};  // path and content, in the order sent
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool runs = false;  // it has a command, the same in every scene
};

// Scene is one way to call the provider. `start` is given the session's id, if the call names one.
struct Scene {
  std::string name;
  Call call;
  Given given = {};
  std::function<std::unique_ptr<Subject>(const AzureSandbox& provider, std::string_view id)> start;
};

// scenes are calls that may send something, refusals are calls that must not.
[[nodiscard]] const std::vector<Scene>& scenes();
[[nodiscard]] const std::vector<Scene>& refusals();

inline constexpr milliseconds k_deadline{10'000};

// The command's text for the sandbox's shell, and its working directory.
[[nodiscard]] std::string shell_text(const CallId& id);
[[nodiscard]] std::string_view working_directory();

// Draw is what a provider's random source gives.
using Draw = std::array<std::uint8_t, 16>;

// Expected is what the requests of one operation may hold.
struct Expected {
  AzureConfig config;
  std::optional<EgressPolicy> egress;
  Given given;
  CallId id;          // of the command, or the create's attempt label
  std::string shell;  // the text of the command, for the sandbox's shell

  Expected(const Setting& setting, const Scene& scene, const Draw& draw);
};

// read_request puts a request into the words of the checks.
[[nodiscard]] Asked read_request(const Request& request, const Expected& expected,
                                 const Names& names);

// shown_of gives an error as people read it.
[[nodiscard]] Shown shown_of(const Error& error);

}  // namespace sandproof::props
