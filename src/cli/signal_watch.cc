#include "signal_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace sandproof::cli {
namespace {

constexpr std::array k_signals{SIGINT, SIGTERM, SIGHUP};

bool is_ignored(int signal) {
  struct sigaction now{};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

SignalWatch::SignalWatch(std::function<void()> act) : act_(std::move(act)) {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : k_signals) {
    if (!is_ignored(signal)) sigaddset(&watched, signal);
  }
  pthread_sigmask(SIG_BLOCK, &watched, &before_);
  signals_ = provider::above_standard(signalfd(-1, &watched, SFD_CLOEXEC));
  if (signals_) stop_ = provider::above_standard(eventfd(0, EFD_CLOEXEC));
  if (!stop_) {
    error_ = errno;
    return;
  }
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {  // the system has no thread to give
    error_ = error.code().value();
  }
}

SignalWatch::~SignalWatch() {
  end();
  // A second signal asks for what has been done already.
  signalfd_siginfo again;
  if (signals_ && fcntl(signals_.get(), F_SETFL, O_NONBLOCK) == 0) {
    while (read(signals_.get(), &again, sizeof again) > 0) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalWatch::end() noexcept {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    static_cast<void>(write(stop_.get(), &one, sizeof one) == sizeof one);
    thread_.join();
  }
  return signal_;
}

void SignalWatch::watch() {
  std::array<pollfd, 2> waited{{{signals_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  while (poll(waited.data(), waited.size(), -1) < 0) {
  }
  signalfd_siginfo taken;
  if (waited[0].revents == 0 || read(signals_.get(), &taken, sizeof taken) != sizeof taken) return;
  signal_ = static_cast<int>(taken.ssi_signo);
  act_();
}

}  // namespace sandproof::cli
