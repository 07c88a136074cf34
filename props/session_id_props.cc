// Session ids: scanner, reference and regular expression say the same of every input.
#include "sandproof/session_id.h"

#include "support.h"

namespace sandproof::props {
namespace {

constexpr char k_alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

void expect_agreement(std::string_view text) {
  const Checked<SessionId> id = SessionId::parse(text);
  ASSERT_EQ(answer_of(id), reference::session_id(text)) << escaped(text);
  ASSERT_EQ(id.has_value(), matches_language("session-id", text)) << escaped(text);
  const Checked<AddressableId> addressable = AddressableId::parse(text);
  ASSERT_EQ(addressable.has_value(), reference::addressable_id(text)) << escaped(text);
  ASSERT_EQ(addressable.has_value(), matches_language("addressable-id", text)) << escaped(text);
  if (id) {
    ASSERT_EQ(id->view().data(), text.data()) << "a view, not a copy";
    ASSERT_EQ(OwnedSessionId(*id).view(), text);
    ASSERT_EQ(OwnedSessionId(*id).borrow(), *id);
  }
}

TEST(SessionId, AgreesOnEveryByteAndPair) { for_each_short(expect_agreement); }

TEST(SessionId, AgreesOnEveryShortStringOverTheBytesThatMatter) {
  for_each_string("aZ0-_./%", 6, expect_agreement);
}

TEST(SessionId, AcceptsItsLimitAndRefusesOnePast) {
  const std::string limit(k_max_session_id_size, 'a');
  EXPECT_TRUE(SessionId::parse(limit));
  const std::string past = limit + 'a';
  EXPECT_EQ(SessionId::parse(past).error(), (Refusal{Subject::session_id, Reason::too_long}));
  EXPECT_TRUE(AddressableId::parse(past)) << "no length bound for what may only be deleted";
}

TEST(SessionId, AgreesOnEveryByteAtEveryPlace) { for_each_place('a', 40, expect_agreement); }

// The place of the byte, at every length, so that no block of a faster scanner can miss one.
TEST(SessionId, FindsTheForbiddenByteAtEveryPlaceOfEveryLength) {
  for (std::size_t size = 1; size <= k_max_session_id_size; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char bad : {'.', '/', '%', '\0', '\x80', '\xff', '@', '[', '`', '{', ':'}) {
        std::string text(size, 'a');
        text[at] = bad;
        ASSERT_EQ(SessionId::parse(text).error(),
                  (Refusal{Subject::session_id, Reason::forbidden_byte, at}));
      }
    }
  }
}

TEST(SessionId, IsTooLongBeforeAnyByteIsRead) {
  const std::string text(k_max_session_id_size + 1, '/');
  EXPECT_EQ(SessionId::parse(text).error().reason, Reason::too_long);
}

TEST(SessionId, TakesDefaultConstructedViews) {
  EXPECT_EQ(SessionId::parse(std::string_view()).error().reason, Reason::empty);
  EXPECT_EQ(AddressableId::parse(std::string_view()).error().reason, Reason::empty);
}

RC_GTEST_PROP(SessionId, AgreesOnAnyBytes, ()) { expect_agreement(*any_bytes()); }

RC_GTEST_PROP(SessionId, AgreesNearValid, ()) {
  expect_agreement(*near_valid(from_alphabet(k_alphabet, 1, 70)));
}

RC_GTEST_PROP(SessionId, EveryPrefixOfAnAcceptedIdIsAccepted, ()) {
  const std::string text = *from_alphabet(k_alphabet, 1, k_max_session_id_size);
  for (std::size_t size = 1; size <= text.size(); ++size) {
    RC_ASSERT(SessionId::parse(std::string_view(text).substr(0, size)).has_value());
  }
}

}  // namespace
}  // namespace sandproof::props
