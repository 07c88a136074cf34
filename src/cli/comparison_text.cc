#include "comparison_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "json.h"
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

// plain gives foreign text as it is where that is printable ASCII without spaces, else escaped.
std::string plain(std::string_view text) {
  const bool ordinary = std::ranges::all_of(
      text, [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\'; });
  return ordinary && !text.empty() && text.size() <= k_max_shown ? std::string(text)
                                                                 : escaped(text);
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

struct Row {
  std::string_view effect;
  std::string pointer;
  const Finding* finding;
};

std::string as_text(const Compared& compared, const Style& style) {
  constexpr std::size_t k_effect_width = 9;
  constexpr std::size_t k_kind_width = 18;
  constexpr std::size_t k_max_pointer_width = 40;
  constexpr std::string_view k_tolerated = "tolerated";
  std::vector<Row> rows;
  rows.reserve(compared.comparison.findings.size() + compared.comparison.notes.size());
  for (const Finding& finding : compared.comparison.findings) {
    rows.push_back({name(finding.effect), plain(finding.pointer), &finding});
  }
  for (const Finding& note : compared.comparison.notes) {
    rows.push_back({k_tolerated, plain(note.pointer), &note});
  }
  std::size_t pointer_width = 0;
  for (const Row& row : rows) {
    if (row.pointer.size() <= k_max_pointer_width) {
      pointer_width = std::max(pointer_width, row.pointer.size());
    }
  }
  std::string text = sentence(compared, style) + '\n';
  const auto column = [&text](std::string_view word, std::size_t width) {
    text.append(width - std::min(width, word.size()) + 2, ' ');
  };
  for (const Row& row : rows) {
    text += "  ";
    text += row.effect == name(Effect::widens) ? style.bad(row.effect) : std::string(row.effect);
    column(row.effect, k_effect_width);
    text += row.pointer;
    column(row.pointer, pointer_width);
    text += name(row.finding->kind);
    column(name(row.finding->kind), k_kind_width);
    text += row.finding->detail;
    if (!row.finding->witness.empty()) {
      text += "; gets out, for instance: " + plain(row.finding->witness);
    }
    text += '\n';
  }
  return text;
}

std::string as_text(const Problem& problem, const Style& style) {
  return style.bad("unreadable") + ' ' + std::string(code(problem.unreadable.reason)) + ": " +
         problem.message + '\n';
}

}  // namespace

int status_of(const Outcome& outcome) noexcept {
  if (std::holds_alternative<Problem>(outcome)) return k_exit_unreadable;
  const auto* compared = std::get_if<Compared>(&outcome);
  return compared != nullptr && compared->comparison.holds() ? k_exit_accepted : k_exit_refused;
}

std::string as_json(const Outcome& outcome) {
  return json_line(std::visit([](const auto& each) { return as_json(each); }, outcome));
}

std::string as_text(const Outcome& outcome, const Style& style) {
  return std::visit([&style](const auto& each) { return as_text(each, style); }, outcome);
}

}  // namespace sandproof::cli
