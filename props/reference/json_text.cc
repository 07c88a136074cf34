#include "json_text.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "utf8.h"

namespace sandproof::reference {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<std::uint32_t> hex_digit(char c) {
  if (is_digit(c)) return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
  return std::nullopt;
}

std::string encode_utf8(std::uint32_t character) {
  const auto byte = [](std::uint32_t value) {
    return static_cast<char>(static_cast<unsigned char>(value));
  };
  const auto continuation = [&](std::uint32_t bits) { return byte(0x80U + bits % 64); };
  if (character < 0x80) return {byte(character)};
  if (character < 0x800) return {byte(0xc0U + character / 64), continuation(character)};
  if (character < 0x10000) {
    return {byte(0xe0U + character / 4096), continuation(character / 64), continuation(character)};
  }
  return {byte(0xf0U + character / 262144), continuation(character / 4096),
          continuation(character / 64), continuation(character)};
}

// overflows: a number too large for a double, which a reader could only turn into infinity or into
// another number.
bool overflows(const std::string& number) {
  return nlohmann::json::parse(number, nullptr, false).is_discarded();
}

// JsonReader descends recursively as far as the depth limit; every function returns false where the
// text is not JSON, with `at` at the place.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool whole_text(JsonValue& out) { return value(out, 1) && (skip_spaces(), at == text_.size()); }

  std::size_t at = 0;

 private:
  // peek is the next byte, or NUL at the end: a raw NUL was refused before.
  [[nodiscard]] char peek() const { return at < text_.size() ? text_[at] : '\0'; }

  bool take(char expected) {
    if (peek() != expected) return false;
    ++at;
    return true;
  }

  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at;
  }

  bool value(JsonValue& out, std::size_t depth) {
    skip_spaces();
    if (peek() != '{' && peek() != '[') return scalar(out);
    if (depth > k_max_json_depth) {
      out.kind = JsonValue::Kind::too_deep;
      return skip_container();
    }
    if (peek() == '{') return object(out, depth);
    return array(out, depth);
  }

  bool object(JsonValue& out, std::size_t depth) {
    out.kind = JsonValue::Kind::object;
    if (!take('{')) return false;
    skip_spaces();
    if (take('}')) return true;
    while (true) {
      if (!key_and_colon(out.keys.emplace_back())) return false;
      if (!value(out.values.emplace_back(), depth + 1)) return false;
      skip_spaces();
      if (take('}')) return true;
      if (!take(',')) return false;
    }
  }

  bool array(JsonValue& out, std::size_t depth) {
    out.kind = JsonValue::Kind::array;
    if (!take('[')) return false;
    skip_spaces();
    if (take(']')) return true;
    while (true) {
      if (!value(out.values.emplace_back(), depth + 1)) return false;
      skip_spaces();
      if (take(']')) return true;
      if (!take(',')) return false;
    }
  }

  bool key_and_colon(std::string& key) {
    skip_spaces();
    if (!string(key)) return false;
    skip_spaces();
    return take(':');
  }

  bool scalar(JsonValue& out) {
    if (peek() == '"') {
      out.kind = JsonValue::Kind::string;
      return string(out.text);
    }
    if (peek() == '-' || is_digit(peek())) return number(out);
    if (word("null")) return true;
    out.kind = JsonValue::Kind::boolean;
    out.boolean = word("true");
    return out.boolean || word("false");
  }

  bool word(std::string_view expected) {
    if (!text_.substr(at).starts_with(expected)) return false;
    at += expected.size();
    return true;
  }

  bool digits() {
    if (!is_digit(peek())) return false;
    while (is_digit(peek())) ++at;
    return true;
  }

  bool number(JsonValue& out) {
    out.kind = JsonValue::Kind::number;
    const std::size_t begin = at;
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    out.text = text_.substr(begin, at - begin);
    return !overflows(out.text);
  }

  bool string(std::string& out) {
    if (!take('"')) return false;
    while (!take('"')) {
      if (static_cast<unsigned char>(peek()) < 0x20)
        return false;  // A raw control byte, or the end.
      if (take('\\')) {
        if (!escape(out)) return false;
      } else {
        out += text_[at];
        ++at;
      }
    }
    return true;
  }

  bool escape(std::string& out) {
    if (take('u')) return unicode_escape(out);
    constexpr std::string_view k_written = "\"\\/bfnrt";
    constexpr std::string_view k_meant = "\"\\/\b\f\n\r\t";
    const std::size_t which = k_written.find(peek());
    if (which == std::string_view::npos) return false;
    out += k_meant[which];
    ++at;
    return true;
  }

  bool four_hex_digits(std::uint32_t& unit) {
    unit = 0;
    for (int i = 0; i < 4; ++i) {
      const auto digit = hex_digit(peek());
      if (!digit.has_value()) return false;
      unit = unit * 16 + *digit;
      ++at;
    }
    return true;
  }

  // A high surrogate must be followed at once by an escaped low one; neither may stand alone.
  bool unicode_escape(std::string& out) {
    std::uint32_t unit = 0;
    if (!four_hex_digits(unit)) return false;
    if (unit >= 0xdc00 && unit <= 0xdfff) return false;
    if (unit >= 0xd800 && unit <= 0xdbff) {
      std::uint32_t low = 0;
      if (!take('\\') || !take('u') || !four_hex_digits(low)) return false;
      if (low < 0xdc00 || low > 0xdfff) return false;
      unit = 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00);
    }
    out += encode_utf8(unit);
    return true;
  }

  // skip_container checks the syntax of a container without recursion: how deep it goes is the
  // text's choice, and the stack must not be.
  bool skip_container() {
    std::string closers;
    do {
      skip_spaces();
      if (take('[')) {
        closers += ']';
        skip_spaces();
        if (peek() != ']') continue;
      } else if (take('{')) {
        closers += '}';
        skip_spaces();
        if (peek() != '}') {
          if (!skip_key()) return false;
          continue;
        }
      } else if (!skip_scalar()) {
        return false;
      }
      if (!after_value(closers)) return false;
    } while (!closers.empty());
    return true;
  }

  // after_value closes what ends here and stops where the next value must begin.
  bool after_value(std::string& closers) {
    while (!closers.empty()) {
      skip_spaces();
      if (take(closers.back())) {
        closers.pop_back();
      } else {
        return take(',') && (closers.back() == ']' || skip_key());
      }
    }
    return true;
  }

  bool skip_key() {
    std::string ignored;
    return key_and_colon(ignored);
  }

  bool skip_scalar() {
    JsonValue ignored;
    return scalar(ignored);
  }

  std::string_view text_;
};

JsonText not_read(std::string_view reason, std::size_t offset) {
  JsonText answer;
  answer.reason = reason;
  answer.offset = offset;
  return answer;
}

}  // namespace

JsonText read_json(std::string_view text) {
  if (text.size() > k_max_json_size) return not_read("too_large", k_max_json_size);
  if (text.starts_with("\xef\xbb\xbf")) return not_read("byte_order_mark", 0);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return not_read("nul", nul);
  if (const auto ill_formed = first_ill_formed(text)) return not_read("invalid_utf8", *ill_formed);

  JsonText answer;
  JsonReader reader(text);
  if (!reader.whole_text(answer.root)) return not_read("not_json", reader.at);
  answer.is_json = true;
  return answer;
}

}  // namespace sandproof::reference
