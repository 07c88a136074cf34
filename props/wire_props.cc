// The service's JSON: round trips, strictness against the reference reader, and the exact text of
// what is sent.
#include "sandproof/wire.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "reference/policy.h"
#include "support.h"

namespace sandproof::props {
namespace {

using nlohmann::json;
using reference::Document;
using Texts = std::vector<std::string>;
using Pointer = Document::json_pointer;

// More cases than RapidCheck's hundred, unless somebody chose a number.
[[maybe_unused]] const int k_cases = ::setenv("RC_PARAMS", "max_success=1000", 0);

// ---- Generators. Functions that draw are for the body of a property. ----

bool flip() { return *rc::gen::arbitrary<bool>(); }
int below(int end) { return *rc::gen::inRange(0, end); }

std::size_t size_below(std::size_t end) { return *rc::gen::inRange<std::size_t>(0, end); }

const std::string& pick(const Texts& from) { return from[size_below(from.size())]; }

// text is UTF-8 without NUL, and with whatever JSON has to escape.
std::string text() {
  const Texts pieces = {"a",
                        "Deny",
                        "*.",
                        "com",
                        "\"",
                        "\\",
                        "/",
                        "\x01",
                        "\n",
                        "\x1f",
                        "\x7f",
                        "\xc3\xa9",
                        "\xf0\x9f\x98\x80",
                        "\\u0000"};
  std::string out;
  for (const std::string& each : *rc::gen::container<Texts>(rc::gen::elementOf(pieces)))
    out += each;
  return out;
}

std::optional<std::string> maybe_text() { return flip() ? std::optional(text()) : std::nullopt; }

// value is any JSON without floating-point numbers, whose spelling nlohmann does not keep.
json value(int levels = 3) {
  switch (below(levels > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return flip();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return *rc::gen::arbitrary<std::uint64_t>();
    case 4:
      return text() + (below(8) == 0 ? std::string(1, '\0') : "");
    case 5:
      return text();
    case 6: {
      json list = json::array();
      for (int i = below(4); i > 0; --i) list.push_back(value(levels - 1));
      return list;
    }
    default: {
      json object = json::object();
      for (int i = below(4); i > 0; --i) object[text()] = value(levels - 1);
      return object;
    }
  }
}

PolicyRule match_rule() {
  PolicyRule rule;
  rule.name = maybe_text();
  if (flip()) {
    rule.match = PolicyRuleMatch{text(), maybe_text(), {}};
    if (flip()) rule.match->methods = Texts(size_below(3), text());
  }
  if (flip()) {
    rule.action = PolicyRuleAction{text(), maybe_text(), maybe_text(), maybe_text(), {}};
    if (flip()) rule.action->headers = json::array({value(), value()}).dump();
  }
  return rule;
}

PolicyBody body(bool is_copy) {
  PolicyBody out;
  out.default_action = flip() ? "Deny" : text();
  if (flip()) out.traffic_inspection = flip() ? "Full" : text();
  for (int i = below(4); i > 0; --i) out.host_rules.push_back({text(), flip() ? "Allow" : text()});
  for (int i = below(3); i > 0; --i) out.rules.push_back(match_rule());
  Texts names = {
      "mode", "", "a/b~", "\xc3\xa9\"\n", "rules2", "defaultActio", std::string(1, '\0')};
  if (is_copy) names.insert(names.end(), "http");
  for (const std::string& each : names) {
    if (below(6) == 0) out.unmodelled.push_back({each, value().dump()});
  }
  return out;
}

EgressPolicy policy() {
  EgressPolicy out{body(false), {}};
  if (flip()) out.http = body(true);
  RC_LOG() << "policy: " << encode(out) << '\n';
  return out;
}

SandboxRecord record() {
  SandboxRecord out;
  out.id = text();
  out.state = flip() ? maybe_text() : "Running";
  if (flip()) out.policy = policy();
  const auto switch_value = [] {
    const std::string each = value().dump();
    return each == "null" ? std::nullopt : std::optional(each);
  };
  out.skip_egress_proxy = switch_value();
  out.customer_vnet_connection_name = switch_value();
  RC_LOG() << "record: " << encode(out) << '\n';
  return out;
}

// ---- Round trips. ----

// is_canonical: the same members in the same order have no other spelling than this.
void is_canonical(const std::string& written) {
  RC_ASSERT(Document::parse(written).dump() == written);
}

RC_GTEST_PROP(Wire, PoliciesSurviveARoundTrip, ()) {
  const EgressPolicy written = policy();
  const std::string encoded = encode(written);
  is_canonical(encoded);
  const auto read = decode_policy(encoded);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == written);
  RC_ASSERT(encode(*read) == encoded);
}

RC_GTEST_PROP(Wire, RecordsSurviveARoundTrip, ()) {
  const SandboxRecord written = record();
  const std::string encoded = encode(written);
  is_canonical(encoded);
  const auto read = decode_record(encoded);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == written);
  RC_ASSERT(encode(*read) == encoded);
}

RC_GTEST_PROP(Wire, ExecResultsSurviveARoundTrip, ()) {
  ExecResult written{text(), text(), {}};
  if (flip()) written.exit_code = *rc::gen::arbitrary<std::int32_t>();
  const std::string encoded = encode(written);
  is_canonical(encoded);
  const auto read = decode_exec_result(encoded);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == written);
}

TEST(Wire, KeysAreInTheDocumentedOrder) {
  const PolicyBody body{"Deny",
                        "Full",
                        {{"a.com", "Allow"}},
                        {{"n", PolicyRuleMatch{"h", "p", Texts{"GET", "PUT"}},
                          PolicyRuleAction{"Allow", "h", "p", "s", "[1]"}},
                         {}},
                        {{"z", "1"}, {"a", "2"}}};
  const EgressPolicy policy{body, body};
  const std::string members =
      R"("defaultAction":"Deny","trafficInspection":"Full",)"
      R"("hostRules":[{"pattern":"a.com","action":"Allow"}],)"
      R"("rules":[{"name":"n","match":{"host":"h","path":"p","methods":["GET","PUT"]},)"
      R"("action":{"type":"Allow","host":"h","path":"p","scheme":"s","headers":[1]}},{}])";
  const std::string written =
      "{" + members + R"(,"http":{)" + members + R"(,"z":1,"a":2},"z":1,"a":2})";
  EXPECT_EQ(encode(policy), written);
  SandboxRecord record{"i", "Running", policy, "true", "\"n\""};
  const std::string rest = R"(,"skipEgressProxy":true,"customerVnetConnectionName":"n"})";
  EXPECT_EQ(encode(record), R"({"id":"i","state":"Running","egressPolicy":)" + written + rest);
  record.policy = Unreadable{Reason::too_deep, "/egressPolicy"};
  EXPECT_EQ(encode(record), R"({"id":"i","state":"Running","egressPolicy":{})" + rest);
  EXPECT_EQ(encode(SandboxRecord{"", {}, {}, {}, {}}), R"({"id":""})");
  EXPECT_EQ(encode(EgressPolicy{}), R"({"defaultAction":"","hostRules":[]})");
  EXPECT_EQ(encode(ExecResult{"o", "e", 7}), R"({"stdout":"o","stderr":"e","exitCode":7})");
  EXPECT_EQ(encode(ExecResult{}), R"({"stdout":"","stderr":""})");
  EXPECT_EQ(encode(ExecResult{"\xff\"", "\n", {}}),
            "{\"stdout\":\"\xef\xbf\xbd\\\"\",\"stderr\":\"\\n\"}");
}

// ---- Strictness against the reference. ----

// k_tokens stand where a value stands: most are no JSON, of another type, or too much of it.
const Texts k_tokens = {"null",
                        "true",
                        "false",
                        "0",
                        "-1",
                        "1.5",
                        "1e308",
                        "1e309",
                        "-1e400",
                        "NaN",
                        "Infinity",
                        "01",
                        "+1",
                        "1.",
                        ".5",
                        "0x1",
                        "'x'",
                        "nul",
                        "\"",
                        "\"\\x41\"",
                        "\"\t\"",
                        "\"\"",
                        "\"Deny\"",
                        "\"\\u0000\"",
                        "\"Full\\u0000\"",
                        "\"\\ud800\"",
                        "\"\\udc00\"",
                        "\"\\ud83d\\ude00\"",
                        "\"\\ud83dx\"",
                        "\"\\ud83d\\ud83d\"",
                        "[]",
                        "{}",
                        "[1,]",
                        "{\"a\":1,}",
                        "[null]",
                        "[\"a\"]",
                        "/**/1",
                        "{\"a\":1,\"b\":{}}",
                        "{\"a\":1,\"\\u0061\":2}",
                        "[[{\"b\":0,\"b\":0}]]",
                        "{1:1}",
                        "{\"pattern\":\"a\",\"action\":\"Deny\"}",
                        "{\"type\":\"Deny\"}",
                        "{\"host\":\"a\"}",
                        "{\"defaultAction\":\"Deny\"}",
                        "18446744073709551616",
                        "123456789012345678901234567890"};

// k_members stand behind an opening brace: repeats, twins, unknown and wrong ones.
const Texts k_members = {R"("x":1)",
                         R"("\u0078":null)",
                         R"("x":{"mod\u0065":1,"mode":2})",
                         R"("mode":1,"mod\u0065":1)",
                         R"("defaultAction":"Deny")",
                         R"("defaultActio\u006e":"Allow")",
                         R"("DefaultAction":1)",
                         R"("trafficInspection":null)",
                         R"("TRAFFICINSPECTION":"Full")",
                         R"("hostRules":[])",
                         R"("hostrules":[])",
                         R"("rules":[{}])",
                         R"("Rules":[])",
                         R"("http":null)",
                         R"("HTTP":1)",
                         R"("http":{"defaultAction":"Deny","http":1})",
                         R"("http":{"hostRules":[]})",
                         R"("id":"a")",
                         R"("Id":"a")",
                         R"("i\u0064":"a")",
                         R"("state":null)",
                         R"("State":"Running")",
                         R"("egressPolicy":{})",
                         R"("egresspolicy":{})",
                         R"("egressPolicy":null)",
                         R"("skipEgressProxy":{"a":0,"a":1})",
                         R"("skipegressproxy":true)",
                         R"("name":null)",
                         R"("Name":"n")",
                         R"("match":null)",
                         R"("action":null)",
                         R"("type":"Deny")",
                         R"("host":"a")",
                         R"("path":null)",
                         R"("methods":["GET",1])",
                         R"("methods":["G\u0000"])",
                         R"("headers":[{"a":1,"a":2}])",
                         R"("headers":{})",
                         R"("pattern":"a")",
                         R"("Pattern":"a")",
                         R"("customerVnetConnectionName":[0])"};

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

// places lists the offsets behind every brace or bracket that opens outside a string.
std::vector<std::size_t> places(const std::string& document, const std::string& openers) {
  std::vector<std::size_t> out;
  bool in_string = false;
  for (std::size_t i = 0; i < document.size(); ++i) {
    if (in_string && document[i] == '\\') {
      ++i;
    } else if (document[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && openers.find(document[i]) != openers.npos) {
      out.push_back(i + 1);
    }
  }
  return out;
}

void insert_behind(std::string& document, const std::string& openers, const std::string& inserted) {
  const auto all = places(document, openers);
  if (all.empty()) return;
  const std::size_t at = all[size_below(all.size())];
  const bool last = document[at] == '}' || document[at] == ']';
  document.insert(at, inserted + (last ? "" : ","));
}

// replace_a_value puts a token where any value stood, the root included.
void replace_a_value(std::string& document) {
  json parsed = json::parse(document, nullptr, false);
  if (parsed.is_discarded()) return;
  const json flat = parsed.flatten();
  if (flat.empty()) return;
  std::string pointer = std::next(flat.begin(), below(static_cast<int>(flat.size()))).key();
  for (int i = below(3); i > 0 && !pointer.empty(); --i) pointer.erase(pointer.rfind('/'));
  parsed[json::json_pointer(pointer)] = "@here@";
  document = parsed.dump();
  const std::string mark = "\"@here@\"";
  const std::string token = below(8) == 0 ? nested(25 + size_below(10)) : pick(k_tokens);
  document.replace(document.find(mark), mark.size(), token);
}

void mutate_text(std::string& document) {
  switch (below(9)) {
    case 0:
    case 1:
      return insert_behind(document, "{", pick(k_members));
    case 2:
    case 3:
    case 4:
      return replace_a_value(document);
    case 5:
      return insert_behind(document, "[", pick(k_tokens));
    case 6: {
      const Texts around = {" ",    "\t\r\n",   "\v",   "//",
                            "/**/", "{}",       ",",    "\xef\xbb\xbf",
                            "\xff", "\xc0\xaf", "null", std::string(1, '\0'),
                            "\x1a", "]",        "}"};
      const std::string& more = pick(around);
      document = flip() ? more + document : document + more;
      return;
    }
    default: {
      if (document.empty()) return;
      const std::string bytes("\0\x01\"\\{}[]:,-.0eE/\xff\xc3\x80\xed\xa0 a", 24);
      const char byte = bytes[size_below(bytes.size())];
      const std::size_t at = size_below(document.size());
      const int how = below(3);
      if (how == 0) document[at] = byte;
      if (how == 1) document.insert(at, 1, byte);
      if (how == 2) document.erase(at, 1);
      return;
    }
  }
}

std::string mutated(std::string document) {
  for (int i = below(4); i > 0; --i) mutate_text(document);
  RC_LOG() << "text: " << escaped(document, 100000) << '\n';
  return document;
}

// settled drops what is the same as absent, so that two documents of one content are equal.
json settled(json policy) {
  const auto drop_null = [](json& object, const char* key) {
    if (object.contains(key) && object[key].is_null()) object.erase(key);
  };
  drop_null(policy, "trafficInspection");
  if (!policy.contains("hostRules")) policy["hostRules"] = json::array();
  if (!policy.contains("rules")) return policy;
  for (json& rule : policy["rules"]) {
    for (const char* key : {"name", "match", "action"}) drop_null(rule, key);
  }
  if (policy["rules"].empty()) policy.erase("rules");
  return policy;
}

json settled_policy(json policy) {
  policy = settled(std::move(policy));
  if (policy.contains("http")) policy["http"] = settled(policy["http"]);
  return policy;
}

void same(const json& read, const json& expected) { RC_ASSERT(read.dump() == expected.dump()); }

RC_GTEST_PROP(Wire, PoliciesAreReadableAsTheReferenceSays, ()) {
  const std::string document = mutated(encode(policy()));
  const reference::Reading expected = reference::read_policy(document);
  const auto read = decode_policy(document);
  RC_CLASSIFY(expected.readable);
  if (expected.readable && expected.document.is_null()) {
    RC_ASSERT(!read.has_value());  // no policy: decode_effective knows null
    return;
  }
  RC_LOG() << "expected: " << expected.reason << expected.pointer << '\n';
  RC_ASSERT(read.has_value() == expected.readable);
  if (!read) return;
  same(json::parse(encode(*read)), settled_policy(json(expected.document)));
}

using RecordPolicy = reference::RecordReading::Policy;

void record_agrees(const std::string& document) {
  const reference::RecordReading expected = reference::read_record(document);
  const auto read = decode_record(document);
  RC_LOG() << "expected: " << expected.reason << expected.pointer << '\n';
  RC_ASSERT(read.has_value() == expected.readable);
  if (!read) return;
  RC_ASSERT(read->id == expected.id);
  RC_ASSERT(read->state == expected.state);
  RC_ASSERT(carries_policy(*read) == (expected.policy != RecordPolicy::absent));
  RC_ASSERT(std::holds_alternative<Unreadable>(read->policy) ==
            (expected.policy == RecordPolicy::unreadable));
  if (const auto* readable = std::get_if<EgressPolicy>(&read->policy)) {
    same(json::parse(encode(*readable)),
         settled_policy(json(expected.document.at("egressPolicy"))));
  }
  const auto kept = [&](const char* key, const std::optional<std::string>& value) {
    const json there = json(expected.document).value(key, json());
    RC_ASSERT(value.has_value() == !there.is_null());
    if (value) same(json::parse(*value), there);
  };
  kept("skipEgressProxy", read->skip_egress_proxy);
  kept("customerVnetConnectionName", read->customer_vnet_connection_name);
}

RC_GTEST_PROP(Wire, RecordsAreReadableAsTheReferenceSays, ()) {
  record_agrees(mutated(encode(record())));
}

// Whatever is wrong inside a policy, the record around it keeps its id and its state (unless the
// text is no JSON at all), whichever comes first.
RC_GTEST_PROP(Wire, AnUnreadablePolicyNeverCostsTheRecord, ()) {
  const std::string inner = mutated(encode(policy()));
  const bool first = flip();
  const std::string outer = first ? R"({"egressPolicy":)" + inner + R"(,"id":"s","state":"Idle"})"
                                  : R"({"id":"s","state":"Idle","egressPolicy":)" + inner + "}";
  record_agrees(outer);
  if (!reference::read_json(inner).is_json) return;
  const auto read = decode_record(outer);
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->id == "s");
  RC_ASSERT(read->state == "Idle");
}

// ---- Reasons and places. ----

struct Bad {
  std::string document;
  Reason reason;
  std::string pointer;
};

// k_bad_policies are wrong in one way each. As the policy of a record, they cost it nothing.
const std::vector<Bad> k_bad_policies = {
    {"[]", Reason::wrong_type, ""},
    {"7", Reason::wrong_type, ""},
    {"-7", Reason::wrong_type, ""},
    {"7.5", Reason::wrong_type, ""},
    {"true", Reason::wrong_type, ""},
    {R"("Deny")", Reason::wrong_type, ""},
    {"{}", Reason::missing_field, "/defaultAction"},
    {R"({"trafficInspection":"Full"})", Reason::missing_field, "/defaultAction"},
    {R"({"defaultAction":null})", Reason::wrong_type, "/defaultAction"},
    {R"({"defaultAction":true})", Reason::wrong_type, "/defaultAction"},
    {R"({"defaultAction":["Deny"]})", Reason::wrong_type, "/defaultAction"},
    {R"({"defaultAction":"Deny\u0000"})", Reason::nul, "/defaultAction"},
    {R"({"defaultAction":"Deny","defaultAction":"Deny"})", Reason::duplicate_key, "/defaultAction"},
    {R"({"defaultAction":"Allow","defaultActio\u006e":"Deny"})", Reason::duplicate_key,
     "/defaultAction"},
    {R"({"trafficInspection":null,"trafficInspection":"Full"})", Reason::duplicate_key,
     "/trafficInspection"},
    {R"({"DefaultAction":"Allow"})", Reason::key_case, "/DefaultAction"},
    {R"({"HTTP":{}})", Reason::key_case, "/HTTP"},
    {R"({"x":1,"\u0078":2,"defaultAction":"Deny"})", Reason::duplicate_key, "/x"},
    {R"({"x":{"a/b":[{"c":1,"\u0063":2}]}})", Reason::duplicate_key, "/x/a~1b/0/c"},
    {R"({"trafficInspection":1})", Reason::wrong_type, "/trafficInspection"},
    {R"({"trafficInspection":"Full\u0000"})", Reason::nul, "/trafficInspection"},
    {R"({"hostRules":null})", Reason::wrong_type, "/hostRules"},
    {R"({"hostRules":{}})", Reason::wrong_type, "/hostRules"},
    {R"({"hostRules":[null]})", Reason::wrong_type, "/hostRules/0"},
    {R"({"hostRules":[{"pattern":"a","action":"Deny"},[]]})", Reason::wrong_type, "/hostRules/1"},
    {R"({"hostRules":[{"action":"Deny"}]})", Reason::missing_field, "/hostRules/0/pattern"},
    {R"({"hostRules":[{"pattern":"a"}]})", Reason::missing_field, "/hostRules/0/action"},
    {R"({"hostRules":[{"pattern":null}]})", Reason::wrong_type, "/hostRules/0/pattern"},
    {R"({"hostRules":[{"action":null}]})", Reason::wrong_type, "/hostRules/0/action"},
    {R"({"hostRules":[{"pattern":"a\u0000"}]})", Reason::nul, "/hostRules/0/pattern"},
    {R"({"hostRules":[{"action":"Deny\u0000"}]})", Reason::nul, "/hostRules/0/action"},
    {R"({"hostRules":[{"except":[]}]})", Reason::unknown_field, "/hostRules/0/except"},
    {R"({"hostRules":[{"Pattern":"a"}]})", Reason::unknown_field, "/hostRules/0/Pattern"},
    {R"({"hostRules":[{"action":"Deny","action":"Allow"}]})", Reason::duplicate_key,
     "/hostRules/0/action"},
    {R"({"rules":null})", Reason::wrong_type, "/rules"},
    {R"({"rules":["x"]})", Reason::wrong_type, "/rules/0"},
    {R"({"rules":[{"priority":1}]})", Reason::unknown_field, "/rules/0/priority"},
    {R"({"rules":[{"name":1}]})", Reason::wrong_type, "/rules/0/name"},
    {R"({"rules":[{"name":"\u0000"}]})", Reason::nul, "/rules/0/name"},
    {R"({"rules":[{"match":[]}]})", Reason::wrong_type, "/rules/0/match"},
    {R"({"rules":[{"match":{}}]})", Reason::missing_field, "/rules/0/match/host"},
    {R"({"rules":[{"match":{"host":null}}]})", Reason::wrong_type, "/rules/0/match/host"},
    {R"({"rules":[{"match":{"host":"\u0000"}}]})", Reason::nul, "/rules/0/match/host"},
    {R"({"rules":[{"match":{"path":null}}]})", Reason::wrong_type, "/rules/0/match/path"},
    {R"({"rules":[{"match":{"path":"\u0000"}}]})", Reason::nul, "/rules/0/match/path"},
    {R"({"rules":[{"match":{"methods":null}}]})", Reason::wrong_type, "/rules/0/match/methods"},
    {R"({"rules":[{"match":{"methods":"GET"}}]})", Reason::wrong_type, "/rules/0/match/methods"},
    {R"({"rules":[{"match":{"methods":["GET",null]}}]})", Reason::wrong_type,
     "/rules/0/match/methods/1"},
    {R"({"rules":[{"match":{"methods":["\u0000"]}}]})", Reason::nul, "/rules/0/match/methods/0"},
    {R"({"rules":[{"match":{"port":1}}]})", Reason::unknown_field, "/rules/0/match/port"},
    {R"({"rules":[{"action":"Deny"}]})", Reason::wrong_type, "/rules/0/action"},
    {R"({"rules":[{"action":{}}]})", Reason::missing_field, "/rules/0/action/type"},
    {R"({"rules":[{"action":{"type":null}}]})", Reason::wrong_type, "/rules/0/action/type"},
    {R"({"rules":[{"action":{"type":"\u0000"}}]})", Reason::nul, "/rules/0/action/type"},
    {R"({"rules":[{"action":{"host":null}}]})", Reason::wrong_type, "/rules/0/action/host"},
    {R"({"rules":[{"action":{"host":"\u0000"}}]})", Reason::nul, "/rules/0/action/host"},
    {R"({"rules":[{"action":{"path":0}}]})", Reason::wrong_type, "/rules/0/action/path"},
    {R"({"rules":[{"action":{"path":"\u0000"}}]})", Reason::nul, "/rules/0/action/path"},
    {R"({"rules":[{"action":{"scheme":{}}}]})", Reason::wrong_type, "/rules/0/action/scheme"},
    {R"({"rules":[{"action":{"scheme":"\u0000"}}]})", Reason::nul, "/rules/0/action/scheme"},
    {R"({"rules":[{"action":{"headers":null}}]})", Reason::wrong_type, "/rules/0/action/headers"},
    {R"({"rules":[{"action":{"headers":{}}}]})", Reason::wrong_type, "/rules/0/action/headers"},
    {R"({"rules":[{"action":{"headers":[{"a":0,"a":0}]}}]})", Reason::duplicate_key,
     "/rules/0/action/headers/0/a"},
    {R"({"rules":[{"action":{"status":1}}]})", Reason::unknown_field, "/rules/0/action/status"},
    {R"({"http":null})", Reason::wrong_type, "/http"},
    {R"({"http":[]})", Reason::wrong_type, "/http"},
    {R"({"http":{}})", Reason::missing_field, "/http/defaultAction"},
    {R"({"http":{"Rules":[]}})", Reason::key_case, "/http/Rules"},
    {R"({"http":{"Http":1}})", Reason::key_case, "/http/Http"},
    {R"({"http":{"hostRules":[{"pattern":1}]}})", Reason::wrong_type, "/http/hostRules/0/pattern"},
    {R"({"http":{"defaultAction":"Deny","http":1,"htt\u0070":2}})", Reason::duplicate_key,
     "/http/http"},
};

TEST(WireRefusal, EachFieldOfAPolicy) {
  for (const Bad& each : k_bad_policies) {
    SCOPED_TRACE(each.document);
    EXPECT_FALSE(reference::read_policy(each.document).readable);
    const auto read = decode_policy(each.document);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(code(read.error().reason), code(each.reason));
    EXPECT_EQ(read.error().pointer, each.pointer);
    EXPECT_EQ(read.error().offset, k_no_place);
    EXPECT_TRUE(is_printable(explain(read.error())));
  }
}

TEST(WireRefusal, APolicyIsUnreadableByItself) {
  std::vector<Bad> policies = k_bad_policies;
  const std::string deepest = R"({"defaultAction":"Deny","x":)" + nested(30);
  std::string too_deep = "/x";
  for (int i = 0; i < 30; ++i) too_deep += "/0";
  policies.push_back({R"({"x":)" + nested(31) + "}", Reason::too_deep, too_deep});
  policies.push_back({R"({"x":)" + nested(5000) + "}", Reason::too_deep, too_deep});
  for (const Bad& each : policies) {
    SCOPED_TRACE(each.document.substr(0, 200));
    for (const bool first : {false, true}) {
      const std::string ends = R"("id":"s","state":"Idle")";
      const std::string member = R"("egressPolicy":)" + each.document;
      const std::string document = R"({"o":[{}],)" +
                                   (first ? member + ',' + ends : ends + ',' + member) +
                                   R"(,"p":{"q":[1]},"skipEgressProxy":[true]})";
      const auto read = decode_record(document);
      ASSERT_TRUE(read.has_value());
      EXPECT_EQ(read->id, "s");
      EXPECT_EQ(read->state, "Idle");
      EXPECT_EQ(read->skip_egress_proxy, "[true]");
      EXPECT_TRUE(carries_policy(*read));
      const auto* why = std::get_if<Unreadable>(&read->policy);
      ASSERT_NE(why, nullptr);
      EXPECT_EQ(code(why->reason), code(each.reason));
      EXPECT_EQ(why->pointer, "/egressPolicy" + each.pointer);
    }
  }
  const auto read = decode_record(R"({"id":"s","egressPolicy":)" + deepest + "}}");
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(std::holds_alternative<EgressPolicy>(read->policy));
}

TEST(WireRefusal, EachFieldOfARecord) {
  const std::vector<Bad> records = {
      {"[]", Reason::wrong_type, ""},
      {"null", Reason::wrong_type, ""},
      {"{}", Reason::missing_field, "/id"},
      {R"({"state":"Running","egressPolicy":{}})", Reason::missing_field, "/id"},
      {R"({"id":null})", Reason::wrong_type, "/id"},
      {R"({"id":1})", Reason::wrong_type, "/id"},
      {R"({"id":"a\u0000"})", Reason::nul, "/id"},
      {R"({"id":"a","state":1})", Reason::wrong_type, "/state"},
      {R"({"id":"a","state":"Running\u0000"})", Reason::nul, "/state"},
      {R"({"id":"a","id":"a"})", Reason::duplicate_key, "/id"},
      {R"({"id":"a","\u0069d":"b"})", Reason::duplicate_key, "/id"},
      {R"({"id":"a","state":null,"state":"Running"})", Reason::duplicate_key, "/state"},
      {R"({"id":"a","egressPolicy":null,"egressPolicy":{}})", Reason::duplicate_key,
       "/egressPolicy"},
      {R"({"id":"a","egressPolicy":{},"egressPolicy":null})", Reason::duplicate_key,
       "/egressPolicy"},
      {R"({"id":"a","skipEgressProxy":null,"skipEgressProxy":null})", Reason::duplicate_key,
       "/skipEgressProxy"},
      {R"({"id":"a","o":1,"\u006f":1})", Reason::duplicate_key, "/o"},
      {R"({"id":"a","o":{"b":[{"c":1,"c":1}]}})", Reason::duplicate_key, "/o/b/0/c"},
      {R"({"id":"a","skipEgressProxy":{"c":1,"c":1}})", Reason::duplicate_key,
       "/skipEgressProxy/c"},
      {R"({"id":"a","ID":"b"})", Reason::key_case, "/ID"},
      {R"({"id":"a","egresspolicy":{}})", Reason::key_case, "/egresspolicy"},
      {R"({"id":"a","SkipEgressProxy":true})", Reason::key_case, "/SkipEgressProxy"},
      {R"({"id":"a","customerVNetConnectionName":""})", Reason::key_case,
       "/customerVNetConnectionName"},
      {R"({"id":"a","STATE":null})", Reason::key_case, "/STATE"},
  };
  for (const Bad& each : records) {
    SCOPED_TRACE(each.document);
    EXPECT_FALSE(reference::read_record(each.document).readable);
    const auto read = decode_record(each.document);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(code(read.error().reason), code(each.reason));
    EXPECT_EQ(read.error().pointer, each.pointer);
  }
}

TEST(WireRefusal, NullIsAbsentWhereServicesSendIt) {
  const auto record =
      decode_record(R"({"id":"","state":null,"egressPolicy":null,"skipEgressProxy":null,)"
                    R"("customerVnetConnectionName":null,"other":null,"Policy":{"a":"\u0000"}})");
  EXPECT_EQ(record.value(), SandboxRecord({"", {}, {}, {}, {}}));
  EXPECT_FALSE(carries_policy(*record));
  const auto policy = decode_policy(
      R"({"defaultAction":"","trafficInspection":null,"rules":[{"name":null,"match":null,"action":null}]})");
  EgressPolicy expected;
  expected.rules.emplace_back();
  EXPECT_EQ(policy.value(), expected);
  EXPECT_EQ(decode_policy(R"({"defaultAction":"","x":null})").value().unmodelled,
            std::vector<UnmodelledField>({{"x", "null"}}));
}

// What stands between two of one name, and behind a list, changes neither the reason nor the place.
TEST(WireTable, WhereADuplicateAndAMissingFieldAre) {
  const auto where = [](const auto& read) {
    return read ? "read" : std::string(code(read.error().reason)) + ' ' + read.error().pointer;
  };
  EXPECT_EQ(where(decode_record(R"({"id":"s","z":1,"a":2,"z":3})")), "duplicate_key /z");
  EXPECT_EQ(where(decode_policy(R"({"z":1,"a":2,"z":3,"defaultAction":"Deny"})")),
            "duplicate_key /z");
  EXPECT_EQ(where(decode_policy(R"({"hostRules":[]})")), "missing_field /defaultAction");
  EXPECT_EQ(
      where(decode_policy(R"({"defaultAction":"Deny","rules":[{"match":{"methods":["GET"]}}]})")),
      "missing_field /rules/0/match/host");
}

// Each decoder refuses the same texts before it looks at their content.
struct Raw {
  std::string document;
  Reason reason;
  std::size_t offset;
};

template <class Decode>
void refuses_raw(Decode decode, const std::string& valid, std::size_t limit) {
  ASSERT_TRUE(decode(valid).has_value());
  const std::string padded = valid + std::string(limit - valid.size(), ' ');
  EXPECT_TRUE(decode(padded).has_value());
  const std::string bom = "\xef\xbb\xbf";
  const std::vector<Raw> raws = {
      {padded + ' ', Reason::too_large, limit},
      {bom + valid, Reason::byte_order_mark, 0},
      {valid + '\0', Reason::nul, valid.size()},
      {valid + '\0' + "junk", Reason::nul, valid.size()},
      {std::string(1, '\0') + valid, Reason::nul, 0},
      {valid + '\xff', Reason::invalid_utf8, valid.size()},
      {"\xed\xa0\x80" + valid, Reason::invalid_utf8, 0},
      {valid + "\xc0\xaf", Reason::invalid_utf8, valid.size()},
      {valid + "\xf4\x90\x80\x80", Reason::invalid_utf8, valid.size()},
      {valid + bom, Reason::not_json, valid.size()},
      {valid + "{}", Reason::not_json, valid.size()},
      {valid + "x", Reason::not_json, valid.size()},
      {valid + "//", Reason::not_json, valid.size()},
      {"/**/" + valid, Reason::not_json, k_no_place},
      {"", Reason::not_json, 0},
      {"x", Reason::not_json, 0},
      {" ", Reason::not_json, k_no_place},
      {"NaN", Reason::not_json, k_no_place},
  };
  for (const Raw& each : raws) {
    SCOPED_TRACE(escaped(each.document));
    const auto read = decode(each.document);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(code(read.error().reason), code(each.reason));
    EXPECT_EQ(read.error().pointer, "");
    if (each.offset != k_no_place) {
      EXPECT_EQ(read.error().offset, each.offset);
    }
  }
  // No prefix of a document is a document.
  for (std::size_t size = 0; size < valid.size(); ++size) {
    EXPECT_FALSE(decode(std::string_view(valid).substr(0, size)).has_value()) << size;
  }
  // Values that no reader agrees on, at a place where any value may stand.
  const auto with = [](const std::string& token) {
    return R"({"defaultAction":"Deny","x":[)" + token + "]}";
  };
  for (const std::string token :
       {"NaN", "Infinity", "1e309", "-1e309", "01", "1.", "+1", "'a'", "\"\\ud800\"", "\"\\udc00\"",
        "\"\\ud83d\\u0041\"", "\"\\x41\"", "\"\t\"", "1/**/", "1,", "undefined", "True"}) {
    const auto read = decode(with(token));
    ASSERT_FALSE(read.has_value()) << token;
    EXPECT_EQ(code(read.error().reason), "not_json") << token;
  }
}

const std::string k_policy = R"({"defaultAction":"Deny","x":["\ud83d\ude00",1e308,{"a":null}]})";
const std::string k_record = R"({"id":"s","o":[-0.5,{"a":"\\"}],"egressPolicy":)" + k_policy + "}";
const std::string k_exec_result = R"({"stdout":"a\nb","o":[true,{}],"exitCode":0})";

TEST(WireRefusal, TextsThatAreNoDocument) {
  const auto some = [](auto decode) {
    return [decode](std::string_view document) { return decode(document); };
  };
  refuses_raw(some([](auto d) { return decode_policy(d); }), k_policy, k_max_document_size);
  refuses_raw(some([](auto d) { return decode_record(d); }), k_record, k_max_document_size);
  refuses_raw(some([](auto d) { return decode_effective(d); }), k_record, k_max_document_size);
  refuses_raw(some([](auto d) { return canonical_json(d); }), k_policy, k_max_document_size);
  refuses_raw(some([](auto d) { return decode_exec_result(d); }), k_exec_result,
              k_max_exec_result_size);
}

TEST(WireRefusal, Depth) {
  for (const std::size_t depth : {31U, 32U, 33U, 200U, 100'000U}) {
    SCOPED_TRACE(depth);
    const bool fits = depth <= k_max_document_depth;
    EXPECT_EQ(canonical_json(nested(depth)).has_value(), fits);
    const std::string inner = nested(depth - 1);
    const auto policy = decode_policy(R"({"defaultAction":"Deny","x":)" + inner + "}");
    EXPECT_EQ(policy.has_value(), fits);
    EXPECT_TRUE(fits || policy.error().reason == Reason::too_deep);
    EXPECT_EQ(decode_record(R"({"id":"s","x":)" + inner + "}").has_value(), fits);
    EXPECT_EQ(decode_record(R"({"id":"s","skipEgressProxy":)" + inner + "}").has_value(), fits);
    EXPECT_EQ(decode_exec_result(R"({"x":)" + inner + "}").has_value(), fits);
  }
}

RC_GTEST_PROP(WireRefusal, NoByteStringMakesADecoderThrow, ()) {
  std::string bytes = *any_bytes();
  if (flip()) bytes = mutated(flip() ? k_record : k_exec_result) + bytes;
  (void)decode_policy(bytes);
  (void)decode_record(bytes);
  (void)decode_exec_result(bytes);
  (void)decode_effective(bytes);
  const auto canonical = canonical_json(bytes);
  if (!canonical) RC_ASSERT(is_printable(explain(canonical.error())));
}

// ---- Exec results. ----

TEST(WireExecResult, ExitCodes) {
  const auto read = [](const std::string& member) {
    return decode_exec_result(R"({"stdout":"o","stderr":"e")" + member + "}");
  };
  EXPECT_EQ(read("").value(), (ExecResult{"o", "e", std::nullopt}));
  EXPECT_EQ(read(R"(,"exitCode":null)").value(), (ExecResult{"o", "e", std::nullopt}));
  EXPECT_EQ(read(R"(,"exitCode":0)").value(), (ExecResult{"o", "e", 0}));
  EXPECT_EQ(read(R"(,"exitCode":137)").value().exit_code, 137);
  EXPECT_EQ(read(R"(,"exitCode":-2147483648)").value().exit_code, -2147483647 - 1);
  EXPECT_EQ(read(R"(,"exitCode":2147483647)").value().exit_code, 2147483647);
  for (const std::string value :
       {"-2147483649", "2147483648", "4294967296", "-4294967296", "9223372036854775808",
        "18446744073709551616", "18446744073709551615", "-9223372036854775809", "1.0", "0.0", "1e0",
        "true", "false", "\"0\"", "\"\"", "[]", "{}", "[0]"}) {
    SCOPED_TRACE(value);
    const auto answer = read(R"(,"exitCode":)" + value);
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().pointer, "/exitCode");
    const bool is_number = value[0] == '-' || (value[0] >= '0' && value[0] <= '9');
    EXPECT_EQ(answer.error().reason, is_number ? Reason::out_of_range : Reason::wrong_type);
  }
  EXPECT_EQ(read(R"(,"exitCode":0,"exitCode":0)").error().reason, Reason::duplicate_key);
  EXPECT_EQ(read(R"(,"exitCode":null,"exit\u0043ode":0)").error().reason, Reason::duplicate_key);
}

TEST(WireExecResult, Streams) {
  EXPECT_EQ(decode_exec_result("{}").value(), ExecResult{});
  EXPECT_EQ(decode_exec_result(R"({"Stdout":1,"EXITCODE":"x","more":{"a":[1]}})").value(),
            ExecResult{});
  for (const std::string key : {"stdout", "stderr"}) {
    for (const std::string value : {"null", "1", "1.5", "true", "[]", "{}", "[\"a\"]"}) {
      const auto read = decode_exec_result("{\"" + key + "\":" + value + "}");
      ASSERT_FALSE(read.has_value()) << key << value;
      EXPECT_EQ(read.error(), (Unreadable{Reason::wrong_type, "/" + key}));
    }
  }
  EXPECT_EQ(decode_exec_result(R"({"a":1,"\u0061":1})").error(),
            (Unreadable{Reason::duplicate_key, "/a"}));
  for (const std::string root : {"[]", "null", "1", "\"\"", "true"}) {
    EXPECT_EQ(decode_exec_result(root).error(), (Unreadable{Reason::wrong_type, ""})) << root;
  }
}

// What a command prints is compared with nothing, and a command may print a NUL.
TEST(WireExecResult, OutputMayHoldNul) {
  const ExecResult expected{std::string("a\0b", 3), std::string(1, '\0'), 0};
  const auto read = decode_exec_result(R"({"stdout":"a\u0000b","stderr":"\u0000","exitCode":0})");
  ASSERT_TRUE(read.has_value()) << explain(read.error());
  EXPECT_EQ(*read, expected);
  EXPECT_EQ(decode_exec_result(encode(expected)), expected);
}

// ---- Documents of either kind. ----

TEST(WireEffective, ADocumentShowsByItsKeysWhatItIs) {
  const auto unknown = [](const std::string& document) {
    const auto read = decode_effective(document);
    ASSERT_FALSE(read.has_value()) << document;
    EXPECT_EQ(code(read.error().reason), "unknown_shape") << document;
  };
  EXPECT_TRUE(std::holds_alternative<Absent>(decode_effective(" null\n").value()));
  const std::string policy = R"({"defaultAction":"Deny","x":1})";
  EXPECT_EQ(std::get<EgressPolicy>(decode_effective(policy).value()),
            decode_policy(policy).value());
  for (const std::string record : {R"({"id":"s"})", R"({"x":1,"id":"s","egressPolicy":null})",
                                   R"({"egressPolicy":{"defaultAction":"Deny"},"id":"s"})"}) {
    EXPECT_EQ(std::get<SandboxRecord>(decode_effective(record).value()),
              decode_record(record).value());
  }
  unknown("{}");
  unknown(R"({"state":"Running"})");
  unknown(R"({"ID":"s"})");
  unknown(R"({"DefaultAction":"Deny"})");
  unknown(R"({"egressPolicy":{"defaultAction":"Deny"}})");
  unknown(R"({"id":"s","defaultAction":"Deny"})");
  unknown(R"({"id":null,"defaultAction":null})");
  unknown(R"({"defaultAction":"Deny","egressPolicy":null})");
  unknown(R"({"defaultAction":"Deny","id":"s","egressPolicy":{}})");
  // Not an object: no keys to tell it by.
  for (const std::string root : {"[]", "[null]", "1", "\"null\"", "false"}) {
    EXPECT_FALSE(decode_effective(root).has_value()) << root;
  }
  // Recognised, and refused for what is in it.
  EXPECT_EQ(decode_effective(R"({"id":null})").error(), (Unreadable{Reason::wrong_type, "/id"}));
  EXPECT_EQ(decode_effective(R"({"defaultAction":null})").error(),
            (Unreadable{Reason::wrong_type, "/defaultAction"}));
  EXPECT_EQ(decode_effective(R"({"defaultAction":"Deny","Id":"s","rules":0})").error(),
            (Unreadable{Reason::wrong_type, "/rules"}));
}

// A record whose policy cannot be read is a record, whatever is wrong with the policy.
TEST(WireEffective, ARecordWithAnUnreadablePolicyIsARecord) {
  for (const Bad& each : k_bad_policies) {
    SCOPED_TRACE(each.document);
    const std::string document = R"({"id":"s","egressPolicy":)" + each.document + "}";
    const auto read = decode_effective(document);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(std::get<SandboxRecord>(*read), decode_record(document).value());
  }
  const std::string too_deep = R"({"id":"s","egressPolicy":{"x":)" + nested(31) + "}}";
  EXPECT_TRUE(decode_effective(too_deep).has_value());
}

// ---- Canonical JSON. ----

// spelled writes a value with spaces, escapes and its keys in another order.
std::string spelled(const json& value) {
  const auto space = [] { return pick({"", "", " ", "\n\t", "\r"}); };
  const auto list = [&space](char open, Texts members, char close) {
    if (flip()) std::ranges::reverse(members);
    std::string out = open + space();
    for (std::size_t i = 0; i < members.size(); ++i)
      out += (i == 0 ? "" : "," + space()) + members[i];
    return out + close;
  };
  const auto quoted = [](const std::string& text) {
    std::string out = json(text).dump();
    if (flip() && out.size() > 2 && out[1] >= 'a' && out[1] <= 'f') {
      out.replace(1, 1, std::string("\\u006") + static_cast<char>(out[1] - 'a' + '1'));
    }
    return out;
  };
  std::string out;
  if (value.is_object()) {
    Texts members;
    for (const auto& [key, member] : value.items()) {
      members.push_back(quoted(key) + space() + ':' + spelled(member));
    }
    out = list('{', members, '}');
  } else if (value.is_array()) {
    out = "[";
    for (std::size_t i = 0; i < value.size(); ++i) out += (i == 0 ? "" : ",") + spelled(value[i]);
    out += ']';
  } else {
    out = value.is_string() ? quoted(value.get<std::string>()) : value.dump();
  }
  return space() + out + space();
}

RC_GTEST_PROP(WireCanonical, IsWhatASortingReaderWrites, ()) {
  const json parsed = value(4);
  const std::string document = spelled(parsed);
  RC_LOG() << document << '\n';
  const auto canonical = canonical_json(document);
  RC_ASSERT(canonical.has_value());
  RC_ASSERT(*canonical == parsed.dump());
  RC_ASSERT(canonical_json(*canonical).value() == *canonical);
}

RC_GTEST_PROP(WireCanonical, IsAsStrictAsTheReference, ()) {
  const std::string document = mutated(spelled(value(4)));
  const auto canonical = canonical_json(document);
  // A policy may hold anything under a name that nobody knows.
  const std::string holder = R"({"defaultAction":"Deny","x":)" + document + "}";
  if (!reference::read_json(document).is_json) {
    RC_ASSERT(!canonical.has_value());
  } else if (reference::read_policy(holder).readable) {
    RC_ASSERT(canonical.has_value());
    RC_ASSERT(decode_policy(holder).value().unmodelled.at(0).value == *canonical);
    RC_ASSERT(canonical_json(*canonical).value() == *canonical);
  }
}

TEST(WireCanonical, SpellingOfNumbersAndStrings) {
  const auto canonical = [](const std::string& text) { return canonical_json(text).value(); };
  for (const std::string kept :
       {"0", "-1", "1.0", "1e2", "1E+2", "0.10", "-0.0", "9223372036854775807",
        "-9223372036854775808", "18446744073709551615", "18446744073709551616", "null", "true",
        "false", "\"\"", "[]", "{}", "\"/\"", "\"\x7f\""}) {
    EXPECT_EQ(canonical(kept), kept);
    EXPECT_EQ(canonical(" [ " + kept + " ] "), "[" + kept + "]");
  }
  EXPECT_EQ(canonical("-0"), "0");
  EXPECT_EQ(canonical(R"("\u0041\/\u00e9\ud83d\ude00\u0000\u001f\b")"),
            "\"A/\xc3\xa9\xf0\x9f\x98\x80\\u0000\\u001f\\b\"");
  EXPECT_EQ(canonical(R"({"b":1,"a":{"d":[{"z":0,"y":0}],"c":null},"":2,"B":3,"\u00e9":4,"aa":5})"),
            "{\"\":2,\"B\":3,\"a\":{\"c\":null,\"d\":[{\"y\":0,\"z\":0}]},\"aa\":5,\"b\":1,"
            "\"\xc3\xa9\":4}");
  EXPECT_EQ(canonical_json(R"({"a":1,"b":{"\u0061":1,"a":2}})").error(),
            (Unreadable{Reason::duplicate_key, "/b/a"}));
}

}  // namespace
}  // namespace sandproof::props
