#include "sandproof/environment.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "bytes.h"

namespace sandproof {
namespace {

constexpr std::unexpected<Refusal> refuse(Subject subject, Reason reason,
                                          std::size_t offset = k_no_place) noexcept {
  return std::unexpected(Refusal{subject, reason, offset});
}

// refused_value is the part of a value's check that only the strict set makes.
std::optional<Reason> refused_value(std::string_view name, std::string_view value) noexcept {
  constexpr std::size_t k_max_digits = 5;
  if (name == "COLUMNS" || name == "LINES") {
    const bool number = !value.empty() && value.size() <= k_max_digits &&
                        std::ranges::all_of(value, bytes::is_digit);
    if (!number) return Reason::not_digits;
  }
  if (value.starts_with("() {")) return Reason::function_value;
  return std::nullopt;
}

// first_refused is the first refusal that `check` has for an entry, with the entry's index.
template <class Check>
std::optional<Refusal> first_refused(std::span<const EnvEntry> entries, Check check) noexcept {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const auto checked = check(entries[i]); !checked) {
      Refusal refusal = checked.error();
      refusal.word = i;
      return refusal;
    }
  }
  return std::nullopt;
}

}  // namespace

Checked<EnvName> EnvName::parse(std::string_view text) noexcept {
  if (text.empty()) return refuse(Subject::env_name, Reason::empty);
  if (text.size() > k_max_env_name_size) return refuse(Subject::env_name, Reason::too_long);
  if (bytes::is_digit(text.front())) return refuse(Subject::env_name, Reason::leading_digit, 0);
  const std::size_t at = bytes::find_not(text, bytes::rules::k_word);
  if (at != k_no_place) return refuse(Subject::env_name, Reason::forbidden_byte, at);
  return EnvName(text);
}

Checked<EnvVariable> EnvVariable::parse(std::string_view name, std::string_view value) noexcept {
  const Checked<EnvName> parsed = EnvName::parse(name);
  if (!parsed) return std::unexpected(parsed.error());
  return with_value(*parsed, value);
}

Checked<EnvVariable> EnvVariable::with_value(EnvName name, std::string_view value) noexcept {
  const std::size_t nul = value.find('\0');
  if (nul != value.npos) return refuse(Subject::env_value, Reason::nul, nul);
  const std::size_t ill_formed = bytes::find_ill_formed_utf8(value);
  if (ill_formed != k_no_place) {
    return refuse(Subject::env_value, Reason::invalid_utf8, ill_formed);
  }
  // Written so that no sum can wrap: a name is far shorter than the limit.
  if (value.size() > k_max_env_entry_size - name.view().size() - 1) {
    return refuse(Subject::env_value, Reason::too_long);
  }
  return EnvVariable(name, value);
}

Checked<SessionName> SessionName::parse(std::string_view text, const SessionRules& rules) noexcept {
  const Checked<EnvName> name = EnvName::parse(text);
  if (!name) return std::unexpected(name.error());
  if (find_family(rules.set, text) != nullptr ||
      (rules.also != nullptr && rules.also->refuses(text))) {
    return refuse(Subject::env_name, Reason::refused_family);
  }
  return SessionName(*name);
}

Checked<SessionVariable> SessionVariable::parse(std::string_view name, std::string_view value,
                                                const SessionRules& rules) noexcept {
  const Checked<SessionName> allowed = SessionName::parse(name, rules);
  if (!allowed) return std::unexpected(allowed.error());
  const Checked<EnvVariable> variable = EnvVariable::with_value(allowed->name(), value);
  if (!variable) return std::unexpected(variable.error());
  if (rules.set == FamilySet::strict) {
    if (const auto reason = refused_value(name, value)) {
      return refuse(Subject::env_value, *reason);
    }
  }
  return SessionVariable(*variable);
}

Checked<SessionEnvironment> SessionEnvironment::parse(std::span<const EnvEntry> entries,
                                                      const SessionRules& rules) {
  const auto name = [](const EnvEntry& e) { return EnvName::parse(e.name); };
  const auto allowed = [&](const EnvEntry& e) { return SessionName::parse(e.name, rules); };
  const auto variable = [&](const EnvEntry& e) {
    return SessionVariable::parse(e.name, e.value, rules);
  };
  if (const auto refused = first_refused(entries, name)) return std::unexpected(*refused);
  if (const auto refused = first_refused(entries, allowed)) return std::unexpected(*refused);
  if (const auto refused = first_refused(entries, variable)) return std::unexpected(*refused);

  // Of two equal names the one that was given first stands first.
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [entries](std::size_t i) { return std::pair(entries[i].name, i); });
  std::size_t repeated = k_no_place;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (entries[order[i]].name == entries[order[i - 1]].name) {
      repeated = std::min(repeated, order[i]);
    }
  }
  if (repeated != k_no_place) {
    return std::unexpected(
        Refusal{Subject::env_name, Reason::duplicate_name, k_no_place, repeated});
  }

  SessionEnvironment environment;
  environment.variables_.reserve(entries.size());
  for (const std::size_t i : order) {
    environment.variables_.emplace_back(std::string(entries[i].name),
                                        std::string(entries[i].value));
  }
  return environment;
}

}  // namespace sandproof
