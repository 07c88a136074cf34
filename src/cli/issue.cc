#include "issue.h"

#include <utility>

namespace sandproof::cli {
namespace {

std::size_t number(FindingKind kind) noexcept { return static_cast<std::size_t>(kind); }

Issue issue_of(const Finding& finding, std::string_view effect) {
  return {number(finding.kind), effect,          finding.pointer,
          finding.detail,       finding.witness, std::nullopt};
}

std::vector<Issue> all_of(const Compared& compared) {
  std::vector<Issue> issues;
  issues.reserve(compared.comparison.findings.size() + compared.comparison.notes.size());
  for (const Finding& each : compared.comparison.findings) {
    issues.push_back(issue_of(each, name(each.effect)));
  }
  for (const Finding& each : compared.comparison.notes) {
    issues.push_back(issue_of(each, k_tolerated));
  }
  return issues;
}

std::vector<Issue> all_of(const Refused& refused) {
  std::string pointer = "/domains";
  if (refused.refusal.word != k_no_place) pointer += '/' + std::to_string(refused.refusal.word);
  return {{k_refused_declaration, {}, std::move(pointer), message(refused), {}, std::nullopt}};
}

std::vector<Issue> all_of(const Problem& problem) {
  return {
      {k_unreadable_document, {}, problem.unreadable.pointer, problem.message, {}, std::nullopt}};
}

}  // namespace

// In the order of FindingKind.
constexpr std::array<IssueKind, k_issue_kind_count> k_issue_kinds{{
    {"no_policy", "The sandbox has no egress policy.",
     "create the sandbox anew, with the policy that was declared"},
    {"default_action", "The policy does not deny by default.", "make the default action \"Deny\""},
    {"inspection", "Traffic that is not HTTP is not inspected.", "make the inspection \"Full\""},
    {"missing_rule", "A rule that was declared is not there.",
     "add the rule, or take it out of the declaration"},
    {"extra_allow", "A rule allows what was not declared.",
     "remove the rule, or declare what it allows"},
    {"unreadable_action", "The action of a rule is neither an allow nor a deny.",
     "make the action \"Allow\" or \"Deny\", or remove the rule"},
    {"match_rule", "A rule of the richer language is not an outright deny.",
     "remove the rule, or let it deny and do nothing else"},
    {"unmodelled_field", "The policy has a field that is not known.",
     "remove the field; or review it, and accept it with --tolerate POINTER=JSON"},
    {"unreadable_policy", "The policy of a record cannot be read.",
     "write the policy as documented"},
    {"proxy_bypass", "The sandbox does not use the proxy that enforces its policy.",
     "create the sandbox anew, with its proxy"},
    {"network_override", "The sandbox is on a network of the customer's, past its policy.",
     "create the sandbox anew, without that network"},
    {"refused_declaration", "What is declared may not be declared.", "correct the declaration"},
    {"unreadable_document", "A document cannot be read with certainty.", "correct the document"},
}};

std::vector<Issue> issues_of(const Outcome& outcome, const Source* source) {
  std::vector<Issue> issues = std::visit([](const auto& each) { return all_of(each); }, outcome);
  if (source == nullptr) return issues;
  if (const auto* problem = std::get_if<Problem>(&outcome);
      problem != nullptr && problem->unreadable.offset != k_no_place) {
    issues.front().place = place_at(source->text, problem->unreadable.offset);
    return issues;
  }
  std::vector<std::string_view> pointers;
  pointers.reserve(issues.size());
  for (const Issue& issue : issues) pointers.emplace_back(issue.pointer);
  const std::vector<Place> places = locate(source->text, pointers);
  for (std::size_t i = 0; i < issues.size(); ++i) issues[i].place = places[i];
  return issues;
}

}  // namespace sandproof::cli
