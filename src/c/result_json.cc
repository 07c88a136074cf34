// The C interface: what an operation ended with, as JSON. Every name is the library's own.
#include <string>
#include <type_traits>

#include "core/json_text.h"
#include "operation.h"

namespace sandproof::c {
namespace {

using json_text::ObjectWriter;

template <class T>
void add_number(ObjectWriter& out, std::string_view key, T value) {
  out.raw(key, std::to_string(value));
}

void add_flag(ObjectWriter& out, std::string_view key, bool value) {
  out.raw(key, value ? "true" : "false");
}

// A place that there is not is left out.
void add_place(ObjectWriter& out, std::string_view key, std::size_t place) {
  if (place != k_no_place) add_number(out, key, place);
}

// ---- Errors. ----

void append_finding(std::string& text, const Finding& finding) {
  ObjectWriter out(text);
  out.text("kind", name(finding.kind));
  out.text("effect", name(finding.effect));
  out.text("pointer", finding.pointer);
  out.text("detail", finding.detail);
  if (!finding.witness.empty()) out.text("witness", finding.witness);
}

// AddEvidence writes what an error rests on, where it has a form of its own. Foreign text is in the
// error's whole text alone, escaped.
struct AddEvidence {
  ObjectWriter& out;

  void operator()(std::monostate) const {}
  void operator()(const Foreign&) const {}
  void operator()(const RefusedInput& refused) const {
    ObjectWriter member(out.member("refused"));
    member.text("field", refused.field);
    member.text("subject", name(refused.refusal.subject));
    member.text("reason", code(refused.refusal.reason));
    add_place(member, "offset", refused.refusal.offset);
    add_place(member, "word", refused.refusal.word);
  }
  void operator()(const TransportError& error) const {
    ObjectWriter member(out.member("transport"));
    member.text("kind", name(error.kind()));
    if (error.status()) add_number(member, "status", *error.status());
  }
  void operator()(const Unreadable& unreadable) const {
    ObjectWriter member(out.member("unreadable"));
    member.text("reason", code(unreadable.reason));
    member.text("pointer", unreadable.pointer);
    add_place(member, "offset", unreadable.offset);
  }
  void operator()(const NotDeclared& judged) const {
    out.text("verdict", name(judged.verdict));
    json_text::append_list(out.member("findings"), judged.findings, append_finding);
  }
};

void add_link(ObjectWriter& out, const Error& error) {
  out.text("code", code(error.code()));
  if (error.failure()) out.text("failure", name(*error.failure()));
  out.text("verb", name(error.verb()));
  out.text("why", error.why());
  if (error.session()) out.text("session", error.session()->view());
  if (error.attempt()) out.text("attempt", error.attempt()->view());
  std::visit(AddEvidence{out}, error.evidence());
  if (const Error* const cause = error.cause()) {
    ObjectWriter member(out.member("cause"));
    add_link(member, *cause);
  }
}

void append_error(std::string& text, const Error& error) {
  ObjectWriter out(text);
  add_link(out, error);
  add_flag(out, "retryable", error.is_retryable());
  add_flag(out, "external", error.visibility() == Visibility::external);
  out.text("message", error.external());
  out.text("text", error.text());
}

// ---- Values. ----

std::string_view name(CommandRun::Stream stream) noexcept {
  return stream == CommandRun::Stream::standard_output ? "standard_output" : "standard_error";
}

void append_frame(std::string& text, const CommandRun::Frame& frame) {
  ObjectWriter out(text);
  out.text("stream", name(frame.stream));
  add_number(out, "seq", frame.seq);
  out.text("data", frame.data);
}

// AddValue writes the member that a value has.
struct AddValue {
  ObjectWriter& out;

  void operator()(const Session& session) const {
    ObjectWriter member(out.member("session"));
    member.text("id", session.id.view());
    member.text("state", name(session.state));
    add_number(member, "generation", session.generation);
  }
  void operator()(const std::optional<Session>& session) const {
    if (session) {
      (*this)(*session);
    } else {
      out.raw("session", "null");
    }
  }
  void operator()(const CommandRun& run) const {
    ObjectWriter member(out.member("run"));
    json_text::append_list(member.member("frames"), run.frames, append_frame);
    member.text("preamble", run.preamble);
    if (run.end) add_number(member, "exitCode", *run.end);
  }
  void operator()(const std::string& content) const { add_number(out, "size", content.size()); }
};

}  // namespace

const Error* error_of(AnyVerb& verb) {
  return std::visit(
      []<class T>(Operation<T>& operation) -> const Error* {
        const Result<T>& result = *operation.result();
        if (!result) return &result.error();
        if constexpr (std::is_same_v<T, CommandRun>) {
          if (!result->end) return &result->end.error();
        }
        return nullptr;
      },
      verb);
}

std::string result_json(AnyVerb& verb, const std::vector<Error>& warnings) {
  std::string text;
  {
    ObjectWriter out(text);
    std::visit(
        [&out]<class T>(Operation<T>& operation) {
          if constexpr (!std::is_void_v<T>) {
            if (const Result<T>& result = *operation.result()) AddValue{out}(*result);
          }
        },
        verb);
    if (const Error* const error = error_of(verb)) append_error(out.member("error"), *error);
    if (!warnings.empty()) {
      json_text::append_list(out.member("warnings"), warnings, append_error);
    }
  }
  return text;
}

}  // namespace sandproof::c
