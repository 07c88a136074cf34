// Environments: names, values and families agree with the reference; lists keep their order.
#include "sandproof/environment.h"

#include <set>

#include "support.h"

namespace sandproof::props {
namespace {

constexpr char k_name_bytes[] = "abcXYZ019_";

reference::Families families_of(FamilySet set) {
  return set == FamilySet::baseline ? reference::Families::baseline : reference::Families::strict;
}

void expect_name_agreement(std::string_view text) {
  const Checked<EnvName> name = EnvName::parse(text);
  ASSERT_EQ(answer_of(name), reference::env_name(text)) << escaped(text);
  ASSERT_EQ(name.has_value(), matches_language("env-name", text)) << escaped(text);
  for (const FamilySet set : {FamilySet::baseline, FamilySet::strict}) {
    ASSERT_EQ(answer_of(SessionName::parse(text, {.set = set})),
              reference::session_variable(families_of(set), text, std::nullopt))
        << escaped(text);
  }
}

void expect_variable_agreement(std::string_view name, std::string_view value) {
  const Checked<EnvVariable> variable = EnvVariable::parse(name, value);
  if (EnvName::parse(name)) {
    ASSERT_EQ(variable ? accepted(variable->value()) : refused(variable.error()),
              reference::env_value(name, value))
        << escaped(name) << "=" << escaped(value);
  }
  for (const FamilySet set : {FamilySet::baseline, FamilySet::strict}) {
    const auto allowed = SessionVariable::parse(name, value, {.set = set});
    ASSERT_EQ(allowed ? accepted(allowed->name().view()) : refused(allowed.error()),
              reference::session_variable(families_of(set), name, value))
        << escaped(name) << "=" << escaped(value);
    if (allowed) {
      ASSERT_EQ(allowed->value(), value);
    }
  }
}

TEST(EnvName, AgreesOnEveryByteAndPair) { for_each_short(expect_name_agreement); }

TEST(EnvName, AgreesOnEveryShortStringOverTheBytesThatMatter) {
  for_each_string("aZ09_=- ", 5, expect_name_agreement);
}

TEST(EnvName, AgreesOnEveryByteAtEveryPlace) { for_each_place('A', 40, expect_name_agreement); }

TEST(EnvName, KeepsItsLimit) {
  const std::string limit(k_max_env_name_size, 'A');
  EXPECT_TRUE(EnvName::parse(limit));
  EXPECT_EQ(EnvName::parse(std::string_view(limit + 'A')).error(),
            (Refusal{Subject::env_name, Reason::too_long}));
}

TEST(EnvVariable, KeepsTheLimitOfNameAndValueTogether) {
  const std::string value(k_max_env_entry_size - 2, 'v');
  EXPECT_TRUE(EnvVariable::parse("N", value));
  EXPECT_EQ(EnvVariable::parse("NN", value).error(),
            (Refusal{Subject::env_value, Reason::too_long}));
  EXPECT_EQ(EnvVariable::parse("N", value + "v").error().reason, Reason::too_long);
}

TEST(EnvVariable, ReportsTheFirstRuleThatRefuses) {
  using namespace std::string_view_literals;
  std::string long_value(k_max_env_entry_size, 'v');
  long_value[7] = '\xff';
  EXPECT_EQ(EnvVariable::parse("N", long_value).error(),
            (Refusal{Subject::env_value, Reason::invalid_utf8, 7}));
  EXPECT_EQ(EnvVariable::parse("N", "\xff\0"sv).error(),
            (Refusal{Subject::env_value, Reason::nul, 1}));
  EXPECT_EQ(EnvVariable::parse("1", "\0"sv).error(),
            (Refusal{Subject::env_name, Reason::leading_digit, 0}));
}

// The two tables were written from the specification apart from each other.
TEST(Families, TheTableIsTheReferencesTable) {
  for (const FamilySet set : {FamilySet::baseline, FamilySet::strict}) {
    std::set<std::string> names;
    std::set<std::string> prefixes;
    for (const Family& family : families()) {
      if (family.set > set) continue;
      (family.is_prefix ? prefixes : names).insert(std::string(family.name));
    }
    const auto expected_names = reference::refused_names(families_of(set));
    const auto expected_prefixes = reference::refused_prefixes(families_of(set));
    EXPECT_EQ(names, std::set<std::string>(expected_names.begin(), expected_names.end()));
    EXPECT_EQ(prefixes, std::set<std::string>(expected_prefixes.begin(), expected_prefixes.end()));
  }
}

TEST(Families, EveryRowSaysWhyAndWhereThatIsWritten) {
  std::set<std::string_view> seen;
  for (const Family& family : families()) {
    EXPECT_TRUE(seen.insert(family.name).second) << family.name << " stands twice";
    EXPECT_FALSE(family.why.empty()) << family.name;
    EXPECT_FALSE(family.source.empty()) << family.name;
    EXPECT_EQ(find_family(FamilySet::strict, family.name)->name, family.name)
        << "an earlier row hides this one";
  }
}

TEST(Families, AreExactAndCaseSensitive) {
  for (const Family& family : families()) {
    const std::string name(family.name);
    const std::string longer = name + "X";
    const std::string shorter = name.substr(0, name.size() - 1);
    const std::string before = "X" + name;
    for (const std::string_view text : {std::string_view(name), std::string_view(longer),
                                        std::string_view(shorter), std::string_view(before)}) {
      expect_name_agreement(text);
    }
    EXPECT_EQ(SessionName::parse(std::string_view(longer)).has_value(), !family.is_prefix)
        << longer;
    EXPECT_TRUE(SessionName::parse(std::string_view(before))) << before;
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    if (lower != name) {
      EXPECT_TRUE(SessionName::parse(std::string_view(lower))) << lower;
    }
  }
}

TEST(Families, ARefusalNamesTheFamilyTheReasonAndTheWayOut) {
  const std::string message = explain(SessionName::parse("LD_PRELOAD").error(), "LD_PRELOAD");
  EXPECT_NE(message.find("LD_*"), message.npos) << message;
  EXPECT_NE(message.find("every tool"), message.npos) << message;
  EXPECT_NE(message.find("declare it on the command instead"), message.npos) << message;
}

TEST(SessionVariable, ColumnsAndLinesAreNumbers) {
  for (const std::string_view name : {"COLUMNS", "LINES"}) {
    for_each_string("05x ", 6,
                    [name](std::string_view value) { expect_variable_agreement(name, value); });
    EXPECT_EQ(SessionVariable::parse(name, "zz").error().reason, Reason::not_digits);
    EXPECT_TRUE(SessionVariable::parse(name, "zz", {.set = FamilySet::baseline}));
  }
  EXPECT_TRUE(SessionVariable::parse("LINE", "zz"));
}

TEST(SessionVariable, NoValueLooksLikeAFunction) {
  for_each_string("(){ x", 5,
                  [](std::string_view value) { expect_variable_agreement("X", value); });
  EXPECT_EQ(SessionVariable::parse("X", "() { :; }; id").error(),
            (Refusal{Subject::env_value, Reason::function_value}));
}

TEST(SessionEnvironment, ChecksByPhases) {
  using namespace std::string_view_literals;
  struct Row {
    std::vector<EnvEntry> entries;
    Subject subject;
    Reason reason;
    std::size_t word;
  };
  using enum Subject;
  for (const auto& [entries, subject, reason, word] : {
           Row{{{"A", "\0"sv}, {"PATH", ""}, {"1", ""}}, env_name, Reason::leading_digit, 2},
           Row{{{"A", "\0"sv}, {"A", ""}, {"PATH", ""}}, env_name, Reason::refused_family, 2},
           Row{{{"A", ""}, {"A", ""}, {"B", "\0"sv}}, env_value, Reason::nul, 2},
           Row{{{"B", ""}, {"A", ""}, {"C", ""}, {"B", ""}, {"A", ""}},
               env_name,
               Reason::duplicate_name,
               3},
       }) {
    const auto environment = SessionEnvironment::parse(entries);
    ASSERT_FALSE(environment);
    EXPECT_EQ(environment.error().subject, subject);
    EXPECT_EQ(environment.error().reason, reason);
    EXPECT_EQ(environment.error().word, word);
  }
}

TEST(SessionEnvironment, IsSortedByBytes) {
  const std::vector<EnvEntry> entries{{"b", "1"}, {"_", "2"}, {"B", "3"}, {"A_1", "4"}, {"A", "5"}};
  const auto environment = SessionEnvironment::parse(entries);
  ASSERT_TRUE(environment);
  std::string names;
  for (const auto& variable : environment->variables()) {
    names += variable.name + "=" + variable.value + " ";
  }
  EXPECT_EQ(names, "A=5 A_1=4 B=3 _=2 b=1 ");
}

TEST(SessionEnvironment, ADeploymentRefusesFurtherNames) {
  class Corporate final : public NameRule {
   public:
    bool refuses(std::string_view name) const noexcept override { return name == "CORP"; }
  };
  const Corporate rule;
  EXPECT_TRUE(SessionName::parse("CORP"));
  EXPECT_EQ(SessionName::parse("CORP", {.also = &rule}).error().reason, Reason::refused_family);
  EXPECT_EQ(SessionVariable::parse("CORP", "x", {FamilySet::baseline, &rule}).error().reason,
            Reason::refused_family);
}

RC_GTEST_PROP(EnvName, AgreesOnAnyBytes, ()) { expect_name_agreement(*any_bytes()); }
RC_GTEST_PROP(EnvName, AgreesNearValid, ()) {
  expect_name_agreement(*near_valid(from_alphabet(k_name_bytes, 1, 300)));
}
RC_GTEST_PROP(SessionVariable, AgreesNearValid, ()) {
  const auto names = rc::gen::oneOf(
      from_alphabet(k_name_bytes, 1, 6),
      rc::gen::elementOf(std::vector<std::string>{"COLUMNS", "LINES", "PATH", "LD_X", "ENV", "X"}));
  const auto values =
      rc::gen::oneOf(any_bytes(), near_valid(rc::gen::just(std::string("() { :; }"))),
                     near_valid(from_alphabet("0123456789", 1, 6)),
                     near_valid(rc::gen::just(std::string("\xc3\xa9"))));
  expect_variable_agreement(*names, *values);
}

RC_GTEST_PROP(SessionEnvironment, AgreesOnLists, ()) {
  const auto entries = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::oneOf(from_alphabet("AB", 1, 2),
                                   rc::gen::elementOf(std::vector<std::string>{"PATH", "1", ""})),
                    from_alphabet(std::string("x\0", 2), 0, 2)));
  std::vector<EnvEntry> views;
  for (const auto& [name, value] : entries) views.push_back({name, value});
  const auto environment = SessionEnvironment::parse(views);
  const auto expected = reference::session_environment(reference::Families::strict, entries);
  RC_ASSERT(environment.has_value() == expected.accepted);
  if (!environment) {
    const Refusal& refusal = environment.error();
    RC_ASSERT(code(refusal.reason) == expected.reason);
    RC_ASSERT(refusal.word == expected.entry.value_or(k_no_place));
    RC_ASSERT(refusal.offset == expected.offset.value_or(k_no_place));
  } else {
    RC_ASSERT(environment->variables().size() == entries.size());
  }
}

}  // namespace
}  // namespace sandproof::props
