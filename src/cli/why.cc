// `egress why`: does one host get out, and by which rule?
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "causes.h"
#include "commands.h"
#include "egress_input.h"
#include "json.h"
#include "refused.h"
#include "sandproof/egress_host.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

std::string help() {
  return R"(Usage: %t egress why HOST --effective FILE [OPTION...]

Says whether a host gets out of a sandbox, and names what lets it out or stops
it: under each way in which a service may read the "*" of "*.", and whatever
the order in which it looks at the rules. What cannot be decided may get out.

Options:
  --effective FILE
                   what the service reports: a policy, a sandbox's record, or
                   null for no policy, as JSON; - is standard input
  --json           print one JSON object
  --color WHEN     auto (on a terminal, the default), always or never
  --help, -h       print this

Verdicts: stopped, nothing lets it out; gets_out, nothing stops it;
may_get_out, it depends, or nobody can tell.

Exit status: 0 it is stopped, 1 it gets out, or may, or is no name of a host,
2 wrong usage or input that cannot be read.

Examples:
  %t egress why api.example.com --effective policy.json
  %t egress why api.example.com --json --effective -
)";
}

// In the order of k_wildcard_readings.
constexpr std::array<std::string_view, k_wildcard_readings.size()> k_labels{
    "exactly one label",
    "at most one label",
    "at least one label",
    "any number of labels",
};

Json as_json(const HostName& host, const HostAnswer& answer) {
  Json readings = Json::array();
  for (std::size_t i = 0; i < k_wildcard_readings.size(); ++i) {
    Json causes = Json::array();
    for (const Cause& cause : answer.causes) {
      if (cause.readings[i]) causes.push_back(cli::as_json(cause));
    }
    readings.push_back({{"depth", k_wildcard_readings[i].any_depth ? "any" : "one_label"},
                        {"apex", k_wildcard_readings[i].apex},
                        {"verdict", name(answer.passage(i))},
                        {"order_matters", answer.order_matters.test(i)},
                        {"causes", std::move(causes)}});
  }
  return {{"host", host.view()},
          {"verdict", name(answer.passage())},
          {"readings", std::move(readings)}};
}

std::string shown(Passage passage, const Style& style) {
  switch (passage) {
    case Passage::stopped:
      return style.good("stopped");
    case Passage::may_get_out:
      return style.doubtful("may get out");
    case Passage::gets_out:
      break;
  }
  return style.bad("gets out");
}

// same_under says whether two readings have one answer, for the same causes.
bool same_under(const HostAnswer& answer, std::size_t a, std::size_t b) {
  for (const Cause& cause : answer.causes) {
    if (cause.readings[a] != cause.readings[b]) return false;
  }
  return true;
}

// section tells what holds under some readings: the first of them stands for all.
std::string section(const HostAnswer& answer, Readings readings, const Source& source,
                    const Style& style) {
  std::size_t first = 0;
  while (!readings[first]) ++first;
  std::string text;
  if (!readings.all()) {
    std::string list;
    for (std::size_t i = 0; i < k_labels.size(); ++i) {
      if (readings[i]) list.append(list.empty() ? "" : ", or ").append(k_labels[i]);
    }
    text += "\nWhere \"*.\" stands for " + list + ": " + shown(answer.passage(first), style) + '\n';
  }
  if (answer.order_matters[first]) {
    text +=
        "A rule allows it and another denies it: it depends on the order in which the service "
        "looks.\n";
  }
  std::vector<const Cause*> causes;
  for (const Cause& cause : answer.causes) {
    if (cause.readings[first]) causes.push_back(&cause);
  }
  return text + as_text(causes, source, style);
}

std::string as_text(const HostName& host, const HostAnswer& answer, const Source& source,
                    const Style& style) {
  std::string sections;
  Readings left = Readings().set();
  bool differs = false;
  for (std::size_t i = 0; i < k_labels.size(); ++i) {
    if (!left[i]) continue;
    Readings same;
    for (std::size_t j = i; j < k_labels.size(); ++j) same[j] = same_under(answer, i, j);
    left &= ~same;
    differs = differs || answer.passage(i) != answer.passage(0);
    sections += section(answer, same, source, style);
  }
  return std::string(host.view()) + ": " + shown(answer.passage(), style) +
         (differs ? ": it depends on how the service reads \"*.\"" : "") + '\n' + sections;
}

Result run(const Arguments& arguments, Output& output) {
  const auto words = arguments.words();
  if (words.empty()) return complain("which host? Give HOST --effective FILE");
  if (words.size() > 1) return complain("unexpected " + escaped(words[1]) + ": give one host");
  const std::string_view word = words.front();
  return about_effective(arguments, output, [&](const Asked& asked) -> Result {
    const Checked<HostName> host = HostName::parse(word);
    if (!host && host.error().reason == Reason::wildcard) {
      return complain(escaped(word) + " is no name of one host: give it without a '*'");
    }
    if (!host) {
      const Refused refused{host.error(), std::string(word)};
      output.write(asked.json ? json_line(cli::as_json(refused)) : as_text(refused, asked.style));
      return k_exit_refused;
    }
    const HostAnswer answer = judge_host(normal_form(asked.document), *host);
    output.write(asked.json ? json_line(as_json(*host, answer))
                            : as_text(*host, answer, asked.source, asked.style));
    return answer.passage() == Passage::stopped ? k_exit_accepted : k_exit_refused;
  });
}

}  // namespace

constexpr Command k_egress_why_command{
    "egress why",
    "say what lets a host out of a sandbox, or stops it",
    "egress why api.example.com --effective policy.json",
    k_about_options,
    help,
    run,
};

}  // namespace sandproof::cli
