#include "sandproof/deadline_report.h"

#include <algorithm>
#include <array>

#include "bytes.h"
#include "report_text.h"
#include "sandproof/refusal.h"

namespace sandproof {
namespace {

using namespace report_text;

bool begins_line(std::string_view stream, std::size_t at) noexcept {
  return at == 0 || stream[at - 1] == '\n';
}

// ---- sealed ----

// LastPlaces keeps the last k_max_candidates places that it was given.
class LastPlaces {
 public:
  void add(std::size_t place) noexcept { ring_[count_++ % k_max_candidates] = place; }

  template <class F>
  void for_each_in_order(F f) const noexcept {
    const std::size_t kept = std::min(count_, k_max_candidates);
    for (std::size_t i = count_ - kept; i < count_; ++i) f(ring_[i % k_max_candidates]);
  }

 private:
  std::array<std::size_t, k_max_candidates> ring_{};
  std::size_t count_ = 0;
};

class SealedReader {
 public:
  SealedReader(const CallId& id, std::optional<std::int32_t> exit_code,
               std::string_view stream) noexcept
      : prefix_(id), exit_code_(exit_code), stream_(stream) {}

  [[nodiscard]] DeadlineReport read() const noexcept {
    for (std::size_t at = next(0); at != stream_.npos; at = next(at + Prefix::k_size)) {
      if (!begins_line(stream_, at) || !is_announcement(behind(at))) continue;
      return read_announced(*read_announcement(behind(at)), at, at + Prefix::k_size + k_max_behind);
    }
    return read_unannounced();
  }

 private:
  [[nodiscard]] std::size_t next(std::size_t from) const noexcept {
    return prefix_.find(stream_, from);
  }

  [[nodiscard]] std::string_view behind(std::size_t at) const noexcept {
    return stream_.substr(at + Prefix::k_size);
  }

  [[nodiscard]] DeadlineReport read_announced(const Announcement& announced, std::size_t begin,
                                              std::size_t end) const noexcept {
    LastPlaces candidates;
    bool contradicted = false;
    const std::string_view own = stream_.substr(begin, end - begin);
    for (std::size_t at = next(end); at != stream_.npos;) {
      const std::size_t size = final_line_size(behind(at));
      if (size != 0) {
        candidates.add(at);
      } else if (!contradicted && begins_line(stream_, at) &&
                 !stream_.substr(at).starts_with(own)) {
        contradicted = is_announcement(behind(at));
      }
      at = next(at + Prefix::k_size + size);
    }

    std::optional<std::size_t> report;
    std::size_t report_end = 0;
    bool deadline = false;
    bool exit = false;
    candidates.for_each_in_order([&](std::size_t at) {
      const auto line = read_final_line(behind(at));
      if (!opens(*line, announced)) return;
      (line->kind == Kind::deadline ? deadline : exit) = true;
      if (report) return;
      report = at;
      report_end = at + Prefix::k_size + line->size;
    });

    DeadlineReport result;
    result.outcome = Outcome::ran;
    result.preamble = stream_.substr(0, begin);
    result.before = stream_.substr(end);
    if (report) {
      result.before = stream_.substr(end, *report - end);
      result.after = stream_.substr(report_end);
    }
    result.attested = deadline != exit && !contradicted;
    result.killed = result.attested && deadline && exit_code_ == k_killed;
    return result;
  }

  // Without an announcement the wrapper's own refusal, alone, is a claim that nothing started; so
  // is a shell that was not found.
  [[nodiscard]] DeadlineReport read_unannounced() const noexcept {
    DeadlineReport result;
    result.before = stream_;
    if (exit_code_ == k_not_found && find_text(stream_, k_tag, 0) == stream_.npos) {
      result.outcome = Outcome::not_run;
    }
    const std::size_t at = next(0);
    if (exit_code_ == k_not_executable && at != stream_.npos && begins_line(stream_, at) &&
        next(at + 1) == stream_.npos) {
      result.tool = read_refused(behind(at));
      if (!result.tool.empty()) result.outcome = Outcome::not_run;
    }
    return result;
  }

  Prefix prefix_;
  std::optional<std::int32_t> exit_code_;
  std::string_view stream_;
};

// ---- nonce ----

// find_nonce gives the place of the first line that is exactly 32 lower-case hex digits, or npos.
// Such a line covers one of the places that are looked at, so far apart that none slips through:
// some bytes, which seldom are digits all in what a command prints. It ends at most 32 bytes behind
// them.
std::size_t find_nonce(std::string_view stream) noexcept {
  constexpr std::size_t k_sample = 8;
  constexpr std::size_t k_stride = k_secret_size - k_sample + 1;
  for (std::size_t at = k_stride - 1; at + k_sample < stream.size(); at += k_stride) {
    if (!bytes::all(stream.substr(at, k_sample), bytes::rules::k_lower_hex)) continue;
    const std::size_t newline = stream.substr(0, at + k_secret_size + 1).find('\n', at + k_sample);
    if (newline == stream.npos) continue;
    const std::size_t begin = newline - k_secret_size;
    if (begins_line(stream, begin) && is_nonce(stream.substr(begin, k_secret_size))) return begin;
    at = newline;  // the next such line begins behind it
  }
  return stream.npos;
}

// has_hex_run says whether 32 hex digits of either case stand together anywhere.
bool has_hex_run(std::string_view stream) noexcept {
  std::size_t run = 0;
  for (const char c : stream) {
    run = bytes::is_lower_hex(bytes::to_lower(c)) ? run + 1 : 0;
    if (run == k_secret_size) return true;
  }
  return false;
}

DeadlineReport read_nonce(std::optional<std::int32_t> exit_code, std::string_view stream) noexcept {
  DeadlineReport result;
  const std::size_t begin = find_nonce(stream);
  if (begin == stream.npos) {
    const bool no_command = exit_code == k_not_executable || exit_code == k_not_found;
    if (no_command && !has_hex_run(stream)) result.outcome = Outcome::not_run;
    result.before = stream;
    return result;
  }
  const std::size_t end = begin + k_secret_size + 1;
  result.outcome = Outcome::ran;
  result.preamble = stream.substr(0, begin);
  result.before = stream.substr(end);
  const std::size_t repeat = TextFinder(stream.substr(begin, k_secret_size)).find(stream, end);
  if (repeat != stream.npos) {
    result.before = stream.substr(end, repeat - end);
    result.after = stream.substr(repeat + k_secret_size);
    result.killed = exit_code == k_killed;
  }
  return result;
}

}  // namespace

DeadlineReport read_report(const ReportScheme& scheme, std::optional<std::int32_t> exit_code,
                           std::string_view standard_error) noexcept {
  if (!scheme.is_sealed()) return read_nonce(exit_code, standard_error);
  return SealedReader(*scheme.call_id(), exit_code, standard_error).read();
}

bool is_credible_kill(Deadline deadline, std::chrono::milliseconds elapsed) noexcept {
  const std::chrono::milliseconds whole = deadline.milliseconds();
  if (elapsed <= std::chrono::milliseconds::zero()) return false;
  return elapsed >= whole || elapsed * 100 >= whole * 99;  // no overflow: below 24 h here
}

std::string explain(const DeadlineReport& report) {
  switch (report.outcome) {
    case Outcome::ran:
      break;
    case Outcome::not_run:
      if (!report.tool.empty()) {
        return "the sandbox says that it cannot bound a command: " + escaped(report.tool) +
               " is missing or unusable";
      }
      return "no line of the wrapper, so the shell may not have started; standard error was " +
             escaped(report.before);
    case Outcome::unverified:
      return "no announcement of this call: the command may have run";
  }
  return {};
}

}  // namespace sandproof
