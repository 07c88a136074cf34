#include "sandproof/operation.h"

namespace sandproof {
namespace {

struct BoundOf {
  std::chrono::milliseconds operator()(const Wait& wait) const noexcept { return wait.duration; }
  std::chrono::milliseconds operator()(const CreateCall&) const noexcept { return k_create_bound; }
  std::chrono::milliseconds operator()(const ExecCall& exec) const noexcept { return exec.guard; }
  template <class Call>
  std::chrono::milliseconds operator()(const Call&) const noexcept {
    return k_call_bound;
  }
};

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a request is never without its call.
std::chrono::milliseconds bound_of(const Request& request) noexcept {
  return std::visit(BoundOf{}, request);
}

std::chrono::milliseconds elapsed(Instant from, Instant to) noexcept {
  std::chrono::milliseconds::rep count = 0;
  if (__builtin_sub_overflow(to.time_since_epoch().count(), from.time_since_epoch().count(),
                             &count)) {
    // A clock that went back has measured nothing.
    return to < from ? std::chrono::milliseconds::min() : std::chrono::milliseconds::max();
  }
  return std::chrono::milliseconds(count);
}

void AnyOperation::resume(Answer answer, Instant now) {
  if (!channel_->request) return;
  channel_->request.reset();
  channel_->answer = std::move(answer);
  channel_->now = now;
  // The next request leaves now, unless its driver says otherwise; until it is made, this is still
  // the time of the one that was answered.
  go_on(std::exchange(channel_->waiting, {}));
  channel_->sent = now;
}

void AnyOperation::go_on(std::coroutine_handle<> coroutine) {
  coroutine.resume();
  if (channel_->failure) std::rethrow_exception(std::exchange(channel_->failure, nullptr));
}

}  // namespace sandproof
