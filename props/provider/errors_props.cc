// Errors: stable names, how a transport's word is sorted, and what a chain of them shows to whom.
#include <tuple>

#include "setting.h"

namespace sandproof::props {
namespace {

using TransportKind = TransportError::Kind;
using Propagation = TransportError::Propagation;

template <class Enum>
std::vector<std::string> names_of(std::size_t count, std::string_view (*name_of)(Enum)) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(name_of(static_cast<Enum>(i)));
  return names;
}

TEST(ErrorNames, AreSpelledAsCallersBranchOnThem) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      names_of<Verb>(k_verb_count, [](Verb verb) { return name(verb); }),
      (Names{"sandbox.create", "sandbox.get", "sandbox.getOrCreate", "sandbox.list",
             "sandbox.runCommand", "sandbox.readFile", "sandbox.writeFiles", "sandbox.mkdir",
             "sandbox.preview", "sandbox.suspend", "sandbox.resume", "sandbox.snapshot",
             "sandbox.jobStart", "sandbox.jobPoll", "sandbox.jobCancel", "sandbox.terminate"}));
  EXPECT_EQ(names_of<ErrorCode>(k_error_code_count, [](ErrorCode each) { return code(each); }),
            (Names{"INVALID_INPUT", "OPERATION_NOT_SUPPORTED", "SANDBOX_COMMAND_FAILED",
                   "SANDBOX_OUTCOME_UNKNOWN", "SANDBOX_UNREACHABLE", "SANDBOX_NOT_AS_DECLARED",
                   "UNEXPECTED_RESPONSE_FORMAT"}));
  EXPECT_EQ(names_of<Failure>(k_failure_count, [](Failure failure) { return name(failure); }),
            (Names{"dataPlaneRefused", "sessionGone", "sessionTerminated", "sessionNotReady",
                   "sessionSuspended", "commandNotBounded", "deadlineExceeded", "sandboxLeftAwake",
                   "sandboxLeftBehind"}));
  EXPECT_EQ(names_of<TransportKind>(7, [](TransportKind kind) { return name(kind); }),
            (Names{"not_found", "access_denied", "invalid_input", "conflict", "http_status",
                   "timed_out", "unavailable"}));
}

// ---- What a transport's word means. ----

// Every status that HTTP has, and some that it has not.
std::vector<int> statuses() {
  std::vector<int> all{-404, 0, 40, 99, 600, 999, 4'040};
  for (int status = 100; status < 600; ++status) all.push_back(status);
  return all;
}

TEST(Transport, AStatusIsARefusalFrom400To499But408) {
  for (const int status : statuses()) {
    const TransportError error = TransportError::http_status(status, "404");
    EXPECT_EQ(error.is_refusal(), status / 100 == 4 && status != 408 && status < 500) << status;
    EXPECT_EQ(error.is_not_found(), status == 404) << status;
    EXPECT_EQ(error.kind(), TransportKind::http_status);
    EXPECT_EQ(error.status(), status);
    EXPECT_EQ(error.raw(), "404");
  }
}

// A mark says that the delay will pass; without a status nobody knows what was meant.
TEST(Transport, AConflictIsARefusalOnlyWithSuchAStatusAndWithoutTheMark) {
  for (const int status : statuses()) {
    const bool is_4xx = status / 100 == 4 && status != 408;
    const auto unmarked = TransportError::conflict(status, Propagation::unmarked, "404");
    EXPECT_EQ(unmarked.is_refusal(), is_4xx) << status;
    EXPECT_FALSE(TransportError::conflict(status, Propagation::delayed).is_refusal()) << status;
    EXPECT_EQ(unmarked.kind(), TransportKind::conflict);
    EXPECT_EQ(unmarked.status(), status);
  }
  for (const Propagation propagation : {Propagation::unmarked, Propagation::delayed}) {
    const auto bare_conflict = TransportError::conflict(std::nullopt, propagation);
    EXPECT_FALSE(bare_conflict.is_refusal());
    EXPECT_FALSE(bare_conflict.is_not_found());
    EXPECT_FALSE(TransportError::conflict(409, propagation, "404").is_not_found());
  }
}

TEST(Transport, ATypedWordDecidesAndNeverItsText) {
  struct Row {
    TransportError error;
    TransportKind kind;
    bool is_refusal;
    bool is_not_found;
  };
  const std::string text = "404 Not Found";
  const std::vector<Row> rows{
      {TransportError::not_found(), TransportKind::not_found, true, true},
      {TransportError::access_denied(text), TransportKind::access_denied, true, false},
      {TransportError::invalid_input(text), TransportKind::invalid_input, true, false},
      {TransportError::timed_out(text), TransportKind::timed_out, false, false},
      {TransportError::unavailable(text), TransportKind::unavailable, false, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(row.error.kind(), row.kind);
    EXPECT_EQ(row.error.is_refusal(), row.is_refusal) << name(row.kind);
    EXPECT_EQ(row.error.is_not_found(), row.is_not_found) << name(row.kind);
    EXPECT_EQ(row.error.status(), std::nullopt);
  }
}

// What a verb makes of each, over every kind, status and mark: nothing was done, or nobody knows.
TEST(Transport, EveryVerbSortsEveryWordTheSameWay) {
  std::vector<TransportError> words{TransportError::not_found(), TransportError::access_denied(),
                                    TransportError::invalid_input(), TransportError::unavailable(),
                                    TransportError::conflict(std::nullopt, Propagation::unmarked)};
  for (const int status : statuses()) {
    words.push_back(TransportError::http_status(status));
    words.push_back(TransportError::conflict(status, Propagation::unmarked));
    words.push_back(TransportError::conflict(status, Propagation::delayed));
  }
  const AzureSandbox sandbox = provider();
  for (const TransportError& word : words) {
    const std::string_view refused = "dataPlaneRefused";
    const bool is_refusal = word.is_refusal();
    Script script;
    script.on(Kind::create, word)
        .on(Kind::get, running("s1"))
        .on(Kind::exec, word)
        .on(Kind::read, word)
        .on(Kind::write, word)
        .on(Kind::mkdir, word);
    const std::array<File, 1> files{{{"a", ""}}};
    const std::string_view unknown = is_refusal ? refused : "SANDBOX_OUTCOME_UNKNOWN";
    const std::string_view unreachable = is_refusal ? refused : "SANDBOX_UNREACHABLE";
    EXPECT_EQ(outcome(drive(sandbox.create({}), script)), unknown);
    EXPECT_EQ(outcome(drive(sandbox.run_command("s1", command()), script)), unknown);
    EXPECT_EQ(outcome(drive(sandbox.read_file("s1", "a"), script)), unreachable);
    EXPECT_EQ(outcome(drive(sandbox.write_files("s1", files), script)), unreachable);
    EXPECT_EQ(outcome(drive(sandbox.mkdir("s1", "a"), script)), unreachable);
  }
}

// Which of them may be done again is decided by the code; a person reads why.
TEST(Transport, WhatIsKnownOfAFailedCallIsSaid) {
  const std::string_view refused = "the data plane refused the call";
  const std::string_view unread = "the data plane's answer cannot be read";
  const std::string_view twice =
      "the data plane did not complete the call; it may have taken effect";
  const std::string_view again = "the data plane did not complete the call; it may be repeated";
  const AzureSandbox sandbox = provider();
  for (const auto& [answer, of_read, of_create] :
       std::vector<std::tuple<Reaction, std::string_view, std::string_view>>{
           {http(403), refused, refused}, {down(), again, twice}, {garbled(), unread, twice}}) {
    Script script;
    script.on(Kind::create, answer).on(Kind::read, answer);
    EXPECT_EQ(drive(sandbox.read_file("s1", "a"), script).error().why(), of_read);
    EXPECT_EQ(drive(sandbox.create({}), script).error().why(), of_create);
  }
}

// ---- What a chain shows. ----

Error link(ErrorCode code, Evidence evidence = {}) {
  return Error({.code = code, .verb = Verb::resume, .why = "a reason", .evidence = evidence});
}

Error left_awake(Error cause) {
  return Error({.code = ErrorCode::command_failed,
                .verb = Verb::resume,
                .why = "left awake",
                .failure = Failure::sandbox_left_awake,
                .session = session_id("s1")},
               std::move(cause));
}

TEST(ErrorChain, OnlyUnreachableMayBeRepeatedAndOnlyTheOutermostLinkSaysSo) {
  for (std::size_t i = 0; i < k_error_code_count; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(link(code).is_retryable(), code == ErrorCode::unreachable);
  }
  EXPECT_FALSE(left_awake(link(ErrorCode::unreachable)).is_retryable());
}

TEST(ErrorChain, WrappingKeepsTheCauseAndInheritsItsVisibility) {
  const std::vector<std::pair<Evidence, Visibility>> rows{
      {std::monostate{}, Visibility::external},
      {TransportError::not_found("raw"), Visibility::external},
      {TransportError::access_denied("raw"), Visibility::external},
      {TransportError::invalid_input("raw"), Visibility::external},
      {TransportError::conflict(409, Propagation::unmarked, "raw"), Visibility::external},
      {TransportError::http_status(403, "raw"), Visibility::internal},
      {TransportError::timed_out("raw"), Visibility::internal},
      {TransportError::unavailable("raw"), Visibility::internal},
      {Unreadable{Reason::wrong_type, "/raw"}, Visibility::internal},
      {Foreign{"raw"}, Visibility::internal},
  };
  for (const auto& [evidence, visibility] : rows) {
    const Error cause = link(ErrorCode::command_failed, evidence);
    EXPECT_EQ(cause.visibility(), visibility);
    const Error around = left_awake(cause);
    EXPECT_EQ(around.visibility(), visibility);
    EXPECT_EQ(left_awake(around).visibility(), visibility);
    ASSERT_NE(around.cause(), nullptr);
    EXPECT_EQ(around.cause()->why(), "a reason");
    EXPECT_EQ(around.external().find("raw"), std::string::npos) << around.external();
    const bool has_text = !std::holds_alternative<std::monostate>(evidence);
    EXPECT_EQ(around.text().find("raw") != std::string::npos, has_text) << around.text();
    EXPECT_EQ(around.external().find("a reason") != std::string::npos,
              visibility == Visibility::external);
  }
}

TEST(ErrorChain, ALabelIsAddedToACopyAndChangesNothingElse) {
  const Error error = left_awake(link(ErrorCode::not_as_declared));
  const Error labelled = error.labelled(k_id);
  EXPECT_EQ(error.attempt(), std::nullopt);
  EXPECT_EQ(labelled.attempt(), k_id);
  EXPECT_EQ(chain(labelled), chain(error));
  EXPECT_EQ(labelled.session(), error.session());
  EXPECT_EQ(labelled.visibility(), error.visibility());
  EXPECT_NE(labelled.external().find(k_id.view()), std::string::npos);
  EXPECT_EQ(error.external().find(k_id.view()), std::string::npos);
}

TEST(ErrorChain, EachLinkSaysItsCodeItsFailureItsVerbAndWhatItIsAbout) {
  const Error cause =
      link(ErrorCode::command_failed, TransportError::conflict(409, Propagation::unmarked, "raw"))
          .labelled(k_id);
  const std::string around =
      "SANDBOX_COMMAND_FAILED (sandboxLeftAwake) in sandbox.resume: left awake; session \"s1\"";
  const std::string inside =
      "; because of SANDBOX_COMMAND_FAILED in sandbox.resume: a reason; "
      "attempt \"" +
      std::string(k_id.view()) + '"';
  EXPECT_EQ(left_awake(cause).external(), around + inside);
  EXPECT_EQ(left_awake(cause).text(), around + inside + ": conflict 409 \"raw\"");
  EXPECT_EQ(link(ErrorCode::unreachable, TransportError::unavailable()).text(),
            "SANDBOX_UNREACHABLE in sandbox.resume: a reason: unavailable");
  EXPECT_EQ(left_awake(link(ErrorCode::unreachable, Foreign{"x"})).external(),
            around + "; the cause is internal");
}

TEST(ErrorChain, SixteenFindingsAreShownAndTheOthersCounted) {
  const Finding finding{FindingKind::unmodelled_field, Effect::unknown, "/cors", "says so", ""};
  const std::string shown = "; " + std::string(name(finding.kind)) + " at \"/cors\": says so";
  for (const auto& [count, more] : std::vector<std::pair<std::size_t, std::string_view>>{
           {1, ""}, {15, ""}, {16, ""}, {17, "; and 1 more"}, {40, "; and 24 more"}}) {
    std::string expected =
        "SANDBOX_NOT_AS_DECLARED in sandbox.resume: a reason: it is running a policy";
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 16); ++i) expected += shown;
    const NotDeclared judged{Verdict::unknown, std::vector<Finding>(count, finding), "a policy"};
    EXPECT_EQ(link(ErrorCode::not_as_declared, judged).text(), expected + std::string(more));
  }
}

TEST(ErrorChain, ForeignTextIsEscapedAndCutInTheLog) {
  const std::string foreign = "\x1b[2J\nroot@host\0" + std::string(10'000, 'x');
  for (const Evidence& evidence :
       {Evidence(TransportError::unavailable(foreign)), Evidence(Foreign{foreign}),
        Evidence(Unreadable{Reason::unknown_field, "/" + foreign}),
        Evidence(
            NotDeclared{Verdict::unknown,
                        {{FindingKind::unmodelled_field, Effect::unknown, "/" + foreign, "", ""}},
                        "a policy"})}) {
    const std::string text = link(ErrorCode::unexpected_response, evidence).text();
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; })) << text;
    EXPECT_LT(text.size(), 1'000U);
  }
}

}  // namespace
}  // namespace sandproof::props
