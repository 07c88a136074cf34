// JSON as text: the small pieces that writing, pointing and comparing share.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace sandproof::json_text {

// append_string writes a JSON string; bytes that are not UTF-8 as U+FFFD.
void append_string(std::string& out, std::string_view text);

// pointer_token gives "/" and one reference token of a JSON pointer (RFC 6901, 3).
std::string pointer_token(std::string_view key);

// lowered folds ASCII upper case.
std::string lowered(std::string_view text);

// ObjectWriter appends one object, member by member, and closes it when it goes out of scope. That
// may throw std::bad_alloc. On the way out of an exception nothing is closed, so nothing is thrown.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ~ObjectWriter() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) out_ += '}';
  }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  // member writes a key, and gives the text to which the caller appends its value.
  std::string& member(std::string_view key);
  void text(std::string_view key, std::string_view value) { append_string(member(key), value); }
  void raw(std::string_view key, std::string_view json) { member(key) += json; }

 private:
  std::string& out_;
  int exceptions_ = std::uncaught_exceptions();
  bool first_ = true;
};

// append_list appends a list, each element by `append(out, element)`.
template <class List, class Append>
void append_list(std::string& out, const List& list, Append append) {
  out += '[';
  bool first = true;
  for (const auto& element : list) {
    if (!first) out += ',';
    first = false;
    append(out, element);
  }
  out += ']';
}

}  // namespace sandproof::json_text
