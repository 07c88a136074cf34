// `report`: what the wrapper's standard error says of a call.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "arguments.h"
#include "batch.h"
#include "call.h"
#include "commands.h"
#include "json.h"
#include "refused.h"
#include "sandproof/deadline_report.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_exit_code = "--exit-code";

constexpr std::array k_options{
    Option{k_exit_code, true},
    Option{k_scheme, true, false, k_scheme_names},
    Option{k_call_id, true},
    Option{k_batch},
};

// k_max_stream_size bounds what is read of one stream.
constexpr std::size_t k_max_stream_size = std::size_t{256} << 20;

std::string help() {
  return R"(Usage: %t report --exit-code N --call-id ID
       %t report --exit-code N --scheme nonce
       %t report --batch

Reads what a wrapped command wrote on standard error (up to 256 MiB) from
standard input, and prints one JSON object:
  {"outcome":"ran","killed":...,"attested":...,"preamble":"...","stderr":"..."}
  {"outcome":"not_run","reason":"..."}     the sandbox claims that it could not
                   bound the command: a claim, never a proof
  {"outcome":"unverified","reason":"..."}  the command may have run
"killed": the deadline ended it. "attested": the wrapper reached its own end.
"preamble": what the shell wrote before it; "stderr": what the command wrote.
Bytes that are not UTF-8 come as hex digits, in "preamble_hex", "stderr_hex".

Options:
  --exit-code N    what the sandbox gave, or none where it gave none
  --call-id ID     sealed: the call's id, as '%t wrap' printed it
  --scheme SCHEME  sealed (the default) or nonce, as it was given to wrap
  --batch          read one JSON object a line on standard input, and print one
                   for each as it comes: {"exit_code":N,"call_id":"...",
                   "stderr":"..."}; also "scheme", and "stderr_hex" for bytes;
                   "exit_code" may be null or missing
  --help, -h       print this

Exit status: 0 it ran, 1 any other report, 2 wrong usage or input that cannot
be read.

Examples:
  %t report --exit-code 137 --call-id 00112233445566778899aabbccddeeff \
      <stderr.log
  %t report --exit-code 137 --scheme nonce <stderr.log
)";
}

// Question is a call that ended, as it came in.
struct Question {
  CallInput call;
  std::optional<std::int32_t> exit_code;
};

std::string joined(std::string_view before, std::string_view after) {
  std::string text;
  text.reserve(before.size() + after.size());
  text += before;
  text += after;
  return text;
}

Json as_json(const DeadlineReport& report) {
  switch (report.outcome) {
    case Outcome::ran: {
      Json json{{"outcome", "ran"}, {"killed", report.killed}, {"attested", report.attested}};
      set_bytes(json, "preamble", std::string(report.preamble));
      set_bytes(json, "stderr", joined(report.before, report.after));
      return json;
    }
    case Outcome::not_run:
      return {{"outcome", "not_run"}, {"reason", explain(report)}};
    case Outcome::unverified:
      break;
  }
  return {{"outcome", "unverified"}, {"reason", explain(report)}};
}

std::expected<ReportScheme, Refused> judge_call(const CallInput& call) {
  if (!call.is_sealed) return ReportScheme::nonce();
  const auto id = judge_call_id(*call.id);
  if (!id) return std::unexpected(id.error());
  return ReportScheme::sealed(*id);
}

Answer refuse(const Refused& refused) { return {k_exit_refused, json_line(as_json(refused))}; }

Answer read(const ReportScheme& scheme, std::optional<std::int32_t> exit_code,
            std::string_view stream) {
  const DeadlineReport report = read_report(scheme, exit_code, stream);
  return {report.outcome == Outcome::ran ? k_exit_accepted : k_exit_refused,
          json_line(as_json(report))};
}

Answer judge_line(std::string_view line) {
  static constexpr std::array<std::string_view, 5> k_known{"scheme", "call_id", "exit_code",
                                                           "stderr", "stderr_hex"};
  const auto members = Members::read(line, k_known);
  if (!members) return unreadable(members.error());
  const auto call = read_call(*members);
  if (!call) return unreadable(call.error());
  if (call->is_sealed && !call->id) return unreadable(required("call_id"));
  const auto exit_code = members->integer("exit_code");
  if (!exit_code) return unreadable(exit_code.error());
  const auto stream = members->bytes("stderr", "stderr_hex");
  if (!stream) return unreadable(stream.error());
  if (!*stream) return unreadable(required("stderr"));
  const auto scheme = judge_call(*call);
  return scheme ? read(*scheme, *exit_code, **stream) : refuse(scheme.error());
}

std::expected<std::optional<std::int32_t>, Complaint> read_exit_code(std::string_view text) {
  if (text == "none") return std::nullopt;
  if (const auto number = whole_number<std::int32_t>(text)) return number;
  return complain("--exit-code " + escaped(text) + ": give a decimal number of 32 bits, or none");
}

Result report_batch(const Arguments& arguments, Output& output) {
  for (const std::string_view option : {k_exit_code, k_scheme, k_call_id}) {
    if (!arguments.has(option)) continue;
    return complain("--batch takes no " + std::string(option) + ": send it on standard input");
  }
  return run_batch(output, judge_line);
}

// judge_input reads the stream of a call whose id was not refused.
std::expected<Answer, Complaint> judge_input(const CallInput& call,
                                             std::optional<std::int32_t> exit_code) {
  const auto scheme = judge_call(call);
  if (!scheme) return refuse(scheme.error());
  const auto stream = read_document("-", k_max_stream_size);
  if (!stream) return complain("cannot read standard input: " + reason_text(stream.error()), false);
  if (stream->size() <= k_max_stream_size) return read(*scheme, exit_code, *stream);
  return unreadable(
      {code(Reason::too_large),
       "standard input is longer than " + std::to_string(k_max_stream_size) + " bytes: send less"});
}

Result run(const Arguments& arguments, Output& output) {
  if (!arguments.words().empty()) {
    return complain("unexpected " + escaped(arguments.words().front()) +
                    ": send what the command wrote on standard input");
  }
  if (arguments.has(k_batch)) return report_batch(arguments, output);
  const auto text = arguments.value(k_exit_code);
  if (!text) return complain("how did it end? Give --exit-code N, or none");
  const auto exit_code = read_exit_code(*text);
  if (!exit_code) return std::unexpected(exit_code.error());
  const auto call = read_call(arguments);
  if (!call) return std::unexpected(call.error());
  if (call->is_sealed && !call->id) {
    return complain("which call? Give --call-id ID, or --scheme nonce");
  }
  const auto answer = judge_input(*call, *exit_code);
  if (!answer) return std::unexpected(answer.error());
  output.write(answer->text);
  return answer->status;
}

}  // namespace

constexpr Command k_report_command{
    "report",
    "say what a wrapped command's standard error reports",
    "report --exit-code 137 --call-id 00112233445566778899aabbccddeeff \\\n      <stderr.log",
    k_options,
    help,
    run,
};

}  // namespace sandproof::cli
