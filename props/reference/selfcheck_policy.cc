// Edge checks of the policy model, and its promise by brute force.
#include <array>
#include <set>

#include "policy.h"
#include "selfcheck.h"

namespace sandproof::reference {
namespace {

using Failures = std::vector<std::string>;

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

// Every text is the rest of an object that begins with a default action.
void check_readable(Failures& failures) {
  const std::vector<std::string> readable = {
      "",
      R"(,"x":1e308)",
      R"(,"x":-0.0e-999)",
      R"(,"x":"\ud83d\ude00\u0000")",
      R"(,"trafficInspection":null)",
      R"(,"ID":1,"http2":null)",
      R"(,"http":{"defaultAction":"Deny","http":{"DefaultAction":7}})",
      R"(,"rules":[{"name":null,"match":null,"action":null},{}])",
      R"(,"rules":[{"action":{"type":"Deny","headers":[1,null,{}]},"match":{"host":"a","methods":[]}}])",
      ",\"x\":" + nested(31),
  };
  const std::vector<std::string> unreadable = {
      R"(,"x":1e309)",
      R"(,"x":NaN)",
      R"(,"x":01)",
      R"(,"x":1.)",
      R"(,"x":[1,])",
      R"(,"x":"\ud83d")",
      R"(,"x":"\ude00")",
      R"(,"x":"\x41")",
      R"(,"x":1/**/)",
      ",\"x\":\"\t\"",
      ",",
      ",\"x\":" + nested(32),
      R"(,"x":{"a":1,"\u0061":2})",
      R"(,"DefaultAction":"Deny")",
      R"(,"HTTP":1)",
      R"(,"http":null)",
      R"(,"http":{"hostRules":[]})",
      R"(,"http":{"defaultAction":"Deny","Rules":1})",
      R"(,"trafficInspection":"Full\u0000")",
      R"(,"hostRules":null)",
      R"(,"hostRules":[{"pattern":"a"}])",
      R"(,"hostRules":[{"pattern":"a","action":null}])",
      R"(,"rules":[{"action":{}}])",
      R"(,"rules":[{"action":{"type":"Deny","headers":null}}])",
      R"(,"rules":[{"match":{"host":"a","methods":[null]}}])",
      R"(,"rules":[{"match":{"path":"a"}}])",
      R"(,"rules":[{"priority":1}])",
  };
  const auto with = [](const std::string& rest) {
    return R"({"defaultAction":"Deny")" + rest + "}";
  };
  for (const std::string& rest : readable) {
    const Reading reading = read_policy(with(rest));
    if (!reading.readable)
      failures.push_back("unreadable, " + reading.reason + reading.pointer + ": " + rest);
    if (reading.readable && nlohmann::json(reading.document) != nlohmann::json::parse(with(rest))) {
      failures.push_back("the document differs: " + rest);
    }
    const RecordReading record = read_record(R"({"id":"a","egressPolicy":)" + with(rest) + "}");
    const bool too_deep_there = record.policy_reason == "too_deep";
    if (!record.readable || (record.policy != RecordReading::Policy::read && !too_deep_there)) {
      failures.push_back("unreadable in a record: " + rest);
    }
  }
  for (const std::string& rest : unreadable) {
    if (read_policy(with(rest)).readable) failures.push_back("readable: " + rest);
    const RecordReading record = read_record(R"({"id":"a","egressPolicy":)" + with(rest) + "}");
    if (record.readable && record.policy != RecordReading::Policy::unreadable) {
      failures.push_back("readable in a record: " + rest);
    }
  }
}

void check_records(Failures& failures) {
  const auto expect = [&](bool right, const std::string& what) {
    if (!right) failures.push_back("record: " + what);
  };
  expect(!read_record("null").readable, "null is none");
  expect(!read_record(R"({"id":null})").readable, "an id is not null");
  expect(!read_record(R"({"id":"a\u0000"})").readable, "an id holds no NUL");
  expect(!read_record(R"({"id":"a","Id":"b"})").readable, "keys differ in more than case");
  expect(!read_record(R"({"id":"a","labels":{"x":1,"x":2}})").readable,
         "ignored values repeat no key");
  expect(!read_record(R"({"id":"a","egressPolicy":null,"egressPolicy":null})").readable,
         "one policy");
  expect(!read_record(R"({"id":"a","x":)" + nested(32) + "}").readable, "not too deep");
  expect(!read_record(R"({"id":"a","egressPolicy":)" + nested(100'000) + "").readable,
         "a cut text is no JSON");
  expect(read_record(R"({"id":"a","state":null,"ID2":{"Id":1}})").readable,
         "other keys are ignored");

  const RecordReading deep =
      read_record(R"({"egressPolicy":)" + nested(100'000) + R"(,"id":"a","skipEgressProxy":0})");
  expect(deep.readable && deep.id == "a" && deep.policy_reason == "too_deep",
         "a deep policy costs only the policy");
  const Comparison judged = compare(Declared{}, deep);
  expect(judged.verdict == "widened" && judged.findings.size() == 2 &&
             judged.findings[0].kind == "unreadable_policy",
         "an unreadable policy is a finding");
  Declared allow;
  allow.mode = Declared::Mode::allow;
  expect(compare(allow, deep).verdict == "identical", "nothing is judged for allow");
}

void check_findings(Failures& failures) {
  Declared declared;
  declared.mode = Declared::Mode::allow_domains;
  declared.domains = {"*.a.b", "a.b"};
  const std::string text =
      R"({"zz/~":1,"defaultAction":"DENY","trafficInspection":"full","hostRules":[
    {"pattern":"*.A.b.","action":"allow"},{"pattern":"x.a.b","action":"Allow"},{"pattern":"X.a.b","action":"Allow"},
    {"pattern":"x.y.a.b","action":"Allow"},{"pattern":"*.","action":"Allow"},{"pattern":"*","action":"Allow"},
    {"pattern":"x.a.b","action":"Transform"},{"pattern":"x.a.b","action":"TRANSFORM"}],
    "rules":[{"action":{"type":"Deny"}},{"action":{"type":"deny","headers":[]}},{"name":"n","action":{"type":"ALLOW"}},
    {"name":"n","match":null,"action":{"type":"Allow"}},{},{"name":null}],"aa":2,
    "http":{"defaultAction":"Deny","trafficInspection":"Full","http":{}}})";
  const std::vector<Finding> expected = {
      {"missing_rule", "within", "/hostRules", false, ""},
      {"extra_allow", "within", "/hostRules/1", false, ""},
      {"extra_allow", "widens", "/hostRules/3", true, "x.y.a.b"},
      {"extra_allow", "widens", "/hostRules/4", false, ""},
      {"extra_allow", "widens", "/hostRules/5", true, "c.d"},
      {"unreadable_action", "unknown", "/hostRules/6/action", false, ""},
      {"match_rule", "unknown", "/rules/1", false, ""},
      {"match_rule", "widens", "/rules/2", false, ""},
      {"match_rule", "unknown", "/rules/4", false, ""},
      {"unmodelled_field", "unknown", "/zz~1~0", false, ""},
      {"unmodelled_field", "unknown", "/aa", false, ""},
      {"missing_rule", "unknown", "/http/hostRules", false, ""},
      {"missing_rule", "unknown", "/http/hostRules", false, ""},
      {"unmodelled_field", "unknown", "/http/http", false, ""},
  };
  const Comparison got = compare(declared, read_policy(text).document, false);
  if (got.findings != expected || got.verdict != "widened") {
    failures.push_back("findings differ:");
    for (const Finding& each : got.findings) {
      failures.push_back("  " + each.kind + " " + each.effect + " " + each.pointer + " " +
                         each.witness);
    }
  }
}

// One row a host: which of the four readings let it out for `*.a.b`, in the order of
// k_wildcard_readings.
void check_hosts(Failures& failures) {
  struct Row {
    std::string host;
    std::array<bool, 4> out;
  };
  const std::vector<Row> rows = {
      {"a.b", {false, true, false, true}},     {"x.a.b", {true, true, true, true}},
      {"y.x.a.b", {false, false, true, true}}, {"xa.b", {false, false, false, false}},
      {"b", {false, false, false, false}},     {".a.b", {false, false, false, false}},
  };
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.out.size(); ++i) {
      if (matches("*.a.b", row.host, k_wildcard_readings.at(i)) != row.out.at(i)) {
        failures.push_back("*.a.b and " + row.host + ", reading " + std::to_string(i));
      }
    }
  }
  struct Order {
    std::vector<HostRule> rules;
    bool default_deny = true;
    std::set<bool> expected;
  };
  const std::vector<Order> orders = {
      {{}, true, {false}},
      {{}, false, {true}},
      {{{"a.b", "ALLOW"}}, true, {true}},
      {{{"*", "deny"}}, false, {false}},
      {{{"c.b", "Allow"}}, true, {false}},
      {{{"a.b", "Rewrite"}}, true, {true, false}},
      {{{"a.b", "Allow"}, {"*", "Deny"}}, true, {true, false}},
  };
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (outcomes(orders[i].rules, orders[i].default_deny, "a.b", k_wildcard_readings[0]) !=
        orders[i].expected) {
      failures.push_back("outcomes over every order of evaluation, row " + std::to_string(i));
    }
  }
}

// A policy that is called identical or contained lets out declared hosts only, whatever the order
// of evaluation and the reading of `*.`; and an allow that is said to widen has a host that shows
// it.
void check_promise(Failures& failures) {
  const std::vector<std::string> patterns = {"*", "a.b", "*.a.b", "c.a.b", "*.c.a.b", "d.c.a.b"};
  const std::vector<std::string> hosts = {"b",       "a.b",     "c.a.b",     "d.a.b",
                                          "d.c.a.b", "e.c.a.b", "e.d.c.a.b", "x.y"};
  std::vector<HostRule> rules;
  for (const std::string& pattern : patterns) {
    for (const char* action : {"Allow", "Deny", "Rewrite"}) rules.push_back({pattern, action});
  }
  std::vector<std::vector<HostRule>> policies = {{}};
  for (const HostRule& first : rules) {
    policies.push_back({first});
    for (const HostRule& second : rules) policies.push_back({first, second});
  }
  for (std::size_t set = 0; set < 32; ++set) {
    Declared declared;
    for (std::size_t i = 0; i < 5; ++i) {
      if ((set >> i) % 2 == 1) declared.domains.push_back(patterns[i + 1]);
    }
    if (!declared.domains.empty()) declared.mode = Declared::Mode::allow_domains;
    for (const auto& policy : policies) {
      const Comparison comparison = compare_host_rules(asked_rules(declared), policy);
      const bool promised = comparison.verdict == "identical" || comparison.verdict == "contained";
      bool only_declared = true;
      for (const WildcardReading reading : k_wildcard_readings) {
        for (const std::string& host : hosts) {
          const bool out = some_order_lets_out(policy, true, host, reading);
          only_declared = only_declared && (!out || declared_lets_out(declared, host, reading));
        }
      }
      if (promised && !only_declared)
        failures.push_back("contained, and lets out more than was declared");
      if (only_declared && comparison.verdict == "widened")
        failures.push_back("widened, and lets out nothing more");
    }
  }
}

}  // namespace

std::vector<std::string> policy_failures() {
  Failures failures;
  check_readable(failures);
  check_records(failures);
  check_findings(failures);
  check_hosts(failures);
  check_promise(failures);
  return failures;
}

}  // namespace sandproof::reference
