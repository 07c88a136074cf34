// A strict JSON reader that keeps what a DOM hides: every key in its order, repeats included.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sandproof::reference {

// Document keeps its keys in the order of the text. It converts to and from nlohmann::json, which
// sorts them.
using Document = nlohmann::ordered_json;

inline constexpr std::size_t k_max_json_size = 1024 * 1024;
inline constexpr std::size_t k_max_json_depth = 32;

// JsonValue is one value as it was written.
struct JsonValue {
  // too_deep stands for an array or object below the deepest level: checked for its syntax, and not
  // kept.
  enum class Kind { null, boolean, number, string, array, object, too_deep };

  Kind kind = Kind::null;
  bool boolean = false;
  std::string text;               // A string, decoded; or a number, as it was written.
  std::vector<std::string> keys;  // An object's keys, decoded; keys[i] belongs to values[i].
  std::vector<JsonValue> values;  // The members of an object, or the items of an array.
};

// JsonText is a whole text: a value, or why there is none.
struct JsonText {
  bool is_json = false;
  std::string reason;      // too_large, byte_order_mark, nul, invalid_utf8 or not_json
  std::size_t offset = 0;  // Where in the text, for a refusal.
  JsonValue root;
};

[[nodiscard]] JsonText read_json(std::string_view text);

// to_document builds the DOM of a value that holds no repeated key and nothing too deep.
[[nodiscard]] Document to_document(const JsonValue& value);

// pointer_below is the JSON pointer of a member (its name escaped) or of an item of what `pointer`
// names.
[[nodiscard]] std::string pointer_below(const std::string& pointer, std::string_view name);
[[nodiscard]] std::string pointer_below(const std::string& pointer, std::size_t index);

}  // namespace sandproof::reference
