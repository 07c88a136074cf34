// Configured text: held to one definition over every string of the bytes that matter.
#include "sandproof/plain_text.h"

#include "reference/utf8.h"
#include "support.h"

namespace sandproof::props {
namespace {

// The rule once more: the size first, then the whole text as UTF-8, then control bytes.
std::string expected(std::string_view text) {
  if (text.empty()) return "empty";
  if (text.size() > 1'024) return "too_long";
  if (reference::first_ill_formed(text)) return "invalid_utf8";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "control_byte";
  }
  return "accepted";
}

std::string given(std::string_view text) {
  const auto parsed = PlainText::parse(text);
  if (!parsed) return std::string(code(parsed.error().reason));
  EXPECT_EQ(parsed->view(), text);
  return "accepted";
}

TEST(PlainText, EveryShortStringOfTheBytesThatMatter) {
  using namespace std::string_view_literals;
  for_each_string("a \0\x1f\x7f\x80\xc3\xa9"sv, 5,
                  [](std::string_view text) { EXPECT_EQ(given(text), expected(text)); });
}

TEST(PlainText, EveryByteAndPair) {
  for (int a = 0; a < 256; ++a) {
    const std::string one(1, static_cast<char>(a));
    EXPECT_EQ(given(one), expected(one));
    for (int b = 0; b < 256; ++b) {
      const std::string two = one + static_cast<char>(b);
      EXPECT_EQ(given(two), expected(two));
    }
  }
}

TEST(PlainText, EveryByteAtEveryPlace) {
  for_each_place('a', 40, [](std::string_view text) { EXPECT_EQ(given(text), expected(text)); });
}

TEST(PlainText, TheLimitAndOnePastIt) {
  EXPECT_EQ(given(std::string(k_max_plain_text_size, 'a')), "accepted");
  EXPECT_EQ(given(std::string(k_max_plain_text_size + 1, 'a')), "too_long");
  EXPECT_EQ(given(std::string(k_max_plain_text_size + 1, '\n')), "too_long");
}

TEST(PlainText, SaysWhere) {
  EXPECT_EQ(PlainText::parse("ab\n").error(),
            (Refusal{Subject::configuration, Reason::control_byte, 2}));
  EXPECT_EQ(PlainText::parse("\na\xff").error(),
            (Refusal{Subject::configuration, Reason::invalid_utf8, 2}));
}

}  // namespace
}  // namespace sandproof::props
