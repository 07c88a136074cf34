// Holding a policy against a declaration: every asked rule against every rule, every rule against
// every asked one.
#include <algorithm>

#include "policy.h"
#include "scanners.h"

namespace sandproof::reference {
namespace {

bool is(std::string_view text, std::string_view expected) {
  return lower_ascii(text) == lower_ascii(expected);
}

Finding finding(std::string_view kind, std::string_view effect, std::string_view pointer) {
  Finding made;
  made.kind = kind;
  made.effect = effect;
  made.pointer = pointer;
  return made;
}

// present is a member that is there and not null.
const Document* present(const Document& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// seen_before tells a cause's first place from the others.
template <typename Cause>
bool seen_before(std::vector<Cause>& seen, const Cause& cause) {
  if (std::find(seen.begin(), seen.end(), cause) != seen.end()) return true;
  seen.push_back(cause);
  return false;
}

// holds is the inner loop of the comparison: one rule after the other, by string equality.
bool holds(const std::vector<HostRule>& rules, const HostRule& wanted) {
  for (const HostRule& rule : rules) {
    if (rule == wanted) return true;
  }
  return false;
}

bool readable_action(const HostRule& rule) {
  return rule.action == "Allow" || rule.action == "Deny";
}

std::string verdict_of(const std::vector<Finding>& findings) {
  if (findings.empty()) return "identical";
  bool all_within = true;
  for (const Finding& each : findings) {
    if (each.effect == "widens") return "widened";
    if (each.effect != "within") all_within = false;
  }
  return all_within ? "contained" : "unknown";
}

Comparison judged(std::vector<Finding> findings) {
  Comparison comparison;
  comparison.verdict = verdict_of(findings);
  comparison.findings = std::move(findings);
  return comparison;
}

// unused_labels are two labels that stand in no declared pattern, short ones first: a witness must
// stay a host name.
std::vector<std::string> unused_labels(const Declared& declared) {
  std::vector<std::string> used;
  for (const std::string& domain : declared.domains) {
    std::string label;
    for (const char c : domain + ".") {
      if (c != '.') {
        label += c;
      } else {
        used.push_back(label);
        label.clear();
      }
    }
  }
  std::vector<std::string> unused;
  for (std::size_t i = 0; unused.size() < 2; ++i) {
    const std::string label =
        i < 26 ? std::string(1, static_cast<char>('a' + i)) : "x" + std::to_string(i);
    if (std::find(used.begin(), used.end(), label) == used.end()) unused.push_back(label);
  }
  return unused;
}

// short_labels are all labels of one byte, and of two.
std::vector<std::string> short_labels() {
  const std::string bytes = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::vector<std::string> labels;
  for (const char first : bytes) labels.emplace_back(1, first);
  for (const char first : bytes) {
    for (const char second : bytes) labels.push_back({first, second});
  }
  return labels;
}

// candidate_hosts suffice to decide whether a pattern lets out more than a declaration: no declared
// pattern tells one fresh label from another, and none tells two fresh levels from three. Where the
// apex leaves no room for a fresh label, all labels that there is room for are tried.
std::vector<std::string> candidate_hosts(std::string_view pattern,
                                         const std::vector<std::string>& fresh) {
  constexpr std::size_t k_longest_host = 253;
  if (pattern == "*") return {fresh[0] + "." + fresh[1]};
  if (!pattern.starts_with("*.")) return {std::string(pattern)};
  const std::string apex(pattern.substr(2));
  std::vector<std::string> hosts{apex, fresh[0] + "." + apex,
                                 fresh[1] + "." + fresh[0] + "." + apex};
  if (hosts[1].size() > k_longest_host) {
    for (const std::string& label : short_labels()) hosts.push_back(label + "." + apex);
  }
  std::erase_if(hosts, [](const std::string& host) { return host.size() > k_longest_host; });
  return hosts;
}

std::optional<std::string> widening_host(std::string_view pattern, const Declared& declared,
                                         const std::vector<std::string>& fresh) {
  const std::vector<std::string> candidates = candidate_hosts(pattern, fresh);
  for (const WildcardReading reading : k_wildcard_readings) {
    for (const std::string& host : candidates) {
      if (matches(pattern, host, reading) && !declared_lets_out(declared, host, reading))
        return host;
    }
  }
  return std::nullopt;
}

Finding extra_allow(const HostRule& rule, const Declared& declared,
                    const std::vector<std::string>& fresh, const std::string& pointer) {
  const bool every_host = rule.pattern == "*";
  if (!every_host && !domain(rule.pattern).accepted)
    return finding("extra_allow", "widens", pointer);
  const std::optional<std::string> host = widening_host(rule.pattern, declared, fresh);
  if (!host.has_value()) return finding("extra_allow", "within", pointer);
  Finding widens = finding("extra_allow", "widens", pointer);
  widens.has_witness = true;
  widens.witness = *host;
  return widens;
}

std::vector<HostRule> host_rules(const Document& policy) {
  std::vector<HostRule> rules;
  if (const Document* list = present(policy, "hostRules")) {
    for (const Document& rule : *list) {
      const HostRule written{rule.at("pattern").get<std::string>(),
                             rule.at("action").get<std::string>()};
      rules.push_back(comparable_rule(written));
    }
  }
  return rules;
}

bool outright_deny(const Document& rule) {
  const Document* action = present(rule, "action");
  return action != nullptr && action->size() == 1 &&
         is(action->at("type").get<std::string>(), "deny");
}

bool allows(const Document& rule) {
  const Document* action = present(rule, "action");
  return action != nullptr && is(action->at("type").get<std::string>(), "allow");
}

// comparable_match_rule folds what makes no difference: null for absent, an empty method list for
// none, and the case of the action's type and of the matched host. Sorted keys: their order in the
// text says nothing.
nlohmann::json comparable_match_rule(const Document& written) {
  nlohmann::json rule = written;
  for (const char* key : {"name", "match", "action"}) {
    if (rule.contains(key) && rule.at(key).is_null()) rule.erase(key);
  }
  if (rule.contains("action")) {
    nlohmann::json& type = rule.at("action").at("type");
    type = lower_ascii(type.get<std::string>());
  }
  if (rule.contains("match")) {
    nlohmann::json& match = rule.at("match");
    match["host"] = lower_ascii(match.at("host").get<std::string>());
    if (match.contains("methods") && match.at("methods").empty()) match.erase("methods");
  }
  return rule;
}

void judge_match_rules(const Document& policy, const std::string& prefix,
                       std::vector<Finding>& findings) {
  const Document* rules = present(policy, "rules");
  if (rules == nullptr) return;
  std::vector<nlohmann::json> seen;
  for (std::size_t i = 0; i < rules->size(); ++i) {
    const Document& rule = rules->at(i);
    if (outright_deny(rule)) continue;
    if (seen_before(seen, comparable_match_rule(rule))) continue;
    findings.push_back(finding("match_rule", allows(rule) ? "widens" : "unknown",
                               pointer_below(prefix + "/rules", i)));
  }
}

// judge_copy judges one statement of the policy: the policy itself, or its repetition under `http`.
void judge_copy(const Declared& declared, const Document& policy, const std::string& prefix,
                bool is_copy, std::vector<Finding>& findings) {
  if (!is(policy.at("defaultAction").get<std::string>(), "Deny")) {
    findings.push_back(finding("default_action", "widens", prefix + "/defaultAction"));
  }
  const Document* inspection = present(policy, "trafficInspection");
  if (inspection == nullptr || !is(inspection->get<std::string>(), "Full")) {
    findings.push_back(finding("inspection", "widens", prefix + "/trafficInspection"));
  }
  const Comparison rules = compare_host_rules(asked_rules(declared), host_rules(policy), prefix);
  findings.insert(findings.end(), rules.findings.begin(), rules.findings.end());
  judge_match_rules(policy, prefix, findings);
  for (const auto& [name, value] : policy.items()) {
    const bool known = name == "defaultAction" || name == "trafficInspection" ||
                       name == "hostRules" || name == "rules" || (name == "http" && !is_copy);
    if (!known)
      findings.push_back(finding("unmodelled_field", "unknown", pointer_below(prefix, name)));
  }
}

void judge_policy(const Declared& declared, const Document& policy, const std::string& prefix,
                  std::vector<Finding>& findings) {
  judge_copy(declared, policy, prefix, false, findings);
  if (const Document* copy = present(policy, "http"))
    judge_copy(declared, *copy, prefix + "/http", true, findings);
}

// judge_record_itself judges what stands on the record outside the policy.
void judge_record_itself(const Document& record, std::vector<Finding>& findings) {
  const Document* bypass = present(record, "skipEgressProxy");
  if (bypass != nullptr && *bypass != Document(false)) {
    findings.push_back(finding("proxy_bypass", "widens", "/skipEgressProxy"));
  }
  const Document* network = present(record, "customerVnetConnectionName");
  if (network != nullptr && *network != Document("")) {
    findings.push_back(finding("network_override", "widens", "/customerVnetConnectionName"));
  }
}

}  // namespace

std::vector<HostRule> asked_rules(const Declared& declared) {
  if (declared.mode == Declared::Mode::deny) return {{"*", "Deny"}};
  std::vector<HostRule> rules;
  if (declared.mode == Declared::Mode::allow_domains) {
    for (const std::string& each : declared.domains) rules.push_back({each, "Allow"});
  }
  return rules;
}

HostRule comparable_rule(const HostRule& rule) {
  HostRule comparable;
  const Answer pattern = domain(rule.pattern);
  comparable.pattern = pattern.accepted ? pattern.value : lower_ascii(rule.pattern);
  comparable.action = lower_ascii(rule.action);
  if (comparable.action == "allow") comparable.action = "Allow";
  if (comparable.action == "deny") comparable.action = "Deny";
  return comparable;
}

std::optional<std::string> widening_host(std::string_view pattern, const Declared& declared) {
  return widening_host(pattern, declared, unused_labels(declared));
}

Comparison compare_host_rules(const std::vector<HostRule>& asked,
                              const std::vector<HostRule>& effective, const std::string& prefix) {
  Declared declared;
  declared.mode = Declared::Mode::allow_domains;
  for (const HostRule& rule : asked) {
    if (rule.action == "Allow") declared.domains.push_back(rule.pattern);
  }
  // An allow that nobody declared does not show that the list is in force: otherwise adding one
  // would turn `unknown` into `contained`.
  const bool in_force = std::any_of(effective.begin(), effective.end(), [&](const HostRule& rule) {
    return rule.action == "Deny" || (rule.action == "Allow" && holds(asked, rule));
  });

  std::vector<Finding> findings;
  std::vector<HostRule> missing;
  for (const HostRule& rule : asked) {
    if (holds(effective, rule) || seen_before(missing, rule)) continue;
    const bool within = rule.action == "Allow" && in_force;
    findings.push_back(
        finding("missing_rule", within ? "within" : "unknown", prefix + "/hostRules"));
  }

  const std::vector<std::string> fresh = unused_labels(declared);
  std::vector<HostRule> extra;
  for (std::size_t i = 0; i < effective.size(); ++i) {
    const HostRule& rule = effective[i];
    const std::string pointer = pointer_below(prefix + "/hostRules", i);
    if (!readable_action(rule)) {
      if (seen_before(extra, rule)) continue;
      findings.push_back(finding("unreadable_action", "unknown", pointer + "/action"));
    } else if (rule.action == "Allow" && !holds(asked, rule)) {
      if (seen_before(extra, rule)) continue;
      findings.push_back(extra_allow(rule, declared, fresh, pointer));
    }
  }
  return judged(std::move(findings));
}

Comparison compare(const Declared& declared, const Document& document, bool is_record) {
  std::vector<Finding> findings;
  if (declared.mode == Declared::Mode::allow) return judged(findings);
  if (is_record) {
    const Document* policy = present(document, "egressPolicy");
    if (policy == nullptr) {
      findings.push_back(finding("no_policy", "widens", "/egressPolicy"));
    } else {
      judge_policy(declared, *policy, "/egressPolicy", findings);
    }
    judge_record_itself(document, findings);
  } else if (document.is_null()) {
    findings.push_back(finding("no_policy", "widens", ""));
  } else {
    judge_policy(declared, document, "", findings);
  }
  return judged(std::move(findings));
}

Comparison compare(const Declared& declared, const RecordReading& record) {
  if (record.policy != RecordReading::Policy::unreadable)
    return compare(declared, record.document, true);
  std::vector<Finding> findings;
  if (declared.mode == Declared::Mode::allow) return judged(findings);
  findings.push_back(finding("unreadable_policy", "unknown", "/egressPolicy"));
  judge_record_itself(record.document, findings);
  return judged(std::move(findings));
}

}  // namespace sandproof::reference
