#include "egress_input.h"

#include <string>
#include <utility>
#include <variant>

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
  return std::unexpected(
      Complaint{"cannot read " + escaped(path) + ": " + reason_text(text.error()), false});
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
  if (when == "auto") return Style(output.colour());
  if (when == "always" || when == "never") return Style(when == "always");
  return std::unexpected(
      Complaint{"--color " + escaped(when) + " is not known: give auto, always or never"});
}

}  // namespace sandproof::cli
