// The operations of the C interface are those of the provider: the same requests, the same result,
// whatever the service answers.
#include <random>

#include "../support.h"
#include "service.h"
#include "support.h"

namespace sandproof::props::c {
namespace {

std::vector<Service>& services() {
  static std::vector<Service> all(settings().begin(), settings().end());
  return all;
}

// Each letter first, each quick ending behind it (one behind a rare letter); under every
// configuration.
TEST(COperations, EveryFirstAnswerLeadsToTheSame) {
  std::size_t results = 0;
  for (const Service& service : services()) {
    for (const Order& order : orders()) {
      const std::size_t letter_count = [&] {
        Twin twin(service.config(), order);
        return twin.request() == nullptr ? 1 : service.letters(*twin.request()).size();
      }();
      for (std::size_t first = 0; first < letter_count; ++first) {
        const bool is_rare = [&] {
          Twin twin(service.config(), order);
          return twin.request() != nullptr && service.letters(*twin.request())[first].rare;
        }();
        for (const Tail& end : service.ends()) {
          if (end.slow) continue;
          if (is_rare && &end != &service.ends().front()) continue;
          Twin twin(service.config(), order);
          Moments moments;
          bool is_first = true;
          while (const Request* const request = twin.request()) {
            const Letter& letter =
                is_first ? service.letters(*request)[first] : end.letters[request->index()];
            is_first = false;
            moments.give(twin, said(letter, *request), letter.pace);
          }
          ASSERT_EQ(twin.complaint(), "")
              << name(order.verb) << ", letter " << first << ", end " << end.name;
          ++results;
        }
      }
    }
  }
  EXPECT_GT(results, 5'000U);
}

rc::Gen<std::string> a_text(std::vector<std::string> good) {
  return rc::gen::weightedOneOf<std::string>(
      {{20, rc::gen::elementOf(std::move(good))}, {1, any_bytes()}});
}

rc::Gen<Order> any_order() {
  const auto pairs = [](std::vector<std::string> names) {
    return rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
        rc::gen::pair(a_text(std::move(names)), a_text({"", "x", "\xc3\xa9", "() {"})));
  };
  return rc::gen::exec([=] {
    if (*rc::gen::inRange(0, 4) != 0) return *rc::gen::elementOf(orders());
    Order order{.verb = *rc::gen::elementOf(std::vector<Verb>(k_verbs.begin(), k_verbs.end())),
                .random = k_random};
    order.session_id = *a_text({names().asked});
    if (*rc::gen::inRange(0, 4) == 0) order.session_id.reset();
    order.variables = *pairs({"A", "B_1", "LD_PRELOAD"});
    order.words = *rc::gen::container<std::vector<std::string>>(a_text({"make", "it's", "A=1"}));
    if (*rc::gen::arbitrary<bool>()) order.directory = *a_text({"/work", ""});
    order.deadline = *rc::gen::element<std::int64_t>(k_deadline.count(), 1, 0, -1, 86'400'001);
    order.path = *a_text({"a", "/a/b", "a/../b"});
    order.files = *pairs({"a", "b/c", "/a", "b/"});
    return order;
  });
}

RC_GTEST_PROP(COperations, AnyScriptLeadsToTheSame, ()) {
  const Service& service = services()[*rc::gen::inRange<std::size_t>(0, services().size())];
  const Order order = *any_order();
  Twin twin(service.config(), order);
  Moments moments;
  // A body that fits nothing, the file of any bytes, or a letter.
  for (int step = 0; twin.request() != nullptr && step < 300; ++step) {
    const Request& request = *twin.request();
    const auto& letters = service.letters(request);
    const Letter& letter = letters[*rc::gen::inRange<std::size_t>(0, letters.size())];
    const bool is_foreign = *rc::gen::inRange(0, 10) == 0;
    const Said answer = is_foreign ? Said(*any_bytes()) : said(letter, request);
    const Pace pace = *rc::gen::elementOf(std::vector<Pace>(k_paces.begin(), k_paces.end()));
    moments.give(twin, answer, pace);
  }
  RC_ASSERT(twin.complaint() == "");
}

// ---- Examples. ----

AzureConfig a_config() { return configured(settings().front()); }

std::string exec_result(std::string_view output, std::string_view verdict, int code) {
  const std::string id(CallId::from_random(k_random).view());
  return R"({"stdout":")" + std::string(output) + R"(","stderr":"sandproof1 )" + id +
         " 8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e"
         " 404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\\nworking\\n"
         "sandproof1 " +
         id + ' ' + std::string(verdict) + R"(\n","exitCode":)" + std::to_string(code) + '}';
}

const std::string k_right_record =
    R"({"id":"s1","state":"Running","egressPolicy":{"defaultAction":"Deny",)"
    R"("trafficInspection":"Full","hostRules":[{"pattern":"*","action":"Deny"}]}})";
const std::string k_open_record =
    R"({"id":"s1","state":"Running","egressPolicy":{"defaultAction":"Allow",)"
    R"("trafficInspection":"Full"}})";

// run drives what is asked over answers that come at once.
std::string run(const Order& order, const std::vector<Said>& answers) {
  Twin twin(a_config(), order);
  for (const Said& each : answers) {
    if (twin.request() == nullptr) return "ended early: " + twin.complaint();
    twin.answer(each, 1'000, 1'000);
  }
  if (!twin.is_sound() || twin.request() != nullptr) return "not ended: " + twin.complaint();
  return twin.json();
}

TEST(COperations, AreShownAsTheHeaderSays) {
  EXPECT_EQ(run({.verb = Verb::get}, {k_right_record}),
            R"({"session":{"id":"s1","state":"running","generation":1}})");
  EXPECT_EQ(run({.verb = Verb::get}, {Failed{SANDPROOF_TRANSPORT_NOT_FOUND}}),
            R"({"session":null})");
  EXPECT_EQ(run({.verb = Verb::mkdir}, {""}), "{}");
  EXPECT_EQ(run({.verb = Verb::read_file}, {std::string("\0\xff\n", 3)}), R"({"size":3})");
  EXPECT_EQ(
      run({.verb = Verb::run_command, .random = k_random},
          {k_right_record, exec_result("hi\\n", "exit e0e1e2e3e4e5e6e7e8e9eaebecedeeef", 0)}),
      R"({"run":{"frames":[{"stream":"standard_output","seq":0,"data":"hi\n"},)"
      R"({"stream":"standard_error","seq":1,"data":"working\n"}],"preamble":"","exitCode":0}})");
  EXPECT_EQ(
      run({.verb = Verb::run_command}, {k_open_record}),
      R"({"error":{"code":"SANDBOX_NOT_AS_DECLARED","verb":"sandbox.runCommand",)"
      R"("why":"the session's egress policy is not the declared one","session":"s1",)"
      R"("verdict":"widened","findings":[{"kind":"default_action","effect":"widens",)"
      R"("pointer":"/egressPolicy/defaultAction","detail":"the default is \"Allow\", not a deny"},)"
      R"({"kind":"missing_rule","effect":"unknown","pointer":"/egressPolicy/hostRules",)"
      R"("detail":"the deny of every host is missing"}],"retryable":false,"external":true,)"
      R"("message":"SANDBOX_NOT_AS_DECLARED in sandbox.runCommand: the session's egress policy is )"
      R"(not the declared one; session \"s1\"","text":"SANDBOX_NOT_AS_DECLARED in )"
      R"(sandbox.runCommand: the session's egress policy is not the declared one; session \"s1\": )"
      R"(it is running default \"Allow\", inspection \"Full\", 0 host rules, 0 match rules; )"
      R"(default_action at \"/egressPolicy/defaultAction\": the default is \"Allow\", not a deny; )"
      R"(missing_rule at \"/egressPolicy/hostRules\": the deny of every host is missing"}})");
  EXPECT_EQ(
      run({.verb = Verb::get, .session_id = "a/b"}, {}),
      R"({"error":{"code":"INVALID_INPUT","verb":"sandbox.get","why":"an argument is refused",)"
      R"("refused":{"field":"sessionId","subject":"session id","reason":"forbidden_byte",)"
      R"("offset":1},"retryable":false,"external":true,"message":"INVALID_INPUT in )"
      R"(sandbox.get: an argument is refused (sessionId): session id \"a/b\" has a forbidden )"
      R"(byte at byte 1: use only letters, digits, '-' and '_'","text":"INVALID_INPUT in )"
      R"(sandbox.get: an argument is refused (sessionId): session id \"a/b\" has a forbidden )"
      R"(byte at byte 1: use only letters, digits, '-' and '_'"}})");
}

TEST(COperations, AskForWhatTheHeaderSays) {
  Twin twin(a_config(),
            {.verb = Verb::write_files, .files = {{"/b", std::string("\0\xff", 2)}, {"a", "x"}}});
  sandproof_request request{};
  ASSERT_EQ(sandproof_operation_get_request(twin.in_c(), &request), SANDPROOF_ACCEPTED);
  EXPECT_EQ(request.call, SANDPROOF_CALL_GET);
  EXPECT_EQ(request.bound_milliseconds, 30'000);
  EXPECT_EQ(to_string(request.session_id), "s1");
  twin.answer(k_right_record, 0, 0);
  twin.answer("", 0, 0);
  ASSERT_EQ(sandproof_operation_get_request(twin.in_c(), &request), SANDPROOF_ACCEPTED);
  EXPECT_EQ(request.call, SANDPROOF_CALL_WRITE_FILE);
  EXPECT_EQ(to_string(request.path), "b");
  EXPECT_EQ(to_string(request.body), std::string("\0\xff", 2));
  EXPECT_EQ(twin.complaint(), "");
}

// So a caller can name what a create has left even when the operation has been lost.
TEST(COperations, ACreateIsLabelledByItsRandom) {
  Twin twin(a_config(), {.verb = Verb::create, .random = k_random});
  char room[SANDPROOF_CALL_ID_SIZE];
  sandproof_buffer label{room, sizeof room, 0};
  ASSERT_EQ(sandproof_call_id_from_random(k_random.data(), &label), SANDPROOF_ACCEPTED);
  sandproof_request request{};
  ASSERT_EQ(sandproof_operation_get_request(twin.in_c(), &request), SANDPROOF_ACCEPTED);
  EXPECT_EQ(request.call, SANDPROOF_CALL_CREATE);
  EXPECT_TRUE(to_string(request.body).contains(std::string(room, label.size)));
}

TEST(COperations, ADeadlineOfZeroIsNotSupportedAndAnyOtherBadOneIsRefused) {
  const std::string none = run({.verb = Verb::run_command, .deadline = 0}, {});
  EXPECT_TRUE(none.contains(R"("code":"OPERATION_NOT_SUPPORTED")")) << none;
  EXPECT_FALSE(none.contains(R"("refused":)")) << none;
  const std::string negative = run({.verb = Verb::run_command, .deadline = -1}, {});
  EXPECT_TRUE(negative.contains(R"("code":"INVALID_INPUT")")) << negative;
  EXPECT_TRUE(negative.contains(R"("refused":{"field":"deadline")")) << negative;
}

// A kill is believed by the times that are given with the answer, and by no others.
TEST(COperations, ADeadlineIsMeasuredFromWhenTheCallWasSent) {
  const auto end = [](std::int64_t sent, std::int64_t answered) {
    Twin twin(a_config(), {.verb = Verb::run_command, .deadline = 1'000, .random = k_random});
    twin.answer(k_right_record, 0, 100);
    twin.answer(exec_result("", "deadline d0d1d2d3d4d5d6d7d8d9dadbdcdddedf", 137), sent, answered);
    sandproof_result result{};
    EXPECT_EQ(sandproof_operation_get_result(twin.in_c(), &result), SANDPROOF_ACCEPTED);
    EXPECT_EQ(twin.complaint(), "");
    return std::pair(result.error, result.failure);
  };
  const auto believed = std::pair(sandproof_error{SANDPROOF_ERROR_COMMAND_FAILED},
                                  sandproof_failure{SANDPROOF_FAILURE_DEADLINE_EXCEEDED});
  const auto not_believed = std::pair(sandproof_error{SANDPROOF_ERROR_OUTCOME_UNKNOWN},
                                      sandproof_failure{SANDPROOF_FAILURE_NONE});
  EXPECT_EQ(end(200, 1'190), believed);
  EXPECT_EQ(end(200, 1'189), not_believed);
}

// ---- Providers. ----

TEST(COperations, AProviderIsRefusedForTheFirstTextThatIsNone) {
  MadeEgress egress;
  ASSERT_EQ(sandproof_egress_deny(&egress.object), SANDPROOF_ACCEPTED);
  const sandproof_text good = to_text("ubuntu");
  const sandproof_text bad = to_text("a\n");
  for (std::size_t at = 0; at < 4; ++at) {
    const auto text = [&](std::size_t place) { return place == at ? bad : good; };
    const sandproof_text disk = text(3);
    const sandproof_provider_config config{text(0), text(1), text(2), &disk, egress.object, 0,
                                           nullptr, 0,       nullptr, 1,     nullptr};
    sandproof_provider* provider = nullptr;
    sandproof_refusal refusal = k_no_refusal;
    ASSERT_EQ(sandproof_provider_new(&config, &provider, &refusal), SANDPROOF_REFUSED);
    EXPECT_EQ(provider, nullptr);
    EXPECT_EQ(refusal, (sandproof_refusal{SANDPROOF_SUBJECT_CONFIGURATION,
                                          SANDPROOF_REASON_CONTROL_BYTE, 1, at}));
  }
}

TEST(COperations, ARuleOfTheCallersRefusesAVariable) {
  const auto refuses = [](void* context, sandproof_text name) -> std::int32_t {
    return to_string(name) == *static_cast<const std::string*>(context) ? 1 : 0;
  };
  std::string refused = "CORP";
  const auto created_with = [&](const std::string& variable) {
    const auto rule = std::make_unique<sandproof_name_rule>(sandproof_name_rule{refuses, &refused});
    MadeProvider provider;
    sandproof_refusal refusal = k_no_refusal;
    EXPECT_EQ(make_provider(a_config(), provider, refusal, rule.get()), SANDPROOF_ACCEPTED);
    MadeOperation operation;
    const COrder order({.verb = Verb::create, .variables = {{variable, "x"}}});
    EXPECT_EQ(order.start(provider.object, &operation.object), SANDPROOF_ACCEPTED);
    sandproof_request request{};
    EXPECT_EQ(sandproof_operation_get_request(operation.object, &request), SANDPROOF_ACCEPTED);
    return request.call;
  };
  EXPECT_EQ(created_with("CORP"), SANDPROOF_CALL_ENDED);
  EXPECT_EQ(created_with("OTHER"), SANDPROOF_CALL_CREATE);
}

TEST(COperations, TheFamiliesAreThoseOfTheConfiguration) {
  const Order order{.verb = Verb::create, .variables = {{"TZDIR", "x"}}};
  AzureConfig config = a_config();
  for (const FamilySet set : {FamilySet::strict, FamilySet::baseline}) {
    config.session_rules.set = set;
    Twin twin(config, order);
    EXPECT_EQ(twin.request() == nullptr, set == FamilySet::strict);
    EXPECT_EQ(twin.complaint(), "");
  }
}

TEST(COperations, GoOnWithoutTheirProviderAndMayBeGivenUp) {
  for (const Order& order : orders()) {
    Twin never_answered(a_config(), order);  // its provider has been freed by now
    ASSERT_EQ(never_answered.complaint(), "");
  }
}

}  // namespace
}  // namespace sandproof::props::c
