#include "command_input.h"

#include <array>
#include <utility>

#include "batch.h"

namespace sandproof::cli {
namespace {

std::vector<EnvEntry> entries(const Pairs& variables) {
  std::vector<EnvEntry> entries;
  entries.reserve(variables.size());
  for (const auto& [name, value] : variables) entries.push_back({name, value});
  return entries;
}

}  // namespace

std::vector<std::string_view> views(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

std::expected<Strings, Malformed> read_argv(const Members& members) {
  auto argv = members.strings("argv", "argv_hex");
  if (!argv) return std::unexpected(std::move(argv).error());
  if (!*argv) return std::unexpected(required("argv"));
  return **std::move(argv);
}

std::expected<CommandInput, Malformed> read_command(const Members& members) {
  auto argv = read_argv(members);
  if (!argv) return std::unexpected(std::move(argv).error());
  auto variables = members.pairs("env");
  if (!variables) return std::unexpected(std::move(variables).error());
  auto directory = members.string_or_null("cwd");
  if (!directory) return std::unexpected(std::move(directory).error());
  return CommandInput{*std::move(argv), *std::move(variables), *std::move(directory)};
}

std::expected<Pairs, Complaint> read_variables(std::span<const std::string_view> texts) {
  Pairs variables;
  for (const std::string_view text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) {
      return complain("--env " + escaped(text) + ": give NAME=VALUE, as in TZ=UTC");
    }
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

Judgement::Judgement(const CommandInput& input)
    : input_(input),
      words_(views(input.argv)),
      variables_(entries(input.variables)),
      command_(sandproof::Command::parse(request())) {}

Refused Judgement::refused() const {
  Refusal refusal = command_.error();
  switch (refusal.subject) {
    case Subject::env_name:
    case Subject::env_value: {
      const auto& [name, value] = input_.variables[refusal.word];
      refusal.word = k_no_place;  // the name says which
      return {refusal, refusal.subject == Subject::env_name ? name : value, name};
    }
    case Subject::word:
      return {refusal, input_.argv[refusal.word]};
    case Subject::working_directory:
      return {refusal, *input_.working_directory};
    default:
      return {refusal, input_.argv.empty() ? std::string() : input_.argv.front()};
  }
}

Result check_commands(Output& output) {
  return run_batch(output, [](std::string_view line) -> Answer {
    static constexpr std::array<std::string_view, 4> k_known{"argv", "argv_hex", "env", "cwd"};
    const auto members = Members::read(line, k_known);
    if (!members) return unreadable(members.error());
    const auto input = read_command(*members);
    if (!input) return unreadable(input.error());
    const Judgement judgement(*input);
    if (!judgement.command()) return {k_exit_refused, json_line(as_json(judgement.refused()))};
    return {k_exit_accepted, json_line({{"verdict", "accepted"}})};
  });
}

}  // namespace sandproof::cli
