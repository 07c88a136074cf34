#include "json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bytes.h"

namespace sandproof::json_text {

namespace {

// is_plain: JSON writes these bytes as they are.
bool is_plain(char c) noexcept {
  return bytes::is_ascii(c) && !bytes::is_control(c) && c != '"' && c != '\\';
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  if (std::ranges::all_of(text, is_plain)) {
    out.append(1, '"').append(text).append(1, '"');
    return;
  }
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string pointer_token(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string lowered(std::string_view text) {
  std::string out(text);
  bytes::lower(out, out.data());
  return out;
}

std::string& ObjectWriter::member(std::string_view key) {
  if (!first_) out_ += ',';
  first_ = false;
  append_string(out_, key);
  out_ += ':';
  return out_;
}

}  // namespace sandproof::json_text
