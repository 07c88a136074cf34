// get: what a record says of a session, and nothing more.
#include "setting.h"

namespace sandproof::props {
namespace {

// got is the state that get gives of a record, or why it gives none.
std::string got(const Reaction& seen, const DeclaredEgress& declared = DeclaredEgress::deny()) {
  Script script;
  script.on(Kind::get, seen);
  const auto session = drive(provider(declared).get("s1"), script);
  EXPECT_EQ(script.trace(), "get s1");
  if (!session) return outcome(session);
  if (!*session) return "absent";
  EXPECT_EQ((*session)->id.view(), "s1");
  EXPECT_EQ((*session)->generation, 1U);
  return std::string(name((*session)->state));
}

TEST(Get, EveryStateOfTheServiceIsFoldedIntoOneOfFour) {
  const std::vector<std::pair<std::string, std::string>> words{
      {"Running", "running"},    {"Creating", "starting"},   {"Resuming", "starting"},
      {"Stopping", "suspended"}, {"Stopped", "suspended"},   {"Suspended", "suspended"},
      {"Idle", "suspended"},     {"Deleting", "terminated"}, {"Failed", "terminated"}};
  ASSERT_EQ(words.size(), k_service_state_count);
  for (const auto& [word, state] : words) EXPECT_EQ(got(record("s1", word)), state) << word;
}

TEST(Get, AStateThatNobodyKnowsIsAnErrorAndNoGuess) {
  for (const std::string word : {"Hibernated", "running", "Running ", ""}) {
    EXPECT_EQ(got(bare("s1", word)), "UNEXPECTED_RESPONSE_FORMAT") << word;
  }
  EXPECT_EQ(got(bare("s1", std::nullopt)), "UNEXPECTED_RESPONSE_FORMAT");
}

TEST(Get, OnlyNotFoundIsAbsent) {
  EXPECT_EQ(got(http(404)), "absent");
  EXPECT_EQ(got(TransportError::not_found()), "absent");

  EXPECT_EQ(got(http(429, "throttled; see trace 404abc")), "dataPlaneRefused");
  EXPECT_EQ(got(http(403, "denied on /sandboxes/404/read")), "dataPlaneRefused");
  EXPECT_EQ(got(http(500, "internal error 404")), "SANDBOX_UNREACHABLE");
  EXPECT_EQ(got(TransportError::unavailable("404 Not Found")), "SANDBOX_UNREACHABLE");
  EXPECT_EQ(got(TransportError::timed_out("404")), "SANDBOX_UNREACHABLE");
  EXPECT_EQ(got(garbled()), "UNEXPECTED_RESPONSE_FORMAT");
}

TEST(Get, ARunningSessionUnderAnotherPolicyIsRefused) {
  EXPECT_EQ(got(bare("s1")), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(got(running("s1", open_policy())), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(got(running("s1"), only_domain("a.com")), "SANDBOX_NOT_AS_DECLARED");
}

TEST(Get, WhatTheSessionRunsInsteadIsSaid) {
  SandboxRecord unreadable = bare("s1");
  unreadable.policy = Unreadable{Reason::duplicate_key, "/egressPolicy/rules"};
  for (const auto& [seen, says] : std::vector<std::pair<SandboxRecord, std::string>>{
           {bare("s1"), describe(std::nullopt)},
           {running("s1", open_policy()), describe(open_policy())},
           {unreadable,
            "a policy that cannot be read: " + explain(std::get<Unreadable>(unreadable.policy))}}) {
    Script script;
    script.on(Kind::get, seen);
    const auto session = drive(provider().get("s1"), script);
    ASSERT_EQ(outcome(session), "SANDBOX_NOT_AS_DECLARED");
    EXPECT_EQ(std::get<NotDeclared>(session.error().evidence()).running, says);
  }
}

TEST(Get, ASleepingSessionIsJudgedOnlyByAPolicyThatItsRecordCarries) {
  for (const std::string word : {"Stopping", "Stopped", "Suspended", "Idle"}) {
    EXPECT_EQ(got(bare("s1", word)), "suspended") << word;
    EXPECT_EQ(got(record("s1", word)), "suspended") << word;
    EXPECT_EQ(got(record("s1", word, open_policy())), "SANDBOX_NOT_AS_DECLARED") << word;
    SandboxRecord unreadable = bare("s1", word);
    unreadable.policy = Unreadable{Reason::duplicate_key, "/egressPolicy/rules"};
    EXPECT_EQ(got(unreadable), "SANDBOX_NOT_AS_DECLARED") << word;
  }
}

TEST(Get, ASessionThatIsComingUpOrGoingAwayIsNotJudged) {
  for (const std::string word : {"Creating", "Resuming"}) {
    EXPECT_EQ(got(bare("s1", word)), "starting") << word;
    EXPECT_EQ(got(record("s1", word, open_policy())), "starting") << word;
  }
  for (const std::string word : {"Deleting", "Failed"}) {
    EXPECT_EQ(got(bare("s1", word)), "terminated") << word;
    EXPECT_EQ(got(record("s1", word, open_policy())), "terminated") << word;
  }
}

TEST(Get, NothingIsJudgedWhereEverythingIsAllowed) {
  EXPECT_EQ(got(bare("s1"), DeclaredEgress::allow()), "running");
  EXPECT_EQ(got(running("s1", open_policy()), DeclaredEgress::allow()), "running");
}

TEST(Get, AFailedReadMayBeRepeatedUnlessItWasRefused) {
  for (const auto& [seen, retryable] :
       std::vector<std::pair<Reaction, bool>>{{down(), true},
                                              {http(408), true},
                                              {http(503), true},
                                              {http(403), false},
                                              {TransportError::access_denied(), false},
                                              {garbled(), false}}) {
    Script script;
    script.on(Kind::get, seen);
    const auto session = drive(provider().get("s1"), script);
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().is_retryable(), retryable) << outcome(session);
    EXPECT_EQ(session.error().verb(), Verb::get);
  }
}

}  // namespace
}  // namespace sandproof::props
