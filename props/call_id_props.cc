// Call ids: parser, reference and regular expression say the same of every input.
#include "sandproof/call_id.h"

#include "support.h"

namespace sandproof::props {
namespace {

constexpr char k_alphabet[] = "0123456789abcdef";

void expect_agreement(std::string_view text) {
  const Checked<CallId> id = CallId::parse(text);
  ASSERT_EQ(answer_of(id), reference::call_id(text)) << escaped(text);
  ASSERT_EQ(id.has_value(), matches_language("call-id", text)) << escaped(text);
  if (!id) {
    ASSERT_EQ(id.error().subject, Subject::call_id);
    ASSERT_EQ(id.error().word, k_no_place);
  }
}

TEST(CallId, AgreesOnEveryShortString) { for_each_short(expect_agreement); }

TEST(CallId, HasOneLength) {
  for (std::size_t size = 0; size <= 2 * k_call_id_size + 1; ++size) {
    expect_agreement(std::string(size, 'f'));
    expect_agreement(std::string(size, 'g'));
  }
}

TEST(CallId, AgreesOnEveryByteAtEveryPlace) {
  for (std::size_t at = 0; at < k_call_id_size; ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text(k_call_id_size, '0');
      text[at] = static_cast<char>(byte);
      expect_agreement(text);
    }
  }
}

TEST(CallId, FromRandomSpellsEveryByte) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 16; ++at) {
      std::array<std::uint8_t, 16> random{};
      random[at] = static_cast<std::uint8_t>(byte);
      std::string expected(k_call_id_size, '0');
      expected[2 * at] = k_alphabet[byte / 16];
      expected[2 * at + 1] = k_alphabet[byte % 16];
      const CallId id = CallId::from_random(random);
      ASSERT_EQ(id.view(), expected);
      ASSERT_EQ(CallId::parse(expected), id);
    }
  }
}

RC_GTEST_PROP(CallId, AgreesNearValid, ()) {
  expect_agreement(*near_valid(from_alphabet(k_alphabet, 31, 33)));
}

}  // namespace
}  // namespace sandproof::props
