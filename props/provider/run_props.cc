// run_command: what is sent, which sessions take it, and what its answer says.
#include "setting.h"

namespace sandproof::props {
namespace {

// ran drives a command that takes `took`, in a session that is fit.
Result<CommandRun> ran(Script& script, const Reaction& answer, const RunRequest& request) {
  script.on(Kind::get, running("s1")).on(Kind::exec, answer);
  Result<CommandRun> run = drive(provider().run_command("s1", request), script);
  EXPECT_EQ(script.trace(), "get s1, exec s1");
  return run;
}

Result<CommandRun> ran(const Reaction& answer, const RunRequest& request = command()) {
  Script script;
  return ran(script, answer, request);
}

// sent is the text that is sent for a command.
std::string sent(const CommandRequest& asked, milliseconds deadline = 30s) {
  Script script;
  (void)ran(script, exited(0), {.command = asked, .deadline = deadline});
  return std::string(script.only<ExecCall>().body.command().view());
}

TEST(Run, TheWordsTravelAsArgumentsOfTheWrapper) {
  const std::string text = sent({.argv = k_argv, .variables = {}, .working_directory = {}});
  EXPECT_TRUE(text.starts_with("sh -c '")) << text;
  EXPECT_TRUE(text.ends_with("' sh 'sleep' 'forever'")) << text;
}

TEST(Run, NoByteOfAWordIsReadByTheShell) {
  constexpr std::array<std::string_view, 5> k_words{"echo", "it's", "&&", "sleep 5", "$(id)\n"};
  const std::string text = sent({.argv = k_words, .variables = {}, .working_directory = {}});
  EXPECT_TRUE(text.ends_with("' sh 'echo' 'it'\\''s' '&&' 'sleep 5' '$(id)\n'")) << text;
}

TEST(Run, TheDeadlineStandsInTheTextInSeconds) {
  const CommandRequest words{.argv = k_argv, .variables = {}, .working_directory = {}};
  EXPECT_NE(sent(words, 1500ms).find("sleep 1.500"), std::string::npos);
  EXPECT_NE(sent(words, 30s).find("sleep 30"), std::string::npos);
}

TEST(Run, VariablesAreWordsOfEnvAndTheirValuesAreData) {
  constexpr std::array<EnvEntry, 2> k_variables{{{"TOKEN", "a'; rm -rf /"}, {"PATH", "/tmp/x"}}};
  const std::string text =
      sent({.argv = k_argv, .variables = k_variables, .working_directory = {}});
  const std::size_t arguments = text.find("' sh ");
  ASSERT_NE(arguments, std::string::npos);
  EXPECT_EQ(text.substr(arguments),
            "' sh 'env' 'PATH=/tmp/x' 'TOKEN=a'\\''; rm -rf /' 'sleep' 'forever'");
  EXPECT_EQ(text.substr(0, arguments).find("PATH"), std::string::npos);
}

TEST(Run, TheTextIsTheOneThatTheCoreMakes) {
  constexpr std::array<EnvEntry, 1> k_variables{{{"TOKEN", "t"}}};
  const CommandRequest asked{.argv = k_argv, .variables = k_variables, .working_directory = "/w"};
  const ShellText expected = bounded_shell(Command::parse(asked).value(),
                                           Deadline::from(5s).value(), ReportScheme::sealed(k_id));
  EXPECT_EQ(sent(asked, 5s), expected.view());
}

TEST(Run, TheWorkingDirectoryTravelsBesideTheText) {
  Script with;
  (void)ran(
      with, exited(0),
      {.command = {.argv = k_argv, .variables = {}, .working_directory = "/work"}, .deadline = 5s});
  EXPECT_EQ(with.only<ExecCall>().body.working_directory(), "/work");

  Script without;
  (void)ran(without, exited(0), command());
  EXPECT_EQ(without.only<ExecCall>().body.working_directory(), std::nullopt);
}

TEST(Run, TheCallIsBoundedByTheDeadlineAndTenSeconds) {
  for (const milliseconds deadline : {k_min_deadline, milliseconds(30s), k_max_deadline}) {
    Script script;
    (void)ran(script, exited(0), command(deadline));
    EXPECT_EQ(script.only<ExecCall>().guard, deadline + 10s);
  }
}

TEST(Run, EveryCallHasAnIdOfItsOwn) {
  std::uint8_t drawn = 0;
  AzureConfig counting = config();
  counting.random = [&drawn](std::span<std::uint8_t, 16> out) { std::ranges::fill(out, ++drawn); };
  const AzureSandbox sandbox(counting);
  std::vector<std::string> texts;
  for (int i = 0; i < 2; ++i) {
    Script script;
    script.on(Kind::get, running("s1")).on(Kind::exec, down());
    (void)drive(sandbox.run_command("s1", command()), script);
    texts.emplace_back(script.only<ExecCall>().body.command().view());
  }
  EXPECT_NE(texts[0], texts[1]);
}

TEST(Run, OutputComesInFramesWithStandardOutputFirst) {
  const auto run = ran(exited(3, "out\n", "err\n"));
  ASSERT_EQ(outcome(run), "ok");
  EXPECT_EQ(frames_of(*run), "0 out:out\n, 1 err:err\n");
  EXPECT_EQ(end_of(*run), "exit 3");
  EXPECT_EQ(run->preamble, "");
}

TEST(Run, AnEmptyStreamHasNoFrame) {
  EXPECT_EQ(frames_of(ran(exited(0)).value()), "");
  EXPECT_EQ(frames_of(ran(exited(0, "o")).value()), "0 out:o");
  EXPECT_EQ(frames_of(ran(exited(0, "", "e")).value()), "0 err:e");
}

TEST(Run, OutputIsBytes) {
  const std::string bytes("a\0\xff\r\n", 5);
  const auto run = ran(exited(0, bytes, bytes));
  ASSERT_EQ(outcome(run), "ok");
  ASSERT_EQ(run->frames.size(), 2U);
  EXPECT_EQ(run->frames[0].data, bytes);
  EXPECT_EQ(run->frames[1].data, bytes);
}

TEST(Run, WhatTheShellSaidFirstIsNoOutputOfTheCommand) {
  ExecResult warned = exited(0, "o", "e");
  warned.standard_error.insert(0, "sh: warning: setlocale\n");
  const auto run = ran(warned);
  ASSERT_EQ(outcome(run), "ok");
  EXPECT_EQ(frames_of(*run), "0 out:o, 1 err:e");
  EXPECT_EQ(run->preamble, "sh: warning: setlocale\n");
}

TEST(Run, TheReportIsRemovedWhereverItStands) {
  ExecResult noticed = exited(0, "", "before ");
  noticed.standard_error += "after\n";
  EXPECT_EQ(frames_of(ran(noticed).value()), "0 err:before after\n");
}

TEST(Run, AnyExitCodeOfAnAttestedCommandIsItsOwn) {
  for (const std::int32_t code : {0, 1, 9, 124, 126, 127, 137, 255, -1}) {
    EXPECT_EQ(end_of(ran(exited(code, "done\n")).value()), "exit " + std::to_string(code));
  }
}

// What decides is the record that this very call has read.
TEST(Run, OnlyARunningSessionTakesACommand) {
  const std::vector<std::pair<Reaction, std::string_view>> rows{
      {gone(), "sessionGone"},
      {TransportError::not_found(), "sessionGone"},
      {bare("s1", "Deleting"), "sessionGone"},
      {bare("s1", "Failed"), "sessionGone"},
      {bare("s1", "Creating"), "sessionNotReady"},
      {bare("s1", "Resuming"), "sessionNotReady"},
      {bare("s1", "Stopping"), "sessionSuspended"},
      {bare("s1", "Stopped"), "sessionSuspended"},
      {record("s1", "Suspended"), "sessionSuspended"},
      {record("s1", "Idle", open_policy()), "sessionSuspended"},
      {bare("s1", "Hibernated"), "UNEXPECTED_RESPONSE_FORMAT"},
      {bare("s1", std::nullopt), "UNEXPECTED_RESPONSE_FORMAT"},
      {running("another"), "UNEXPECTED_RESPONSE_FORMAT"},
      {bare("s1"), "SANDBOX_NOT_AS_DECLARED"},
      {running("s1", open_policy()), "SANDBOX_NOT_AS_DECLARED"},
      {http(403), "dataPlaneRefused"},
      {http(503), "SANDBOX_OUTCOME_UNKNOWN"},
      {TransportError::timed_out(), "SANDBOX_OUTCOME_UNKNOWN"},
      {garbled(), "SANDBOX_OUTCOME_UNKNOWN"},
  };
  for (const auto& [seen, says] : rows) {
    Script script;
    script.on(Kind::get, seen);
    const auto run = drive(provider().run_command("s1", command()), script);
    EXPECT_EQ(outcome(run), says);
    EXPECT_EQ(script.trace(), "get s1") << says;
    EXPECT_EQ(run.error().verb(), Verb::run_command);
    EXPECT_FALSE(run.error().is_retryable()) << says;
  }
}

TEST(Run, ACallThatDidNotCompleteMayHaveRun) {
  for (const Reaction& answer :
       {Reaction(down()), Reaction(http(408)), Reaction(http(500)), Reaction(http(503)),
        Reaction(TransportError::conflict(409, TransportError::Propagation::delayed)),
        Reaction(garbled()), Reaction(Accepted{})}) {
    const auto run = ran(answer);
    ASSERT_EQ(outcome(run), "SANDBOX_OUTCOME_UNKNOWN");
    EXPECT_FALSE(run.error().is_retryable());
  }
}

TEST(Run, ARefusedCallDidNotRun) {
  for (const Reaction& answer :
       {Reaction(http(400)), Reaction(http(404)), Reaction(http(409)), Reaction(http(429)),
        Reaction(TransportError::access_denied()),
        Reaction(TransportError::conflict(409, TransportError::Propagation::unmarked))}) {
    EXPECT_EQ(outcome(ran(answer)), "dataPlaneRefused");
  }
}

// What a report without a run says is evidence for the log: escaped once, and not wrapped in words.
TEST(Run, TheLogShowsWhatTheSandboxSaid) {
  const auto text_of = [](std::string standard_error, std::int32_t code) {
    Script script;
    script.on(Kind::get, running("s1"))
        .on(Kind::exec, ExecResult{"", std::move(standard_error), code});
    const auto run = drive(provider().run_command("s1", command()), script);
    return run ? std::string() : run.error().text();
  };
  const std::string tool =
      text_of("sandproof1 " + std::string(k_id.view()) + " refused /dev/urandom\n", 126);
  EXPECT_NE(tool.find(": \"/dev/urandom\""), tool.npos) << tool;
  const std::string shell = text_of("sh: exec format error: the reason\n", 127);
  EXPECT_NE(shell.find(": \"sh: exec format error: the reason\\n\""), shell.npos) << shell;
}

}  // namespace
}  // namespace sandproof::props
