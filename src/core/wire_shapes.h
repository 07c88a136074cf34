// What every document looks like: one table a kind of object, one row a field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sandproof::wire {

// Slot says where a value goes.
enum class Slot : std::uint8_t {
  root,
  unknown,
  // A policy, and the parts of it.
  default_action,
  inspection,
  host_rules,
  host_rule,
  pattern,
  action,
  rules,
  rule,
  rule_name,
  match,
  match_host,
  match_path,
  methods,
  method,
  rule_action,
  action_type,
  action_host,
  action_path,
  action_scheme,
  headers,
  http,
  // A sandbox record.
  id,
  state,
  policy,
  skip_egress_proxy,
  customer_network,
  // An exec result.
  standard_output,
  standard_error,
  exit_code,
};

// Type says what a value must be. `text` is compared or sent again, so it holds no NUL; `output` is
// what a command wrote, so it may. `raw_list` and `any` are kept as canonical text.
enum class Type : std::uint8_t { text, output, integer, object, list, raw_list, any };

enum class Required : bool { no, yes };
enum class Null : bool { refused, absent };

// Unknown says what becomes of a field that has no row: refused, kept by name, or ignored.
enum class Unknown : std::uint8_t { refuse, keep, ignore };

struct Shape;

struct Field {
  std::string_view key;
  Slot slot;
  Type type;
  Required required = Required::no;
  Null null = Null::refused;
  const Shape* shape = nullptr;    // of an object; nullptr: of the object that it stands in
  const Field* element = nullptr;  // of a list
};

struct Shape {
  std::span<const Field> fields;
  Unknown unknown;
  bool refuses_case_twins;  // a key that is a known one in another case
};

inline constexpr Field k_host_rule_fields[] = {
    Field{"pattern", Slot::pattern, Type::text, Required::yes},
    Field{"action", Slot::action, Type::text, Required::yes},
};
inline constexpr Shape k_host_rule{k_host_rule_fields, Unknown::refuse, false};
inline constexpr Field k_host_rule_element{"",           Slot::host_rule, Type::object,
                                           Required::no, Null::refused,   &k_host_rule};

inline constexpr Field k_method_element{"", Slot::method, Type::text};
inline constexpr Field k_match_fields[] = {
    Field{"host", Slot::match_host, Type::text, Required::yes},
    Field{"path", Slot::match_path, Type::text},
    Field{"methods", Slot::methods, Type::list, Required::no, Null::refused, nullptr,
          &k_method_element},
};
inline constexpr Shape k_match{k_match_fields, Unknown::refuse, false};

inline constexpr Field k_rule_action_fields[] = {
    Field{"type", Slot::action_type, Type::text, Required::yes},
    Field{"host", Slot::action_host, Type::text},
    Field{"path", Slot::action_path, Type::text},
    Field{"scheme", Slot::action_scheme, Type::text},
    Field{"headers", Slot::headers, Type::raw_list},
};
inline constexpr Shape k_rule_action{k_rule_action_fields, Unknown::refuse, false};

inline constexpr Field k_rule_fields[] = {
    Field{"name", Slot::rule_name, Type::text, Required::no, Null::absent},
    Field{"match", Slot::match, Type::object, Required::no, Null::absent, &k_match},
    Field{"action", Slot::rule_action, Type::object, Required::no, Null::absent, &k_rule_action},
};
inline constexpr Shape k_rule{k_rule_fields, Unknown::refuse, false};
inline constexpr Field k_rule_element{"",           Slot::rule,    Type::object,
                                      Required::no, Null::refused, &k_rule};

// `http` repeats the policy: its shape is that of the object it stands in.
inline constexpr Field k_policy_fields[] = {
    Field{"defaultAction", Slot::default_action, Type::text, Required::yes},
    Field{"trafficInspection", Slot::inspection, Type::text, Required::no, Null::absent},
    Field{"hostRules", Slot::host_rules, Type::list, Required::no, Null::refused, nullptr,
          &k_host_rule_element},
    Field{"rules", Slot::rules, Type::list, Required::no, Null::refused, nullptr, &k_rule_element},
    Field{"http", Slot::http, Type::object},
};
inline constexpr Shape k_policy{k_policy_fields, Unknown::keep, true};

inline constexpr Field k_record_fields[] = {
    Field{"id", Slot::id, Type::text, Required::yes},
    Field{"state", Slot::state, Type::text, Required::no, Null::absent},
    Field{"egressPolicy", Slot::policy, Type::object, Required::no, Null::absent, &k_policy},
    // Of any type: a type that nobody expects must not cost the id.
    Field{"skipEgressProxy", Slot::skip_egress_proxy, Type::any, Required::no, Null::absent},
    Field{"customerVnetConnectionName", Slot::customer_network, Type::any, Required::no,
          Null::absent},
};
inline constexpr Shape k_record{k_record_fields, Unknown::ignore, true};

inline constexpr Field k_exec_result_fields[] = {
    Field{"stdout", Slot::standard_output, Type::output},
    Field{"stderr", Slot::standard_error, Type::output},
    Field{"exitCode", Slot::exit_code, Type::integer, Required::no, Null::absent},
};
inline constexpr Shape k_exec_result{k_exec_result_fields, Unknown::ignore, false};

inline constexpr Field k_policy_root{"",           Slot::root,    Type::object,
                                     Required::no, Null::refused, &k_policy};
inline constexpr Field k_record_root{"",           Slot::root,    Type::object,
                                     Required::no, Null::refused, &k_record};
inline constexpr Field k_exec_result_root{"",           Slot::root,    Type::object,
                                          Required::no, Null::refused, &k_exec_result};
inline constexpr Field k_any_root{"", Slot::root, Type::any};
inline constexpr Field k_unknown_field{"", Slot::unknown, Type::any};

// The keys by which a document shows what it is.
inline constexpr Field k_peek_fields[] = {
    Field{"defaultAction", Slot::default_action, Type::any},
    Field{"id", Slot::id, Type::any},
    Field{"egressPolicy", Slot::policy, Type::any},
};
inline constexpr Shape k_peek{k_peek_fields, Unknown::ignore, false};
inline constexpr Field k_peek_root{"",           Slot::root,   Type::object,
                                   Required::no, Null::absent, &k_peek};

}  // namespace sandproof::wire
