// Variables: the input is NAME or NAME=VALUE, and also, line by line, a session's environment.
//
// The first byte may be 0x01 instead: then the second says how far NAME=VALUE is from its limit,
// and the value is filled up to there. Inputs of that size would slow everything else down.
#include <vector>

#include "examination.h"
#include "fuzz_check.h"
#include "near_limit.h"
#include "reference/languages.h"
#include "sandproof/environment.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t k_max_entries = 5;

struct Sets {
  FamilySet ours;
  reference::Families theirs;
};
constexpr Sets k_sets[] = {{FamilySet::baseline, reference::Families::baseline},
                           {FamilySet::strict, reference::Families::strict}};

// What is accepted: a name, alone or with a value, on one command and on a session.
void check_decisions(std::string_view name, std::optional<std::string_view> value) {
  const reference::Answer named = as_answer(EnvName::parse(name));
  FUZZ_CHECK(named == reference::env_name(name), named, reference::env_name(name));
  for (const Sets& sets : k_sets) {
    const SessionRules rules{.set = sets.ours, .also = nullptr};
    const auto name_of = [](const SessionVariable& variable) { return variable.name().view(); };
    const reference::Answer answer =
        value ? as_answer(SessionVariable::parse(name, *value, rules), name_of)
              : as_answer(SessionName::parse(name, rules));
    const reference::Answer expected = reference::session_variable(sets.theirs, name, value);
    FUZZ_CHECK(answer == expected, answer, expected);
  }
}

// What a message may show of a text that is no name: nothing behind `=`, which is somebody's value.
std::string_view without_value(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals == text.npos ? text : text.substr(0, equals + 1);
}

void check_name(std::string_view text) {
  static const reference::Language& language = reference::language("env-name");

  const Checked<EnvName> name = EnvName::parse(text);
  FUZZ_CHECK(name.has_value() == reference::in_language(language, text), text);
  if (name) {
    FUZZ_CHECK(name->view().data() == text.data() && name->view() == text, text);
    FUZZ_CHECK(EnvName::parse(name->view()) == name, text);
    // A name cut short is a name.
    for (const std::size_t size : {text.size() / 2, text.size() - 1}) {
      FUZZ_CHECK(size == 0 || EnvName::parse(text.substr(0, size)).has_value(), text, size);
    }
  } else {
    check_message(explain(name.error(), text), without_value(text));
  }
}

// check_session_name also holds the sets to each other: what baseline refuses, strict refuses.
void check_session_name(std::string_view name) {
  bool refused_before = false;
  for (const Sets& sets : k_sets) {
    const SessionRules rules{.set = sets.ours, .also = nullptr};
    const Checked<SessionName> parsed = SessionName::parse(name, rules);
    const reference::Answer expected = reference::session_variable(sets.theirs, name, std::nullopt);
    FUZZ_CHECK(as_answer(parsed) == expected, as_answer(parsed), expected);
    FUZZ_CHECK(!refused_before || !parsed, name);
    refused_before = !parsed;
    const bool in_family = find_family(sets.ours, name) != nullptr;
    const bool in_table = std::ranges::any_of(families(), [&](const Family& family) {
      return family.set <= sets.ours &&
             (family.is_prefix ? name.starts_with(family.name) : name == family.name);
    });
    FUZZ_CHECK(in_family == in_table, name);
    if (EnvName::parse(name)) FUZZ_CHECK(in_family != parsed.has_value(), name);
    if (!parsed) check_message(explain(parsed.error(), name), without_value(name));
  }
}

// check_table holds every row of the reference's table to the library's. Once a process: an input
// would have to spell each of them.
bool check_table() {
  for (const Sets& sets : k_sets) {
    for (const std::string& name : reference::refused_names(sets.theirs)) {
      check_session_name(name);
      check_session_name(name + '_');
    }
    for (const std::string& prefix : reference::refused_prefixes(sets.theirs)) {
      check_session_name(prefix);
      check_session_name(prefix + 'X');
    }
  }
  return true;
}

void check_value(std::string_view name, std::string_view value) {
  const Checked<EnvName> named = EnvName::parse(name);
  const Checked<EnvVariable> whole = EnvVariable::parse(name, value);
  if (!named) {
    FUZZ_CHECK(!whole && whole.error() == named.error(), name);
  } else {
    const reference::Answer expected = reference::env_value(name, value);
    const Checked<EnvVariable> variable = EnvVariable::with_value(*named, value);
    FUZZ_CHECK(variable ? whole && whole->name() == *named && whole->value() == value
                        : !whole && whole.error() == variable.error(),
               name, value);
    const reference::Answer answer =
        as_answer(variable, [](const EnvVariable& accepted) { return accepted.value(); });
    FUZZ_CHECK(answer == expected, answer, expected);
    const bool placed = variable || variable.error().subject == Subject::env_value;
    FUZZ_CHECK(placed, name, value);
    if (!variable) {
      check_message(explain(variable.error(), value));
      // A value may be a secret: no message depends on it.
      FUZZ_CHECK(explain(variable.error(), value) == explain(variable.error(), {}), value);
    }
  }
  for (const Sets& sets : k_sets) {
    const SessionRules rules{.set = sets.ours, .also = nullptr};
    const Checked<SessionVariable> variable = SessionVariable::parse(name, value, rules);
    if (variable) {
      FUZZ_CHECK(variable->value().data() == value.data() && variable->value() == value, value);
    } else {
      const bool of_name = variable.error().subject == Subject::env_name;
      check_message(explain(variable.error(), of_name ? name : value));
    }
  }
}

Entries split_lines(std::string_view text) {
  Entries entries;
  while (entries.size() < k_max_entries) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t equals = std::min(line.find('='), line.size());
    entries.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return entries;
}

void check_environment(const Entries& entries) {
  std::vector<EnvEntry> views;
  for (const auto& [name, value] : entries) views.push_back({name, value});
  for (const Sets& sets : k_sets) {
    const SessionRules rules{.set = sets.ours, .also = nullptr};
    const Checked<SessionEnvironment> environment = SessionEnvironment::parse(views, rules);
    const reference::ListAnswer expected = reference::session_environment(sets.theirs, entries);
    reference::ListAnswer answer;
    answer.accepted = environment.has_value();
    if (!environment) {
      answer.reason = code(environment.error().reason);
      answer.offset = place(environment.error().offset);
      answer.entry = place(environment.error().word);
    }
    FUZZ_CHECK(answer == expected, answer, expected);
    if (!environment) continue;
    Entries sorted;
    for (const auto& variable : environment->variables()) {
      sorted.emplace_back(variable.name, variable.value);
    }
    FUZZ_CHECK(std::ranges::is_sorted(sorted));
    FUZZ_CHECK(std::ranges::is_permutation(sorted, entries));
  }
}

std::string filled_up(std::string_view input) {
  std::string text(input.substr(2));
  if (text.find('=') == text.npos) text += '=';
  fill_up(text, distance_from(k_max_env_entry_size, input[1]), 'v');
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] static const bool is_checked = check_table();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string filled;
  const bool whole = whole_examination(128);
  if (whole && to_be_filled(input)) {
    filled = filled_up(input);
    input = filled;
  }
  const std::size_t equals = input.find('=');
  const ExactCopy name(input.substr(0, equals));
  if (equals == input.npos) {
    check_decisions(name.view(), std::nullopt);
    if (!whole) return 0;
    check_session_name(name.view());
  } else {
    const ExactCopy value(input.substr(equals + 1));
    check_decisions(name.view(), value.view());
    if (!whole) return 0;
    check_value(name.view(), value.view());
  }
  check_name(name.view());
  // Somebody may give the whole entry where its name belongs.
  const ExactCopy entry(input);
  check_name(entry.view());
  if (input.find('\n') != input.npos) check_environment(split_lines(input));
  return 0;
}
