// suspend and resume: who woke a session, and who puts it back to sleep.
#include "setting.h"

namespace sandproof::props {
namespace {

std::string resumed(Script& script) { return outcome(drive(provider().resume("s1"), script)); }

std::string suspended(Script& script) { return outcome(drive(provider().suspend("s1"), script)); }

// The session sleeps, is asleep when the wait first looks, and is then `end`.
Script sleeping(Reaction end, Reaction resume = Accepted{}) {
  Script script;
  script.on(Kind::get, {bare("s1", "Stopped"), bare("s1", "Stopped"), std::move(end)});
  script.on(Kind::resume, std::move(resume));
  return script;
}

constexpr std::string_view k_woken = "get s1, get s1, resume s1, wait 2000, get s1";
constexpr std::string_view k_woken_and_put_back =
    "get s1, get s1, resume s1, wait 2000, get s1, stop s1";

TEST(Suspend, AskingIsEnough) {
  Script script;
  script.on(Kind::stop, Accepted{});
  EXPECT_EQ(suspended(script), "ok");
  EXPECT_EQ(script.trace(), "stop s1");
}

TEST(Suspend, AnErrorIsCheckedAgainstTheRecord) {
  struct Row {
    Reaction seen;
    std::string_view says;
  };
  const std::vector<Row> rows{
      {bare("s1", "Stopping"), "ok"},
      {bare("s1", "Stopped"), "ok"},
      {bare("s1", "Suspended"), "ok"},
      {bare("s1", "Idle"), "ok"},
      {gone(), "ok"},
      {running("s1"), "SANDBOX_UNREACHABLE"},
      {bare("s1", "Creating"), "SANDBOX_UNREACHABLE"},
      {bare("s1", "Resuming"), "SANDBOX_UNREACHABLE"},
      {bare("s1", "Deleting"), "SANDBOX_UNREACHABLE"},
      {bare("s1", "Failed"), "SANDBOX_UNREACHABLE"},
      {bare("s1", "Hibernated"), "UNEXPECTED_RESPONSE_FORMAT"},
      {running("another"), "UNEXPECTED_RESPONSE_FORMAT"},
      {garbled(), "UNEXPECTED_RESPONSE_FORMAT"},
      {http(403), "dataPlaneRefused"},
  };
  for (const Row& row : rows) {
    Script script;
    script.on(Kind::stop, http(503)).on(Kind::get, row.seen);
    EXPECT_EQ(suspended(script), row.says);
    EXPECT_EQ(script.trace(), "stop s1, get s1");
  }
}

TEST(Suspend, ARefusedStopOfARunningSessionIsTheStopsOwnError) {
  for (const auto& [stop, says] : std::vector<std::pair<Reaction, std::string_view>>{
           {http(409), "dataPlaneRefused"},
           {TransportError::access_denied(), "dataPlaneRefused"},
           {gone(), "dataPlaneRefused"},
           {garbled(), "UNEXPECTED_RESPONSE_FORMAT"}}) {
    Script script;
    script.on(Kind::stop, stop).on(Kind::get, running("s1"));
    EXPECT_EQ(suspended(script), says);
  }
}

TEST(Resume, WakesASleepingSessionAndWaitsUntilItRuns) {
  Script script = sleeping(running("s1"));
  EXPECT_EQ(resumed(script), "ok");
  EXPECT_EQ(script.trace(), k_woken);
}

TEST(Resume, ARunningSessionIsNotTouched) {
  Script script;
  script.on(Kind::get, running("s1"));
  EXPECT_EQ(resumed(script), "ok");
  EXPECT_EQ(script.trace(), "get s1, get s1");
}

TEST(Resume, ASessionThatIsNotThereIsGone) {
  Script script;
  script.on(Kind::get, gone());
  EXPECT_EQ(resumed(script), "sessionGone");
  EXPECT_EQ(script.trace(), "get s1");
}

TEST(Resume, ASessionThatIsGoingAwayIsNotWoken) {
  for (const std::string word : {"Deleting", "Failed"}) {
    Script script;
    script.on(Kind::get, bare("s1", word));
    EXPECT_EQ(resumed(script), "sessionTerminated") << word;
    EXPECT_EQ(script.trace(), "get s1, get s1");
  }
}

TEST(Resume, ASleepingSessionWithAWrongPolicyIsNeverWoken) {
  for (const std::string word : {"Stopping", "Stopped", "Suspended", "Idle"}) {
    Script script;
    script.on(Kind::get, record("s1", word, open_policy()));
    EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED") << word;
    EXPECT_EQ(script.trace(), "get s1");
  }
}

// The first record carried no policy; the one that the wait sees does.
TEST(Resume, EveryRecordThatWouldBeWokenIsJudgedFirst) {
  Script script;
  script.on(Kind::get, {bare("s1", "Stopped"), record("s1", "Stopped", open_policy())});
  EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(script.trace(), "get s1, get s1");
}

TEST(Resume, ASessionThatWakesUnderAnotherPolicyIsPutBack) {
  Script script = sleeping(running("s1", open_policy()));
  script.on(Kind::stop, Accepted{});
  EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(script.trace(), k_woken_and_put_back);
}

TEST(Resume, ASessionThatWasAwakeIsRefusedAndNotStopped) {
  Script script;
  script.on(Kind::get, running("s1", open_policy()));
  EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(script.trace(), "get s1");
}

TEST(Resume, ASessionThatCameUpByItselfIsRefusedAndNotStopped) {
  for (const std::string word : {"Creating", "Resuming"}) {
    Script script;
    script.on(Kind::get, {bare("s1", word), bare("s1", word), bare("s1")});
    EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED") << word;
    EXPECT_EQ(script.trace(), "get s1, get s1, wait 2000, get s1");
  }
}

TEST(Resume, ASessionWokenByAWaitThatThenFailedIsPutBack) {
  const std::vector<std::pair<Reaction, std::string_view>> ends{
      {bare("s1", "Hibernated"), "UNEXPECTED_RESPONSE_FORMAT"},
      {running("another"), "UNEXPECTED_RESPONSE_FORMAT"},
      {garbled(), "UNEXPECTED_RESPONSE_FORMAT"},
      {http(403), "dataPlaneRefused"},
      {down(), "SANDBOX_UNREACHABLE"},
      {bare("s1", "Failed"), "sessionTerminated"},
      {gone(), "sessionGone"},
      {record("s1", "Stopped", open_policy()), "SANDBOX_NOT_AS_DECLARED"},
  };
  for (const auto& [end, says] : ends) {
    Script script = sleeping(end);
    script.on(Kind::stop, Accepted{});
    EXPECT_EQ(resumed(script), says);
    EXPECT_EQ(script.trace(), k_woken_and_put_back) << says;
  }
}

TEST(Resume, ASessionThatVanishedWasNotLeftAwake) {
  for (const TransportError& absent : {gone(), TransportError::not_found()}) {
    Script script = sleeping(bare("s1"));
    script.on(Kind::stop, absent);
    EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED");
    EXPECT_EQ(script.trace(), k_woken_and_put_back);
  }
}

TEST(Resume, ASessionThatCannotBePutBackIsNamedAsLeftAwakeAroundTheReason) {
  for (const Reaction& failure : {Reaction(http(500)), Reaction(http(403)), Reaction(down()),
                                  Reaction(TransportError::timed_out()), Reaction(garbled())}) {
    Script script = sleeping(bare("s1"));
    script.on(Kind::stop, failure);
    std::vector<Error> warnings;
    AzureConfig warned = config();
    warned.warn = [&warnings](const Error& error) { warnings.push_back(error); };
    const auto result = drive(AzureSandbox(warned).resume("s1"), script);
    ASSERT_EQ(outcome(result), "sandboxLeftAwake < SANDBOX_NOT_AS_DECLARED");
    // Why it could not is no part of the chain, so a log is told.
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings.front().verb(), Verb::resume);
    EXPECT_EQ(warnings.front().session(), session_id("s1"));
    EXPECT_FALSE(std::holds_alternative<std::monostate>(warnings.front().evidence()));
    EXPECT_EQ(result.error().verb(), Verb::resume);
    ASSERT_TRUE(result.error().session().has_value());
    EXPECT_EQ(result.error().session()->view(), "s1");
  }
}

TEST(Resume, OneOfUnknownOutcomeIsOwnedAsIfItHadWoken) {
  const std::vector<Reaction> unknown{
      http(503),
      http(408),
      http(500),
      down(),
      TransportError::timed_out(),
      TransportError::conflict(400, TransportError::Propagation::delayed),
      TransportError::conflict(std::nullopt, TransportError::Propagation::unmarked),
      TransportError::conflict(503, TransportError::Propagation::unmarked),
      garbled(),
  };
  for (const Reaction& answer : unknown) {
    Script script = sleeping(bare("s1"), answer);
    script.on(Kind::stop, Accepted{});
    EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED");
    EXPECT_EQ(script.trace(), k_woken_and_put_back);
  }
}

TEST(Resume, ARefusedOneLeavesSomebodyElsesSessionAlone) {
  const std::vector<Reaction> refusals{
      http(409),
      http(400),
      http(404),
      http(429),
      TransportError::access_denied(),
      TransportError::not_found(),
      TransportError::invalid_input(),
      TransportError::conflict(409, TransportError::Propagation::unmarked),
  };
  for (const Reaction& answer : refusals) {
    Script script = sleeping(bare("s1"), answer);
    EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED");
    EXPECT_EQ(script.trace(), k_woken);
  }
}

// Once it may have woken, a later refusal does not take that back.
TEST(Resume, OneOfUnknownOutcomeStaysOwnedThroughLaterRefusals) {
  Script script;
  script.on(Kind::get,
            {bare("s1", "Stopped"), bare("s1", "Stopped"), bare("s1", "Stopped"), bare("s1")});
  script.on(Kind::resume, {down(), http(409)}).on(Kind::stop, Accepted{});
  EXPECT_EQ(resumed(script), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(script.trace(),
            "get s1, get s1, resume s1, wait 2000, get s1, resume s1, wait 2000, get s1, stop s1");
}

}  // namespace
}  // namespace sandproof::props
