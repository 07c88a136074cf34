#include "sandproof/azure_sandbox.h"

#include <array>
#include <utility>

#include "errors.h"
#include "verbs.h"

namespace sandproof {
namespace {

using namespace provider;

constexpr Literal k_no_job_host = "the service runs no agent in a sandbox that could own a job";

Result<OwnedSessionId> session_id_of(Verb verb, std::string_view text) {
  const auto id = SessionId::parse(text);
  if (!id) return std::unexpected(refused(verb, id.error(), text));
  return OwnedSessionId(*id);
}

Result<SandboxPath> path_of(Verb verb, std::string_view text) {
  const auto path = SandboxPath::parse(text);
  if (!path) return std::unexpected(refused(verb, path.error(), text));
  return *path;
}

Result<SessionEnvironment> environment_of(Verb verb, const CreateRequest& request,
                                          const SessionRules& rules) {
  auto environment = SessionEnvironment::parse(request.environment, rules);
  if (!environment) {
    return std::unexpected(refused_environment(verb, environment.error(), request.environment));
  }
  if (request.tenant_key) {
    return std::unexpected(not_supported(
        verb, "the service has nowhere to put a tenant key; make one sandbox for each tenant"));
  }
  return *std::move(environment);
}

Result<Deadline> deadline_of(std::chrono::milliseconds duration) {
  if (duration == std::chrono::milliseconds::zero()) {
    return std::unexpected(
        not_supported(Verb::run_command, "a command without a deadline is not supported"));
  }
  const auto deadline = Deadline::from(duration);
  if (deadline) return *deadline;
  return std::unexpected(
      refused(Verb::run_command, deadline.error(), std::to_string(duration.count()) + "ms"));
}

// files_of checks every path before anything is sent, and gives the files in the order of writing.
Result<std::vector<OwnedFile>> files_of(std::span<const File> files) {
  std::vector<SandboxPath> paths;
  paths.reserve(files.size());
  for (const File& file : files) {
    const Result<SandboxPath> path = path_of(Verb::write_files, file.path);
    if (!path) return std::unexpected(path.error());
    paths.push_back(*path);
  }
  const auto order = write_order(paths);
  if (!order) {
    return std::unexpected(
        refused(Verb::write_files, order.error(), files[order.error().word].path));
  }
  std::vector<OwnedFile> owned;
  owned.reserve(files.size());
  for (const std::size_t i : *order) {
    owned.push_back({OwnedSandboxPath(paths[i]), std::string(files[i].content)});
  }
  return owned;
}

}  // namespace

namespace provider {

CallId draw_id(const AzureConfig& config) {
  std::array<std::uint8_t, 16> bytes{};
  config.random(bytes);
  return CallId::from_random(bytes);
}

}  // namespace provider

AzureSandbox::AzureSandbox(AzureConfig config)
    : config_(std::make_shared<const AzureConfig>(std::move(config))) {}

Capabilities AzureSandbox::capabilities() const noexcept {
  return {.files = true,
          .reconnect = true,
          .suspend_resume = true,
          .domain_egress_rules = true,
          .egress_deny = true,
          .enforced_limits = true};
}

Operation<Session> AzureSandbox::create(const CreateRequest& request) const {
  auto environment = environment_of(Verb::create, request, config_->session_rules);
  if (!environment) return Operation<Session>(environment.error());
  return Operation<Session>(make_session(config_, *std::move(environment)));
}

Operation<std::optional<Session>> AzureSandbox::get(std::string_view session_id) const {
  const auto id = session_id_of(Verb::get, session_id);
  if (!id) return Operation<std::optional<Session>>(id.error());
  return Operation<std::optional<Session>>(get_session(config_, *id));
}

Operation<Session> AzureSandbox::get_or_create(std::optional<std::string_view> session_id,
                                               const CreateRequest& request) const {
  constexpr Verb k_verb = Verb::get_or_create;
  std::optional<OwnedSessionId> named;
  if (session_id) {
    const auto id = session_id_of(k_verb, *session_id);
    if (!id) return Operation<Session>(id.error());
    named = *id;
  }
  auto environment = environment_of(k_verb, request, config_->session_rules);
  if (!environment) return Operation<Session>(environment.error());
  if (!named) return Operation<Session>(make_session(config_, *std::move(environment)));
  return Operation<Session>(reconnect_or_make(config_, *named, *std::move(environment)));
}

Operation<CommandRun> AzureSandbox::run_command(std::string_view session_id,
                                                const RunRequest& request) const {
  constexpr Verb k_verb = Verb::run_command;
  const auto id = session_id_of(k_verb, session_id);
  if (!id) return Operation<CommandRun>(id.error());
  const Result<Deadline> deadline = deadline_of(request.deadline);
  if (!deadline) return Operation<CommandRun>(deadline.error());
  const auto command = Command::parse(request.command);
  if (!command) {
    return Operation<CommandRun>(refused_command(k_verb, command.error(), request.command));
  }
  const CallId call_id = draw_id(*config_);
  ExecBody body(*command, *deadline, ReportScheme::sealed(call_id));
  return Operation<CommandRun>(run_in_session(config_, *id, std::move(body), call_id, *deadline));
}

Operation<std::string> AzureSandbox::read_file(std::string_view session_id,
                                               std::string_view path) const {
  const auto id = session_id_of(Verb::read_file, session_id);
  if (!id) return Operation<std::string>(id.error());
  const auto checked = path_of(Verb::read_file, path);
  if (!checked) return Operation<std::string>(checked.error());
  return Operation<std::string>(read_one(*id, OwnedSandboxPath(*checked)));
}

Operation<void> AzureSandbox::mkdir(std::string_view session_id, std::string_view path) const {
  const auto id = session_id_of(Verb::mkdir, session_id);
  if (!id) return Operation<void>(id.error());
  const auto checked = path_of(Verb::mkdir, path);
  if (!checked) return Operation<void>(checked.error());
  return Operation<void>(make_directory(*id, MkdirBody{OwnedSandboxPath(*checked)}));
}

Operation<void> AzureSandbox::write_files(std::string_view session_id,
                                          std::span<const File> files) const {
  const auto id = session_id_of(Verb::write_files, session_id);
  if (!id) return Operation<void>(id.error());
  auto owned = files_of(files);
  if (!owned) return Operation<void>(owned.error());
  return Operation<void>(write_each(config_, *id, *std::move(owned)));
}

Operation<void> AzureSandbox::suspend(std::string_view session_id) const {
  const auto id = session_id_of(Verb::suspend, session_id);
  if (!id) return Operation<void>(id.error());
  return Operation<void>(suspend_session(*id));
}

Operation<void> AzureSandbox::resume(std::string_view session_id) const {
  const auto id = session_id_of(Verb::resume, session_id);
  if (!id) return Operation<void>(id.error());
  return Operation<void>(resume_session(config_, *id));
}

Operation<void> AzureSandbox::terminate(std::string_view session_id) const {
  const auto id = session_id_of(Verb::terminate, session_id);
  if (!id) return Operation<void>(id.error());
  return Operation<void>(terminate_session(config_, *id));
}

Operation<void> AzureSandbox::list() const {
  return Operation<void>(not_supported(
      Verb::list, "listing sandboxes is not the data plane's; reach a session by its id"));
}

Operation<void> AzureSandbox::preview(std::string_view, std::uint16_t) const {
  return Operation<void>(not_supported(
      Verb::preview, "the service has no credential for one port that ends by itself"));
}

Operation<void> AzureSandbox::snapshot(std::string_view) const {
  return Operation<void>(not_supported(Verb::snapshot, "nothing would own a snapshot once made"));
}

Operation<void> AzureSandbox::start_job(std::string_view, const RunRequest&) const {
  return Operation<void>(not_supported(Verb::start_job, k_no_job_host));
}

Operation<void> AzureSandbox::poll_job(std::string_view, std::string_view) const {
  return Operation<void>(not_supported(Verb::poll_job, k_no_job_host));
}

Operation<void> AzureSandbox::cancel_job(std::string_view, std::string_view) const {
  return Operation<void>(not_supported(Verb::cancel_job, k_no_job_host));
}

}  // namespace sandproof
