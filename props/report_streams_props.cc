// Reports: drawn streams, streams that were cut, and what nobody without the secrets can cause.
#include "report_support.h"

namespace sandproof::props {
namespace {

using namespace std::string_literals;
using reference::Secrecy;

void expect_agreement(const ReportScheme& scheme, ExitCode exit_code, std::string_view stream) {
  ASSERT_EQ(report_answer(read_report(scheme, exit_code, stream)),
            ask_reference(scheme, exit_code, stream))
      << escaped(stream, 2'000) << " with " << exit_code.value_or(-1'000);
}

// ---- Drawn. ----

void expect_sealed(const reference::SealedStream& stream) {
  const ReportScheme scheme = sealed(stream.call_id);
  expect_agreement(scheme, stream.exit_code, stream.bytes);
  const DeadlineReport report = read_report(scheme, stream.exit_code, stream.bytes);
  if (stream.must_not_attest) {
    ASSERT_FALSE(report.killed || report.attested) << escaped(stream.bytes, 4'000);
  }
  if (report.killed) {
    ASSERT_TRUE(report.attested && stream.exit_code == 137);
  }
}

void expect_nonce(const reference::NonceStream& stream) {
  expect_agreement(ReportScheme::nonce(), stream.exit_code, stream.bytes);
  const DeadlineReport report = read_report(ReportScheme::nonce(), stream.exit_code, stream.bytes);
  ASSERT_FALSE(report.attested);
  ASSERT_FALSE(report.killed && stream.must_not_kill) << escaped(stream.bytes, 4'000);
}

void expect_honest(const reference::HonestStream& stream) {
  ASSERT_EQ(report_answer(read_report(scheme_of(stream), stream.exit_code, stream.bytes)),
            stream.expected)
      << escaped(stream.bytes, 4'000);
}

RC_GTEST_PROP(SealedReport, NobodyWithoutTheSecretsIsKilledOrAttested, ()) {
  expect_sealed(reference::sealed_stream(drawn(), Secrecy::kept));
}
RC_GTEST_PROP(SealedReport, AgreesWhereTheSecretsAreSpent, ()) {
  expect_sealed(reference::sealed_stream(drawn(), Secrecy::spent));
}
RC_GTEST_PROP(NonceReport, NobodyWithoutTheNonceIsKilled, ()) {
  expect_nonce(reference::nonce_stream(drawn()));
}
RC_GTEST_PROP(SealedReport, ReadsAnHonestStream, ()) {
  expect_honest(reference::honest_sealed_stream(drawn()));
}
RC_GTEST_PROP(NonceReport, ReadsAnHonestStream, ()) {
  expect_honest(reference::honest_nonce_stream(drawn()));
}

TEST(DrawnReport, TwentyThousandStreamsOfEachKind) {
  std::mt19937 random(20'240'301);
  const reference::Chooser choose = random_choices(random);
  for (int i = 0; i < 20'000; ++i) {
    expect_sealed(reference::sealed_stream(choose, Secrecy::kept));
    expect_sealed(reference::sealed_stream(choose, Secrecy::spent));
    expect_nonce(reference::nonce_stream(choose));
    expect_honest(reference::honest_sealed_stream(choose));
    expect_honest(reference::honest_nonce_stream(choose));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// A command that reads its own stderr: it has the announcement and every byte of it, in any case,
// and its own secrets with everything that it can make of them.
RC_GTEST_PROP(SealedReport, NothingMadeOfWhatACommandCanReadIsAReport, ()) {
  const std::vector<std::string> readable{k_announcement,
                                          k_forged_announcement,
                                          k_prefix,
                                          k_prefix + "deadline ",
                                          k_prefix + "exit ",
                                          reference::digest_of(k_secrets.deadline),
                                          reference::digest_of(k_secrets.exit).substr(0, 32),
                                          reference::digest_of(k_secrets.exit).substr(32),
                                          k_forger.deadline,
                                          k_forger.exit,
                                          k_fake,
                                          reference::final_line(k_id, "exit", k_forger.exit),
                                          k_refused,
                                          k_id,
                                          "\n",
                                          "\r",
                                          "0",
                                          "\0"s};
  std::string stream = k_announcement;
  for (const std::string& part :
       *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(readable))) {
    stream += part;
  }
  const DeadlineReport report = read_report(sealed(k_id), 137, stream);
  RC_ASSERT(report.outcome == Outcome::ran && !report.killed && !report.attested);
  RC_ASSERT(std::string(report.before) + std::string(report.after) ==
            stream.substr(k_announcement.size()));
  expect_agreement(sealed(k_id), 137, stream);
}

RC_GTEST_PROP(DrawnReport, AgreesOnAnyBytes, ()) {
  const std::string stream = *any_bytes();
  for (const ExitCode exit_code : k_exit_codes) {
    expect_agreement(sealed(k_id), exit_code, stream);
    expect_agreement(ReportScheme::nonce(), exit_code, stream);
  }
}

// ---- Where a line stands. ----

// Fillers that look like the beginning, the end or the middle of a line, for a finder that does not
// look at every byte.
std::vector<std::string> fillers() {
  std::string near_prefix = k_prefix;
  near_prefix.back() = '.';
  std::string early_miss = k_prefix;
  early_miss.front() = 'S';
  return {".",
          "s",
          "1 ",
          "sandproof1 ",
          k_prefix.substr(1),
          k_prefix.substr(0, 43),
          k_id,
          "\n",
          near_prefix,
          early_miss,
          k_fake,
          "sand",
          "oof1 ",
          "dproof1 0011"};
}

TEST(SealedReport, FindsALineAtEveryPlace) {
  const std::string tail(130, 's');
  for (const std::string& filler : fillers()) {
    const std::string text = repeated(filler, 200 / filler.size() + 1);
    for (std::size_t size = 0; size <= 200; ++size) {
      const std::string before = text.substr(0, size);
      expect_agreement(sealed(k_id), 137, k_announcement + before + k_exit_line);
      expect_agreement(sealed(k_id), 137, k_announcement + before + k_exit_line + tail);
      expect_agreement(sealed(k_id), 137, before + k_announcement + k_exit_line);
      expect_agreement(
          sealed(k_id), 137,
          before + "\n" + k_announcement + before + "\n" + k_forged_announcement + k_deadline_line);
      expect_agreement(sealed(k_id), 126, before + "\n" + k_refused + text.substr(size));
      expect_agreement(sealed(k_id), 127, before + "sandproof1 " + tail);
      expect_agreement(ReportScheme::nonce(), 137,
                       before + "\n" + k_other_id + "\n" + before + k_other_id);
    }
  }
}

// Long enough for a finder to give up being clever.
TEST(SealedReport, FindsALineBehindAFlood) {
  for (const std::string& filler : fillers()) {
    const std::string flood = repeated(filler, 300'000 / filler.size());
    for (const std::string& offset : {""s, "."s, ".."s, "..."s}) {
      expect_agreement(sealed(k_id), 137, k_announcement + offset + flood + k_exit_line + flood);
      expect_agreement(sealed(k_id), 126, offset + flood + "\n" + k_refused);
    }
    expect_agreement(sealed(k_id), 137, flood + "\n" + k_announcement + k_deadline_line + flood);
    expect_agreement(ReportScheme::nonce(), 137,
                     flood + "\n" + k_other_id + "\n" + flood + k_other_id);
  }
}

// ---- Cut, and changed in one byte. ----

struct Whole {
  ReportScheme scheme;
  std::string bytes;
};

std::vector<Whole> whole_streams() {
  const std::string warning = "sh: warning: no such locale\n";
  const std::vector<std::string> of_call{
      warning + k_announcement + "out\n" + k_deadline_line + "Killed\n",
      warning + k_announcement + "no newline" + k_exit_line,
      k_announcement + k_fake + k_exit_line + k_deadline_line,
      k_announcement + k_deadline_line + k_forged_announcement,
      k_announcement + k_announcement + without_newline(k_exit_line),
      warning + k_refused,
      reference::announcement_line(k_other_id, k_forger) + k_announcement + k_exit_line,
      k_announcement + k_deadline_line + repeated(k_prefix, 3) + "exit",
  };
  std::vector<Whole> streams;
  for (const std::string& bytes : of_call) streams.push_back({sealed(k_id), bytes});
  streams.push_back({ReportScheme::nonce(), warning + k_id + "\nout\n" + k_id + "Killed\n"});
  streams.push_back({ReportScheme::nonce(), k_other_id + "x\n" + k_id + "\n" + k_id + k_id});
  return streams;
}

TEST(CutReport, AgreesOnEveryHeadEveryTailAndEveryMissingByte) {
  for (const auto& [scheme, bytes] : whole_streams()) {
    for (std::size_t at = 0; at <= bytes.size(); ++at) {
      std::string missing = bytes;
      if (at < bytes.size()) missing.erase(at, 1);
      for (const ExitCode exit_code : {ExitCode(126), ExitCode(127), ExitCode(137), ExitCode()}) {
        expect_agreement(scheme, exit_code, std::string_view(bytes).substr(0, at));
        expect_agreement(scheme, exit_code, std::string_view(bytes).substr(at));
        expect_agreement(scheme, exit_code, missing);
      }
    }
  }
}

TEST(CutReport, AgreesWhereAnyByteIsAnother) {
  for (const auto& [scheme, bytes] : whole_streams()) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const char other : {'\n', '\r', '\0', ' ', '0', 'A', 's', '\xff'}) {
        std::string changed = bytes;
        changed[at] = other;
        expect_agreement(scheme, 137, changed);
        changed.insert(at, 1, bytes[at]);
        expect_agreement(scheme, 126, changed);
      }
    }
  }
}

// Where the head or the tail is lost, a report may be lost, but none appears.
TEST(CutReport, ACutStreamIsNeverReadAsAnotherReport) {
  const std::string stream = "w\n" + k_announcement + "out\n" + k_deadline_line + "Killed\n";
  const std::size_t announced = stream.find(k_announcement);
  const std::size_t report = stream.find(k_deadline_line) + k_deadline_line.size() - 1;
  for (std::size_t at = 0; at <= stream.size(); ++at) {
    const std::string_view whole = stream;
    EXPECT_EQ(read_report(sealed(k_id), 137, whole.substr(0, at)).killed, at >= report) << at;
    EXPECT_EQ(read_report(sealed(k_id), 137, whole.substr(at)).killed, at <= announced) << at;
  }
}

// A stream of which anything may be lost is at worst unverified: never "could not be bounded".
RC_GTEST_PROP(CutReport, WhatIsLeftOfACallIsNotARefusal, ()) {
  std::string stream = "w\n" + k_announcement + "out\n" + k_exit_line;
  const auto from = *rc::gen::inRange<std::size_t>(0, stream.size());
  const auto size = *rc::gen::inRange<std::size_t>(0, stream.size());
  stream.erase(from, size);
  const DeadlineReport report = read_report(sealed(k_id), 126, stream);
  RC_ASSERT(report.outcome != Outcome::not_run);
}

}  // namespace
}  // namespace sandproof::props
