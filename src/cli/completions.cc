// `completions`: what completes the tool's words in a shell, made from its own table.
#include <algorithm>
#include <array>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "commands.h"
#include "sandproof/refusal.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_help_option = "--help";

constexpr std::array<std::string_view, 3> k_shells{"bash", "zsh", "fish"};

std::string help() {
  return R"(Usage: %t completions SHELL

Prints a script that completes the words of this tool in SHELL: bash, zsh or
fish. An installed tool has them below its prefix, in share, where these shells
look if the prefix is /usr. Otherwise, in
  ~/.bashrc         source <(%t completions bash)
  ~/.zshrc          source <(%t completions zsh), after compinit
  ~/.config/fish/config.fish
                    %t completions fish | source

Options:
  --help, -h       print this

Exit status: 0 it is printed, 2 wrong usage.

Examples:
  %t completions bash
)";
}

// The rest is in single quotes, in which a name may stand that has none itself.
template <class Words>
std::string joined(const Words& words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

std::vector<std::string_view> option_names(const Command& command) {
  std::vector<std::string_view> names;
  for (const Option& option : command.options) names.push_back(option.name);
  names.push_back(k_help_option);
  return names;
}

// next_words are the words that may follow a group: its commands, and groups of its own.
std::vector<std::string_view> next_words(std::string_view group) {
  std::vector<std::string_view> words;
  for (const Command* command : all_commands()) {
    if (!in_group(*command, group)) continue;
    std::string_view rest = command->name.substr(group.empty() ? 0 : group.size() + 1);
    rest = rest.substr(0, rest.find(' '));
    if (std::ranges::find(words, rest) == words.end()) words.push_back(rest);
  }
  return words;
}

// groups are the first words of names that have two.
std::vector<std::string_view> groups() {
  std::vector<std::string_view> found;
  for (const std::string_view word : next_words("")) {
    if (!next_words(word).empty()) found.push_back(word);
  }
  return found;
}

std::string row(std::string_view key, std::string_view name, std::string_view words) {
  return "    '" + std::string(key) + ':' + std::string(name) + "') found='" + std::string(words) +
         "' ;;\n";
}

// table is a function of bash and of zsh that answers what the table knows: `command:NAME` whether
// there is such a command or group, `value:NAME OPTION` whether that takes a value, `last:NAME`
// whether its first word ends the options; and in `found` the words that may stand there.
std::string table() {
  std::string rows = row("words", "", joined(next_words("")) + " --help --version") +
                     row("options", "", "--help --version");
  for (const std::string_view group : groups()) {
    rows += row("command", group, "") + row("words", group, joined(next_words(group))) +
            row("options", group, k_help_option);
  }
  for (const Command* command : all_commands()) {
    const std::string name(command->name);
    rows += row("command", name, "") + row("options", name, joined(option_names(*command)));
    if (!command->words.empty()) rows += row("words", name, joined(command->words));
    if (command->takes_command) rows += row("last", name, "");
    for (const Option& option : command->options) {
      if (!option.takes_value) continue;
      rows += row("value", name + ' ' + std::string(option.name), joined(option.values));
    }
  }
  return "_sandproof_table() {\n  found=\n  case $1 in\n" + rows +
         "    *) return 1 ;;\n  esac\n}\n";
}

std::string bash() {
  return "# Completes the words of sandproof in bash. Made by 'sandproof completions bash'.\n\n" +
         table() + R"(
_sandproof() {
  local current=${COMP_WORDS[COMP_CWORD]} command='' option='' given='' found='' i=1
  COMPREPLY=()
  while ((i < COMP_CWORD)) &&
    _sandproof_table "command:${command:+$command }${COMP_WORDS[i]}"; do
    command=${command:+$command }${COMP_WORDS[i]}
    ((i++))
  done
  while ((i < COMP_CWORD)); do
    case ${COMP_WORDS[i]} in
      --) return ;;
      -*)
        if _sandproof_table "value:$command ${COMP_WORDS[i]}"; then
          option=${COMP_WORDS[i]}
          # bash takes --name=value for three words.
          [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
          ((i++))
          # And a value that has = or : in it for as many.
          while ((i < COMP_CWORD)) && [[ ${COMP_WORDS[i + 1]} == [=:]* ]]; do
            ((i++))
            [[ ${COMP_WORDS[i + 1]-} == -* ]] || ((i++))
          done
        fi
        ;;
      *)
        given=y
        _sandproof_table "last:$command" && return
        ;;
    esac
    ((i++))
  done
  if ((i > COMP_CWORD)); then
    [[ $current == = ]] && current=
    _sandproof_table "value:$command $option"
  elif [[ $current == -* ]]; then
    _sandproof_table "options:$command"
  else
    _sandproof_table "${given:-words}:$command"
  fi
  mapfile -t COMPREPLY < <(compgen -W "$found" -- "$current")
}

complete -o bashdefault -o default -F _sandproof sandproof
)";
}

std::string zsh() {
  return "#compdef sandproof\n"
         "# Completes the words of sandproof in zsh. Made by 'sandproof completions zsh'.\n\n" +
         table() + R"(
_sandproof() {
  local command='' option='' given='' found='' i=2
  while ((i < CURRENT)) && _sandproof_table "command:${command:+$command }${words[i]}"; do
    command=${command:+$command }${words[i]}
    ((i++))
  done
  while ((i < CURRENT)); do
    case ${words[i]} in
      --) { _default; return; } ;;
      -*)
        if _sandproof_table "value:$command ${words[i]}"; then
          option=${words[i]}
          ((i++))
        fi
        ;;
      *)
        given=y
        _sandproof_table "last:$command" && { _default; return; }
        ;;
    esac
    ((i++))
  done
  if ((i > CURRENT)); then
    _sandproof_table "value:$command $option"
  elif [[ $PREFIX == -*=* ]]; then
    option=${PREFIX%%=*}
    compset -P '*='
    _sandproof_table "value:$command $option"
  elif [[ $PREFIX == -* ]]; then
    _sandproof_table "options:$command"
  else
    _sandproof_table "${given:-words}:$command"
  fi
  if [[ -n $found ]]; then
    compadd -- ${=found}
  else
    _default
  fi
}

if [[ ${funcstack[1]-} == _sandproof ]]; then
  _sandproof "$@"
else
  compdef _sandproof sandproof
fi
)";
}

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

// seen is the condition of fish that these words stand there already.
std::string seen(std::string_view words) {
  std::string condition;
  for (const auto word : std::views::split(words, ' ')) {
    condition += condition.empty() ? "" : "; and ";
    condition += "__fish_seen_subcommand_from ";
    condition += std::string_view(word.begin(), word.end());
  }
  return condition;
}

std::string fish_line(std::string_view condition, std::string_view rest) {
  return "complete -c sandproof -n " + fish_quoted(condition) + ' ' + std::string(rest) + '\n';
}

// Behind these words no option is one of the tool's.
constexpr std::string_view k_fish_end = R"(
# Whether options have ended: behind '--', or behind more words than $argv[1]. The rest are the
# options that take a value.
function __sandproof_options_end
    set -l left $argv[1]
    set -l is_value no
    for word in (commandline -opc)
        if test $is_value = yes
            set is_value no
        else if test "$word" = --
            return 0
        else if string match -q -- '-*' $word
            contains -- $word $argv[2..-1]; and set is_value yes
        else if test $left = 0
            return 0
        else
            set left (math $left - 1)
        end
    end
    return 1
end

)";

// options_stand is the condition that options of this command may still stand.
std::string options_stand(const Command& command) {
  // The tool's own name is a word too. Where no command is given, words never end the options.
  const auto words = std::ranges::count(command.name, ' ') + 2;
  std::string text = "; and not __sandproof_options_end ";
  text += command.takes_command ? std::to_string(words) : "-1";
  for (const Option& option : command.options) {
    if (option.takes_value) text.append(" ").append(option.name);
  }
  return text;
}

std::string fish() {
  std::string text =
      "# Completes the words of sandproof in fish. Made by 'sandproof completions fish'.\n" +
      std::string(k_fish_end) + fish_line("__fish_use_subcommand", "-f -l version") +
      "complete -c sandproof -l help\n";
  for (const std::string_view group : groups()) {
    text += fish_line("__fish_use_subcommand", "-f -a " + std::string(group));
  }
  for (const Command* command : all_commands()) {
    const std::size_t space = command->name.find(' ');
    const bool is_grouped = space != std::string_view::npos;
    const std::string_view group = command->name.substr(0, is_grouped ? space : 0);
    const std::string last(command->name.substr(is_grouped ? space + 1 : 0));
    const std::string free = is_grouped ? seen(group) + "; and not __fish_seen_subcommand_from " +
                                              joined(next_words(group))
                                        : "__fish_use_subcommand";
    text += fish_line(free, "-f -a " + last + " -d " + fish_quoted(command->summary));
    const std::string here = seen(command->name);
    if (!command->words.empty()) {
      text += fish_line(here + "; and not __fish_seen_subcommand_from " + joined(command->words),
                        "-f -a " + fish_quoted(joined(command->words)));
    }
    for (const Option& option : command->options) {
      std::string rest = "-l " + std::string(option.name.substr(2));
      if (option.takes_value) rest += option.values.empty() ? " -r" : " -x -a ";
      if (!option.values.empty()) rest += fish_quoted(joined(option.values));
      text += fish_line(here + options_stand(*command), rest);
    }
  }
  return text;
}

constexpr std::array<std::string (*)(), k_shells.size()> k_makers{bash, zsh, fish};

Result run(const Arguments& arguments, Output& output) {
  if (arguments.words().empty()) return complain("which shell? Give bash, zsh or fish");
  if (arguments.words().size() > 1) {
    return complain("unexpected " + escaped(arguments.words()[1]) + ": give one shell");
  }
  const std::string_view shell = arguments.words().front();
  const auto found = std::ranges::find(k_shells, shell);
  if (found == k_shells.end()) {
    return complain("unknown shell " + escaped(shell) + ": give bash, zsh or fish");
  }
  output.write(k_makers[static_cast<std::size_t>(found - k_shells.begin())]());
  return k_exit_accepted;
}

}  // namespace

constexpr Command k_completions_command{
    .name = "completions",
    .summary = "print what completes these words in a shell",
    .example = "completions bash",
    .options = {},
    .help = help,
    .run = run,
    .words = k_shells,
};

}  // namespace sandproof::cli
