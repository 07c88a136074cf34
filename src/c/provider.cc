// The C interface: a provider, and what may be asked of it.
#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "command_input.h"
#include "objects.h"
#include "operation.h"

using namespace sandproof;
using namespace sandproof::c;

namespace {

bool is_usable_config(const sandproof_provider_config* config) noexcept {
  return config != nullptr && are_usable(config->disk_image, config->cpu, config->memory) &&
         (config->disk == nullptr || is_usable(*config->disk)) &&
         are_usable(config->egress, List{config->tolerances, config->tolerance_count},
                    config->also) &&
         to_enum<Acceptance>(config->acceptance, k_acceptance_count) &&
         to_enum<FamilySet>(config->families, k_family_set_count);
}

std::vector<File> files_of(List<sandproof_file> list) {
  return each_of(
      list, [](const sandproof_file& file) { return File{view(file.path), view(file.content)}; });
}

// configured gives the operation's own configuration: it draws and warns into its surroundings.
AzureConfig configured(const sandproof_provider& provider, Surroundings& surroundings) {
  AzureConfig config = provider.config;
  config.session_rules.also = surroundings.foreign_rule.get();
  config.random = [&surroundings](std::span<std::uint8_t, 16> out) {
    std::ranges::copy(surroundings.random, out.begin());
  };
  config.warn = [&surroundings](const Error& error) { surroundings.warnings.push_back(error); };
  return config;
}

// start makes an operation by `verb`, which is given the provider that it belongs to.
template <class Verb>
sandproof_status start(const sandproof_provider* provider, const std::uint8_t* random,
                       sandproof_operation** operation, Verb verb) noexcept {
  return guarded([&] {
    auto surroundings = std::make_unique<Surroundings>(provider->rule);
    if (random != nullptr) {
      std::copy_n(random, surroundings->random.size(), surroundings->random.begin());
    }
    const AzureSandbox sandbox(configured(*provider, *surroundings));
    return give_new(sandproof_operation{std::move(surroundings), verb(sandbox)}, *operation);
  });
}

// start_in starts a verb that takes a session and nothing else.
template <class T>
sandproof_status start_in(const sandproof_provider* provider, sandproof_text session_id,
                          sandproof_operation** operation,
                          Operation<T> (AzureSandbox::*verb)(std::string_view) const) noexcept {
  if (!are_usable(provider, session_id, operation)) return SANDPROOF_BAD_CALL;
  return start(provider, nullptr, operation,
               [&](const AzureSandbox& sandbox) { return (sandbox.*verb)(view(session_id)); });
}

// start_at starts a verb that takes a path, too.
template <class T>
sandproof_status start_at(const sandproof_provider* provider, sandproof_text session_id,
                          sandproof_text path, sandproof_operation** operation,
                          Operation<T> (AzureSandbox::*verb)(std::string_view, std::string_view)
                              const) noexcept {
  if (!are_usable(provider, session_id, path, operation)) return SANDPROOF_BAD_CALL;
  return start(provider, nullptr, operation, [&](const AzureSandbox& sandbox) {
    return (sandbox.*verb)(view(session_id), view(path));
  });
}

}  // namespace

sandproof_status sandproof_provider_new(const sandproof_provider_config* config,
                                        sandproof_provider** provider,
                                        sandproof_refusal* refusal) noexcept {
  if (!is_usable_config(config) || !are_usable(provider, refusal)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const sandproof_text* const texts[] = {&config->disk_image, &config->cpu, &config->memory,
                                           config->disk};
    std::vector<PlainText> parsed;
    for (std::size_t i = 0; i < std::size(texts) && texts[i] != nullptr; ++i) {
      auto text = PlainText::parse(view(*texts[i]));
      if (!text) {
        Refusal refused = text.error();
        refused.word = i;
        return refuse(refused, *refusal);
      }
      parsed.push_back(*std::move(text));
    }
    AzureConfig made{
        .disk_image = parsed[0],
        .cpu = parsed[1],
        .memory = parsed[2],
        .egress = config->egress->declared,
        .acceptance = *to_enum<Acceptance>(config->acceptance, k_acceptance_count),
        .tolerances = tolerances_of({config->tolerances, config->tolerance_count}),
        .session_rules = {*to_enum<FamilySet>(config->families, k_family_set_count), nullptr},
        .random = {}};
    if (config->disk != nullptr) made.disk = parsed[3];
    if (config->idle_suspend_seconds != nullptr) {
      made.idle_suspend_seconds = *config->idle_suspend_seconds;
    }
    const auto rule = config->also == nullptr ? sandproof_name_rule{} : *config->also;
    return give_new(sandproof_provider{std::move(made), rule}, *provider);
  });
}

void sandproof_provider_free(sandproof_provider* provider) noexcept { delete provider; }

sandproof_status sandproof_start_create(const sandproof_provider* provider,
                                        const sandproof_env_entry* variables, std::size_t count,
                                        const std::uint8_t* random,
                                        sandproof_operation** operation) noexcept {
  const List list{variables, count};
  if (!are_usable(provider, list, random, operation)) return SANDPROOF_BAD_CALL;
  return start(provider, random, operation, [&](const AzureSandbox& sandbox) {
    return sandbox.create({.environment = entries(list), .tenant_key = {}});
  });
}

sandproof_status sandproof_start_get(const sandproof_provider* provider, sandproof_text session_id,
                                     sandproof_operation** operation) noexcept {
  return start_in(provider, session_id, operation, &AzureSandbox::get);
}

sandproof_status sandproof_start_get_or_create(const sandproof_provider* provider,
                                               const sandproof_text* session_id,
                                               const sandproof_env_entry* variables,
                                               std::size_t count, const std::uint8_t* random,
                                               sandproof_operation** operation) noexcept {
  const List list{variables, count};
  if (!are_usable(provider, list, random, operation)) return SANDPROOF_BAD_CALL;
  if (session_id != nullptr && !is_usable(*session_id)) return SANDPROOF_BAD_CALL;
  return start(provider, random, operation, [&](const AzureSandbox& sandbox) {
    std::optional<std::string_view> named;
    if (session_id != nullptr) named = view(*session_id);
    return sandbox.get_or_create(named, {.environment = entries(list), .tenant_key = {}});
  });
}

sandproof_status sandproof_start_run_command(const sandproof_provider* provider,
                                             sandproof_text session_id,
                                             const sandproof_command* command,
                                             std::int64_t deadline_milliseconds,
                                             const std::uint8_t* random,
                                             sandproof_operation** operation) noexcept {
  if (!are_usable(provider, session_id, command, random, operation)) return SANDPROOF_BAD_CALL;
  return start(provider, random, operation, [&](const AzureSandbox& sandbox) {
    const CommandInput input(*command);
    return sandbox.run_command(view(session_id),
                               {input.request(), std::chrono::milliseconds(deadline_milliseconds)});
  });
}

sandproof_status sandproof_start_read_file(const sandproof_provider* provider,
                                           sandproof_text session_id, sandproof_text path,
                                           sandproof_operation** operation) noexcept {
  return start_at(provider, session_id, path, operation, &AzureSandbox::read_file);
}

sandproof_status sandproof_start_mkdir(const sandproof_provider* provider,
                                       sandproof_text session_id, sandproof_text path,
                                       sandproof_operation** operation) noexcept {
  return start_at(provider, session_id, path, operation, &AzureSandbox::mkdir);
}

sandproof_status sandproof_start_write_files(const sandproof_provider* provider,
                                             sandproof_text session_id, const sandproof_file* files,
                                             std::size_t count,
                                             sandproof_operation** operation) noexcept {
  const List list{files, count};
  if (!are_usable(provider, session_id, list, operation)) return SANDPROOF_BAD_CALL;
  return start(provider, nullptr, operation, [&](const AzureSandbox& sandbox) {
    return sandbox.write_files(view(session_id), files_of(list));
  });
}

sandproof_status sandproof_start_suspend(const sandproof_provider* provider,
                                         sandproof_text session_id,
                                         sandproof_operation** operation) noexcept {
  return start_in(provider, session_id, operation, &AzureSandbox::suspend);
}

sandproof_status sandproof_start_resume(const sandproof_provider* provider,
                                        sandproof_text session_id,
                                        sandproof_operation** operation) noexcept {
  return start_in(provider, session_id, operation, &AzureSandbox::resume);
}

sandproof_status sandproof_start_terminate(const sandproof_provider* provider,
                                           sandproof_text session_id,
                                           sandproof_operation** operation) noexcept {
  return start_in(provider, session_id, operation, &AzureSandbox::terminate);
}
