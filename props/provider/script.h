// A data plane that follows a script: it answers each kind of request as a test says, keeps what
// was asked, and moves a clock of its own. No test sleeps.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sandproof/data_plane.h"
#include "sandproof/error.h"
#include "sandproof/operation.h"

namespace sandproof::props {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

// Kind is the kind of a request: its index in Request.
enum class Kind : std::size_t { wait, create, get, remove, stop, resume, exec, read, write, mkdir };

inline Kind kind_of(const Request& request) { return static_cast<Kind>(request.index()); }

// LineOf says a request in a few words.
struct LineOf {
  std::string operator()(const Wait& wait) const {
    return "wait " + std::to_string(wait.duration.count());
  }
  std::string operator()(const CreateCall&) const { return "create"; }
  std::string operator()(const GetCall& call) const { return "get " + id(call); }
  std::string operator()(const DeleteCall& call) const { return "delete " + id(call); }
  std::string operator()(const StopCall& call) const { return "stop " + id(call); }
  std::string operator()(const ResumeCall& call) const { return "resume " + id(call); }
  std::string operator()(const ExecCall& call) const { return "exec " + id(call); }
  std::string operator()(const ReadFileCall& call) const {
    return "read " + id(call) + ' ' + std::string(call.path.view());
  }
  std::string operator()(const WriteFileCall& call) const {
    return "write " + id(call) + ' ' + std::string(call.path.view()) + '=' + call.content;
  }
  std::string operator()(const MkdirCall& call) const {
    return "mkdir " + id(call) + ' ' + std::string(call.body.path.view());
  }

 private:
  template <class Call>
  static std::string id(const Call& call) {
    return std::string(call.id.view());
  }
};

inline std::string line_of(const Request& request) { return std::visit(LineOf{}, request); }

// Reaction is an answer, and how long it takes to come.
class Reaction {
 public:
  template <class Body>
    requires std::constructible_from<Answer, Body>
  Reaction(Body body) : answer(std::move(body)) {}                               // NOLINT
  Reaction(TransportError error) : answer(std::unexpected(std::move(error))) {}  // NOLINT
  Reaction(Unreadable why) : answer(std::unexpected(std::move(why))) {}          // NOLINT

  [[nodiscard]] Reaction after(milliseconds time) const {
    Reaction later = *this;
    later.took = time;
    return later;
  }

  Answer answer;
  milliseconds took{0};
};

// Script answers by kind. What it was not told to expect fails the test.
class Script {
 public:
  using Rule = std::function<Reaction(const Request&)>;

  // Sent is one request, and when it was sent.
  struct Sent {
    Request request;
    Instant at;
  };

  // on answers requests of one kind: with one reaction after the other, the last one again and
  // again; or by a rule.
  Script& on(Kind kind, std::vector<Reaction> reactions) {
    return on(kind,
              [reactions = std::move(reactions), next = std::size_t{0}](const Request&) mutable {
                const std::size_t at = next;
                if (next + 1 < reactions.size()) ++next;
                return reactions[at];
              });
  }
  Script& on(Kind kind, Reaction always) { return on(kind, std::vector{std::move(always)}); }
  Script& on(Kind kind, Rule rule) {
    rules_[kind] = std::move(rule);
    return *this;
  }

  [[nodiscard]] Answer answer(const Request& request) {
    if (sent_.size() == k_max_requests) throw std::logic_error("the operation does not end");
    sent_.push_back({request, now_});
    if (const auto* wait = std::get_if<Wait>(&request)) {
      now_ += wait->duration;
      return Accepted{};
    }
    const auto rule = rules_.find(kind_of(request));
    if (rule == rules_.end()) {
      ADD_FAILURE() << "nobody expected: " << line_of(request);
      return std::unexpected(TransportError::unavailable());
    }
    Reaction reaction = rule->second(request);
    const bool timed_out = is_timed_out(reaction.answer);
    now_ += timed_out ? bound_of(request) : reaction.took;
    return std::move(reaction.answer);
  }

  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }

  // trace is everything that was asked, in order: "create, get s1".
  [[nodiscard]] std::string trace() const {
    std::string all;
    for (const Sent& each : sent_) all += (all.empty() ? "" : ", ") + line_of(each.request);
    return all;
  }

  [[nodiscard]] std::vector<Sent> sent(Kind kind) const {
    std::vector<Sent> some;
    for (const Sent& each : sent_) {
      if (kind_of(each.request) == kind) some.push_back(each);
    }
    return some;
  }
  [[nodiscard]] std::size_t count(Kind kind) const { return sent(kind).size(); }

  // only gives the one request of its kind.
  template <class Call>
  [[nodiscard]] Call only() const {
    std::vector<Call> all;
    for (const Sent& each : sent_) {
      if (const auto* call = std::get_if<Call>(&each.request)) all.push_back(*call);
    }
    if (all.size() != 1) throw std::logic_error("not one request of this kind: " + trace());
    return all.front();
  }

 private:
  static constexpr std::size_t k_max_requests = 2'000;

  static bool is_timed_out(const Answer& answer) {
    if (answer) return false;
    const auto* error = std::get_if<TransportError>(&answer.error());
    return error != nullptr && error->kind() == TransportError::Kind::timed_out;
  }

  std::map<Kind, Rule> rules_;
  std::vector<Sent> sent_;
  Instant now_{1'000'000ms};
};

// ScriptPlane and ScriptClock are the same script behind the blocking interface.
class ScriptPlane final : public DataPlane {
 public:
  explicit ScriptPlane(Script& script) : script_(script) {}

  Reply<SandboxRecord> create(const CreateBody& body, Bound bound) override {
    return ask(CreateCall{body}, bound);
  }
  Reply<SandboxRecord> get(SessionId id, Bound bound) override {
    return ask(GetCall{OwnedSessionId(id)}, bound);
  }
  Reply<Accepted> remove(AddressableId id, Bound bound) override {
    return ask(DeleteCall{OwnedAddressableId(id)}, bound);
  }
  Reply<Accepted> stop(SessionId id, Bound bound) override {
    return ask(StopCall{OwnedSessionId(id)}, bound);
  }
  Reply<Accepted> resume(SessionId id, Bound bound) override {
    return ask(ResumeCall{OwnedSessionId(id)}, bound);
  }
  Reply<ExecResult> execute(SessionId id, const ExecBody& body, Bound bound) override {
    return ask(ExecCall{OwnedSessionId(id), body, bound}, bound);
  }
  Reply<FileContent> read_file(SessionId id, SandboxPath path, Bound bound) override {
    return ask(ReadFileCall{OwnedSessionId(id), OwnedSandboxPath(path)}, bound);
  }
  Reply<Accepted> write_file(SessionId id, SandboxPath path, std::string_view content,
                             Bound bound) override {
    return ask(WriteFileCall{OwnedSessionId(id), OwnedSandboxPath(path), std::string(content)},
               bound);
  }
  Reply<Accepted> mkdir(SessionId id, const MkdirBody& body, Bound bound) override {
    return ask(MkdirCall{OwnedSessionId(id), body}, bound);
  }

 private:
  // A blocking plane can only answer with the right kind of body; a script that does not is read as
  // an operation reads it.
  template <class Call>
  Reply<typename Call::Body> ask(Call call, Bound bound) {
    const Request request(std::move(call));
    EXPECT_EQ(bound, bound_of(request)) << line_of(request);
    Answer answer = script_.answer(request);
    if (!answer) return std::unexpected(std::move(answer).error());
    if (auto* body = std::get_if<typename Call::Body>(&*answer)) return std::move(*body);
    return std::unexpected(Unreadable{Reason::wrong_type, {}});
  }

  Script& script_;
};

class ScriptClock final : public Clock {
 public:
  explicit ScriptClock(Script& script) : script_(script) {}

  [[nodiscard]] Instant now() override { return script_.now(); }
  void wait(milliseconds duration) override { (void)script_.answer(Wait{duration}); }

 private:
  Script& script_;
};

// step gives an operation the answer to its request; false when it has ended.
inline bool step(AnyOperation& operation, Script& script) {
  const Request* request = operation.request();
  if (request == nullptr) return false;
  Answer answer = script.answer(*request);
  operation.resume(std::move(answer), script.now());
  return true;
}

// drive runs an operation to its end: by hand, or over run() where the environment says
// SANDPROOF_DRIVE=run. Every test holds either way.
template <class T>
Result<T> drive(Operation<T> operation, Script& script) {
  static const bool over_run = [] {
    const char* how = std::getenv("SANDPROOF_DRIVE");  // NOLINT(concurrency-mt-unsafe)
    return how != nullptr && std::string_view(how) == "run";
  }();
  if (over_run) {
    ScriptPlane plane(script);
    ScriptClock clock(script);
    return run(std::move(operation), plane, clock);
  }
  while (step(operation, script)) {
  }
  return std::move(*operation.result());
}

}  // namespace sandproof::props
