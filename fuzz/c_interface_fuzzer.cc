// The C interface. The first byte of an input picks what is called, and each answer must be the C++
// interface's, in a buffer of exactly its size, and no other byte touched:
//
//   v  a value: an id, a path, a name, a domain, a deadline, ...
//   w  words, separated by the byte behind the `w`: quoted, and bounded as a command
//   r  a report: an exit code, a size of pieces, and the stream
//   d  a line of domains to declare, separated by commas, and a document
//   o  an operation, and a script of a service's answers (operation_script.h)
#include "sandproof/sandproof.h"

#include <chrono>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "c/objects.h"
#include "fuzz_check.h"
#include "operation_script.h"
#include "sandproof/call_id.h"
#include "sandproof/deadline.h"
#include "sandproof/deadline_report.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/egress.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/environment.h"
#include "sandproof/plain_text.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "sandproof/shell.h"
#include "sandproof/wire.h"
#include "split.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;
using namespace sandproof::props::c;

std::string_view view(sandproof_text text) { return {text.data, text.size}; }

// ---- Answers. ----

void check_refusal(const Refusal& wanted, sandproof_status status, const sandproof_refusal& given) {
  FUZZ_CHECK(status == SANDPROOF_REFUSED, status);
  FUZZ_CHECK(given.subject == static_cast<sandproof_subject>(wanted.subject), given.subject);
  FUZZ_CHECK(given.reason == static_cast<sandproof_reason>(wanted.reason), given.reason);
  FUZZ_CHECK(given.offset == wanted.offset && given.word == wanted.word, given.offset, given.word);
}

// The call writes a text into a buffer that is large enough by a byte or just so, and says its size
// to one that is a byte too small.
template <class Call>
void check_text(std::string_view wanted, Call call) {
  for (std::size_t capacity = wanted.size() + 1;; --capacity) {
    const ExactCopy room(std::string(capacity, k_filler));
    sandproof_buffer buffer{const_cast<char*>(room.view().data()), capacity, 0};
    const sandproof_status status = call(&buffer);
    FUZZ_CHECK(buffer.size == wanted.size(), buffer.size, wanted);
    if (capacity < wanted.size()) {
      FUZZ_CHECK(status == SANDPROOF_TOO_SMALL, status, wanted);
      FUZZ_CHECK(room.view().find_first_not_of(k_filler) == std::string_view::npos, room.view());
      return;
    }
    FUZZ_CHECK(status == SANDPROOF_ACCEPTED, status, wanted);
    FUZZ_CHECK(room.view().starts_with(wanted), room.view(), wanted);
    FUZZ_CHECK(capacity == wanted.size() || room.view().back() == k_filler, room.view());
    if (capacity == 0) return;
  }
}

template <class Call>
void check_text_or_refusal(const Checked<std::string>& wanted, std::string_view input, Call call) {
  sandproof_refusal refusal = k_no_refusal;
  if (wanted) {
    check_text(*wanted, [&](sandproof_buffer* out) { return call(out, &refusal); });
    return;
  }
  sandproof_buffer none{nullptr, 0, 7};
  check_refusal(wanted.error(), call(&none, &refusal), refusal);
  FUZZ_CHECK(none.size == 7, none.size);
  check_text(explain(wanted.error(), input), [&](sandproof_buffer* out) {
    return sandproof_refusal_explain(&refusal, to_text(input), out);
  });
}

// A value that is accepted is the end of the input, without a copy.
template <class T, class Call>
void check_value(const Checked<T>& wanted, std::string_view input, Call call) {
  sandproof_text value{nullptr, 7};
  sandproof_refusal refusal = k_no_refusal;
  const sandproof_status status = call(to_text(input), &value, &refusal);
  if (!wanted) {
    check_refusal(wanted.error(), status, refusal);
    FUZZ_CHECK(value.data == nullptr && value.size == 7, value.size);
    return;
  }
  FUZZ_CHECK(status == SANDPROOF_ACCEPTED, status, input);
  FUZZ_CHECK(view(value) == wanted->view(), view(value), input);
  FUZZ_CHECK(value.data + value.size == input.data() + input.size(), input);
}

template <class T>
Checked<std::string> as_text(const Checked<T>& value) {
  if (!value) return std::unexpected(value.error());
  return std::string(value->view());
}

// ---- Values. ----

void check_values(std::string_view text) {
  check_value(SessionId::parse(text), text, sandproof_session_id_parse);
  check_value(AddressableId::parse(text), text, sandproof_addressable_id_parse);
  check_value(SandboxPath::parse(text), text, sandproof_path_parse);
  check_value(EnvName::parse(text), text, sandproof_env_name_parse);
  check_value(PlainText::parse(text), text, sandproof_plain_text_parse);
  check_value(CallId::parse(text), text, sandproof_call_id_parse);
  for (const FamilySet set : {FamilySet::baseline, FamilySet::strict}) {
    check_value(SessionName::parse(text, {.set = set, .also = nullptr}), text,
                [&](sandproof_text input, sandproof_text* name, sandproof_refusal* refusal) {
                  return sandproof_session_name_parse(input, static_cast<sandproof_family_set>(set),
                                                      nullptr, name, refusal);
                });
  }
  check_text_or_refusal(as_text(DomainPattern::parse(text)), text, [&](auto... out) {
    return sandproof_domain_parse(to_text(text), nullptr, out...);
  });
  std::int64_t milliseconds = -7;
  sandproof_refusal refusal = k_no_refusal;
  const sandproof_status status = sandproof_deadline_parse(to_text(text), &milliseconds, &refusal);
  const Checked<Deadline> deadline = Deadline::parse(text);
  if (deadline) {
    FUZZ_CHECK(status == SANDPROOF_ACCEPTED, status, text);
    FUZZ_CHECK(milliseconds == deadline->milliseconds().count(), text, milliseconds);
  } else {
    check_refusal(deadline.error(), status, refusal);
    FUZZ_CHECK(milliseconds == -7, milliseconds);
  }
  check_text(escaped(text, 16),
             [&](sandproof_buffer* out) { return sandproof_escaped(to_text(text), 16, out); });
}

// ---- Commands. ----

void check_words(std::string_view text) {
  constexpr std::chrono::milliseconds k_deadline{1'500};
  constexpr std::string_view k_id = "00112233445566778899aabbccddeeff";
  if (text.empty()) return;
  const std::vector<std::string_view> words = split(text.substr(1), text.front());
  const std::vector<sandproof_text> given = to_texts(words);
  check_text_or_refusal(quote(words), {}, [&](auto... out) {
    return sandproof_quote(given.data(), given.size(), out...);
  });

  const CommandRequest request{.argv = words, .variables = {}, .working_directory = {}};
  const sandproof_command command{given.data(), given.size(), nullptr, 0, nullptr};
  const ReportScheme scheme = ReportScheme::sealed(CallId::parse(k_id).value());
  const Checked<Command> parsed = Command::parse(request);
  const Checked<ShellText> shell =
      parsed
          ? Checked<ShellText>(bounded_shell(*parsed, Deadline::from(k_deadline).value(), scheme))
          : std::unexpected(parsed.error());
  check_text_or_refusal(as_text(shell), {}, [&](auto... out) {
    return sandproof_bounded_shell(&command, k_deadline.count(), SANDPROOF_SCHEME_SEALED,
                                   to_text(k_id), out...);
  });
}

// ---- Reports. ----

void check_report(std::string_view text) {
  constexpr std::string_view k_id = "00112233445566778899aabbccddeeff";
  if (text.size() < 2) return;
  const std::int32_t code = static_cast<std::uint8_t>(text[0]);
  const std::size_t piece_size = static_cast<std::uint8_t>(text[1]) % 64U + 1U;
  const ExactCopy copy(text.substr(2));
  const std::string_view stream = copy.view();
  for (const bool is_sealed : {true, false}) {
    const ReportScheme scheme =
        is_sealed ? ReportScheme::sealed(CallId::parse(k_id).value()) : ReportScheme::nonce();
    const sandproof_scheme number = is_sealed ? SANDPROOF_SCHEME_SEALED : SANDPROOF_SCHEME_NONCE;
    const sandproof_text id = is_sealed ? to_text(k_id) : sandproof_text{nullptr, 0};
    const DeadlineReport wanted = read_report(scheme, code, stream);
    sandproof_report given{};
    sandproof_refusal refusal = k_no_refusal;
    FUZZ_CHECK(sandproof_report_read(number, id, &code, to_text(stream), &given, &refusal) ==
                   SANDPROOF_ACCEPTED,
               stream);
    const auto check_claims = [&](const sandproof_report& report) {
      FUZZ_CHECK(report.outcome == static_cast<sandproof_outcome>(wanted.outcome), stream);
      FUZZ_CHECK((report.killed == 1) == wanted.killed, stream);
      FUZZ_CHECK((report.attested == 1) == wanted.attested, stream);
      FUZZ_CHECK(view(report.tool) == wanted.tool, view(report.tool), wanted.tool);
    };
    check_claims(given);
    FUZZ_CHECK(view(given.preamble) == wanted.preamble, stream);
    FUZZ_CHECK(view(given.before) == wanted.before && view(given.after) == wanted.after, stream);

    MadeReader reader;
    FUZZ_CHECK(
        sandproof_report_reader_new(number, id, &reader.object, &refusal) == SANDPROOF_ACCEPTED,
        stream);
    std::string leading;
    std::string output;
    sandproof_piece piece{};
    const auto take = [&](sandproof_status status) {
      FUZZ_CHECK(status == SANDPROOF_ACCEPTED, status);
      leading += view(piece.leading);
      output += view(piece.output);
    };
    for (std::size_t at = 0; at < stream.size(); at += piece_size) {
      const ExactCopy part(stream.substr(at, piece_size));
      take(sandproof_report_reader_feed(reader.object, to_text(part.view()), &piece));
    }
    sandproof_report end{};
    take(sandproof_report_reader_finish(reader.object, &code, &piece, &end));
    check_claims(end);
    const bool ran = wanted.outcome == Outcome::ran;
    FUZZ_CHECK(leading == (ran ? wanted.preamble : stream), leading, stream);
    const std::string own = std::string(wanted.before).append(wanted.after);
    FUZZ_CHECK(output == (ran ? own : ""), output, stream);
  }
}

// ---- Documents. ----

void check_finding(const Finding& wanted, sandproof_status status, const sandproof_finding& given) {
  FUZZ_CHECK(status == SANDPROOF_ACCEPTED, status);
  FUZZ_CHECK(given.kind == static_cast<sandproof_finding_kind>(wanted.kind), given.kind);
  FUZZ_CHECK(given.effect == static_cast<sandproof_effect>(wanted.effect), given.effect);
  FUZZ_CHECK(view(given.pointer) == wanted.pointer, view(given.pointer), wanted.pointer);
  FUZZ_CHECK(view(given.detail) == wanted.detail, view(given.detail), wanted.detail);
  FUZZ_CHECK(view(given.witness) == wanted.witness, view(given.witness), wanted.witness);
}

void check_comparison(const Comparison& wanted, const MadeEgress& egress,
                      const MadeDocument& document) {
  MadeComparison comparison;
  FUZZ_CHECK(sandproof_compare(egress.object, document.object, nullptr, 0, &comparison.object) ==
             SANDPROOF_ACCEPTED);
  sandproof_verdict verdict = -7;
  std::size_t count = 0;
  FUZZ_CHECK(sandproof_comparison_get_verdict(comparison.object, &verdict) == SANDPROOF_ACCEPTED);
  FUZZ_CHECK(verdict == static_cast<sandproof_verdict>(wanted.verdict()), verdict);
  FUZZ_CHECK(sandproof_comparison_get_finding_count(comparison.object, &count) ==
             SANDPROOF_ACCEPTED);
  FUZZ_CHECK(count == wanted.findings.size(), count, wanted.findings.size());
  sandproof_finding finding{};
  for (std::size_t i = 0; i < count; ++i) {
    const sandproof_status status =
        sandproof_comparison_get_finding(comparison.object, i, &finding);
    check_finding(wanted.findings[i], status, finding);
  }
  FUZZ_CHECK(sandproof_comparison_get_finding(comparison.object, count, &finding) ==
             SANDPROOF_BAD_CALL);
}

void check_document(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::vector<std::string_view> domains = split(input.substr(0, end), ',');
  const std::vector<sandproof_text> given = to_texts(domains);
  const Checked<DeclaredEgress> declared = DeclaredEgress::allow_domains(domains);
  MadeEgress egress;
  sandproof_refusal refusal = k_no_refusal;
  const sandproof_status status =
      sandproof_egress_allow_domains(given.data(), given.size(), nullptr, &egress.object, &refusal);
  FUZZ_CHECK((egress.object != nullptr) == declared.has_value(), input);
  if (!declared) check_refusal(declared.error(), status, refusal);

  const ExactCopy copy(input.substr(std::min(end + 1, input.size())));
  const Decoded<EffectiveDocument> document = decode_effective(copy.view());
  MadeDocument read;
  MadeUnreadable unreadable;
  const sandproof_status reading = sandproof_document_read(
      to_text(copy.view()), SANDPROOF_DOCUMENT_ANY, &read.object, &unreadable.object);
  if (!document) {
    FUZZ_CHECK(reading == SANDPROOF_UNREADABLE && read.object == nullptr, reading, copy.view());
    check_text(explain(document.error()), [&](sandproof_buffer* out) {
      return sandproof_unreadable_explain(unreadable.object, out);
    });
    return;
  }
  FUZZ_CHECK(reading == SANDPROOF_ACCEPTED && unreadable.object == nullptr, reading, copy.view());
  const std::string text = std::holds_alternative<Absent>(*document) ? "null"
                           : std::holds_alternative<EgressPolicy>(*document)
                               ? encode(std::get<EgressPolicy>(*document))
                               : encode(std::get<SandboxRecord>(*document));
  check_text(text,
             [&](sandproof_buffer* out) { return sandproof_document_encode(read.object, out); });
  if (declared) check_comparison(compare(*declared, normal_form(*document)), egress, read);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ExactCopy copy(data + 1, size - 1);
  switch (data[0]) {
    case 'w':
      check_words(copy.view());
      break;
    case 'r':
      check_report(copy.view());
      break;
    case 'd':
      check_document(copy.view());
      break;
    case 'o':
      check_operation(copy.view());
      break;
    default:
      check_values(copy.view());
      break;
  }
  return 0;
}
