#include "specifications.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

#include "answers.h"
#include "report_machines.h"
#include "sandproof/call_id.h"
#include "sandproof/deadline.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/environment.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "scanner_machines.h"

namespace sandproof::conformance {
namespace {

using props::accepted;
using props::answer_of;
using props::matches_language;
using props::refused;
using reference::Answer;

// compare looks at reasons and places too, where the reference model gives them.
std::string compare(bool accepted, const Answer& library, const Answer& reference,
                    bool expression) {
  const bool same_answer = reference.accepted || !reference.reason.empty()
                               ? library == reference
                               : library.accepted == reference.accepted;
  if (same_answer && library.accepted == accepted && expression == accepted) return {};
  std::ostringstream text;
  text << "machine " << (accepted ? "accepted" : "refused") << ", library ";
  reference::PrintTo(library, &text);
  text << ", reference model ";
  reference::PrintTo(reference, &text);
  text << ", regular expression " << (expression ? "accepted" : "refused");
  return text.str();
}

std::string on_session_id(std::string_view text, bool accepted) {
  return compare(accepted, answer_of(SessionId::parse(text)), reference::session_id(text),
                 matches_language("session-id", text));
}

std::string on_addressable_id(std::string_view text, bool accepted) {
  const bool reference = reference::addressable_id(text);
  return compare(accepted, answer_of(AddressableId::parse(text)),
                 reference ? reference::accept(text) : reference::refuse(""),
                 matches_language("addressable-id", text));
}

std::string on_env_name(std::string_view text, bool accepted) {
  return compare(accepted, answer_of(EnvName::parse(text)), reference::env_name(text),
                 matches_language("env-name", text));
}

std::string on_deadline(std::string_view text, bool accepted) {
  const Checked<Deadline> deadline = Deadline::parse(text);
  return compare(
      accepted,
      deadline ? props::accepted(deadline->seconds_text().view()) : refused(deadline.error()),
      reference::deadline(text), matches_language("deadline", text));
}

// The expression is about the path that is sent.
std::string on_path(std::string_view text, bool accepted) {
  const std::size_t slashes = std::min(text.find_first_not_of('/'), text.size());
  return compare(accepted, answer_of(SandboxPath::parse(text)), reference::sandbox_path(text),
                 matches_language("path", text.substr(slashes)));
}

// The expression is about the canonical form.
std::string on_domain(std::string_view text, bool accepted) {
  const std::string_view rootless = text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0));
  return compare(accepted, answer_of(DomainPattern::parse(text)), reference::domain(text),
                 matches_language("domain", reference::lower_ascii(rootless)));
}

// clang-format off
constexpr Specification k_specifications[] = {
    // name              machine                 states  extra
    {"session id",       session_id_machine,     65,     2, Tried::all,     on_session_id},
    {"addressable id",   addressable_id_machine, 3,      4, Tried::all,     on_addressable_id},
    {"environment name", env_name_machine,       258,    0, Tried::all,     on_env_name},
    {"deadline",         deadline_machine,       159,    1, Tried::all,     on_deadline},
    {"path",             path_shape,             13,     2, Tried::all,     on_path},
    {"domain",           domain_shape,           13,     3, Tried::all,     on_domain},
    {"domain labels",    domain_labels,          378,    0, Tried::classes, on_domain},
    {"announced",        announced_machine,      176,    0, Tried::slips,   on_announced},
    {"refused",          refused_machine,        206,    0, Tried::slips,   on_refused},
    {"attested",         attested_machine,       288,    0, Tried::slips,   on_attested},
    {"nonce line",       nonce_line_machine,     35,     1, Tried::classes, on_nonce},
    {"no nonce",         no_nonce_machine,       33,     2, Tried::all,     on_no_nonce},
};
// clang-format on

}  // namespace

std::span<const Specification> specifications() { return k_specifications; }

const Specification& specification(std::string_view name) {
  const auto row = std::ranges::find(k_specifications, name, &Specification::name);
  if (row == std::end(k_specifications)) throw std::out_of_range("no such specification");
  return *row;
}

const TestSet& test_set_of(const Specification& specification) {
  struct Made {
    explicit Made(const Specification& row) : machine(row.machine()), set(machine) {}
    Machine machine;
    TestSet set;
  };
  static std::map<std::string_view, Made> made;
  return made.try_emplace(specification.name, specification).first->second.set;
}

std::string name_of(const testing::TestParamInfo<Specification>& row) {
  std::string name(row.param.name);
  std::ranges::replace(name, ' ', '_');
  return name;
}

void PrintTo(const Specification& row, std::ostream* out) { *out << row.name; }

}  // namespace sandproof::conformance
