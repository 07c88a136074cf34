// The wait for a session to run, as resume shows it: what waits, what wakes, what ends it, and
// when.
#include "setting.h"

namespace sandproof::props {
namespace {

// waits drives resume over a session that is found asleep and is then `seen`, poll after poll.
Result<void> waits(Script& script, std::vector<Reaction> seen, std::vector<Reaction> resumes = {}) {
  seen.insert(seen.begin(), bare("s1", "Stopped"));
  script.on(Kind::get, std::move(seen)).on(Kind::stop, Accepted{});
  if (!resumes.empty()) script.on(Kind::resume, std::move(resumes));
  return drive(provider().resume("s1"), script);
}

TEST(ReadyWait, AStoppingSessionIsWaitedForAndNotWoken) {
  Script script;
  EXPECT_EQ(outcome(waits(script,
                          {record("s1", "Stopping"), record("s1", "Stopped"),
                           bare("s1", "Resuming"), running("s1")},
                          {Accepted{}})),
            "ok");
  EXPECT_EQ(script.trace(),
            "get s1, get s1, wait 2000, get s1, resume s1, wait 2000, get s1, wait 2000, get s1");
}

// The first resume is the one most likely to be refused: the session may still be stopping.
TEST(ReadyWait, ARefusedResumeIsTriedAgainAtEachPoll) {
  Script script;
  EXPECT_EQ(outcome(waits(script,
                          {bare("s1", "Stopped"), bare("s1", "Stopped"), bare("s1", "Stopped"),
                           running("s1")},
                          {http(409), http(409), Accepted{}})),
            "ok");
  EXPECT_EQ(script.count(Kind::resume), 3U);
  EXPECT_EQ(script.count(Kind::stop), 0U);
}

TEST(ReadyWait, EveryRestingStateIsWoken) {
  for (const std::string word : {"Stopped", "Suspended", "Idle"}) {
    Script script;
    EXPECT_EQ(outcome(waits(script, {bare("s1", word), running("s1")}, {Accepted{}})), "ok");
    EXPECT_EQ(script.count(Kind::resume), 1U) << word;
  }
}

TEST(ReadyWait, ARestingRecordIsJudgedAtEachPoll) {
  Script script;
  const auto result =
      waits(script, {bare("s1", "Stopped"), record("s1", "Idle", open_policy())}, {http(409)});
  ASSERT_EQ(outcome(result), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(std::get<NotDeclared>(result.error().evidence()).running, describe(open_policy()));
  EXPECT_EQ(script.trace(), "get s1, get s1, resume s1, wait 2000, get s1");
}

TEST(ReadyWait, ItsPollsAreTwoSecondsApartForTwoMinutes) {
  Script script;
  const auto result = waits(script, {bare("s1", "Creating")});
  EXPECT_EQ(outcome(result), "sessionNotReady");
  EXPECT_EQ(result.error().cause(), nullptr);

  const auto gets = script.sent(Kind::get);
  ASSERT_EQ(gets.size(), 1 + 61U);
  for (std::size_t i = 2; i < gets.size(); ++i) {
    EXPECT_EQ(gets[i].at - gets[i - 1].at, k_ready_interval);
  }
  EXPECT_EQ(gets.back().at - gets.front().at, k_ready_bound);
  EXPECT_EQ(script.count(Kind::resume), 0U);
  EXPECT_EQ(script.count(Kind::stop), 0U);
}

// The clock counts, and not the number of polls.
TEST(ReadyWait, SlowReadsMakeFewerPollsAndNoLongerWait) {
  Script script;
  EXPECT_EQ(outcome(waits(script, {Reaction(bare("s1", "Creating")).after(20s)})),
            "sessionNotReady");
  // 22 s a poll: the sixth read ends at 130 s.
  EXPECT_EQ(script.count(Kind::get), 1 + 6U);
}

TEST(ReadyWait, AReadThatEndsAtTheBoundIsTheLastOne) {
  const Reaction slow = bare("s1", "Creating");
  Script script;
  // Three pauses and 114 s of reading are two minutes to the millisecond.
  EXPECT_EQ(
      outcome(waits(script, {slow.after(30s), slow.after(30s), slow.after(30s), slow.after(24s)})),
      "sessionNotReady");
  EXPECT_EQ(script.count(Kind::get), 1 + 4U);
}

TEST(ReadyWait, ASessionThatRunsAtTheLastPollIsReady) {
  std::vector<Reaction> seen(60, bare("s1", "Creating"));
  seen.emplace_back(running("s1"));
  Script script;
  EXPECT_EQ(outcome(waits(script, seen)), "ok");

  seen.insert(seen.begin(), bare("s1", "Creating"));
  Script late;
  EXPECT_EQ(outcome(waits(late, seen)), "sessionNotReady");
}

TEST(ReadyWait, AClockThatStandsStillEndsItAsWell) {
  Operation<void> operation = provider().resume("s1");
  const Instant now{5s};
  int requests = 0;
  while (operation.request() != nullptr && requests < 1'000) {
    ++requests;
    operation.resume(bare("s1", "Creating"), now);
  }
  ASSERT_NE(operation.result(), nullptr);
  EXPECT_EQ(outcome(*operation.result()), "sessionNotReady");
}

TEST(ReadyWait, TheLastRefusalOfAResumeIsItsCause) {
  Script script;
  const auto result =
      waits(script, {bare("s1", "Stopped")}, {http(403), http(409, "SandboxNotStopped")});
  ASSERT_EQ(outcome(result), "sessionNotReady < dataPlaneRefused");
  EXPECT_EQ(result.error().verb(), Verb::resume);
  const auto* refusal = std::get_if<TransportError>(&result.error().cause()->evidence());
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->status(), 409);
  EXPECT_EQ(script.count(Kind::stop), 0U);
}

TEST(ReadyWait, ARefusalIsForgottenWhenAResumeIsAccepted) {
  Script script;
  const auto result = waits(script, {bare("s1", "Stopped")}, {http(409), Accepted{}});
  EXPECT_EQ(outcome(result), "sessionNotReady");
  EXPECT_EQ(script.count(Kind::stop), 1U);
}

TEST(ReadyWait, AResumeThatMayHaveWokenIsPutBackAtTheBound) {
  Script script;
  const auto result = waits(script, {bare("s1", "Stopped")}, {down()});
  EXPECT_EQ(outcome(result), "sessionNotReady < SANDBOX_UNREACHABLE");
  EXPECT_EQ(script.count(Kind::stop), 1U);
  EXPECT_FALSE(result.error().is_retryable());
}

TEST(ReadyWait, EachFailedResumeIsWarnedAbout) {
  std::vector<std::string> warnings;
  AzureConfig warned = config();
  warned.warn = [&warnings](const Error& error) {
    warnings.push_back(std::string(name(error.verb())) + ' ' + chain(error));
  };
  Script script;
  script.on(Kind::get,
            {bare("s1", "Stopped"), bare("s1", "Stopped"), bare("s1", "Stopped"), running("s1")});
  script.on(Kind::resume, {http(409), down()});
  EXPECT_EQ(outcome(drive(AzureSandbox(warned).get_or_create("s1", {}), script)), "ok");
  EXPECT_EQ(warnings, (std::vector<std::string>{"sandbox.resume dataPlaneRefused",
                                                "sandbox.resume SANDBOX_UNREACHABLE"}));
}

TEST(ReadyWait, AReadThatTimesOutEndsItWithinOneMoreCall) {
  Script script;
  std::vector<Reaction> seen(60, bare("s1", "Creating"));
  seen.emplace_back(TransportError::timed_out());
  EXPECT_EQ(outcome(waits(script, seen)), "SANDBOX_UNREACHABLE");
  EXPECT_EQ(script.now() - script.sent().front().at, k_ready_bound + k_call_bound);
}

}  // namespace
}  // namespace sandproof::props
