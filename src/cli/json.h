// JSON as the tool reads and writes it, one line at a time.
#pragma once

#include <cstdint>
#include <expected>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sandproof::cli {

// Json keeps its keys in the order in which they were set.
using Json = nlohmann::ordered_json;

// json_line writes a value as one line of pure ASCII with its newline. Strings that are not UTF-8
// get U+FFFD in place of what is not.
[[nodiscard]] std::string json_line(const Json& value);

// set_bytes sets `name` to bytes that are UTF-8, or `name` and "_hex" to the hex digits of others.
void set_bytes(Json& object, std::string_view name, std::string bytes);

// Malformed is what keeps a line from being a question: a stable name and a sentence of printable
// ASCII.
struct Malformed {
  std::string_view reason;
  std::string message;
};

// json_of is that as a verdict: unreadable.
[[nodiscard]] Json json_of(const Malformed& malformed);

// Member is one member of a line's object: the decoded string, or any other value as compact JSON,
// in which numbers keep their spelling and keys their order and repeats.
struct Member {
  std::string_view name;
  bool is_string = false;
  std::string text;

  // json is the value as JSON, whatever it is.
  [[nodiscard]] std::string json() const;
};

using Strings = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

// Members are those of one line.
//
// read takes one JSON object and nothing else, each member one of `known` and given once. What
// stands deeper is only checked to be JSON: who reads a member reads it strictly. The order of its
// complaints: byte order mark, NUL, UTF-8, JSON, then the leftmost of the rest. O(n).
class Members {
 public:
  [[nodiscard]] static std::expected<Members, Malformed> read(
      std::string_view line, std::span<const std::string_view> known);

  // find gives nullptr when the member is not there.
  [[nodiscard]] const Member* find(std::string_view name) const noexcept;

  // string gives the member's text, nothing when it is not there, or a complaint when it is not a
  // string.
  [[nodiscard]] std::expected<std::optional<std::string>, Malformed> string(
      std::string_view name) const;

  // bytes reads a string under `name`, or bytes as hex digits under `hex_name`. Both is a
  // complaint.
  [[nodiscard]] std::expected<std::optional<std::string>, Malformed> bytes(
      std::string_view name, std::string_view hex_name) const;

  // string_or_null gives nothing for null, too.
  [[nodiscard]] std::expected<std::optional<std::string>, Malformed> string_or_null(
      std::string_view name) const;

  // integer reads an integer of 32 bits; nothing for null, or when the member is not there.
  [[nodiscard]] std::expected<std::optional<std::int32_t>, Malformed> integer(
      std::string_view name) const;

  // strings reads a list of strings under `name`, or of bytes as hex digits under `hex_name`. Both
  // is a complaint.
  [[nodiscard]] std::expected<std::optional<Strings>, Malformed> strings(
      std::string_view name, std::string_view hex_name) const;

  // pairs reads an object of strings in its order: none when the member is not there. A key that
  // stands twice is a complaint.
  [[nodiscard]] std::expected<Pairs, Malformed> pairs(std::string_view name) const;

 private:
  friend class MemberReader;
  std::vector<Member> members_;
};

// required complains that a member is not there.
[[nodiscard]] Malformed required(std::string_view name);

// only_one complains about two members of which one may be there.
[[nodiscard]] Malformed only_one(std::string_view a, std::string_view b);

}  // namespace sandproof::cli
