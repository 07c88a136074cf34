// What every decision answers when it does not accept: a reason, a place, and a message on demand.
//
// A decision that cannot be made is a refusal. Refusing allocates nothing and keeps nothing of the
// input; explain() renders a sentence when somebody wants to read one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>

namespace sandproof {

// Reason says why an input was refused. code() gives the stable name that the tool and the C
// interface print; names never change their meaning.
enum class Reason : std::uint8_t {
  empty,
  too_long,
  forbidden_byte,
  // Paths.
  trailing_slash,
  nul,
  invalid_utf8,
  control_byte,
  empty_segment,
  parent_segment,
  segment_too_long,
  duplicate_path,
  // Environments.
  leading_digit,
  refused_family,
  duplicate_name,
  not_digits,
  function_value,
  // Deadlines.
  malformed,
  too_short,
  // Commands and call ids.
  no_program,
  assignment_program,
  empty_cwd,
  bad_length,
  // Egress declarations.
  empty_list,
  non_ascii,
  whitespace,
  list,
  scheme,
  userinfo,
  ip_literal,
  path,
  port,
  leading_dot,
  wildcard,
  empty_label,
  bad_label,
  refused_domain,
  // States.
  unknown_state,
  // JSON documents.
  too_large,
  byte_order_mark,
  not_json,
  too_deep,
  duplicate_key,
  key_case,
  wrong_type,
  out_of_range,
  unknown_field,
  missing_field,
  unknown_shape,
};

// k_reason_count is one more than the last Reason; tests walk 0..k_reason_count-1.
inline constexpr std::size_t k_reason_count = static_cast<std::size_t>(Reason::unknown_shape) + 1;

// Subject says what kind of value was refused, so that a message can say what to write instead.
enum class Subject : std::uint8_t {
  session_id,
  path,
  env_name,
  env_value,
  word,
  working_directory,
  command,
  deadline,
  call_id,
  domain,
  egress,
  state,
  configuration,
  document,
};

inline constexpr std::size_t k_subject_count = static_cast<std::size_t>(Subject::document) + 1;

// code names a reason: lower case, underscores, stable. O(1), never allocates.
//   code(Reason::forbidden_byte) == "forbidden_byte"
[[nodiscard]] std::string_view code(Reason reason) noexcept;

// name names a subject the way a message does: "session id", "path", "variable name".
[[nodiscard]] std::string_view name(Subject subject) noexcept;

// k_no_place stands where a refusal has no byte offset or belongs to no word of a list.
inline constexpr std::size_t k_no_place = static_cast<std::size_t>(-1);

// Refusal is the whole answer "no": trivially copyable, nothing of the input inside.
//   offset  byte of the original input, from 0, or k_no_place
//   word    entry of a list (domains, variables, arguments), from 0, or k_no_place
struct Refusal {
  Subject subject;
  Reason reason;
  std::size_t offset = k_no_place;
  std::size_t word = k_no_place;

  friend constexpr bool operator==(const Refusal&, const Refusal&) noexcept = default;
};
static_assert(std::is_trivially_copyable_v<Refusal>);

// Checked<T> is what every parse returns: a T that cannot be wrong, or the refusal.
template <class T>
using Checked = std::expected<T, Refusal>;

// explain renders a refusal of `input` as one sentence: what was given (escaped and cut; a
// variable's value is never shown, nor what stands behind `=` where a name or a program should),
// what is wrong, where, and what to do. The text is printable
// ASCII whatever `input` holds. Allocates the result; O(size of the message), whatever the size of
// the input.
//   explain({Subject::session_id, Reason::forbidden_byte, 1}, "a/b")
//     == "session id \"a/b\" has the forbidden byte \"/\" at byte 1: use only ..."
[[nodiscard]] std::string explain(const Refusal& refusal, std::string_view input);

// Unreadable says why a JSON document, or a part of one, could not be read: at a JSON pointer
// (RFC 6901; it may hold names from outside, unescaped), or at a byte offset of the text.
struct Unreadable {
  Reason reason;
  std::string pointer;
  std::size_t offset = k_no_place;

  friend bool operator==(const Unreadable&, const Unreadable&) = default;
};

// explain renders it as one sentence of printable ASCII that says what to do.
[[nodiscard]] std::string explain(const Unreadable& unreadable);

// k_max_shown is how many bytes of foreign text escaped() shows before it cuts.
inline constexpr std::size_t k_max_shown = 80;

// escaped renders foreign bytes as printable ASCII between double quotes: control bytes, non-ASCII,
// quotes and backslashes as escapes; past max_shown bytes it cuts and says how long the whole was.
//   escaped("a\n") == "\"a\\n\""
[[nodiscard]] std::string escaped(std::string_view bytes, std::size_t max_shown = k_max_shown);

// OwningTemporary is a std::string about to die. Views are never parsed from one: the overloads
// that would do so are deleted, so a dangling SessionId does not compile.
template <class S>
concept OwningTemporary = std::same_as<std::remove_const_t<S>, std::string>;

}  // namespace sandproof
