// selfcheck_calls FILE...: runs the case files command.jsonl, quote.jsonl and report.jsonl (JSON
// lines with id, request, expect) through the reference model, then its own edge checks, and prints
// what failed. Exit status 1 if anything did.
#include "selfcheck_calls.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command.h"
#include "report.h"
#include "shell_words.h"
#include "utf8.h"

namespace sandproof::reference {
namespace {

using json = nlohmann::ordered_json;  // The variables keep the order of the text.

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes +=
        static_cast<char>(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string to_hex(const std::string& bytes) {
  const std::string digits = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex += digits[static_cast<unsigned char>(c) / 16];
    hex += digits[static_cast<unsigned char>(c) % 16];
  }
  return hex;
}

std::vector<std::string> argv_of(const json& request) {
  if (!request.contains("argv_hex")) return request.at("argv").get<std::vector<std::string>>();
  std::vector<std::string> argv;
  for (const json& word : request.at("argv_hex")) argv.push_back(from_hex(word));
  return argv;
}

json refusal_of(const CommandAnswer& answer) {
  json result = {{"verdict", "refused"}, {"reason", answer.reason}};
  if (answer.word.has_value()) result["word"] = *answer.word;
  if (answer.offset.has_value()) result["offset"] = *answer.offset;
  return result;
}

json command_answer(const json& request) {
  Variables variables;
  if (request.contains("env")) {
    for (const auto& [name, value] : request.at("env").items())
      variables.emplace_back(name, value.get<std::string>());
  }
  std::optional<std::string> working_directory;
  if (request.contains("cwd") && !request.at("cwd").is_null())
    working_directory = request.at("cwd").get<std::string>();
  const CommandAnswer answer = command(argv_of(request), variables, working_directory);
  return answer.accepted ? json{{"verdict", "accepted"}} : refusal_of(answer);
}

// A case's text must also read back as the words that went in.
json quote_answer(const json& request) {
  const std::vector<std::string> words = argv_of(request);
  const CommandAnswer answer = quotable(words);
  if (!answer.accepted) return refusal_of(answer);
  const std::string shell = quoted_words(words);
  if (shell_words(shell) != ShellWords{true, words, ""})
    return {{"shell", shell}, {"read_back", shell_words(shell).words}};
  return {{"shell", shell}};
}

void put_bytes(json& result, const std::string& name, const std::string& bytes) {
  if (first_ill_formed(bytes).has_value()) {
    result[name + "_hex"] = to_hex(bytes);
  } else {
    result[name] = bytes;
  }
}

json report_answer(const json& request) {
  std::optional<int> exit_code;
  if (request.at("exit_code").is_number()) exit_code = request.at("exit_code").get<int>();
  const std::string bytes = request.contains("stderr_hex") ? from_hex(request.at("stderr_hex"))
                                                           : std::string(request.at("stderr"));
  const ReportAnswer answer =
      request.at("scheme") == "nonce"
          ? read_nonce(exit_code, bytes)
          : read_sealed(exit_code, bytes, std::string(request.at("call_id")));
  json result = {{"outcome", answer.outcome}};
  if (answer.outcome != "ran") return result;
  result["killed"] = answer.killed;
  result["attested"] = answer.attested;
  put_bytes(result, "preamble", answer.preamble);
  put_bytes(result, "stderr", answer.before + answer.after);
  return result;
}

json answer_to(const std::string& kind, const json& request) {
  if (kind == "command") return command_answer(request);
  if (kind == "quote") return quote_answer(request);
  if (kind == "report") return report_answer(request);
  throw std::runtime_error("no model answers " + kind);
}

std::vector<std::string> case_failures(const std::filesystem::path& file) {
  std::vector<std::string> failures;
  std::ifstream stream(file);
  std::string line;
  std::size_t cases = 0;
  while (std::getline(stream, line)) {
    const json each = json::parse(line);
    const json answer = answer_to(file.stem(), each.at("request"));
    ++cases;
    for (const auto& [name, value] : each.at("expect").items()) {
      if (!answer.contains(name) || answer.at(name) != value)
        failures.push_back(each.at("id").get<std::string>() + ": expected " +
                           each.at("expect").dump() + ", got " + answer.dump());
    }
  }
  if (cases == 0) failures.push_back(file.string() + ": no case");
  return failures;
}

}  // namespace
}  // namespace sandproof::reference

int main(int count, char** arguments) {
  std::vector<std::string> failures = sandproof::reference::command_failures();
  for (const std::string& each : sandproof::reference::report_failures()) failures.push_back(each);
  for (int i = 1; i < count; ++i) {
    for (const std::string& each : sandproof::reference::case_failures(arguments[i]))
      failures.push_back(each);
  }
  for (const std::string& each : failures) std::cout << each << "\n";
  std::cout << failures.size() << " failures\n";
  return failures.empty() ? 0 : 1;
}
