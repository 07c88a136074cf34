// The C interface gives the library's answers about quoting, commands, shell texts and reports.
#include <chrono>
#include <random>

#include "../command_support.h"
#include "../report_support.h"
#include "sandproof/shell.h"
#include "support.h"

namespace sandproof::props::c {
namespace {

using nlohmann::json;

// CCommand is a command as C takes it, each text in a block of its own.
class CCommand {
 public:
  explicit CCommand(const CommandText& text) {
    for (const std::string& word : text.argv) words_.push_back(block(word));
    for (const auto& [name, value] : text.variables) {
      const sandproof_text name_block = block(name);
      variables_.push_back({name_block, block(value)});
    }
    if (text.working_directory) directory_ = block(*text.working_directory);
    command_ = {words_.data(), words_.size(), variables_.data(), variables_.size(),
                text.working_directory ? &directory_ : nullptr};
  }

  [[nodiscard]] const sandproof_command* get() const { return &command_; }

 private:
  sandproof_text block(const std::string& bytes) { return blocks_.emplace_back(bytes).text(); }

  std::vector<Block> blocks_;
  std::vector<sandproof_text> words_;
  std::vector<sandproof_env_entry> variables_;
  sandproof_text directory_{};
  sandproof_command command_{};
};

void expect_same_quotes(const std::vector<std::string>& words) {
  const auto texts = to_texts(words);
  expect_same_text(quote(to_views(words)), [&](auto... out) {
    return sandproof_quote(texts.data(), texts.size(), out...);
  });
}

void expect_same_shell(const CommandText& text) {
  const CommandViews views(text);
  const auto command = Command::parse(views.request());
  const CCommand c_command(text);
  ASSERT_NO_FATAL_FAILURE(expect_same_verdict(
      command, [&](auto* refusal) { return sandproof_command_check(c_command.get(), refusal); }));
  for (const std::int64_t milliseconds : {0, 1, 1'500, 2'000, 86'400'001}) {
    const auto deadline = Deadline::from(std::chrono::milliseconds(milliseconds));
    for (const std::string& call_id : {k_id, std::string("short"), std::string()}) {
      for (const sandproof_scheme scheme : {SANDPROOF_SCHEME_SEALED, SANDPROOF_SCHEME_NONCE}) {
        const bool is_sealed = scheme == SANDPROOF_SCHEME_SEALED;
        if (!is_sealed && !call_id.empty()) continue;
        const auto id = CallId::parse(call_id);
        Checked<std::string> wanted;
        if (!command) {
          wanted = std::unexpected(command.error());
        } else if (!deadline) {
          wanted = std::unexpected(deadline.error());
        } else if (is_sealed && !id) {
          wanted = std::unexpected(id.error());
        } else {
          const auto report = is_sealed ? ReportScheme::sealed(*id) : ReportScheme::nonce();
          wanted = std::string(bounded_shell(*command, *deadline, report).view());
        }
        ASSERT_NO_FATAL_FAILURE(expect_same_text(wanted, [&](auto... out) {
          return sandproof_bounded_shell(c_command.get(), milliseconds, scheme, to_text(call_id),
                                         out...);
        }));
      }
    }
  }
}

TEST(CCalls, EveryVectorIsAnsweredTheSame) {
  for (const json& request : vectors("quote")) {
    ASSERT_NO_FATAL_FAILURE(expect_same_quotes(request.at("argv").get<std::vector<std::string>>()));
  }
  for (const json& request : vectors("command")) {
    CommandText text{request.at("argv").get<std::vector<std::string>>(), {}, {}};
    const json variables = request.value("env", json::object());
    for (const auto& [name, value] : variables.items()) {
      text.variables.emplace_back(name, value.get<std::string>());
    }
    ASSERT_NO_FATAL_FAILURE(expect_same_shell(text));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same_quotes({}));
}

RC_GTEST_PROP(CCalls, AnyWordsAreQuotedTheSame, ()) {
  expect_same_quotes(*rc::gen::container<std::vector<std::string>>(
      rc::gen::oneOf(any_bytes(), from_alphabet("a'", 0, 6))));
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

RC_GTEST_PROP(CCalls, AnyCommandIsAnsweredTheSame, ()) {
  expect_same_shell(*rc::gen::oneOf(valid_command(), near_valid_command(), any_command()));
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

// ---- Reports. ----

bool is_same_view(std::string_view wanted, sandproof_text given) {
  return to_string(given) == wanted && (wanted.empty() || given.data == wanted.data());
}

void expect_same_report(const DeadlineReport& wanted, const sandproof_report& given) {
  ASSERT_EQ(given.outcome, static_cast<sandproof_outcome>(wanted.outcome));
  ASSERT_EQ(given.killed, wanted.killed ? 1 : 0);
  ASSERT_EQ(given.attested, wanted.attested ? 1 : 0);
  ASSERT_TRUE(is_same_view(wanted.preamble, given.preamble));
  ASSERT_TRUE(is_same_view(wanted.before, given.before));
  ASSERT_TRUE(is_same_view(wanted.after, given.after));
  ASSERT_TRUE(is_same_view(wanted.tool, given.tool));
  ASSERT_NO_FATAL_FAILURE(expect_written(
      [&](auto* out) { return sandproof_report_explain(&given, out); }, explain(wanted)));
}

using Reader = std::unique_ptr<sandproof_report_reader, decltype(&sandproof_report_reader_free)>;

// expect_same_pieces feeds pieces of `size` bytes to both readers.
void expect_same_pieces(const ReportScheme& scheme, sandproof_scheme number, sandproof_text call_id,
                        const std::int32_t* exit_code, std::string_view stream, std::size_t size) {
  ReportReader wanted(scheme);
  sandproof_report_reader* made = nullptr;
  sandproof_refusal refusal = k_no_refusal;
  ASSERT_EQ(sandproof_report_reader_new(number, call_id, &made, &refusal), SANDPROOF_ACCEPTED);
  const Reader reader(made, sandproof_report_reader_free);
  for (std::size_t at = 0; at < stream.size(); at += size) {
    const Block bytes(stream.substr(at, size));
    const ReportReader::Piece piece = wanted.feed(bytes.view());
    sandproof_piece given{};
    ASSERT_EQ(sandproof_report_reader_feed(made, bytes.text(), &given), SANDPROOF_ACCEPTED);
    ASSERT_EQ(to_string(given.leading), piece.leading);
    ASSERT_EQ(to_string(given.output), piece.output);
  }
  const auto end = wanted.finish(exit_code == nullptr ? std::nullopt : std::optional(*exit_code));
  sandproof_piece rest{};
  sandproof_report report{};
  ASSERT_EQ(sandproof_report_reader_finish(made, exit_code, &rest, &report), SANDPROOF_ACCEPTED);
  ASSERT_EQ(to_string(rest.leading), end.leading);
  ASSERT_EQ(to_string(rest.output), end.output);
  ASSERT_EQ(report.outcome, static_cast<sandproof_outcome>(end.report.outcome));
  ASSERT_EQ(report.killed, end.report.killed ? 1 : 0);
  ASSERT_EQ(report.attested, end.report.attested ? 1 : 0);
  ASSERT_EQ(to_string(report.tool), end.report.tool);
  ASSERT_EQ(report.preamble.size + report.before.size + report.after.size, 0U);
  // The stream has ended.
  ASSERT_EQ(sandproof_report_reader_feed(made, {nullptr, 0}, &rest), SANDPROOF_BAD_CALL);
  ASSERT_EQ(sandproof_report_reader_finish(made, exit_code, &rest, &report), SANDPROOF_BAD_CALL);
}

void expect_same_stream(const ReportScheme& scheme, ExitCode exit_code, std::string_view bytes,
                        std::size_t size) {
  const Block stream(bytes);
  const sandproof_scheme number =
      scheme.is_sealed() ? SANDPROOF_SCHEME_SEALED : SANDPROOF_SCHEME_NONCE;
  const sandproof_text call_id =
      scheme.is_sealed() ? to_text(scheme.call_id()->view()) : sandproof_text{};
  const std::int32_t* const code = exit_code ? &*exit_code : nullptr;
  sandproof_report report{};
  sandproof_refusal refusal = k_no_refusal;
  ASSERT_EQ(sandproof_report_read(number, call_id, code, stream.text(), &report, &refusal),
            SANDPROOF_ACCEPTED);
  ASSERT_EQ(refusal, k_no_refusal);
  ASSERT_NO_FATAL_FAILURE(
      expect_same_report(read_report(scheme, exit_code, stream.view()), report));
  ASSERT_NO_FATAL_FAILURE(expect_same_pieces(scheme, number, call_id, code, stream.view(), size));
}

TEST(CReports, EveryVectorIsReadTheSame) {
  for (const json& request : vectors("report")) {
    const auto stream = bytes_of(request, "stderr", "stderr_hex");
    const ReportScheme scheme = request.contains("call_id")
                                    ? sealed(request.at("call_id").get<std::string>())
                                    : ReportScheme::nonce();
    ExitCode code;
    if (request.at("exit_code").is_number()) code = request.at("exit_code").get<std::int32_t>();
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, SIZE_MAX / 2}) {
      ASSERT_NO_FATAL_FAILURE(expect_same_stream(scheme, code, stream, size));
    }
  }
}

RC_GTEST_PROP(CReports, AnyStreamIsReadTheSame, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 100);
  const ExitCode code = *rc::gen::elementOf(k_exit_codes);
  if (*rc::gen::arbitrary<bool>()) {
    const auto stream = reference::sealed_stream(drawn(), reference::Secrecy::spent);
    expect_same_stream(sealed(stream.call_id), code, stream.bytes, size);
  } else {
    expect_same_stream(ReportScheme::nonce(), code, reference::nonce_stream(drawn()).bytes, size);
  }
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

RC_GTEST_PROP(CReports, AnyBytesAreReadTheSame, ()) {
  const ExitCode code = *rc::gen::elementOf(k_exit_codes);
  expect_same_stream(*rc::gen::arbitrary<bool>() ? sealed(k_id) : ReportScheme::nonce(), code,
                     *any_bytes(), 3);
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

TEST(CReports, ACallIdThatIsRefusedIsRefused) {
  for (const std::string& id : {std::string(), k_id + "0", std::string(32, 'A')}) {
    const Checked<CallId> wanted = CallId::parse(id);
    sandproof_report report{};
    ASSERT_NO_FATAL_FAILURE(expect_same_verdict(wanted, [&](auto* refusal) {
      return sandproof_report_read(SANDPROOF_SCHEME_SEALED, to_text(id), nullptr, {nullptr, 0},
                                   &report, refusal);
    }));
    sandproof_report_reader* reader = nullptr;
    ASSERT_NO_FATAL_FAILURE(expect_same_verdict(wanted, [&](auto* refusal) {
      return sandproof_report_reader_new(SANDPROOF_SCHEME_SEALED, to_text(id), &reader, refusal);
    }));
    ASSERT_EQ(reader, nullptr);
  }
}

}  // namespace
}  // namespace sandproof::props::c
