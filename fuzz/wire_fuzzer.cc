// Documents: the input is the text of one, of any kind.
//
// The first byte may be 0x01 instead: then the second says how far the text is from the limit, and
// spaces behind it fill it up to there. Inputs of that size would slow everything else down.
#include "sandproof/wire.h"

#include <array>
#include <charconv>
#include <limits>
#include <variant>

#include "egress_answers.h"
#include "egress_document.h"
#include "fuzz_check.h"
#include "near_limit.h"
#include "reference/policy.h"
#include "sandproof/session_state.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

// What every reading has decoded from one text.
struct Readings {
  explicit Readings(std::string_view text)
      : policy(decode_policy(text)),
        record(decode_record(text)),
        result(decode_exec_result(text)),
        canonical(canonical_json(text)),
        document(decode_effective(text)) {}

  Decoded<EgressPolicy> policy;
  Decoded<SandboxRecord> record;
  Decoded<ExecResult> result;
  Decoded<std::string> canonical;
  Decoded<EffectiveDocument> document;
};

// A text that is not JSON is read by nobody. What is refused by its bytes, before any parsing, is
// refused by everybody in the same way.
void check_no_json(std::string_view text, const Readings& ours, const reference::JsonText& theirs) {
  FUZZ_CHECK(!ours.canonical && !ours.policy && !ours.record && !ours.result && !ours.document,
             text, theirs.reason);
  const Unreadable& why = ours.canonical.error();
  check_message(explain(why));
  if (theirs.reason == "not_json") {
    // Before the place where the text stops being JSON, something else may have been refused.
    constexpr std::array k_on_the_way{Reason::not_json, Reason::too_deep, Reason::duplicate_key};
    FUZZ_CHECK(std::ranges::find(k_on_the_way, why.reason) != k_on_the_way.end(),
               summary(ours.canonical), theirs.reason);
    return;
  }
  FUZZ_CHECK(code(why.reason) == theirs.reason && why.offset == theirs.offset,
             summary(ours.canonical), theirs.reason, theirs.offset);
  FUZZ_CHECK(ours.policy.error() == why && ours.record.error() == why && ours.result.error() == why,
             summary(ours.policy), summary(ours.record), summary(ours.result));
}

// Over the limit nobody looks at what it is; an exec result has a limit of its own.
void check_too_large(std::string_view text, const Readings& ours) {
  FUZZ_CHECK(!ours.canonical && !ours.policy && !ours.record && !ours.document);
  const Unreadable why{Reason::too_large, {}, k_max_document_size};
  FUZZ_CHECK(ours.canonical.error() == why && ours.policy.error() == why &&
                 ours.record.error() == why && ours.document.error() == why,
             summary(ours.canonical));
  check_message(explain(why));
  const std::size_t end = std::min(text.find_last_not_of(' '), text.size() - 1) + 1;
  const Decoded<ExecResult> alone = decode_exec_result(text.substr(0, end));
  FUZZ_CHECK(alone ? ours.result == alone : !ours.result, summary(ours.result), summary(alone));
}

template <class T>
void check_round_trip(const T& value, Decoded<T> (*decode)(std::string_view)) {
  const std::string text = encode(value);
  const Decoded<T> again = decode(text);
  FUZZ_CHECK(again == value, text, summary(again));
}

void erase_null(nlohmann::json& object, const char* key) {
  if (object.contains(key) && object[key].is_null()) object.erase(key);
}

// as_read is a policy's document without what makes no difference: an empty list is as good as
// none, and null, where it may stand, is absent.
nlohmann::json as_read(nlohmann::json policy) {
  erase_null(policy, "trafficInspection");
  if (!policy.contains("hostRules")) policy["hostRules"] = nlohmann::json::array();
  if (policy.contains("rules")) {
    for (nlohmann::json& rule : policy["rules"]) {
      for (const char* key : {"name", "match", "action"}) erase_null(rule, key);
    }
    if (policy["rules"].empty()) policy.erase("rules");
  }
  return policy;
}

// What was decoded is what the text says, each field in its place.
void check_content(const EgressPolicy& policy, const reference::Document& document) {
  nlohmann::json expected = as_read(document);
  if (expected.contains("http")) expected["http"] = as_read(expected["http"]);
  const nlohmann::json decoded = document_of(policy);
  FUZZ_CHECK(decoded.dump() == expected.dump(), decoded.dump(), expected.dump());
}

void check_policy(std::string_view text, const Decoded<EgressPolicy>& policy) {
  const reference::Reading reading = reference::read_policy(text);
  // The model reads null as "no policy"; for the library that is a question of the whole document.
  const bool readable = reading.readable && !reading.document.is_null();
  FUZZ_CHECK(policy.has_value() == readable, summary(policy), summary(reading));
  if (policy) {
    check_content(*policy, reading.document);
    check_round_trip(*policy, decode_policy);
  } else {
    check_message(explain(policy.error()));
  }
}

// A state's word is the one that it was read from, and its record tells the policy only where a
// sandbox is there to have one.
void check_state(const std::optional<std::string>& text) {
  const Checked<ServiceState> state = parse_state(text);
  if (!state) {
    check_message(explain(state.error(), text.value_or("")));
    return;
  }
  FUZZ_CHECK(word(*state) == text, text.value_or(""));
  const std::string_view folded = name(session_state(*state));
  FUZZ_CHECK(judgeable(*state, false) == (folded == "running"), folded);
  FUZZ_CHECK(judgeable(*state, true) == (folded == "running" || folded == "suspended"), folded);
}

void check_record(std::string_view text, const Decoded<SandboxRecord>& record) {
  using Policy = reference::RecordReading::Policy;
  const reference::RecordReading reading = reference::read_record(text);
  FUZZ_CHECK(record.has_value() == reading.readable, summary(record), summary(reading));
  if (!record) {
    check_message(explain(record.error()));
    return;
  }
  FUZZ_CHECK(record->id == reading.id, record->id, reading.id);
  FUZZ_CHECK(record->state == reading.state, record->state.value_or(""),
             reading.state.value_or(""));
  FUZZ_CHECK(carries_policy(*record) == (reading.policy != Policy::absent), text);
  check_state(record->state);
  const auto* unreadable = std::get_if<Unreadable>(&record->policy);
  FUZZ_CHECK((unreadable != nullptr) == (reading.policy == Policy::unreadable), text,
             reading.policy_reason);
  if (unreadable == nullptr) {
    check_round_trip(*record, decode_record);
    return;
  }
  check_message(explain(*unreadable));
  FUZZ_CHECK(unreadable->pointer.starts_with("/egressPolicy"), unreadable->pointer);
  // Written and read again it is still a policy that cannot be read, and has cost nothing else.
  const Decoded<SandboxRecord> again = decode_record(encode(*record));
  FUZZ_CHECK(again && std::holds_alternative<Unreadable>(again->policy), text, summary(again));
  FUZZ_CHECK(again->id == record->id && again->state == record->state, text);
}

// has says whether the root of a document is an object with this key.
bool has(const reference::JsonText& json, std::string_view key) {
  return std::ranges::find(json.root.keys, key) != json.root.keys.end();
}

// A document is what its keys say, and then reads as that.
void check_kind(std::string_view text, const Readings& ours, const reference::JsonText& json) {
  if (!ours.document) {
    check_message(explain(ours.document.error()));
  } else if (std::holds_alternative<Absent>(*ours.document)) {
    FUZZ_CHECK(json.root.kind == reference::JsonValue::Kind::null, text);
  } else if (const auto* policy = std::get_if<EgressPolicy>(&*ours.document)) {
    FUZZ_CHECK(has(json, "defaultAction") && !has(json, "id") && !has(json, "egressPolicy"), text);
    FUZZ_CHECK(ours.policy && *policy == *ours.policy, text);
  } else {
    FUZZ_CHECK(has(json, "id") && !has(json, "defaultAction"), text);
    FUZZ_CHECK(ours.record && std::get<SandboxRecord>(*ours.document) == *ours.record, text);
  }
}

void check_canonical(std::string_view text, const Readings& ours, const reference::JsonText& json) {
  if (!ours.canonical) {
    // Whatever reads as a policy has a canonical text; a record may hold a policy that has none.
    FUZZ_CHECK(!ours.policy, text);
    check_message(explain(ours.canonical.error()));
    return;
  }
  FUZZ_CHECK(canonical_json(*ours.canonical) == ours.canonical, *ours.canonical);
  FUZZ_CHECK(ours.canonical->size() <= text.size(), *ours.canonical, text);
  // The same document to a reader that sorts keys, as canonical text does. Held together as text:
  // to nlohmann/json 2^64 - 1 equals -1.
  const nlohmann::json expected = reference::to_document(json.root);
  FUZZ_CHECK(nlohmann::json::parse(*ours.canonical).dump() == expected.dump(), *ours.canonical,
             text);
}

// ---- Exec results. ----

// is_clean says whether a value is as deep as it may be, and repeats no key.
bool is_clean(const reference::JsonValue& value) {
  if (value.kind == reference::JsonValue::Kind::too_deep) return false;
  std::vector<std::string> keys = value.keys;
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) == keys.end() &&
         std::ranges::all_of(value.values, is_clean);
}

// An exit code is an integer of 32 bits; a number with a fraction or an exponent is none.
std::optional<std::int32_t> exit_code_of(const reference::JsonValue& value) {
  if (value.kind != reference::JsonValue::Kind::number) return std::nullopt;
  std::int32_t code = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, code);
  return stop == end && error == std::errc() ? std::optional(code) : std::nullopt;
}

// Every kind of exit code is written and read again. Once a process: few inputs spell one.
bool check_exit_codes() {
  using Limits = std::numeric_limits<std::int32_t>;
  for (const std::optional<std::int32_t> code :
       {std::optional<std::int32_t>(), std::optional(0), std::optional(-1),
        std::optional(Limits::min()), std::optional(Limits::max())}) {
    check_round_trip(ExecResult{.standard_output = "o", .standard_error = "e", .exit_code = code},
                     decode_exec_result);
  }
  return true;
}

void check_result(std::string_view text, const Decoded<ExecResult>& result,
                  const reference::JsonValue& root) {
  using Kind = reference::JsonValue::Kind;
  ExecResult expected;
  bool readable = root.kind == Kind::object && is_clean(root);
  for (std::size_t i = 0; readable && i < root.keys.size(); ++i) {
    const reference::JsonValue& value = root.values[i];
    if (root.keys[i] == "stdout" || root.keys[i] == "stderr") {
      readable = value.kind == Kind::string;
      (root.keys[i] == "stdout" ? expected.standard_output : expected.standard_error) = value.text;
    } else if (root.keys[i] == "exitCode" && value.kind != Kind::null) {
      expected.exit_code = exit_code_of(value);
      readable = expected.exit_code.has_value();
    }
  }
  FUZZ_CHECK(result.has_value() == readable, text, summary(result));
  if (!result) {
    check_message(explain(result.error()));
    return;
  }
  FUZZ_CHECK(*result == expected, text);
  check_round_trip(expected, decode_exec_result);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] static const bool is_checked = check_exit_codes();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string filled;
  if (to_be_filled(input)) {
    filled = input.substr(2);
    fill_up(filled, distance_from(k_max_document_size, input[1]), ' ');
    input = filled;
  }
  const ExactCopy copy(input);
  const std::string_view text = copy.view();
  const Readings ours(text);
  if (text.size() > k_max_document_size) {
    check_too_large(text, ours);
    return 0;
  }
  const reference::JsonText json = reference::read_json(text);
  if (!json.is_json) {
    check_no_json(text, ours, json);
    return 0;
  }
  check_policy(text, ours.policy);
  check_record(text, ours.record);
  check_kind(text, ours, json);
  check_canonical(text, ours, json);
  check_result(text, ours.result, json.root);
  return 0;
}
