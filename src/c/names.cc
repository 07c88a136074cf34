// The C interface: the version, and the names and numbers of every enum.
#include "sandproof/deadline.h"
#include "sandproof/deadline_report.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/plain_text.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "sandproof/session_state.h"
#include "sandproof/wire.h"
#include "translate.h"

using namespace sandproof;
using namespace sandproof::c;

namespace {

// same: a number of the interface is the one that the library uses inside.
template <class E>
constexpr bool same(std::int32_t outside, E inside) noexcept {
  return outside == number(inside);
}

static_assert(same(SANDPROOF_REASON_EMPTY, Reason::empty));
static_assert(same(SANDPROOF_REASON_TOO_LONG, Reason::too_long));
static_assert(same(SANDPROOF_REASON_FORBIDDEN_BYTE, Reason::forbidden_byte));
static_assert(same(SANDPROOF_REASON_TRAILING_SLASH, Reason::trailing_slash));
static_assert(same(SANDPROOF_REASON_NUL, Reason::nul));
static_assert(same(SANDPROOF_REASON_INVALID_UTF8, Reason::invalid_utf8));
static_assert(same(SANDPROOF_REASON_CONTROL_BYTE, Reason::control_byte));
static_assert(same(SANDPROOF_REASON_EMPTY_SEGMENT, Reason::empty_segment));
static_assert(same(SANDPROOF_REASON_PARENT_SEGMENT, Reason::parent_segment));
static_assert(same(SANDPROOF_REASON_SEGMENT_TOO_LONG, Reason::segment_too_long));
static_assert(same(SANDPROOF_REASON_DUPLICATE_PATH, Reason::duplicate_path));
static_assert(same(SANDPROOF_REASON_LEADING_DIGIT, Reason::leading_digit));
static_assert(same(SANDPROOF_REASON_REFUSED_FAMILY, Reason::refused_family));
static_assert(same(SANDPROOF_REASON_DUPLICATE_NAME, Reason::duplicate_name));
static_assert(same(SANDPROOF_REASON_NOT_DIGITS, Reason::not_digits));
static_assert(same(SANDPROOF_REASON_FUNCTION_VALUE, Reason::function_value));
static_assert(same(SANDPROOF_REASON_MALFORMED, Reason::malformed));
static_assert(same(SANDPROOF_REASON_TOO_SHORT, Reason::too_short));
static_assert(same(SANDPROOF_REASON_NO_PROGRAM, Reason::no_program));
static_assert(same(SANDPROOF_REASON_ASSIGNMENT_PROGRAM, Reason::assignment_program));
static_assert(same(SANDPROOF_REASON_EMPTY_CWD, Reason::empty_cwd));
static_assert(same(SANDPROOF_REASON_BAD_LENGTH, Reason::bad_length));
static_assert(same(SANDPROOF_REASON_EMPTY_LIST, Reason::empty_list));
static_assert(same(SANDPROOF_REASON_NON_ASCII, Reason::non_ascii));
static_assert(same(SANDPROOF_REASON_WHITESPACE, Reason::whitespace));
static_assert(same(SANDPROOF_REASON_LIST, Reason::list));
static_assert(same(SANDPROOF_REASON_SCHEME, Reason::scheme));
static_assert(same(SANDPROOF_REASON_USERINFO, Reason::userinfo));
static_assert(same(SANDPROOF_REASON_IP_LITERAL, Reason::ip_literal));
static_assert(same(SANDPROOF_REASON_PATH, Reason::path));
static_assert(same(SANDPROOF_REASON_PORT, Reason::port));
static_assert(same(SANDPROOF_REASON_LEADING_DOT, Reason::leading_dot));
static_assert(same(SANDPROOF_REASON_WILDCARD, Reason::wildcard));
static_assert(same(SANDPROOF_REASON_EMPTY_LABEL, Reason::empty_label));
static_assert(same(SANDPROOF_REASON_BAD_LABEL, Reason::bad_label));
static_assert(same(SANDPROOF_REASON_REFUSED_DOMAIN, Reason::refused_domain));
static_assert(same(SANDPROOF_REASON_UNKNOWN_STATE, Reason::unknown_state));
static_assert(same(SANDPROOF_REASON_TOO_LARGE, Reason::too_large));
static_assert(same(SANDPROOF_REASON_BYTE_ORDER_MARK, Reason::byte_order_mark));
static_assert(same(SANDPROOF_REASON_NOT_JSON, Reason::not_json));
static_assert(same(SANDPROOF_REASON_TOO_DEEP, Reason::too_deep));
static_assert(same(SANDPROOF_REASON_DUPLICATE_KEY, Reason::duplicate_key));
static_assert(same(SANDPROOF_REASON_KEY_CASE, Reason::key_case));
static_assert(same(SANDPROOF_REASON_WRONG_TYPE, Reason::wrong_type));
static_assert(same(SANDPROOF_REASON_OUT_OF_RANGE, Reason::out_of_range));
static_assert(same(SANDPROOF_REASON_UNKNOWN_FIELD, Reason::unknown_field));
static_assert(same(SANDPROOF_REASON_MISSING_FIELD, Reason::missing_field));
static_assert(same(SANDPROOF_REASON_UNKNOWN_SHAPE, Reason::unknown_shape));

static_assert(same(SANDPROOF_SUBJECT_SESSION_ID, Subject::session_id));
static_assert(same(SANDPROOF_SUBJECT_PATH, Subject::path));
static_assert(same(SANDPROOF_SUBJECT_ENV_NAME, Subject::env_name));
static_assert(same(SANDPROOF_SUBJECT_ENV_VALUE, Subject::env_value));
static_assert(same(SANDPROOF_SUBJECT_WORD, Subject::word));
static_assert(same(SANDPROOF_SUBJECT_WORKING_DIRECTORY, Subject::working_directory));
static_assert(same(SANDPROOF_SUBJECT_COMMAND, Subject::command));
static_assert(same(SANDPROOF_SUBJECT_DEADLINE, Subject::deadline));
static_assert(same(SANDPROOF_SUBJECT_CALL_ID, Subject::call_id));
static_assert(same(SANDPROOF_SUBJECT_DOMAIN, Subject::domain));
static_assert(same(SANDPROOF_SUBJECT_EGRESS, Subject::egress));
static_assert(same(SANDPROOF_SUBJECT_STATE, Subject::state));
static_assert(same(SANDPROOF_SUBJECT_CONFIGURATION, Subject::configuration));
static_assert(same(SANDPROOF_SUBJECT_DOCUMENT, Subject::document));

static_assert(same(SANDPROOF_FAMILY_SET_BASELINE, FamilySet::baseline));
static_assert(same(SANDPROOF_FAMILY_SET_STRICT, FamilySet::strict));

static_assert(same(SANDPROOF_OUTCOME_RAN, Outcome::ran));
static_assert(same(SANDPROOF_OUTCOME_NOT_RUN, Outcome::not_run));
static_assert(same(SANDPROOF_OUTCOME_UNVERIFIED, Outcome::unverified));

static_assert(same(SANDPROOF_FINDING_NO_POLICY, FindingKind::no_policy));
static_assert(same(SANDPROOF_FINDING_DEFAULT_ACTION, FindingKind::default_action));
static_assert(same(SANDPROOF_FINDING_INSPECTION, FindingKind::inspection));
static_assert(same(SANDPROOF_FINDING_MISSING_RULE, FindingKind::missing_rule));
static_assert(same(SANDPROOF_FINDING_EXTRA_ALLOW, FindingKind::extra_allow));
static_assert(same(SANDPROOF_FINDING_UNREADABLE_ACTION, FindingKind::unreadable_action));
static_assert(same(SANDPROOF_FINDING_MATCH_RULE, FindingKind::match_rule));
static_assert(same(SANDPROOF_FINDING_UNMODELLED_FIELD, FindingKind::unmodelled_field));
static_assert(same(SANDPROOF_FINDING_UNREADABLE_POLICY, FindingKind::unreadable_policy));
static_assert(same(SANDPROOF_FINDING_PROXY_BYPASS, FindingKind::proxy_bypass));
static_assert(same(SANDPROOF_FINDING_NETWORK_OVERRIDE, FindingKind::network_override));

static_assert(same(SANDPROOF_EFFECT_WITHIN, Effect::within));
static_assert(same(SANDPROOF_EFFECT_UNKNOWN, Effect::unknown));
static_assert(same(SANDPROOF_EFFECT_WIDENS, Effect::widens));

static_assert(same(SANDPROOF_VERDICT_IDENTICAL, Verdict::identical));
static_assert(same(SANDPROOF_VERDICT_CONTAINED, Verdict::contained));
static_assert(same(SANDPROOF_VERDICT_UNKNOWN, Verdict::unknown));
static_assert(same(SANDPROOF_VERDICT_WIDENED, Verdict::widened));

static_assert(same(SANDPROOF_SERVICE_STATE_CREATING, ServiceState::creating));
static_assert(same(SANDPROOF_SERVICE_STATE_RESUMING, ServiceState::resuming));
static_assert(same(SANDPROOF_SERVICE_STATE_RUNNING, ServiceState::running));
static_assert(same(SANDPROOF_SERVICE_STATE_STOPPING, ServiceState::stopping));
static_assert(same(SANDPROOF_SERVICE_STATE_STOPPED, ServiceState::stopped));
static_assert(same(SANDPROOF_SERVICE_STATE_SUSPENDED, ServiceState::suspended));
static_assert(same(SANDPROOF_SERVICE_STATE_IDLE, ServiceState::idle));
static_assert(same(SANDPROOF_SERVICE_STATE_DELETING, ServiceState::deleting));
static_assert(same(SANDPROOF_SERVICE_STATE_FAILED, ServiceState::failed));

static_assert(same(SANDPROOF_SESSION_STATE_STARTING, SessionState::starting));
static_assert(same(SANDPROOF_SESSION_STATE_RUNNING, SessionState::running));
static_assert(same(SANDPROOF_SESSION_STATE_SUSPENDED, SessionState::suspended));
static_assert(same(SANDPROOF_SESSION_STATE_TERMINATED, SessionState::terminated));

static_assert(same(SANDPROOF_EGRESS_ALLOW, EgressMode::allow));
static_assert(same(SANDPROOF_EGRESS_DENY, EgressMode::deny));
static_assert(same(SANDPROOF_EGRESS_ALLOW_DOMAINS, EgressMode::allow_domains));
static_assert(same(SANDPROOF_ACCEPT_IDENTICAL, Acceptance::identical));
static_assert(same(SANDPROOF_ACCEPT_CONTAINED, Acceptance::contained));

static_assert(SANDPROOF_NO_PLACE == k_no_place);
static_assert(SANDPROOF_MAX_SESSION_ID_SIZE == k_max_session_id_size);
static_assert(SANDPROOF_MAX_PATH_SIZE == k_max_path_size);
static_assert(SANDPROOF_MAX_SEGMENT_SIZE == k_max_segment_size);
static_assert(SANDPROOF_MAX_ENV_NAME_SIZE == k_max_env_name_size);
static_assert(SANDPROOF_MAX_ENV_ENTRY_SIZE == k_max_env_entry_size);
static_assert(SANDPROOF_MAX_PLAIN_TEXT_SIZE == k_max_plain_text_size);
static_assert(SANDPROOF_MIN_DEADLINE_MS == k_min_deadline.count());
static_assert(SANDPROOF_MAX_DEADLINE_MS == k_max_deadline.count());
static_assert(SANDPROOF_GUARD_MARGIN_MS == k_guard_margin.count());
static_assert(SANDPROOF_CALL_ID_SIZE == k_call_id_size);
static_assert(SANDPROOF_MAX_SHELL_TEXT_SIZE == k_max_words_size + k_max_wrapper_size);
static_assert(SANDPROOF_MAX_WORKING_DIRECTORY_SIZE == k_max_working_directory_size);
static_assert(SANDPROOF_MAX_DOMAIN_SIZE == k_max_domain_size);
static_assert(SANDPROOF_MAX_DOCUMENT_SIZE == k_max_document_size);

static_assert(k_acceptance_count == number(Acceptance::contained) + 1);
static_assert(k_family_set_count == number(FamilySet::strict) + 1);

constexpr std::size_t k_effect_count = number(Effect::widens) + 1;
constexpr std::size_t k_verdict_count = number(Verdict::widened) + 1;
constexpr std::size_t k_session_state_count = number(SessionState::terminated) + 1;

// give_name gives what `name_of` says of the value with this number.
template <class E, class NameOf>
sandproof_status give_name(std::int32_t value, std::size_t count, sandproof_text* to,
                           NameOf name_of) noexcept {
  const auto known = to_enum<E>(value, count);
  if (!known || !are_usable(to)) return SANDPROOF_BAD_CALL;
  return give(text(name_of(*known)), *to);
}

}  // namespace

const char* sandproof_version() noexcept { return SANDPROOF_VERSION; }

sandproof_status sandproof_reason_code(sandproof_reason reason, sandproof_text* code) noexcept {
  return give_name<Reason>(reason, k_reason_count, code,
                           [](Reason each) { return sandproof::code(each); });
}

sandproof_status sandproof_subject_name(sandproof_subject subject, sandproof_text* name) noexcept {
  return give_name<Subject>(subject, k_subject_count, name,
                            [](Subject each) { return sandproof::name(each); });
}

sandproof_status sandproof_finding_kind_name(sandproof_finding_kind kind,
                                             sandproof_text* name) noexcept {
  return give_name<FindingKind>(kind, k_finding_kind_count, name,
                                [](FindingKind each) { return sandproof::name(each); });
}

sandproof_status sandproof_effect_name(sandproof_effect effect, sandproof_text* name) noexcept {
  return give_name<Effect>(effect, k_effect_count, name,
                           [](Effect each) { return sandproof::name(each); });
}

sandproof_status sandproof_verdict_name(sandproof_verdict verdict, sandproof_text* name) noexcept {
  return give_name<Verdict>(verdict, k_verdict_count, name,
                            [](Verdict each) { return sandproof::name(each); });
}

sandproof_status sandproof_session_state_name(sandproof_session_state state,
                                              sandproof_text* name) noexcept {
  return give_name<SessionState>(state, k_session_state_count, name,
                                 [](SessionState each) { return sandproof::name(each); });
}

sandproof_status sandproof_service_state_word(sandproof_service_state state,
                                              sandproof_text* word) noexcept {
  return give_name<ServiceState>(state, k_service_state_count, word,
                                 [](ServiceState each) { return sandproof::word(each); });
}

sandproof_status sandproof_verdict_is_accepted(sandproof_acceptance acceptance,
                                               sandproof_verdict verdict,
                                               std::int32_t* is_accepted) noexcept {
  const auto worst = to_enum<Acceptance>(acceptance, k_acceptance_count);
  const auto known = to_enum<Verdict>(verdict, k_verdict_count);
  if (!worst || !known || !are_usable(is_accepted)) return SANDPROOF_BAD_CALL;
  return give(number(accepts(*worst, *known)), *is_accepted);
}

sandproof_status sandproof_refusal_explain(const sandproof_refusal* refusal, sandproof_text input,
                                           sandproof_buffer* sentence) noexcept {
  if (!are_usable(refusal, input, sentence)) return SANDPROOF_BAD_CALL;
  const auto subject = to_enum<Subject>(refusal->subject, k_subject_count);
  const auto reason = to_enum<Reason>(refusal->reason, k_reason_count);
  if (!subject || !reason) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    return write(explain({*subject, *reason, refusal->offset, refusal->word}, view(input)),
                 *sentence);
  });
}

sandproof_status sandproof_escaped(sandproof_text bytes, std::size_t max_shown,
                                   sandproof_buffer* text) noexcept {
  if (!are_usable(bytes, text)) return SANDPROOF_BAD_CALL;
  return guarded([&] { return write(escaped(view(bytes), max_shown), *text); });
}
