#include "probe.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "bounded_program.h"
#include "call.h"
#include "child.h"
#include "sandproof/command.h"
#include "sandproof/deadline.h"
#include "sandproof/deadline_report.h"
#include "sandproof/refusal.h"
#include "sandproof/shell.h"
#include "streams.h"

namespace sandproof::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr int k_not_executable = 126;
constexpr std::size_t k_max_answer_size = std::size_t{64} << 10;

// The commands end by themselves, whatever becomes of the deadline: nothing is left to run on.
constexpr std::array<std::string_view, 3> k_ends{"sh", "-c", "exit 7"};
// Those that the deadline is to end say first, by the mark that is put behind these words, that
// they have begun: how long PREFIX takes to get there shall not be taken for how long they were
// held.
constexpr std::array<std::string_view, 3> k_sleeps{"sh", "-c", "echo \"$0\"; exec sleep 5"};
constexpr std::array<std::string_view, 3> k_ignores{
    "sh", "-c", "trap '' TERM; kill -TERM $$; echo \"$0\"; sleep 5"};
constexpr std::array<std::string_view, 3> k_leaves{"sh", "-c", "echo \"$0\"; sleep 7 & wait"};
// How late the end of a command may be seen, and after it that of all that it started. The commands
// above last longer.
constexpr milliseconds k_late = 2s;
constexpr milliseconds k_all_late = 3s;

constexpr std::array<TrialKind, 5> k_trials{{
    {"ends", "a command that ends", k_ends, 5s, 7},
    {"runs_on", "one that runs past its deadline", k_sleeps, 1s, std::nullopt},
    {"ignores_term", "one that ignores SIGTERM", k_ignores, 1s, std::nullopt},
    {"descendant", "one that has started another", k_leaves, 1s, std::nullopt},
    {"fraction", "a deadline with a fraction of a second", k_sleeps, 500ms, std::nullopt, false},
}};

constexpr std::string_view k_unknown = "unknown";
constexpr std::array<std::string_view, 8> k_shells{
    "dash", "bash", "busybox ash", "mksh", "ksh93", "yash", "zsh", "posh",
};

// Said with the mark in front, so that an image's own words are not taken for an answer. Builtins
// only. A shell that has two names, one of them from its environment, has none.
constexpr std::string_view k_description = R"(
mark=$1; shift
name=${BASH_VERSION:+bash}${ZSH_VERSION:+zsh}${YASH_VERSION:+yash}${POSH_VERSION:+posh}
name=$name${KSH_VERSION:+ksh}
case $name in
  bash|zsh|yash|posh) ;;
  ksh)
    case $KSH_VERSION in
      *"MIRBSD KSH"*|*"LEGACY KSH"*) name=mksh;;
      "Version AJM 93"*) name=ksh93;;
    esac;;
  "")
    case $(command -v chdir):$(command -v local):$(command -v builtin):$(command -v "[[") in
      chdir:local::) name=dash;;
      "chdir:local::[[") name="busybox ash";;
    esac;;
esac
echo "$mark shell $name"
for tool; do
  command -v "$tool" >/dev/null 2>&1 || echo "$mark missing $tool"
done
)";

// known gives the name itself, or nothing where it is none of these.
std::optional<std::string_view> known(std::span<const std::string_view> names,
                                      std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return *found;
}

class Prober {
 public:
  Prober(const Strings& prefix, milliseconds limit, int stop)
      : prefix_(prefix), limits_{k_max_answer_size, limit, k_late}, stop_(stop) {}

  std::expected<Probed, Complaint> probe() {
    if (auto failed = describe()) return std::unexpected(*std::move(failed));
    for (const SchemeName scheme : {SchemeName::sealed, SchemeName::nonce}) {
      if (!probed_.message.empty()) break;
      if (auto failed = try_scheme(scheme)) return std::unexpected(*std::move(failed));
    }
    return std::move(probed_);
  }

 private:
  // try_scheme runs the trials of a scheme until one does not hold.
  std::optional<Complaint> try_scheme(SchemeName scheme) {
    for (const TrialKind& kind : k_trials) {
      auto trial = run_trial(scheme, kind);
      if (!trial) return std::move(trial).error();
      probed_.trials.push_back(*std::move(trial));
      if (!probed_.trials.back().held) break;
    }
    const Trial& last = probed_.trials.back();
    if (probed_.scheme || !(last.held || last.excused)) return std::nullopt;
    probed_.scheme = scheme;
    probed_.fractions = last.held;
    return std::nullopt;
  }

  // call sends one text.
  std::expected<ChildRun, Complaint> call(std::string_view text) {
    Strings words = prefix_;
    words.insert(words.end(), {"/bin/sh", "-c", std::string(text)});
    auto run = run_child(words, limits_, stop_);
    if (!run) {
      return complain("cannot run " + escaped(words.front()) + ": " + reason_text(run.error()),
                      false);
    }
    if (run->end == ChildRun::End::stopped) return complain("stopped by a signal", false);
    if (run->end == ChildRun::End::timed_out) {
      probed_.message = "no answer: the call " + explain(*run, limits_);
    }
    return *std::move(run);
  }

  void add_missing(std::string_view name) {
    if (name.empty() || std::ranges::find(probed_.missing, name) != probed_.missing.end()) return;
    probed_.missing.emplace_back(name);
  }

  std::optional<Complaint> describe() {
    probed_.shell = k_unknown;
    const CallId mark = draw_call_id();
    std::vector<std::string_view> words{"sh", "-c", k_description, "sh", mark.view()};
    words.insert(words.end(), bounded::k_tools.begin(), bounded::k_tools.end());
    const auto run = call(quote(words).value());
    if (!run) return run.error();
    std::string_view left = run->output;
    while (!left.empty()) {
      const std::string_view line = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(left.size(), line.size() + 1));
      if (!line.starts_with(mark.view())) continue;
      probed_.answered = true;
      const std::string_view said = line.substr(k_call_id_size);
      constexpr std::string_view k_shell_is = " shell ";
      constexpr std::string_view k_is_missing = " missing ";
      if (said.starts_with(k_shell_is)) {
        probed_.described = true;
        probed_.shell = known(k_shells, said.substr(k_shell_is.size())).value_or(k_unknown);
      } else if (said.starts_with(k_is_missing)) {
        add_missing(known(bounded::k_tools, said.substr(k_is_missing.size())).value_or(""));
      }
    }
    return std::nullopt;
  }

  std::expected<Trial, Complaint> run_trial(SchemeName name, const TrialKind& kind) {
    const auto scheme =
        name == SchemeName::sealed ? ReportScheme::sealed(draw_call_id()) : ReportScheme::nonce();
    const CallId mark = draw_call_id();
    std::vector<std::string_view> words(kind.words.begin(), kind.words.end());
    words.push_back(mark.view());
    const auto command = sandproof::Command::parse({words, {}, {}}).value();
    const Deadline deadline = Deadline::from(kind.deadline).value();
    const auto run = call(bounded_shell(command, deadline, scheme).view());
    if (!run) return std::unexpected(run.error());
    Trial trial{name, &kind, false, false, run->elapsed, {}};
    if (run->end != ChildRun::End::ended) {
      trial.message = "the call " + explain(*run, limits_);
      return trial;
    }
    const DeadlineReport report = read_report(scheme, run->exit_code, run->errors);
    add_missing(report.tool);
    if (report.outcome == Outcome::ran || !report.tool.empty()) probed_.answered = true;
    const bool is_early = report.killed && was_early(deadline, mark, *run, report);
    trial.message = is_early
                        ? "it was ended before its deadline, or PREFIX holds back what is written"
                        : complaint(kind, deadline, scheme, mark, *run, report);
    trial.held = trial.message.empty();
    trial.excused = !kind.needed && (is_early || lacks_sleep(scheme, *run, report));
    return trial;
  }

  // lacks_sleep says whether the wrapper claims that it did not start for want of a sleep.
  static bool lacks_sleep(const ReportScheme& scheme, const ChildRun& run,
                          const DeadlineReport& report) {
    if (scheme.is_sealed()) return report.outcome == Outcome::not_run && report.tool == "sleep";
    return report.outcome != Outcome::ran && run.exit_code == k_not_executable &&
           run.errors.ends_with("a command cannot be bounded here: sleep\n");
  }

  // began gives when a command was seen to begin, by its mark.
  static std::optional<milliseconds> began(const CallId& mark, const ChildRun& run) {
    const std::size_t at = run.output.find(mark.view());
    if (at == run.output.npos) return std::nullopt;
    return run.output_arrivals.of(at + mark.view().size());
  }

  // ended gives when the report of its end came, which may be long before PREFIX has ended.
  static milliseconds ended(const ChildRun& run, const DeadlineReport& report) {
    return run.error_arrivals.of(run.errors.size() - report.after.size()).value_or(run.elapsed);
  }

  // was_early says whether a command was ended before its deadline. It is seen for less than that
  // by what it takes to start, so half is enough; a sleep that drops a fraction is far below.
  static bool was_early(Deadline deadline, const CallId& mark, const ChildRun& run,
                        const DeadlineReport& report) {
    if (!is_credible_kill(deadline, run.elapsed)) return true;
    const auto first = began(mark, run);
    // One that is ended at once may not come to say that it began.
    if (!first) return run.elapsed <= deadline.milliseconds() + k_late;
    return ended(run, report) - *first < deadline.milliseconds() / 2;
  }

  // complaint says in which way a report is not what the command should have led to.
  std::string complaint(const TrialKind& kind, Deadline deadline, const ReportScheme& scheme,
                        const CallId& mark, const ChildRun& run,
                        const DeadlineReport& report) const {
    const std::string how = "the call " + explain(run, limits_);
    if (report.outcome != Outcome::ran) return sandproof::explain(report) + "; " + how;
    if (report.attested != scheme.is_sealed()) return "the wrapper did not reach its end: " + how;
    if (kind.exit_code) {
      if (report.killed) return "the deadline ended it";
      if (run.exit_code == kind.exit_code) return {};
      return "its status is " + std::to_string(*kind.exit_code) + ", but " + how;
    }
    if (!report.killed) return "the deadline did not end it: " + how;
    const auto first = began(mark, run);
    if (!first) return "it was not seen to begin: PREFIX has to pass on what is written";
    const milliseconds last = ended(run, report);
    if (last - *first > deadline.milliseconds() + k_late) {
      return "it was ended only " + std::to_string((last - *first).count()) + " ms after it began";
    }
    if (run.is_held || run.elapsed > last + k_all_late) {
      return "something that it started went on after its end: " + how;
    }
    return {};
  }

  const Strings& prefix_;
  ChildLimits limits_;
  int stop_;
  Probed probed_;
};

}  // namespace

std::expected<Probed, Complaint> probe(const Strings& prefix, milliseconds limit, int stop) {
  return Prober(prefix, limit, stop).probe();
}

}  // namespace sandproof::cli
