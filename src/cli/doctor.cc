// `doctor`: can an image hold a command to its deadline?
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "arguments.h"
#include "call.h"
#include "child.h"
#include "commands.h"
#include "json.h"
#include "probe.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::string_view k_timeout = "--timeout";

constexpr std::array k_options{
    Option{k_timeout, true},
    Option{k_json},
};

constexpr TimeRange k_any_timeout{2s, 10min, "2s to 10m"};
constexpr milliseconds k_default_timeout = 15s;

std::string help() {
  return R"(Usage: %t doctor [OPTION...] [--] [PREFIX...]

Tries whether a sandbox's image can hold a command to its deadline, and says
which shell it has, what the wrapper misses there, and which scheme to use.

PREFIX is what runs a command in the image, as in 'docker exec NAME' or
'chroot DIR'; without one it is this machine. A call is PREFIX /bin/sh -c TEXT,
with the texts that '%t wrap' makes, and what comes back is read as
'%t report' does. It takes about eight seconds, and nothing is changed.

Options end at PREFIX.
  --timeout T      how long each call may take: 2s to 10m, 15s without this;
                   the first that takes longer is the last
  --json           print one JSON object
  --help, -h       print this

PREFIX runs with no standard input and in a process group of its own, which is
killed when the call ends. It has to pass on at once what a command writes:
that is how it is seen for how long a command was held.

What the image says of its shell and of what is missing is its own word. What
holds today may not after untrusted code has run there.

Exit status: 0 it can hold a command to its deadline, 1 it is not shown to, 2
PREFIX could not be run, no call was answered, a signal, or wrong usage.

Examples:
  %t doctor -- env
)";
}

bool is_missing_known(const Probed& probed) { return probed.described || !probed.missing.empty(); }

std::string as_json(const Probed& probed) {
  Json json{{"holds", probed.scheme.has_value()}};
  json["scheme"] = probed.scheme ? Json(name(*probed.scheme)) : Json();
  json["fractions"] = probed.fractions;
  json["shell"] = probed.shell;
  json["missing"] = is_missing_known(probed) ? Json(probed.missing) : Json();
  json["trials"] = Json::array();
  for (const Trial& trial : probed.trials) {
    Json each{{"scheme", name(trial.scheme)},
              {"trial", trial.kind->name},
              {"held", trial.held},
              {"elapsed_ms", trial.elapsed.count()}};
    if (!trial.message.empty()) each["message"] = trial.message;
    json["trials"].push_back(std::move(each));
  }
  if (!probed.message.empty()) json["message"] = probed.message;
  return json_line(json);
}

// row is a title and what is to be said of it: they stand below each other.
std::string row(std::string_view title, std::string_view text) {
  constexpr std::size_t k_width = 9;
  std::string out = "  " + std::string(title);
  out.append(k_width - title.size(), ' ').append(text);
  return out + '\n';
}

std::string as_text(const Probed& probed) {
  std::string text;
  if (probed.scheme) {
    text = "holds: a command can be held to its deadline: use the scheme " +
           std::string(name(*probed.scheme)) +
           (probed.fractions ? "" : ", with whole seconds only") + '\n';
  } else {
    text = "not shown to hold: ";
    text += probed.answered ? "a command may run on past its deadline\n" : "no call was answered\n";
  }
  std::string missing;
  for (const std::string& each : probed.missing) {
    missing.append(missing.empty() ? "" : ", ").append(each);
  }
  if (missing.empty()) missing = is_missing_known(probed) ? "nothing" : "unknown";
  text += row("shell", probed.shell) + row("missing", missing);
  for (const Trial& trial : probed.trials) {
    std::string said = std::string(trial.kind->summary) + ": " + (trial.held ? "held" : "not held");
    said += trial.held ? ", after " + std::to_string(trial.elapsed.count()) + " ms"
                       : ": " + trial.message;
    text += row(name(trial.scheme), said);
  }
  if (!probed.message.empty()) text += row("ended", probed.message);
  return text;
}

Result run(const Arguments& arguments, Output& output) {
  const auto text = arguments.value(k_timeout);
  const auto timeout = text ? read_time(k_timeout, *text, k_any_timeout) : k_default_timeout;
  if (!timeout) return std::unexpected(timeout.error());
  if (auto none = prepare_random()) return std::unexpected(*std::move(none));
  const StopRequest stop;
  if (stop.error() != 0) {
    return complain("cannot watch signals: " + reason_text(stop.error()), false);
  }
  const Strings prefix(arguments.words().begin(), arguments.words().end());
  const auto probed = probe(prefix, *timeout, stop.descriptor());
  if (!probed) return std::unexpected(probed.error());
  output.write(arguments.has(k_json) ? as_json(*probed) : as_text(*probed), stop.descriptor());
  if (probed->scheme) return k_exit_accepted;
  return probed->answered ? k_exit_refused : k_exit_unreadable;
}

}  // namespace

constexpr Command k_doctor_command{
    "doctor",
    "try whether an image can hold a command to its deadline",
    "doctor -- env",
    k_options,
    help,
    run,
    true,
};

}  // namespace sandproof::cli
