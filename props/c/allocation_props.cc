// Every allocation of every call of the C interface fails in turn: the call answers NO_MEMORY,
// gives nothing, leaks nothing, and can be made again.
#include <cstdlib>
#include <new>
#include <utility>

#include "support.h"
#include "twin.h"

namespace {

constexpr std::size_t k_never = SIZE_MAX;
std::size_t left = k_never;  // allocations until the one that fails, and all behind it
std::size_t living = 0;
bool has_failed = false;

void* allocate(std::size_t size) noexcept {
  if (left == 0) return nullptr;
  if (left != k_never) --left;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) ++living;
  return memory;
}

}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) {
  if (void* const memory = allocate(size)) return memory;
  has_failed = true;
  throw std::bad_alloc();
}
// Who asks like this can do without, as a sort can; that is no failure.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept {
  if (memory != nullptr) --living;
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }

namespace sandproof::props::c {
namespace {

const std::string k_id = "00112233445566778899aabbccddeeff";
const std::string k_long(100, 'a');

// expect_failures makes the call with 0, 1, 2, ... allocations granted, until it needs no more.
// `call` frees what it was given; `wanted` is its answer with memory.
template <class Call>
void expect_failures(sandproof_status wanted, Call call) {
  for (std::size_t granted = 0;; ++granted) {
    const std::size_t before = living;
    has_failed = false;
    left = granted;
    const sandproof_status status = call();
    left = k_never;
    ASSERT_EQ(living, before) << granted << " granted";
    ASSERT_EQ(status, has_failed ? SANDPROOF_NO_MEMORY : wanted) << granted << " granted";
    if (has_failed) continue;
    EXPECT_GT(granted, 0U) << "nothing was allocated at all";
    return;
  }
}

// The call gives a text; without memory it leaves the buffer alone.
template <class Call>
void expect_text_failures(Call call) {
  static char room[1 << 17];
  expect_failures(SANDPROOF_ACCEPTED, [&] {
    sandproof_buffer buffer{room, sizeof room, k_no_size};
    const sandproof_status status = call(&buffer);
    return status == SANDPROOF_NO_MEMORY && buffer.size != k_no_size ? SANDPROOF_BAD_CALL : status;
  });
}

// unless_given is the status, or BAD_CALL where a call gave an object that it did not make.
template <class R>
sandproof_status unless_given(sandproof_status status, const R& result) {
  return status == SANDPROOF_NO_MEMORY && result.object != nullptr ? SANDPROOF_BAD_CALL : status;
}

TEST(CAllocation, TheFailuresFail) {
  left = 1;
  std::unique_ptr<int> first;
  std::unique_ptr<int> second;
  bool threw = false;
  try {
    first = std::make_unique<int>(1);
    second = std::make_unique<int>(2);
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  left = k_never;
  EXPECT_TRUE(first && !second && threw);
}

TEST(CAllocation, Messages) {
  const sandproof_refusal refusal{SANDPROOF_SUBJECT_PATH, SANDPROOF_REASON_NUL, 1, 2};
  expect_text_failures(
      [&](auto* out) { return sandproof_refusal_explain(&refusal, to_text(k_long), out); });
  expect_text_failures([&](auto* out) { return sandproof_escaped(to_text(k_long), 100, out); });
  const sandproof_report report{SANDPROOF_OUTCOME_UNVERIFIED, 0, 0, {}, {}, {}, {}};
  expect_text_failures([&](auto* out) { return sandproof_report_explain(&report, out); });
}

TEST(CAllocation, Values) {
  sandproof_refusal refusal = k_no_refusal;
  const std::vector<sandproof_text> paths{to_text("b"), to_text("a"), to_text("/a")};
  expect_failures(SANDPROOF_REFUSED, [&] {
    std::size_t order[3];
    return sandproof_path_write_order(paths.data(), 3, order, &refusal);
  });
  expect_failures(SANDPROOF_ACCEPTED, [&] {
    std::size_t order[2];
    return sandproof_path_write_order(paths.data(), 2, order, &refusal);
  });
  expect_failures(SANDPROOF_ACCEPTED, [&] {
    sandproof_text value{};
    return sandproof_plain_text_parse(to_text(k_long), &value, &refusal);
  });
  const std::vector<sandproof_env_entry> entries{{to_text("B"), to_text(k_long)},
                                                 {to_text("A"), to_text(k_long)},
                                                 {to_text("B"), to_text(k_long)}};
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}}) {
    expect_failures(count == 2 ? SANDPROOF_ACCEPTED : SANDPROOF_REFUSED, [&] {
      return sandproof_session_environment_check(entries.data(), count, 1, nullptr, &refusal);
    });
  }
}

TEST(CAllocation, Shell) {
  sandproof_refusal refusal = k_no_refusal;
  const std::vector<sandproof_text> words{to_text("echo"), to_text(k_long)};
  const sandproof_env_entry variable{to_text("A"), to_text("x")};
  const sandproof_command command{words.data(), 2, &variable, 1, nullptr};
  expect_text_failures([&](auto* out) { return sandproof_quote(words.data(), 2, out, &refusal); });
  expect_failures(SANDPROOF_ACCEPTED, [&] { return sandproof_command_check(&command, &refusal); });
  expect_text_failures([&](auto* out) {
    return sandproof_bounded_shell(&command, 1'500, SANDPROOF_SCHEME_SEALED, to_text(k_id), out,
                                   &refusal);
  });
}

TEST(CAllocation, MakingAReader) {
  sandproof_refusal refusal = k_no_refusal;
  for (const sandproof_scheme scheme : {SANDPROOF_SCHEME_NONCE, SANDPROOF_SCHEME_SEALED}) {
    expect_failures(SANDPROOF_ACCEPTED, [&] {
      const auto id = scheme == SANDPROOF_SCHEME_SEALED ? to_text(k_id) : sandproof_text{};
      MadeReader reader;
      return unless_given(sandproof_report_reader_new(scheme, id, &reader.object, &refusal),
                          reader);
    });
  }
}

TEST(CAllocation, FeedingAReader) {
  sandproof_refusal refusal = k_no_refusal;
  const std::string announcement =
      "sandproof1 " + k_id + ' ' + std::string(64, 'd') + ' ' + std::string(64, 'e') + '\n';
  std::string stream = "a warning of the shell\n" + announcement + "output\n";
  for (int i = 0; i < 200; ++i) stream += "sandproof1 " + k_id + " deadline " + k_id + '\n';
  const std::string refused = "sandproof1 " + k_id + " refused " + std::string(60, 't') + '\n';
  for (const std::string& bytes : {stream, refused, k_id + '\n' + k_long + k_id}) {
    for (const sandproof_scheme scheme : {SANDPROOF_SCHEME_SEALED, SANDPROOF_SCHEME_NONCE}) {
      expect_failures(SANDPROOF_ACCEPTED, [&] {
        const auto id = scheme == SANDPROOF_SCHEME_SEALED ? to_text(k_id) : sandproof_text{};
        MadeReader reader;
        const std::size_t granted = std::exchange(left, k_never);
        sandproof_status status = sandproof_report_reader_new(scheme, id, &reader.object, &refusal);
        left = granted;
        if (status != SANDPROOF_ACCEPTED) return sandproof_status{SANDPROOF_BAD_CALL};
        const char mark = 0;
        sandproof_piece piece{{&mark, 1}, {&mark, 1}};
        for (std::size_t at = 0; at < bytes.size() && status == SANDPROOF_ACCEPTED; at += 50) {
          const std::string_view next = std::string_view(bytes).substr(at, 50);
          piece = {{&mark, 1}, {&mark, 1}};
          status = sandproof_report_reader_feed(reader.object, to_text(next), &piece);
        }
        sandproof_report report{};
        if (status == SANDPROOF_ACCEPTED) {
          piece = {{&mark, 1}, {&mark, 1}};
          status = sandproof_report_reader_finish(reader.object, nullptr, &piece, &report);
        }
        if (status != SANDPROOF_NO_MEMORY) return status;
        // Nothing was given, and what was lost cannot be read over.
        const bool is_left = piece.leading.data == &mark && piece.output.data == &mark;
        left = k_never;
        const bool is_spent =
            sandproof_report_reader_feed(reader.object, {}, &piece) == SANDPROOF_BAD_CALL &&
            sandproof_report_reader_finish(reader.object, nullptr, &piece, &report) ==
                SANDPROOF_BAD_CALL;
        return is_left && is_spent ? status : sandproof_status{SANDPROOF_BAD_CALL};
      });
    }
  }
}

TEST(CAllocation, Egress) {
  sandproof_refusal refusal = k_no_refusal;
  expect_failures(SANDPROOF_ACCEPTED, [&] {
    MadeEgress egress;
    return unless_given(sandproof_egress_allow(&egress.object), egress);
  });
  expect_failures(SANDPROOF_ACCEPTED, [&] {
    MadeEgress egress;
    return unless_given(sandproof_egress_deny(&egress.object), egress);
  });
  const std::vector<sandproof_text> domains{to_text("*.long-name.example.com"),
                                            to_text("another.example.org")};
  const auto declare = [&](MadeEgress& egress) {
    return sandproof_egress_allow_domains(domains.data(), 2, nullptr, &egress.object, &refusal);
  };
  expect_failures(SANDPROOF_ACCEPTED, [&] {
    MadeEgress egress;
    return unless_given(declare(egress), egress);
  });
}

TEST(CAllocation, WritingADeclaredPolicy) {
  sandproof_refusal refusal = k_no_refusal;
  MadeEgress egress;
  const sandproof_text domain = to_text("*.long-name.example.com");
  ASSERT_EQ(sandproof_egress_allow_domains(&domain, 1, nullptr, &egress.object, &refusal),
            SANDPROOF_ACCEPTED);
  expect_text_failures([&](auto* out) { return sandproof_egress_policy(egress.object, out); });
}

const std::string k_policy =
    R"({"defaultAction":"Allow","trafficInspection":"Partial of something long enough",)"
    R"("hostRules":[{"pattern":"*.a-long-pattern.example.com","action":"Allow"},)"
    R"({"pattern":"b","action":"Rewrite"}],"rules":[{"name":"a rule of a long name",)"
    R"("match":{"host":"h.example","methods":["GET"]},"action":{"type":"Transform",)"
    R"("headers":[{"a":1}]}}],"aNewFieldOfALongName":{"b":[1,2.5,"a string, long enough"],"a":{}},)"
    R"("http":{"defaultAction":"Deny","another":null}})";
const std::string k_record = R"({"id":"a-session-of-a-long-name-","state":"Running",)"
                             R"("skipEgressProxy":true,"customerVnetConnectionName":"a network",)"
                             R"("egressPolicy":)" +
                             k_policy + '}';

sandproof_status read_document(std::string_view text, MadeDocument& document,
                               MadeUnreadable& unreadable) {
  return sandproof_document_read(to_text(text), SANDPROOF_DOCUMENT_ANY, &document.object,
                                 &unreadable.object);
}

TEST(CAllocation, ReadingADocument) {
  for (const std::string& text : {k_policy, k_record, std::string("null")}) {
    expect_failures(SANDPROOF_ACCEPTED, [&] {
      MadeDocument document;
      MadeUnreadable unreadable;
      return unless_given(unless_given(read_document(text, document, unreadable), document),
                          unreadable);
    });
  }
  expect_text_failures([&](auto* out) {
    sandproof_unreadable* none = nullptr;
    return sandproof_canonical_json(to_text(k_policy), out, &none);
  });
}

TEST(CAllocation, WritingAndComparingADocument) {
  MadeEgress egress;
  ASSERT_EQ(sandproof_egress_deny(&egress.object), SANDPROOF_ACCEPTED);
  const sandproof_tolerance tolerance{to_text("/egressPolicy/aNewFieldOfALongName"),
                                      to_text(k_long)};
  for (const std::string& text : {k_policy, k_record}) {
    MadeDocument document;
    MadeUnreadable unreadable;
    ASSERT_EQ(read_document(text, document, unreadable), SANDPROOF_ACCEPTED);
    expect_text_failures(
        [&](auto* out) { return sandproof_document_encode(document.object, out); });
    expect_failures(SANDPROOF_ACCEPTED, [&] {
      MadeComparison comparison;
      return unless_given(
          sandproof_compare(egress.object, document.object, &tolerance, 1, &comparison.object),
          comparison);
    });
  }
}

// Whatever the size of a text, the byte that closes it may be the one that needs more room.
TEST(CAllocation, WritingADocumentOfAnySize) {
  // A shorter document fits into a string that allocates nothing.
  for (std::size_t size = 16; size <= 80; ++size) {
    const std::string id(size, 'i');
    const std::string text = R"({"id":")" + id + R"("})";
    MadeDocument document;
    MadeUnreadable unreadable;
    ASSERT_EQ(read_document(text, document, unreadable), SANDPROOF_ACCEPTED);
    expect_text_failures(
        [&](auto* out) { return sandproof_document_encode(document.object, out); });
  }
}

TEST(CAllocation, ComparingADocumentOfHostRules) {
  MadeEgress egress;
  ASSERT_EQ(sandproof_egress_deny(&egress.object), SANDPROOF_ACCEPTED);
  MadeDocument document;
  MadeUnreadable unreadable;
  const std::string_view text =
      R"({"id":"a","skipEgressProxy":true,"egressPolicy":{"defaultAction":"Allow","hostRules":[)"
      R"({"pattern":"*.a-long-pattern.example.com","action":"Allow"}],"aNewFieldOfALongName":[1]}})";
  ASSERT_EQ(read_document(text, document, unreadable), SANDPROOF_ACCEPTED);
  expect_failures(SANDPROOF_ACCEPTED, [&] {
    MadeComparison comparison;
    return unless_given(
        sandproof_compare(egress.object, document.object, nullptr, 0, &comparison.object),
        comparison);
  });
}

TEST(CAllocation, Unreadable) {
  const std::string text = R"({"defaultAction":"Deny","hostRules":[{"a-long-unknown-name":1}]})";
  const auto read = [&](MadeDocument& document, MadeUnreadable& unreadable) {
    return sandproof_document_read(to_text(text), SANDPROOF_DOCUMENT_POLICY, &document.object,
                                   &unreadable.object);
  };
  expect_failures(SANDPROOF_UNREADABLE, [&] {
    MadeDocument document;
    MadeUnreadable unreadable;
    return unless_given(read(document, unreadable), unreadable);
  });
  MadeDocument document;
  MadeUnreadable unreadable;
  ASSERT_EQ(read(document, unreadable), SANDPROOF_UNREADABLE);
  expect_text_failures(
      [&](auto* out) { return sandproof_unreadable_explain(unreadable.object, out); });
  expect_failures(SANDPROOF_UNREADABLE, [&] {
    MadeUnreadable why;
    sandproof_buffer buffer{nullptr, 0, 0};
    return unless_given(sandproof_canonical_json(to_text("[1,"), &buffer, &why.object), why);
  });
  const std::string unread = R"({"id":"a","egressPolicy":{"hostRules":[{"an-unknown-name":1}]}})";
  sandproof_unreadable* none = nullptr;
  ASSERT_EQ(
      sandproof_document_read(to_text(unread), SANDPROOF_DOCUMENT_RECORD, &document.object, &none),
      SANDPROOF_ACCEPTED);
  expect_failures(SANDPROOF_UNREADABLE, [&] {
    MadeUnreadable why;
    return unless_given(sandproof_document_policy_check(document.object, &why.object), why);
  });
}

// ---- Operations. ----

// A script of answers; each step may find no memory.
struct Scripted {
  Order order;
  std::vector<std::string> answers;
};

// status_of runs a script to its result. Where an answer finds no memory, the operation either
// waits for the same answer again, or is lost for good.
sandproof_status status_of(const sandproof_provider* provider, const Scripted& script) {
  constexpr sandproof_status k_wrong = SANDPROOF_BAD_CALL;
  const std::size_t granted = std::exchange(left, k_never);
  const COrder order(script.order);
  left = granted;
  MadeOperation operation;
  sandproof_request request{};
  sandproof_status status = order.start(provider, &operation.object);
  if (status != SANDPROOF_ACCEPTED) return unless_given(status, operation);
  for (const std::string& answer : script.answers) {
    status = sandproof_operation_get_request(operation.object, &request);
    if (status != SANDPROOF_ACCEPTED) return status;
    const sandproof_call asked = request.call;
    status = sandproof_operation_answer(operation.object, to_text(answer), 0, 0);
    if (status == SANDPROOF_ACCEPTED) continue;
    left = k_never;
    const sandproof_status again = sandproof_operation_get_request(operation.object, &request);
    if (again == SANDPROOF_ACCEPTED) {
      const bool waits =
          request.call == asked &&
          sandproof_operation_answer(operation.object, to_text(answer), 0, 0) == SANDPROOF_ACCEPTED;
      return waits ? status : k_wrong;
    }
    sandproof_result result{};
    sandproof_buffer none{nullptr, 0, 0};
    const sandproof_transport_error gone{SANDPROOF_TRANSPORT_NOT_FOUND, nullptr, 0, {}};
    const bool is_lost =
        sandproof_operation_answer(operation.object, {}, 0, 0) == SANDPROOF_BAD_CALL &&
        sandproof_operation_fail(operation.object, &gone, 0, 0) == SANDPROOF_BAD_CALL &&
        sandproof_operation_get_result(operation.object, &result) == SANDPROOF_BAD_CALL &&
        sandproof_operation_get_json(operation.object, &none) == SANDPROOF_BAD_CALL &&
        sandproof_operation_explain(operation.object, &none) == SANDPROOF_BAD_CALL;
    return is_lost ? status : k_wrong;
  }
  static char room[1 << 14];
  for (const auto write : {sandproof_operation_explain, sandproof_operation_get_json}) {
    sandproof_buffer buffer{room, sizeof room, k_no_size};
    status = write(operation.object, &buffer);
    if (status == SANDPROOF_NO_MEMORY && buffer.size != k_no_size) return k_wrong;
    if (status != SANDPROOF_ACCEPTED) return status;
  }
  sandproof_result result{};
  return sandproof_operation_get_result(operation.object, &result);
}

TEST(CAllocation, Operations) {
  const std::string policy =
      R"("egressPolicy":{"defaultAction":"Deny","trafficInspection":"Full","hostRules":[)"
      R"({"pattern":"*","action":"Deny"}]})";
  const std::string running = R"({"id":"s1","state":"Running",)" + policy + '}';
  const std::string open = R"({"id":"s1","state":"Running","egressPolicy":)" + k_policy + '}';
  const std::string id(CallId::from_random(Order().random).view());
  const std::string ran =
      R"({"stdout":"a rather long output of a command","stderr":"a warning\nsandproof1 )" + id +
      " 8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e"
      " 404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\\nworking\\nsandproof1 " +
      id + R"( exit e0e1e2e3e4e5e6e7e8e9eaebecedeeef\n","exitCode":0})";
  const std::vector<std::pair<std::string, std::string>> pairs{{"B", k_long}, {"A", k_long}};
  const std::vector<Scripted> scripts{
      {{.verb = Verb::create, .variables = pairs}, {running, running}},
      {{.verb = Verb::create}, {running, open, ""}},
      {{.verb = Verb::create}, {"{"}},
      {{.verb = Verb::get}, {open}},
      {{.verb = Verb::get}, {R"({"id":1})"}},
      {{.verb = Verb::get_or_create}, {running, running}},
      {{.verb = Verb::run_command, .variables = pairs, .directory = k_long}, {running, ran}},
      {{.verb = Verb::run_command}, {running, R"({"stderr":"nothing of the wrapper's"})"}},
      {{.verb = Verb::read_file, .path = k_long}, {k_long}},
      {{.verb = Verb::write_files, .files = pairs}, {running, "", ""}},
      {{.verb = Verb::mkdir, .path = k_long}, {""}},
      {{.verb = Verb::mkdir, .path = k_long + "/.."}, {}},
      {{.verb = Verb::suspend}, {""}},
      {{.verb = Verb::resume}, {running, running}},
  };
  MadeEgress egress;
  ASSERT_EQ(sandproof_egress_deny(&egress.object), SANDPROOF_ACCEPTED);
  const sandproof_tolerance tolerance{to_text(k_long), to_text("1")};
  const sandproof_text long_text = to_text(k_long);
  const sandproof_provider_config config{long_text,     long_text, long_text,  &long_text,
                                         egress.object, 0,         &tolerance, 1,
                                         nullptr,       1,         nullptr};
  sandproof_refusal refusal = k_no_refusal;
  expect_failures(SANDPROOF_ACCEPTED, [&] {
    MadeProvider provider;
    return unless_given(sandproof_provider_new(&config, &provider.object, &refusal), provider);
  });
  MadeProvider provider;
  ASSERT_EQ(sandproof_provider_new(&config, &provider.object, &refusal), SANDPROOF_ACCEPTED);
  for (const Scripted& script : scripts) {
    expect_failures(SANDPROOF_ACCEPTED, [&] { return status_of(provider.object, script); });
    if (HasFailure()) FAIL() << name(script.order.verb) << ", " << script.answers.size();
  }
}

// A warning that finds no room changes nothing: it is left out.
TEST(CAllocation, AWarningMayBeLost) {
  MadeEgress egress;
  ASSERT_EQ(sandproof_egress_deny(&egress.object), SANDPROOF_ACCEPTED);
  const sandproof_provider_config config{
      to_text("i"), to_text("1"), to_text("1"), nullptr, egress.object, 0, nullptr, 0, nullptr, 1,
      nullptr};
  sandproof_refusal refusal = k_no_refusal;
  MadeProvider provider;
  ASSERT_EQ(sandproof_provider_new(&config, &provider.object, &refusal), SANDPROOF_ACCEPTED);
  const sandproof_transport_error down{SANDPROOF_TRANSPORT_UNAVAILABLE, nullptr, 0, {}};
  const sandproof_transport_error gone{SANDPROOF_TRANSPORT_NOT_FOUND, nullptr, 0, {}};
  std::vector<std::string> all;
  for (std::size_t granted = 0; granted < 40; ++granted) {
    MadeOperation operation;
    ASSERT_EQ(sandproof_start_terminate(provider.object, to_text("s1"), &operation.object),
              SANDPROOF_ACCEPTED);
    ASSERT_EQ(sandproof_operation_answer(operation.object, {}, 0, 0), SANDPROOF_ACCEPTED);
    left = granted;
    const sandproof_status status = sandproof_operation_fail(operation.object, &down, 0, 0);
    left = k_never;
    if (status == SANDPROOF_NO_MEMORY) continue;
    ASSERT_EQ(status, SANDPROOF_ACCEPTED);
    ASSERT_EQ(sandproof_operation_answer(operation.object, {}, 0, 0), SANDPROOF_ACCEPTED);
    ASSERT_EQ(sandproof_operation_fail(operation.object, &gone, 0, 0), SANDPROOF_ACCEPTED);
    char room[4096];
    sandproof_buffer json{room, sizeof room, 0};
    ASSERT_EQ(sandproof_operation_get_json(operation.object, &json), SANDPROOF_ACCEPTED);
    all.emplace_back(room, json.size);
  }
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all.front(), "{}");
  EXPECT_TRUE(all.back().starts_with(R"({"warnings":[{"code":"SANDBOX_UNREACHABLE")"));
}

}  // namespace
}  // namespace sandproof::props::c
