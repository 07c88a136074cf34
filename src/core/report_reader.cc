// The incremental reader: what read_report says of a whole stream, found as the stream comes.
#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "bytes.h"
#include "report_text.h"
#include "sandproof/deadline_report.h"

namespace sandproof {

using namespace report_text;

// State holds the bytes that are not given out yet, behind those that were given out last, whose
// views must stay good until the next call.
class ReportReader::State {
 public:
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Piece feed(std::string_view bytes) {
    drop_given_out();
    buffer_ += bytes;
    return advance(false);
  }

  End finish(std::optional<std::int32_t> exit_code) {
    const Piece piece = advance(true);
    return {report(exit_code), piece.leading, piece.output};
  }

 protected:
  State() = default;

  // advance reads on as far as what is there decides, and gives that out. `last` says that nothing
  // comes any more.
  virtual Piece advance(bool last) = 0;
  [[nodiscard]] virtual DeadlineReport report(std::optional<std::int32_t> exit_code) const = 0;

  [[nodiscard]] std::string_view held() const noexcept {
    return std::string_view(buffer_).substr(begin_);
  }

  // give_out takes the first `size` held bytes away.
  std::string_view give_out(std::size_t size) noexcept {
    const std::string_view given = held().substr(0, size);
    if (!given.empty()) before_ = given.back();
    begin_ += size;
    return given;
  }

  // cut_out removes a line of this call from what is held; it is given to nobody.
  void cut_out(std::size_t at, std::size_t size) { buffer_.erase(begin_ + at, size); }

  [[nodiscard]] bool begins_line(std::size_t at) const noexcept {
    return (at == 0 ? before_ : held()[at - 1]) == '\n';
  }

  void begin_line() noexcept { before_ = '\n'; }

 private:
  // Only when the larger part is given out, so that all erasing together is linear.
  void drop_given_out() {
    if (begin_ * 2 < buffer_.size()) return;
    buffer_.erase(0, begin_);
    begin_ = 0;
  }

  std::string buffer_;
  std::size_t begin_ = 0;
  char before_ = '\n';  // the byte in front of what is held
};

namespace {

// certain is how much of `text` is certain not to be cut by what may still come: all but what
// could be the beginning of a text of `size` bytes.
std::size_t certain(std::string_view text, std::size_t size, bool last) noexcept {
  return last ? text.size() : text.size() - std::min(text.size(), size - 1);
}

}  // namespace

class SealedState final : public ReportReader::State {
 public:
  explicit SealedState(const CallId& id) : prefix_(id) {}

 private:
  // Candidate is one of the last ones. Places count from the beginning of what is held.
  struct Candidate {
    std::size_t begin;
    std::size_t size;
    std::size_t number;
    FinalLine line;
    bool valid;
  };

  ReportReader::Piece advance(bool last) override {
    ReportReader::Piece piece;
    if (!announced_) {
      const std::size_t size = lead(last);
      piece.leading = give_out(size);
      scanned_ -= size;
      if (announced_) {
        cut_out(0, Prefix::k_size + k_max_behind);
        begin_line();
        scanned_ = 0;
      }
    }
    if (announced_) {
      const std::size_t size = follow(last);
      piece.output = give_out(size);
      scanned_ -= size;
      for (Candidate& each : candidates_) each.begin -= size;
    }
    return piece;
  }

  // lead looks for the announcement, and gives how much stands before it, or how much is certain
  // not to be a part of it.
  std::size_t lead(bool last) {
    const std::string_view text = held();
    for (;;) {
      const std::size_t at = find_text(text, k_tag, scanned_);
      if (at == text.npos) {
        scanned_ = std::max(scanned_, certain(text, k_tag.size(), last));
        return scanned_;
      }
      if (!last && text.size() - at < Prefix::k_size + k_max_behind) {
        scanned_ = at;
        return at;
      }
      other_lines_ = true;
      scanned_ = at + 1;
      if (!text.substr(at).starts_with(prefix_.view())) continue;
      ++own_lines_;
      if (!begins_line(at)) continue;
      const std::string_view behind = text.substr(at + Prefix::k_size);
      announced_ = read_announcement(behind);
      if (announced_) return at;
      tool_ = read_refused(behind);
    }
  }

  // follow looks for final lines and further announcements, and gives how much is certain to be the
  // command's own.
  std::size_t follow(bool last) {
    const std::string_view text = held();
    for (;;) {
      const std::size_t at = prefix_.find(text, scanned_);
      if (at == text.npos) {
        scanned_ = std::max(scanned_, certain(text, Prefix::k_size, last));
        break;
      }
      if (!last && text.size() - at < Prefix::k_size + k_max_behind) {
        scanned_ = at;
        break;
      }
      const std::string_view behind = text.substr(at + Prefix::k_size);
      scanned_ = at + 1;
      if (const auto line = read_final_line(behind)) {
        candidates_.push_back({at, Prefix::k_size + line->size, count_++, *line, false});
        if (candidates_.front().number + k_max_candidates < count_) candidates_.pop_front();
      } else if (begins_line(at)) {
        const auto other = read_announcement(behind);
        contradicted_ = contradicted_ || (other && *other != *announced_);
      }
    }
    const bool crowded =
        !candidates_.empty() && text.size() - candidates_.front().begin > ReportReader::k_max_held;
    if (last || crowded) drop_invalid();
    if (last) return finish_lines();
    return candidates_.empty() ? scanned_ : std::min(scanned_, candidates_.front().begin);
  }

  void drop_invalid() {
    std::erase_if(candidates_, [this](Candidate& each) {
      each.valid = each.valid || opens(each.line, *announced_);
      return !each.valid;
    });
  }

  std::size_t finish_lines() {
    for (const Candidate& each : candidates_) {
      (each.line.kind == Kind::deadline ? deadline_ : exit_) = true;
    }
    if (!candidates_.empty()) cut_out(candidates_.front().begin, candidates_.front().size);
    candidates_.clear();
    scanned_ = held().size();
    return scanned_;
  }

  [[nodiscard]] DeadlineReport report(std::optional<std::int32_t> exit_code) const override {
    DeadlineReport result;
    if (announced_) {
      result.outcome = Outcome::ran;
      result.attested = deadline_ != exit_ && !contradicted_;
      result.killed = result.attested && deadline_ && exit_code == k_killed;
      return result;
    }
    if (exit_code == k_not_found && !other_lines_) result.outcome = Outcome::not_run;
    if (exit_code == k_not_executable && own_lines_ == 1 && !tool_.empty()) {
      result.outcome = Outcome::not_run;
      result.tool = tool_;
    }
    return result;
  }

  Prefix prefix_;
  std::size_t scanned_ = 0;  // of what is held: nothing begins before here that is not known
  // Before the announcement.
  bool other_lines_ = false;  // any line with the tag, of whatever call
  std::size_t own_lines_ = 0;
  std::string tool_;
  std::optional<Announcement> announced_;
  // Behind it.
  std::deque<Candidate> candidates_;
  std::size_t count_ = 0;
  bool contradicted_ = false;
  bool deadline_ = false;
  bool exit_ = false;
};

class NonceState final : public ReportReader::State {
 private:
  ReportReader::Piece advance(bool last) override {
    ReportReader::Piece piece;
    if (nonce_.empty()) {
      piece.leading = give_out(lead(last));
      if (!nonce_.empty()) cut_out(0, k_secret_size + 1);
    }
    if (!nonce_.empty()) piece.output = give_out(follow(last));
    return piece;
  }

  // lead looks for the nonce's line. Only a line that could still be it is held back.
  std::size_t lead(bool last) {
    const std::string_view text = held();
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = text.find('\n', at);
      const std::string_view line = text.substr(at, end - at);
      const bool whole = end != text.npos;
      const bool could_be = begins_line(at) && line.size() <= k_secret_size &&
                            std::ranges::all_of(line, bytes::is_lower_hex);
      if (!whole && could_be && !last) break;
      if (whole && could_be && line.size() == k_secret_size) {
        nonce_ = line;
        break;
      }
      count_hex(line, whole);
      at = whole ? end + 1 : text.size();
    }
    return at;
  }

  // count_hex notes a run of 32 hex digits; runs go on over pieces of one line.
  void count_hex(std::string_view line, bool whole) noexcept {
    for (const char c : line) {
      run_ = bytes::is_lower_hex(bytes::to_lower(c)) ? run_ + 1 : 0;
      has_run_ = has_run_ || run_ == k_secret_size;
    }
    if (whole) run_ = 0;
  }

  std::size_t follow(bool last) {
    if (repeated_) return held().size();
    const std::size_t at = find_text(held(), nonce_, 0);
    if (at == std::string_view::npos) return certain(held(), k_secret_size, last);
    repeated_ = true;
    cut_out(at, k_secret_size);
    return held().size();
  }

  [[nodiscard]] DeadlineReport report(std::optional<std::int32_t> exit_code) const override {
    DeadlineReport result;
    if (!nonce_.empty()) {
      result.outcome = Outcome::ran;
      result.killed = repeated_ && exit_code == k_killed;
    } else if ((exit_code == k_not_executable || exit_code == k_not_found) && !has_run_) {
      result.outcome = Outcome::not_run;
    }
    return result;
  }

  std::string nonce_;
  std::size_t run_ = 0;
  bool has_run_ = false;
  bool repeated_ = false;
};

ReportReader::ReportReader(const ReportScheme& scheme) {
  if (scheme.is_sealed()) {
    state_ = std::make_unique<SealedState>(*scheme.call_id());
  } else {
    state_ = std::make_unique<NonceState>();
  }
}
ReportReader::~ReportReader() = default;
ReportReader::ReportReader(ReportReader&&) noexcept = default;
ReportReader& ReportReader::operator=(ReportReader&&) noexcept = default;

ReportReader::Piece ReportReader::feed(std::string_view bytes) { return state_->feed(bytes); }

ReportReader::End ReportReader::finish(std::optional<std::int32_t> exit_code) {
  return state_->finish(exit_code);
}

}  // namespace sandproof
