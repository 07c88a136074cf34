// Domain patterns: parser, reference and regular expression say the same of every input.
#include "sandproof/domain_pattern.h"

#include "support.h"

namespace sandproof::props {
namespace {

void expect_agreement(std::string_view text) {
  const Checked<DomainPattern> domain = DomainPattern::parse(text);
  ASSERT_EQ(answer_of(domain), reference::domain(text)) << escaped(text);
  if (domain) {
    ASSERT_TRUE(matches_language("domain", domain->view())) << escaped(text);
    ASSERT_EQ(DomainPattern::parse(domain->view()), domain) << "the canonical form is its own";
    ASSERT_EQ(domain->is_wildcard(), text.starts_with('*'));
    ASSERT_EQ(domain->apex(), domain->view().substr(domain->is_wildcard() ? 2 : 0));
  } else {
    ASSERT_FALSE(matches_language("domain", text)) << escaped(text);
  }
}

rc::Gen<std::string> valid_domain() {
  return rc::gen::exec([] {
    std::string text = *rc::gen::elementOf(std::vector<std::string>{"", "*."});
    const int labels = *rc::gen::inRange(2, 6);
    for (int i = 0; i < labels; ++i) {
      text += *from_alphabet("abxABX01_", 1, 12) + '.';
    }
    text +=
        *rc::gen::elementOf(std::vector<std::string>{"com", "Example", "a-b", "x1", "0x1", "7"});
    if (*rc::gen::inRange(0, 3) == 0) text += '.';
    return text;
  });
}

TEST(DomainPattern, AgreesOnEveryByteAndPair) { for_each_short(expect_agreement); }

TEST(DomainPattern, AgreesOnEveryShortStringOverTheBytesThatMatter) {
  for_each_string("aB1.*-", 7, expect_agreement);
  for_each_string("a.:/@[, ", 6, expect_agreement);
  for_each_string("0xF.g*", 7, expect_agreement);
}

TEST(DomainPattern, AgreesOnEveryByteAtEveryPlace) {
  for_each_place('A', 36, [](std::string_view text) {
    expect_agreement(text);
    expect_agreement(std::string(text) + ".Example");
  });
}

TEST(DomainPattern, KeepsItsLimits) {
  const std::string label(k_max_label_size, 'a');
  EXPECT_TRUE(DomainPattern::parse(label + ".example"));
  EXPECT_EQ(DomainPattern::parse("x." + label + "a.example").error(),
            (Refusal{Subject::domain, Reason::bad_label, 2}));

  const std::string three = label + '.' + label + '.' + label + '.';
  const std::string longest = three + std::string(k_max_domain_size - three.size(), 'b');
  EXPECT_TRUE(DomainPattern::parse(longest));
  EXPECT_TRUE(DomainPattern::parse(longest + '.')) << "the root dot does not count";
  EXPECT_EQ(DomainPattern::parse(longest + 'b').error().reason, Reason::too_long);
  const std::string wildcard = "*." + longest.substr(2);
  EXPECT_TRUE(DomainPattern::parse(wildcard));
  EXPECT_EQ(DomainPattern::parse("*." + longest.substr(1)).error().reason, Reason::too_long);
}

// Where several mistakes stand in one text, the order of the rules decides, not their places.
TEST(DomainPattern, ReportsTheFirstRuleThatRefuses) {
  struct Row {
    std::string_view text;
    Reason reason;
    std::size_t offset;
  };
  for (const auto& [text, reason, offset] : {
           Row{" ,\xff", Reason::non_ascii, 2},
           Row{",://@[/: ", Reason::whitespace, 8},
           Row{"://@[/:,", Reason::list, 7},
           Row{"@[://", Reason::scheme, 2},
           Row{"[/:@", Reason::userinfo, 3},
           Row{"/::[", Reason::ip_literal, 3},
           Row{"::/", Reason::path, 2},
           Row{".*:*:", Reason::ip_literal, 2},
           Row{".*..:", Reason::port, 4},
           Row{".*..a", Reason::leading_dot, 0},
           Row{"a..*", Reason::wildcard, 3},
           Row{"*..com", Reason::empty_label, 2},
           Row{"-..com", Reason::empty_label, 2},
           Row{"a..", Reason::empty_label, 2},
           Row{"-.1", Reason::bad_label, 0},
           Row{"*.a.0xf", Reason::ip_literal, 4},
           Row{"1.2.3.4", Reason::ip_literal, 6},
       }) {
    EXPECT_EQ(DomainPattern::parse(text).error(), (Refusal{Subject::domain, reason, offset}))
        << escaped(text);
    expect_agreement(text);
  }
}

// A rule sees the canonical form, and the apex of a wildcard too.
TEST(DomainPattern, ADeploymentRefusesFurtherDomains) {
  class Metadata final : public NameRule {
   public:
    bool refuses(std::string_view name) const noexcept override {
      return name == "metadata.internal" || name == "*.a.internal";
    }
  };
  const Metadata rule;
  for (const std::string_view text :
       {"metadata.internal", "METADATA.internal.", "*.metadata.internal", "*.A.internal"}) {
    EXPECT_EQ(DomainPattern::parse(text, &rule).error(),
              (Refusal{Subject::domain, Reason::refused_domain}));
    EXPECT_TRUE(DomainPattern::parse(text));
  }
  EXPECT_TRUE(DomainPattern::parse("a.internal", &rule));
  EXPECT_EQ(DomainPattern::parse("metadata.internal:80", &rule).error().reason, Reason::port);
}

RC_GTEST_PROP(DomainPattern, AgreesOnAnyBytes, ()) { expect_agreement(*any_bytes()); }
RC_GTEST_PROP(DomainPattern, AgreesNearValid, ()) { expect_agreement(*near_valid(valid_domain())); }

}  // namespace
}  // namespace sandproof::props
