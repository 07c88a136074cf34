// The service's JSON: strict reading into records, canonical writing of records and bodies.
//
// Reading refuses, with a reason and a JSON pointer or a byte offset: over the size limit
// (`too_large`), a byte order mark, a raw `nul`, `invalid_utf8` (all before parsing); `not_json`
// (trailing bytes, comments, NaN, lone surrogates and numbers beyond a double included); more than
// 32 levels (`too_deep`); `duplicate_key` anywhere, compared after decoding; a key of a policy or a
// record that is a known one in another case (`key_case`); `wrong_type`; `unknown_field` inside a
// rule; `missing_field`; and `nul` inside a known string, a command's output apart. Absent lists
// are empty; null means absent for the optional fields that services send as null, and is a wrong
// type elsewhere.
//
// Writing is canonical: keys in the documented order, no spaces; decode(encode(x)) == x for all
// that could be read. Neither depends on the process's locale.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sandproof/call_id.h"
#include "sandproof/command.h"
#include "sandproof/deadline.h"
#include "sandproof/egress.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/environment.h"
#include "sandproof/plain_text.h"
#include "sandproof/refusal.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/shell.h"

namespace sandproof {

// Limits: bytes of a document, bytes of an exec result, and levels of nesting (the root is 1).
inline constexpr std::size_t k_max_document_size = std::size_t{1} << 20;
inline constexpr std::size_t k_max_exec_result_size = std::size_t{16} << 20;
inline constexpr std::size_t k_max_document_depth = 32;

// Decoded<T> is a record, or why the text is not one.
template <class T>
using Decoded = std::expected<T, Unreadable>;

// Absent stands where a record carries no policy.
struct Absent {
  friend bool operator==(const Absent&, const Absent&) = default;
};

// SandboxRecord is what the service says of one sandbox. Its policy is decoded apart: one that
// cannot be read never costs the id or the state, without which nobody could delete the sandbox.
// The two switches that turn a policy off are kept as canonical JSON whatever their type; null is
// absent. Other fields are ignored.
struct SandboxRecord {
  std::string id;
  std::optional<std::string> state;
  std::variant<Absent, EgressPolicy, Unreadable> policy;
  std::optional<std::string> skip_egress_proxy;
  std::optional<std::string> customer_vnet_connection_name;
  friend bool operator==(const SandboxRecord&, const SandboxRecord&) = default;
};

// ExecResult is what a command gave back. An exit code that is absent or null stays absent.
struct ExecResult {
  std::string standard_output;
  std::string standard_error;
  std::optional<std::int32_t> exit_code;
  friend bool operator==(const ExecResult&, const ExecResult&) = default;
};

// Each decoder reads one whole document. O(n log n) at worst (a sort of unknown keys), O(n) for
// documents without unknown fields.
[[nodiscard]] Decoded<EgressPolicy> decode_policy(std::string_view text);
[[nodiscard]] Decoded<SandboxRecord> decode_record(std::string_view text);
[[nodiscard]] Decoded<ExecResult> decode_exec_result(std::string_view text);

// EffectiveDocument is what a person hands over when asked what a sandbox runs.
using EffectiveDocument = std::variant<Absent, EgressPolicy, SandboxRecord>;

// decode_effective tells by its keys what a document is: a policy (an object with `defaultAction`
// and neither `id` nor `egressPolicy`), a record (`id` and no `defaultAction`), or null, which is
// "no policy". Any other object is `unknown_shape`, any other value a `wrong_type`.
[[nodiscard]] Decoded<EffectiveDocument> decode_effective(std::string_view text);

// canonical_json reads any document as strictly, and writes it without spaces and with the keys of
// every object sorted by their bytes. Numbers keep their spelling, integers excepted (-0 is 0).
[[nodiscard]] Decoded<std::string> canonical_json(std::string_view text);

// normal_form of a whole record: its policy, and the two switches that turn the policy off. The
// result borrows from the record.
[[nodiscard]] EffectiveEgress normal_form(const SandboxRecord& record);

// normal_form of any of the three: null is "no policy". The result borrows from the document.
[[nodiscard]] EffectiveEgress normal_form(const EffectiveDocument& document);

// carries_policy says whether a record came with a policy, read or not.
[[nodiscard]] bool carries_policy(const SandboxRecord& record) noexcept;

// encode writes a record. Strings must be UTF-8: other bytes are written as U+FFFD. A policy that
// could not be read is written as `{}`, which cannot be read either.
[[nodiscard]] std::string encode(const EgressPolicy& policy);
[[nodiscard]] std::string encode(const SandboxRecord& record);
[[nodiscard]] std::string encode(const ExecResult& result);

// CreateBody asks for a sandbox. `attempt` is a random label, so that a create whose answer is lost
// can be found again.
struct CreateBody {
  PlainText disk_image;
  PlainText cpu;
  PlainText memory;
  std::optional<PlainText> disk;
  SessionEnvironment environment;  // left out when it has no variables
  std::optional<EgressPolicy> egress;
  CallId attempt;
  std::optional<std::chrono::seconds> idle_suspend;
};

// ExecBody asks for one command to be run: its bounded shell text, and its working directory. It
// keeps copies, and only a Command makes one.
class ExecBody {
 public:
  ExecBody(const Command& command, Deadline deadline, const ReportScheme& scheme);

  [[nodiscard]] const ShellText& command() const noexcept { return command_; }
  [[nodiscard]] const std::optional<std::string>& working_directory() const noexcept {
    return working_directory_;
  }

 private:
  ShellText command_;
  std::optional<std::string> working_directory_;
};

// MkdirBody asks for a directory.
struct MkdirBody {
  OwnedSandboxPath path;
};

// encode writes the body of a request.
[[nodiscard]] std::string encode(const CreateBody& body);
[[nodiscard]] std::string encode(const ExecBody& body);
[[nodiscard]] std::string encode(const MkdirBody& body);

}  // namespace sandproof
