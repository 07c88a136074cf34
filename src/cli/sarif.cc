#include "sarif.h"

#include <string_view>

#include "../core/bytes.h"
#include "json.h"
#include "sandproof/version.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

// uri gives a path as a URI reference (RFC 3986): bytes that are not unreserved are
// percent-encoded, the colon, which would make a scheme of a directory, included.
std::string uri(std::string_view path) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  if (path == "-") return "stdin";
  std::string out(path.starts_with('/') ? "file://" : "");
  for (const char c : path) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (bytes::rules::k_word(byte) || c == '/' || c == '-' || c == '.' || c == '~') {
      out += c;
    } else {
      out += {'%', k_digits[byte >> 4], k_digits[byte & 0xf]};
    }
  }
  return out;
}

Json text(std::string_view words) { return {{"text", words}}; }

Json rules() {
  Json list = Json::array();
  for (const IssueKind& kind : k_issue_kinds) {
    list.push_back({{"id", kind.name},
                    {"shortDescription", text(kind.summary)},
                    {"help", text("To mend it: " + std::string(kind.fix) + '.')}});
  }
  return list;
}

// level: what may let more out than was declared is an error, or a warning where nobody can tell.
std::string_view level(const Issue& issue) {
  if (issue.effect == name(Effect::unknown)) return "warning";
  return issue.effect == name(Effect::within) || issue.effect == k_tolerated ? "note" : "error";
}

Json location(const Issue& issue, const Source& source) {
  const Place& place = *issue.place;
  Json region{{"startLine", place.first.line}, {"startColumn", place.first.column}};
  if (place.exact && place.end > place.begin) {
    region["endLine"] = place.last.line;
    region["endColumn"] = place.last.column;
  }
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri(source.name)}}}, {"region", std::move(region)}}},
          {"logicalLocations", Json::array({{{"fullyQualifiedName", issue.pointer}}})}};
}

Json result(const Issue& issue, const Source* source) {
  std::string message = issue.message;
  if (!issue.witness.empty()) message += "; gets out, for instance: " + issue.witness;
  Json json{{"ruleId", k_issue_kinds[issue.kind].name},
            {"ruleIndex", issue.kind},
            {"level", level(issue)},
            {"message", text(message)}};
  json["locations"] = source == nullptr ? Json::array() : Json::array({location(issue, *source)});
  if (issue.effect == k_tolerated) {
    json["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", "accepted with --tolerate"}}});
  }
  return json;
}

}  // namespace

std::string as_sarif(const Outcome& outcome, const Source* source) {
  Json results = Json::array();
  for (const Issue& issue : issues_of(outcome, source)) results.push_back(result(issue, source));
  const bool could_compare = !std::holds_alternative<Problem>(outcome);
  Json driver{{"name", k_tool_name}, {"version", SANDPROOF_VERSION}, {"rules", rules()}};
  Json run{{"tool", {{"driver", std::move(driver)}}},
           {"invocations", Json::array({{{"executionSuccessful", could_compare}}})},
           {"columnKind", "unicodeCodePoints"},
           {"results", std::move(results)}};
  return json_line({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({std::move(run)})}});
}

}  // namespace sandproof::cli
