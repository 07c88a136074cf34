#include "json.h"

#include <algorithm>
#include <utility>

#include "../core/bytes.h"
#include "hex.h"
#include "sandproof/refusal.h"

namespace sandproof::cli {
namespace {

using PlainJson = nlohmann::json;

std::string json_string(const std::string& text) { return PlainJson(text).dump(); }

std::string at_byte(std::size_t offset) { return " at byte " + std::to_string(offset); }

// unparsable is what nlohmann/json does not see or passes over in silence.
std::optional<Malformed> unparsable(std::string_view line) {
  if (line.starts_with("\xef\xbb\xbf")) {
    return Malformed{code(Reason::byte_order_mark),
                     "line begins with a byte order mark: remove it"};
  }
  if (const std::size_t at = line.find('\0'); at != line.npos) {
    return Malformed{code(Reason::nul), "line has a NUL byte" + at_byte(at) + ": write \\u0000"};
  }
  if (const std::size_t at = bytes::find_ill_formed_utf8(line); at != k_no_place) {
    return Malformed{code(Reason::invalid_utf8),
                     "line is not UTF-8" + at_byte(at) + ": write other bytes as hex"};
  }
  return std::nullopt;
}

}  // namespace

// MemberReader is the events of one line. It goes on after a wrong member, storing nothing more, so
// that a line that is no JSON at all is called that.
class MemberReader final : public nlohmann::json_sax<PlainJson> {
 public:
  MemberReader(std::size_t line_size, std::span<const std::string_view> known)
      : line_size_(line_size), known_(known) {}

  [[nodiscard]] std::expected<Members, Malformed> result() && {
    if (wrong_) return std::unexpected(*std::move(wrong_));
    return std::move(members_);
  }

  bool null() override { return scalar("null"); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return scalar(text);
  }
  bool binary(binary_t& /*value*/) override { return false; }

  bool string(string_t& value) override {
    if (depth_ != 1) return scalar_string(value);
    if (current_ != nullptr) {
      current_->is_string = true;
      current_->text = std::move(value);
    }
    return true;
  }

  bool start_object(std::size_t /*size*/) override { return open('{'); }
  bool end_object() override { return close('}'); }
  bool start_array(std::size_t /*size*/) override {
    if (depth_ == 0) not_an_object();
    return open('[');
  }
  bool end_array() override { return close(']'); }

  bool key(string_t& name) override {
    if (depth_ == 1) {
      begin_member(name);
    } else if (current_ != nullptr) {
      append(json_string(name));
      current_->text += ':';
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    // The position counts the bytes read, the offending one included; past the end it counts on.
    const std::size_t offset = std::min(position == 0 ? 0 : position - 1, line_size_);
    current_ = nullptr;
    wrong_ = Malformed{code(Reason::not_json),
                       "line is not JSON" + at_byte(offset) + ": send one JSON object a line"};
    return false;
  }

 private:
  void fail(Reason reason, std::string message) {
    current_ = nullptr;
    if (!wrong_) wrong_ = Malformed{code(reason), std::move(message)};
  }

  void not_an_object() { fail(Reason::wrong_type, "line is not an object: send one a line"); }

  void begin_member(const std::string& name) {
    current_ = nullptr;
    if (wrong_) return;
    const auto known = std::ranges::find(known_, name);
    if (known == known_.end()) {
      std::string names;
      for (const std::string_view each : known_) {
        names += names.empty() ? "" : ", ";
        names += each;
      }
      return fail(Reason::unknown_field, "key " + escaped(name) + " is not known: use " + names);
    }
    if (members_.find(name) != nullptr) {
      return fail(Reason::duplicate_key,
                  "key " + escaped(name) + " stands twice: keep one of them");
    }
    current_ = &members_.members_.emplace_back(Member{*known, false, {}});
  }

  bool scalar(std::string_view json) {
    if (depth_ == 0) not_an_object();
    append(json);
    return true;
  }

  bool scalar_string(const std::string& value) {
    if (depth_ == 0) not_an_object();
    if (current_ != nullptr) append(json_string(value));
    return true;
  }

  bool open(char bracket) {
    if (depth_ > 0) append({&bracket, 1});
    ++depth_;
    return true;
  }

  bool close(char bracket) {
    --depth_;
    if (depth_ > 0 && current_ != nullptr) current_->text += bracket;
    return true;
  }

  // append writes a value or a key, after a comma where one has to stand. A text that ends in one
  // of these three bytes ends in punctuation: a string ends in a quote.
  void append(std::string_view json) {
    if (current_ == nullptr) return;
    std::string& text = current_->text;
    if (!text.empty() && std::string_view("{[:").find(text.back()) == std::string_view::npos) {
      text += ',';
    }
    text += json;
  }

  std::size_t line_size_;
  std::span<const std::string_view> known_;
  std::size_t depth_ = 0;
  Members members_;
  Member* current_ = nullptr;
  std::optional<Malformed> wrong_;
};

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
}

std::string Member::json() const { return is_string ? json_string(text) : text; }

std::expected<Members, Malformed> Members::read(std::string_view line,
                                                std::span<const std::string_view> known) {
  if (auto wrong = unparsable(line)) return std::unexpected(*std::move(wrong));
  MemberReader reader(line.size(), known);
  // False is an error that the reader keeps.
  static_cast<void>(PlainJson::sax_parse(line.begin(), line.end(), &reader));
  return std::move(reader).result();
}

const Member* Members::find(std::string_view name) const noexcept {
  const auto member = std::ranges::find(members_, name, &Member::name);
  return member == members_.end() ? nullptr : &*member;
}

std::expected<std::optional<std::string>, Malformed> Members::string(std::string_view name) const {
  const Member* member = find(name);
  if (member == nullptr) return std::nullopt;
  if (!member->is_string) {
    return std::unexpected(
        Malformed{code(Reason::wrong_type),
                  "key \"" + std::string(name) + "\" is not a string: make it one"});
  }
  return member->text;
}

std::expected<std::optional<std::string>, Malformed> Members::bytes(
    std::string_view name, std::string_view hex_name) const {
  auto text = string(name);
  if (!text) return text;
  const auto read = string(hex_name);
  if (!read) return read;
  const std::optional<std::string>& digits = *read;
  if (!digits) return text;
  if (*text) return std::unexpected(only_one(name, hex_name));
  auto decoded = from_hex(*digits);
  if (!decoded) {
    return std::unexpected(Malformed{
        "bad_hex",
        "key \"" + std::string(hex_name) + "\" is not hex: give two of 0-9 a-f A-F for each byte"});
  }
  return decoded;
}

Json json_of(const Malformed& malformed) {
  return {{"verdict", "unreadable"}, {"reason", malformed.reason}, {"message", malformed.message}};
}

Malformed required(std::string_view name) {
  return {code(Reason::missing_field), "line lacks the key \"" + std::string(name) + "\": add it"};
}

Malformed only_one(std::string_view a, std::string_view b) {
  return {"ambiguous", "line has both \"" + std::string(a) + "\" and \"" + std::string(b) +
                           "\": keep one of them"};
}

}  // namespace sandproof::cli
