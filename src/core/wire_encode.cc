#include "wire_encode.h"

#include "json_text.h"
#include "sandproof/wire.h"

namespace sandproof {
namespace {

using json_text::append_list;
using json_text::append_string;
using json_text::ObjectWriter;

void text_if(ObjectWriter& object, std::string_view key, const std::optional<std::string>& value) {
  if (value) object.text(key, *value);
}

void raw_if(ObjectWriter& object, std::string_view key, const std::optional<std::string>& json) {
  if (json) object.raw(key, *json);
}

void append(std::string& out, const PolicyHostRule& rule) {
  ObjectWriter object(out);
  object.text("pattern", rule.pattern);
  object.text("action", rule.action);
}

void append(std::string& out, const PolicyRuleMatch& match) {
  ObjectWriter object(out);
  object.text("host", match.host);
  text_if(object, "path", match.path);
  if (match.methods) append_list(object.member("methods"), *match.methods, append_string);
}

void append(std::string& out, const PolicyRuleAction& action) {
  ObjectWriter object(out);
  object.text("type", action.type);
  text_if(object, "host", action.host);
  text_if(object, "path", action.path);
  text_if(object, "scheme", action.scheme);
  raw_if(object, "headers", action.headers);
}

void append(std::string& out, const PolicyRule& rule) {
  ObjectWriter object(out);
  text_if(object, "name", rule.name);
  if (rule.match) append(object.member("match"), *rule.match);
  if (rule.action) append(object.member("action"), *rule.action);
}

void append_members(ObjectWriter& object, const PolicyBody& body) {
  object.text("defaultAction", body.default_action);
  text_if(object, "trafficInspection", body.traffic_inspection);
  const auto each = [](std::string& out, const auto& rule) { append(out, rule); };
  append_list(object.member("hostRules"), body.host_rules, each);
  if (!body.rules.empty()) append_list(object.member("rules"), body.rules, each);
}

void append_unmodelled(ObjectWriter& object, const PolicyBody& body) {
  for (const UnmodelledField& field : body.unmodelled) object.raw(field.name, field.value);
}

void append(std::string& out, const EgressPolicy& policy) {
  ObjectWriter object(out);
  append_members(object, policy);
  if (policy.http) {
    ObjectWriter copy(object.member("http"));
    append_members(copy, *policy.http);
    append_unmodelled(copy, *policy.http);
  }
  append_unmodelled(object, policy);
}

template <class Record>
std::string written(const Record& record) {
  std::string out;
  append(out, record);
  return out;
}

}  // namespace

std::string encode(const PolicyRule& rule) { return written(rule); }
std::string encode(const EgressPolicy& policy) { return written(policy); }

std::string encode(const SandboxRecord& record) {
  std::string out;
  {
    ObjectWriter object(out);
    object.text("id", record.id);
    text_if(object, "state", record.state);
    if (const auto* policy = std::get_if<EgressPolicy>(&record.policy)) {
      append(object.member("egressPolicy"), *policy);
    } else if (std::holds_alternative<Unreadable>(record.policy)) {
      object.raw("egressPolicy", "{}");
    }
    raw_if(object, "skipEgressProxy", record.skip_egress_proxy);
    raw_if(object, "customerVnetConnectionName", record.customer_vnet_connection_name);
  }
  return out;
}

std::string encode(const ExecResult& result) {
  std::string out;
  {
    ObjectWriter object(out);
    object.text("stdout", result.standard_output);
    object.text("stderr", result.standard_error);
    if (result.exit_code) object.raw("exitCode", std::to_string(*result.exit_code));
  }
  return out;
}

std::string encode(const CreateBody& body) {
  std::string out;
  {
    ObjectWriter object(out);
    {
      ObjectWriter source(object.member("sourcesRef"));
      ObjectWriter image(source.member("diskImage"));
      image.text("name", body.disk_image.view());
      image.raw("isPublic", "true");
    }
    {
      ObjectWriter resources(object.member("resources"));
      resources.text("cpu", body.cpu.view());
      resources.text("memory", body.memory.view());
      if (body.disk) resources.text("disk", body.disk->view());
    }
    if (!body.environment.variables().empty()) {
      ObjectWriter environment(object.member("environment"));
      for (const auto& [name, value] : body.environment.variables()) environment.text(name, value);
    }
    if (body.egress) append(object.member("egressPolicy"), *body.egress);
    {
      ObjectWriter labels(object.member("labels"));
      labels.text("sandproof-attempt", body.attempt.view());
    }
    if (body.idle_suspend) {
      ObjectWriter lifecycle(object.member("lifecycle"));
      ObjectWriter suspend(lifecycle.member("autoSuspendPolicy"));
      suspend.raw("enabled", "true");
      suspend.raw("interval", std::to_string(body.idle_suspend->count()));
      suspend.text("mode", "Memory");
    }
  }
  return out;
}

ExecBody::ExecBody(const Command& command, Deadline deadline, const ReportScheme& scheme)
    : command_(bounded_shell(command, deadline, scheme)),
      working_directory_(command.working_directory()) {}

std::string encode(const ExecBody& body) {
  std::string out;
  {
    ObjectWriter object(out);
    object.text("command", body.command().view());
    text_if(object, "workingDirectory", body.working_directory());
  }
  return out;
}

std::string encode(const MkdirBody& body) {
  std::string out;
  {
    ObjectWriter object(out);
    object.text("path", body.path.view());
  }
  return out;
}

}  // namespace sandproof
