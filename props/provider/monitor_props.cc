// The monitor bites: traces that break one invariant, by hand, and traces that break none. And the
// letters mean what they say: their judgement of a policy, and of a report, is the library's.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "answerer.h"
#include "invariants.h"
#include "sandproof/deadline_report.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"

namespace sandproof::props {
namespace {

using std::chrono::seconds;
using enum Ask;

// ---- Answers and ends, by hand. ----

Saw in(Life life, bool holds = true) { return {.life = life, .carries = true, .holds = holds}; }
Saw got(Got got) { return {.got = got}; }
Saw of_other(Saw saw) {
  saw.whose = Whose::other;
  return saw;
}

const Saw k_ok = got(Got::body);
const Saw k_runs = in(Life::running);
const Saw k_rests = in(Life::stopped);
const Saw k_made = in(Life::creating);
const Saw k_lost = got(Got::incomplete);
const Saw k_missing = got(Got::missing);

Ending failed(ErrorCode code, std::optional<Failure> failure = {}) {
  Ending ending;
  ending.fault = Fault{.code = code, .failure = failure};
  return ending;
}

Ending unknown() { return failed(ErrorCode::outcome_unknown); }
Ending gone() { return failed(ErrorCode::command_failed, Failure::session_gone); }

Ending retryable() {
  Ending ending = failed(ErrorCode::unreachable);
  ending.fault->retryable = true;
  return ending;
}

Ending labelled() {
  Ending ending = unknown();
  ending.fault->names_attempt = true;
  return ending;
}

Ending returns(Whom whom) {
  Ending ending;
  ending.session = whom;
  return ending;
}

Ending shows(std::string external, std::string text = "text") {
  Ending ending = gone();
  ending.shown.push_back({std::move(external), std::move(text)});
  return ending;
}

// Trace is a trace under construction: each step begins when the one before has ended.
struct Trace {
  Call call;
  std::vector<Event> events = {};
  Instant now{};

  Trace& step(Asked asked, Saw saw, milliseconds took = milliseconds{0}) {
    if (asked.what == wait) {
      asked.bound = seconds{2};
      took += seconds{2};
    } else if (asked.what == create) {
      asked.bound = seconds{120};
    } else if (asked.what == exec) {
      asked.bound = call.deadline + seconds{10};
    }
    events.push_back({asked, saw, now, now + took});
    now += took;
    return *this;
  }
  Trace& pause(milliseconds more = milliseconds{0}) { return step({.what = wait}, k_ok, more); }
  Trace& on(Ask what, Saw saw, milliseconds took = milliseconds{0}) {
    return step({.what = what, .whom = Whom::asked}, saw, took);
  }
  Trace& made(Ask what, Saw saw) { return step({.what = what, .whom = Whom::minted}, saw); }
  Trace& creating(Saw saw = k_made) { return step({.what = create}, saw); }
  Trace& polled(int polls) {
    for (int poll = 0; poll < polls; ++poll) on(get, k_runs).pause();
    return *this;
  }
};

Trace calls(Verb verb) { return {.call = {.verb = verb, .deadline = seconds{10}, .files = 2}}; }

// breaches is the set of invariants that a trace breaks.
std::vector<int> breaches(const Trace& trace, const Ending& ending) {
  std::vector<int> found;
  for (const Violation& each : Monitor::watch(trace.call, trace.events, ending)) {
    if (std::ranges::find(found, each.invariant) == found.end()) found.push_back(each.invariant);
  }
  return found;
}

struct Case {
  int invariant;  // that breaks; -1 for none
  std::string_view what;
  Trace trace;
  Ending ending = gone();
};

const auto create_call = [] { return calls(Verb::create); };
const auto reconnect = [] { return calls(Verb::get_or_create); };
const auto run = [] { return calls(Verb::run_command); };
const auto write_call = [] { return calls(Verb::write_files); };
const auto ends = [] { return calls(Verb::terminate); };

std::vector<Case> sound_traces() {
  return {
      {-1, "a command", run().on(get, k_runs).on(exec, k_ok), {}},
      {-1, "two files", write_call().on(get, k_runs).on(write, k_ok).on(write, k_ok), {}},
      {-1, "a create", create_call().creating().made(get, k_runs), returns(Whom::minted)},
      {-1, "a lost create", create_call().creating(k_lost), labelled()},
      {-1, "a create that is deleted",
       create_call().creating().made(get, in(Life::failed)).made(remove, k_missing), unknown()},
      {-1, "a wake",
       reconnect().on(get, k_rests).on(get, k_rests).on(wake, k_ok).pause().on(get, k_runs),
       returns(Whom::asked)},
      {-1, "a wake that is put back",
       reconnect()
           .on(get, k_rests)
           .on(get, k_rests)
           .on(wake, k_lost)
           .pause()
           .on(get, k_lost)
           .on(stop, k_ok),
       retryable()},
      {-1, "a failed session that is replaced",
       reconnect().on(get, in(Life::failed)).on(remove, k_ok).creating().made(get, k_runs),
       returns(Whom::minted)},
      {-1, "an overrun",
       run()
           .on(get, k_runs)
           .on(exec, got(Got::timed_out), seconds{20})
           .on(remove, k_ok)
           .polled(14)
           .on(get, k_missing),
       failed(ErrorCode::command_failed, Failure::deadline_exceeded)},
      {-1, "an end", ends().on(remove, k_ok).polled(14).on(get, k_missing), {}},
      {-1, "an end that is not confirmed", ends().on(remove, k_ok).polled(15), retryable()},
      {-1, "a file that may be written again",
       write_call().on(get, k_runs).on(write, k_lost, seconds{30}), retryable()},
      {-1, "an error that names what it may", calls(Verb::get).on(get, k_lost),
       shows("session box, attempt", "zZMARKERz 503")},
  };
}

std::vector<Case> broken_traces() {
  Trace unsupported = calls(Verb::list);
  unsupported.call.refused = ErrorCode::operation_not_supported;
  const Asked stranger{.what = get, .whom = Whom::stranger};
  const Asked changed{.what = read, .whom = Whom::asked, .as_given = false};
  const Asked impatient{.what = get, .whom = Whom::asked, .bound = seconds{31}};
  Trace endless = create_call().creating();
  for (int step = 0; step < 300; ++step) endless.made(get, k_made).pause(seconds{-2});
  Trace short_pause = ends().on(remove, k_ok).on(get, k_runs).pause();
  short_pause.events.back().asked.bound = seconds{1};
  Ending returned_and_failed = returns(Whom::minted);

  return {
      {0, "a command by mkdir", calls(Verb::mkdir).on(wake, k_ok).on(stop, k_ok)},
      {0, "two commands", run().on(get, k_runs).on(exec, k_ok).on(exec, k_ok)},
      {1, "a command unread", run().on(exec, k_ok)},
      {1, "a command asleep", run().on(get, k_rests).on(exec, k_ok)},
      {1, "a command under another policy", run().on(get, in(Life::running, false)).on(exec, k_ok)},
      {1, "a command by another's record", run().on(get, of_other(k_runs)).on(exec, k_ok)},
      {1, "a command after a lost read", run().on(get, k_lost).on(exec, k_ok)},
      {1, "a file under another policy",
       write_call().on(get, in(Life::running, false)).on(write, k_ok)},
      {1, "a file after a newer record",
       write_call().on(get, k_runs).on(write, k_ok).on(get, k_rests).on(write, k_ok)},
      {2, "a lost create without a name", create_call().creating(k_lost), unknown()},
      {2, "a create that is forgotten", create_call().creating().made(get, k_lost), unknown()},
      {2, "a label where the id was known", create_call().creating().made(get, k_lost), labelled()},
      {2, "a delete that failed", create_call().creating().made(get, k_lost).made(remove, k_lost),
       unknown()},
      {2, "two creates", create_call().creating(got(Got::refused)).creating(got(Got::refused))},
      {2, "another is returned", reconnect().on(get, k_missing).creating(), returns(Whom::asked)},
      {2, "what is deleted is returned",
       create_call().creating().made(get, k_runs).made(remove, k_ok), returns(Whom::minted)},
      {2, "what was not created is returned", reconnect().on(get, k_runs), returned_and_failed},
      {3, "a stop of what runs", reconnect().on(get, k_runs).on(stop, k_ok)},
      {3, "a stop where the wake was refused",
       reconnect()
           .on(get, k_rests)
           .on(get, k_rests)
           .on(wake, got(Got::refused))
           .pause()
           .on(get, k_lost)
           .on(stop, k_ok)},
      {3, "a second stop", calls(Verb::suspend).on(stop, k_lost).on(get, k_runs).on(stop, k_ok)},
      {3, "a delete of what sleeps", reconnect().on(get, k_rests).on(remove, k_ok)},
      {3, "a delete by another's record",
       reconnect().on(get, of_other(in(Life::failed))).on(remove, k_ok)},
      {3, "a delete after a command", run().on(get, k_runs).on(exec, k_lost).on(remove, k_ok),
       unknown()},
      {3, "two deletes", ends().on(remove, k_lost).on(remove, k_lost), retryable()},
      {4, "a wake on a record that is wrong",
       reconnect().on(get, k_rests).on(get, in(Life::idle, false)).on(wake, k_ok)},
      {4, "a wake unread", calls(Verb::resume).on(wake, k_ok)},
      {4, "a wake of what stops", calls(Verb::resume).on(get, in(Life::stopping)).on(wake, k_ok)},
      {4, "a wake by another's record",
       calls(Verb::resume).on(get, of_other(k_rests)).on(wake, k_ok)},
      {4, "a second wake on one record",
       calls(Verb::resume).on(get, k_rests).on(wake, k_ok).on(wake, k_ok)},
      {5, "a stranger's id", calls(Verb::get).step(stranger, k_ok)},
      {5, "another path", calls(Verb::read_file).step(changed, k_ok)},
      {5, "a refused call that succeeds", unsupported, {}},
      {6, "gone, and still there", ends().on(remove, k_ok).on(get, k_runs), {}},
      {6, "gone by the delete's own word", ends().on(remove, k_missing), {}},
      {6, "gone by a lost read", ends().on(remove, k_ok).on(get, k_lost), {}},
      {6, "an overrun that was not ended",
       run().on(get, k_runs).on(exec, got(Got::timed_out)).on(remove, k_ok).on(get, k_lost),
       failed(ErrorCode::command_failed, Failure::deadline_exceeded)},
      {7, "sixteen polls", ends().on(remove, k_ok).polled(15).on(get, k_runs), retryable()},
      {7, "a pause past the ready wait",
       create_call()
           .creating()
           .made(get, k_made)
           .pause(seconds{118})
           .made(get, k_made)
           .pause()
           .made(get, k_runs),
       returns(Whom::minted)},
      {7, "a pause of another length", short_pause, retryable()},
      {7, "polls without a pause", ends().on(remove, k_ok).on(get, k_runs).on(get, k_runs),
       retryable()},
      {7, "another bound", calls(Verb::get).step(impatient, k_ok), returns(Whom::asked)},
      {7, "it does not end", endless, returns(Whom::minted)},
      {7, "too long, by honest answers",
       calls(Verb::get).on(get, k_lost, seconds{30}).pause().on(get, k_ok, seconds{30}),
       returns(Whom::asked)},
      {8, "a create that may be repeated", create_call().creating(k_lost),
       [] {
         Ending ending = labelled();
         ending.fault->retryable = true;
         return ending;
       }()},
      {8, "a command that may be repeated", run().on(get, k_runs).on(exec, k_lost), retryable()},
      {9, "the service's words", calls(Verb::get).on(get, k_lost), shows("because zZMARKERz")},
      {9, "the service's tool", calls(Verb::get).on(get, k_lost), shows("needs zqmarkerqz")},
      {9, "the service's status", calls(Verb::get).on(get, k_lost), shows("HTTP 503")},
      {9, "a control byte", calls(Verb::get).on(get, k_lost), shows("a\nb")},
      {9, "a byte of the log", calls(Verb::get).on(get, k_lost), shows("a", "caf\xc3\xa9")},
  };
}

TEST(Monitor, AcceptsSoundTraces) {
  for (const Case& each : sound_traces()) {
    EXPECT_EQ(breaches(each.trace, each.ending), std::vector<int>{}) << each.what;
  }
}

TEST(Monitor, RejectsEveryBrokenTrace) {
  std::array<int, k_invariant_count + 1> broken{};
  for (const Case& each : broken_traces()) {
    const std::vector<int> found = breaches(each.trace, each.ending);
    EXPECT_TRUE(std::ranges::find(found, each.invariant) != found.end())
        << each.invariant << ": " << each.what;
    ++broken.at(static_cast<std::size_t>(each.invariant));
  }
  EXPECT_EQ(std::ranges::count(broken, 0), 0) << "an invariant has no trace that breaks it";
}

TEST(Monitor, RejectsARefusedCallThatSends) {
  for (const Verb verb : {Verb::list, Verb::get, Verb::terminate}) {
    Trace trace = calls(verb);
    trace.call.refused = ErrorCode::invalid_input;
    trace.on(verb == Verb::terminate ? remove : get, k_ok);
    const std::vector<int> found = breaches(trace, gone());
    EXPECT_TRUE(std::ranges::find(found, 5) != found.end());
  }
}

// ---- The letters. ----

TEST(Answerer, JudgesAPolicyAsTheComparisonDoes) {
  std::array<int, 2> judged{};
  for (const Setting& setting : settings()) {
    const AzureConfig config = configured(setting);
    for (std::size_t at = 0; at < k_policy_count; ++at) {
      const auto policy = static_cast<Policy>(at);
      const SandboxRecord record = make_record(setting, "box", Life::running, policy);
      const Verdict verdict =
          compare(config.egress, normal_form(record), config.tolerances).verdict();
      EXPECT_EQ(holds(setting, policy), accepts(config.acceptance, verdict))
          << setting.name << ", " << name(policy) << ": " << name(verdict);
      EXPECT_EQ(carries(policy), carries_policy(record)) << name(policy);
      ++judged[holds(setting, policy) ? 1 : 0];
    }
  }
  EXPECT_GT(std::ranges::min(judged), 10);
}

TEST(Answerer, NamesStatesAsTheServiceDoes) {
  for (std::size_t at = 0; at < k_life_count; ++at) {
    const auto life = static_cast<Life>(at);
    const SandboxRecord record = make_record(settings().front(), "box", life, Policy::absent);
    EXPECT_EQ(!is_unreadable(life), parse_state(record.state).has_value()) << name(life);
    if (is_unreadable(life)) continue;
    EXPECT_EQ(word(*parse_state(record.state)), name(life));
    for (const bool carried : {false, true}) {
      const Saw saw{.life = life, .carries = carried, .holds = false};
      EXPECT_EQ(is_wrong(saw), judgeable(*parse_state(record.state), carried)) << name(life);
    }
  }
}

TEST(Answerer, ReadsAReportAsTheReaderDoes) {
  const CallId call = CallId::parse("00112233445566778899aabbccddeeff").value();
  std::array<int, 5> finished{};
  for (const Report& report : reports(call)) {
    const ExecResult& result = report.result;
    const DeadlineReport read =
        read_report(ReportScheme::sealed(call), result.exit_code, result.standard_error);
    const bool ran = read.outcome == Outcome::ran;
    Finish finish = Finish::unverified;
    if (read.outcome == Outcome::not_run) finish = Finish::not_bounded;
    if (ran) finish = read.attested && result.exit_code ? Finish::exited : Finish::unknown;
    if (ran && read.killed) finish = Finish::killed;
    EXPECT_EQ(report.finish, finish) << report.name;
    const Output output{.out = ran ? result.standard_output : "",
                        .err = ran ? std::string(read.before) + std::string(read.after) : "",
                        .preamble = ran ? std::string(read.preamble) : "",
                        .exit_code = finish == Finish::exited ? result.exit_code : std::nullopt};
    EXPECT_EQ(report.output, output) << report.name;
    ++finished.at(static_cast<std::size_t>(finish));
  }
  EXPECT_EQ(std::ranges::count(finished, 0), 0);
}

TEST(Answerer, ClassifiesEveryTransportError) {
  int refusals = 0;
  for (const Letter& letter : failures()) {
    const auto* error = std::get_if<TransportError>(&letter.answer.error());
    EXPECT_EQ(error == nullptr, letter.saw.got == Got::undecodable) << letter.name;
    if (!error) continue;
    EXPECT_EQ(error->is_refusal(), is_refusal(letter.saw.got)) << letter.name;
    EXPECT_EQ(error->is_not_found(), letter.saw.got == Got::missing) << letter.name;
    EXPECT_EQ(error->kind() == TransportError::Kind::timed_out, letter.saw.got == Got::timed_out);
    refusals += error->is_refusal() ? 1 : 0;
  }
  EXPECT_GT(refusals, 5);
}

TEST(Answerer, PutsTheAbridgedAlphabetFirst) {
  const Names names{.asked = "box", .minted = "new", .other = "other"};
  const CallId call = CallId::parse("00112233445566778899aabbccddeeff").value();
  for (const std::vector<Letter>& letters :
       alphabet(settings().front(), names, call, seconds{10})) {
    for (std::size_t at = 1; at < letters.size(); ++at) {
      EXPECT_FALSE(letters[at - 1].rare && !letters[at].rare) << letters[at].name;
    }
  }
}

}  // namespace
}  // namespace sandproof::props
