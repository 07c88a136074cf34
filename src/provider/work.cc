// What is done in a session: a command, and its files.
#include <utility>

#include "errors.h"
#include "sandproof/deadline_report.h"
#include "steps.h"
#include "verbs.h"

namespace sandproof::provider {
namespace {

std::vector<CommandRun::Frame> frames_of(ExecResult& result, const DeadlineReport& report) {
  std::vector<CommandRun::Frame> frames;
  const auto add = [&frames](CommandRun::Stream stream, std::string data) {
    if (!data.empty()) frames.push_back({stream, frames.size(), std::move(data)});
  };
  std::string standard_error(report.before);
  standard_error += report.after;
  add(CommandRun::Stream::standard_output, std::move(result.standard_output));
  add(CommandRun::Stream::standard_error, std::move(standard_error));
  return frames;
}

std::expected<std::int32_t, Error> end_of(const OwnedSessionId& id, const ExecResult& result,
                                          const DeadlineReport& report, bool is_credible) {
  if (!result.exit_code) {
    return std::unexpected(
        outcome_unknown(id, "the data plane gave no exit code; the command may still be running"));
  }
  if (!report.attested) {
    return std::unexpected(
        outcome_unknown(id,
                        "the command's wrapper did not reach its own end; the command may "
                        "still be running"));
  }
  if (report.killed && !is_credible) {
    return std::unexpected(
        outcome_unknown(id,
                        "a deadline was reported before it had passed; the command may still "
                        "be running"));
  }
  if (report.killed) {
    return std::unexpected(
        command_failed(Verb::run_command, Failure::deadline_exceeded, id,
                       "the command was ended at its deadline; the session is still usable"));
  }
  return *result.exit_code;
}

// What a report without a run leaves to show: the tool that was missing, or the stream.
Foreign shown(const DeadlineReport& report) {
  return {std::string(report.tool.empty() ? report.before : report.tool)};
}

Result<CommandRun> read_result(const OwnedSessionId& id, ExecResult result,
                               const ReportScheme& scheme, Deadline deadline,
                               std::chrono::milliseconds took) {
  const DeadlineReport report = read_report(scheme, result.exit_code, result.standard_error);
  switch (report.outcome) {
    case Outcome::ran:
      break;
    case Outcome::not_run:
      return std::unexpected(command_failed(
          Verb::run_command, Failure::command_not_bounded, id,
          "the sandbox says that it cannot hold a command to a deadline", shown(report)));
    case Outcome::unverified:
      return std::unexpected(
          outcome_unknown(id, "the command may have run: its output does not say", shown(report)));
  }
  auto end = end_of(id, result, report, is_credible_kill(deadline, took));
  std::string preamble(report.preamble);
  return CommandRun{frames_of(result, report), std::move(end), std::move(preamble)};
}

// The sandbox did not end the command, so the session is ended, and the call returns only when that
// is certain: deadlineExceeded means that the command has stopped.
Step<void> end_overrun(const AzureConfig& config, const OwnedSessionId& id) {
  Step<void> ending = end_session(config, id);
  const Result<void> ended = co_await ending;
  if (ended) {
    co_return std::unexpected(
        command_failed(Verb::run_command, Failure::deadline_exceeded, id,
                       "the sandbox did not end the command at its deadline, so the session was "
                       "terminated"));
  }
  co_return std::unexpected(
      Error({.code = ErrorCode::outcome_unknown,
             .verb = Verb::run_command,
             .why = "the command overran its deadline, and it is not certain that its session has "
                    "ended; it may still be running",
             .session = id},
            ended.error()));
}

}  // namespace

Step<CommandRun> run_in_session(Config config, OwnedSessionId id, ExecBody body, CallId call_id,
                                Deadline deadline) {
  Step<FitSession> fitting = fit_session(*config, Verb::run_command, id);
  const Result<FitSession> fit = co_await fitting;
  if (!fit) co_return std::unexpected(fit.error());

  ExecCall exec{fit->id(), std::move(body), deadline.guard()};
  Reply<ExecResult> reply = co_await exec;
  const Instant sent = co_await k_sent;
  const Instant answered = co_await k_now;
  if (!reply && is_timed_out(reply.error())) {
    Step<void> ending = end_overrun(*config, id);
    const Result<void> ended = co_await ending;
    co_return std::unexpected(ended.error());
  }
  if (!reply) co_return std::unexpected(failed(Verb::run_command, reply.error(), id));
  co_return read_result(id, *std::move(reply), ReportScheme::sealed(call_id), deadline,
                        elapsed(sent, answered));
}

Step<std::string> read_one(OwnedSessionId id, OwnedSandboxPath path) {
  ReadFileCall read{id, path};
  Reply<FileContent> content = co_await read;
  if (!content) co_return std::unexpected(failed(Verb::read_file, content.error(), id));
  co_return std::move(content->bytes);
}

Step<void> write_each(Config config, OwnedSessionId id, std::vector<OwnedFile> files) {
  Step<FitSession> fitting = fit_session(*config, Verb::write_files, id);
  const Result<FitSession> fit = co_await fitting;
  if (!fit) co_return std::unexpected(fit.error());
  for (OwnedFile& file : files) {
    WriteFileCall write{fit->id(), file.path, std::move(file.content)};
    const Reply<Accepted> written = co_await write;
    if (!written) co_return std::unexpected(failed(Verb::write_files, written.error(), id));
  }
  co_return Result<void>{};
}

Step<void> make_directory(OwnedSessionId id, MkdirBody body) {
  MkdirCall mkdir{id, std::move(body)};
  const Reply<Accepted> made = co_await mkdir;
  if (!made) co_return std::unexpected(failed(Verb::mkdir, made.error(), id));
  co_return Result<void>{};
}

}  // namespace sandproof::provider
