// What the provider's tests share: a configuration whose randomness is known, records, answers to
// commands, and errors in a few words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/report_streams.h"
#include "sandproof/azure_sandbox.h"
#include "sandproof/wire.h"
#include "script.h"

namespace sandproof::props {

// ---- A provider. ----

// Whatever is drawn at random is this, so a report can be sealed for a call before it is made.
inline constexpr std::array<std::uint8_t, 16> k_drawn{0, 1, 2,  3,  4,  5,  6,  7,
                                                      8, 9, 10, 11, 12, 13, 14, 0xff};
inline const CallId k_id = CallId::from_random(k_drawn);

inline PlainText plain(std::string_view text) { return PlainText::parse(text).value(); }

inline AzureConfig config(DeclaredEgress egress = DeclaredEgress::deny()) {
  return {
      .disk_image = plain("ubuntu"),
      .cpu = plain("1000m"),
      .memory = plain("2048Mi"),
      .egress = std::move(egress),
      .random = [](std::span<std::uint8_t, 16> out) { std::ranges::copy(k_drawn, out.begin()); }};
}

inline AzureSandbox provider(DeclaredEgress egress = DeclaredEgress::deny()) {
  return AzureSandbox(config(std::move(egress)));
}

inline DeclaredEgress only_domain(std::string_view domain) {
  return DeclaredEgress::allow_domains(std::span(&domain, 1)).value();
}

inline constexpr std::array<std::string_view, 2> k_argv{"sleep", "forever"};

inline RunRequest command(milliseconds deadline = 30s) {
  return {.command = {.argv = k_argv, .variables = {}, .working_directory = {}},
          .deadline = deadline};
}

inline OwnedSessionId session_id(std::string_view text) {
  return OwnedSessionId(SessionId::parse(text).value());
}

// ---- Records. ----

inline EgressPolicy declared_policy(const DeclaredEgress& egress = DeclaredEgress::deny()) {
  return created_with(egress).value();
}

// open_policy lets everything out.
inline EgressPolicy open_policy() {
  EgressPolicy policy;
  policy.default_action = "Allow";
  policy.traffic_inspection = "Full";
  return policy;
}

// bare is a record without a policy.
inline SandboxRecord bare(std::string_view id, std::optional<std::string> state = "Running") {
  return {std::string(id), std::move(state), Absent{}, {}, {}};
}

// record carries a policy: the one that `deny` is created with, unless said.
inline SandboxRecord record(std::string_view id, std::string_view state,
                            EgressPolicy policy = declared_policy()) {
  return {std::string(id), std::string(state), std::move(policy), {}, {}};
}

inline SandboxRecord running(std::string_view id, EgressPolicy policy = declared_policy()) {
  return record(id, "Running", std::move(policy));
}

// id_of is the session that a GET asks for, so that a rule can answer about it.
inline std::string id_of(const Request& request) {
  return std::string(std::get<GetCall>(request).id.view());
}

// ---- What a transport says. ----

inline TransportError http(int status, std::string raw = "tenant detail") {
  return TransportError::http_status(status, std::move(raw));
}
inline TransportError gone() { return http(404, "SandboxNotFound"); }
inline TransportError down() { return TransportError::unavailable("connection reset"); }
inline Unreadable garbled() { return {Reason::not_json, {}, 7}; }

// ---- What a command's call gives. ----

inline const reference::Secrets k_secrets{"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                                          "e0e1e2e3e4e5e6e7e8e9eaebecedeeef"};

inline std::string announced() { return reference::announcement_line(k_id.view(), k_secrets); }

// exited is a command that ended by itself; killed is one that its deadline ended.
inline ExecResult exited(std::optional<std::int32_t> code, std::string_view out = {},
                         std::string_view err = {}) {
  return {
      std::string(out),
      announced() + std::string(err) + reference::final_line(k_id.view(), "exit", k_secrets.exit),
      code};
}
inline ExecResult killed(std::string_view out = {}, std::string_view err = {}) {
  return {std::string(out),
          announced() + std::string(err) +
              reference::final_line(k_id.view(), "deadline", k_secrets.deadline),
          137};
}

// ---- Errors in a few words. ----

// chain names each link, outermost first, by its failure or else by its code:
// "sandboxLeftBehind < SANDBOX_NOT_AS_DECLARED".
inline std::string chain(const Error& error) {
  std::string out(error.failure() ? name(*error.failure()) : code(error.code()));
  if (error.cause() != nullptr) out += " < " + chain(*error.cause());
  return out;
}

template <class T>
std::string outcome(const Result<T>& result) {
  return result ? "ok" : chain(result.error());
}

// refused is what an operation that never began says; nothing for one that has a request.
template <class T>
std::optional<Error> refused(Operation<T> operation) {
  EXPECT_EQ(operation.request(), nullptr);
  if (operation.request() != nullptr || operation.result() == nullptr) return {};
  if (operation.result()->has_value()) return {};
  return operation.result()->error();
}

// frames_of shows a command's output: "0 out:text, 1 err:text".
inline std::string frames_of(const CommandRun& run) {
  std::string all;
  for (const CommandRun::Frame& frame : run.frames) {
    const bool is_out = frame.stream == CommandRun::Stream::standard_output;
    all += (all.empty() ? "" : ", ") + std::to_string(frame.seq) + (is_out ? " out:" : " err:") +
           frame.data;
  }
  return all;
}

// end_of is a command's exit code, or why there is none.
inline std::string end_of(const CommandRun& run) {
  return run.end ? "exit " + std::to_string(*run.end) : chain(run.end.error());
}

}  // namespace sandproof::props
