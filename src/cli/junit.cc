#include "junit.h"

#include <array>
#include <string_view>
#include <vector>

#include "excerpt.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

// xml escapes printable text for an element or an attribute. Most control bytes cannot stand in XML
// at all: foreign text comes escaped already.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string line(const Issue& issue, const Source* source) {
  std::string out;
  if (issue.place && source != nullptr) {
    const Position& first = issue.place->first;
    out += shown_name(*source) + ':' + std::to_string(first.line) + ':' +
           std::to_string(first.column) + ": ";
  }
  if (!issue.effect.empty()) out += std::string(issue.effect) + ": ";
  out += issue.message;
  if (!issue.witness.empty()) out += "; gets out, for instance: " + plain(issue.witness);
  return out + '\n';
}

// Case is one test case: what failed in it, and what was tolerated.
struct Case {
  std::string message;  // of the first issue
  std::string failures;
  std::string notes;
};

std::string element(std::string_view tag, const Case& content) {
  return "    <" + std::string(tag) + " message=\"" + xml(content.message) + "\">" +
         xml(content.failures) + "</" + std::string(tag) + ">\n";
}

}  // namespace

std::string as_junit(const Outcome& outcome, const Source* source) {
  std::array<Case, k_issue_kind_count> cases;
  for (const Issue& issue : issues_of(outcome, source)) {
    Case& its = cases[issue.kind];
    const bool tolerated = issue.effect == k_tolerated;
    if (!tolerated && its.failures.empty()) its.message = issue.message;
    (tolerated ? its.notes : its.failures) += line(issue, source);
  }
  const auto* compared = std::get_if<Compared>(&outcome);
  const bool judged = compared != nullptr && compared->declared != EgressMode::allow;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  std::string body;
  for (std::size_t kind = 0; kind < cases.size(); ++kind) {
    const Case& its = cases[kind];
    const bool is_error = kind == k_unreadable_document && !its.failures.empty();
    std::string content;
    if (!its.failures.empty()) {
      ++(is_error ? errors : failures);
      content += element(is_error ? "error" : "failure", its);
    } else if (kind < k_finding_kind_count && !judged) {
      ++skipped;
      content += "    <skipped/>\n";
    }
    if (!its.notes.empty()) content += "    <system-out>" + xml(its.notes) + "</system-out>\n";
    body +=
        R"(  <testcase classname="egress" name=")" + std::string(k_issue_kinds[kind].name) + '"';
    body += content.empty() ? "/>\n" : ">\n" + content + "  </testcase>\n";
  }
  const std::string counts = " tests=\"" + std::to_string(cases.size()) + "\" failures=\"" +
                             std::to_string(failures) + "\" errors=\"" + std::to_string(errors) +
                             "\" skipped=\"" + std::to_string(skipped) + '"';
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"" +
         std::string(k_tool_name) + " egress compare\"" + counts + ">\n" + body +
         "</testsuite>\n</testsuites>\n";
}

}  // namespace sandproof::cli
