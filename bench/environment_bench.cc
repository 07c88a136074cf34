// What may be set for a session: values, built-in families, a deployment's own patterns.
//
//   env_value/KIND/SIZE     values: ascii, utf8 (every third character is not ASCII), and mixed
//                           (every second one has a mistake)
//   family/NAMES            the built-in table, asked for names that are in it (refused), that are
//                           not (accepted), and that are but for their last byte (near)
//   name_patterns/NAMES     five patterns, against a set of RE2's and an expression each
#include "sandproof/environment.h"

#include <re2/set.h>

#include <unordered_set>

#include "reference/utf8.h"
#include "sandproof/name_patterns.h"
#include "text_contest.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

// ---- Values. ----

bool value_by_library(std::string_view value) {
  return EnvVariable::parse("NAME", value).has_value();
}

// One character after another.
bool value_by_loop(std::string_view value) {
  return value.find('\0') == value.npos && !reference::first_ill_formed(value).has_value();
}

Contest values(std::size_t size, Script script, bool mixed) {
  Texts texts = paths(size, mixed, script);
  for (const std::string& text : texts) {
    const reference::Answer expected = reference::env_value("NAME", text);
    verify(text, EnvVariable::parse("NAME", text), expected);
    must(value_by_loop(text) == expected.accepted, "the loop disagrees with the reference", text);
  }
  return texts_contest<value_by_library, by_memchr, value_by_loop>(std::move(texts), "sandproof",
                                                                   "memchr", "loop");
}

// ---- Families. ----

enum class Kin { refused, accepted, near };
constexpr std::string_view k_kin_names[] = {"refused", "accepted", "near"};

// family_names are rows of the table, what begins with its prefixes, and names that are neither.
Texts family_names(Kin kin) {
  Numbers numbers;
  Texts texts;
  const auto rows = families();
  while (texts.size() < 512) {
    const Family& row = rows[numbers.below(rows.size())];
    std::string name(row.name);
    if (row.is_prefix) name += numbers.of(k_name_bytes);
    if (kin == Kin::near) name[row.name.size() - 1] = '0';
    if (kin == Kin::accepted) name = "APP_" + name.substr(0, 1 + numbers.below(name.size()));
    texts.push_back(std::move(name));
  }
  return texts;
}

bool family_by_library(std::string_view name) {
  return find_family(FamilySet::strict, name) == nullptr;
}

// Every row is compared, as the table reads.
bool family_by_loop(std::string_view name) {
  for (const Family& row : families()) {
    if (row.is_prefix ? name.starts_with(row.name) : name == row.name) return false;
  }
  return true;
}

// A hash table of the exact names, then the prefixes.
bool family_by_hash(std::string_view name) {
  static const std::unordered_set<std::string_view> exact = [] {
    std::unordered_set<std::string_view> all;
    for (const Family& row : families()) {
      if (!row.is_prefix) all.insert(row.name);
    }
    return all;
  }();
  static const std::vector<std::string_view> prefixes = [] {
    std::vector<std::string_view> all;
    for (const Family& row : families()) {
      if (row.is_prefix) all.push_back(row.name);
    }
    return all;
  }();
  if (exact.contains(name)) return false;
  return std::ranges::none_of(prefixes, [=](auto prefix) { return name.starts_with(prefix); });
}

Contest family(Kin kin) {
  Texts texts = family_names(kin);
  for (const std::string& text : texts) {
    const bool expected =
        reference::session_variable(reference::Families::strict, text, std::nullopt).accepted;
    must(family_by_library(text) == expected, "the library disagrees with the reference", text);
    must(family_by_loop(text) == expected, "the loop disagrees with the reference", text);
    must(family_by_hash(text) == expected, "the hash table disagrees with the reference", text);
  }
  return texts_contest<family_by_library, by_memchr, family_by_loop, family_by_hash>(
      std::move(texts), "sandproof", "memchr", "loop", "hash");
}

// ---- A deployment's own patterns. ----

constexpr std::array<std::string_view, 5> k_patterns{
    "CORP_.*", "(HTTP|HTTPS|FTP)_PROXY", ".*SECRET.*", "[A-Z]{2}_TOKEN_[0-9]+", "(A|AA)*_LOOP"};

Texts pattern_names(bool refused) {
  constexpr std::array<std::string_view, 5> k_refused{"CORP_", "HTTPS_PROXY", "MY_SECRET_",
                                                      "GH_TOKEN_12", "AAAAAAAAAAAAAAAA_LOOP"};
  if (!refused) return names(16, false);
  Numbers numbers;
  Texts texts;
  while (texts.size() < 512) texts.emplace_back(k_refused[numbers.below(k_refused.size())]);
  return texts;
}

bool patterns_by_library(std::string_view name) {
  static const NamePatterns patterns = NamePatterns::compile(k_patterns).value();
  return patterns.refuses(name);
}

bool patterns_by_set(std::string_view name) {
  static const std::unique_ptr<RE2::Set> set = [] {
    auto made = std::make_unique<RE2::Set>(RE2::Options(RE2::Latin1), RE2::ANCHOR_BOTH);
    for (const std::string_view each : k_patterns) {
      made->Add(re2::StringPiece(each.data(), each.size()), nullptr);
    }
    made->Compile();
    return made;
  }();
  return set->Match(re2::StringPiece(name.data(), name.size()), nullptr);
}

template <class Engine>
bool patterns_each(std::string_view name) {
  static const std::vector<std::unique_ptr<Engine>> all = [] {
    std::vector<std::unique_ptr<Engine>> made;
    for (const std::string_view each : k_patterns) made.push_back(std::make_unique<Engine>(each));
    return made;
  }();
  return std::ranges::any_of(all, [=](const auto& each) { return each->matches(name); });
}

Contest name_patterns(bool refused) {
  Texts texts = pattern_names(refused);
  for (const std::string& text : texts) {
    const bool expected = patterns_each<Re2>(text);
    must(!refused || expected, "a name that should be refused is not", text);
    must(patterns_by_library(text) == expected, "the library disagrees with RE2", text);
    must(patterns_by_set(text) == expected, "a set disagrees with its expressions", text);
    must(patterns_each<StdRegex>(text) == expected, "std::regex disagrees with RE2", text);
  }
  return texts_contest<patterns_by_library, patterns_by_set, patterns_each<Re2>,
                       patterns_each<StdRegex>>(std::move(texts), "sandproof", "set", "re2",
                                                "regex");
}

void add_all() {
  for (const std::size_t size : {8U, 64U, 1'024U, 65'536U, 131'000U}) {
    add_contest(contest_name("env_value", "ascii", size),
                [=] { return values(size, Script::ascii, false); });
    add_contest(contest_name("env_value", "utf8", size),
                [=] { return values(size, Script::utf8, false); });
    add_contest(contest_name("env_value", "mixed", size),
                [=] { return values(size, Script::utf8, true); });
  }
  for (const Kin kin : {Kin::refused, Kin::accepted, Kin::near}) {
    add_contest("family/" + std::string(k_kin_names[static_cast<std::size_t>(kin)]),
                [=] { return family(kin); });
  }
  add_contest("name_patterns/accepted", [] { return name_patterns(false); });
  add_contest("name_patterns/refused", [] { return name_patterns(true); });
}

}  // namespace

int main(int count, char** arguments) {
  add_all();
  return run(count, arguments);
}
