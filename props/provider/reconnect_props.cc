// get_or_create: the named session comes back into service, or a new one takes its place.
#include "setting.h"

namespace sandproof::props {
namespace {

// World is a script in which "fresh" is what a create makes, and "old" is the session asked for.
Script world(std::vector<Reaction> old) {
  Script script;
  script.on(Kind::create, bare("fresh", "Creating"));
  script.on(Kind::get,
            [old = std::move(old), next = std::size_t{0}](const Request& request) mutable {
              if (id_of(request) == "fresh") return Reaction(running("fresh"));
              const std::size_t at = next;
              if (next + 1 < old.size()) ++next;
              return old[at];
            });
  return script;
}

// attached is the session that get_or_create gives.
std::string attached(Script& script, const DeclaredEgress& declared = DeclaredEgress::deny()) {
  const auto session = drive(provider(declared).get_or_create("old", {}), script);
  if (!session) return outcome(session);
  EXPECT_EQ(session->state, SessionState::running);
  return std::string(session->id.view());
}

TEST(Reconnect, WithoutAnIdANewSessionIsMade) {
  Script script = world({});
  const auto session = drive(provider().get_or_create(std::nullopt, {}), script);
  ASSERT_EQ(outcome(session), "ok");
  EXPECT_EQ(session->id.view(), "fresh");
  EXPECT_EQ(script.trace(), "create, get fresh");
}

TEST(Reconnect, ARunningSessionIsTakenAsItIs) {
  Script script = world({running("old")});
  EXPECT_EQ(attached(script), "old");
  EXPECT_EQ(script.trace(), "get old, get old");
}

TEST(Reconnect, ASleepingSessionThatStillMatchesIsWokenAndKept) {
  Script script = world({record("old", "Stopped"), record("old", "Stopped"), running("old")});
  script.on(Kind::resume, Accepted{});
  EXPECT_EQ(attached(script), "old");
  EXPECT_EQ(script.trace(), "get old, get old, resume old, wait 2000, get old");
}

TEST(Reconnect, ASleepingRecordWithoutAPolicyIsWokenBeforeItIsJudged) {
  Script script = world({bare("old", "Stopped"), bare("old", "Stopped"), running("old")});
  script.on(Kind::resume, Accepted{});
  EXPECT_EQ(attached(script), "old");
  EXPECT_EQ(script.trace(), "get old, get old, resume old, wait 2000, get old");
}

TEST(Reconnect, ASessionThatIsGoneOrGoingIsReplacedAndLeftAlone) {
  for (const Reaction& seen : {Reaction(bare("old", "Deleting")), Reaction(gone()),
                               Reaction(TransportError::not_found())}) {
    Script script = world({seen});
    EXPECT_EQ(attached(script), "fresh");
    EXPECT_EQ(script.trace(), "get old, create, get fresh");
  }
}

TEST(Reconnect, AFailedSessionIsDeletedAndReplaced) {
  for (const Reaction& deleted : {Reaction(Accepted{}), Reaction(gone())}) {
    Script script = world({bare("old", "Failed")});
    script.on(Kind::remove, deleted);
    EXPECT_EQ(attached(script), "fresh");
    EXPECT_EQ(script.trace(), "get old, delete old, create, get fresh");
  }
}

TEST(Reconnect, ASessionUnderAnotherPolicyIsReplacedAndLeftAsItWasFound) {
  for (const SandboxRecord& seen :
       {bare("old"), running("old", open_policy()), record("old", "Stopped", open_policy()),
        record("old", "Stopping", open_policy())}) {
    Script script = world({seen});
    EXPECT_EQ(attached(script), "fresh");
    EXPECT_EQ(script.trace(), "get old, create, get fresh") << *seen.state;
  }
}

TEST(Reconnect, APolicyThatChangedInItsSleepIsCaughtAndTheSessionPutBack) {
  Script script =
      world({record("old", "Stopped"), record("old", "Stopped"), running("old", open_policy())});
  script.on(Kind::resume, Accepted{}).on(Kind::stop, Accepted{});
  EXPECT_EQ(attached(script), "fresh");
  EXPECT_EQ(script.trace(),
            "get old, get old, resume old, wait 2000, get old, stop old, create, get fresh");
}

TEST(Reconnect, ASessionThatDiesDuringTheWaitIsReplaced) {
  for (const Reaction& end :
       {Reaction(bare("old", "Deleting")), Reaction(bare("old", "Failed")), Reaction(gone())}) {
    Script script = world({bare("old", "Stopped"), end});
    EXPECT_EQ(attached(script), "fresh");
    EXPECT_EQ(script.trace(), "get old, get old, create, get fresh");
  }
}

TEST(Reconnect, ASessionThatDiesAfterItWasWokenIsPutBackAndReplaced) {
  Script script = world({bare("old", "Stopped"), bare("old", "Stopped"), bare("old", "Deleting")});
  script.on(Kind::resume, Accepted{}).on(Kind::stop, gone());
  EXPECT_EQ(attached(script), "fresh");
  EXPECT_EQ(script.trace(),
            "get old, get old, resume old, wait 2000, get old, stop old, create, get fresh");
}

TEST(Reconnect, ASessionWokenByAWaitThatThenFailedIsPutBackAndNotReplaced) {
  Script script =
      world({bare("old", "Stopped"), bare("old", "Stopped"), bare("old", "Hibernated")});
  script.on(Kind::resume, Accepted{}).on(Kind::stop, Accepted{});
  EXPECT_EQ(attached(script), "UNEXPECTED_RESPONSE_FORMAT");
  EXPECT_EQ(script.trace(), "get old, get old, resume old, wait 2000, get old, stop old");
}

TEST(Reconnect, ASessionLeftAwakeIsNeverAnsweredWithASecondOne) {
  Script script =
      world({bare("old", "Stopped"), bare("old", "Stopped"), running("old", open_policy())});
  script.on(Kind::resume, Accepted{}).on(Kind::stop, http(500));
  EXPECT_EQ(attached(script), "sandboxLeftAwake < SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(script.count(Kind::create), 0U);
}

TEST(Reconnect, ASandboxLeftBehindIsNeverAnsweredWithASecondOne) {
  Script script = world({bare("old", "Failed")});
  script.on(Kind::remove, http(403));
  EXPECT_EQ(attached(script), "sandboxLeftBehind < sessionGone");
  EXPECT_EQ(script.trace(), "get old, delete old");
}

TEST(Reconnect, ASessionThatDoesNotBecomeReadyIsNeverAnsweredWithASecondOne) {
  Script script = world({bare("old", "Creating")});
  EXPECT_EQ(attached(script), "sessionNotReady");
  EXPECT_EQ(script.count(Kind::create), 0U);
}

TEST(Reconnect, ALookupThatFailsIsNeverAnsweredWithASecondOne) {
  const std::vector<std::pair<Reaction, std::string_view>> failures{
      {http(403), "dataPlaneRefused"},
      {http(429, "404"), "dataPlaneRefused"},
      {http(503), "SANDBOX_UNREACHABLE"},
      {down(), "SANDBOX_UNREACHABLE"},
      {garbled(), "UNEXPECTED_RESPONSE_FORMAT"},
      {running("another"), "UNEXPECTED_RESPONSE_FORMAT"},
      {bare("old", "Hibernated"), "UNEXPECTED_RESPONSE_FORMAT"},
      {bare("old", std::nullopt), "UNEXPECTED_RESPONSE_FORMAT"},
  };
  for (const auto& [failure, says] : failures) {
    Script first = world({failure});
    EXPECT_EQ(attached(first), says);
    EXPECT_EQ(first.trace(), "get old");

    Script later = world({running("old"), failure});
    EXPECT_EQ(attached(later), says);
    EXPECT_EQ(later.trace(), "get old, get old");
  }
}

TEST(Reconnect, TheNewSessionsOwnFailureIsReturnedWithItsAttempt) {
  Script script = world({gone()});
  script.on(Kind::create, http(503));
  const auto session = drive(provider().get_or_create("old", {}), script);
  ASSERT_EQ(outcome(session), "SANDBOX_OUTCOME_UNKNOWN");
  EXPECT_EQ(session.error().attempt(), k_id);
  EXPECT_FALSE(session.error().is_retryable());
  EXPECT_EQ(script.trace(), "get old, create");
}

// Another "gone" ends it: never a third session.
TEST(Reconnect, ANewSessionThatVanishesIsNotReplacedAgain) {
  Script script;
  script.on(Kind::create, bare("fresh", "Creating")).on(Kind::get, gone()).on(Kind::remove, gone());
  EXPECT_EQ(attached(script), "sessionGone");
  EXPECT_EQ(script.trace(), "get old, create, get fresh, delete fresh");
}

TEST(Reconnect, TheNewSessionGetsTheEnvironmentThatWasAskedFor) {
  const std::array<EnvEntry, 1> environment{{{"TOKEN", "t"}}};
  Script script = world({gone()});
  const auto session = drive(
      provider().get_or_create("old", {.environment = environment, .tenant_key = {}}), script);
  ASSERT_EQ(outcome(session), "ok");
  const auto variables = script.only<CreateCall>().body.environment;
  ASSERT_EQ(variables.variables().size(), 1U);
  EXPECT_EQ(variables.variables().front(), (SessionEnvironment::Variable{"TOKEN", "t"}));
}

}  // namespace
}  // namespace sandproof::props
