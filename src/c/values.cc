// The C interface: ids, paths, variables, deadlines, states.
#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "sandproof/deadline.h"
#include "sandproof/deadline_report.h"
#include "sandproof/plain_text.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "sandproof/session_state.h"
#include "translate.h"

using namespace sandproof;
using namespace sandproof::c;

namespace {

// parse_view parses what is a part of its input, and allocates nothing.
template <class T>
sandproof_status parse_view(sandproof_text input, sandproof_text* value,
                            sandproof_refusal* refusal) noexcept {
  if (!are_usable(input, value, refusal)) return SANDPROOF_BAD_CALL;
  return give_checked(T::parse(view(input)), *value, *refusal);
}

// with_deadline hands a number of milliseconds on as a Deadline.
template <class Use>
sandproof_status with_deadline(std::int64_t milliseconds, sandproof_refusal& refusal,
                               Use use) noexcept {
  const auto deadline = Deadline::from(std::chrono::milliseconds(milliseconds));
  return deadline ? use(*deadline) : refuse(deadline.error(), refusal);
}

}  // namespace

// ---- Ids, paths, plain text. ----

sandproof_status sandproof_session_id_parse(sandproof_text text, sandproof_text* id,
                                            sandproof_refusal* refusal) noexcept {
  return parse_view<SessionId>(text, id, refusal);
}

sandproof_status sandproof_addressable_id_parse(sandproof_text text, sandproof_text* id,
                                                sandproof_refusal* refusal) noexcept {
  return parse_view<AddressableId>(text, id, refusal);
}

sandproof_status sandproof_path_parse(sandproof_text text, sandproof_text* path,
                                      sandproof_refusal* refusal) noexcept {
  return parse_view<SandboxPath>(text, path, refusal);
}

sandproof_status sandproof_path_write_order(const sandproof_text* paths, std::size_t count,
                                            std::size_t* order,
                                            sandproof_refusal* refusal) noexcept {
  const List list{paths, count};
  if (!are_usable(list, refusal) || !is_block(order, count, sizeof(std::size_t))) {
    return SANDPROOF_BAD_CALL;
  }
  return guarded([&] {
    std::vector<SandboxPath> parsed;
    parsed.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto path = SandboxPath::parse(view(paths[i]));
      if (!path) {
        Refusal refused = path.error();
        refused.word = i;
        return refuse(refused, *refusal);
      }
      parsed.push_back(*path);
    }
    const auto sorted = write_order(parsed);
    if (sorted) std::ranges::copy(*sorted, order);
    return give_verdict(sorted, *refusal);
  });
}

sandproof_status sandproof_plain_text_parse(sandproof_text text, sandproof_text* value,
                                            sandproof_refusal* refusal) noexcept {
  if (!are_usable(text, value, refusal)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const auto plain = PlainText::parse(view(text));
    return plain ? give(text, *value) : refuse(plain.error(), *refusal);
  });
}

// ---- Environment variables. ----

sandproof_status sandproof_env_name_parse(sandproof_text text, sandproof_text* name,
                                          sandproof_refusal* refusal) noexcept {
  return parse_view<EnvName>(text, name, refusal);
}

sandproof_status sandproof_env_variable_check(sandproof_text name, sandproof_text value,
                                              sandproof_refusal* refusal) noexcept {
  if (!are_usable(name, value, refusal)) return SANDPROOF_BAD_CALL;
  return give_verdict(EnvVariable::parse(view(name), view(value)), *refusal);
}

sandproof_status sandproof_session_name_parse(sandproof_text text, sandproof_family_set set,
                                              const sandproof_name_rule* also, sandproof_text* name,
                                              sandproof_refusal* refusal) noexcept {
  const auto families = to_enum<FamilySet>(set, k_family_set_count);
  if (!families || !are_usable(text, also, name, refusal)) return SANDPROOF_BAD_CALL;
  const ForeignRule rule(also);
  return give_checked(SessionName::parse(view(text), {*families, rule.get()}), *name, *refusal);
}

sandproof_status sandproof_session_variable_check(sandproof_text name, sandproof_text value,
                                                  sandproof_family_set set,
                                                  const sandproof_name_rule* also,
                                                  sandproof_refusal* refusal) noexcept {
  const auto families = to_enum<FamilySet>(set, k_family_set_count);
  if (!families || !are_usable(name, value, also, refusal)) return SANDPROOF_BAD_CALL;
  const ForeignRule rule(also);
  return give_verdict(SessionVariable::parse(view(name), view(value), {*families, rule.get()}),
                      *refusal);
}

sandproof_status sandproof_session_environment_check(const sandproof_env_entry* variables,
                                                     std::size_t count, sandproof_family_set set,
                                                     const sandproof_name_rule* also,
                                                     sandproof_refusal* refusal) noexcept {
  const auto families = to_enum<FamilySet>(set, k_family_set_count);
  const List list{variables, count};
  if (!families || !are_usable(list, also, refusal)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const ForeignRule rule(also);
    return give_verdict(SessionEnvironment::parse(entries(list), {*families, rule.get()}),
                        *refusal);
  });
}

// ---- Deadlines. ----

sandproof_status sandproof_deadline_parse(sandproof_text text, std::int64_t* milliseconds,
                                          sandproof_refusal* refusal) noexcept {
  if (!are_usable(text, milliseconds, refusal)) return SANDPROOF_BAD_CALL;
  const auto deadline = Deadline::parse(view(text));
  if (!deadline) return refuse(deadline.error(), *refusal);
  return give<std::int64_t>(deadline->milliseconds().count(), *milliseconds);
}

sandproof_status sandproof_deadline_guard(std::int64_t milliseconds,
                                          std::int64_t* guard_milliseconds,
                                          sandproof_refusal* refusal) noexcept {
  if (!are_usable(guard_milliseconds, refusal)) return SANDPROOF_BAD_CALL;
  return with_deadline(milliseconds, *refusal, [&](Deadline deadline) noexcept {
    return give<std::int64_t>(deadline.guard().count(), *guard_milliseconds);
  });
}

sandproof_status sandproof_deadline_seconds(std::int64_t milliseconds, sandproof_buffer* seconds,
                                            sandproof_refusal* refusal) noexcept {
  if (!are_usable(seconds, refusal)) return SANDPROOF_BAD_CALL;
  return with_deadline(milliseconds, *refusal, [&](Deadline deadline) noexcept {
    return write(deadline.seconds_text().view(), *seconds);
  });
}

sandproof_status sandproof_is_credible_kill(std::int64_t deadline_milliseconds,
                                            std::int64_t elapsed_milliseconds,
                                            std::int32_t* credible,
                                            sandproof_refusal* refusal) noexcept {
  if (!are_usable(credible, refusal)) return SANDPROOF_BAD_CALL;
  return with_deadline(deadline_milliseconds, *refusal, [&](Deadline deadline) noexcept {
    const std::chrono::milliseconds elapsed(elapsed_milliseconds);
    return give<std::int32_t>(is_credible_kill(deadline, elapsed) ? 1 : 0, *credible);
  });
}

// ---- Call ids. ----

sandproof_status sandproof_call_id_parse(sandproof_text text, sandproof_text* id,
                                         sandproof_refusal* refusal) noexcept {
  if (!are_usable(text, id, refusal)) return SANDPROOF_BAD_CALL;
  // A CallId holds its own bytes, and they are those of the input.
  const auto parsed = CallId::parse(view(text));
  return parsed ? give(text, *id) : refuse(parsed.error(), *refusal);
}

sandproof_status sandproof_call_id_from_random(const std::uint8_t* random,
                                               sandproof_buffer* id) noexcept {
  if (!are_usable(random, id)) return SANDPROOF_BAD_CALL;
  using Random = std::span<const std::uint8_t, SANDPROOF_CALL_ID_RANDOM_SIZE>;
  return write(CallId::from_random(Random(random, SANDPROOF_CALL_ID_RANDOM_SIZE)).view(), *id);
}

// ---- States. ----

sandproof_status sandproof_service_state_parse(const sandproof_text* word,
                                               sandproof_service_state* state,
                                               sandproof_refusal* refusal) noexcept {
  if (!are_usable(state, refusal)) return SANDPROOF_BAD_CALL;
  if (word != nullptr && !is_usable(*word)) return SANDPROOF_BAD_CALL;
  const auto parsed = parse_state(word == nullptr ? std::nullopt : std::optional(view(*word)));
  return parsed ? give(number(*parsed), *state) : refuse(parsed.error(), *refusal);
}

sandproof_status sandproof_session_state_of(sandproof_service_state state,
                                            sandproof_session_state* folded) noexcept {
  const auto known = to_enum<ServiceState>(state, k_service_state_count);
  if (!known || !are_usable(folded)) return SANDPROOF_BAD_CALL;
  return give(number(session_state(*known)), *folded);
}

sandproof_status sandproof_is_judgeable(sandproof_service_state state, std::int32_t carries_policy,
                                        std::int32_t* judgeable) noexcept {
  const auto known = to_enum<ServiceState>(state, k_service_state_count);
  const auto carries = to_enum<bool>(carries_policy, 2);
  if (!known || !carries || !are_usable(judgeable)) return SANDPROOF_BAD_CALL;
  return give(number(sandproof::judgeable(*known, *carries)), *judgeable);
}
