// States: every word the service uses, every near miss, and what may be judged, against the
// reference model.
#include "sandproof/session_state.h"

#include <map>
#include <set>

#include "support.h"

namespace sandproof::props {
namespace {

const std::vector<std::pair<std::string, SessionState>> k_words = {
    {"Creating", SessionState::starting}, {"Resuming", SessionState::starting},
    {"Running", SessionState::running},   {"Stopping", SessionState::suspended},
    {"Stopped", SessionState::suspended}, {"Suspended", SessionState::suspended},
    {"Idle", SessionState::suspended},    {"Deleting", SessionState::terminated},
    {"Failed", SessionState::terminated},
};

// folded is what the library makes of a word, in the reference's words.
std::optional<std::string> folded(std::string_view text) {
  const auto state = parse_state(text);
  if (!state) return std::nullopt;
  return std::string(name(session_state(*state)));
}

void refuses(std::optional<std::string_view> text) {
  const auto state = parse_state(text);
  ASSERT_FALSE(state.has_value()) << escaped(text.value_or("(none)"));
  EXPECT_EQ(state.error(), (Refusal{Subject::state, Reason::unknown_state}));
}

TEST(State, EveryWordIsRead) {
  ASSERT_EQ(k_words.size(), k_service_state_count);
  std::set<ServiceState> states;
  for (const auto& [text, expected] : k_words) {
    const auto state = parse_state(text);
    ASSERT_TRUE(state.has_value()) << text;
    EXPECT_EQ(word(*state), text);
    EXPECT_EQ(session_state(*state), expected) << text;
    EXPECT_EQ(folded(text), reference::session_state(text)) << text;
    states.insert(*state);
  }
  EXPECT_EQ(states.size(), k_service_state_count);
}

TEST(State, NoWordIsAnError) {
  refuses(std::nullopt);
  refuses(std::string_view());
  refuses("");
}

// Nothing that is nearly a word is one: no case, prefix, suffix, space, NUL, or other language's
// name for it.
TEST(State, EveryNearMissIsAnError) {
  std::set<std::string> misses = {"running",   "RUNNING",    "starting",   "Starting",
                                  "suspended", "terminated", "Terminated", "stopped",
                                  "Deleted",   "Paused",     "Hibernated", "Unknown",
                                  "None",      "null",       "0",          "Succeeded"};
  for (const auto& [text, state] : k_words) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      misses.insert(text.substr(0, size));
      misses.insert(text.substr(size + 1));
      std::string recased = text;
      recased[size] = static_cast<char>(recased[size] ^ 0x20);
      misses.insert(recased);
    }
    for (int byte = 0; byte < 256; ++byte) {
      const auto c = static_cast<char>(byte);
      misses.insert(text + c);
      misses.insert(c + text);
      for (std::size_t at = 0; at < text.size(); ++at) {
        std::string changed = text;
        changed[at] = c;
        if (changed != text) misses.insert(changed);
      }
    }
    misses.insert(text + text);
  }
  for (const auto& [text, state] : k_words) misses.erase(text);
  EXPECT_GT(misses.size(), 10'000U);
  for (const std::string& each : misses) {
    refuses(each);
    EXPECT_EQ(reference::session_state(each), std::nullopt);
  }
}

RC_GTEST_PROP(State, AgreesWithTheReferenceOnAnyBytes, ()) {
  std::vector<std::string> texts;
  for (const auto& each : k_words) texts.push_back(each.first);
  const std::string text = *rc::gen::oneOf(any_bytes(), near_valid(rc::gen::elementOf(texts)));
  RC_ASSERT((folded(text) == reference::session_state(text)));
}

TEST(State, JudgeableIsAsTheReferenceSays) {
  for (const auto& [text, folded] : k_words) {
    const ServiceState state = parse_state(text).value();
    const std::map<SessionState, std::pair<bool, bool>> expected = {
        {SessionState::starting, {false, false}},
        {SessionState::running, {true, true}},
        {SessionState::suspended, {false, true}},
        {SessionState::terminated, {false, false}}};
    EXPECT_EQ(judgeable(state, false), expected.at(folded).first) << text;
    EXPECT_EQ(judgeable(state, true), expected.at(folded).second) << text;
    for (const bool carries : {false, true}) {
      EXPECT_EQ(judgeable(state, carries), reference::judgeable(text, carries)) << text;
    }
  }
}

TEST(State, NamesAreStable) {
  EXPECT_EQ(name(SessionState::starting), "starting");
  EXPECT_EQ(name(SessionState::running), "running");
  EXPECT_EQ(name(SessionState::suspended), "suspended");
  EXPECT_EQ(name(SessionState::terminated), "terminated");
}

}  // namespace
}  // namespace sandproof::props
