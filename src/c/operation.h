// The objects of the provider, as the C interface holds them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sandproof/azure_sandbox.h"
#include "sandproof/error.h"
#include "sandproof/operation.h"
#include "sandproof/sandproof.h"
#include "translate.h"

namespace sandproof::c {

// AnyVerb is an operation of one of the kinds of result.
using AnyVerb = std::variant<Operation<Session>, Operation<std::optional<Session>>,
                             Operation<CommandRun>, Operation<std::string>, Operation<void>>;

// Surroundings is what the functions of an operation's configuration look at, so it stays where it
// is. An operation draws at most once, so one drawing is all that it is given.
struct Surroundings {
  explicit Surroundings(const sandproof_name_rule& its_rule) noexcept : rule(its_rule) {}
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() = default;

  sandproof_name_rule rule;
  ForeignRule foreign_rule{rule.refuses == nullptr ? nullptr : &rule};
  std::array<std::uint8_t, 16> random{};
  std::vector<Error> warnings;
};

// result_json writes a result as sandproof_operation_get_json says; the operation has ended.
[[nodiscard]] std::string result_json(AnyVerb& verb, const std::vector<Error>& warnings);

// error_of is why the operation, which has ended, did not do what it was asked; or nullptr.
[[nodiscard]] const Error* error_of(AnyVerb& verb);

}  // namespace sandproof::c

// NOLINTBEGIN(readability-identifier-naming): C names.
struct sandproof_provider {
  sandproof::AzureConfig config;  // without its functions, which belong to an operation
  sandproof_name_rule rule;       // refuses nothing where it has no function
};

// An operation is lost once a lack of memory has kept it from going on.
struct sandproof_operation {
  std::unique_ptr<sandproof::c::Surroundings> surroundings;
  sandproof::c::AnyVerb verb;
  std::optional<std::string> body = {};  // of the request that waits, once it has been asked for
  bool is_lost = false;
};
// NOLINTEND(readability-identifier-naming)
