// Reading a policy or a record: the JSON first, then depth, repeated keys, and the fields in order.
#include <algorithm>
#include <set>

#include "policy.h"
#include "scanners.h"

namespace sandproof::reference {
namespace {

struct Problem {
  std::string reason;
  std::string pointer;
};

using Found = std::optional<Problem>;
using Keys = std::vector<std::string>;
using Kind = JsonValue::Kind;

const Keys& policy_keys() {
  static const Keys keys = {"defaultAction", "trafficInspection", "hostRules", "rules", "http"};
  return keys;
}

const Keys& record_keys() {
  static const Keys keys = {"id", "state", "egressPolicy", "skipEgressProxy",
                            "customerVnetConnectionName"};
  return keys;
}

bool among(const Keys& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

const JsonValue* member(const JsonValue& object, std::string_view key) {
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    if (object.keys[i] == key) return &object.values[i];
  }
  return nullptr;
}

// child_pointer names the i-th member or item of a value.
std::string child_pointer(const JsonValue& value, const std::string& pointer, std::size_t i) {
  return value.kind == Kind::object ? pointer_below(pointer, value.keys[i])
                                    : pointer_below(pointer, i);
}

Found find_too_deep(const JsonValue& value, const std::string& pointer) {
  if (value.kind == Kind::too_deep) return Problem{"too_deep", pointer};
  for (std::size_t i = 0; i < value.values.size(); ++i) {
    if (Found found = find_too_deep(value.values[i], child_pointer(value, pointer, i)))
      return found;
  }
  return std::nullopt;
}

Found find_repeated_key(const JsonValue& object, const std::string& pointer) {
  std::set<std::string> seen;
  for (const std::string& key : object.keys) {
    if (!seen.insert(key).second) return Problem{"duplicate_key", pointer_below(pointer, key)};
  }
  return std::nullopt;
}

Found find_repeated_key_anywhere(const JsonValue& value, const std::string& pointer) {
  if (Found found = find_repeated_key(value, pointer)) return found;
  for (std::size_t i = 0; i < value.values.size(); ++i) {
    if (Found found = find_repeated_key_anywhere(value.values[i], child_pointer(value, pointer, i)))
      return found;
  }
  return std::nullopt;
}

// A key in another case is a known field to a reader that ignores case, and an unknown one to a
// reader that does not.
Found find_key_case(const JsonValue& object, const Keys& known, const std::string& pointer) {
  for (const std::string& key : object.keys) {
    for (const std::string& name : known) {
      if (key != name && lower_ascii(key) == lower_ascii(name))
        return Problem{"key_case", pointer_below(pointer, key)};
    }
  }
  return std::nullopt;
}

Found find_unknown(const JsonValue& object, const Keys& known, const std::string& pointer) {
  for (const std::string& key : object.keys) {
    if (!among(known, key)) return Problem{"unknown_field", pointer_below(pointer, key)};
  }
  return std::nullopt;
}

enum class Presence {
  required,  // there, and not null
  optional,  // absent, or not null
  nullable,  // absent, null, or a value
};

// find_field checks that a field is there as far as it must be, and of its kind; strings hold no
// NUL.
Found find_field(const JsonValue& object, std::string_view key, Kind kind, Presence presence,
                 const std::string& pointer) {
  const JsonValue* value = member(object, key);
  if (value == nullptr) {
    if (presence == Presence::required)
      return Problem{"missing_field", pointer_below(pointer, key)};
    return std::nullopt;
  }
  if (value->kind == Kind::null && presence == Presence::nullable) return std::nullopt;
  if (value->kind != kind) return Problem{"wrong_type", pointer_below(pointer, key)};
  if (kind == Kind::string && value->text.contains('\0'))
    return Problem{"nul", pointer_below(pointer, key)};
  return std::nullopt;
}

// present is a member that is there and not null.
const JsonValue* present(const JsonValue& object, std::string_view key) {
  const JsonValue* value = member(object, key);
  return value == nullptr || value->kind == Kind::null ? nullptr : value;
}

Found check_host_rule(const JsonValue& rule, const std::string& pointer) {
  if (rule.kind != Kind::object) return Problem{"wrong_type", pointer};
  if (Found found = find_unknown(rule, {"pattern", "action"}, pointer)) return found;
  if (Found found = find_field(rule, "pattern", Kind::string, Presence::required, pointer))
    return found;
  return find_field(rule, "action", Kind::string, Presence::required, pointer);
}

Found check_match(const JsonValue& match, const std::string& pointer) {
  if (Found found = find_unknown(match, {"host", "path", "methods"}, pointer)) return found;
  if (Found found = find_field(match, "host", Kind::string, Presence::required, pointer))
    return found;
  if (Found found = find_field(match, "path", Kind::string, Presence::optional, pointer))
    return found;
  if (Found found = find_field(match, "methods", Kind::array, Presence::optional, pointer))
    return found;
  if (const JsonValue* methods = member(match, "methods")) {
    for (std::size_t i = 0; i < methods->values.size(); ++i) {
      const std::string method = pointer_below(pointer_below(pointer, "methods"), i);
      if (methods->values[i].kind != Kind::string) return Problem{"wrong_type", method};
      if (methods->values[i].text.contains('\0')) return Problem{"nul", method};
    }
  }
  return std::nullopt;
}

Found check_action(const JsonValue& action, const std::string& pointer) {
  if (Found found = find_unknown(action, {"type", "host", "path", "scheme", "headers"}, pointer))
    return found;
  if (Found found = find_field(action, "type", Kind::string, Presence::required, pointer))
    return found;
  for (const std::string_view key : {"host", "path", "scheme"}) {
    if (Found found = find_field(action, key, Kind::string, Presence::optional, pointer))
      return found;
  }
  return find_field(action, "headers", Kind::array, Presence::optional, pointer);
}

Found check_match_rule(const JsonValue& rule, const std::string& pointer) {
  if (rule.kind != Kind::object) return Problem{"wrong_type", pointer};
  if (Found found = find_unknown(rule, {"name", "match", "action"}, pointer)) return found;
  if (Found found = find_field(rule, "name", Kind::string, Presence::nullable, pointer))
    return found;
  if (Found found = find_field(rule, "match", Kind::object, Presence::nullable, pointer))
    return found;
  if (Found found = find_field(rule, "action", Kind::object, Presence::nullable, pointer))
    return found;
  if (const JsonValue* match = present(rule, "match")) {
    if (Found found = check_match(*match, pointer_below(pointer, "match"))) return found;
  }
  if (const JsonValue* action = present(rule, "action"))
    return check_action(*action, pointer_below(pointer, "action"));
  return std::nullopt;
}

// check_policy judges the policy, or its copy under `http`, in which another `http` is a field
// nobody models.
Found check_policy(const JsonValue& policy, const std::string& pointer, bool is_copy) {
  if (policy.kind != Kind::object) return Problem{"wrong_type", pointer};
  if (Found found = find_key_case(policy, policy_keys(), pointer)) return found;
  if (Found found = find_field(policy, "defaultAction", Kind::string, Presence::required, pointer))
    return found;
  if (Found found =
          find_field(policy, "trafficInspection", Kind::string, Presence::nullable, pointer))
    return found;
  if (Found found = find_field(policy, "hostRules", Kind::array, Presence::optional, pointer))
    return found;
  if (Found found = find_field(policy, "rules", Kind::array, Presence::optional, pointer))
    return found;
  if (const JsonValue* rules = member(policy, "hostRules")) {
    for (std::size_t i = 0; i < rules->values.size(); ++i) {
      if (Found found = check_host_rule(rules->values[i],
                                        pointer_below(pointer_below(pointer, "hostRules"), i)))
        return found;
    }
  }
  if (const JsonValue* rules = member(policy, "rules")) {
    for (std::size_t i = 0; i < rules->values.size(); ++i) {
      if (Found found =
              check_match_rule(rules->values[i], pointer_below(pointer_below(pointer, "rules"), i)))
        return found;
    }
  }
  const JsonValue* copy = is_copy ? nullptr : member(policy, "http");
  return copy == nullptr ? std::nullopt : check_policy(*copy, pointer_below(pointer, "http"), true);
}

Found check_whole_policy(const JsonValue& policy, const std::string& pointer) {
  if (Found found = find_too_deep(policy, pointer)) return found;
  if (Found found = find_repeated_key_anywhere(policy, pointer)) return found;
  return check_policy(policy, pointer, false);
}

// check_record looks everywhere but into the policy.
Found check_record(const JsonValue& record) {
  if (record.kind != Kind::object) return Problem{"wrong_type", ""};
  if (Found found = find_repeated_key(record, "")) return found;
  for (std::size_t i = 0; i < record.keys.size(); ++i) {
    if (record.keys[i] == "egressPolicy") continue;
    const std::string pointer = pointer_below("", record.keys[i]);
    if (Found found = find_too_deep(record.values[i], pointer)) return found;
    if (Found found = find_repeated_key_anywhere(record.values[i], pointer)) return found;
  }
  if (Found found = find_key_case(record, record_keys(), "")) return found;
  if (Found found = find_field(record, "id", Kind::string, Presence::required, "")) return found;
  return find_field(record, "state", Kind::string, Presence::nullable, "");
}

}  // namespace

Reading read_policy(std::string_view text) {
  Reading reading;
  const JsonText json = read_json(text);
  if (!json.is_json) {
    reading.reason = json.reason;
    return reading;
  }
  if (json.root.kind != Kind::null) {
    if (const Found found = check_whole_policy(json.root, "")) {
      reading.reason = found->reason;
      reading.pointer = found->pointer;
      return reading;
    }
  }
  reading.readable = true;
  reading.document = to_document(json.root);
  return reading;
}

RecordReading read_record(std::string_view text) {
  RecordReading reading;
  JsonText json = read_json(text);
  if (!json.is_json) {
    reading.reason = json.reason;
    return reading;
  }
  if (const Found found = check_record(json.root)) {
    reading.reason = found->reason;
    reading.pointer = found->pointer;
    return reading;
  }
  reading.readable = true;
  reading.id = member(json.root, "id")->text;
  if (const JsonValue* state = present(json.root, "state")) reading.state = state->text;
  if (const JsonValue* policy = present(json.root, "egressPolicy")) {
    reading.policy = RecordReading::Policy::read;
    if (const Found found = check_whole_policy(*policy, "/egressPolicy")) {
      reading.policy = RecordReading::Policy::unreadable;
      reading.policy_reason = found->reason;
      reading.policy_pointer = found->pointer;
      const auto at = std::find(json.root.keys.begin(), json.root.keys.end(), "egressPolicy") -
                      json.root.keys.begin();
      json.root.keys.erase(json.root.keys.begin() + at);
      json.root.values.erase(json.root.values.begin() + at);
    }
  }
  reading.document = to_document(json.root);
  return reading;
}

}  // namespace sandproof::reference
