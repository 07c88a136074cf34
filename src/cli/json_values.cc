// The values of a line's members: numbers, lists and objects, as the commands read them.
#include <charconv>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "../core/bytes.h"
#include "hex.h"
#include "json.h"
#include "sandproof/refusal.h"

namespace sandproof::cli {
namespace {

using PlainJson = nlohmann::json;

std::string key(std::string_view name) { return "key \"" + std::string(name) + '"'; }

Malformed wrong_type(std::string_view name, std::string_view what) {
  return {code(Reason::wrong_type), key(name) + " is not " + std::string(what)};
}

bool is_null(const Member& member) { return !member.is_string && member.text == "null"; }

// FlatReader is the events of one list of strings, or of one object of them. It stops at anything
// else.
class FlatReader final : public nlohmann::json_sax<PlainJson> {
 public:
  explicit FlatReader(bool is_object) : is_object_(is_object) {}

  Pairs pairs;  // without keys in a list
  bool repeats = false;

  bool null() override { return false; }
  bool boolean(bool /*value*/) override { return false; }
  bool number_integer(number_integer_t /*value*/) override { return false; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return false; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return false; }
  bool binary(binary_t& /*value*/) override { return false; }

  bool string(string_t& value) override {
    if (!is_open_) return false;
    if (!is_object_) pairs.emplace_back();
    pairs.back().second = std::move(value);
    return true;
  }

  bool start_object(std::size_t /*size*/) override { return is_object_ && open(); }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*size*/) override { return !is_object_ && open(); }
  bool end_array() override { return true; }

  bool key(string_t& name) override {
    repeats = !keys_.insert(name).second;
    pairs.emplace_back(std::move(name), string_t());
    return !repeats;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  bool open() { return !std::exchange(is_open_, true); }

  bool is_object_;
  bool is_open_ = false;
  std::unordered_set<std::string> keys_;
};

std::expected<std::optional<Strings>, Malformed> read_list(const Members& members,
                                                           std::string_view name) {
  const Member* member = members.find(name);
  if (member == nullptr) return std::nullopt;
  FlatReader reader(false);
  if (member->is_string || !PlainJson::sax_parse(member->text, &reader)) {
    return std::unexpected(wrong_type(name, "a list of strings: write [\"...\"]"));
  }
  Strings strings;
  strings.reserve(reader.pairs.size());
  for (auto& [unused, text] : reader.pairs) strings.push_back(std::move(text));
  return strings;
}

}  // namespace

void set_bytes(Json& object, std::string_view name, std::string bytes) {
  const std::string member(name);
  if (bytes::find_ill_formed_utf8(bytes) == k_no_place) {
    object[member] = std::move(bytes);
  } else {
    object[member + "_hex"] = to_hex(bytes);
  }
}

std::expected<std::optional<std::string>, Malformed> Members::string_or_null(
    std::string_view name) const {
  const Member* member = find(name);
  if (member != nullptr && is_null(*member)) return std::nullopt;
  return string(name);
}

std::expected<std::optional<std::int32_t>, Malformed> Members::integer(
    std::string_view name) const {
  const Member* member = find(name);
  if (member == nullptr || is_null(*member)) return std::nullopt;
  std::int32_t number = 0;
  const char* const end = member->text.data() + member->text.size();
  const auto [stop, error] = std::from_chars(member->text.data(), end, number);
  if (member->is_string || stop != end || error == std::errc::invalid_argument) {
    return std::unexpected(wrong_type(name, "an integer: make it one, or null"));
  }
  if (error != std::errc()) {
    return std::unexpected(
        Malformed{code(Reason::out_of_range),
                  key(name) + " has a number that does not fit: give an integer of 32 bits"});
  }
  return number;
}

std::expected<std::optional<Strings>, Malformed> Members::strings(std::string_view name,
                                                                  std::string_view hex_name) const {
  auto texts = read_list(*this, name);
  if (!texts) return texts;
  auto read = read_list(*this, hex_name);
  if (!read || !*read) return read ? texts : read;
  if (*texts) return std::unexpected(only_one(name, hex_name));
  for (std::string& word : **read) {
    auto decoded = from_hex(word);
    if (!decoded) {
      return std::unexpected(
          Malformed{"bad_hex", key(hex_name) + " has " + escaped(word) +
                                   ", which is not hex: give two of 0-9 a-f A-F for each byte"});
    }
    word = *std::move(decoded);
  }
  return read;
}

std::expected<Pairs, Malformed> Members::pairs(std::string_view name) const {
  const Member* member = find(name);
  if (member == nullptr) return Pairs();
  FlatReader reader(true);
  if (!member->is_string && PlainJson::sax_parse(member->text, &reader)) {
    return std::move(reader.pairs);
  }
  if (reader.repeats) {
    return std::unexpected(Malformed{
        code(Reason::duplicate_key),
        key(name) + " has " + escaped(reader.pairs.back().first) + " twice: keep one of them"});
  }
  return std::unexpected(wrong_type(name, "an object of strings: write {\"NAME\":\"value\"}"));
}

}  // namespace sandproof::cli
