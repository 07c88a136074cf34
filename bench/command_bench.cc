// Commands, and the bounded text of one.
//
//   command/accepted       many commands of a few words and variables
//   command/refused        each has one mistake
//   command/1000           one with as many variables
//   bounded/SCHEME         the whole text of each accepted command
//
// The competitors: the reference model, and copying as many bytes as a shell is sent.
#include <array>
#include <cstring>
#include <deque>

#include "contest.h"
#include "reference/command.h"
#include "reference/shell_words.h"
#include "sandproof/shell.h"
#include "texts.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

constexpr std::size_t k_commands = 256;

// Given is one command as the reference takes it, and the same as the library does: views of that.
struct Given {
  Texts argv;
  reference::Variables variables;
  std::vector<std::string_view> words = {};
  std::vector<EnvEntry> entries = {};

  void view() {
    words.assign(argv.begin(), argv.end());
    for (const auto& [name, value] : variables) entries.push_back({name, value});
  }
  [[nodiscard]] CommandRequest request() const { return {words, entries, "/work"}; }
  [[nodiscard]] reference::CommandAnswer expected() const {
    return reference::command(argv, variables, "/work");
  }
};

// A deque: what a view is of must not move.
using Commands = std::deque<Given>;

Given make(Numbers& numbers, std::size_t variables) {
  constexpr std::array<std::string_view, 6> k_programs{"bash",          "python3", "npm",
                                                       "/usr/bin/make", "git",     "cc1plus"};
  constexpr std::array<std::string_view, 8> k_words{
      "-c", "--name=it's one", "/work/src/main.cc", "cd \"$1\" && npm test", "-j8",
      "",   "caf\xc3\xa9",     "s/'/\"/g"};
  Given given{{std::string(k_programs[numbers.below(k_programs.size())])}, {}};
  for (std::size_t i = numbers.below(12); i > 0; --i) {
    given.argv.emplace_back(k_words[numbers.below(k_words.size())]);
  }
  for (std::size_t i = 0; i < variables; ++i) {
    std::string name = std::to_string(i).insert(0, 1, 'V') + numbers.of("ABCDEF");
    given.variables.emplace_back(std::move(name), k_words[numbers.below(k_words.size())]);
  }
  numbers.shuffle(given.variables);
  return given;
}

void spoil(Numbers& numbers, Given& given) {
  using namespace std::string_literals;
  switch (numbers.below(5)) {
    case 0:
      given.argv.push_back("a\0b"s);
      break;
    case 1:
      given.argv.push_back("latin1 \xe9");
      break;
    case 2:
      given.variables.insert(given.variables.end(), 2, {"TWICE", ""});
      break;
    case 3:
      given.variables.emplace_back("A-B", "");
      break;
    default:
      given.argv[0].clear();
  }
}

std::shared_ptr<const Commands> commands(std::size_t count, bool refused, std::size_t variables) {
  Numbers numbers;
  auto all = std::make_shared<Commands>();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t most = variables == 0 ? numbers.below(4) : variables;
    Given& given = all->emplace_back(make(numbers, most));
    if (refused) spoil(numbers, given);
    given.view();
    const reference::CommandAnswer expected = given.expected();
    const Checked<Command> command = Command::parse(given.request());
    const std::string& shown = given.argv.back();
    must(expected.accepted != refused, "a command is not what it should be", shown);
    must(command.has_value() == expected.accepted, "the library disagrees with the reference",
         shown);
    must(command || code(command.error().reason) == expected.reason,
         "the library refuses otherwise than the reference", shown);
    must(!command ||
             command->words_size() == reference::bounded_suffix(given.argv, given.variables).size(),
         "the words have another size than the reference's", shown);
  }
  return all;
}

// copy_of copies as many bytes as the words of a command take.
std::function<void()> copy_of(const std::vector<std::size_t>& sizes) {
  const std::size_t longest = std::ranges::max(sizes);
  return [sizes, from = std::string(longest, 'a'), to = std::string(longest, 'b')]() mutable {
    for (const std::size_t size : sizes) {
      benchmark::DoNotOptimize(std::memcpy(to.data(), from.data(), size));
      benchmark::ClobberMemory();
    }
  };
}

std::size_t sum(const std::vector<std::size_t>& sizes) {
  std::size_t all = 0;
  for (const std::size_t size : sizes) all += size;
  return all;
}

Contest parsing(const std::shared_ptr<const Commands>& all) {
  std::vector<std::size_t> sizes;
  for (const Given& given : *all) {
    sizes.push_back(reference::bounded_suffix(given.argv, given.variables).size());
  }
  const auto ours = [all] {
    for (const Given& given : *all) benchmark::DoNotOptimize(Command::parse(given.request()));
  };
  const auto reference = [all] {
    for (const Given& given : *all) benchmark::DoNotOptimize(given.expected());
  };
  return {all->size(),
          sum(sizes),
          {{"sandproof", ours}, {"memcpy", copy_of(sizes)}, {"reference", reference}}};
}

Contest bounding(const ReportScheme& scheme) {
  const auto all = commands(k_commands, false, 0);
  const Deadline deadline = Deadline::parse("1.5s").value();
  const auto parsed = std::make_shared<std::vector<Command>>();
  std::vector<std::size_t> sizes;
  for (const Given& given : *all) {
    parsed->push_back(Command::parse(given.request()).value());
    const ShellText text = bounded_shell(parsed->back(), deadline, scheme);
    const std::string suffix = reference::bounded_suffix(given.argv, given.variables);
    must(text.view().ends_with(suffix), "other words than the reference's", text.view());
    must(reference::shell_words(text.view()).plain, "does not read back", text.view());
    sizes.push_back(text.view().size());
  }
  const auto ours = [=] {
    for (const Command& command : *parsed) {
      benchmark::DoNotOptimize(bounded_shell(command, deadline, scheme));
    }
  };
  // What the commands are views of has to stay.
  return {all->size(),
          sum(sizes),
          {{"sandproof", [all, ours] { ours(); }}, {"memcpy", copy_of(sizes)}}};
}

}  // namespace

int main(int count, char** arguments) {
  const CallId id = CallId::parse("00112233445566778899aabbccddeeff").value();
  add_contest("command/accepted", [] { return parsing(commands(k_commands, false, 0)); });
  add_contest("command/refused", [] { return parsing(commands(k_commands, true, 0)); });
  add_contest("command/1000", [] { return parsing(commands(1, false, 1'000)); });
  add_contest("bounded/sealed", [=] { return bounding(ReportScheme::sealed(id)); });
  add_contest("bounded/nonce", [] { return bounding(ReportScheme::nonce()); });
  return run(count, arguments);
}
