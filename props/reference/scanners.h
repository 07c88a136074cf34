// The reference model of everything that reads a piece of text: slow, obvious, one rule at a time,
// in the order in which the specification names the rules. It shares no code with the library;
// properties compare the two.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sandproof::reference {

// Answer is what a check says: `value` only when accepted, `reason` and perhaps `offset` only when
// refused.
struct Answer {
  bool accepted = false;
  std::string value;
  std::string reason;
  std::optional<std::size_t> offset;  // Bytes from the start of the input, as it came.

  bool operator==(const Answer&) const = default;
};

[[nodiscard]] Answer accept(std::string_view value);
[[nodiscard]] Answer refuse(std::string_view reason,
                            std::optional<std::size_t> offset = std::nullopt);

// lower_ascii folds A-Z only, whatever the locale says about other bytes.
[[nodiscard]] std::string lower_ascii(std::string_view text);

// session_id accepts 1..63 bytes of [A-Za-z0-9_-]; the value is the input.
[[nodiscard]] Answer session_id(std::string_view text);

// addressable_id is the same alphabet at any length but zero: an empty id would make a URL that
// names the collection.
[[nodiscard]] bool addressable_id(std::string_view text);

// call_id accepts 32 lower-case hex digits; the value is the input.
[[nodiscard]] Answer call_id(std::string_view text);

// sandbox_path's value is the path to send: the input without its leading slashes.
[[nodiscard]] Answer sandbox_path(std::string_view text);

// env_name's value is the input.
[[nodiscard]] Answer env_name(std::string_view text);

// env_value applies the rules that hold for every variable, on a session or on one command; `name`
// counts only for the size of NAME=VALUE. The value is the value.
[[nodiscard]] Answer env_value(std::string_view name, std::string_view value);

enum class Families { baseline, strict };

// refused_names and refused_prefixes are the built-in families; `strict` includes `baseline`.
[[nodiscard]] const std::vector<std::string>& refused_names(Families families);
[[nodiscard]] const std::vector<std::string>& refused_prefixes(Families families);

// session_variable judges one variable of a session's environment; without a value, only its name
// and family. The answer's value is the name.
[[nodiscard]] Answer session_variable(Families families, std::string_view name,
                                      std::optional<std::string_view> value);

// ListAnswer places a refusal in a list: `entry` is the index of the entry that was refused.
struct ListAnswer {
  bool accepted = false;
  std::string reason;
  std::optional<std::size_t> offset;
  std::optional<std::size_t> entry;

  bool operator==(const ListAnswer&) const = default;
};

// session_environment checks all names, then all families, then all values, then repeats.
[[nodiscard]] ListAnswer session_environment(
    Families families, const std::vector<std::pair<std::string, std::string>>& entries);

// domain's value is the canonical form: lower case, without the root dot.
[[nodiscard]] Answer domain(std::string_view text);

// deadline's value is its shell text, seconds: "30" or "1.500".
[[nodiscard]] Answer deadline(std::string_view text);

// session_state is "running", "starting", "suspended" or "terminated"; none for a state that nobody
// knows.
[[nodiscard]] std::optional<std::string> session_state(std::string_view raw);

// judgeable says whether a record's policy may be held against the declaration now. A policy that
// could not be read is still one that the record carries.
[[nodiscard]] bool judgeable(std::string_view raw_state, bool carries_policy);

}  // namespace sandproof::reference
