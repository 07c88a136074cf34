// terminate: gone is said only of a session that is not found any more.
#include "setting.h"

namespace sandproof::props {
namespace {

Result<void> terminated(Script& script, Reaction deleted, std::vector<Reaction> seen) {
  script.on(Kind::remove, std::move(deleted));
  if (!seen.empty()) script.on(Kind::get, std::move(seen));
  return drive(provider().terminate("s1"), script);
}

TEST(Terminate, ASessionThatIsNotFoundAnyMoreIsGone) {
  for (const TransportError& absent : {gone(), TransportError::not_found()}) {
    Script script;
    EXPECT_EQ(outcome(terminated(script, Accepted{}, {absent})), "ok");
    EXPECT_EQ(script.trace(), "delete s1, get s1");
  }
}

TEST(Terminate, ADeleteThatFindsNothingIsConfirmedAllTheSame) {
  Script script;
  EXPECT_EQ(outcome(terminated(script, gone(), {gone()})), "ok");
  EXPECT_EQ(script.trace(), "delete s1, get s1");

  Script there;
  EXPECT_EQ(outcome(terminated(there, gone(), {running("s1")})), "SANDBOX_UNREACHABLE");
}

TEST(Terminate, AnAcceptedDeleteIsWaitedFor) {
  Script script;
  EXPECT_EQ(
      outcome(terminated(script, Accepted{}, {running("s1"), bare("s1", "Deleting"), gone()})),
      "ok");
  EXPECT_EQ(script.trace(), "delete s1, get s1, wait 2000, get s1, wait 2000, get s1");
}

TEST(Terminate, ASessionThatStaysIsReportedAsPerhapsStillRunning) {
  for (const std::string word : {"Running", "Deleting", "Failed", "Stopped"}) {
    Script script;
    const auto result = terminated(script, Accepted{}, {bare("s1", word)});
    ASSERT_EQ(outcome(result), "SANDBOX_UNREACHABLE") << word;
    EXPECT_NE(result.error().external().find("may still be running"), std::string::npos);
    EXPECT_EQ(result.error().verb(), Verb::terminate);
    ASSERT_TRUE(result.error().session().has_value());
    EXPECT_EQ(result.error().session()->view(), "s1");

    const auto gets = script.sent(Kind::get);
    ASSERT_EQ(gets.size(), 15U);
    for (std::size_t i = 1; i < gets.size(); ++i) EXPECT_EQ(gets[i].at - gets[i - 1].at, 2s);
    EXPECT_EQ(script.count(Kind::remove), 1U);
  }
}

// Each of these may stand in a body that mentions 404 all the same.
TEST(Terminate, AReadThatFailsIsNeitherGoneNorAReasonToStopLooking) {
  const std::vector<Reaction> failures{
      running("another"),
      bare("s1", "Hibernated"),
      bare("s1", std::nullopt),
      bare("", "Running"),
      garbled(),
      Accepted{},
      down(),
      http(429, "throttled; see trace 404abc"),
      http(403, "denied on /sandboxes/404/read"),
      http(500, "internal error 404"),
      http(410, "404"),
      TransportError::access_denied("404"),
      TransportError::conflict(409, TransportError::Propagation::unmarked, "404"),
      TransportError::unavailable("404 Not Found"),
      TransportError::timed_out("404"),
  };
  for (const Reaction& failure : failures) {
    Script recovers;
    EXPECT_EQ(outcome(terminated(recovers, Accepted{}, {failure, failure, gone()})), "ok");
    EXPECT_EQ(recovers.trace(), "delete s1, get s1, wait 2000, get s1, wait 2000, get s1");

    Script stays;
    EXPECT_EQ(outcome(terminated(stays, Accepted{}, {failure})), "SANDBOX_UNREACHABLE");
    EXPECT_EQ(stays.count(Kind::get), 15U);
  }
}

TEST(Terminate, GoneAtTheLastPollIsGone) {
  std::vector<Reaction> seen(14, running("s1"));
  seen.emplace_back(gone());
  Script script;
  EXPECT_EQ(outcome(terminated(script, Accepted{}, seen)), "ok");
  seen.insert(seen.begin(), running("s1"));
  Script late;
  EXPECT_EQ(outcome(terminated(late, Accepted{}, seen)), "SANDBOX_UNREACHABLE");
}

TEST(Terminate, ADeleteThatFailsIsNotFollowedByALook) {
  const std::vector<std::pair<Reaction, std::string_view>> failures{
      {http(403), "dataPlaneRefused"},
      {http(409), "dataPlaneRefused"},
      {TransportError::access_denied(), "dataPlaneRefused"},
      {http(408), "SANDBOX_UNREACHABLE"},
      {http(500, "404"), "SANDBOX_UNREACHABLE"},
      {down(), "SANDBOX_UNREACHABLE"},
      {TransportError::timed_out(), "SANDBOX_UNREACHABLE"},
      {garbled(), "UNEXPECTED_RESPONSE_FORMAT"},
  };
  for (const auto& [failure, says] : failures) {
    Script script;
    const auto result = terminated(script, failure, {});
    EXPECT_EQ(outcome(result), says);
    EXPECT_EQ(script.trace(), "delete s1");
    EXPECT_EQ(result.error().verb(), Verb::terminate);
  }
}

TEST(Terminate, EachReadThatFailsIsWarnedAbout) {
  std::vector<std::string> warnings;
  AzureConfig warned = config();
  warned.warn = [&warnings](const Error& error) { warnings.push_back(chain(error)); };
  Script script;
  script.on(Kind::remove, Accepted{})
      .on(Kind::get, {running("s1"), http(500), running("another"), gone()});
  EXPECT_EQ(outcome(drive(AzureSandbox(warned).terminate("s1"), script)), "ok");
  EXPECT_EQ(warnings,
            (std::vector<std::string>{"SANDBOX_UNREACHABLE", "UNEXPECTED_RESPONSE_FORMAT"}));
}

}  // namespace
}  // namespace sandproof::props
