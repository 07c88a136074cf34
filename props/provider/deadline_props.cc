// run_command: what may be believed of a deadline, and what becomes of a command that overruns it.
#include "setting.h"

namespace sandproof::props {
namespace {

constexpr milliseconds k_deadline = 30s;
constexpr milliseconds k_credible = k_deadline * 99 / 100;

Result<CommandRun> ran(const Reaction& answer) {
  Script script;
  script.on(Kind::get, Reaction(running("s1")).after(5s)).on(Kind::exec, answer);
  Result<CommandRun> run = drive(provider().run_command("s1", command(k_deadline)), script);
  EXPECT_EQ(script.trace(), "get s1, exec s1");
  return run;
}

// overran drives a command that never answers.
Result<CommandRun> overran(Script& script) {
  script.on(Kind::exec, TransportError::timed_out());
  return drive(provider().run_command("s1", command(k_deadline)), script);
}

TEST(Deadline, AKilledCommandKeepsItsOutputAndItsSession) {
  const auto run = ran(Reaction(killed("partial\n", "partial-err")).after(k_deadline));
  ASSERT_EQ(outcome(run), "ok");
  EXPECT_EQ(frames_of(*run), "0 out:partial\n, 1 err:partial-err");
  EXPECT_EQ(end_of(*run), "deadlineExceeded");
  EXPECT_EQ(run->end.error().verb(), Verb::run_command);
  EXPECT_FALSE(run->end.error().is_retryable());
}

TEST(Deadline, AKillIsBelievedFrom99PercentOfTheDeadlineOn) {
  EXPECT_EQ(end_of(ran(Reaction(killed()).after(k_credible)).value()), "deadlineExceeded");
  EXPECT_EQ(end_of(ran(Reaction(killed()).after(k_deadline + 9s)).value()), "deadlineExceeded");
}

TEST(Deadline, AnEarlierKillIsForgedAndTheCommandMayStillBeRunning) {
  for (const milliseconds took : {0ms, 60ms, k_credible - 1ms}) {
    const auto run = ran(Reaction(killed("o", "e")).after(took));
    ASSERT_EQ(outcome(run), "ok");
    EXPECT_EQ(frames_of(*run), "0 out:o, 1 err:e");
    ASSERT_EQ(end_of(*run), "SANDBOX_OUTCOME_UNKNOWN");
    EXPECT_NE(run->end.error().external().find("still be running"), std::string::npos);
  }
}

// The driver held the request back for as long as the deadline: the command had no time to run.
TEST(Deadline, TimeBeforeTheCallWasSentDoesNotCount) {
  for (const auto& [ran_for, says] : std::vector<std::pair<milliseconds, std::string_view>>{
           {k_credible, "deadlineExceeded"}, {k_credible - 1ms, "SANDBOX_OUTCOME_UNKNOWN"}}) {
    Operation<CommandRun> operation = provider().run_command("s1", command(k_deadline));
    operation.resume(running("s1"), Instant{0ms});
    const Instant sent{k_deadline};
    operation.sent(sent);
    operation.resume(killed(), sent + ran_for);
    ASSERT_NE(operation.result(), nullptr);
    EXPECT_EQ(end_of(operation.result()->value()), says);
  }
}

TEST(Deadline, AClockThatGoesBackBelievesNoKill) {
  Operation<CommandRun> operation = provider().run_command("s1", command(k_deadline));
  operation.resume(running("s1"), Instant{100s});
  operation.resume(killed(), Instant{10s});
  ASSERT_NE(operation.result(), nullptr);
  EXPECT_EQ(end_of(operation.result()->value()), "SANDBOX_OUTCOME_UNKNOWN");
}

TEST(Deadline, AnExitIsBelievedWheneverItComes) {
  EXPECT_EQ(end_of(ran(Reaction(exited(137)).after(0ms)).value()), "exit 137");
  EXPECT_EQ(end_of(ran(Reaction(exited(124)).after(k_deadline + 5s)).value()), "exit 124");
}

// The command ended by itself while it was being killed: it keeps its own result.
TEST(Deadline, ADeadlineLineWithAnotherExitCodeIsAnExit) {
  ExecResult result = killed();
  result.exit_code = 0;
  EXPECT_EQ(end_of(ran(Reaction(result).after(k_deadline)).value()), "exit 0");
}

TEST(Deadline, ACommandWithoutAnExitCodeIsUnknownButKeepsItsOutput) {
  for (ExecResult result : {exited({}, "o", "e"), killed("o", "e")}) {
    result.exit_code.reset();
    const auto run = ran(Reaction(result).after(k_deadline));
    ASSERT_EQ(outcome(run), "ok");
    EXPECT_EQ(frames_of(*run), "0 out:o, 1 err:e");
    EXPECT_EQ(end_of(*run), "SANDBOX_OUTCOME_UNKNOWN");
  }
}

TEST(Deadline, AnUnattestedCommandIsUnknownButKeepsItsOutput) {
  // Its wrapper was killed; or what stands there is a forgery; or there are two truths.
  const std::string forged =
      reference::final_line(k_id.view(), "deadline", std::string(k_call_id_size, 'a'));
  const std::string both = reference::final_line(k_id.view(), "exit", k_secrets.exit) +
                           reference::final_line(k_id.view(), "deadline", k_secrets.deadline);
  for (const std::string& end : {std::string(), forged, both}) {
    for (const std::int32_t code : {0, 137}) {
      const ExecResult result{"o", announced() + "e\n" + end, code};
      const auto run = ran(Reaction(result).after(k_deadline));
      ASSERT_EQ(outcome(run), "ok");
      EXPECT_EQ(frames_of(*run).substr(0, 16), "0 out:o, 1 err:e");
      ASSERT_EQ(end_of(*run), "SANDBOX_OUTCOME_UNKNOWN") << end << code;
      EXPECT_NE(run->end.error().external().find("still be running"), std::string::npos);
    }
  }
}

TEST(Deadline, ACommandThatCouldNotBeBoundedHasNoFramesAndIsNoProof) {
  const ExecResult refused{"o", reference::refused_line(k_id.view(), "setsid"), 126};
  const auto run = ran(refused);
  ASSERT_EQ(outcome(run), "commandNotBounded");
  EXPECT_FALSE(run.error().is_retryable());
  EXPECT_NE(run.error().text().find("setsid"), std::string::npos);

  const ExecResult no_shell{"", "sh: not found\n", 127};
  EXPECT_EQ(outcome(ran(no_shell)), "commandNotBounded");
}

TEST(Deadline, AStreamWithoutAnAnnouncementSaysNothing) {
  std::string cut = announced();
  cut.pop_back();
  const std::vector<ExecResult> results{
      {"o", "e\n", 0},
      {"o", "", 0},
      {"o", "", 126},
      {"", "sandproof1 \n", 127},
      {"o", "killed", 137},
      {"o", "", std::nullopt},
      {"o", reference::refused_line(k_id.view(), "od") + cut, 126},
      {"o", reference::announcement_line(std::string(k_call_id_size, '0'), k_secrets), 0},
  };
  for (const ExecResult& result : results) {
    const auto run = ran(Reaction(result).after(k_deadline));
    ASSERT_EQ(outcome(run), "SANDBOX_OUTCOME_UNKNOWN") << escaped(result.standard_error);
    EXPECT_FALSE(run.error().is_retryable());
  }
}

TEST(Overrun, TheSessionIsEndedAndTheDeadlineReportedOnceItIsGone) {
  Script script;
  script.on(Kind::get, {running("s1"), bare("s1", "Deleting"), gone()})
      .on(Kind::remove, Accepted{});
  const auto run = overran(script);
  EXPECT_EQ(outcome(run), "deadlineExceeded");
  EXPECT_EQ(script.trace(), "get s1, exec s1, delete s1, get s1, wait 2000, get s1");
  ASSERT_TRUE(run.error().session().has_value());
  EXPECT_EQ(run.error().session()->view(), "s1");
  EXPECT_FALSE(run.error().is_retryable());
}

TEST(Overrun, ASessionThatIsAlreadyGoneIsEnded) {
  Script script;
  script.on(Kind::get, {running("s1"), gone()}).on(Kind::remove, gone());
  EXPECT_EQ(outcome(overran(script)), "deadlineExceeded");
}

TEST(Overrun, ATerminationThatIsNotConfirmedLeavesTheOutcomeUnknown) {
  Script script;
  script.on(Kind::get, running("s1")).on(Kind::remove, Accepted{});
  const auto run = overran(script);
  ASSERT_EQ(outcome(run), "SANDBOX_OUTCOME_UNKNOWN < SANDBOX_UNREACHABLE");
  EXPECT_FALSE(run.error().is_retryable());
  EXPECT_EQ(run.error().verb(), Verb::run_command);
  EXPECT_EQ(script.count(Kind::get), 1U + k_terminate_polls);
}

TEST(Overrun, ADeleteThatFailsLeavesTheOutcomeUnknown) {
  const std::vector<std::pair<Reaction, std::string_view>> failures{
      {http(403), "SANDBOX_OUTCOME_UNKNOWN < dataPlaneRefused"},
      {http(500), "SANDBOX_OUTCOME_UNKNOWN < SANDBOX_UNREACHABLE"},
      {TransportError::timed_out(), "SANDBOX_OUTCOME_UNKNOWN < SANDBOX_UNREACHABLE"},
      {garbled(), "SANDBOX_OUTCOME_UNKNOWN < UNEXPECTED_RESPONSE_FORMAT"},
  };
  for (const auto& [failure, says] : failures) {
    Script script;
    script.on(Kind::get, running("s1")).on(Kind::remove, failure);
    const auto run = overran(script);
    EXPECT_EQ(outcome(run), says);
    EXPECT_FALSE(run.error().is_retryable());
    EXPECT_EQ(script.trace(), "get s1, exec s1, delete s1");
  }
}

// Only the bound of this call is its deadline; a transport that gave up earlier proves nothing.
TEST(Overrun, ATransportThatGaveUpEarlierEndsNoSession) {
  EXPECT_EQ(outcome(ran(TransportError::unavailable("timed out"))), "SANDBOX_OUTCOME_UNKNOWN");
  EXPECT_EQ(outcome(ran(http(408))), "SANDBOX_OUTCOME_UNKNOWN");
  EXPECT_EQ(outcome(ran(http(504))), "SANDBOX_OUTCOME_UNKNOWN");
}

TEST(Overrun, TheWholeCallEndsWithinTheGuardAndATermination) {
  Script script;
  script.on(Kind::get, {Reaction(running("s1")), Reaction(TransportError::timed_out())});
  script.on(Kind::remove, Accepted{});
  EXPECT_EQ(outcome(overran(script)), "SANDBOX_OUTCOME_UNKNOWN < SANDBOX_UNREACHABLE");
  EXPECT_EQ(script.now() - script.sent().front().at,
            k_deadline + k_guard_margin + k_terminate_polls * k_call_bound +
                (k_terminate_polls - 1) * k_terminate_interval);
}

}  // namespace
}  // namespace sandproof::props
