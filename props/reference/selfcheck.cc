// selfcheck FILE...: runs case files (JSON lines with id, request, expect; named after their kind)
// through the reference model, then its own edge checks, and prints what failed. Exit status 1 if
// anything did.
#include "selfcheck.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "languages.h"
#include "policy.h"
#include "scanners.h"

namespace sandproof::reference {
namespace {

using nlohmann::json;

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes +=
        static_cast<char>(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string input_of(const json& request) {
  if (request.contains("hex")) return from_hex(request.at("hex").get<std::string>());
  return request.at("input").get<std::string>();
}

json as_json(const Answer& answer) {
  json result = {{"verdict", answer.accepted ? "accepted" : "refused"}};
  if (answer.accepted) result["value"] = answer.value;
  if (!answer.accepted) result["reason"] = answer.reason;
  if (answer.offset.has_value()) result["offset"] = *answer.offset;
  return result;
}

json as_json(const Comparison& comparison) {
  json result = {{"holds", comparison.findings.empty()}, {"verdict", comparison.verdict}};
  std::set<std::string> kinds;
  result["findings"] = json::array();
  for (const Finding& each : comparison.findings) {
    json finding = {{"kind", each.kind}, {"effect", each.effect}, {"pointer", each.pointer}};
    if (each.has_witness) finding["witness"] = each.witness;
    result["findings"].push_back(finding);
    kinds.insert(each.kind);
  }
  result["kinds"] = kinds;
  return result;
}

// as_json_checked also holds the answer to the table of languages, in which the accepted value must
// be.
json as_json_checked(const std::string& kind, const Answer& answer, const std::string& text) {
  json result = as_json(answer);
  if (answer.accepted && !in_language(language(kind), text))
    result["verdict"] = "accepted, not in the language";
  return result;
}

json session_variable_answer(const json& request) {
  std::optional<std::string> value;
  if (request.contains("value")) value = request.at("value").get<std::string>();
  return as_json(session_variable(Families::strict, input_of(request), value));
}

// declared_of is none for a declaration that is refused.
std::optional<Declared> declared_of(const json& written) {
  Declared declared;
  const std::string mode = written.at("mode").get<std::string>();
  if (mode == "allow") declared.mode = Declared::Mode::allow;
  if (mode == "deny") declared.mode = Declared::Mode::deny;
  if (mode == "allowDomains") {
    declared.mode = Declared::Mode::allow_domains;
    for (const json& each : written.at("domains")) {
      const Answer pattern = domain(each.get<std::string>());
      if (!pattern.accepted) return std::nullopt;
      declared.domains.push_back(pattern.value);
    }
    if (declared.domains.empty()) return std::nullopt;
  }
  return declared;
}

json egress_answer(const json& request) {
  const std::optional<Declared> declared = declared_of(request.at("declared"));
  if (!declared.has_value()) return {{"verdict", "refused"}};

  std::string text;
  bool is_record = request.contains("record_text");
  if (is_record) text = request.at("record_text").get<std::string>();
  if (request.contains("effective_text")) text = request.at("effective_text").get<std::string>();
  if (request.contains("effective")) {
    text = request.at("effective").dump();
    is_record = request.at("effective").contains("id") &&
                !request.at("effective").contains("defaultAction");
  }
  if (is_record) {
    const RecordReading record = read_record(text);
    if (!record.readable || record.policy == RecordReading::Policy::unreadable)
      return {{"verdict", "unreadable"}};
    return as_json(compare(*declared, record));
  }
  const Reading policy = read_policy(text);
  if (!policy.readable) return {{"verdict", "unreadable"}};
  return as_json(compare(*declared, policy.document, false));
}

using Check = std::function<json(const json& request)>;

const std::map<std::string, Check>& checks() {
  static const std::map<std::string, Check> all = {
      {"session-id",
       [](const json& r) {
         return as_json_checked("session-id", session_id(input_of(r)), input_of(r));
       }},
      {"env-name",
       [](const json& r) {
         return as_json_checked("env-name", env_name(input_of(r)), input_of(r));
       }},
      {"deadline",
       [](const json& r) {
         return as_json_checked("deadline", deadline(input_of(r)), input_of(r));
       }},
      {"path",
       [](const json& r) {
         const Answer answer = sandbox_path(input_of(r));
         return as_json_checked("path", answer, answer.value);
       }},
      {"domain",
       [](const json& r) {
         const Answer answer = domain(input_of(r));
         return as_json_checked("domain", answer, answer.value);
       }},
      {"session-env", session_variable_answer},
      {"egress", egress_answer},
  };
  return all;
}

bool has_what_is_expected(const json& answer, const json& expected) {
  for (const auto& [key, value] : expected.items()) {
    if (!answer.contains(key) || answer.at(key) != value) return false;
  }
  return true;
}

std::size_t check_file(const std::filesystem::path& path, std::vector<std::string>& failures) {
  const auto check = checks().find(path.stem().string());
  if (check == checks().end()) {
    std::cout << path.filename().string() << ": no model for this kind, left out\n";
    return 0;
  }
  std::ifstream file(path);
  if (!file) failures.push_back(path.string() + ": cannot be opened");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    const json one = json::parse(line);
    const json answer = check->second(one.at("request"));
    if (!has_what_is_expected(answer, one.at("expect"))) {
      failures.push_back(one.at("id").get<std::string>() + ": expected " + one.at("expect").dump() +
                         ", got " + answer.dump(-1, ' ', false, json::error_handler_t::replace));
    }
    ++count;
  }
  return count;
}

int run(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> failures;
  std::size_t count = 0;
  for (const auto& file : files) count += check_file(file, failures);
  for (const auto& more : {text_failures(), policy_failures()}) {
    failures.insert(failures.end(), more.begin(), more.end());
  }
  for (const std::string& failure : failures) std::cout << failure << '\n';
  std::cout << count << " cases and the edge checks: " << failures.size() << " failures\n";
  return failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace sandproof::reference

int main(int argc, char** argv) { return sandproof::reference::run({argv + 1, argv + argc}); }
