// Being asked to end, while something runs.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "../provider/descriptor.h"

namespace sandproof::cli {

// SignalWatch takes SIGINT, SIGTERM and SIGHUP for as long as it lives. On the first of them it
// calls `act`, from a thread of its own. One that is ignored, as nohup has it, stays ignored.
//
// The signals are blocked in the thread that makes it and in those that it starts after, so it is
// to be made before them.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void()> act);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  // error is the errno of what kept it from being made, or 0.
  [[nodiscard]] int error() const noexcept { return error_; }

  // end waits until no `act` runs any more, and gives the signal, or 0.
  int end() noexcept;

 private:
  void watch();

  std::function<void()> act_;
  sigset_t before_{};
  provider::Descriptor signals_;
  provider::Descriptor stop_;
  int error_ = 0;
  std::atomic<int> signal_ = 0;
  std::thread thread_;
};

}  // namespace sandproof::cli
