// One child process of the tool: started without a shell, bounded in time and in what it writes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../provider/descriptor.h"
#include "json.h"
#include "signal_watch.h"
#include "tool.h"

namespace sandproof::cli {

// StopRequest takes SIGINT, SIGTERM and SIGHUP for as long as it lives, as SignalWatch does, and
// keeps that one came: its descriptor can then be read.
class StopRequest {
 public:
  StopRequest();

  // error is the errno of what kept it from being made, or 0.
  [[nodiscard]] int error() const noexcept { return event_ ? watch_.error() : error_; }
  [[nodiscard]] int descriptor() const noexcept { return event_.get(); }

 private:
  provider::Descriptor event_;
  int error_;
  SignalWatch watch_;
};

// ChildLimits bound one run.
struct ChildLimits {
  std::size_t size;  // of each of the two streams, in bytes
  std::chrono::milliseconds time;
  // How long is waited for the end of standard output once the child has ended.
  std::chrono::milliseconds patience{};
};

// Arrivals are when the bytes of a stream came, to the millisecond.
class Arrivals {
 public:
  // add takes that there are `size` bytes now.
  void add(std::chrono::milliseconds now, std::size_t size);

  // of gives when there were `size` bytes, or nothing where there never were.
  [[nodiscard]] std::optional<std::chrono::milliseconds> of(std::size_t size) const;

 private:
  struct Arrival {
    std::chrono::milliseconds at;
    std::size_t size;
  };
  std::vector<Arrival> arrivals_;
};

// ChildRun is how one ended, and what it wrote until then: foreign bytes.
struct ChildRun {
  enum class End : std::uint8_t {
    ended,      // by itself, or by a signal of somebody else's
    timed_out,  // and was ended
    too_large,  // one stream was over its limit; ended
    stopped,    // the tool was told to stop; ended
  };

  End end = End::ended;
  // 128 + n where signal n ended it. Nothing where nobody told: it could not be ended, being
  // another user's, or another process traces it and keeps what became of it.
  std::optional<int> exit_code;
  bool is_held = false;  // something still held standard output when that was no longer waited for
  std::string output;
  std::string errors;
  Arrivals output_arrivals;
  Arrivals error_arrivals;
  std::chrono::milliseconds elapsed{};  // until the child had ended, or had to be ended
};

// run_child runs words[0], found on PATH if it has no slash, with the tool's variables, standard
// input from /dev/null, and a process group of its own. The error is the errno of what kept it from
// being started. It ends everything at once when the descriptor `stop` can be read.
//
// When it returns the child is reaped and its process group has been killed: what a child left
// behind in the background is ended, and what it had written by then is all that is read. What left
// the group is not ended, and is not waited for.
[[nodiscard]] std::expected<ChildRun, int> run_child(const Strings& words,
                                                     const ChildLimits& limits, int stop);

// TimeRange is what an option that is a time may be, and the same in words.
struct TimeRange {
  std::chrono::milliseconds least;
  std::chrono::milliseconds most;
  std::string_view words;
};

// read_time gives the value of such an option.
[[nodiscard]] std::expected<std::chrono::milliseconds, Complaint> read_time(std::string_view option,
                                                                            std::string_view text,
                                                                            const TimeRange& range);

// explain says how it ended and what it wrote last on standard error: printable ASCII, to stand
// behind the name of what was run.
[[nodiscard]] std::string explain(const ChildRun& run, const ChildLimits& limits);

}  // namespace sandproof::cli
