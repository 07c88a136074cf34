// Records as JSON documents, built member by member: the form in which the reference model compares
// them. Made without the library's encoder and without any reader, so that it costs little and
// shares no mistake with them.
#pragma once

#include <optional>
#include <string>

#include "fuzz_check.h"
#include "reference/json_text.h"
#include "sandproof/egress.h"
#include "sandproof/wire.h"

namespace sandproof::fuzz {

using reference::Document;

inline void put(Document& object, const char* key, const std::optional<std::string>& text) {
  if (text) object[key] = *text;
}

// put_json takes a value that is JSON text already, or else the library has kept it wrong.
inline void put_json(Document& object, const std::string& key,
                     const std::optional<std::string>& json) {
  if (!json) return;
  FUZZ_CHECK(Document::accept(*json), *json);
  object[key] = Document::parse(*json);
}

[[nodiscard]] inline Document document_of(const PolicyRule& rule) {
  Document object = Document::object();
  put(object, "name", rule.name);
  if (rule.match) {
    Document& match = object["match"];
    match["host"] = rule.match->host;
    put(match, "path", rule.match->path);
    if (rule.match->methods) match["methods"] = *rule.match->methods;
  }
  if (rule.action) {
    Document& action = object["action"];
    action["type"] = rule.action->type;
    put(action, "host", rule.action->host);
    put(action, "path", rule.action->path);
    put(action, "scheme", rule.action->scheme);
    put_json(action, "headers", rule.action->headers);
  }
  return object;
}

[[nodiscard]] inline Document document_of(const PolicyBody& body, const Document* http) {
  Document object = Document::object();
  object["defaultAction"] = body.default_action;
  put(object, "trafficInspection", body.traffic_inspection);
  Document& host_rules = object["hostRules"] = Document::array();
  for (const PolicyHostRule& rule : body.host_rules) {
    Document& each = host_rules.emplace_back(Document::object());
    each["pattern"] = rule.pattern;
    each["action"] = rule.action;
  }
  if (!body.rules.empty()) {
    Document& rules = object["rules"] = Document::array();
    for (const PolicyRule& rule : body.rules) rules.push_back(document_of(rule));
  }
  if (http != nullptr) object["http"] = *http;
  for (const UnmodelledField& field : body.unmodelled) put_json(object, field.name, field.value);
  return object;
}

[[nodiscard]] inline Document document_of(const EgressPolicy& policy) {
  if (!policy.http) return document_of(policy, nullptr);
  const Document http = document_of(*policy.http, nullptr);
  return document_of(policy, &http);
}

// The record's policy is one that could be read, or absent.
[[nodiscard]] inline Document document_of(const SandboxRecord& record) {
  Document object = Document::object();
  object["id"] = record.id;
  put(object, "state", record.state);
  if (const auto* policy = std::get_if<EgressPolicy>(&record.policy)) {
    object["egressPolicy"] = document_of(*policy);
  }
  put_json(object, "skipEgressProxy", record.skip_egress_proxy);
  put_json(object, "customerVnetConnectionName", record.customer_vnet_connection_name);
  return object;
}

}  // namespace sandproof::fuzz
