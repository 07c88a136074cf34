// The C interface gives the library's answers about ids, paths, variables, deadlines and states.
#include <chrono>
#include <limits>

#include "../support.h"
#include "sandproof/sandproof.hpp"
#include "support.h"

namespace sandproof::props::c {
namespace {

template <class T>
Checked<std::string_view> view_of(const Checked<T>& checked) {
  if (!checked) return std::unexpected(checked.error());
  return checked->view();
}

// A rule that refuses names that begin with the byte it is given.
std::int32_t refuses_beginning(void* context, sandproof_text name) {
  return name.size > 0 && name.data[0] == *static_cast<char*>(context) ? 1 : 0;
}

class RefusesBeginning final : public NameRule {
 public:
  explicit RefusesBeginning(char byte) : byte_(byte) {}
  [[nodiscard]] bool refuses(std::string_view name) const noexcept override {
    return name.starts_with(byte_);
  }

 private:
  char byte_;
};

void expect_same_ids(const Block& block) {
  const sandproof_text text = block.text();
  const std::string_view view = block.view();
  ASSERT_NO_FATAL_FAILURE(expect_same_view(view_of(SessionId::parse(view)), [&](auto... out) {
    return sandproof_session_id_parse(text, out...);
  }));
  ASSERT_NO_FATAL_FAILURE(expect_same_view(view_of(AddressableId::parse(view)), [&](auto... out) {
    return sandproof_addressable_id_parse(text, out...);
  }));
  ASSERT_NO_FATAL_FAILURE(expect_same_view(view_of(SandboxPath::parse(view)), [&](auto... out) {
    return sandproof_path_parse(text, out...);
  }));
  ASSERT_NO_FATAL_FAILURE(expect_same_view(view_of(EnvName::parse(view)), [&](auto... out) {
    return sandproof_env_name_parse(text, out...);
  }));
  // These two keep copies, and the C interface gives a view of what was copied.
  const auto plain = PlainText::parse(view);
  ASSERT_NO_FATAL_FAILURE(
      expect_same_view(plain ? Checked<std::string_view>(view) : std::unexpected(plain.error()),
                       [&](auto... out) { return sandproof_plain_text_parse(text, out...); }));
  const auto call = CallId::parse(view);
  ASSERT_NO_FATAL_FAILURE(
      expect_same_view(call ? Checked<std::string_view>(view) : std::unexpected(call.error()),
                       [&](auto... out) { return sandproof_call_id_parse(text, out...); }));
}

void expect_same_variables(const Block& name, const Block& value) {
  ASSERT_NO_FATAL_FAILURE(expect_same_verdict(
      EnvVariable::parse(name.view(), value.view()), [&](sandproof_refusal* refusal) {
        return sandproof_env_variable_check(name.text(), value.text(), refusal);
      }));
  char first = 'T';
  const RefusesBeginning own_rule(first);
  const sandproof_name_rule rule{refuses_beginning, &first};
  for (const FamilySet set : {FamilySet::baseline, FamilySet::strict}) {
    for (const bool ruled : {false, true}) {
      const auto number = static_cast<sandproof_family_set>(set);
      const SessionRules rules{set, ruled ? &own_rule : nullptr};
      const sandproof_name_rule* const also = ruled ? &rule : nullptr;
      ASSERT_NO_FATAL_FAILURE(
          expect_same_view(view_of(SessionName::parse(name.view(), rules)), [&](auto... out) {
            return sandproof_session_name_parse(name.text(), number, also, out...);
          }));
      ASSERT_NO_FATAL_FAILURE(expect_same_verdict(
          SessionVariable::parse(name.view(), value.view(), rules), [&](auto* refusal) {
            return sandproof_session_variable_check(name.text(), value.text(), number, also,
                                                    refusal);
          }));
      const EnvEntry entry{name.view(), value.view()};
      const EnvEntry good{"GOOD", ""};
      const sandproof_env_entry c_entry{name.text(), value.text()};
      const sandproof_env_entry c_good{to_text("GOOD"), to_text("")};
      const std::vector<EnvEntry> all{good, entry, entry};
      const std::vector<sandproof_env_entry> c_all{c_good, c_entry, c_entry};
      for (std::size_t count = 0; count <= all.size(); ++count) {
        ASSERT_NO_FATAL_FAILURE(expect_same_verdict(
            SessionEnvironment::parse(std::span(all).first(count), rules), [&](auto* refusal) {
              return sandproof_session_environment_check(c_all.data(), count, number, also,
                                                         refusal);
            }));
      }
    }
  }
}

void expect_same_domain(const Block& block) {
  char first = 't';
  const RefusesBeginning own_rule(first);
  const sandproof_name_rule rule{refuses_beginning, &first};
  for (const bool ruled : {false, true}) {
    const auto parsed = DomainPattern::parse(block.view(), ruled ? &own_rule : nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_same_text(
        parsed ? Checked<std::string>(parsed->view()) : std::unexpected(parsed.error()),
        [&](sandproof_buffer* buffer, sandproof_refusal* refusal) {
          return sandproof_domain_parse(block.text(), ruled ? &rule : nullptr, buffer, refusal);
        }));
  }
}

void expect_same_deadline(const Block& block) {
  std::int64_t milliseconds = -7;
  const auto parsed = Deadline::parse(block.view());
  ASSERT_NO_FATAL_FAILURE(expect_same_verdict(parsed, [&](auto* refusal) {
    return sandproof_deadline_parse(block.text(), &milliseconds, refusal);
  }));
  ASSERT_EQ(milliseconds, parsed ? parsed->milliseconds().count() : -7);
}

void expect_same_state(const Block& block) {
  sandproof_service_state state = -7;
  const sandproof_text word = block.text();
  const auto parsed = parse_state(block.view());
  ASSERT_NO_FATAL_FAILURE(expect_same_verdict(parsed, [&](auto* refusal) {
    return sandproof_service_state_parse(&word, &state, refusal);
  }));
  ASSERT_EQ(state, parsed ? static_cast<sandproof_service_state>(*parsed) : -7);
}

void expect_same_explanations(const Block& block) {
  for (const Checked<SessionId>& checked : {SessionId::parse(block.view())}) {
    if (checked) continue;
    const sandproof_refusal refusal = to_c(checked.error());
    ASSERT_NO_FATAL_FAILURE(expect_written(
        [&](auto* out) { return sandproof_refusal_explain(&refusal, block.text(), out); },
        explain(checked.error(), block.view())));
  }
  for (const std::size_t max_shown : {std::size_t{0}, std::size_t{3}, k_max_shown, SIZE_MAX}) {
    ASSERT_NO_FATAL_FAILURE(
        expect_written([&](auto* out) { return sandproof_escaped(block.text(), max_shown, out); },
                       escaped(block.view(), max_shown)));
  }
}

void expect_same(std::string_view bytes) {
  const Block block(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_same_ids(block)) << escaped(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_same_variables(block, block)) << escaped(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_same_variables(block, Block("value"))) << escaped(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_same_variables(Block("COLUMNS"), block)) << escaped(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_same_domain(block)) << escaped(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_same_deadline(block)) << escaped(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_same_state(block)) << escaped(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_same_explanations(block)) << escaped(bytes);
}

TEST(CValues, EveryVectorIsAnsweredTheSame) {
  for (const std::string_view kind :
       {"session-id", "path", "env-name", "session-env", "domain", "deadline"}) {
    for (const auto& request : vectors(kind)) {
      ASSERT_NO_FATAL_FAILURE(expect_same(bytes_of(request, "input", "hex")));
    }
  }
}

TEST(CValues, EveryByteAndTheLimitsAreAnsweredTheSame) {
  ASSERT_NO_FATAL_FAILURE(expect_same(""));
  for (int byte = 0; byte < 256; ++byte) {
    ASSERT_NO_FATAL_FAILURE(expect_same(std::string(1, static_cast<char>(byte))));
    ASSERT_NO_FATAL_FAILURE(expect_same(std::string{'a', static_cast<char>(byte), 'b'}));
  }
  constexpr std::size_t k_limits[] = {32, 63, 253, 255, 256, 1'024, 4'095, 131'071};
  for (const std::size_t limit : k_limits) {
    for (const std::size_t size : {limit - 1, limit, limit + 1}) {
      ASSERT_NO_FATAL_FAILURE(expect_same(std::string(size, 'a')));
    }
  }
}

RC_GTEST_PROP(CValues, AnyBytesAreAnsweredTheSame, ()) {
  expect_same(*any_bytes());
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

RC_GTEST_PROP(CValues, NearValidTextsAreAnsweredTheSame, ()) {
  expect_same(*near_valid(rc::gen::elementOf(std::vector<std::string>{
      "team--box-605", "/work/app.py", "TOKEN_1", "PATH", "LINES", "1.5s", "24h", "*.example.com",
      "0123456789abcdef0123456789abcdef", "Running", "() {"})));
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

RC_GTEST_PROP(CValues, PathsAreOrderedTheSame, ()) {
  const auto paths = *rc::gen::container<std::vector<std::string>>(from_alphabet("/ab.", 0, 4));
  Checked<std::vector<std::size_t>> wanted;
  std::vector<SandboxPath> parsed;
  for (std::size_t i = 0; i < paths.size() && wanted; ++i) {
    const auto path = SandboxPath::parse(std::string_view(paths[i]));
    if (path) {
      parsed.push_back(*path);
    } else {
      Refusal refusal = path.error();
      refusal.word = i;
      wanted = std::unexpected(refusal);
    }
  }
  if (wanted) wanted = write_order(parsed);
  std::vector<std::size_t> order(paths.size() + 1, 777);
  const std::vector<std::size_t> before = order;
  const auto texts = to_texts(paths);
  expect_same_verdict(wanted, [&](auto* refusal) {
    return sandproof_path_write_order(texts.data(), texts.size(), order.data(), refusal);
  });
  RC_ASSERT(!testing::Test::HasFatalFailure());
  if (wanted) wanted->push_back(777);
  RC_ASSERT(order == (wanted ? *wanted : before));
}

TEST(CValues, NumbersOfMillisecondsAreAnsweredTheSame) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t number :
       {Limits::min(), std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{1'500},
        std::int64_t{2'000}, std::int64_t{86'399'999}, std::int64_t{86'400'000},
        std::int64_t{86'400'001}, Limits::max()}) {
    const auto deadline = Deadline::from(std::chrono::milliseconds(number));
    std::int64_t guard = -7;
    ASSERT_NO_FATAL_FAILURE(expect_same_verdict(deadline, [&](auto* refusal) {
      return sandproof_deadline_guard(number, &guard, refusal);
    }));
    ASSERT_EQ(guard, deadline ? deadline->guard().count() : -7);
    ASSERT_NO_FATAL_FAILURE(
        expect_same_text(deadline ? Checked<std::string>(deadline->seconds_text().view())
                                  : std::unexpected(deadline.error()),
                         [&](auto... out) { return sandproof_deadline_seconds(number, out...); }));
    for (const std::int64_t elapsed :
         {Limits::min(), std::int64_t{0}, std::int64_t{1'484}, std::int64_t{1'485},
          std::int64_t{85'536'000}, Limits::max()}) {
      std::int32_t credible = -7;
      ASSERT_NO_FATAL_FAILURE(expect_same_verdict(deadline, [&](auto* refusal) {
        return sandproof_is_credible_kill(number, elapsed, &credible, refusal);
      }));
      const auto wanted = [&] {
        return is_credible_kill(*deadline, std::chrono::milliseconds(elapsed)) ? 1 : 0;
      };
      ASSERT_EQ(credible, deadline ? wanted() : -7);
    }
  }
}

RC_GTEST_PROP(CValues, RandomBytesAreSpelledTheSame, (const std::array<std::uint8_t, 16>& bytes)) {
  expect_written([&](auto* out) { return sandproof_call_id_from_random(bytes.data(), out); },
                 CallId::from_random(bytes).view());
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

TEST(CValues, StatesAreAnsweredTheSame) {
  sandproof_service_state state = -7;
  ASSERT_NO_FATAL_FAILURE(expect_same_verdict(parse_state(std::nullopt), [&](auto* refusal) {
    return sandproof_service_state_parse(nullptr, &state, refusal);
  }));
  ASSERT_EQ(state, -7);
  for (std::size_t i = 0; i < k_service_state_count; ++i) {
    const auto each = static_cast<ServiceState>(i);
    const auto number = static_cast<std::int32_t>(i);
    ASSERT_NO_FATAL_FAILURE(expect_same_state(Block(word(each))));
    sandproof_text spelled{};
    ASSERT_EQ(sandproof_service_state_word(number, &spelled), SANDPROOF_ACCEPTED);
    ASSERT_EQ(to_string(spelled), word(each));
    sandproof_session_state folded = -7;
    ASSERT_EQ(sandproof_session_state_of(number, &folded), SANDPROOF_ACCEPTED);
    ASSERT_EQ(folded, static_cast<std::int32_t>(session_state(each)));
    ASSERT_EQ(sandproof_session_state_name(folded, &spelled), SANDPROOF_ACCEPTED);
    ASSERT_EQ(to_string(spelled), name(session_state(each)));
    for (const bool carries : {false, true}) {
      std::int32_t answer = -7;
      ASSERT_EQ(sandproof_is_judgeable(number, carries ? 1 : 0, &answer), SANDPROOF_ACCEPTED);
      ASSERT_EQ(answer, judgeable(each, carries) ? 1 : 0);
    }
  }
}

// ---- Names, and the version. ----

template <class E, class NameOf>
void expect_names(sandproof_status (*call)(std::int32_t, sandproof_text*), std::size_t count,
                  NameOf name_of) {
  for (std::size_t i = 0; i < count; ++i) {
    sandproof_text given{};
    ASSERT_EQ(call(static_cast<std::int32_t>(i), &given), SANDPROOF_ACCEPTED);
    ASSERT_EQ(to_string(given), name_of(static_cast<E>(i)));
  }
}

TEST(CValues, EveryNumberHasTheLibrarysName) {
  expect_names<Reason>(sandproof_reason_code, k_reason_count, [](auto e) { return code(e); });
  expect_names<Subject>(sandproof_subject_name, k_subject_count, [](auto e) { return name(e); });
  expect_names<FindingKind>(sandproof_finding_kind_name, k_finding_kind_count,
                            [](auto e) { return name(e); });
  expect_names<Effect>(sandproof_effect_name, 3, [](auto e) { return name(e); });
  expect_names<Verdict>(sandproof_verdict_name, 4, [](auto e) { return name(e); });
}

TEST(CValues, EveryRefusalIsExplainedTheSame) {
  for (std::size_t subject = 0; subject < k_subject_count; ++subject) {
    for (std::size_t reason = 0; reason < k_reason_count; ++reason) {
      const Refusal refusal{static_cast<Subject>(subject), static_cast<Reason>(reason), 1, 2};
      const sandproof_refusal given = to_c(refusal);
      ASSERT_NO_FATAL_FAILURE(expect_written(
          [&](auto* out) { return sandproof_refusal_explain(&given, to_text("LINES"), out); },
          explain(refusal, "LINES")));
    }
  }
}

TEST(CValues, TheHeaderStatesTheProjectsVersion) {
  EXPECT_STREQ(sandproof_version(), SANDPROOF_PROJECT_VERSION);
  EXPECT_EQ(std::to_string(SANDPROOF_VERSION_MAJOR) + '.' +
                std::to_string(SANDPROOF_VERSION_MINOR) + '.' +
                std::to_string(SANDPROOF_VERSION_PATCH),
            SANDPROOF_PROJECT_VERSION);
}

}  // namespace
}  // namespace sandproof::props::c
