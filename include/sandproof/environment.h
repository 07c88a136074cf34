// Environment variables: their names, their values, and which may be set for a whole session.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/name_rule.h"
#include "sandproof/refusal.h"

namespace sandproof {

// k_max_env_name_size is the longest variable name, in bytes.
inline constexpr std::size_t k_max_env_name_size = 256;

// k_max_env_entry_size bounds NAME=VALUE, in bytes: what Linux takes in one string of argv or envp
// (MAX_ARG_STRLEN, 32 pages of 4 KiB) without its final NUL.
inline constexpr std::size_t k_max_env_entry_size = 131'071;

// EnvName is a view of a variable name: `[A-Za-z_][A-Za-z0-9_]*`, at most 256 bytes (POSIX
// XBD 8.1; lower case included).
//
// parse refuses, in this order: `empty`, `too_long`, `leading_digit`, `forbidden_byte` at the first
// one. O(1) in the input's length, allocates nothing.
//   EnvName::parse("TOKEN_1")->view() == "TOKEN_1"
class EnvName {
 public:
  [[nodiscard]] static Checked<EnvName> parse(std::string_view text) noexcept;
  template <OwningTemporary S>
  static Checked<EnvName> parse(S&& text) = delete;

  [[nodiscard]] constexpr std::string_view view() const noexcept { return text_; }

  friend constexpr auto operator<=>(const EnvName&, const EnvName&) noexcept = default;

 private:
  constexpr explicit EnvName(std::string_view text) noexcept : text_(text) {}

  std::string_view text_;
};

// EnvVariable is a name with a value that JSON can carry and execve can take.
//
// parse refuses what EnvName refuses, then in the value: `nul`, `invalid_utf8`, and NAME=VALUE over
// 131,071 bytes `too_long`. Offsets count in the part that Refusal::subject names. O(n), allocates
// nothing.
class EnvVariable {
 public:
  [[nodiscard]] static Checked<EnvVariable> parse(std::string_view name,
                                                  std::string_view value) noexcept;

  // with_value is parse for a name that is one already.
  [[nodiscard]] static Checked<EnvVariable> with_value(EnvName name,
                                                       std::string_view value) noexcept;

  [[nodiscard]] constexpr EnvName name() const noexcept { return name_; }
  [[nodiscard]] constexpr std::string_view value() const noexcept { return value_; }

 private:
  constexpr EnvVariable(EnvName name, std::string_view value) noexcept
      : name_(name), value_(value) {}

  EnvName name_;
  std::string_view value_;
};

// FamilySet chooses how much of the family table applies. `strict` is the default everywhere;
// `baseline` is what the shell's own lookup, splitting and loading read.
enum class FamilySet : std::uint8_t { baseline, strict };

// Family is one row of the table of names that a session may not set, because the wrapper that
// holds a command to its deadline runs inside the sandbox and inherits its environment.
struct Family {
  std::string_view name;  // an exact name, or the beginning of one
  bool is_prefix;
  FamilySet set;            // the smallest set that has the row
  std::string_view why;     // what the variable does to the wrapper
  std::string_view source;  // where that is written
};

// families lists the whole table, baseline rows first.
[[nodiscard]] std::span<const Family> families() noexcept;

// find_family gives the row that refuses `name` in `set`, or nullptr. Exact and case-sensitive.
// O(rows), allocates nothing.
[[nodiscard]] const Family* find_family(FamilySet set, std::string_view name) noexcept;

// SessionRules is what a deployment asks of a session's environment: a set, and a rule of its own
// (borrowed; it must outlive every parse).
struct SessionRules {
  FamilySet set = FamilySet::strict;
  const NameRule* also = nullptr;
};

// SessionName is a variable name that may be set for a whole session: none of the refused families.
// parse refuses what EnvName refuses, then `refused_family`: the same variable may be declared on
// one command instead, where it reaches only the command.
//   SessionName::parse("LD_PRELOAD").error().reason == Reason::refused_family
class SessionName {
 public:
  [[nodiscard]] static Checked<SessionName> parse(std::string_view text,
                                                  const SessionRules& rules = {}) noexcept;
  template <OwningTemporary S>
  static Checked<SessionName> parse(S&& text, const SessionRules& rules = {}) = delete;

  [[nodiscard]] constexpr EnvName name() const noexcept { return name_; }
  [[nodiscard]] constexpr std::string_view view() const noexcept { return name_.view(); }

 private:
  constexpr explicit SessionName(EnvName name) noexcept : name_(name) {}

  EnvName name_;
};

// SessionVariable is a variable that may be set for a whole session.
//
// parse refuses what SessionName and EnvVariable refuse, in that order; then, in the strict set,
// COLUMNS and LINES that are not 1 to 5 digits (`not_digits`: mksh ends at start-up otherwise) and
// a value that begins with `() {` (`function_value`: bash before 4.3 patch 25 reads it as code,
// CVE-2014-6271). O(n), allocates nothing.
class SessionVariable {
 public:
  [[nodiscard]] static Checked<SessionVariable> parse(std::string_view name, std::string_view value,
                                                      const SessionRules& rules = {}) noexcept;

  [[nodiscard]] constexpr EnvName name() const noexcept { return variable_.name(); }
  [[nodiscard]] constexpr std::string_view value() const noexcept { return variable_.value(); }

 private:
  constexpr explicit SessionVariable(EnvVariable variable) noexcept : variable_(variable) {}

  EnvVariable variable_;
};

// EnvEntry is one unchecked variable, as a caller gives it.
struct EnvEntry {
  std::string_view name;
  std::string_view value;
};

// SessionEnvironment is everything that a session is created with: owned copies, sorted by the
// bytes of their names, no name twice.
//
// parse checks the whole list by phases: every name, then every family, then every value, then
// `duplicate_name` (at the first entry whose name stood before). Refusal::word is the entry's
// index. O(n log n) in the number of entries.
class SessionEnvironment {
 public:
  struct Variable {
    std::string name;
    std::string value;
    friend bool operator==(const Variable&, const Variable&) = default;
  };

  SessionEnvironment() = default;  // no variables
  [[nodiscard]] static Checked<SessionEnvironment> parse(std::span<const EnvEntry> entries,
                                                         const SessionRules& rules = {});

  [[nodiscard]] std::span<const Variable> variables() const noexcept { return variables_; }

 private:
  std::vector<Variable> variables_;
};

}  // namespace sandproof
