// Commands and their bounded texts. The first byte of an input separates the fields in the rest of
// it, and the first byte of a field says what it is:
//
//   w  a word                    v  a variable, NAME=VALUE
//   c  the working directory     d  the deadline
//   n  the nonce scheme          i  a call id
//   f  fills the last word up: the next byte says how far the words are from their limit
//   g  fills the working directory up, to its own limit
//
// Whatever else it is, it is a word. The caller's words must never leave their quotes: the whole
// text is read as a shell reads it.
#include <array>
#include <string>
#include <string_view>

#include "command_model.h"
#include "fuzz_check.h"
#include "near_limit.h"
#include "read_back.h"
#include "reference/command.h"
#include "reference/shell_words.h"
#include "sandproof/shell.h"
#include "sandproof/wire.h"
#include "split.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;
using props::CommandText;
using props::CommandViews;

constexpr std::string_view k_default_id = "00112233445566778899aabbccddeeff";

struct Input {
  CommandText text;
  std::string deadline = "30s";
  std::string call_id = std::string(k_default_id);
  bool nonce = false;
};

void fill_words(CommandText& text, std::string_view distance) {
  if (text.argv.empty() || distance.empty()) return;
  const std::size_t wanted = distance_from(k_max_words_size, distance.front());
  const std::size_t size = reference::bounded_suffix(text.argv, text.variables).size();
  if (size < wanted) text.argv.back().append(wanted - size, 'f');
}

void fill_directory(CommandText& text, std::string_view distance) {
  if (distance.empty()) return;
  const std::size_t wanted = distance_from(k_max_working_directory_size, distance.front());
  std::string directory = text.working_directory.value_or("");
  fill_up(directory, wanted, 'g');
  text.working_directory = directory;
}

void add_field(Input& input, std::string_view field) {
  const std::string rest(field.substr(std::min<std::size_t>(1, field.size())));
  switch (field.empty() ? 'w' : field.front()) {
    case 'v': {
      const std::size_t equals = std::min(rest.find('='), rest.size());
      input.text.variables.emplace_back(rest.substr(0, equals),
                                        rest.substr(std::min(equals + 1, rest.size())));
      break;
    }
    case 'c':
      input.text.working_directory = rest;
      break;
    case 'd':
      input.deadline = rest;
      break;
    case 'n':
      input.nonce = true;
      break;
    case 'i':
      input.call_id = rest;
      break;
    case 'f':
      fill_words(input.text, rest);
      break;
    case 'g':
      fill_directory(input.text, rest);
      break;
    default:
      input.text.argv.push_back(rest);
      break;
  }
}

Input read(std::string_view text) {
  Input input;
  if (text.empty()) return input;
  for (const std::string_view field : split(text.substr(1), text.front())) add_field(input, field);
  return input;
}

// What was accepted are the caller's bytes, and its variables in the order of their names.
void check_accepted(const CommandText& text, const CommandViews& views, const Command& command) {
  FUZZ_CHECK(command.words().data() == views.argv().data());
  FUZZ_CHECK(command.words().size() == text.argv.size());
  FUZZ_CHECK(command.working_directory() == text.working_directory);
  reference::Variables sorted = text.variables;
  std::ranges::sort(sorted);
  FUZZ_CHECK(
      std::ranges::equal(command.variables(), sorted, [](const EnvVariable& a, const auto& b) {
        return a.name().view() == b.first && a.value() == b.second;
      }));
}

ReportScheme scheme_of(const Input& input) {
  if (input.nonce) return ReportScheme::nonce();
  const Checked<CallId> id = CallId::parse(input.call_id);
  const auto forbidden = std::ranges::find_if(
      input.call_id, [](char c) { return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')); });
  const bool is_id = input.call_id.size() == 32 && forbidden == input.call_id.end();
  FUZZ_CHECK(id.has_value() == is_id, input.call_id);
  if (id) return ReportScheme::sealed(*id);
  check_message(explain(id.error(), input.call_id));
  return ReportScheme::sealed(CallId::parse(k_default_id).value());
}

Deadline deadline_of(const Input& input) {
  return Deadline::parse(input.deadline).value_or(Deadline::parse("30s").value());
}

// program_of is what stands in front of any command with this deadline and scheme.
std::string program_of(Deadline deadline, const ReportScheme& scheme) {
  static const CommandText text{{"x"}, {}, {}};
  static const CommandViews views(text);
  const ShellText shell = bounded_shell(Command::parse(views.request()).value(), deadline, scheme);
  return reference::shell_words(shell.view()).words.at(2);
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// check_program looks for the two values in the program: the killer sleeps until the deadline, a
// sleep that takes no fraction is found out where there is one, and each line that a sealed report
// can have is of this call. A nonce report has no such line.
void check_program(std::string_view program, Deadline deadline, const ReportScheme& scheme) {
  const std::string seconds =
      reference::deadline(std::to_string(deadline.milliseconds().count()) + "ms").value;
  FUZZ_CHECK(count(program, "exec sleep " + seconds + ' ') == 1, program, seconds);
  const bool fraction = seconds.find('.') != seconds.npos;
  FUZZ_CHECK(count(program, "exec sleep ") == (fraction ? 2U : 1U), program, seconds);
  FUZZ_CHECK(count(program, "sandproof1") == (scheme.is_sealed() ? 4U : 0U), program);
  if (!scheme.is_sealed()) return;
  const std::string prefix = "sandproof1 " + std::string(scheme.call_id()->view()) + ' ';
  for (const char* behind : {"refused ", "$", "deadline ", "exit "}) {
    FUZZ_CHECK(count(program, prefix + behind) == 1, program, prefix, behind);
  }
}

// What is sent is the shell text and the working directory, and comes back as it was.
void check_sent(std::string_view shell, const Command& command, Deadline deadline,
                const ReportScheme& scheme) {
  reference::Document expected = {{"command", std::string(shell)}};
  if (command.working_directory()) expected["workingDirectory"] = *command.working_directory();
  const std::string body = encode(ExecBody(command, deadline, scheme));
  FUZZ_CHECK(read_back(body) == expected, body);
}

// A drawn id is its bytes in order, the high digit of each first.
void check_drawn(std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, 16> drawn{};
  if (bytes.size() < drawn.size()) return;
  std::ranges::copy(bytes.first(drawn.size()), drawn.begin());
  std::string expected;
  for (const std::uint8_t byte : drawn) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    expected += digits.data();
  }
  const CallId id = CallId::from_random(drawn);
  FUZZ_CHECK(id.view() == expected && CallId::parse(expected) == id, id.view(), expected);
}

void check_shell(const Input& input, const Command& command) {
  const ReportScheme scheme = scheme_of(input);
  const Deadline deadline = deadline_of(input);
  const ShellText shell = bounded_shell(command, deadline, scheme);
  const std::string_view text = shell.view();

  const std::string suffix = reference::bounded_suffix(input.text.argv, input.text.variables);
  FUZZ_CHECK(command.words_size() == suffix.size(), command.words_size(), suffix.size());
  FUZZ_CHECK(text.ends_with("' sh" + suffix), text, suffix);
  FUZZ_CHECK(text.size() - suffix.size() <= k_max_wrapper_size, text.size());
  FUZZ_CHECK(text.size() <= k_max_env_entry_size, text.size());

  std::vector<std::string> expected{"sh", "-c", program_of(deadline, scheme), "sh"};
  reference::Variables sorted = input.text.variables;
  std::ranges::sort(sorted);
  if (!sorted.empty()) expected.emplace_back("env");
  for (const auto& [name, value] : sorted) expected.push_back(name + '=' + value);
  expected.insert(expected.end(), input.text.argv.begin(), input.text.argv.end());
  check_program(expected[2], deadline, scheme);
  const reference::ShellWords words = reference::shell_words(text);
  FUZZ_CHECK(words.plain, text, words.why);
  FUZZ_CHECK(words.words == expected, text, reference::quoted_words(words.words));
  check_sent(text, command, deadline, scheme);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_drawn({data, size});
  const Input input = read({reinterpret_cast<const char*>(data), size});
  const CommandViews views(input.text);
  const Checked<Command> command = Command::parse(views.request());
  const reference::CommandAnswer expected = props::ask_reference(input.text);
  FUZZ_CHECK(props::command_answer(command) == expected,
             props::shown(props::command_answer(command)), props::shown(expected));
  if (command) {
    check_accepted(input.text, views, *command);
    check_shell(input, *command);
  } else {
    check_message(explain(command.error(), props::refused_text(input.text, command.error())));
  }
  return 0;
}
