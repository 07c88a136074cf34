// `check`: is this value one that may cross the boundary?
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "batch.h"
#include "command_input.h"
#include "commands.h"
#include "hex.h"
#include "json.h"
#include "sandproof/deadline.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/environment.h"
#include "sandproof/name_patterns.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "streams.h"
#include "style.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_hex = "--hex";
constexpr std::string_view k_families = "--families";
constexpr std::string_view k_refuse = "--refuse";

constexpr std::array<std::string_view, 2> k_family_sets{"strict", "baseline"};

constexpr std::array k_options{
    Option{k_batch},
    Option{k_json},
    Option{k_hex},
    Option{k_families, true, false, k_family_sets},
    Option{k_refuse, true, true},
};

// Question is one value as it came in: bytes that nobody has judged.
struct Question {
  std::string input;
  std::optional<std::string> value;
};

// Rules is what the options ask for beyond the built-in rules.
struct Rules {
  FamilySet families = FamilySet::strict;
  std::optional<NamePatterns> patterns;

  [[nodiscard]] const NameRule* refused() const noexcept { return patterns ? &*patterns : nullptr; }
};

// Decision is the value to send, or why not.
using Decision = Checked<std::string>;

template <class T>
Decision text_of(const Checked<T>& checked) {
  if (!checked) return std::unexpected(checked.error());
  return std::string(checked->view());
}

Decision session_id(const Question& question, const Rules& /*rules*/) {
  return text_of(SessionId::parse(question.input));
}

Decision path(const Question& question, const Rules& /*rules*/) {
  return text_of(SandboxPath::parse(question.input));
}

Decision env_name(const Question& question, const Rules& /*rules*/) {
  return text_of(EnvName::parse(question.input));
}

Decision session_env(const Question& question, const Rules& rules) {
  const SessionRules session{rules.families, rules.refused()};
  if (!question.value) return text_of(SessionName::parse(question.input, session));
  const auto variable = SessionVariable::parse(question.input, *question.value, session);
  if (!variable) return std::unexpected(variable.error());
  return std::string(variable->name().view());
}

Decision domain(const Question& question, const Rules& rules) {
  return text_of(DomainPattern::parse(question.input, rules.refused()));
}

Decision deadline(const Question& question, const Rules& /*rules*/) {
  const auto parsed = Deadline::parse(question.input);
  if (!parsed) return std::unexpected(parsed.error());
  return std::string(parsed->seconds_text().view());
}

// Kind is one row of the table of what can be checked. One without `decide` is no single value, and
// comes in batches only.
struct Kind {
  std::string_view name;
  std::string_view what;
  Decision (*decide)(const Question& question, const Rules& rules);
  bool is_variable = false;     // a name, perhaps a value, and --families
  bool takes_patterns = false;  // --refuse
};

constexpr std::array k_kinds{
    Kind{"session-id", "an id that goes into a URL", session_id},
    Kind{"path", "a path for a file call", path},
    Kind{"env-name", "the name of an environment variable", env_name},
    Kind{"session-env", "a variable for a whole session: NAME or NAME=VALUE", session_env, true,
         true},
    Kind{"domain", "a host name, or *. and one, for an egress policy", domain, false, true},
    Kind{"deadline", "how long a command may run: 1ms to 24h, as in 1.5s", deadline},
    Kind{"command", "a program with its arguments and variables: --batch only", nullptr},
};

constexpr auto k_kind_names = [] {
  std::array<std::string_view, k_kinds.size()> names;
  std::ranges::transform(k_kinds, names.begin(), &Kind::name);
  return names;
}();

std::string kind_names() {
  std::string names;
  for (const Kind& kind : k_kinds) {
    names += names.empty() ? "" : ", ";
    names += kind.name;
  }
  return names;
}

std::string help() {
  constexpr std::size_t k_name_width = 14;
  std::string text = R"(Usage: %t check KIND [OPTION...] [--] VALUE...
       %t check KIND --batch [OPTION...]

Says for each VALUE whether it may cross the boundary of a sandbox, and in
which form; or why not, and where.

Kinds:
)";
  for (const Kind& kind : k_kinds) {
    text += "  ";
    text += kind.name;
    text.append(k_name_width - kind.name.size(), ' ');
    text += kind.what;
    text += '\n';
  }
  text += R"(
Options:
  --json           print one JSON object for each VALUE
  --hex            VALUEs are bytes, written as hex digits
  --batch          read one JSON object a line on standard input, and print one
                   for each as it comes: {"input":"..."} or {"hex":"..."};
                   session-env also takes "value" or "value_hex"; a command is
                   {"argv":["..."],"env":{"NAME":"..."},"cwd":"..."}, or
                   "argv_hex"; "env" and "cwd" may be missing
  --families SET   session-env: the families of names to refuse, strict (the
                   default) or baseline
  --refuse REGEX   session-env, domain: refuse what REGEX (RE2 syntax) matches
                   as a whole, too; may be repeated
  --help, -h       print this

Exit status: 0 every VALUE is accepted, 1 some VALUE is refused, 2 wrong usage
or input that cannot be read.

Examples:
  %t check path /work/app.py
  %t check session-env --refuse 'CORP_.*' TZ=UTC CORP_TOKEN
  echo '{"input":"*.example.com"}' | %t check domain --batch
  echo '{"argv":["ls"],"env":{"TZ":"UTC"}}' | %t check command --batch
)";
  return text;
}

// field says which part of a name and value was refused.
std::string_view field(const Refusal& refusal) noexcept {
  return refusal.subject == Subject::env_value ? "value" : "name";
}

std::string message(const Question& question, const Refusal& refusal) {
  const bool about_value = refusal.subject == Subject::env_value && question.value;
  return explain(refusal, about_value ? *question.value : question.input);
}

std::string as_json(const Kind& kind, const Question& question, const Decision& decision) {
  if (decision) return json_line({{"verdict", "accepted"}, {"value", *decision}});
  const Refusal& refusal = decision.error();
  Json json{{"verdict", "refused"}, {"reason", code(refusal.reason)}};
  if (kind.is_variable) json["field"] = field(refusal);
  if (refusal.offset != k_no_place) json["offset"] = refusal.offset;
  json["message"] = message(question, refusal);
  return json_line(json);
}

std::string as_text(const Question& question, const Decision& decision, const Style& style) {
  if (decision) {
    return style.good("accepted") + ' ' + escaped(*decision, decision->size()) + '\n';
  }
  return style.bad("refused") + ' ' + std::string(code(decision.error().reason)) + ": " +
         message(question, decision.error()) + '\n';
}

int status_of(const Decision& decision) noexcept {
  return decision ? k_exit_accepted : k_exit_refused;
}

std::expected<Rules, Complaint> read_rules(const Kind& kind, const Arguments& arguments) {
  Rules rules;
  if (const auto set = arguments.value(k_families)) {
    if (!kind.is_variable) return complain("--families goes with session-env only: leave it out");
    if (std::ranges::find(k_family_sets, *set) == k_family_sets.end()) {
      return complain("unknown --families " + escaped(*set) + ": use strict or baseline");
    }
    rules.families = *set == "strict" ? FamilySet::strict : FamilySet::baseline;
  }
  const std::vector<std::string_view> patterns = arguments.values(k_refuse);
  if (patterns.empty()) return rules;
  if (!kind.takes_patterns) {
    return complain("--refuse goes with session-env and domain only: leave it out");
  }
  auto compiled = NamePatterns::compile(patterns);
  if (!compiled) return complain("--refuse: " + explain(compiled.error()));
  rules.patterns = std::move(*compiled);
  return rules;
}

std::expected<Question, Complaint> read_word(const Kind& kind, std::string_view word, bool hex) {
  Question question{std::string(word), std::nullopt};
  if (hex) {
    auto bytes = from_hex(word);
    if (!bytes) {
      return complain("value " + escaped(word) +
                      " is not hex: give two of 0-9 a-f A-F for each byte");
    }
    question.input = *std::move(bytes);
  }
  if (!kind.is_variable) return question;
  const std::size_t equals = question.input.find('=');
  if (equals == std::string::npos) return question;
  question.value = question.input.substr(equals + 1);
  question.input.resize(equals);
  return question;
}

std::expected<Question, Malformed> read_line(const Kind& kind, std::string_view line) {
  static constexpr std::array<std::string_view, 4> k_known{"input", "hex", "value", "value_hex"};
  const std::size_t count = kind.is_variable ? k_known.size() : k_known.size() - 2;
  const auto members = Members::read(line, std::span(k_known).first(count));
  if (!members) return std::unexpected(members.error());
  auto read = members->bytes("input", "hex");
  if (!read) return std::unexpected(std::move(read).error());
  std::optional<std::string> input = *std::move(read);
  if (!input) return std::unexpected(required("input"));
  auto value = members->bytes("value", "value_hex");
  if (!value) return std::unexpected(std::move(value).error());
  return Question{*std::move(input), *std::move(value)};
}

Result check_batch(const Kind& kind, const Rules& rules, Output& output) {
  return run_batch(output, [&](std::string_view line) -> Answer {
    const auto question = read_line(kind, line);
    if (!question) return unreadable(question.error());
    const Decision decision = kind.decide(*question, rules);
    return {status_of(decision), as_json(kind, *question, decision)};
  });
}

Result run(const Arguments& arguments, Output& output) {
  if (arguments.words().empty()) return complain("which kind? Give one of " + kind_names());
  const std::string_view name = arguments.words().front();
  const std::span<const std::string_view> values = arguments.words().subspan(1);
  const auto kind = std::ranges::find(k_kinds, name, &Kind::name);
  if (kind == k_kinds.end()) {
    return complain("unknown kind " + escaped(name) + ": give one of " + kind_names());
  }
  const auto rules = read_rules(*kind, arguments);
  if (!rules) return std::unexpected(rules.error());
  if (arguments.has(k_batch)) {
    if (!values.empty()) return complain("--batch takes no VALUE: send them on standard input");
    if (arguments.has(k_hex)) return complain("--batch takes no --hex: a line says so itself");
    return kind->decide == nullptr ? check_commands(output) : check_batch(*kind, *rules, output);
  }
  if (kind->decide == nullptr) {
    return complain("a " + std::string(name) + " comes on standard input: give --batch");
  }
  if (values.empty()) return complain("nothing to check: give a VALUE, or --batch");

  std::vector<Question> questions;
  for (const std::string_view value : values) {
    auto question = read_word(*kind, value, arguments.has(k_hex));
    if (!question) return std::unexpected(std::move(question).error());
    questions.push_back(*std::move(question));
  }
  const Style style(output.colour());
  int status = k_exit_accepted;
  for (const Question& question : questions) {
    const Decision decision = kind->decide(question, *rules);
    output.write(arguments.has(k_json) ? as_json(*kind, question, decision)
                                       : as_text(question, decision, style));
    status = std::max(status, status_of(decision));
  }
  return status;
}

}  // namespace

constexpr Command k_check_command{
    .name = "check",
    .summary = "say whether a value may cross the boundary",
    .example = "check path /work/app.py",
    .options = k_options,
    .help = help,
    .run = run,
    .words = k_kind_names,
};

}  // namespace sandproof::cli
