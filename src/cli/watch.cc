// `egress watch`: does a sandbox still run the policy that was declared?
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "../provider/descriptor.h"
#include "arguments.h"
#include "child.h"
#include "commands.h"
#include "comparison_input.h"
#include "comparison_text.h"
#include "json.h"
#include "sandproof/deadline.h"
#include "sandproof/wire.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::string_view k_fetch = "--fetch";
constexpr std::string_view k_every = "--every";
constexpr std::string_view k_timeout = "--timeout";
constexpr std::string_view k_count = "--count";

constexpr std::array k_options{
    Option{k_declared, true},       Option{k_fetch, true},   Option{k_every, true},
    Option{k_tolerate, true, true}, Option{k_timeout, true}, Option{k_count, true},
};

constexpr TimeRange k_any_period{100ms, 24h, "100ms to 24h"};
constexpr TimeRange k_any_timeout{k_min_deadline, k_max_deadline, "1ms to 24h"};
constexpr milliseconds k_default_timeout = 30s;
constexpr int k_no_stop = -1;
constexpr std::uint32_t k_max_count = 1'000'000'000;

std::string help() {
  return R"(Usage: %t egress watch --declared D --every T --fetch CMD [OPTION...]
       %t egress watch --declared D --every T [--] PROG ARG...

Runs a command again and again that prints what the service reports, compares
that with what was declared as '%t egress compare' does, and prints one
JSON object on a line for the first verdict, and for each one that differs from
the one before in anything but its message.

Options end at PROG.
  --declared D     what was declared, as for egress compare; read once
  --every T        from the begin of one fetch to that of the next, as in 30s,
                   5m or 1h: 100ms to 24h; a fetch that takes longer than that
                   delays the next one
  --fetch CMD      a command for /bin/sh -c; or give PROG and its ARGs
  --tolerate POINTER=JSON
                   as for egress compare; may be repeated
  --timeout T      how long a fetch may take: 30s without this
  --count N        end after N fetches, 1 to 1000000000; without this only when
                   stopped
  --help, -h       print this

Each line has the "time" (UTC) at which the fetch ended, and then what egress
compare --json prints. A fetch that cannot be run, ends with another status
than 0, takes too long or prints more than a document may have is a verdict
too: "unreadable", with "reason" fetch_failed, fetch_timed_out or too_large.

A fetch has no standard input. When it ends, so does what it left in its process
group. SIGINT, SIGTERM and SIGHUP end the watch, even where nobody reads what it
prints; so does a reader that is gone. SIGKILL and SIGQUIT end the tool alone:
a fetch goes on then.

Exit status: 0 the last verdict holds, 1 it does not or what is declared may not
be declared, 2 wrong usage, or the last document, or the declaration, cannot be
read, or there was no verdict.

Examples:
  %t egress watch --declared deny --every 1s --count 2 -- cat policy.json
  %t egress watch --declared deny --every 5m --count 1 \
      --fetch 'cat policy.json'
)";
}

// Plan is what to do, over and over.
struct Plan {
  Declaration declaration;
  Tolerances tolerances;
  Strings fetch;
  milliseconds every;
  ChildLimits limits{k_max_document_size, k_default_timeout};
  std::optional<std::uint32_t> count = std::nullopt;
};

std::expected<std::uint32_t, Complaint> read_count(std::string_view text) {
  const auto count = whole_number<std::uint32_t>(text);
  if (count && *count >= 1 && *count <= k_max_count) return *count;
  return complain("--count " + escaped(text) + ": give a decimal number from 1 to " +
                  std::to_string(k_max_count));
}

std::expected<Strings, Complaint> read_fetch(const Arguments& arguments) {
  const auto text = arguments.value(k_fetch);
  const auto words = arguments.words();
  if (text && !words.empty()) {
    return complain("--fetch and " + escaped(words.front()) + ": give one command to fetch with");
  }
  if (text) return Strings{"/bin/sh", "-c", "--", std::string(*text)};
  if (words.empty()) return complain("what prints the record? Give --fetch CMD, or PROG");
  return Strings(words.begin(), words.end());
}

std::expected<Plan, Complaint> read_plan(const Arguments& arguments) {
  const auto declared = arguments.value(k_declared);
  if (!declared) return complain("what was declared? Give --declared D");
  const auto every = arguments.value(k_every);
  if (!every) return complain("how often? Give --every T");
  auto fetch = read_fetch(arguments);
  if (!fetch) return std::unexpected(std::move(fetch).error());
  auto tolerances = read_tolerances(arguments);
  if (!tolerances) return std::unexpected(std::move(tolerances).error());
  const auto period = read_time(k_every, *every, k_any_period);
  if (!period) return std::unexpected(period.error());
  auto read = read_declared(*declared);
  if (!read) return std::unexpected(std::move(read).error());
  Plan plan{.declaration = std::move(read->declaration),
            .tolerances = *std::move(tolerances),
            .fetch = *std::move(fetch),
            .every = *period};
  if (const auto text = arguments.value(k_timeout)) {
    const auto timeout = read_time(k_timeout, *text, k_any_timeout);
    if (!timeout) return std::unexpected(timeout.error());
    plan.limits.time = *timeout;
  }
  if (const auto text = arguments.value(k_count)) {
    const auto count = read_count(*text);
    if (!count) return std::unexpected(count.error());
    plan.count = *count;
  }
  return plan;
}

// Seen is one verdict: the exit status it would have alone, and what is printed of it.
struct Seen {
  int status;
  Json json;
};

Seen seen(const Outcome& outcome) { return {status_of(outcome), json_of(outcome)}; }

Seen not_fetched(std::string_view reason, std::string_view what) {
  return {k_exit_unreadable, json_of(Malformed{reason, "the fetch " + std::string(what)})};
}

// fetch gives the verdict of one fetch, or nothing where the watch was told to end.
std::optional<Seen> fetch(const Plan& plan, int stop) {
  const auto run = run_child(plan.fetch, plan.limits, stop);
  if (!run)
    return not_fetched("fetch_failed", "could not run " + escaped(plan.fetch.front()) + ": " +
                                           reason_text(run.error()));
  const std::string what = explain(*run, plan.limits);
  switch (run->end) {
    case ChildRun::End::stopped:
      return std::nullopt;
    case ChildRun::End::timed_out:
      return not_fetched("fetch_timed_out", what);
    case ChildRun::End::too_large:
      return not_fetched(code(Reason::too_large), what);
    case ChildRun::End::ended:
      break;
  }
  if (run->exit_code != 0) return not_fetched("fetch_failed", what);
  return seen(judge(plan.declaration, decode_effective(run->output), plan.tolerances));
}

// same says whether two verdicts differ in their messages only: those may count bytes or time.
bool same(const Json& a, const Json& b) {
  const auto covers = [](const Json& all, const Json& some) {
    return std::ranges::all_of(some.items(), [&](const auto& member) {
      return member.key() == "message" ||
             (all.contains(member.key()) && all[member.key()] == member.value());
    });
  };
  return covers(a, b) && covers(b, a);
}

// now_text is the time as in RFC 3339, in UTC.
std::string now_text() {
  const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  std::array<char, 64> text;
  const int size = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
      static_cast<int>(time.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

void print(const Seen& verdict, int stop, Output& output) {
  Json line{{"time", now_text()}};
  line.update(verdict.json);
  output.write(json_line(line), stop);
}

// wait waits until the time has come. False where the watch is to end before: it was told to, or
// its reader is gone.
bool wait(provider::SteadyTime until, int stop, Output& output) {
  std::array<pollfd, 2> waited{{{stop, POLLIN, 0}, {output.descriptor(), 0, 0}}};
  // One that is late looks too.
  if (!provider::wait_until(waited, std::max(until, std::chrono::steady_clock::now() + 1ms))) {
    return true;
  }
  if (waited[1].revents != 0) output.fail((waited[1].revents & POLLNVAL) != 0 ? EBADF : EPIPE);
  return false;
}

Result watch(const Plan& plan, int stop, Output& output) {
  std::optional<Seen> last;
  auto next = std::chrono::steady_clock::now();
  for (std::uint32_t n = 0; n != plan.count && output.error() == 0; ++n) {
    if (!wait(next, stop, output)) break;
    next = std::max(next, std::chrono::steady_clock::now()) + plan.every;
    auto verdict = fetch(plan, stop);
    if (!verdict) break;
    if (!last || !same(last->json, verdict->json)) print(*verdict, stop, output);
    last = std::move(verdict);
  }
  if (output.error() != 0) return k_exit_unreadable;  // which is told to people elsewhere
  if (!last) return complain("stopped before the first verdict", false);
  return last->status;
}

Result run(const Arguments& arguments, Output& output) {
  const auto plan = read_plan(arguments);
  if (!plan) return std::unexpected(plan.error());
  // A declaration that is none will not become one.
  if (!std::holds_alternative<DeclaredEgress>(plan->declaration)) {
    const Seen verdict = seen(judge(plan->declaration, EffectiveDocument{}, plan->tolerances));
    print(verdict, k_no_stop, output);
    return verdict.status;
  }
  const StopRequest stop;
  if (stop.error() != 0) {
    return complain("cannot watch signals: " + reason_text(stop.error()), false);
  }
  return watch(*plan, stop.descriptor(), output);
}

}  // namespace

constexpr Command k_egress_watch_command{
    "egress watch",
    "compare again and again, and tell what changes",
    "egress watch --declared deny --every 1s --count 1 -- cat policy.json",
    k_options,
    help,
    run,
    true,
};

}  // namespace sandproof::cli
