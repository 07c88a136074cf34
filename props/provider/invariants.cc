#include "invariants.h"

#include <algorithm>

namespace sandproof::props {
namespace {

using std::chrono::seconds;

// The bounds, as the contract states them and not as the library's constants do.
constexpr milliseconds k_call = seconds{30};
constexpr milliseconds k_create = seconds{120};
constexpr milliseconds k_margin = seconds{10};
constexpr milliseconds k_ready = seconds{120};
constexpr milliseconds k_pause = seconds{2};
constexpr int k_polls = 15;

// One poll of the ready wait and its calls, and the whole wait.
constexpr milliseconds k_ready_wait = k_ready + k_pause + 2 * k_call;
constexpr milliseconds k_terminate = k_call + k_polls * (k_call + k_pause);
constexpr milliseconds k_create_all = k_create + k_ready_wait + k_call;
constexpr milliseconds k_resume_all = k_call + k_ready_wait + k_call;

// k_most_requests is more than any operation sends: terminate's waits and polls, and a ready wait
// of two requests every two seconds, twice.
constexpr int k_most_requests = 500;

milliseconds longest(const Call& call) {
  switch (call.verb) {
    case Verb::create:
      return k_create_all;
    case Verb::get_or_create:
      return (call.names_session ? k_resume_all : milliseconds{0}) + k_create_all;
    case Verb::run_command:
      return k_call + call.deadline + k_margin + k_terminate;
    case Verb::write_files:
      return k_call * (1 + call.files);
    case Verb::suspend:
      return k_call * 2;
    case Verb::resume:
      return k_resume_all;
    case Verb::terminate:
      return k_terminate;
    default:
      return k_call;
  }
}

// asks says what a verb may ask for at all.
bool asks(Verb verb, Ask what) {
  using enum Ask;
  const auto one_of = [what](std::initializer_list<Ask> these) {
    return std::ranges::find(these, what) != these.end();
  };
  switch (verb) {
    case Verb::create:
      return one_of({create, get, wake, wait, remove});
    case Verb::get:
      return one_of({get});
    case Verb::get_or_create:
      return one_of({create, get, wake, stop, wait, remove});
    case Verb::run_command:
      return one_of({get, exec, remove, wait});
    case Verb::read_file:
      return one_of({read});
    case Verb::write_files:
      return one_of({get, write});
    case Verb::mkdir:
      return one_of({mkdir});
    case Verb::suspend:
      return one_of({stop, get});
    case Verb::resume:
      return one_of({get, wake, stop, wait});
    case Verb::terminate:
      return one_of({remove, get, wait});
    default:
      return false;
  }
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool holds_any(std::string_view text, std::span<const std::string_view> needles) {
  return std::ranges::any_of(
      needles, [text](std::string_view each) { return text.find(each) != std::string_view::npos; });
}

}  // namespace

Monitor::Monitor(const Call& call, Instant start) : call_(call), start_(start) {}

void Monitor::asked(const Asked& asked, Instant now) {
  const int times = ++count_[index(asked.what)];
  int all = 0;
  for (const int each : count_) all += each;
  if (all == k_most_requests) breach(7, "the operation does not end");

  require(!call_.refused, 5, "a refused call sends a request");
  require(asked.whom != Whom::stranger, 5, "a request names a session that nobody gave");
  require(asked.as_given, 5, "a request holds what the caller did not give");
  require(asks(call_.verb, asked.what), 0, "the verb has no business with this request");
  require(!(now < start_), 7, "time goes back");
  check_bound(asked);

  const Known& known = this->known(asked.whom);
  switch (asked.what) {
    case Ask::create:
      require(times == 1, 2, "a second create in one call");
      break;
    case Ask::exec:
      require(times == 1, 0, "a second command in one call");
      asked_to_send(known, asked);
      break;
    case Ask::write:
      asked_to_send(known, asked);
      break;
    case Ask::stop:
      require((call_.verb == Verb::suspend && times == 1) || known.woken, 3,
              "a stop of a session that this call did not wake");
      break;
    case Ask::remove:
      asked_to_delete(known, asked);
      break;
    case Ask::wake:
      require(known.latest && is_record_of(*known.latest, Whose::right) &&
                  is_resting(known.latest->life),
              4, "a wake without a record of a resting session");
      require(!known.latest || !is_wrong(*known.latest), 4, "a wake on a record that is wrong");
      break;
    case Ask::wait:
      asked_to_wait(asked, now);
      break;
    case Ask::get:
      if (ends_session() && known.deletes > 0) {
        require(++polls_ <= k_polls, 7, "too many polls of a deleted session");
      }
      // Whoever may wake a session reads it once before the ready wait does.
      require(before_ != Ask::get || all == 2, 7, "two reads without a pause between them");
      break;
    default:
      break;
  }
  before_ = asked.what;
  shown_ = now;
}

void Monitor::asked_to_send(const Known& known, const Asked& asked) {
  require(asked.whom == Whom::asked && known.latest && is_record_of(*known.latest, Whose::right) &&
              known.latest->life == Life::running && known.latest->holds,
          1, "sent to a session whose latest record does not satisfy the declaration");
}

void Monitor::asked_to_delete(const Known& known, const Asked& asked) {
  require(known.deletes == 0, 3, "a second delete of one session");
  const bool failed = known.latest && is_record_of(*known.latest, Whose::right) &&
                      known.latest->life == Life::failed;
  require(asked.whom == Whom::minted || call_.verb == Verb::terminate ||
              (call_.verb == Verb::get_or_create && failed) || known.overran,
          3, "a delete of a session that is not this call's to delete");
  ++this->known(asked.whom).deletes;
}

void Monitor::asked_to_wait(const Asked& asked, Instant now) {
  require(asked.bound == k_pause, 7, "a pause of another length");
  if (ends_session()) {
    require(count_[index(Ask::wait)] <= k_polls, 7, "too many pauses after a delete");
  } else {
    require(ready_from_ && now - *ready_from_ < k_ready, 7, "the ready wait passed its bound");
  }
}

void Monitor::check_bound(const Asked& asked) {
  if (asked.what == Ask::wait) return;
  const milliseconds bound = asked.what == Ask::create ? k_create
                             : asked.what == Ask::exec ? call_.deadline + k_margin
                                                       : k_call;
  require(asked.bound == bound, 7, "a request has another bound than its kind");
}

void Monitor::answered(const Asked& asked, const Saw& saw, Instant sent, Instant came) {
  held_ += sent - shown_;
  const milliseconds took = came - sent;
  if (asked.what == Ask::wait ? took != asked.bound : took > asked.bound) honest_ = false;
  if (!ready_from_) ready_from_ = came;

  Known& known = this->known(asked.whom);
  switch (asked.what) {
    case Ask::create:
      created(saw, came);
      break;
    case Ask::get:
      known.latest = saw;
      if (saw.got == Got::missing && known.deletes > 0) known.seen_gone = true;
      break;
    case Ask::remove:
      if (saw.got == Got::body || saw.got == Got::missing) known.deleted = true;
      known.latest.reset();
      break;
    case Ask::stop:
      known.latest.reset();
      break;
    case Ask::wake:
      if (!is_refusal(saw.got)) known.woken = true;
      known.latest.reset();
      break;
    case Ask::exec:
      if (saw.got == Got::timed_out) known.overran = true;
      break;
    default:
      break;
  }
}

void Monitor::created(const Saw& saw, Instant came) {
  ready_from_ = came;
  if (is_refusal(saw.got)) return;
  if (saw.got != Got::body) {
    created_ = Created::perhaps;
  } else {
    created_ = saw.whose == Whose::right ? Created::named : Created::unnamable;
  }
}

void Monitor::ended(const Ending& ending, Instant now) {
  const bool failed = ending.fault.has_value();
  if (call_.refused) {
    require(failed, 5, "a call that must be refused succeeds");
  }
  check_created(ending);

  const bool says_gone = call_.verb == Verb::terminate ? !failed
                         : call_.verb == Verb::run_command && asked_.overran
                             ? failed && ending.fault->failure == Failure::deadline_exceeded
                             : false;
  require(!says_gone || asked_.seen_gone, 6, "gone, without a not-found");

  check_time(now);

  if (failed && ending.fault->retryable) {
    require(created_ == Created::nothing, 8, "may be retried, and may have created a sandbox");
    require(count_[index(Ask::exec)] == 0, 8, "may be retried, and sent a command");
  }
  for (const Shown& shown : ending.shown) {
    require(is_printable(shown.external) && is_printable(shown.text), 9,
            "an error is not printable ASCII");
    require(!holds_any(shown.external, k_markers), 9, "external() shows the service's words");
    require(!holds_any(shown.external, k_statuses), 9, "external() shows the service's status");
  }
}

void Monitor::check_created(const Ending& ending) {
  if (created_ == Created::nothing) {
    require(ending.session != Whom::minted, 2, "a sandbox is returned that was not created");
    return;
  }
  if (!ending.fault) {
    require(created_ == Created::named && ending.session == Whom::minted, 2,
            "a sandbox was created, and another is returned");
    require(minted_.deletes == 0, 2, "a sandbox is returned that was deleted");
    return;
  }
  if (minted_.deleted) return;
  require(created_ == Created::named ? ending.fault->names_minted : ending.fault->names_attempt, 2,
          "a sandbox that was created is neither returned, nor deleted, nor named");
}

void Monitor::check_time(Instant now) {
  require(!honest_ || now - start_ - held_ <= longest(call_), 7,
          "the operation took longer than its bound");
}

std::vector<Violation> Monitor::watch(const Call& call, std::span<const Event> events,
                                      const Ending& ending) {
  Instant now{};
  Monitor monitor(call, now);
  for (const Event& event : events) {
    monitor.asked(event.asked, now);
    monitor.answered(event.asked, event.saw, event.sent, event.came);
    now = event.came;
  }
  monitor.ended(ending, now);
  return monitor.violations();
}

}  // namespace sandproof::props
