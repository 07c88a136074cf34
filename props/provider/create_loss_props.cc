// create: no sandbox is lost. What cannot be returned is deleted, and what cannot be deleted is
// named, by its id or by the label of the attempt.
#include "setting.h"

namespace sandproof::props {
namespace {

// lost drives a create that fails, and checks that the label of its attempt can be found.
Error lost(Script& script, AzureConfig made_of = config()) {
  const auto session = drive(AzureSandbox(std::move(made_of)).create({}), script);
  if (session) throw std::logic_error("the create succeeded");
  EXPECT_EQ(script.only<CreateCall>().body.attempt, k_id);
  EXPECT_EQ(session.error().attempt(), k_id);
  EXPECT_EQ(session.error().verb(), Verb::create);
  EXPECT_NE(session.error().external().find(k_id.view()), std::string::npos);
  EXPECT_FALSE(session.error().is_retryable());
  return session.error();
}

TEST(CreateLoss, ARefusedCreateMadeNothing) {
  for (const TransportError& refusal :
       {http(400), http(403), http(404), http(409), http(429), TransportError::access_denied(),
        TransportError::invalid_input(),
        TransportError::conflict(409, TransportError::Propagation::unmarked)}) {
    Script script;
    script.on(Kind::create, refusal);
    EXPECT_EQ(chain(lost(script)), "dataPlaneRefused");
    EXPECT_EQ(script.trace(), "create");
  }
}

TEST(CreateLoss, ACreateWhoseAnswerIsLostIsNamedByItsAttempt) {
  const std::vector<Reaction> answers{
      down(),
      TransportError::timed_out(),
      http(408),
      http(500),
      http(503),
      TransportError::conflict(400, TransportError::Propagation::delayed),
      TransportError::conflict(std::nullopt, TransportError::Propagation::unmarked),
      garbled(),
      Accepted{},
  };
  for (const Reaction& answer : answers) {
    Script script;
    script.on(Kind::create, answer);
    EXPECT_EQ(chain(lost(script)), "SANDBOX_OUTCOME_UNKNOWN");
    EXPECT_EQ(script.trace(), "create");
  }
}

TEST(CreateLoss, EveryWayToFailAfterwardsDeletesWhatWasMade) {
  struct Row {
    Reaction seen;
    std::string_view says;
  };
  const std::vector<Row> rows{
      {bare("s1", "Hibernated"), "UNEXPECTED_RESPONSE_FORMAT"},
      {bare("s1", std::nullopt), "UNEXPECTED_RESPONSE_FORMAT"},
      {running("another"), "UNEXPECTED_RESPONSE_FORMAT"},
      {bare("s1", "Deleting"), "sessionTerminated"},
      {bare("s1", "Failed"), "sessionTerminated"},
      {gone(), "sessionGone"},
      {http(403), "dataPlaneRefused"},
      {http(503), "SANDBOX_OUTCOME_UNKNOWN"},
      {down(), "SANDBOX_OUTCOME_UNKNOWN"},
      {TransportError::timed_out(), "SANDBOX_OUTCOME_UNKNOWN"},
      {garbled(), "SANDBOX_OUTCOME_UNKNOWN"},
  };
  for (const Row& row : rows) {
    Script script;
    script.on(Kind::create, running("s1")).on(Kind::get, row.seen).on(Kind::remove, Accepted{});
    const Error error = lost(script);
    EXPECT_EQ(chain(error), row.says);
    EXPECT_EQ(script.trace(), "create, get s1, delete s1") << row.says;
    ASSERT_TRUE(error.session().has_value());
    EXPECT_EQ(error.session()->view(), "s1");
  }
}

TEST(CreateLoss, ASandboxThatNeverRunsIsDeleted) {
  Script script;
  script.on(Kind::create, bare("s1", "Creating"))
      .on(Kind::get, bare("s1", "Creating"))
      .on(Kind::remove, Accepted{});
  EXPECT_EQ(chain(lost(script)), "sessionNotReady");
  EXPECT_EQ(script.count(Kind::remove), 1U);
  EXPECT_EQ(script.now() - script.sent().front().at, k_ready_bound);
}

TEST(CreateLoss, AnUnreadablePolicyDoesNotCostTheSandboxItsId) {
  SandboxRecord unreadable = bare("s1");
  unreadable.policy = Unreadable{Reason::duplicate_key, "/egressPolicy/rules"};
  Script script;
  script.on(Kind::create, unreadable).on(Kind::get, unreadable).on(Kind::remove, Accepted{});
  EXPECT_EQ(chain(lost(script)), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(script.trace(), "create, get s1, delete s1");
}

TEST(CreateLoss, ASandboxThatGoesToSleepBeforeItIsUsedIsWoken) {
  Script script;
  script.on(Kind::create, bare("s1", "Creating"))
      .on(Kind::get, {record("s1", "Idle"), running("s1")})
      .on(Kind::resume, Accepted{});
  EXPECT_EQ(outcome(drive(provider().create({}), script)), "ok");
  EXPECT_EQ(script.trace(), "create, get s1, resume s1, wait 2000, get s1");
}

// It is deleted, so nobody has to put it to sleep as well.
TEST(CreateLoss, ASandboxThatWasWokenAndFailsIsDeletedAndNotStopped) {
  Script script;
  script.on(Kind::create, bare("s1", "Creating"))
      .on(Kind::get, {bare("s1", "Stopped"), running("s1", open_policy())})
      .on(Kind::resume, Accepted{})
      .on(Kind::remove, Accepted{});
  EXPECT_EQ(chain(lost(script)), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(script.trace(), "create, get s1, resume s1, wait 2000, get s1, delete s1");
}

TEST(CreateLoss, ADeleteThatFailsNamesWhatIsLeftBehindAroundTheReason) {
  for (const Reaction& failure : {Reaction(http(403)), Reaction(http(500)), Reaction(down()),
                                  Reaction(TransportError::timed_out()), Reaction(garbled())}) {
    Script script;
    script.on(Kind::create, running("s1")).on(Kind::get, bare("s1")).on(Kind::remove, failure);
    const Error error = lost(script);
    EXPECT_EQ(chain(error), "sandboxLeftBehind < SANDBOX_NOT_AS_DECLARED");
    ASSERT_TRUE(error.session().has_value());
    EXPECT_EQ(error.session()->view(), "s1");
    EXPECT_EQ(script.trace(), "create, get s1, delete s1");
  }
}

TEST(CreateLoss, ADeleteThatFindsNothingLeavesNothingBehind) {
  for (const TransportError& absent : {gone(), TransportError::not_found()}) {
    Script script;
    script.on(Kind::create, running("s1")).on(Kind::get, bare("s1")).on(Kind::remove, absent);
    EXPECT_EQ(chain(lost(script)), "SANDBOX_NOT_AS_DECLARED");
  }
}

TEST(CreateLoss, AMintedIdThatIsTooLongIsDeletedOnce) {
  const std::string id(k_max_session_id_size + 17, 'x');
  Script script;
  script.on(Kind::create, running(id)).on(Kind::remove, Accepted{});
  const Error error = lost(script);
  EXPECT_EQ(chain(error), "UNEXPECTED_RESPONSE_FORMAT");
  EXPECT_EQ(error.session(), std::nullopt);
  EXPECT_EQ(script.trace(), "create, delete " + id);
}

TEST(CreateLoss, AMintedIdThatIsTooLongAndCannotBeDeletedIsFoundByItsAttempt) {
  const std::string id(k_max_session_id_size + 1, 'x');
  Script script;
  script.on(Kind::create, running(id)).on(Kind::remove, http(500));
  EXPECT_EQ(chain(lost(script)), "sandboxLeftBehind < UNEXPECTED_RESPONSE_FORMAT");
  EXPECT_EQ(script.trace(), "create, delete " + id);
}

TEST(CreateLoss, AMintedIdThatNoUrlCanCarryIsWarnedAboutAndNeverSent) {
  for (const std::string_view id : {"", ".", "..", "../../other-group/sandboxes/theirs", "a/b",
                                    "abc?x", "a#b", "a%2fb", "a b", "a\n", "caf\xc3\xa9"}) {
    std::vector<std::string> warnings;
    AzureConfig warned = config();
    warned.warn = [&warnings](const Error& error) { warnings.push_back(error.external()); };
    Script script;
    script.on(Kind::create, running(id));
    const Error error = lost(script, warned);
    EXPECT_EQ(chain(error), "UNEXPECTED_RESPONSE_FORMAT") << id;
    EXPECT_EQ(script.trace(), "create") << id;
    ASSERT_EQ(warnings.size(), 1U) << id;
    EXPECT_NE(warnings.front().find(k_id.view()), std::string::npos) << warnings.front();
    EXPECT_NE(warnings.front().find("in sandbox.create: "), std::string::npos) << warnings.front();
  }
}

TEST(CreateLoss, AWarningThatThrowsChangesNothing) {
  AzureConfig throwing = config();
  throwing.warn = [](const Error&) { throw std::runtime_error("the sink is full"); };
  Script script;
  script.on(Kind::create, running("a/b"));
  EXPECT_EQ(chain(lost(script, throwing)), "UNEXPECTED_RESPONSE_FORMAT");

  Script refused;
  refused.on(Kind::create, running("s1")).on(Kind::get, bare("s1")).on(Kind::remove, http(403));
  EXPECT_EQ(chain(lost(refused, throwing)), "sandboxLeftBehind < SANDBOX_NOT_AS_DECLARED");
}

TEST(CreateLoss, EveryAttemptHasALabelOfItsOwn) {
  std::uint8_t drawn = 0;
  AzureConfig counting = config();
  counting.random = [&drawn](std::span<std::uint8_t, 16> out) { std::ranges::fill(out, ++drawn); };
  const AzureSandbox sandbox(counting);
  std::vector<std::string> labels;
  for (int i = 0; i < 2; ++i) {
    Script script;
    script.on(Kind::create, http(503));
    const auto session = drive(sandbox.create({}), script);
    ASSERT_FALSE(session);
    ASSERT_TRUE(session.error().attempt().has_value());
    labels.emplace_back(session.error().attempt()->view());
    EXPECT_EQ(script.only<CreateCall>().body.attempt, session.error().attempt());
  }
  EXPECT_NE(labels[0], labels[1]);
}

}  // namespace
}  // namespace sandproof::props
