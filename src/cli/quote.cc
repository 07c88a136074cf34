// `quote`: words as a shell reads them back.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "batch.h"
#include "command_input.h"
#include "commands.h"
#include "json.h"
#include "refused.h"
#include "sandproof/shell.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

constexpr std::array k_options{
    Option{k_batch},
    Option{k_json},
};

std::string help() {
  return R"(Usage: %t quote [OPTION...] [--] ARG...
       %t quote --batch

Prints the ARGs so that a POSIX shell reads each of them back as one word:
every one in single quotes, one space between them, a newline behind them.
The bytes are printed as they are, whatever they do to a terminal.

Options end at the first ARG.
  --json           print one JSON object: {"shell":"..."}, or "shell_hex" with
                   hex digits where the bytes are not UTF-8
  --batch          read one JSON object a line on standard input, and print one
                   for each as it comes: {"argv":["..."]} or {"argv_hex":[...]}
  --help, -h       print this

Exit status: 0 the words are quoted, 1 some word cannot be (it has a NUL
byte), 2 wrong usage or input that cannot be read.

Examples:
  %t quote -- echo "it's" '$HOME'
  echo '{"argv":["rm","-rf","my dir"]}' | %t quote --batch
)";
}

std::expected<std::string, Refused> judge(const Strings& words) {
  auto quoted = quote(views(words));
  if (quoted) return *std::move(quoted);
  return std::unexpected(Refused{quoted.error(), words[quoted.error().word]});
}

Answer as_answer(std::expected<std::string, Refused> quoted) {
  if (!quoted) return {k_exit_refused, json_line(as_json(quoted.error()))};
  Json json;
  set_bytes(json, "shell", *std::move(quoted));
  return {k_exit_accepted, json_line(json)};
}

Answer judge_line(std::string_view line) {
  static constexpr std::array<std::string_view, 2> k_known{"argv", "argv_hex"};
  const auto members = Members::read(line, k_known);
  if (!members) return unreadable(members.error());
  const auto words = read_argv(*members);
  if (!words) return unreadable(words.error());
  return as_answer(judge(*words));
}

Result run(const Arguments& arguments, Output& output) {
  const Strings words(arguments.words().begin(), arguments.words().end());
  if (arguments.has(k_batch)) {
    if (words.empty()) return run_batch(output, judge_line);
    return complain("--batch takes no ARG: send them on standard input");
  }
  auto quoted = judge(words);
  if (arguments.has(k_json)) {
    const Answer answer = as_answer(std::move(quoted));
    output.write(answer.text);
    return answer.status;
  }
  if (!quoted) return std::unexpected(Complaint{message(quoted.error()), false, k_exit_refused});
  output.write(*quoted + '\n');
  return k_exit_accepted;
}

}  // namespace

constexpr Command k_quote_command{
    "quote",
    "write words so that a shell reads them back",
    "quote -- echo \"it's\" '$HOME'",
    k_options,
    help,
    run,
    true,
};

}  // namespace sandproof::cli
