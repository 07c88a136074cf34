#include "sandproof/refusal.h"

#include <array>
#include <optional>

#include "bytes.h"
#include "sandproof/environment.h"

namespace sandproof {
namespace {

// In the order of Reason, so that a reason is its own index.
constexpr std::array<std::string_view, k_reason_count> k_codes{
    "empty",          "too_long",      "forbidden_byte", "trailing_slash",  "nul",
    "invalid_utf8",   "control_byte",  "empty_segment",  "parent_segment",  "segment_too_long",
    "duplicate_path", "leading_digit", "refused_family", "duplicate_name",  "not_digits",
    "function_value", "malformed",     "too_short",      "no_program",      "assignment_program",
    "empty_cwd",      "bad_length",    "empty_list",     "non_ascii",       "whitespace",
    "list",           "scheme",        "userinfo",       "ip_literal",      "path",
    "port",           "leading_dot",   "wildcard",       "empty_label",     "bad_label",
    "refused_domain", "unknown_state", "too_large",      "byte_order_mark", "not_json",
    "too_deep",       "duplicate_key", "key_case",       "wrong_type",      "out_of_range",
    "unknown_field",  "missing_field", "unknown_shape",
};

constexpr std::array<std::string_view, k_subject_count> k_names{
    "session id",        "path",    "variable name",   "variable value", "word",
    "working directory", "command", "deadline",        "call id",        "domain",
    "list of domains",   "state",   "configured text", "document",
};

// What is wrong with it, and what to do instead.
struct Advice {
  Subject subject;
  Reason reason;
  std::string_view wrong;
  std::string_view instead;
};

constexpr Advice k_advice[] = {
    Advice{Subject::session_id, Reason::empty, "is empty",
           "give 1 to 63 letters, digits, '-' or '_'"},
    Advice{Subject::session_id, Reason::too_long, "is longer than 63 bytes",
           "give 1 to 63 letters, digits, '-' or '_'"},
    Advice{Subject::session_id, Reason::forbidden_byte, "has a forbidden byte",
           "use only letters, digits, '-' and '_'"},

    Advice{Subject::path, Reason::trailing_slash, "ends with a slash",
           "name the file or directory itself"},
    Advice{Subject::path, Reason::empty, "is empty", "name a file or directory"},
    Advice{Subject::path, Reason::too_long, "is longer than 4095 bytes", "use a shorter path"},
    Advice{Subject::path, Reason::nul, "has a NUL byte", "remove it"},
    Advice{Subject::path, Reason::invalid_utf8, "is not UTF-8", "encode it as UTF-8"},
    Advice{Subject::path, Reason::control_byte, "has a control byte", "remove it"},
    Advice{Subject::path, Reason::empty_segment, "has an empty segment",
           "use single slashes between names"},
    Advice{Subject::path, Reason::parent_segment, "names a parent directory",
           "write the path without '..'"},
    Advice{Subject::path, Reason::segment_too_long, "has a segment longer than 255 bytes",
           "use shorter names"},
    Advice{Subject::path, Reason::duplicate_path, "names the same file as another",
           "give every file once"},

    Advice{Subject::env_name, Reason::empty, "is empty", "give the variable a name"},
    Advice{Subject::env_name, Reason::too_long, "is longer than 256 bytes", "use a shorter name"},
    Advice{Subject::env_name, Reason::leading_digit, "begins with a digit",
           "begin with a letter or '_'"},
    Advice{Subject::env_name, Reason::forbidden_byte, "has a forbidden byte",
           "use only letters, digits and '_'"},
    Advice{Subject::env_name, Reason::refused_family, "may not be set for a whole session",
           "declare it on the command instead"},
    Advice{Subject::env_name, Reason::duplicate_name, "stands in the list before",
           "give every name once"},
    Advice{Subject::env_value, Reason::nul, "has a NUL byte", "remove it"},
    Advice{Subject::env_value, Reason::invalid_utf8, "is not UTF-8",
           "encode it, for instance in base64"},
    Advice{Subject::env_value, Reason::too_long, "makes NAME=VALUE longer than 131071 bytes",
           "send it in a file"},
    Advice{Subject::env_value, Reason::not_digits, "is not a number of 1 to 5 digits",
           "give the number of columns or lines, or declare it on the command instead"},
    Advice{Subject::env_value, Reason::function_value,
           "begins with \"() {\", which old shells run as code",
           "begin it with another byte, or declare it on the command instead"},

    Advice{Subject::word, Reason::nul, "has a NUL byte", "remove it"},
    Advice{Subject::word, Reason::invalid_utf8, "is not UTF-8", "encode it as UTF-8"},
    Advice{Subject::word, Reason::assignment_program,
           "would be taken for a variable by env, and the next word run",
           "name the program without '=', for instance by a path through a link"},
    Advice{Subject::working_directory, Reason::nul, "has a NUL byte", "remove it"},
    Advice{Subject::working_directory, Reason::invalid_utf8, "is not UTF-8", "encode it as UTF-8"},
    Advice{Subject::working_directory, Reason::empty_cwd, "is empty",
           "name a directory, or leave it out"},
    Advice{Subject::working_directory, Reason::too_long, "is longer than 4095 bytes",
           "use a shorter path"},
    Advice{Subject::command, Reason::no_program, "names no program",
           "give the program as the first word"},
    Advice{Subject::command, Reason::too_long,
           "has words that are longer than 122879 bytes together once they are quoted",
           "send long words in a file"},
    Advice{Subject::call_id, Reason::bad_length, "is not 32 bytes long",
           "give 32 lower-case hex digits"},
    Advice{Subject::call_id, Reason::forbidden_byte, "has a forbidden byte",
           "give 32 lower-case hex digits"},

    Advice{Subject::deadline, Reason::empty, "is empty", "write a number and its unit, as in 1.5s"},
    Advice{Subject::deadline, Reason::malformed, "is not a whole number of milliseconds",
           "write a number and one of ms, s, m, h, as in 1.5s"},
    Advice{Subject::deadline, Reason::too_short, "is shorter than 1ms", "give 1ms to 24h"},
    Advice{Subject::deadline, Reason::too_long, "is longer than 24h", "give 1ms to 24h"},

    Advice{Subject::domain, Reason::empty, "is empty", "give a host name, or '*.' and one"},
    Advice{Subject::domain, Reason::non_ascii, "has a byte that is not ASCII", "use the xn-- form"},
    Advice{Subject::domain, Reason::whitespace, "has white space or a control byte", "remove it"},
    Advice{Subject::domain, Reason::list, "is a list", "give each domain by itself"},
    Advice{Subject::domain, Reason::scheme, "is a URL", "give the host name alone"},
    Advice{Subject::domain, Reason::userinfo, "has a user part", "give the host name alone"},
    Advice{Subject::domain, Reason::ip_literal, "is an IP address",
           "name the host; addresses cannot be declared"},
    Advice{Subject::domain, Reason::path, "has a path", "give the host name alone"},
    Advice{Subject::domain, Reason::port, "has a port", "give the host name alone"},
    Advice{Subject::domain, Reason::leading_dot, "begins with a dot",
           "write '*.' for every host below a domain"},
    Advice{Subject::domain, Reason::wildcard, "has a wildcard where none may stand",
           "use one leading '*.' with at least two labels after it"},
    Advice{Subject::domain, Reason::empty_label, "has an empty label",
           "use single dots between labels"},
    Advice{Subject::domain, Reason::too_long, "is longer than 253 bytes", "use a shorter name"},
    Advice{Subject::domain, Reason::bad_label, "has a label that is none",
           "use 1 to 63 letters, digits, '-' or '_', without '-' at either end"},
    Advice{Subject::domain, Reason::refused_domain, "is refused by a rule of this deployment",
           "ask for another domain"},
    Advice{Subject::egress, Reason::empty_list, "is empty",
           "say deny, or name at least one domain"},

    Advice{Subject::state, Reason::unknown_state, "is not a known state",
           "this service may have moved; update the library"},
    Advice{Subject::configuration, Reason::empty, "is empty", "give what the service expects"},
    Advice{Subject::configuration, Reason::too_long, "is longer than 1024 bytes", "shorten it"},
    Advice{Subject::configuration, Reason::invalid_utf8, "is not UTF-8", "encode it as UTF-8"},
    Advice{Subject::configuration, Reason::control_byte, "has a control byte", "remove it"},

    Advice{Subject::document, Reason::too_large, "is over the size limit", "send less"},
    Advice{Subject::document, Reason::byte_order_mark, "begins with a byte order mark",
           "remove it"},
    Advice{Subject::document, Reason::nul, "has a NUL byte", "remove it"},
    Advice{Subject::document, Reason::invalid_utf8, "is not UTF-8", "encode it as UTF-8"},
    Advice{Subject::document, Reason::not_json, "is not JSON", "send one JSON value"},
    Advice{Subject::document, Reason::too_deep, "is nested deeper than 32 levels",
           "send a flatter document"},
    Advice{Subject::document, Reason::duplicate_key, "has a key twice", "keep one of them"},
    Advice{Subject::document, Reason::key_case, "has a known key in another case",
           "write the key as documented"},
    Advice{Subject::document, Reason::wrong_type, "has a value of the wrong type",
           "give the documented type"},
    Advice{Subject::document, Reason::out_of_range, "has a number that does not fit",
           "give an integer of 32 bits"},
    Advice{Subject::document, Reason::unknown_field, "has a field inside a rule that is not known",
           "remove it, or update the library"},
    Advice{Subject::document, Reason::missing_field, "lacks a required field", "add it"},
    Advice{Subject::document, Reason::unknown_shape, "is neither a policy, nor a record, nor null",
           "send a policy (defaultAction, no id), a record (id, no defaultAction), or null"},
};

constexpr Advice advice(Subject subject, Reason reason) noexcept {
  for (const Advice& each : k_advice) {
    if (each.subject == subject && each.reason == reason) return each;
  }
  return {subject, reason, "is refused", "see the reason's name"};
}

constexpr std::string_view k_hex = "0123456789abcdef";

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (bytes::is_ascii(c) && !bytes::is_control(c)) {
    out += c;
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += k_hex[byte >> 4U];
  out += k_hex[byte & 0xfU];
}

void append_place(std::string& out, std::string_view what, std::size_t number) {
  if (number == k_no_place) return;
  out += what;
  out += std::to_string(number);
}

// shown_size is how much of the input may be shown: where a name was to stand, what is behind `=`
// is somebody's value.
std::size_t shown_size(const Refusal& refusal, std::string_view input) noexcept {
  const bool may_hold_value =
      refusal.subject == Subject::env_name || refusal.reason == Reason::assignment_program;
  const std::size_t equals = may_hold_value ? input.find('=') : input.npos;
  return equals == input.npos ? k_max_shown : std::min(k_max_shown, equals + 1);
}

}  // namespace

std::string_view code(Reason reason) noexcept { return k_codes[static_cast<std::size_t>(reason)]; }

std::string_view name(Subject subject) noexcept {
  return k_names[static_cast<std::size_t>(subject)];
}

std::string escaped(std::string_view bytes, std::size_t max_shown) {
  std::string out = "\"";
  for (const char c : bytes.substr(0, max_shown)) append_escaped(out, c);
  out += '"';
  if (bytes.size() > max_shown) {
    out += "... (" + std::to_string(bytes.size()) + " bytes)";
  }
  return out;
}

std::string explain(const Refusal& refusal, std::string_view input) {
  const Advice row = advice(refusal.subject, refusal.reason);
  std::string out(name(refusal.subject));
  out += ' ';
  // A value may be a secret, and a message goes to logs.
  if (refusal.subject != Subject::env_value) {
    out += escaped(input, shown_size(refusal, input));
    out += ' ';
  }
  out += row.wrong;
  append_place(out, " at byte ", refusal.offset);
  append_place(out, ", entry ", refusal.word);
  if (refusal.reason == Reason::refused_family) {
    const Family* family = find_family(FamilySet::strict, input);
    out += " (";
    if (family == nullptr) {
      out += "a rule of this deployment";
    } else {
      out += family->name;
      if (family->is_prefix) out += '*';
      out += ": ";
      out += family->why;
    }
    out += ')';
  }
  out += ": ";
  out += row.instead;
  return out;
}

std::string explain(const Unreadable& unreadable) {
  const Advice row = advice(Subject::document, unreadable.reason);
  std::string out(name(Subject::document));
  out += ' ';
  out += row.wrong;
  append_place(out, " at byte ", unreadable.offset);
  if (unreadable.offset == k_no_place) {
    out += " at ";
    out += unreadable.pointer.empty() ? "its root" : escaped(unreadable.pointer);
  }
  out += ": ";
  out += row.instead;
  return out;
}

}  // namespace sandproof
