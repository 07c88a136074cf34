// What the C interface shares: which arguments may be used, and how the two languages' values are
// translated into each other. No rule stands here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sandproof/call_id.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/environment.h"
#include "sandproof/name_rule.h"
#include "sandproof/refusal.h"
#include "sandproof/sandproof.h"

namespace sandproof::c {

// guarded runs a call: no exception leaves it.
template <class Call>
sandproof_status guarded(Call call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return SANDPROOF_NO_MEMORY;
  } catch (const std::length_error&) {  // a size that no container can have
    return SANDPROOF_NO_MEMORY;
  } catch (...) {
    return SANDPROOF_BAD_CALL;
  }
}

// ---- Which arguments may be used. One overload for each kind. ----

// List is a pointer and a count, as they came.
template <class T>
struct List {
  const T* data;
  std::size_t count;
};

// is_block: `count` things of one size at a place, which may be none only if they are.
constexpr bool is_block(const void* data, std::size_t count, std::size_t each) noexcept {
  return count <= static_cast<std::size_t>(PTRDIFF_MAX) / each && (data != nullptr || count == 0);
}

template <class T>
constexpr bool is_usable(const T* pointer) noexcept {
  return pointer != nullptr;
}
constexpr bool is_usable(sandproof_text text) noexcept {
  return is_block(text.data, text.size, sizeof(char));
}
constexpr bool is_usable(const sandproof_env_entry& entry) noexcept {
  return is_usable(entry.name) && is_usable(entry.value);
}
constexpr bool is_usable(const sandproof_tolerance& tolerance) noexcept {
  return is_usable(tolerance.pointer) && is_usable(tolerance.value);
}
constexpr bool is_usable(const sandproof_file& file) noexcept {
  return is_usable(file.path) && is_usable(file.content);
}
constexpr bool is_usable(const sandproof_buffer* buffer) noexcept {
  return buffer != nullptr && is_block(buffer->data, buffer->capacity, sizeof(char));
}
constexpr bool is_usable(sandproof_buffer* buffer) noexcept {
  return is_usable(static_cast<const sandproof_buffer*>(buffer));
}
// A rule may be left out.
constexpr bool is_usable(const sandproof_name_rule* rule) noexcept {
  return rule == nullptr || rule->refuses != nullptr;
}
template <class T>
constexpr bool is_usable(List<T> list) noexcept {
  if (!is_block(list.data, list.count, sizeof(T))) return false;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!is_usable(list.data[i])) return false;
  }
  return true;
}
constexpr bool is_usable(const sandproof_command* command) noexcept {
  if (command == nullptr) return false;
  const sandproof_text* const directory = command->working_directory;
  return is_usable(List{command->words, command->word_count}) &&
         is_usable(List{command->variables, command->variable_count}) &&
         (directory == nullptr || is_usable(*directory));
}

template <class... T>
constexpr bool are_usable(const T&... arguments) noexcept {
  return (is_usable(arguments) && ...);
}

// to_enum gives the value with this number, if there is one: they are 0..count-1. As a size, a
// negative number is larger than all.
template <class E>
constexpr std::optional<E> to_enum(std::int32_t number, std::size_t count) noexcept {
  if (static_cast<std::size_t>(number) >= count) return std::nullopt;
  return static_cast<E>(number);
}

inline constexpr std::size_t k_family_set_count = 2;
inline constexpr std::size_t k_acceptance_count = 2;

// ---- From C. ----

constexpr std::string_view view(sandproof_text text) noexcept { return {text.data, text.size}; }

// each_of gives what `from_c` makes of each thing in a list.
template <class T, class FromC>
auto each_of(List<T> list, FromC from_c) {
  std::vector<std::invoke_result_t<FromC, const T&>> all;
  all.reserve(list.count);
  for (std::size_t i = 0; i < list.count; ++i) all.push_back(from_c(list.data[i]));
  return all;
}

inline std::vector<std::string_view> views(List<sandproof_text> list) {
  return each_of(list, view);
}

inline std::vector<EnvEntry> entries(List<sandproof_env_entry> list) {
  return each_of(list, [](const sandproof_env_entry& entry) {
    return EnvEntry{view(entry.name), view(entry.value)};
  });
}

inline std::vector<Tolerance> tolerances_of(List<sandproof_tolerance> list) {
  return each_of(list, [](const sandproof_tolerance& tolerance) {
    return Tolerance{std::string(view(tolerance.pointer)), std::string(view(tolerance.value))};
  });
}

// ForeignRule asks a rule of the caller's, if there is one.
class ForeignRule final : public NameRule {
 public:
  explicit ForeignRule(const sandproof_name_rule* rule) noexcept : rule_(rule) {}

  [[nodiscard]] bool refuses(std::string_view name) const noexcept override {
    return rule_->refuses(rule_->context, {name.data(), name.size()}) != 0;
  }

  [[nodiscard]] const NameRule* get() const noexcept { return rule_ == nullptr ? nullptr : this; }

 private:
  const sandproof_name_rule* rule_;
};

// read_scheme makes the scheme of a call. Without a value: no such scheme, or a call id for nonce.
inline std::optional<Checked<ReportScheme>> read_scheme(sandproof_scheme scheme,
                                                        sandproof_text call_id) noexcept {
  if (scheme == SANDPROOF_SCHEME_NONCE && call_id.size == 0) return ReportScheme::nonce();
  if (scheme != SANDPROOF_SCHEME_SEALED) return std::nullopt;
  const auto id = CallId::parse(view(call_id));
  if (!id) return std::unexpected(id.error());
  return ReportScheme::sealed(*id);
}

// ---- To C. ----

constexpr sandproof_text text(std::string_view view) noexcept { return {view.data(), view.size()}; }

template <class E>
constexpr std::int32_t number(E value) noexcept {
  return static_cast<std::int32_t>(value);
}

inline sandproof_status refuse(const Refusal& from, sandproof_refusal& to) noexcept {
  to = {number(from.subject), number(from.reason), from.offset, from.word};
  return SANDPROOF_REFUSED;
}

template <class T>
sandproof_status give(T value, T& to) noexcept {
  to = value;
  return SANDPROOF_ACCEPTED;
}

// give_new gives an object, which the caller frees. Throws std::bad_alloc.
template <class T>
sandproof_status give_new(T value, T*& to) {
  to = new T{std::move(value)};
  return SANDPROOF_ACCEPTED;
}

// give_checked gives a value, or the refusal.
template <class T>
sandproof_status give_checked(const Checked<T>& checked, sandproof_text& to,
                              sandproof_refusal& refusal) noexcept {
  if (!checked) return refuse(checked.error(), refusal);
  return give(text(checked->view()), to);
}

template <class T>
sandproof_status give_verdict(const Checked<T>& checked, sandproof_refusal& refusal) noexcept {
  return checked ? SANDPROOF_ACCEPTED : refuse(checked.error(), refusal);
}

// write fills the caller's buffer, or says how large it has to be.
inline sandproof_status write(std::string_view text, sandproof_buffer& buffer) noexcept {
  buffer.size = text.size();
  if (text.size() > buffer.capacity) return SANDPROOF_TOO_SMALL;
  if (!text.empty()) std::memcpy(buffer.data, text.data(), text.size());
  return SANDPROOF_ACCEPTED;
}

}  // namespace sandproof::c
