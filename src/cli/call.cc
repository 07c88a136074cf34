#include "call.h"

#include <sodium/core.h>
#include <sodium/randombytes.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "sandproof/refusal.h"
#include "streams.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_no_random =
    "no randomness to draw a call id from: give this system /dev/urandom";

// libsodium asks for an abort where it finds no randomness at all.
void no_random() {
  Output(STDERR_FILENO).write(std::string(k_tool_name) + ": " + std::string(k_no_random) + '\n');
  _exit(k_exit_unreadable);
}

std::expected<CallInput, Malformed> read(const std::optional<std::string>& scheme,
                                         std::optional<std::string> id) {
  if (scheme && std::ranges::find(k_scheme_names, *scheme) == k_scheme_names.end()) {
    return std::unexpected(
        Malformed{code(Reason::malformed),
                  "scheme " + escaped(*scheme) + " is not known: use sealed or nonce"});
  }
  const bool is_sealed = scheme != name(SchemeName::nonce);
  if (!is_sealed && id) {
    return std::unexpected(Malformed{code(Reason::unknown_field),
                                     "a call id goes with the scheme sealed only: leave it out"});
  }
  return CallInput{is_sealed, std::move(id)};
}

}  // namespace

std::expected<CallInput, Complaint> read_call(const Arguments& arguments) {
  const auto text = [&arguments](std::string_view name) -> std::optional<std::string> {
    const auto value = arguments.value(name);
    return value ? std::optional<std::string>(*value) : std::nullopt;
  };
  auto call = read(text(k_scheme), text(k_call_id));
  if (call) return *std::move(call);
  return complain(std::move(call).error().message);
}

std::expected<CallInput, Malformed> read_call(const Members& members) {
  const auto scheme = members.string("scheme");
  if (!scheme) return std::unexpected(scheme.error());
  auto id = members.string("call_id");
  if (!id) return std::unexpected(std::move(id).error());
  return read(*scheme, *std::move(id));
}

std::expected<CallId, Refused> judge_call_id(const std::string& text) {
  const auto id = CallId::parse(text);
  if (!id) return std::unexpected(Refused{id.error(), text});
  return *id;
}

std::optional<Complaint> prepare_random() {
  if (sodium_set_misuse_handler(no_random) != 0 || sodium_init() < 0) {
    return Complaint{std::string(k_no_random), false};
  }
  return std::nullopt;
}

CallId draw_call_id() {
  std::array<std::uint8_t, k_call_id_size / 2> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return CallId::from_random(bytes);
}

}  // namespace sandproof::cli
