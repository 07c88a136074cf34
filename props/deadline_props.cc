// Deadlines: parser, reference and regular expression say the same of every input.
#include "sandproof/deadline.h"

#include "support.h"

namespace sandproof::props {
namespace {

using namespace std::chrono_literals;

reference::Answer answer(std::string_view text) {
  const Checked<Deadline> deadline = Deadline::parse(text);
  return deadline ? accepted(deadline->seconds_text().view()) : refused(deadline.error());
}

void expect_agreement(std::string_view text) {
  ASSERT_EQ(answer(text), reference::deadline(text)) << escaped(text);
  ASSERT_EQ(Deadline::parse(text).has_value(), matches_language("deadline", text)) << escaped(text);
}

TEST(Deadline, AgreesOnEveryByteAndPair) { for_each_short(expect_agreement); }

TEST(Deadline, AgreesOnEveryShortStringOverTheBytesThatMatter) {
  for_each_string("019.msh-", 6, expect_agreement);
}

TEST(Deadline, KeepsItsLimits) {
  EXPECT_EQ(Deadline::parse("1ms")->milliseconds(), 1ms);
  EXPECT_EQ(Deadline::parse("0ms").error().reason, Reason::too_short);
  EXPECT_EQ(Deadline::parse("24h")->milliseconds(), 24h);
  EXPECT_EQ(Deadline::parse("86400001ms").error().reason, Reason::too_long);
  EXPECT_TRUE(Deadline::from(1ms));
  EXPECT_TRUE(Deadline::from(24h));
  EXPECT_EQ(Deadline::from(0ms).error().reason, Reason::too_short);
  EXPECT_EQ(Deadline::from(std::chrono::milliseconds::min()).error().reason, Reason::too_short);
  EXPECT_EQ(Deadline::from(24h + 1ms).error().reason, Reason::too_long);
  EXPECT_EQ(Deadline::from(std::chrono::milliseconds::max()).error().reason, Reason::too_long);
}

// 297197543409765 hours are 2^64 milliseconds and 6,272 more.
TEST(Deadline, OverflowIsTooLong) {
  for (const std::string_view text :
       {"297197543409765h", "999999999999999h", "999999999999999.999h", "307445734561825.861m"}) {
    EXPECT_EQ(Deadline::parse(text).error().reason, Reason::too_long) << text;
    expect_agreement(text);
  }
}

TEST(Deadline, IsWrittenInWholeSecondsOrThreeDecimals) {
  EXPECT_EQ(Deadline::parse("30s")->seconds_text().view(), "30");
  EXPECT_EQ(Deadline::parse("1.5s")->seconds_text().view(), "1.500");
  EXPECT_EQ(Deadline::parse("1ms")->seconds_text().view(), "0.001");
  EXPECT_EQ(Deadline::parse("86399999ms")->seconds_text().view(), "86399.999");
  EXPECT_EQ(Deadline::parse("24h")->seconds_text().view(), "86400");
}

TEST(Deadline, TheGuardIsTenSecondsMore) {
  EXPECT_EQ(Deadline::parse("1ms")->guard(), 10'001ms);
  EXPECT_EQ(Deadline::parse("24h")->guard(), 24h + 10s);
}

RC_GTEST_PROP(Deadline, AgreesOnAnyBytes, ()) { expect_agreement(*any_bytes()); }

RC_GTEST_PROP(Deadline, AgreesNearValid, ()) {
  expect_agreement(*near_valid(rc::gen::exec([] {
    std::string text = *from_alphabet("0123456789", 1, 16);
    if (*rc::gen::arbitrary<bool>()) text += '.' + *from_alphabet("0123456789", 1, 4);
    return text + *rc::gen::elementOf(std::vector<std::string>{"ms", "s", "m", "h"});
  })));
}

RC_GTEST_PROP(Deadline, TheShellTextReadsBackAsTheSameDeadline, ()) {
  const std::chrono::milliseconds duration(
      *rc::gen::inRange<std::int64_t>(1, k_max_deadline.count() + 1));
  const std::string text = std::string(Deadline::from(duration)->seconds_text().view()) + 's';
  RC_ASSERT(Deadline::parse(text)->milliseconds() == duration);
}

}  // namespace
}  // namespace sandproof::props
