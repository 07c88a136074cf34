// From a value that was read to a DOM, and the names of places in it.
#include "json_text.h"

namespace sandproof::reference {

std::string pointer_below(const std::string& pointer, std::string_view name) {
  std::string result = pointer + "/";
  for (const char c : name) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

std::string pointer_below(const std::string& pointer, std::size_t index) {
  return pointer + "/" + std::to_string(index);
}

Document to_document(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::boolean:
      return Document(value.boolean);
    case JsonValue::Kind::number:
      return Document::parse(value.text);
    case JsonValue::Kind::string:
      return Document(value.text);
    case JsonValue::Kind::array: {
      Document array = Document::array();
      for (const JsonValue& item : value.values) array.push_back(to_document(item));
      return array;
    }
    case JsonValue::Kind::object: {
      Document object = Document::object();
      // Straight into the list of members: no key repeats, and asking for each one would cost a
      // scan.
      auto& members = object.get_ref<Document::object_t&>();
      for (std::size_t i = 0; i < value.keys.size(); ++i) {
        members.push_back({value.keys[i], to_document(value.values[i])});
      }
      return object;
    }
    case JsonValue::Kind::null:
    case JsonValue::Kind::too_deep:
      break;
  }
  return Document(nullptr);
}

}  // namespace sandproof::reference
