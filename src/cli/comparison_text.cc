#include "comparison_text.h"

#include <span>
#include <string_view>

#include "excerpt.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

Json as_json(const Finding& finding) {
  Json json{{"kind", name(finding.kind)},
            {"effect", name(finding.effect)},
            {"pointer", finding.pointer},
            {"detail", finding.detail}};
  if (!finding.witness.empty()) json["witness"] = finding.witness;
  return json;
}

Json as_json(std::span<const Finding> findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back(as_json(finding));
  return list;
}

Json as_json(const Compared& compared) {
  const Comparison& comparison = compared.comparison;
  Json json{{"holds", comparison.holds()},
            {"verdict", name(comparison.verdict())},
            {"findings", as_json(comparison.findings)}};
  if (!comparison.notes.empty()) json["notes"] = as_json(comparison.notes);
  return json;
}

Json as_json(const Problem& problem) {
  const Unreadable& unreadable = problem.unreadable;
  Json json{{"verdict", "unreadable"}, {"reason", code(unreadable.reason)}};
  if (unreadable.offset == k_no_place) {
    json["pointer"] = unreadable.pointer;
  } else {
    json["offset"] = unreadable.offset;
  }
  json["message"] = problem.message;
  return json;
}

std::string sentence(const Compared& compared, const Style& style) {
  switch (compared.comparison.verdict()) {
    case Verdict::identical:
      return style.good("identical") + (compared.declared == EgressMode::allow
                                            ? ": everything may get out, so nothing was judged"
                                            : ": the sandbox runs what was declared");
    case Verdict::contained:
      return style.doubtful("contained") +
             ": no more gets out than was declared, but the sandbox does not run just that";
    case Verdict::widened:
      return style.bad("widened") + ": more gets out than was declared";
    case Verdict::unknown:
      return style.bad("unknown") + ": nobody can tell whether more gets out than was declared";
  }
  return {};
}

std::string coloured(std::string_view effect, const Style& style) {
  if (effect == name(Effect::widens)) return style.bad(effect);
  return effect == name(Effect::unknown) ? style.doubtful(effect) : std::string(effect);
}

// row is one of what follows an excerpt: the words stand below each other.
std::string row(std::string_view title, const std::string& text, const Style& style) {
  constexpr std::size_t k_width = 9;
  std::string out = "  " + style.faint(title);
  return out.append(k_width - title.size(), ' ') + text + '\n';
}

std::string as_text(const Issue& issue, const Source& source, const Style& style) {
  const IssueKind& kind = k_issue_kinds[issue.kind];
  std::string text =
      place_of(source, *issue.place, style) + ' ' + coloured(issue.effect, style) + ": " +
      issue.message + " [" + std::string(kind.name) + "]\n" +
      excerpt(source.text, *issue.place, style) +
      row("at", issue.pointer.empty() ? "the whole document" : plain(issue.pointer), style);
  if (!issue.witness.empty()) text += row("witness", plain(issue.witness) + " gets out", style);
  if (issue.effect != k_tolerated) text += row("fix", std::string(kind.fix), style);
  return text;
}

// headline is the verdict, on a line.
std::string headline(const Refused& refused, const Style& style) { return as_text(refused, style); }

std::string headline(const Problem& problem, const Style& style) {
  return style.bad("unreadable") + ' ' + std::string(code(problem.unreadable.reason)) + ": " +
         problem.message + '\n';
}

std::string headline(const Compared& compared, const Style& style) {
  return sentence(compared, style) + '\n';
}

}  // namespace

int status_of(const Outcome& outcome) noexcept {
  if (std::holds_alternative<Problem>(outcome)) return k_exit_unreadable;
  const auto* compared = std::get_if<Compared>(&outcome);
  return compared != nullptr && compared->comparison.holds() ? k_exit_accepted : k_exit_refused;
}

Json json_of(const Outcome& outcome) {
  return std::visit([](const auto& each) { return as_json(each); }, outcome);
}

std::string as_json(const Outcome& outcome) { return json_line(json_of(outcome)); }

std::string as_text(const Outcome& outcome, const Source* source, const Style& style) {
  std::string text =
      std::visit([&style](const auto& each) { return headline(each, style); }, outcome);
  if (source == nullptr) return text;
  const bool is_comparison = std::holds_alternative<Compared>(outcome);
  for (const Issue& issue : issues_of(outcome, source)) {
    text += is_comparison ? as_text(issue, *source, style)
                          : place_of(*source, *issue.place, style) + '\n' +
                                excerpt(source->text, *issue.place, style);
  }
  return text;
}

}  // namespace sandproof::cli
