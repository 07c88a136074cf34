// `wrap`: the one shell string that holds a command to its deadline.
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "arguments.h"
#include "batch.h"
#include "call.h"
#include "command_input.h"
#include "commands.h"
#include "json.h"
#include "refused.h"
#include "sandproof/deadline.h"
#include "sandproof/shell.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_deadline = "--deadline";
constexpr std::string_view k_env = "--env";

constexpr std::array k_options{
    Option{k_deadline, true},
    Option{k_env, true, true},
    Option{k_scheme, true, false, k_scheme_names},
    Option{k_call_id, true},
    Option{k_json},
    Option{k_batch},
};

std::string help() {
  return R"(Usage: %t wrap --deadline D [OPTION...] [--] PROG ARG...
       %t wrap --batch

Prints the one shell string to send to a sandbox: it runs PROG with its ARGs,
ends them at the deadline, and reports on standard error what happened, which
'%t report' reads. The bytes are printed as they are, and a newline.

Options end at PROG.
  --deadline D     how long PROG may run: 1ms to 24h, as in 1.5s
  --env NAME=VALUE
                   set a variable of PROG, and of nothing else; may be repeated
  --scheme SCHEME  how the wrapper reports: sealed (the default), or nonce, for
                   sandboxes without sha256sum, which proves less
  --call-id ID     sealed: 32 lower-case hex digits, drawn afresh for each call;
                   without it one is drawn, and printed on standard error as
                   "call id: ID"
  --json           print one JSON object instead:
                   {"verdict":"accepted","shell":"...","call_id":"..."}
  --batch          read one JSON object a line on standard input, and print one
                   for each as it comes: {"argv":["..."],"env":{"NAME":"..."},
                   "deadline":"1.5s","scheme":"sealed","call_id":"..."};
                   only "argv" (or "argv_hex") and "deadline" are needed
  --help, -h       print this

Exit status: 0 the string is printed, 1 the command, the deadline or the call
id is refused, 2 wrong usage or input that cannot be read.

Examples:
  %t wrap --deadline 1.5s -- python3 /work/app.py
  %t wrap --deadline 30s --env TZ=UTC --json -- date
)";
}

// Question is a call as it came in: bytes that nobody has judged.
struct Question {
  CommandInput command;
  std::string deadline;
  CallInput call;
};

// Wrapped is what to send, and the id by which the report is found.
struct Wrapped {
  std::string shell;
  std::optional<CallId> id;
};

using Outcome = std::expected<Wrapped, Refused>;

Outcome judge(const Question& question) {
  const auto deadline = Deadline::parse(question.deadline);
  if (!deadline) return std::unexpected(Refused{deadline.error(), question.deadline});
  std::optional<CallId> id;
  if (question.call.id) {
    auto given = judge_call_id(*question.call.id);
    if (!given) return std::unexpected(std::move(given).error());
    id = *given;
  }
  const Judgement judgement(question.command);
  if (!judgement.command()) return std::unexpected(judgement.refused());
  if (question.call.is_sealed && !id) id = draw_call_id();
  const auto scheme = id ? ReportScheme::sealed(*id) : ReportScheme::nonce();
  return Wrapped{std::string(bounded_shell(*judgement.command(), *deadline, scheme).view()), id};
}

Answer as_answer(const Outcome& outcome) {
  if (!outcome) return {k_exit_refused, json_line(as_json(outcome.error()))};
  Json json{{"verdict", "accepted"}, {"shell", outcome->shell}};
  if (outcome->id) json["call_id"] = outcome->id->view();
  return {k_exit_accepted, json_line(json)};
}

std::expected<Question, Malformed> read_line(std::string_view line) {
  static constexpr std::array<std::string_view, 6> k_known{"argv",     "argv_hex", "env",
                                                           "deadline", "scheme",   "call_id"};
  const auto members = Members::read(line, k_known);
  if (!members) return std::unexpected(members.error());
  auto command = read_command(*members);
  if (!command) return std::unexpected(std::move(command).error());
  auto deadline = members->string("deadline");
  if (!deadline) return std::unexpected(std::move(deadline).error());
  if (!*deadline) return std::unexpected(required("deadline"));
  auto call = read_call(*members);
  if (!call) return std::unexpected(std::move(call).error());
  return Question{*std::move(command), **std::move(deadline), *std::move(call)};
}

std::expected<Question, Complaint> read_arguments(const Arguments& arguments) {
  const auto deadline = arguments.value(k_deadline);
  if (!deadline) return complain("how long may it run? Give --deadline D");
  auto call = read_call(arguments);
  if (!call) return std::unexpected(std::move(call).error());
  auto variables = read_variables(arguments.values(k_env));
  if (!variables) return std::unexpected(std::move(variables).error());
  Question question{{}, std::string(*deadline), *std::move(call)};
  question.command.variables = *std::move(variables);
  question.command.argv.assign(arguments.words().begin(), arguments.words().end());
  return question;
}

Result wrap_batch(const Arguments& arguments, Output& output) {
  for (const std::string_view option : {k_deadline, k_env, k_scheme, k_call_id}) {
    if (!arguments.has(option)) continue;
    return complain("--batch takes no " + std::string(option) + ": send it on standard input");
  }
  if (!arguments.words().empty()) {
    return complain("--batch takes no PROG: send commands on standard input");
  }
  if (auto none = prepare_random()) return std::unexpected(*std::move(none));
  return run_batch(output, [](std::string_view line) -> Answer {
    const auto question = read_line(line);
    return question ? as_answer(judge(*question)) : unreadable(question.error());
  });
}

// write_plain prints the string alone, so that it can be sent as it is: all else goes to standard
// error. Nothing is printed that could not be used for want of its call id.
Result write_plain(const Outcome& outcome, bool drawn, Output& output) {
  if (!outcome) return std::unexpected(Complaint{message(outcome.error()), false, k_exit_refused});
  if (drawn) {
    Output errors(STDERR_FILENO);
    if (!errors.write("call id: " + std::string(outcome->id->view()) + '\n')) {
      return complain("cannot write the call id: " + reason_text(errors.error()), false);
    }
  }
  output.write(outcome->shell + '\n');
  return k_exit_accepted;
}

Result run(const Arguments& arguments, Output& output) {
  if (arguments.has(k_batch)) return wrap_batch(arguments, output);
  const auto question = read_arguments(arguments);
  if (!question) return std::unexpected(question.error());
  if (question->command.argv.empty()) return complain("what shall run? Give PROG and its ARGs");
  const bool draws = question->call.is_sealed && !question->call.id;
  if (draws) {
    if (auto none = prepare_random()) return std::unexpected(*std::move(none));
  }
  const Outcome outcome = judge(*question);
  if (!arguments.has(k_json)) return write_plain(outcome, draws, output);
  const Answer answer = as_answer(outcome);
  output.write(answer.text);
  return answer.status;
}

}  // namespace

constexpr Command k_wrap_command{
    "wrap",
    "make the shell string that holds a command to a deadline",
    "wrap --deadline 1.5s -- python3 /work/app.py",
    k_options,
    help,
    run,
    true,
};

}  // namespace sandproof::cli
