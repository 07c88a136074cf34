// `egress compare`: does a sandbox run the policy that was declared?
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arguments.h"
#include "batch.h"
#include "comparison_text.h"
#include "declaration.h"
#include "json.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_declared = "--declared";
constexpr std::string_view k_effective = "--effective";
constexpr std::string_view k_tolerate = "--tolerate";
constexpr std::string_view k_batch = "--batch";
constexpr std::string_view k_json = "--json";

constexpr std::array k_options{
    Option{k_declared, true},
    Option{k_effective, true},
    Option{k_tolerate, true, true},
    Option{k_batch},
    Option{k_json},
};

using Tolerances = std::vector<Tolerance>;
using Effective = Decoded<EffectiveDocument>;

std::string help() {
  return R"(Usage: %t egress compare --declared D --effective FILE [OPTION...]
       %t egress compare --batch [OPTION...]

Compares the egress policy that a sandbox runs with the one that was declared,
and prints every difference with its place and what it does to the traffic.

Options:
  --declared D     what was declared: allow, deny, allow:HOST,HOST, or a file
                   with {"mode":"allow"}, {"mode":"deny"} or
                   {"mode":"allowDomains","domains":["HOST"]}
  --effective FILE
                   what the service reports: a policy, a sandbox's record, or
                   null for no policy, as JSON; - is standard input
  --tolerate POINTER=JSON
                   accept the unknown field at this JSON pointer while it has
                   exactly this value; may be repeated
  --json           print one JSON object
  --batch          read one JSON object a line on standard input, and print one
                   for each as it comes: {"declared":{...},"effective":...};
                   "effective_text" holds the document in a string instead,
                   "record_text" one that must be a record
  --help, -h       print this

Verdicts: identical, the only one that holds; contained, no more gets out than
was declared; widened, more gets out; unknown, nobody can tell.

Exit status: 0 it holds, 1 it does not hold or may not be declared, 2 wrong
usage or input that cannot be read.

Examples:
  %t egress compare --declared deny --effective policy.json
  %t egress compare --declared allow:api.example.com --effective -
)";
}

Problem unreadable_effective(Unreadable unreadable) {
  std::string message = "effective: " + explain(unreadable);
  return {std::move(unreadable), std::move(message)};
}

// judge gives the whole answer. Text that cannot be read comes before a declaration that is
// refused, and both before any comparison, the one with `allow` included.
Outcome judge(const Declaration& declaration, const Effective& effective,
              const Tolerances& tolerances) {
  if (const auto* problem = std::get_if<Problem>(&declaration)) return *problem;
  if (!effective) return unreadable_effective(effective.error());
  if (const auto* record = std::get_if<SandboxRecord>(&*effective)) {
    if (const auto* policy = std::get_if<Unreadable>(&record->policy)) {
      return unreadable_effective(*policy);
    }
  }
  if (const auto* refused = std::get_if<Refused>(&declaration)) return *refused;
  const auto& declared = std::get<DeclaredEgress>(declaration);
  return Compared{declared.mode(), compare(declared, normal_form(*effective), tolerances)};
}

// read_record reads a document that has to be a record.
Effective read_record(std::string_view text) {
  Effective effective = decode_effective(text);
  if (effective && std::holds_alternative<SandboxRecord>(*effective)) return effective;
  // The record's own decoder says best what is wrong with it.
  const auto record = decode_record(text);
  if (!record) return std::unexpected(record.error());
  return std::unexpected(Unreadable{Reason::unknown_shape, {}});
}

std::expected<Outcome, Malformed> judge_line(std::string_view line, const Tolerances& tolerances) {
  static constexpr std::array<std::string_view, 4> k_known{"declared", "effective",
                                                           "effective_text", "record_text"};
  const auto members = Members::read(line, k_known);
  if (!members) return std::unexpected(members.error());
  const Member* declared = members->find("declared");
  if (declared == nullptr) return std::unexpected(required("declared"));
  const Member* document = nullptr;
  for (const std::string_view name : std::span(k_known).subspan(1)) {
    const Member* member = members->find(name);
    if (member == nullptr) continue;
    if (document != nullptr) return std::unexpected(only_one(document->name, name));
    document = member;
  }
  if (document == nullptr) return std::unexpected(required("effective"));
  const Declaration declaration = read_declaration(declared->json());
  if (document->name == "effective") {
    return judge(declaration, decode_effective(document->json()), tolerances);
  }
  const auto read = members->string(document->name);
  if (!read) return std::unexpected(read.error());
  const std::string text = read->value_or("");
  return judge(declaration,
               document->name == "record_text" ? read_record(text) : decode_effective(text),
               tolerances);
}

Result compare_batch(const Tolerances& tolerances, Output& output) {
  return run_batch(output, [&](std::string_view line) -> Answer {
    const auto outcome = judge_line(line, tolerances);
    if (!outcome) return unreadable(outcome.error());
    return {status_of(*outcome), as_json(*outcome)};
  });
}

std::unexpected<Complaint> complain(std::string message, bool usage = true) {
  return std::unexpected(Complaint{std::move(message), usage});
}

// read_tolerance splits at the `=` behind which a JSON value stands: a pointer may hold one, too.
// There is at most one such place, because JSON has `=` in strings only.
std::expected<Tolerance, Complaint> read_tolerance(std::string_view text) {
  if (!text.starts_with('/')) {
    return complain("--tolerate " + escaped(text) + ": give POINTER=JSON, as in /bypass=[]");
  }
  for (std::size_t at = text.rfind('='); at != text.npos; at = text.rfind('=', at - 1)) {
    auto value = canonical_json(text.substr(at + 1));
    if (value) return Tolerance{std::string(text.substr(0, at)), *std::move(value)};
  }
  return complain("--tolerate " + escaped(text) + ": no JSON after '=': write POINTER=JSON");
}

std::expected<std::string, Complaint> read_file(std::string_view path) {
  auto text = read_document(path, k_max_document_size);
  if (text) return *std::move(text);
  return complain("cannot read " + escaped(path) + ": " + reason_text(text.error()), false);
}

std::expected<Declaration, Complaint> read_declared(std::string_view given) {
  constexpr std::string_view k_allow_list = "allow:";
  if (given == "allow") return DeclaredEgress::allow();
  if (given == "deny") return DeclaredEgress::deny();
  if (given.starts_with(k_allow_list)) return read_domain_list(given.substr(k_allow_list.size()));
  if (given == "-") return complain("--declared reads no standard input: give a file");
  auto text = read_file(given);
  if (!text) {
    return complain(
        "--declared: " + text.error().message + "; it is none of allow, deny, allow:HOST,HOST",
        false);
  }
  return read_declaration(*text);
}

Result run(const Arguments& arguments, Output& output) {
  if (!arguments.words().empty()) {
    return complain("unexpected " + escaped(arguments.words().front()) +
                    ": give --declared D --effective FILE");
  }
  Tolerances tolerances;
  for (const std::string_view text : arguments.values(k_tolerate)) {
    auto tolerance = read_tolerance(text);
    if (!tolerance) return std::unexpected(std::move(tolerance).error());
    tolerances.push_back(*std::move(tolerance));
  }
  const auto declared = arguments.value(k_declared);
  const auto effective = arguments.value(k_effective);
  if (arguments.has(k_batch)) {
    if (declared || effective) {
      return complain("--batch takes no --declared or --effective: send both on standard input");
    }
    return compare_batch(tolerances, output);
  }
  if (!declared) return complain("what was declared? Give --declared D");
  if (!effective) return complain("what does the sandbox run? Give --effective FILE");

  const auto declaration = read_declared(*declared);
  if (!declaration) return std::unexpected(declaration.error());
  const auto text = read_file(*effective);
  if (!text) return std::unexpected(text.error());
  const Outcome outcome = judge(*declaration, decode_effective(*text), tolerances);
  output.write(arguments.has(k_json) ? as_json(outcome) : as_text(outcome, Style(output.colour())));
  return status_of(outcome);
}

}  // namespace

constexpr Command k_egress_compare_command{
    "egress compare",
    "say whether a sandbox runs the egress policy declared",
    "egress compare --declared deny --effective policy.json",
    k_options,
    help,
    run,
};

}  // namespace sandproof::cli
