// `egress compare`: does a sandbox run the policy that was declared?
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "arguments.h"
#include "batch.h"
#include "commands.h"
#include "comparison_input.h"
#include "comparison_text.h"
#include "declaration.h"
#include "egress_input.h"
#include "json.h"
#include "junit.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"
#include "sarif.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_format = "--format";

enum class Format : std::uint8_t { text, json, sarif, junit };

constexpr std::array<std::pair<std::string_view, Format>, 4> k_formats{{
    {"text", Format::text},
    {"json", Format::json},
    {"sarif", Format::sarif},
    {"junit", Format::junit},
}};

constexpr auto k_format_names = [] {
  std::array<std::string_view, k_formats.size()> names;
  std::ranges::transform(k_formats, names.begin(), [](const auto& row) { return row.first; });
  return names;
}();

constexpr std::array k_options{
    Option{k_declared, true},
    Option{k_effective, true},
    Option{k_tolerate, true, true},
    Option{k_batch},
    Option{k_json},
    Option{k_format, true, false, k_format_names},
    Option{k_color, true, false, k_color_words},
};

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
  --format FORMAT  text, json (the same as --json), sarif (SARIF 2.1.0, for code
                   scanning) or junit (JUnit's XML, for CI)
  --color WHEN     auto (on a terminal, the default), always or never
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
  %t egress compare --declared deny --effective - --format junit
)";
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

std::expected<Format, Complaint> read_format(const Arguments& arguments) {
  const auto word = arguments.value(k_format);
  const bool json = arguments.has(k_json) || arguments.has(k_batch);
  if (!word) return json ? Format::json : Format::text;
  for (const auto& [name, format] : k_formats) {
    if (name != *word) continue;
    if (!json || format == Format::json) return format;
    return complain(arguments.has(k_json) ? "--json is --format json: give one of the two"
                                          : "--batch answers in JSON: leave --format out");
  }
  return complain("--format " + escaped(*word) + " is not known: give text, json, sarif or junit");
}

std::string written(const Outcome& outcome, const Source* source, Format format,
                    const Style& style) {
  switch (format) {
    case Format::text:
      return as_text(outcome, source, style);
    case Format::json:
      return as_json(outcome);
    case Format::sarif:
      return as_sarif(outcome, source);
    case Format::junit:
      break;
  }
  return as_junit(outcome, source);
}

Result run(const Arguments& arguments, Output& output) {
  if (!arguments.words().empty()) {
    return complain("unexpected " + escaped(arguments.words().front()) +
                    ": give --declared D --effective FILE");
  }
  const auto tolerances = read_tolerances(arguments);
  if (!tolerances) return std::unexpected(tolerances.error());
  const auto format = read_format(arguments);
  if (!format) return std::unexpected(format.error());
  const auto style = read_style(arguments, output);
  if (!style) return std::unexpected(style.error());
  const auto declared = arguments.value(k_declared);
  const auto effective = arguments.value(k_effective);
  if (arguments.has(k_batch)) {
    if (declared || effective) {
      return complain("--batch takes no --declared or --effective: send both on standard input");
    }
    return compare_batch(*tolerances, output);
  }
  if (!declared) return complain("what was declared? Give --declared D");
  if (!effective) return complain("what does the sandbox run? Give --effective FILE");

  const auto read = read_declared(*declared);
  if (!read) return std::unexpected(read.error());
  const auto source = read_source(*effective);
  if (!source) return std::unexpected(source.error());
  const Outcome outcome = judge(read->declaration, decode_effective(source->text), *tolerances);
  // What is wrong with a declaration stands in its own file, if it has one.
  const bool about_declared = std::holds_alternative<Problem>(read->declaration) ||
                              std::holds_alternative<Refused>(outcome);
  const Source* about = &*source;
  if (about_declared) about = read->source ? &*read->source : nullptr;
  output.write(written(outcome, about, *format, *style));
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
