#include "egress_input.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "comparison_text.h"

namespace sandproof::cli {
namespace {

Problem unreadable(Unreadable reason) {
  std::string message = "effective: " + explain(reason);
  return {std::move(reason), std::move(message)};
}

}  // namespace

std::expected<Source, Complaint> read_source(std::string_view path) {
  auto text = read_document(path, k_max_document_size);
  if (text) return Source{std::string(path), *std::move(text)};
  return complain("cannot read " + escaped(path) + ": " + reason_text(text.error()), false);
}

std::optional<Problem> problem_of(const Effective& effective) {
  if (!effective) return unreadable(effective.error());
  if (const auto* record = std::get_if<SandboxRecord>(&*effective)) {
    if (const auto* policy = std::get_if<Unreadable>(&record->policy)) return unreadable(*policy);
  }
  return std::nullopt;
}

std::expected<Style, Complaint> read_style(const Arguments& arguments, const Output& output) {
  const std::string_view when = arguments.value(k_color).value_or("auto");
  if (std::ranges::find(k_color_words, when) == k_color_words.end()) {
    return complain("--color " + escaped(when) + " is not known: give auto, always or never");
  }
  return Style(when == "auto" ? output.colour() : when == "always");
}

Result about_effective(const Arguments& arguments, Output& output,
                       const std::function<Result(const Asked&)>& answer) {
  const auto style = read_style(arguments, output);
  if (!style) return std::unexpected(style.error());
  const auto path = arguments.value(k_effective);
  if (!path) return complain("what does the sandbox run? Give --effective FILE");
  auto source = read_source(*path);
  if (!source) return std::unexpected(source.error());
  const bool json = arguments.has(k_json);
  Effective effective = decode_effective(source->text);
  if (auto problem = problem_of(effective)) {
    const Outcome outcome = *std::move(problem);
    output.write(json ? as_json(outcome) : as_text(outcome, &*source, *style));
    return k_exit_unreadable;
  }
  return answer({*std::move(source), *std::move(effective), *style, json});
}

}  // namespace sandproof::cli
