// `run`: one command through the provider, over this machine.
#include <sodium/randombytes.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "../provider/descriptor.h"
#include "arguments.h"
#include "call.h"
#include "command_input.h"
#include "commands.h"
#include "refused.h"
#include "sandproof/azure_sandbox.h"
#include "sandproof/deadline.h"
#include "sandproof/local_data_plane.h"
#include "signal_watch.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_deadline = "--deadline";
constexpr std::string_view k_env = "--env";
constexpr std::string_view k_cwd = "--cwd";

constexpr std::array k_options{
    Option{k_deadline, true},
    Option{k_env, true, true},
    Option{k_cwd, true},
};

std::string help() {
  return R"(Usage: %t run --deadline D [OPTION...] [--] PROG ARG...

Runs PROG with its ARGs, ends it at the deadline, and prints what it wrote. The
call goes the way of one to a remote sandbox, but here the sandbox is a
directory of this machine and NOTHING IS ISOLATED: PROG runs as you do, with
your network and your files, in the current directory.

PROG's variables are PATH (the system's directories), HOME (the sandbox's
directory, which is removed in the end), what sh itself adds, and those of
--env. Its standard input is /dev/null.

What PROG wrote, if less than 16 MiB, is printed byte for byte once PROG has
ended and nothing holds its output open any more. Ten seconds after the deadline
that is given up, and the output is lost. In the end everything that PROG
started is ended, wherever it went, but not what another service started for it.
SIGINT, SIGTERM and SIGHUP end it all at once; then, too, the output is lost.

Options end at PROG.
  --deadline D     how long PROG may run: 1ms to 24h, as in 1.5s
  --env NAME=VALUE
                   set a variable of PROG; may be repeated
  --cwd DIR        run PROG in this directory
  --help, -h       print this

Exit status: 0 to 255 PROG's own (128 + n where signal n ended it), 124 the
deadline ended it, 125 it could not be run, or its output not be printed, or
nobody knows how it ended, each with a line on standard error; 128 + n signal n
ended it all, 2 wrong usage.

Examples:
  %t run --deadline 5s -- date
  %t run --deadline 1s --env TZ=UTC -- sh -c 'date; sleep 60'
)";
}

std::unexpected<Complaint> failed(std::string message) {
  return std::unexpected(Complaint{std::move(message), false, k_exit_not_run});
}

// Question is a call as it came in, its directory absolute: bytes that nobody has judged.
struct Question {
  CommandInput command;
  std::string deadline;
};

// working_directory makes a directory absolute: what is relative counts from where the user stands.
std::expected<std::string, Complaint> working_directory(std::optional<std::string_view> given) {
  if (given && (given->empty() || given->starts_with('/'))) return std::string(*given);
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return failed("cannot tell the current directory: " + reason_text(error.value()));
  return (given ? here / *given : here).string();
}

std::expected<Question, Complaint> read_arguments(const Arguments& arguments) {
  const auto deadline = arguments.value(k_deadline);
  if (!deadline) return complain("how long may it run? Give --deadline D");
  if (arguments.words().empty()) return complain("what shall run? Give PROG and its ARGs");
  auto variables = read_variables(arguments.values(k_env));
  if (!variables) return std::unexpected(std::move(variables).error());
  auto directory = working_directory(arguments.value(k_cwd));
  if (!directory) return std::unexpected(std::move(directory).error());
  const Strings words(arguments.words().begin(), arguments.words().end());
  return Question{{words, *std::move(variables), *std::move(directory)}, std::string(*deadline)};
}

// TemporaryDirectory is there for the sandbox, and is empty in the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::error_code error;
    path_ = std::filesystem::temp_directory_path(error) / "sandproof-XXXXXX";
    error_ = error.value();
    if (error_ == 0 && mkdtemp(path_.data()) == nullptr) error_ = errno;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    if (error_ == 0) rmdir(path_.c_str());
  }

  [[nodiscard]] int error() const noexcept { return error_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  int error_;
};

AzureConfig config() {
  const auto text = [](std::string_view each) { return *PlainText::parse(each); };
  return {.disk_image = text("local"),
          .cpu = text("1000m"),
          .memory = text("1024Mi"),
          .egress = DeclaredEgress::allow(),
          .random = [](std::span<std::uint8_t, 16> bytes) {
            randombytes_buf(bytes.data(), bytes.size());
          }};
}

// run_in makes a session, runs the command in it, and removes it again.
sandproof::Result<CommandRun> run_in(LocalDataPlane& data_plane, const RunRequest& request) {
  const AzureSandbox provider(config());
  SteadyClock clock;
  const auto session = sandproof::run(provider.create({}), data_plane, clock);
  if (!session) return std::unexpected(session.error());
  const std::string_view id = session->id.view();
  auto ran = sandproof::run(provider.run_command(id, request), data_plane, clock);
  // Whether that worked shows when the data plane is closed.
  static_cast<void>(sandproof::run(provider.terminate(id), data_plane, clock));
  return ran;
}

Result told(const Error& error, std::string message) {
  if (!error.is(Failure::deadline_exceeded)) return failed(error.text());
  return std::unexpected(Complaint{std::move(message), false, k_exit_deadline});
}

Result told_killed(const Error& error, std::string_view deadline) {
  return told(error, "the deadline of " + std::string(deadline) + " ended the command");
}

// Nothing ended by itself: the command, or something that it started and that holds its output.
Result told_given_up(const Error& error, std::string_view deadline) {
  return told(error, "given up ten seconds after the deadline of " + std::string(deadline) +
                         ": the command, or what holds its output open, was still there");
}

Result print(const CommandRun& ran, std::string_view deadline, Output& output) {
  Output errors(STDERR_FILENO);
  bool in_line = false;
  for (const CommandRun::Frame& frame : ran.frames) {
    const bool is_output = frame.stream == CommandRun::Stream::standard_output;
    (is_output ? output : errors).write(frame.data);
    in_line = !is_output && !frame.data.ends_with('\n');
  }
  if (!ran.end && in_line) errors.write("\n");  // what is to be said has a line of its own
  if (errors.error() != 0) {
    return failed("cannot write standard error: " + reason_text(errors.error()));
  }
  return ran.end ? Result(*ran.end) : told_killed(ran.end.error(), deadline);
}

Result run(const Arguments& arguments, Output& output) {
  const auto question = read_arguments(arguments);
  if (!question) return std::unexpected(question.error());
  const auto deadline = Deadline::parse(question->deadline);
  if (!deadline) return failed(message(Refused{deadline.error(), question->deadline}));
  const Judgement judgement(question->command);
  if (!judgement.command()) return failed(message(judgement.refused()));
  if (const auto none = prepare_random()) return failed(none->message);

  std::optional<sandproof::Result<CommandRun>> ran;
  {
    const TemporaryDirectory directory;
    if (directory.error() != 0) {
      return failed("cannot make a temporary directory: " + reason_text(directory.error()));
    }
    LocalDataPlane data_plane({.base = directory.path()});
    SignalWatch watch([&data_plane] { static_cast<void>(data_plane.close()); });
    if (watch.error() != 0) return failed("cannot watch signals: " + reason_text(watch.error()));
    ran = run_in(data_plane, {judgement.request(), deadline->milliseconds()});
    const int signal = watch.end();
    if (!data_plane.close()) {
      return failed("something that the command left may still be running, or is still in " +
                    escaped(directory.path()));
    }
    if (signal != 0) return provider::k_signal_base + signal;
  }
  if (!*ran) return told_given_up(ran->error(), question->deadline);
  return print(**ran, question->deadline, output);
}

}  // namespace

constexpr Command k_run_command{
    "run",
    "run a command here, as a sandbox would: nothing is isolated",
    "run --deadline 5s -- date",
    k_options,
    help,
    run,
    true,
    k_exit_not_run,
};

}  // namespace sandproof::cli
