// A deployment's own patterns: whole names, refused sets, and matches that cannot be finished.
#include "sandproof/name_patterns.h"

#include <array>

#include "sandproof/domain_pattern.h"
#include "sandproof/environment.h"
#include "support.h"

namespace sandproof::props {
namespace {

NamePatterns compiled(std::vector<std::string_view> patterns) {
  auto set = NamePatterns::compile(patterns);
  EXPECT_TRUE(set);
  return std::move(*set);
}

TEST(NamePatterns, MatchTheWholeName) {
  const NamePatterns set = compiled({"CORP_.*", "a|bc"});
  for (const std::string_view name : {"CORP_", "CORP_X", "a", "bc"}) {
    EXPECT_TRUE(set.refuses(name)) << name;
  }
  for (const std::string_view name : {"XCORP_", "CORP", "corp_x", "ab", "c", "abc", ""}) {
    EXPECT_FALSE(set.refuses(name)) << name;
  }
}

TEST(NamePatterns, ASetWithoutPatternsRefusesNothing) {
  const NamePatterns set = compiled({});
  EXPECT_FALSE(set.refuses(""));
  EXPECT_FALSE(set.refuses("PATH"));
}

TEST(NamePatterns, TakeAnyBytes) {
  const NamePatterns set = compiled({"\\xff.", "a\\x00b"});
  EXPECT_TRUE(set.refuses("\xff\xfe"));
  EXPECT_TRUE(set.refuses(std::string_view("a\0b", 3)));
  EXPECT_FALSE(set.refuses("\xff"));
}

TEST(NamePatterns, OneBadPatternRefusesTheSet) {
  const std::array<std::string_view, 3> patterns{"fine", "(", "also fine"};
  const auto set = NamePatterns::compile(patterns);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().index, 1U);
  EXPECT_EQ(set.error().pattern, "(");
  EXPECT_NE(set.error().message.find("missing"), std::string::npos) << set.error().message;
  const std::string message = explain(set.error());
  EXPECT_NE(message.find("pattern 1 \"(\""), message.npos) << message;
}

TEST(NamePatterns, ForeignBytesOfAPatternAreNeverPrintedRaw) {
  const std::array<std::string_view, 1> patterns{"(\n\x1b[31m\xff"};
  EXPECT_TRUE(is_printable(explain(NamePatterns::compile(patterns).error())));
}

TEST(NamePatterns, ASetThatNeedsTooMuchMemoryIsRefused) {
  const std::array<std::string_view, 2> patterns{"((a{100}){100}){10}", "(x+x+)+y{900}"};
  EXPECT_FALSE(NamePatterns::compile(patterns, 1 << 12));
}

TEST(NamePatterns, AMovedFromSetRefusesEverything) {
  NamePatterns set = compiled({"x"});
  const NamePatterns other = std::move(set);
  EXPECT_FALSE(other.refuses("y"));
  EXPECT_TRUE(set.refuses("y"));  // NOLINT(bugprone-use-after-move): this is the question
}

TEST(NamePatterns, ServeVariablesAndDomains) {
  const NamePatterns names = compiled({"CORP_.*"});
  EXPECT_EQ(SessionName::parse("CORP_X", {.also = &names}).error().reason, Reason::refused_family);
  EXPECT_TRUE(SessionName::parse("CORPX", {.also = &names}));
  const NamePatterns zones = compiled({R"((.*\.)?internal\.example)"});
  for (const std::string_view domain :
       {"internal.example", "a.internal.example", "*.internal.example", "*.A.Internal.example."}) {
    EXPECT_EQ(DomainPattern::parse(domain, &zones).error().reason, Reason::refused_domain);
  }
  EXPECT_TRUE(DomainPattern::parse("notinternal.example", &zones));
}

RC_GTEST_PROP(NamePatterns, ALiteralRefusesExactlyItself, ()) {
  const std::string literal = *from_alphabet("abc_", 1, 8);
  const std::string name = *rc::gen::oneOf(rc::gen::just(literal), from_alphabet("abc_", 0, 8));
  const NamePatterns set = compiled({literal});
  RC_ASSERT(set.refuses(name) == (name == literal));
}

}  // namespace
}  // namespace sandproof::props
