// File descriptors that close themselves, pipes to a child, and waiting for them and for children.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <utility>

namespace sandproof::provider {

using SteadyTime = std::chrono::steady_clock::time_point;

// k_signal_base and n is the exit code of what signal n has ended, as shells say it.
inline constexpr int k_signal_base = 128;

// Descriptor closes what it holds.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }
  explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_ = -1;
};

// above_standard moves a descriptor out of the way of standard input, output and error, where a
// caller that had closed one of them gets its next descriptor. One that is none, with errno, where
// that cannot be done.
[[nodiscard]] Descriptor above_standard(int number);

// Pair is two ends that are connected.
struct Pair {
  Descriptor ours;
  Descriptor theirs;
};

// made takes what pipe2 or socketpair gave, or gives an errno. The ends are above the standard
// ones.
[[nodiscard]] std::expected<Pair, int> made(int failed, std::span<const int, 2> ends);

// make_pipe gives a pipe to read a child's stream from. Our end does not block; both close on exec.
[[nodiscard]] std::expected<Pair, int> make_pipe();

// Reading is what a read gave: bytes, nothing yet, or the end.
enum class Reading : std::uint8_t { some, none, end };

// read_some appends what is there, or the beginning of it. A stream that cannot be read has ended.
[[nodiscard]] Reading read_some(int descriptor, std::string& text);

// wait_until waits for one of the descriptors, no longer than until the time has come. False when
// it has come.
[[nodiscard]] bool wait_until(std::span<pollfd> waited, SteadyTime until);

}  // namespace sandproof::provider
