#include "model.h"

#include <expected>

namespace sandproof::props {
namespace {

using std::chrono::seconds;

constexpr milliseconds k_pause = seconds{2};
constexpr milliseconds k_ready = seconds{120};
constexpr int k_polls = 15;

// Differs is thrown where the provider did not ask what the contract says comes next.
struct Differs {
  std::string what;
};

// Replay hands out the answers, as long as the provider asked what the model asks.
class Replay {
 public:
  Replay(const Call& call, std::span<const Event> events) : call_(call), events_(events) {}

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Instant now() const { return at_ == 0 ? Instant{} : events_[at_ - 1].came; }
  [[nodiscard]] const Event& last() const { return events_[at_ - 1]; }
  [[nodiscard]] bool has_more() const { return at_ < events_.size(); }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool comes(Ask what) const { return has_more() && events_[at_].asked.what == what; }

  const Saw& ask(Ask what, Whom whom = Whom::nobody, int file = 0) {
    const Asked must{.what = what, .whom = whom, .file = file};
    if (!has_more() || !is_same(events_[at_].asked, must)) {
      throw Differs{"step " + std::to_string(at_) + " must be " + shown(must) + ", and was " +
                    (has_more() ? shown(events_[at_].asked) : "the end")};
    }
    return events_[at_++].saw;
  }

  void pause() {
    ask(Ask::wait);
    if (last().asked.bound != k_pause) throw Differs{"a pause is not of two seconds"};
  }

 private:
  static bool is_same(const Asked& a, const Asked& b) {
    return a.what == b.what && a.whom == b.whom && a.file == b.file;
  }

  const Call& call_;
  std::span<const Event> events_;
  std::size_t at_ = 0;
};

// Bad is a failure: its code, what is left behind or awake, and who may see it where the contract
// says so.
struct Bad {
  ErrorCode code;
  std::optional<Failure> failure = {};
  std::optional<Visibility> visibility = {};
  bool must_name_session = false;
  bool must_warn = false;
  std::optional<bool> has_evidence = {};
};

Bad command_failed(Failure failure) { return {ErrorCode::command_failed, failure}; }
Bad unexpected() { return {ErrorCode::unexpected_response}; }
Bad not_as_declared() { return {ErrorCode::not_as_declared}; }

template <class T>
using Or = std::expected<T, Bad>;

// Within says which part of the contract a call belongs to: inside a create or a command, a call
// that did not complete leaves the outcome unknown.
enum class Within : std::uint8_t { effect, other };

// failed sorts an answer that is no usable body.
Bad failed(Within within, const Saw& saw) {
  const auto visibility = saw.published ? Visibility::external : Visibility::internal;
  if (is_refusal(saw.got)) {
    return {ErrorCode::command_failed, Failure::data_plane_refused, visibility};
  }
  if (within == Within::effect) return {ErrorCode::outcome_unknown, {}, visibility};
  if (saw.got == Got::undecodable) return {ErrorCode::unexpected_response, {}, visibility};
  return {ErrorCode::unreachable, {}, visibility};
}

// read_record reads a session; nothing where it does not exist.
Or<std::optional<Saw>> read_record(Replay& replay, Within within, Whom whom) {
  const Saw& saw = replay.ask(Ask::get, whom);
  if (saw.got == Got::missing) return std::nullopt;
  if (saw.got != Got::body) return std::unexpected(failed(within, saw));
  if (saw.whose != Whose::right) return std::unexpected(unexpected());
  if (is_unreadable(saw.life)) return std::unexpected(unexpected());
  return saw;
}

// await_running waits until a session runs. `woken` is set where this call woke it, or may have.
Or<Saw> await_running(Replay& replay, Within within, Whom whom, bool& woken) {
  const Instant start = replay.now();
  bool was_refused = false;
  for (;;) {
    const auto record = read_record(replay, within, whom);
    if (!record) return std::unexpected(record.error());
    if (!*record) return std::unexpected(command_failed(Failure::session_gone));
    const Saw& saw = **record;
    if (saw.life == Life::running) return saw;
    if (is_ending(saw.life)) return std::unexpected(command_failed(Failure::session_terminated));
    if (is_resting(saw.life)) {
      if (is_wrong(saw)) return std::unexpected(not_as_declared());
      const Got wake = replay.ask(Ask::wake, whom).got;
      woken = woken || !is_refusal(wake);
      was_refused = wake != Got::body;
    }
    if (replay.now() - start >= k_ready) {
      Bad bad = command_failed(Failure::session_not_ready);
      bad.has_evidence = was_refused;
      return std::unexpected(bad);
    }
    replay.pause();
  }
}

// is_done: a delete or a stop of what is not there has done what it should.
bool is_done(const Saw& saw) { return saw.got == Got::body || saw.got == Got::missing; }

// discard deletes what nobody will get.
Bad discard(Replay& replay, Whom whom, Bad reason) {
  if (is_done(replay.ask(Ask::remove, whom))) return reason;
  return {ErrorCode::command_failed, Failure::sandbox_left_behind, {}, true};
}

// put_back stops what this call woke.
Bad put_back(Replay& replay, bool woken, Bad reason) {
  if (!woken || is_done(replay.ask(Ask::stop, Whom::asked))) return reason;
  return {ErrorCode::command_failed, Failure::sandbox_left_awake, {}, true};
}

Or<Ending> create(Replay& replay) {
  const Saw& made = replay.ask(Ask::create);
  if (made.got != Got::body) return std::unexpected(failed(Within::effect, made));
  if (made.whose == Whose::unaddressable) {
    Bad bad = unexpected();
    bad.must_warn = true;  // that it cannot be deleted
    return std::unexpected(bad);
  }
  if (made.whose != Whose::right) {
    Bad bad = discard(replay, Whom::minted, unexpected());
    bad.must_name_session = false;  // it has no session's id to name; the label must do
    return std::unexpected(bad);
  }
  bool woken = false;
  const auto running = await_running(replay, Within::effect, Whom::minted, woken);
  if (!running) return std::unexpected(discard(replay, Whom::minted, running.error()));
  if (is_wrong(*running)) {
    return std::unexpected(discard(replay, Whom::minted, not_as_declared()));
  }
  Ending ending;
  ending.session = Whom::minted;
  ending.state = SessionState::running;
  return ending;
}

SessionState folded(Life life) {
  if (life == Life::running) return SessionState::running;
  if (is_starting(life)) return SessionState::starting;
  return is_ending(life) ? SessionState::terminated : SessionState::suspended;
}

Or<Ending> get(Replay& replay) {
  const auto record = read_record(replay, Within::other, Whom::asked);
  if (!record) return std::unexpected(record.error());
  Ending ending;
  if (!*record) return ending;
  if (is_wrong(**record)) return std::unexpected(not_as_declared());
  ending.session = Whom::asked;
  ending.state = folded((*record)->life);
  return ending;
}

// wake_and_judge brings a session that was just read into service.
Or<Ending> wake_and_judge(Replay& replay) {
  bool woken = false;
  const auto running = await_running(replay, Within::other, Whom::asked, woken);
  if (!running) return std::unexpected(put_back(replay, woken, running.error()));
  if (is_wrong(*running)) return std::unexpected(put_back(replay, woken, not_as_declared()));
  Ending ending;
  ending.session = Whom::asked;
  ending.state = SessionState::running;
  return ending;
}

Or<Ending> reconnect(Replay& replay) {
  const auto record = read_record(replay, Within::other, Whom::asked);
  if (!record) return std::unexpected(record.error());
  const Bad gone = command_failed(Failure::session_gone);
  if (!*record || (*record)->life == Life::deleting) return std::unexpected(gone);
  if ((*record)->life == Life::failed) {
    return std::unexpected(discard(replay, Whom::asked, gone));
  }
  if (is_wrong(**record)) return std::unexpected(not_as_declared());
  return wake_and_judge(replay);
}

Or<Ending> get_or_create(Replay& replay) {
  if (!replay.call().names_session) return create(replay);
  const auto found = reconnect(replay);
  if (found) return found;
  const Bad& bad = found.error();
  const bool replaces = bad.code == ErrorCode::not_as_declared ||
                        bad.failure == Failure::session_gone ||
                        bad.failure == Failure::session_terminated;
  return replaces ? create(replay) : found;
}

Or<Ending> resume(Replay& replay) {
  const auto record = read_record(replay, Within::other, Whom::asked);
  if (!record) return std::unexpected(record.error());
  if (!*record) return std::unexpected(command_failed(Failure::session_gone));
  if (is_wrong(**record)) return std::unexpected(not_as_declared());
  auto woken = wake_and_judge(replay);
  if (!woken) return woken;
  return Ending{};
}

// judge_session reads a session and says whether work may be sent to it.
std::optional<Bad> judge_session(Replay& replay, Within within) {
  const auto record = read_record(replay, within, Whom::asked);
  if (!record) return record.error();
  if (!*record || is_ending((*record)->life)) return command_failed(Failure::session_gone);
  if (is_starting((*record)->life)) return command_failed(Failure::session_not_ready);
  if ((*record)->life != Life::running) return command_failed(Failure::session_suspended);
  if (is_wrong(**record)) return not_as_declared();
  return std::nullopt;
}

// confirm_gone deletes a session and looks until it is not found; otherwise it says why not.
std::optional<Bad> confirm_gone(Replay& replay) {
  const Saw& removed = replay.ask(Ask::remove, Whom::asked);
  if (!is_done(removed)) return failed(Within::other, removed);
  for (int poll = 1; poll <= k_polls; ++poll) {
    if (replay.ask(Ask::get, Whom::asked).got == Got::missing) return std::nullopt;
    // Whether there is a pause behind the last poll is nobody's business.
    if (poll < k_polls || replay.comes(Ask::wait)) replay.pause();
  }
  return Bad{ErrorCode::unreachable};
}

Or<Ending> run_command(Replay& replay) {
  if (const auto bad = judge_session(replay, Within::effect)) return std::unexpected(*bad);
  const Saw& saw = replay.ask(Ask::exec, Whom::asked);
  const milliseconds took = replay.last().came - replay.last().sent;
  if (saw.got == Got::timed_out) {
    if (confirm_gone(replay)) return std::unexpected(Bad{ErrorCode::outcome_unknown});
    return std::unexpected(command_failed(Failure::deadline_exceeded));
  }
  if (saw.got != Got::body) return std::unexpected(failed(Within::effect, saw));
  if (saw.finish == Finish::not_bounded) {
    return std::unexpected(command_failed(Failure::command_not_bounded));
  }
  if (saw.finish == Finish::unverified) return std::unexpected(Bad{ErrorCode::outcome_unknown});

  Ending ending;
  ending.output = *saw.output;
  const bool is_credible = took * 100 >= replay.call().deadline * 99;
  if (saw.finish != Finish::exited) {
    ending.output->exit_code.reset();
    if (saw.finish == Finish::killed && is_credible) {
      ending.fault =
          Fault{.code = ErrorCode::command_failed, .failure = Failure::deadline_exceeded};
    } else {
      ending.fault = Fault{.code = ErrorCode::outcome_unknown, .failure = {}};
    }
  }
  return ending;
}

Or<Ending> write_files(Replay& replay) {
  if (const auto bad = judge_session(replay, Within::other)) return std::unexpected(*bad);
  for (int file = 0; file < replay.call().files; ++file) {
    const Saw& saw = replay.ask(Ask::write, Whom::asked, file);
    if (saw.got != Got::body) return std::unexpected(failed(Within::other, saw));
  }
  return Ending{};
}

Or<Ending> read_file(Replay& replay) {
  const Saw& saw = replay.ask(Ask::read, Whom::asked);
  if (saw.got != Got::body) return std::unexpected(failed(Within::other, saw));
  Ending ending;
  ending.bytes = saw.output->out;
  return ending;
}

Or<Ending> mkdir(Replay& replay) {
  const Saw& saw = replay.ask(Ask::mkdir, Whom::asked);
  if (saw.got != Got::body) return std::unexpected(failed(Within::other, saw));
  return Ending{};
}

Or<Ending> suspend(Replay& replay) {
  const Saw& stopped = replay.ask(Ask::stop, Whom::asked);
  if (stopped.got == Got::body) return Ending{};
  const auto record = read_record(replay, Within::other, Whom::asked);
  if (!record) return std::unexpected(record.error());
  if (!*record || folded((*record)->life) == SessionState::suspended) return Ending{};
  return std::unexpected(failed(Within::other, stopped));
}

Or<Ending> terminate(Replay& replay) {
  if (const auto bad = confirm_gone(replay)) return std::unexpected(*bad);
  return Ending{};
}

Or<Ending> play(Replay& replay) {
  if (replay.call().refused) return std::unexpected(Bad{*replay.call().refused});
  switch (replay.call().verb) {
    case Verb::create:
      return create(replay);
    case Verb::get:
      return get(replay);
    case Verb::get_or_create:
      return get_or_create(replay);
    case Verb::run_command:
      return run_command(replay);
    case Verb::read_file:
      return read_file(replay);
    case Verb::write_files:
      return write_files(replay);
    case Verb::mkdir:
      return mkdir(replay);
    case Verb::suspend:
      return suspend(replay);
    case Verb::resume:
      return resume(replay);
    case Verb::terminate:
      return terminate(replay);
    default:
      return std::unexpected(Bad{ErrorCode::operation_not_supported});
  }
}

// is_same_fault compares a fault with what it must be.
std::string fault_difference(const Bad& must, const Ending& ending, std::string_view where) {
  const std::optional<Fault>& is = ending.fault;
  if (!is || is->code != must.code || is->failure != must.failure) {
    return std::string(where) + " must be " + std::string(code(must.code)) +
           (must.failure ? " " + std::string(name(*must.failure)) : "");
  }
  if (is->retryable != (must.code == ErrorCode::unreachable)) return "retryable is wrong";
  if (must.visibility && is->visibility != *must.visibility) return "the visibility is wrong";
  if (must.must_name_session && !is->names_asked && !is->names_minted) {
    return "the session that is left must be named";
  }
  if (must.must_warn && ending.warnings == 0) return "a warning is missing";
  if (must.has_evidence && is->has_evidence != *must.has_evidence) {
    return "the last refusal is missing, or is none";
  }
  if (!is->of_verb) return "the error must name its verb";
  return {};
}

std::string success_difference(const Ending& must, const Ending& is) {
  if (must.fault) {
    const std::string fault =
        fault_difference({must.fault->code, must.fault->failure}, is, "the end of the run");
    if (!fault.empty()) return fault;
  } else if (is.fault) {
    return "must succeed";
  }
  if (must.session != is.session || must.state != is.state) return "another session or state";
  if (must.output != is.output) return "another output or exit code";
  if (must.bytes != is.bytes) return "other bytes";
  if (!is.whole) return "a generation is not 1, or a frame is empty or has another number";
  return {};
}

}  // namespace

std::string difference(const Call& call, std::span<const Event> events, const Ending& ending) {
  try {
    Replay replay(call, events);
    const Or<Ending> must = play(replay);
    if (replay.has_more()) {
      return "the operation must end at step " + std::to_string(replay.at()) + ", and asked " +
             shown(events[replay.at()].asked);
    }
    if (must) return success_difference(*must, ending);
    if (ending.output) return "must fail, and gives a run";
    return fault_difference(must.error(), ending, "the error");
  } catch (const Differs& differs) {
    return differs.what;
  }
}

std::string_view name(Ask ask) {
  constexpr std::array<std::string_view, k_ask_count> names = {
      "wait", "create", "get", "remove", "stop", "wake", "exec", "read", "write", "mkdir"};
  return names[index(ask)];
}

std::string shown(const Asked& asked) {
  constexpr std::array<std::string_view, 4> whom = {"", " asked", " minted", " stranger"};
  std::string text =
      std::string(name(asked.what)) + std::string(whom[static_cast<std::size_t>(asked.whom)]);
  if (asked.what == Ask::write) text += " file " + std::to_string(asked.file);
  if (!asked.as_given) text += " with other contents";
  return text;
}

std::string shown(const Ending& ending) {
  std::string text = ending.output ? "a run: " : "";
  if (ending.fault) {
    text += code(ending.fault->code);
    if (ending.fault->failure) text += " " + std::string(name(*ending.fault->failure));
  } else {
    text += "success";
  }
  if (ending.output) {
    text += ", output " + escaped(ending.output->out) + ", " + escaped(ending.output->err);
    if (ending.output->exit_code) text += ", exit " + std::to_string(*ending.output->exit_code);
  }
  if (!ending.shown.empty()) text += ": " + ending.shown.front().text;
  return text;
}

}  // namespace sandproof::props
