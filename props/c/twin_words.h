// The requests and results of the provider, once from C and once from C++, in words that are equal
// where they are the same.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sandproof/azure_sandbox.h"
#include "sandproof/error.h"
#include "sandproof/sandproof.h"
#include "sandproof/wire.h"

namespace sandproof::props::c {

// ---- Requests. ----

inline std::string words_of(std::string_view call, std::int64_t bound, std::string_view id,
                            std::string_view path, std::string_view body) {
  std::string words(call);
  words += ' ' + std::to_string(bound);
  for (const std::string_view part : {id, path, body}) {
    words += " <" + std::string(part) + '>' + std::to_string(part.size());
  }
  return words;
}

inline std::string words_of(const sandproof_request& request) {
  static constexpr std::string_view k_calls[] = {"ended",  "wait",  "create", "get",
                                                 "delete", "stop",  "resume", "exec",
                                                 "read",   "write", "mkdir"};
  if (request.call == SANDPROOF_CALL_ENDED) return "ended";
  const auto view = [](sandproof_text text) { return std::string_view(text.data, text.size); };
  return words_of(k_calls[request.call], request.bound_milliseconds, view(request.session_id),
                  view(request.path), view(request.body));
}

struct WordsOf {
  std::int64_t bound;

  std::string operator()(const Wait&) const { return words_of("wait", bound, "", "", ""); }
  std::string operator()(const CreateCall& call) const {
    return words_of("create", bound, "", "", encode(call.body));
  }
  std::string operator()(const GetCall& call) const { return about("get", call); }
  std::string operator()(const DeleteCall& call) const { return about("delete", call); }
  std::string operator()(const StopCall& call) const { return about("stop", call); }
  std::string operator()(const ResumeCall& call) const { return about("resume", call); }
  std::string operator()(const ExecCall& call) const {
    return about("exec", call, "", encode(call.body));
  }
  std::string operator()(const ReadFileCall& call) const {
    return about("read", call, call.path.view());
  }
  std::string operator()(const WriteFileCall& call) const {
    return about("write", call, call.path.view(), call.content);
  }
  std::string operator()(const MkdirCall& call) const {
    return about("mkdir", call, "", encode(call.body));
  }

 private:
  template <class Call>
  std::string about(std::string_view name, const Call& call, std::string_view path = "",
                    std::string_view body = "") const {
    return words_of(name, bound, call.id.view(), path, body);
  }
};

inline std::string words_of(const Request& request) {
  return std::visit(WordsOf{bound_of(request).count()}, request);
}

// ---- Answers. ----

// read_body reads a body as a data plane in C++ does.
inline Answer read_body(const Request& request, const std::string& body) {
  const auto answer = [](auto decoded) -> Answer {
    if (!decoded) return std::unexpected(CallError(decoded.error()));
    return *decoded;
  };
  if (std::holds_alternative<CreateCall>(request) || std::holds_alternative<GetCall>(request)) {
    return answer(decode_record(body));
  }
  if (std::holds_alternative<ExecCall>(request)) return answer(decode_exec_result(body));
  if (std::holds_alternative<ReadFileCall>(request)) return FileContent{body};
  return Accepted{};
}

inline TransportError transport_error(sandproof_transport_kind kind,
                                      std::optional<std::int32_t> status, bool is_delayed,
                                      const std::string& raw) {
  using Propagation = TransportError::Propagation;
  if (kind == SANDPROOF_TRANSPORT_NOT_FOUND) return TransportError::not_found(raw);
  if (kind == SANDPROOF_TRANSPORT_ACCESS_DENIED) return TransportError::access_denied(raw);
  if (kind == SANDPROOF_TRANSPORT_INVALID_INPUT) return TransportError::invalid_input(raw);
  if (kind == SANDPROOF_TRANSPORT_CONFLICT) {
    return TransportError::conflict(status,
                                    is_delayed ? Propagation::delayed : Propagation::unmarked, raw);
  }
  if (kind == SANDPROOF_TRANSPORT_HTTP_STATUS) return TransportError::http_status(*status, raw);
  if (kind == SANDPROOF_TRANSPORT_TIMED_OUT) return TransportError::timed_out(raw);
  return TransportError::unavailable(raw);
}

// ---- Results. ----

// Words names each member of a result that has something.
struct Words {
  std::string all;
  void add(std::string_view name, std::string_view value) {
    if (!value.empty()) all += std::string(name) + '=' + std::string(value) + ';';
  }
  void add(std::string_view name, std::int64_t value) { add(name, std::to_string(value)); }
};

inline std::string words_of(const sandproof_result& result) {
  static constexpr std::string_view k_errors[] = {"",
                                                  "INVALID_INPUT",
                                                  "OPERATION_NOT_SUPPORTED",
                                                  "SANDBOX_COMMAND_FAILED",
                                                  "SANDBOX_OUTCOME_UNKNOWN",
                                                  "SANDBOX_UNREACHABLE",
                                                  "SANDBOX_NOT_AS_DECLARED",
                                                  "UNEXPECTED_RESPONSE_FORMAT"};
  static constexpr std::string_view k_failures[] = {"",
                                                    "dataPlaneRefused",
                                                    "sessionGone",
                                                    "sessionTerminated",
                                                    "sessionNotReady",
                                                    "sessionSuspended",
                                                    "commandNotBounded",
                                                    "deadlineExceeded",
                                                    "sandboxLeftAwake",
                                                    "sandboxLeftBehind"};
  const auto view = [](sandproof_text text) { return std::string_view(text.data, text.size); };
  Words words;
  words.add("error", k_errors[result.error]);
  words.add("failure", k_failures[result.failure]);
  words.add("session", view(result.session_id));
  words.add("attempt", view(result.attempt));
  if (result.has_session != 0) {
    words.add("state", result.state);
    words.add("generation", result.generation);
  }
  if (result.has_exit_code != 0) words.add("exit", result.exit_code);
  words.add("output", view(result.standard_output));
  words.add("errors", view(result.standard_error));
  words.add("preamble", view(result.preamble));
  words.add("content", view(result.content));
  return words.all;
}

using Json = nlohmann::ordered_json;

inline Json link_json(const Error& error) {
  Json json;
  json["code"] = code(error.code());
  if (error.failure()) json["failure"] = name(*error.failure());
  json["verb"] = name(error.verb());
  json["why"] = error.why();
  if (error.session()) json["session"] = error.session()->view();
  if (error.attempt()) json["attempt"] = error.attempt()->view();
  if (const auto* const refused = std::get_if<RefusedInput>(&error.evidence())) {
    Json& member = json["refused"] = {{"field", refused->field},
                                      {"subject", name(refused->refusal.subject)},
                                      {"reason", code(refused->refusal.reason)}};
    if (refused->refusal.offset != k_no_place) member["offset"] = refused->refusal.offset;
    if (refused->refusal.word != k_no_place) member["word"] = refused->refusal.word;
  }
  if (const auto* const transport = std::get_if<TransportError>(&error.evidence())) {
    json["transport"] = {{"kind", name(transport->kind())}};
    if (transport->status()) json["transport"]["status"] = *transport->status();
  }
  if (const auto* const unreadable = std::get_if<Unreadable>(&error.evidence())) {
    json["unreadable"] = {{"reason", code(unreadable->reason)}, {"pointer", unreadable->pointer}};
    if (unreadable->offset != k_no_place) json["unreadable"]["offset"] = unreadable->offset;
  }
  if (const auto* const judged = std::get_if<NotDeclared>(&error.evidence())) {
    json["verdict"] = name(judged->verdict);
    json["findings"] = Json::array();
    for (const Finding& finding : judged->findings) {
      Json each = {{"kind", name(finding.kind)},
                   {"effect", name(finding.effect)},
                   {"pointer", finding.pointer},
                   {"detail", finding.detail}};
      if (!finding.witness.empty()) each["witness"] = finding.witness;
      json["findings"].push_back(each);
    }
  }
  if (error.cause() != nullptr) json["cause"] = link_json(*error.cause());
  return json;
}

inline Json error_json(const Error& error) {
  Json json = link_json(error);
  json["retryable"] = error.is_retryable();
  json["external"] = error.visibility() == Visibility::external;
  json["message"] = error.external();
  json["text"] = error.text();
  return json;
}

// Ended is what an operation of C++ ended with, as C must say it.
template <class T>
class Ended {
 public:
  explicit Ended(const Result<T>& result) : result_(result) {
    if (!result) error_ = &result.error();
    if constexpr (std::is_same_v<T, CommandRun>) {
      if (result && !result->end) error_ = &result->end.error();
    }
  }

  [[nodiscard]] std::string words() const {
    Words words;
    if (error_ != nullptr) {
      words.add("error", code(error_->code()));
      if (error_->failure()) words.add("failure", name(*error_->failure()));
      if (error_->session()) words.add("session", error_->session()->view());
      if (error_->attempt()) words.add("attempt", error_->attempt()->view());
    }
    if constexpr (std::is_same_v<T, CommandRun>) {
      if (result_) {
        if (result_->end) words.add("exit", *result_->end);
        for (const auto& frame : result_->frames) {
          words.add(is_output(frame) ? "output" : "errors", frame.data);
        }
        words.add("preamble", result_->preamble);
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (result_) words.add("content", *result_);
    } else if constexpr (!std::is_void_v<T>) {
      if (const Session* const session = its_session()) {
        words.add("session", session->id.view());
        words.add("state", static_cast<std::int64_t>(session->state));
        words.add("generation", session->generation);
      }
    }
    return words.all;
  }

  [[nodiscard]] std::string json(const std::vector<Error>& warnings) const {
    Json json = Json::object();
    if constexpr (std::is_same_v<T, CommandRun>) {
      if (result_) {
        Json frames = Json::array();
        for (const auto& frame : result_->frames) {
          frames.push_back({{"stream", is_output(frame) ? "standard_output" : "standard_error"},
                            {"seq", frame.seq},
                            {"data", frame.data}});
        }
        json["run"] = {{"frames", frames}, {"preamble", result_->preamble}};
        if (result_->end) json["run"]["exitCode"] = *result_->end;
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (result_) json["size"] = result_->size();
    } else if constexpr (!std::is_void_v<T>) {
      const Session* const session = its_session();
      if (session != nullptr) {
        json["session"] = {{"id", session->id.view()},
                           {"state", name(session->state)},
                           {"generation", session->generation}};
      } else if (result_) {
        json["session"] = nullptr;
      }
    }
    if (error_ != nullptr) json["error"] = error_json(*error_);
    for (const Error& warning : warnings) json["warnings"].push_back(error_json(warning));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  [[nodiscard]] std::string sentence() const { return error_ == nullptr ? "" : error_->external(); }

 private:
  static bool is_output(const CommandRun::Frame& frame) {
    return frame.stream == CommandRun::Stream::standard_output;
  }

  [[nodiscard]] const Session* its_session() const {
    if (!result_) return nullptr;
    if constexpr (std::is_same_v<T, std::optional<Session>>) {
      return *result_ ? &**result_ : nullptr;
    } else {
      return &*result_;
    }
  }

  const Result<T>& result_;
  const Error* error_ = nullptr;
};

}  // namespace sandproof::props::c
