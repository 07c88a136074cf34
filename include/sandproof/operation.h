// Operations: what a provider's verb wants to send next, without any I/O.
//
// An operation shows one request, takes its answer and the time, and shows the next, until it holds
// a result. Whoever drives it owns the sockets, the clock and the threads:
//
//   Operation<Session> operation = provider.get(id);
//   while (const Request* request = operation.request()) {
//     Answer answer = send(*request);            // within bound_of(*request)
//     operation.resume(std::move(answer), now());
//   }
//   const Result<Session>& session = *operation.result();
//
// run() in data_plane.h is that loop for a blocking transport. One operation belongs to one thread
// at a time; any number of operations may run at once.
#pragma once

#include <chrono>
#include <coroutine>
#include <exception>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "sandproof/error.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "sandproof/wire.h"

namespace sandproof {

// ---- Requests. ----

// Bounds of a call: how long a driver waits before it answers `timed_out`.
inline constexpr std::chrono::milliseconds k_call_bound = std::chrono::seconds{30};
inline constexpr std::chrono::milliseconds k_create_bound = std::chrono::seconds{120};

// Accepted is the answer to a call that gives nothing back.
struct Accepted {
  friend bool operator==(const Accepted&, const Accepted&) = default;
};

// FileContent is the answer to a read.
struct FileContent {
  std::string bytes;
  friend bool operator==(const FileContent&, const FileContent&) = default;
};

// Wait asks for nothing but time. It must last at least as long as it says.
struct Wait {
  using Body = Accepted;
  std::chrono::milliseconds duration;
};

// A call says what it asks for, in owning types that only a parse makes, and what kind of body
// answers it. The sandbox group, the host and the credentials are the driver's.
struct CreateCall {
  using Body = SandboxRecord;
  CreateBody body;
};
struct GetCall {
  using Body = SandboxRecord;
  OwnedSessionId id;
};
struct DeleteCall {
  using Body = Accepted;
  OwnedAddressableId id;
};
struct StopCall {
  using Body = Accepted;
  OwnedSessionId id;
};
struct ResumeCall {
  using Body = Accepted;
  OwnedSessionId id;
};
struct ExecCall {
  using Body = ExecResult;
  OwnedSessionId id;
  ExecBody body;
  std::chrono::milliseconds guard;  // its bound: the deadline and 10 s
};
struct ReadFileCall {
  using Body = FileContent;
  OwnedSessionId id;
  OwnedSandboxPath path;
};
struct WriteFileCall {
  using Body = Accepted;
  OwnedSessionId id;
  OwnedSandboxPath path;
  std::string content;
};
struct MkdirCall {
  using Body = Accepted;
  OwnedSessionId id;
  MkdirBody body;
};

// Request is any of them.
using Request = std::variant<Wait, CreateCall, GetCall, DeleteCall, StopCall, ResumeCall, ExecCall,
                             ReadFileCall, WriteFileCall, MkdirCall>;

// bound_of is how long the request may take (for a Wait: must take).
[[nodiscard]] std::chrono::milliseconds bound_of(const Request& request) noexcept;

// ---- Answers. ----

// CallError is why a call gave no usable body: the transport's word, or a body that could not be
// decoded at all (wire.h says why).
using CallError = std::variant<TransportError, Unreadable>;

// Reply<Body> is the answer to one kind of request.
template <class Body>
using Reply = std::expected<Body, CallError>;

// Answer is a reply to any request. One of another kind than was asked for counts as a body that
// cannot be decoded. The answer to a Wait is ignored.
using Answer = Reply<std::variant<Accepted, SandboxRecord, ExecResult, FileContent>>;

// Instant is a time on the driver's clock, which must not go back. Nothing here reads a clock.
using Instant = std::chrono::time_point<std::chrono::steady_clock, std::chrono::milliseconds>;

// elapsed is the time from one instant to another, negative where a clock went back; where the
// number cannot hold it, the longest time there is, or the most negative.
[[nodiscard]] std::chrono::milliseconds elapsed(Instant from, Instant to) noexcept;

// ---- The machinery: what an operation and its steps share. ----

// Channel is what lies between a driver and a coroutine.
struct Channel {
  std::optional<Request> request;
  std::coroutine_handle<> waiting;
  Answer answer = Accepted{};
  Instant now{};
  Instant sent{};
  std::exception_ptr failure;
};

// Tags that a coroutine awaits, by name, to read the time: when the last answer came, and when the
// request that it answers was sent.
struct NowTag {};
struct SentTag {};
inline constexpr NowTag k_now;
inline constexpr SentTag k_sent;

// Step<T> is a coroutine: a verb, or a part of one. It starts when it is awaited by another, or
// when an Operation takes it.
//
// g++ 12 destroys the temporaries of a co_await operand twice, so every operand is a name, and
// every co_await a statement of its own; the build checks it.
template <class T>
class Step {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Step(Handle handle) noexcept : handle_(handle) {}
  Step(Step&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Step& operator=(Step&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Step() {
    if (handle_) handle_.destroy();
  }

 private:
  template <class U>
  friend class Step;
  template <class U>
  friend class Operation;

  Handle handle_;
};

// NOLINTBEGIN(clang-analyzer-core.*): it does not see that an Operation, or the step that awaits
// this one, gives the promise its channel before the coroutine runs.
template <class T>
struct Step<T>::promise_type {
  Channel* channel = nullptr;
  std::coroutine_handle<> parent = std::noop_coroutine();
  std::optional<Result<T>> result;

  // End hands over to whoever awaited this step.
  struct End {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle self) const noexcept {
      return self.promise().parent;
    }
    void await_resume() const noexcept {}
  };

  // Asking leaves the request in the channel, and wakes up with its answer.
  template <class Body>
  struct Asking {
    Channel* channel;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) const noexcept { channel->waiting = self; }
    Reply<Body> await_resume() const {
      Answer answer = std::exchange(channel->answer, Accepted{});
      if (!answer) return Reply<Body>(std::unexpect, std::move(answer.error()));
      if (auto* body = std::get_if<Body>(&*answer)) return Reply<Body>(std::move(*body));
      return Reply<Body>(std::unexpect, Unreadable{Reason::wrong_type, {}});
    }
  };

  // Calling runs another step to its end.
  template <class U>
  struct Calling {
    typename Step<U>::Handle step;
    Channel* channel;
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> self) const noexcept {
      step.promise().channel = channel;
      step.promise().parent = self;
      return step;
    }
    Result<U> await_resume() const {
      if (channel->failure) std::rethrow_exception(std::exchange(channel->failure, nullptr));
      return *std::move(step.promise().result);
    }
  };

  struct Knowing {
    Instant time;
    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    Instant await_resume() const noexcept { return time; }
  };

  Step get_return_object() noexcept { return Step(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  End final_suspend() const noexcept { return {}; }
  void return_value(Result<T> value) { result = std::move(value); }
  void unhandled_exception() noexcept { channel->failure = std::current_exception(); }

  template <class Call>
  Asking<typename Call::Body> await_transform(Call& call) {
    channel->request = std::move(call);
    return {channel};
  }
  template <class U>
  Calling<U> await_transform(Step<U>& step) noexcept {
    return {step.handle_, channel};
  }
  Knowing await_transform(const NowTag&) noexcept { return {channel->now}; }
  Knowing await_transform(const SentTag&) noexcept { return {channel->sent}; }
};
// NOLINTEND(clang-analyzer-core.*)

// ---- Operations. ----

// AnyOperation is what a driver needs of an operation, whatever it results in.
class AnyOperation {
 public:
  // request is what to send next, or nullptr when the operation has ended. Send it at once: a
  // driver that holds it back says when it was sent.
  [[nodiscard]] const Request* request() const noexcept {
    return channel_->request ? &*channel_->request : nullptr;
  }

  // sent says when the request left, if not when the answer before it came. How long a command ran
  // is measured from here: a time that is too early makes a forged deadline report look true.
  void sent(Instant time) noexcept { channel_->sent = time; }

  // resume gives the answer to request(), and the time that it came. Does nothing once the
  // operation has ended. Throws what allocating throws, and what the configuration's random source
  // does; the operation has ended then, without a result.
  void resume(Answer answer, Instant now);

 protected:
  AnyOperation() : channel_(std::make_unique<Channel>()) {}
  AnyOperation(AnyOperation&&) noexcept = default;
  AnyOperation& operator=(AnyOperation&&) noexcept = default;
  ~AnyOperation() = default;

  // go_on runs a coroutine until it has a request or ends.
  void go_on(std::coroutine_handle<> coroutine);

  std::unique_ptr<Channel> channel_;  // the coroutine keeps its address
};

// Operation<T> ends with a Result<T>. It may be moved and destroyed between any two steps, though
// not from the functions of its configuration; nothing more is sent then, and what was sent is not
// undone: a create that is abandoned may leave a sandbox, which its request's attempt label finds.
template <class T>
class Operation : public AnyOperation {
 public:
  // This one has something to send, or ends at once.
  explicit Operation(Step<T> step) : step_(std::move(step)) {
    step_->handle_.promise().channel = channel_.get();
    go_on(step_->handle_);
  }

  // This one has failed before anything was sent.
  explicit Operation(Error error) : refused_(std::unexpected(std::move(error))) {}

  // result is nullptr until the operation has ended.
  [[nodiscard]] Result<T>* result() noexcept {
    if (refused_) return &*refused_;
    std::optional<Result<T>>& result = step_->handle_.promise().result;
    return result ? &*result : nullptr;
  }

 private:
  std::optional<Step<T>> step_;
  std::optional<Result<T>> refused_;
};

}  // namespace sandproof
