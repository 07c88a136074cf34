// Configurations, records and policies of the answerer.
#include <utility>

#include "answerer.h"
#include "invariants.h"

namespace sandproof::props {
namespace {

constexpr std::string_view k_marker = k_markers[0];

PlainText plain(std::string_view text) { return PlainText::parse(text).value(); }

Tolerance reviewed() {
  return {.pointer = "/egressPolicy/" + std::string(k_marker), .value = "{\"on\":true}"};
}

bool names_domains(const Setting& setting) {
  return setting.egress.mode() == EgressMode::allow_domains;
}

// right_policy is the declared policy as a service reports it. Where nothing is declared, any will
// do.
EgressPolicy right_policy(const Setting& setting) {
  EgressPolicy policy;
  policy.default_action = "Deny";
  policy.traffic_inspection = "Full";
  if (names_domains(setting)) {
    for (const std::string_view domain : k_domains) {
      policy.host_rules.push_back({std::string(domain), "Allow"});
    }
  } else {
    policy.host_rules.push_back({"*", "Deny"});
  }
  return policy;
}

EgressPolicy recased(EgressPolicy policy) {
  policy.default_action = "dENY";
  policy.traffic_inspection = "fULL";
  std::swap(policy.host_rules.front(), policy.host_rules.back());
  policy.host_rules.push_back(policy.host_rules.front());
  policy.rules.push_back(
      {.name = std::string(k_marker),
       .match = {},
       .action =
           PolicyRuleAction{.type = "deny", .host = {}, .path = {}, .scheme = {}, .headers = {}}});
  policy.http = PolicyBody(policy);
  return policy;
}

std::variant<Absent, EgressPolicy, Unreadable> policy_of(const Setting& setting, Policy policy) {
  EgressPolicy body = right_policy(setting);
  switch (policy) {
    case Policy::recased:
      return recased(std::move(body));
    case Policy::fewer:
      body.host_rules.pop_back();
      break;
    case Policy::wider:
      body.host_rules.push_back({std::string(k_marker) + ".example", "Allow"});
      break;
    case Policy::unreadable:
      return Unreadable{Reason::duplicate_key, "/egressPolicy/" + std::string(k_marker)};
    case Policy::absent:
    case Policy::absent_bypassed:
      return Absent{};
    case Policy::unmodelled:
      body.unmodelled.push_back({std::string(k_marker), "{\"on\":true}"});
      break;
    case Policy::unreadable_action:
      body.host_rules.push_back({std::string(k_marker) + ".example", std::string(k_marker)});
      break;
    default:
      break;
  }
  return body;
}

std::optional<std::string> word_of(Life life) {
  constexpr std::array<std::string_view, k_life_count - 2> words = {
      "Running",   "Creating", "Resuming", "Stopping", "Stopped",
      "Suspended", "Idle",     "Deleting", "Failed"};
  if (life == Life::unnamed) return std::nullopt;
  if (life == Life::unknown) return std::string(k_marker);
  return std::string(words[static_cast<std::size_t>(life)]);
}

}  // namespace

const std::vector<Setting>& settings() {
  static const DeclaredEgress domains = DeclaredEgress::allow_domains(k_domains).value();
  static const std::vector<Setting> all = {
      {.name = "deny", .egress = DeclaredEgress::deny()},
      {.name = "allow",
       .egress = DeclaredEgress::allow(),
       .idle_seconds = 300,
       .sink_throws = true},
      {.name = "domains", .egress = domains, .tolerates = true, .idle_seconds = 600},
      {.name = "contained", .egress = domains, .acceptance = Acceptance::contained},
      {.name = "contained_deny",
       .egress = DeclaredEgress::deny(),
       .acceptance = Acceptance::contained,
       .tolerates = true},
  };
  return all;
}

AzureConfig configured(const Setting& setting) {
  AzureConfig config{.disk_image = plain("ubuntu-24"),
                     .cpu = plain("1000m"),
                     .memory = plain("2048Mi"),
                     .random = {}};
  if (setting.idle_seconds) config.disk = plain("20Gi");
  config.egress = setting.egress;
  config.acceptance = setting.acceptance;
  if (setting.tolerates) config.tolerances.push_back(reviewed());
  config.idle_suspend_seconds = setting.idle_seconds;
  return config;
}

std::optional<EgressPolicy> sent_policy(const Setting& setting) {
  if (setting.egress.mode() == EgressMode::allow) return std::nullopt;
  return right_policy(setting);
}

std::string_view name(Policy policy) {
  constexpr std::array<std::string_view, k_policy_count> names = {
      "right",    "recased",  "fewer",           "wider",      "unreadable",       "absent",
      "bypassed", "rerouted", "absent bypassed", "unmodelled", "unreadable action"};
  return names[static_cast<std::size_t>(policy)];
}

std::string_view name(Life life) {
  constexpr std::array<std::string_view, k_life_count> names = {
      "Running", "Creating", "Resuming", "Stopping", "Stopped", "Suspended",
      "Idle",    "Deleting", "Failed",   "unnamed",  "unknown"};
  return names[static_cast<std::size_t>(life)];
}

bool carries(Policy policy) {
  return policy != Policy::absent && policy != Policy::absent_bypassed;
}

bool holds(const Setting& setting, Policy policy) {
  if (setting.egress.mode() == EgressMode::allow) return true;
  switch (policy) {
    case Policy::right:
    case Policy::recased:
      return true;
    case Policy::fewer:
      return names_domains(setting) && setting.acceptance == Acceptance::contained;
    case Policy::unmodelled:
      return setting.tolerates;
    default:
      return false;
  }
}

SandboxRecord make_record(const Setting& setting, std::string_view id, Life life, Policy policy) {
  SandboxRecord record{.id = std::string(id),
                       .state = word_of(life),
                       .policy = policy_of(setting, policy),
                       .skip_egress_proxy = {},
                       .customer_vnet_connection_name = {}};
  if (policy == Policy::bypassed || policy == Policy::absent_bypassed) {
    record.skip_egress_proxy = "\"" + std::string(k_marker) + "\"";
  }
  if (policy == Policy::rerouted) {
    record.customer_vnet_connection_name = "\"" + std::string(k_marker) + "\"";
  }
  return record;
}

Saw saw_record(const Setting& setting, Life life, Policy policy, Whose whose) {
  Saw saw;
  saw.life = life;
  saw.whose = whose;
  saw.carries = carries(policy);
  saw.holds = holds(setting, policy);
  return saw;
}

}  // namespace sandproof::props
