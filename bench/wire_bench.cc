// The service's JSON, read and written, against a DOM of the same bytes: built from them, or
// dumped.
//
//   policy/decode/RULES, policy/encode/RULES
//   policy/refused/RULES          the last rule repeats a key, so all is read before it is refused
//   policy/unknown_fields/COUNT   nothing but fields that nobody knows, their order reversed
//   record/decode/RULES, record/encode/RULES
//   exec_result/decode/OUTPUT/SIZE, exec_result/encode/OUTPUT/SIZE
//
// OUTPUT is log, or escapes: bytes that JSON has no shorter form for than six bytes each.
#include "sandproof/wire.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "contest.h"
#include "policies.h"
#include "reference/policy.h"
#include "texts.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

using Json = nlohmann::json;

std::size_t sum(const Texts& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

// reading lets a decoder and a DOM read the same documents. `parser` is the parser of both, nothing
// kept of what it reads: no decoder on top of it can be faster.
template <auto decode>
Contest reading(Texts given) {
  const auto texts = std::make_shared<const Texts>(std::move(given));
  const auto each = [texts](auto read) {
    return [texts, read] {
      for (const std::string& text : *texts) benchmark::DoNotOptimize(read(text));
    };
  };
  return {texts->size(),
          sum(*texts),
          {{"sandproof", each([](const std::string& text) { return decode(text); })},
           {"dom", each([](const std::string& text) { return Json::parse(text); })},
           {"parser", each([](const std::string& text) { return Json::accept(text); })},
           {"memchr", each([](const std::string& text) {
              return std::memchr(text.data(), '\x02', text.size());
            })}}};
}

// writing lets records be encoded, DOMs of them be dumped, and what comes out be copied.
template <class Record>
Contest writing(std::vector<Record> given) {
  struct Inputs {
    std::vector<Record> records;
    std::vector<Json> doms;
    Texts texts;
    std::string room;
  };
  const auto all = std::make_shared<Inputs>();
  all->records = std::move(given);
  for (const Record& record : all->records) {
    all->texts.push_back(encode(record));
    all->doms.push_back(Json::parse(all->texts.back()));
    all->room.resize(std::max(all->room.size(), all->texts.back().size()));
  }
  const auto ours = [all] {
    for (const Record& record : all->records) benchmark::DoNotOptimize(encode(record));
  };
  const auto dom = [all] {
    for (const Json& json : all->doms) benchmark::DoNotOptimize(json.dump());
  };
  const auto copy = [all] {
    for (const std::string& text : all->texts) {
      benchmark::DoNotOptimize(std::memcpy(all->room.data(), text.data(), text.size()));
      benchmark::ClobberMemory();
    }
  };
  return {
      all->records.size(), sum(all->texts), {{"sandproof", ours}, {"dom", dom}, {"memcpy", copy}}};
}

// ---- Policies and records. ----

std::vector<EgressPolicy> policies(std::size_t rules) {
  Numbers numbers;
  std::vector<EgressPolicy> all(how_many_policies(rules));
  for (EgressPolicy& policy : all) {
    policy.default_action = "Deny";
    policy.traffic_inspection = "Full";
    for (std::size_t i = 0; i < rules; ++i) {
      policy.host_rules.push_back({host(numbers, i), numbers.one_in(20) ? "Deny" : "Allow"});
    }
    numbers.shuffle(policy.host_rules);
    const std::string text = encode(policy);
    must(decode_policy(text) == policy, "decoding does not give the policy", text);
    const reference::Reading expected = reference::read_policy(text);
    must(expected.readable && expected.document == reference::Document::parse(text),
         "the reference reads another document", text);
  }
  return all;
}

std::vector<SandboxRecord> records(std::size_t rules) {
  std::vector<SandboxRecord> all;
  for (EgressPolicy& policy : policies(rules)) {
    const SandboxRecord& record =
        all.emplace_back(SandboxRecord{"team--box-605", "Running", std::move(policy), {}, {}});
    const std::string text = encode(record);
    must(decode_record(text) == record, "decoding does not give the record", text);
    must(reference::read_record(text).policy == reference::RecordReading::Policy::read,
         "the reference cannot read the record", text);
  }
  return all;
}

template <class Record>
Texts encoded(const std::vector<Record>& given) {
  Texts texts;
  for (const Record& record : given) texts.push_back(encode(record));
  return texts;
}

void must_agree(const std::string& text) {
  const reference::Reading expected = reference::read_policy(text);
  const auto policy = decode_policy(text);
  must(policy.has_value() == expected.readable, "the library disagrees with the reference", text);
  must(policy || code(policy.error().reason) == expected.reason,
       "the library refuses otherwise than the reference", text);
}

Texts with_repeated_key(std::size_t rules) {
  Texts texts = encoded(policies(rules));
  for (std::string& text : texts) {
    const std::size_t end = text.rfind("}]");
    must(end != text.npos, "there is no last rule", text);
    text.insert(end, R"(,"action":"Deny")");
    must(!decode_policy(text), "a repeated key is accepted", text);
    must_agree(text);
  }
  return texts;
}

Texts unknown_fields(std::size_t count) {
  std::string text = R"({"defaultAction":"Deny")";
  for (std::size_t i = count; i > 0; --i)
    text += ",\"field" + std::to_string(i) + "\":[{\"a\":1.50}]";
  text += '}';
  must_agree(text);
  return {text};
}

// ---- Results. ----

std::vector<ExecResult> results(bool escapes, std::size_t size) {
  Numbers numbers;
  std::vector<ExecResult> all(how_many(size));
  for (ExecResult& result : all) {
    result.standard_output = escapes ? std::string(size, '\x1b') : log_text(numbers, size);
    result.exit_code = static_cast<std::int32_t>(numbers.below(256));
    const std::string text = encode(result);
    must(decode_exec_result(text) == result, "decoding does not give the result", text);
    must(Json::parse(text).at("stdout") == result.standard_output, "the DOM has another output",
         text);
  }
  return all;
}

void add_all() {
  for (const std::size_t rules : k_rule_counts) {
    const std::string size = std::to_string(rules);
    add_contest("policy/decode/" + size,
                [=] { return reading<decode_policy>(encoded(policies(rules))); });
    add_contest("policy/encode/" + size, [=] { return writing(policies(rules)); });
    add_contest("policy/refused/" + size,
                [=] { return reading<decode_policy>(with_repeated_key(rules)); });
    add_contest("policy/unknown_fields/" + size,
                [=] { return reading<decode_policy>(unknown_fields(rules)); });
    add_contest("record/decode/" + size,
                [=] { return reading<decode_record>(encoded(records(rules))); });
    add_contest("record/encode/" + size, [=] { return writing(records(rules)); });
  }
  for (const std::size_t size : {8U, 512U, 65'536U, 1'048'576U}) {
    for (const bool escapes : {false, true}) {
      const std::string suffix = (escapes ? "escapes/" : "log/") + std::to_string(size);
      add_contest("exec_result/decode/" + suffix,
                  [=] { return reading<decode_exec_result>(encoded(results(escapes, size))); });
      add_contest("exec_result/encode/" + suffix, [=] { return writing(results(escapes, size)); });
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  add_all();
  return run(count, arguments);
}
