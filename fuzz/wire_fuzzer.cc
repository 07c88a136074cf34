// Documents: the input is the text of one, of any kind.
#include "sandproof/wire.h"

#include <array>
#include <variant>

#include "egress_answers.h"
#include "fuzz_check.h"
#include "reference/policy.h"

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

template <class T>
void check_round_trip(const T& value, Decoded<T> (*decode)(std::string_view)) {
  const std::string text = encode(value);
  const Decoded<T> again = decode(text);
  FUZZ_CHECK(again == value, text, summary(again));
}

void check_policy(std::string_view text, const Decoded<EgressPolicy>& policy) {
  const reference::Reading reading = reference::read_policy(text);
  // The model reads null as "no policy"; for the library that is a question of the whole document.
  const bool readable = reading.readable && !reading.document.is_null();
  FUZZ_CHECK(policy.has_value() == readable, summary(policy), summary(reading));
  if (policy) {
    check_round_trip(*policy, decode_policy);
  } else {
    check_message(explain(policy.error()));
  }
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
  // The same document to a reader that sorts keys, as canonical text does.
  FUZZ_CHECK(
      nlohmann::json::parse(*ours.canonical) == nlohmann::json(reference::to_document(json.root)),
      *ours.canonical, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ExactCopy copy(data, size);
  const std::string_view text = copy.view();
  const Readings ours(text);
  const reference::JsonText json = reference::read_json(text);
  if (!json.is_json) {
    check_no_json(text, ours, json);
    return 0;
  }
  check_policy(text, ours.policy);
  check_record(text, ours.record);
  check_kind(text, ours, json);
  check_canonical(text, ours, json);
  if (ours.result) check_round_trip(*ours.result, decode_exec_result);
  return 0;
}
