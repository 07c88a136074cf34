#include "sandproof/error.h"

#include <algorithm>
#include <array>
#include <span>

namespace sandproof {
namespace {

using Kind = TransportError::Kind;

constexpr std::size_t k_max_shown_findings = 16;

constexpr int k_not_found_status = 404;
constexpr int k_request_timeout_status = 408;

// A time-out's outcome is unknown, whoever reports it.
constexpr bool is_refusal_status(std::optional<int> status) noexcept {
  return status && *status >= 400 && *status < 500 && *status != k_request_timeout_status;
}

// Each table is in the order of its enumeration, so that a value is its own index.
constexpr std::array<std::string_view, k_verb_count> k_verbs{
    "sandbox.create",     "sandbox.get",      "sandbox.getOrCreate", "sandbox.list",
    "sandbox.runCommand", "sandbox.readFile", "sandbox.writeFiles",  "sandbox.mkdir",
    "sandbox.preview",    "sandbox.suspend",  "sandbox.resume",      "sandbox.snapshot",
    "sandbox.jobStart",   "sandbox.jobPoll",  "sandbox.jobCancel",   "sandbox.terminate",
};

constexpr std::array<std::string_view, k_error_code_count> k_codes{
    "INVALID_INPUT",
    "OPERATION_NOT_SUPPORTED",
    "SANDBOX_COMMAND_FAILED",
    "SANDBOX_OUTCOME_UNKNOWN",
    "SANDBOX_UNREACHABLE",
    "SANDBOX_NOT_AS_DECLARED",
    "UNEXPECTED_RESPONSE_FORMAT",
};

constexpr std::array<std::string_view, k_failure_count> k_failures{
    "dataPlaneRefused", "sessionGone",      "sessionTerminated",
    "sessionNotReady",  "sessionSuspended", "commandNotBounded",
    "deadlineExceeded", "sandboxLeftAwake", "sandboxLeftBehind",
};

constexpr std::array<std::string_view, 7> k_kinds{
    "not_found",   "access_denied", "invalid_input", "conflict",
    "http_status", "timed_out",     "unavailable",
};

// A refusal that the transport knows by its type may be told to anybody; a response, and the state
// of the network, may not.
Visibility visibility_of(const TransportError& error) noexcept {
  const bool is_typed = error.kind() != Kind::http_status;
  return is_typed && error.is_refusal() ? Visibility::external : Visibility::internal;
}

struct VisibilityOf {
  Visibility operator()(const TransportError& error) const noexcept { return visibility_of(error); }
  Visibility operator()(const Unreadable&) const noexcept { return Visibility::internal; }
  Visibility operator()(const Foreign&) const noexcept { return Visibility::internal; }
  Visibility operator()(const NotDeclared&) const noexcept { return Visibility::external; }
  Visibility operator()(const RefusedInput&) const noexcept { return Visibility::external; }
  Visibility operator()(std::monostate) const noexcept { return Visibility::external; }
};

// Evidence as the log shows it.
struct Shown {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const RefusedInput&) const { return {}; }  // external() shows it already
  std::string operator()(const TransportError& error) const {
    std::string out(name(error.kind()));
    if (error.status()) out += ' ' + std::to_string(*error.status());
    if (!error.raw().empty()) out += ' ' + escaped(error.raw());
    return out;
  }
  std::string operator()(const Unreadable& unreadable) const { return explain(unreadable); }
  std::string operator()(const Foreign& foreign) const { return escaped(foreign.text); }
  std::string operator()(const NotDeclared& judged) const {
    std::string out = "it is running " + judged.running;
    for (const Finding& finding :
         std::span(judged.findings).first(std::min(judged.findings.size(), k_max_shown_findings))) {
      out += "; " + std::string(name(finding.kind)) + " at " + escaped(finding.pointer) + ": " +
             finding.detail;
    }
    if (judged.findings.size() > k_max_shown_findings) {
      out += "; and " + std::to_string(judged.findings.size() - k_max_shown_findings) + " more";
    }
    return out;
  }
};

}  // namespace

TransportError TransportError::not_found(std::string raw) {
  return {Kind::not_found, std::move(raw)};
}
TransportError TransportError::access_denied(std::string raw) {
  return {Kind::access_denied, std::move(raw)};
}
TransportError TransportError::invalid_input(std::string raw) {
  return {Kind::invalid_input, std::move(raw)};
}
TransportError TransportError::conflict(std::optional<int> status, Propagation propagation,
                                        std::string raw) {
  TransportError error(Kind::conflict, std::move(raw));
  error.status_ = status;
  error.propagation_ = propagation;
  return error;
}
TransportError TransportError::http_status(int status, std::string raw) {
  TransportError error(Kind::http_status, std::move(raw));
  error.status_ = status;
  return error;
}
TransportError TransportError::timed_out(std::string raw) {
  return {Kind::timed_out, std::move(raw)};
}
TransportError TransportError::unavailable(std::string raw) {
  return {Kind::unavailable, std::move(raw)};
}

bool TransportError::is_not_found() const noexcept {
  return kind_ == Kind::not_found || (kind_ == Kind::http_status && status_ == k_not_found_status);
}

bool TransportError::is_refusal() const noexcept {
  switch (kind_) {
    case Kind::not_found:
    case Kind::access_denied:
    case Kind::invalid_input:
      return true;
    case Kind::http_status:
      return is_refusal_status(status_);
    case Kind::conflict:
      return propagation_ == Propagation::unmarked && is_refusal_status(status_);
    case Kind::timed_out:
    case Kind::unavailable:
      break;
  }
  return false;
}

std::string_view name(TransportError::Kind kind) noexcept {
  return k_kinds[static_cast<std::size_t>(kind)];
}
std::string_view name(Verb verb) noexcept { return k_verbs[static_cast<std::size_t>(verb)]; }
std::string_view code(ErrorCode code) noexcept { return k_codes[static_cast<std::size_t>(code)]; }
std::string_view name(Failure failure) noexcept {
  return k_failures[static_cast<std::size_t>(failure)];
}

struct Error::Link {
  Parts parts;
  std::optional<Error> cause;
  Visibility visibility;

  // line is what anybody may see of this link.
  [[nodiscard]] std::string line() const {
    std::string out(sandproof::code(parts.code));
    if (parts.failure) out += " (" + std::string(name(*parts.failure)) + ')';
    out += " in " + std::string(name(parts.verb)) + ": ";
    out += parts.why.view();
    if (const auto* refused = std::get_if<RefusedInput>(&parts.evidence)) {
      out += " (" + std::string(refused->field) + "): " + refused->sentence;
    }
    if (parts.session) out += "; session " + escaped(parts.session->view());
    if (parts.attempt) out += "; attempt " + escaped(parts.attempt->view());
    return out;
  }
};

Error::Error(Parts parts) {
  const Visibility visibility = std::visit(VisibilityOf{}, parts.evidence);
  link_ = std::make_shared<const Link>(std::move(parts), std::nullopt, visibility);
}

Error::Error(Parts parts, Error cause) {
  const Visibility visibility = cause.visibility();
  link_ = std::make_shared<const Link>(std::move(parts), std::move(cause), visibility);
}

ErrorCode Error::code() const noexcept { return link_->parts.code; }
Verb Error::verb() const noexcept { return link_->parts.verb; }
std::string_view Error::why() const noexcept { return link_->parts.why.view(); }
std::optional<Failure> Error::failure() const noexcept { return link_->parts.failure; }
const std::optional<OwnedSessionId>& Error::session() const noexcept {
  return link_->parts.session;
}
const std::optional<CallId>& Error::attempt() const noexcept { return link_->parts.attempt; }
const Evidence& Error::evidence() const noexcept { return link_->parts.evidence; }
const Error* Error::cause() const noexcept { return link_->cause ? &*link_->cause : nullptr; }
Visibility Error::visibility() const noexcept { return link_->visibility; }

Error Error::labelled(const CallId& attempt) const {
  Link link = *link_;
  link.parts.attempt = attempt;
  Error labelled = *this;
  labelled.link_ = std::make_shared<const Link>(std::move(link));
  return labelled;
}

std::string Error::external() const {
  std::string out = link_->line();
  for (const Error* error = cause(); error != nullptr; error = error->cause()) {
    if (error->visibility() == Visibility::internal) return out + "; the cause is internal";
    out += "; because of " + error->link_->line();
  }
  return out;
}

std::string Error::text() const {
  std::string out;
  for (const Error* error = this; error != nullptr; error = error->cause()) {
    if (!out.empty()) out += "; because of ";
    out += error->link_->line();
    const std::string shown = std::visit(Shown{}, error->evidence());
    if (!shown.empty()) out += ": " + shown;
  }
  return out;
}

}  // namespace sandproof
