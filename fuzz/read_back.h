// What the library wrote, as the reference model reads it.
#pragma once

#include <string_view>

#include "fuzz_check.h"
#include "reference/json_text.h"

namespace sandproof::fuzz {

// read_back reads a body that must be JSON.
inline reference::Document read_back(std::string_view body) {
  const reference::JsonText json = reference::read_json(body);
  FUZZ_CHECK(json.is_json, body, json.reason);
  return reference::to_document(json.root);
}

}  // namespace sandproof::fuzz
