// Every function of the C interface answers every argument that may not be with BAD_CALL, and
// touches nothing.
#include <array>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "support.h"

namespace sandproof::props::c {
namespace {

constexpr std::size_t k_too_large = static_cast<std::size_t>(PTRDIFF_MAX) + 1;

// Argument is one that is good, and what may not stand in its place.
template <class T>
struct Argument {
  T good;
  std::vector<T> bad;
};

template <class T>
Argument<T> anything(T good) {
  return {good, {}};
}

template <class T>
Argument<T*> pointer(T* good) {
  return {good, {nullptr}};
}

constexpr std::array<sandproof_text, 3> k_bad_texts{
    {{nullptr, 1}, {"x", k_too_large}, {nullptr, SIZE_MAX}}};

Argument<sandproof_text> text(std::string_view good) {
  return {to_text(good), {k_bad_texts.begin(), k_bad_texts.end()}};
}

Argument<const sandproof_text*> optional_text(const sandproof_text* good) {
  return {good, {&k_bad_texts[0], &k_bad_texts[1], &k_bad_texts[2]}};
}

// among: a number of an enum that has the values 0..count-1.
Argument<std::int32_t> among(std::int32_t good, std::int32_t count) {
  using Limits = std::numeric_limits<std::int32_t>;
  return {good, {-1, count, count + 255, Limits::min(), Limits::max()}};
}

// A buffer that may not be is looked at again afterwards.
std::array<sandproof_buffer, 3> bad_buffers;
char room[1 << 17];
sandproof_buffer good_buffer;

Argument<sandproof_buffer*> buffer() {
  good_buffer = {room, sizeof room, k_no_size};
  bad_buffers = {{{nullptr, 1, k_no_size}, {room, k_too_large, k_no_size}, {nullptr, SIZE_MAX, 1}}};
  return {&good_buffer, {nullptr, &bad_buffers[0], &bad_buffers[1], &bad_buffers[2]}};
}

sandproof_refusal refusal;
Argument<sandproof_refusal*> a_refusal() { return pointer(&refusal); }

std::int32_t refuses_nothing(void*, sandproof_text) { return 0; }
constexpr sandproof_name_rule k_rule{refuses_nothing, nullptr};
constexpr sandproof_name_rule k_no_function{nullptr, nullptr};
Argument<const sandproof_name_rule*> rule() { return {&k_rule, {&k_no_function}}; }

// list has an element that is good; the bad lists are none, and the ones in `bad`.
template <class T>
Argument<const T*> list(const T* good, std::vector<const T*> bad) {
  bad.push_back(nullptr);
  return {good, std::move(bad)};
}

template <class T>
Argument<std::size_t> count(const T*) {
  return {1, {static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T) + 1, SIZE_MAX}};
}

// Each bad argument in turn, the others good.
template <class... T>
void expect_bad_calls(sandproof_status (*function)(T...),
                      Argument<std::type_identity_t<T>>... arguments) {
  ASSERT_NE(function(arguments.good...), SANDPROOF_BAD_CALL);
  const std::tuple good(arguments.good...);
  const std::tuple all(arguments...);
  const auto at = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    for (std::size_t which = 0; which < std::get<i>(all).bad.size(); ++which) {
      auto given = good;
      std::get<i>(given) = std::get<i>(all).bad[which];
      const sandproof_refusal before = refusal;
      std::memset(room, k_filler, 16);
      EXPECT_EQ(std::apply(function, given), SANDPROOF_BAD_CALL)
          << "argument " << i << ", bad value " << which;
      EXPECT_EQ(refusal, before);
      EXPECT_EQ(std::string_view(room, 16), std::string(16, k_filler));
      EXPECT_EQ(bad_buffers[0].size + bad_buffers[1].size, 2 * k_no_size);
    }
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (at(std::integral_constant<std::size_t, i>()), ...);
  }(std::index_sequence_for<T...>());
}

class CBadCalls : public testing::Test {
 protected:
  CBadCalls() {
    refusal = k_no_refusal;
    (void)buffer();
  }

  sandproof_text value_{};
  std::int32_t number_ = 0;
  std::int64_t milliseconds_ = 0;
  std::size_t size_ = 0;
};

TEST_F(CBadCalls, Names) {
  const auto out = pointer(&value_);
  expect_bad_calls(sandproof_reason_code, among(0, 48), out);
  expect_bad_calls(sandproof_subject_name, among(0, 14), out);
  expect_bad_calls(sandproof_finding_kind_name, among(0, 11), out);
  expect_bad_calls(sandproof_effect_name, among(0, 3), out);
  expect_bad_calls(sandproof_verdict_name, among(0, 4), out);
  expect_bad_calls(sandproof_session_state_name, among(0, 4), out);
  expect_bad_calls(sandproof_service_state_word, among(0, 9), out);
  expect_bad_calls(sandproof_session_state_of, among(0, 9), pointer(&number_));
  expect_bad_calls(sandproof_is_judgeable, among(0, 9), among(0, 2), pointer(&number_));
  expect_bad_calls(sandproof_verdict_is_accepted, among(0, 2), among(0, 4), pointer(&number_));
}

TEST_F(CBadCalls, Explanations) {
  const sandproof_refusal good{0, 0, 0, 0};
  const std::array<sandproof_refusal, 4> bad{
      {{-1, 0, 0, 0}, {14, 0, 0, 0}, {0, -1, 0, 0}, {0, 48, 0, 0}}};
  auto refused = pointer(&good);
  for (const sandproof_refusal& each : bad) refused.bad.push_back(&each);
  expect_bad_calls(sandproof_refusal_explain, refused, text("x"), buffer());
  expect_bad_calls(sandproof_escaped, text("x"), anything(SIZE_MAX), buffer());
}

TEST_F(CBadCalls, Values) {
  const auto out = pointer(&value_);
  expect_bad_calls(sandproof_session_id_parse, text("x"), out, a_refusal());
  expect_bad_calls(sandproof_addressable_id_parse, text("x"), out, a_refusal());
  expect_bad_calls(sandproof_path_parse, text("x"), out, a_refusal());
  expect_bad_calls(sandproof_env_name_parse, text("x"), out, a_refusal());
  expect_bad_calls(sandproof_plain_text_parse, text("x"), out, a_refusal());
  expect_bad_calls(sandproof_call_id_parse, text("x"), out, a_refusal());
  expect_bad_calls(sandproof_env_variable_check, text("x"), text("x"), a_refusal());
  expect_bad_calls(sandproof_session_name_parse, text("x"), among(1, 2), rule(), out, a_refusal());
  expect_bad_calls(sandproof_session_variable_check, text("x"), text("x"), among(0, 2), rule(),
                   a_refusal());
  expect_bad_calls(sandproof_deadline_parse, text("1s"), pointer(&milliseconds_), a_refusal());
  expect_bad_calls(sandproof_deadline_guard, anything(std::int64_t{1}), pointer(&milliseconds_),
                   a_refusal());
  expect_bad_calls(sandproof_deadline_seconds, anything(std::int64_t{1}), buffer(), a_refusal());
  expect_bad_calls(sandproof_is_credible_kill, anything(std::int64_t{1}), anything(std::int64_t{1}),
                   pointer(&number_), a_refusal());
  const sandproof_text word = to_text("Idle");
  expect_bad_calls(sandproof_service_state_parse, optional_text(&word), pointer(&number_),
                   a_refusal());
  const std::array<std::uint8_t, 16> random{};
  expect_bad_calls(sandproof_call_id_from_random, pointer(random.data()), buffer());
  expect_bad_calls(sandproof_domain_parse, text("a.example"), rule(), buffer(), a_refusal());
}

TEST_F(CBadCalls, Lists) {
  const sandproof_text path = to_text("x");
  const auto texts = list(&path, {&k_bad_texts[0], &k_bad_texts[1]});
  expect_bad_calls(sandproof_path_write_order, texts, count(&path), pointer(&size_), a_refusal());
  expect_bad_calls(sandproof_quote, texts, count(&path), buffer(), a_refusal());

  const sandproof_env_entry good{to_text("A"), to_text("x")};
  const sandproof_env_entry bad_name{k_bad_texts[0], to_text("x")};
  const sandproof_env_entry bad_value{to_text("A"), k_bad_texts[1]};
  expect_bad_calls(sandproof_session_environment_check, list(&good, {&bad_name, &bad_value}),
                   count(&good), among(1, 2), rule(), a_refusal());

  // A list of nothing may stand nowhere.
  EXPECT_EQ(sandproof_path_write_order(nullptr, 0, nullptr, &refusal), SANDPROOF_ACCEPTED);
  EXPECT_EQ(sandproof_quote(nullptr, 0, &good_buffer, &refusal), SANDPROOF_ACCEPTED);
  EXPECT_EQ(sandproof_session_environment_check(nullptr, 0, 1, nullptr, &refusal),
            SANDPROOF_ACCEPTED);
}

TEST_F(CBadCalls, Commands) {
  const sandproof_text word = to_text("true");
  const sandproof_text* const bad_word = &k_bad_texts[0];
  const sandproof_env_entry variable{to_text("A"), to_text("x")};
  const sandproof_env_entry bad_variable{to_text("A"), k_bad_texts[1]};
  const sandproof_command good{&word, 1, &variable, 1, &word};
  const std::array<sandproof_command, 7> bad{{
      {nullptr, 1, &variable, 1, &word},
      {bad_word, 1, &variable, 1, &word},
      {&word, SIZE_MAX, &variable, 1, &word},
      {&word, 1, nullptr, 1, &word},
      {&word, 1, &bad_variable, 1, &word},
      {&word, 1, &variable, k_too_large / sizeof(variable) + 1, &word},
      {&word, 1, &variable, 1, &k_bad_texts[2]},
  }};
  auto command = pointer(&good);
  for (const sandproof_command& each : bad) command.bad.push_back(&each);
  expect_bad_calls(sandproof_command_check, command, a_refusal());
  const auto deadline = anything(std::int64_t{1'000});
  expect_bad_calls(sandproof_bounded_shell, command, deadline, among(0, 2),
                   text("00112233445566778899aabbccddeeff"), buffer(), a_refusal());
  auto no_call_id = text("");
  no_call_id.bad.push_back(to_text("00112233445566778899aabbccddeeff"));
  expect_bad_calls(sandproof_bounded_shell, command, deadline, anything(SANDPROOF_SCHEME_NONCE + 0),
                   no_call_id, buffer(), a_refusal());
}

TEST_F(CBadCalls, Reports) {
  auto no_call_id = text("");
  no_call_id.bad.push_back(to_text("x"));
  const std::int32_t code = 137;
  sandproof_report report{};
  sandproof_piece piece{};
  const Argument<const std::int32_t*> exit_code{&code, {}};
  expect_bad_calls(sandproof_report_read, among(1, 2), no_call_id, exit_code, text("x"),
                   pointer(&report), a_refusal());
  EXPECT_EQ(sandproof_report_read(SANDPROOF_SCHEME_NONCE, {nullptr, 0}, nullptr, {nullptr, 0},
                                  &report, &refusal),
            SANDPROOF_ACCEPTED);

  const sandproof_report good{1, 0, 0, {}, {}, {}, {}};
  std::array<sandproof_report, 10> bad;
  bad.fill(good);
  bad[0].outcome = -1;
  bad[1].outcome = 3;
  bad[2].killed = 2;
  bad[3].killed = -1;
  bad[4].attested = 2;
  bad[5].attested = -1;
  bad[6].preamble = k_bad_texts[0];
  bad[7].before = k_bad_texts[1];
  bad[8].after = k_bad_texts[2];
  bad[9].tool = k_bad_texts[0];
  auto explained = pointer(&good);
  for (const sandproof_report& each : bad) explained.bad.push_back(&each);
  expect_bad_calls(sandproof_report_explain, explained, buffer());

  sandproof_report_reader* reader = nullptr;
  expect_bad_calls(sandproof_report_reader_new, among(1, 2), no_call_id, pointer(&reader),
                   a_refusal());
  expect_bad_calls(sandproof_report_reader_feed, pointer(reader), text("x"), pointer(&piece));
  // A call that may not be leaves the reader as it was.
  ASSERT_EQ(sandproof_report_reader_finish(nullptr, &code, &piece, &report), SANDPROOF_BAD_CALL);
  ASSERT_EQ(sandproof_report_reader_finish(reader, &code, nullptr, &report), SANDPROOF_BAD_CALL);
  ASSERT_EQ(sandproof_report_reader_finish(reader, &code, &piece, nullptr), SANDPROOF_BAD_CALL);
  ASSERT_EQ(sandproof_report_reader_finish(reader, &code, &piece, &report), SANDPROOF_ACCEPTED);
  sandproof_report_reader_free(reader);
}

TEST_F(CBadCalls, Egress) {
  sandproof_egress* egress = nullptr;
  expect_bad_calls(sandproof_egress_allow, pointer(&egress));
  sandproof_egress_free(egress);
  expect_bad_calls(sandproof_egress_deny, pointer(&egress));
  sandproof_egress_free(egress);
  const sandproof_text domain = to_text("a.example");
  expect_bad_calls(sandproof_egress_allow_domains, list(&domain, {&k_bad_texts[0]}), count(&domain),
                   rule(), pointer(&egress), a_refusal());
  const Argument<const sandproof_egress*> made{egress, {nullptr}};
  const Argument<std::size_t> index{0, {1, 2, SIZE_MAX}};
  expect_bad_calls(sandproof_egress_get_mode, made, pointer(&number_));
  expect_bad_calls(sandproof_egress_get_domain_count, made, pointer(&size_));
  expect_bad_calls(sandproof_egress_get_domain, made, index, pointer(&value_));
  expect_bad_calls(sandproof_egress_policy, made, buffer());
  sandproof_egress_free(egress);
}

TEST_F(CBadCalls, Documents) {
  sandproof_unreadable* unreadable = nullptr;
  expect_bad_calls(sandproof_canonical_json, text("{"), buffer(), pointer(&unreadable));
  const Argument<const sandproof_unreadable*> why{unreadable, {nullptr}};
  expect_bad_calls(sandproof_unreadable_get, why, pointer(&number_), pointer(&value_),
                   pointer(&size_));
  expect_bad_calls(sandproof_unreadable_explain, why, buffer());
  sandproof_unreadable_free(unreadable);

  sandproof_document* document = nullptr;
  auto kind = among(SANDPROOF_DOCUMENT_ANY, 4);
  kind.bad.push_back(SANDPROOF_DOCUMENT_NO_POLICY);
  const auto record = text(
      R"({"id":"a","egressPolicy":{"defaultAction":"Deny","x":1,"trafficInspection":"Full"}})");
  expect_bad_calls(sandproof_document_read, record, kind, pointer(&document), pointer(&unreadable));
  const Argument<const sandproof_document*> read{document, {nullptr}};
  expect_bad_calls(sandproof_document_get_kind, read, pointer(&number_));
  expect_bad_calls(sandproof_document_policy_check, read, pointer(&unreadable));
  sandproof_record said{};
  expect_bad_calls(sandproof_document_get_record, read, pointer(&said));
  expect_bad_calls(sandproof_document_encode, read, buffer());

  sandproof_egress* egress = nullptr;
  ASSERT_EQ(sandproof_egress_deny(&egress), SANDPROOF_ACCEPTED);
  const sandproof_tolerance good{to_text("/egressPolicy/x"), to_text("1")};
  const sandproof_tolerance bad_pointer{k_bad_texts[0], to_text("1")};
  const sandproof_tolerance bad_value{to_text("/x"), k_bad_texts[1]};
  sandproof_comparison* comparison = nullptr;
  expect_bad_calls(sandproof_compare, Argument<const sandproof_egress*>{egress, {nullptr}}, read,
                   list(&good, {&bad_pointer, &bad_value}), count(&good), pointer(&comparison));
  const Argument<const sandproof_comparison*> compared{comparison, {nullptr}};
  const Argument<std::size_t> index{0, {1, SIZE_MAX}};
  sandproof_finding finding{};
  expect_bad_calls(sandproof_comparison_get_verdict, compared, pointer(&number_));
  expect_bad_calls(sandproof_comparison_get_finding_count, compared, pointer(&size_));
  expect_bad_calls(sandproof_comparison_get_finding, compared, index, pointer(&finding));
  expect_bad_calls(sandproof_comparison_get_note_count, compared, pointer(&size_));
  expect_bad_calls(sandproof_comparison_get_note, compared, index, pointer(&finding));
  sandproof_comparison_free(comparison);
  sandproof_egress_free(egress);
  sandproof_document_free(document);
}

// An operation that has not ended, and one that has.
class COperationBadCalls : public CBadCalls {
 protected:
  COperationBadCalls() {
    EXPECT_EQ(sandproof_egress_deny(&egress_.object), SANDPROOF_ACCEPTED);
    config_ = {to_text("ubuntu"),
               to_text("1"),
               to_text("1"),
               nullptr,
               egress_.object,
               0,
               nullptr,
               0,
               nullptr,
               1,
               nullptr};
    EXPECT_EQ(sandproof_provider_new(&config_, &provider_.object, &refusal), SANDPROOF_ACCEPTED);
    EXPECT_EQ(sandproof_start_get(provider_.object, to_text("s1"), &waiting_.object),
              SANDPROOF_ACCEPTED);
    EXPECT_EQ(sandproof_start_get(provider_.object, to_text("/"), &ended_.object),
              SANDPROOF_ACCEPTED);
  }

  Argument<const sandproof_provider*> provider() { return {provider_.object, {nullptr}}; }
  Argument<sandproof_operation*> waiting() { return {waiting_.object, {nullptr, ended_.object}}; }
  Argument<sandproof_operation*> ended() { return {ended_.object, {nullptr, waiting_.object}}; }

  // started calls a function that starts an operation, and frees what it makes.
  template <class... T>
  void started(sandproof_status (*function)(T...), Argument<std::type_identity_t<T>>... arguments) {
    expect_bad_calls(function, std::move(arguments)...);
    sandproof_operation_free(std::exchange(made_, nullptr));
  }
  Argument<sandproof_operation**> made() { return pointer(&made_); }

  Made<sandproof_egress, sandproof_egress_free> egress_;
  Made<sandproof_provider, sandproof_provider_free> provider_;
  Made<sandproof_operation, sandproof_operation_free> waiting_;
  Made<sandproof_operation, sandproof_operation_free> ended_;
  sandproof_provider_config config_{};
  sandproof_operation* made_ = nullptr;
};

TEST_F(COperationBadCalls, Providers) {
  const sandproof_tolerance tolerance{k_bad_texts[0], to_text("1")};
  std::array<sandproof_provider_config, 13> bad;
  bad.fill(config_);
  bad[0].disk_image = k_bad_texts[0];
  bad[1].cpu = k_bad_texts[1];
  bad[2].memory = k_bad_texts[2];
  bad[3].disk = &k_bad_texts[0];
  bad[4].egress = nullptr;
  bad[5].acceptance = 2;
  bad[6].acceptance = -1;
  bad[7].tolerance_count = 1;
  bad[8].tolerances = &tolerance;
  bad[8].tolerance_count = 1;
  bad[9].families = 2;
  bad[10].families = -1;
  bad[11].also = &k_no_function;
  bad[12].tolerance_count = SIZE_MAX;
  auto config = pointer<const sandproof_provider_config>(&config_);
  for (const sandproof_provider_config& each : bad) config.bad.push_back(&each);
  sandproof_provider* none = nullptr;
  sandproof_provider** const place = &none;
  const auto make = [](const sandproof_provider_config* given, sandproof_provider** to,
                       sandproof_refusal* why) {
    const sandproof_status status = sandproof_provider_new(given, to, why);
    if (status == SANDPROOF_ACCEPTED) sandproof_provider_free(std::exchange(*to, nullptr));
    return status;
  };
  expect_bad_calls(+make, config, pointer(place), a_refusal());
}

TEST_F(COperationBadCalls, Starts) {
  const sandproof_env_entry variable{to_text("A"), to_text("x")};
  const sandproof_env_entry bad_name{k_bad_texts[0], to_text("x")};
  const auto variables = list(&variable, {&bad_name});
  const std::array<std::uint8_t, 16> drawn{};
  const auto random = pointer(drawn.data());
  const sandproof_text id = to_text("s1");
  started(sandproof_start_create, provider(), variables, count(&variable), random, made());
  started(sandproof_start_get, provider(), text("s1"), made());
  started(sandproof_start_get_or_create, provider(), optional_text(&id), variables,
          count(&variable), random, made());
  started(sandproof_start_read_file, provider(), text("s1"), text("a"), made());
  started(sandproof_start_mkdir, provider(), text("s1"), text("a"), made());
  started(sandproof_start_suspend, provider(), text("s1"), made());
  started(sandproof_start_resume, provider(), text("s1"), made());
  started(sandproof_start_terminate, provider(), text("s1"), made());

  const sandproof_file file{to_text("a"), to_text("x")};
  const sandproof_file bad_path{k_bad_texts[0], to_text("x")};
  const sandproof_file bad_content{to_text("a"), k_bad_texts[1]};
  started(sandproof_start_write_files, provider(), text("s1"),
          list(&file, {&bad_path, &bad_content}), count(&file), made());

  const sandproof_command good{&id, 1, &variable, 1, &id};
  const sandproof_command bad{&k_bad_texts[0], 1, nullptr, 0, nullptr};
  auto command = pointer(&good);
  command.bad.push_back(&bad);
  started(sandproof_start_run_command, provider(), text("s1"), command, anything(std::int64_t{-1}),
          random, made());
}

TEST_F(COperationBadCalls, Answers) {
  const std::int32_t status = 404;
  const sandproof_transport_error good{SANDPROOF_TRANSPORT_HTTP_STATUS, &status, 0, to_text("x")};
  std::vector<sandproof_transport_error> bad(6, good);
  bad[0].kind = -1;
  bad[1].kind = 7;
  bad[2].status = nullptr;
  bad[3].is_delayed = 1;
  bad[4].is_delayed = 2;
  bad[5].raw = k_bad_texts[1];
  for (const sandproof_transport_kind kind :
       {SANDPROOF_TRANSPORT_NOT_FOUND, SANDPROOF_TRANSPORT_ACCESS_DENIED,
        SANDPROOF_TRANSPORT_INVALID_INPUT, SANDPROOF_TRANSPORT_TIMED_OUT,
        SANDPROOF_TRANSPORT_UNAVAILABLE}) {
    bad.push_back({kind, &status, 0, {}});
    bad.push_back({kind, nullptr, 1, {}});
  }
  bad.push_back({SANDPROOF_TRANSPORT_CONFLICT, &status, 2, {}});
  bad.push_back({SANDPROOF_TRANSPORT_CONFLICT, &status, -1, {}});
  static constexpr std::array<std::int32_t, 10> k_no_failures{INT32_MIN, -1,  0,   99,  200,
                                                              204,       299, 600, 999, INT32_MAX};
  for (const std::int32_t& each : k_no_failures) {
    bad.push_back({SANDPROOF_TRANSPORT_HTTP_STATUS, &each, 0, {}});
    bad.push_back({SANDPROOF_TRANSPORT_CONFLICT, &each, 0, {}});
  }

  sandproof_request request{};
  expect_bad_calls(sandproof_operation_get_request,
                   Argument<sandproof_operation*>{waiting_.object, {nullptr}}, pointer(&request));
  sandproof_result result{};
  expect_bad_calls(sandproof_operation_get_result, ended(), pointer(&result));
  expect_bad_calls(sandproof_operation_explain, ended(), buffer());
  expect_bad_calls(sandproof_operation_get_json, ended(), buffer());

  // A bad call leaves the operation where it was, so the good one comes last.
  for (const sandproof_transport_error& each : bad) {
    EXPECT_EQ(sandproof_operation_fail(waiting_.object, &each, 0, 0), SANDPROOF_BAD_CALL);
  }
  EXPECT_EQ(sandproof_operation_fail(waiting_.object, nullptr, 0, 0), SANDPROOF_BAD_CALL);
  EXPECT_EQ(sandproof_operation_fail(nullptr, &good, 0, 0), SANDPROOF_BAD_CALL);
  EXPECT_EQ(sandproof_operation_fail(ended_.object, &good, 0, 0), SANDPROOF_BAD_CALL);
  for (const sandproof_text& each : k_bad_texts) {
    EXPECT_EQ(sandproof_operation_answer(waiting_.object, each, 0, 0), SANDPROOF_BAD_CALL);
  }
  EXPECT_EQ(sandproof_operation_answer(nullptr, {}, 0, 0), SANDPROOF_BAD_CALL);
  EXPECT_EQ(sandproof_operation_answer(ended_.object, {}, 0, 0), SANDPROOF_BAD_CALL);
  ASSERT_EQ(sandproof_operation_get_request(waiting_.object, &request), SANDPROOF_ACCEPTED);
  EXPECT_EQ(request.call, SANDPROOF_CALL_GET);
  ASSERT_EQ(sandproof_operation_fail(waiting_.object, &good, 0, 0), SANDPROOF_ACCEPTED);
  EXPECT_EQ(sandproof_operation_fail(waiting_.object, &good, 0, 0), SANDPROOF_BAD_CALL);
  ASSERT_EQ(sandproof_operation_get_result(waiting_.object, &result), SANDPROOF_ACCEPTED);
  EXPECT_EQ(result.error, SANDPROOF_ERROR_NONE);
  EXPECT_EQ(result.has_session, 0);
}

TEST_F(COperationBadCalls, AnyStatusThatIsNoSuccessMayBeGiven) {
  for (const std::int32_t status : {100, 199, 300, 302, 404, 599}) {
    for (const auto kind : {SANDPROOF_TRANSPORT_HTTP_STATUS, SANDPROOF_TRANSPORT_CONFLICT}) {
      Made<sandproof_operation, sandproof_operation_free> operation;
      ASSERT_EQ(sandproof_start_get(provider_.object, to_text("s1"), &operation.object),
                SANDPROOF_ACCEPTED);
      const sandproof_transport_error error{kind, &status, 0, {}};
      EXPECT_EQ(sandproof_operation_fail(operation.object, &error, 0, 0), SANDPROOF_ACCEPTED)
          << status;
    }
  }
}

}  // namespace
}  // namespace sandproof::props::c
