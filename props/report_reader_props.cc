// The incremental reader: however a stream is cut, the pieces together are what reading the whole
// says, and little is held back.
#include "report_support.h"

namespace sandproof::props {
namespace {

using namespace std::string_literals;
using reference::Secrecy;

constexpr std::size_t k_max_lag = ReportReader::k_max_held + 1'024;

// by gives pieces of one size.
auto by(std::size_t size) {
  return [size] { return size; };
}

// cut_once gives one piece of `first` bytes, and the rest.
auto cut_once(std::size_t first) {
  return [first, done = false]() mutable {
    return std::exchange(done, true) ? std::string::npos : first;
  };
}

// cut_at_random gives small pieces, empty ones among them, and now and then a large one.
auto cut_at_random(std::mt19937& random) {
  return [&random]() -> std::size_t {
    if (random() % 16 == 0) return random() % 5'000;
    return random() % 40;
  };
}

template <class NextSize>
void expect_pieces(const ReportScheme& scheme, ExitCode exit_code, std::string_view stream,
                   NextSize next_size) {
  ASSERT_EQ(read_in_pieces(scheme, exit_code, stream, next_size),
            pieces_of(read_report(scheme, exit_code, stream), stream))
      << escaped(stream, 4'000) << " with " << exit_code.value_or(-1'000);
}

// expect_every_cut cuts a stream in two at every place, and in pieces of one and a few bytes.
void expect_every_cut(const ReportScheme& scheme, ExitCode exit_code, std::string_view stream) {
  for (std::size_t at = 0; at <= stream.size(); ++at) {
    expect_pieces(scheme, exit_code, stream, cut_once(at));
  }
  for (const std::size_t size :
       std::initializer_list<std::size_t>{1, 2, 3, 7, 31, 32, 33, 43, 44, 45, 64, 173, 174, 175}) {
    expect_pieces(scheme, exit_code, stream, by(size));
  }
}

std::vector<std::string> short_streams() {
  const std::string warning = "sh: warning\n";
  return {"",
          "\n",
          "x",
          "sandproof1 ",
          "sandproof1",
          k_refused,
          warning + k_refused,
          "x" + k_refused,
          k_refused + "after",
          k_refused + k_refused,
          k_refused + "x" + k_prefix,
          reference::refused_line(k_id, std::string(64, 't')),
          reference::refused_line(k_id, std::string(65, 't')),
          k_announcement,
          without_newline(k_announcement),
          warning + k_announcement,
          warning + k_announcement + "out" + k_exit_line,
          k_announcement + k_deadline_line + "Killed\n",
          k_announcement + without_newline(k_exit_line),
          k_announcement + without_newline(k_exit_line) + "\r\n",
          k_announcement + k_exit_line + "\n",
          k_announcement + k_fake + k_deadline_line + k_fake,
          k_announcement + k_deadline_line + k_exit_line,
          k_announcement + k_exit_line + k_forged_announcement,
          k_announcement + k_announcement + k_exit_line,
          k_announcement + k_deadline_line + "x" + k_forged_announcement,
          k_announcement + k_exit_line + without_newline(k_forged_announcement),
          k_announcement + k_prefix + k_prefix + "exit " + k_prefix,
          k_announcement + k_prefix + "exit " + k_exit_line,
          "x" + k_announcement + k_announcement + k_exit_line,
          reference::announcement_line(k_other_id, k_forger) + k_announcement + k_exit_line,
          k_id + "\n" + k_id + "Killed\n",
          warning + k_id + "\nout" + k_id + k_id,
          k_id + "\n" + k_id.substr(1),
          k_id + "0\n" + k_id + "\r\n" + k_id,
          k_id,
          k_id.substr(1) + "\n" + k_id.substr(0, 8),
          std::string(16, 'A') + "x" + std::string(31, 'b'),
          std::string(16, 'A') + std::string(16, '0'),
          "\0\xff"s + k_announcement + "\xff\0"s + k_exit_line};
}

TEST(ReportReader, EveryCutOfEveryShortStream) {
  for (const std::string& stream : short_streams()) {
    for (const ExitCode exit_code : {ExitCode(126), ExitCode(127), ExitCode(137), ExitCode()}) {
      expect_every_cut(sealed(k_id), exit_code, stream);
      expect_every_cut(ReportScheme::nonce(), exit_code, stream);
    }
  }
}

TEST(ReportReader, TheLast64CandidatesCountHoweverTheyCome) {
  for (const std::size_t fakes : std::initializer_list<std::size_t>{62, 63, 64, 65, 130}) {
    const std::string stream = k_announcement + "a" + k_exit_line + repeated(k_fake + "x", fakes);
    const std::string other = k_announcement + repeated(k_fake, 70) + k_deadline_line +
                              repeated(k_fake, fakes - 1) + k_exit_line;
    for (const std::size_t size :
         std::initializer_list<std::size_t>{1, 50, 80, 81, 1'000, 100'000}) {
      expect_pieces(sealed(k_id), 137, stream, by(size));
      expect_pieces(sealed(k_id), 137, other, by(size));
    }
  }
}

// Candidates are hashed early where much stands between them; the window of 64 counts on.
TEST(ReportReader, CandidatesThatWereHashedEarlyStillCount) {
  const std::string gap(ReportReader::k_max_held / 3, '.');
  for (const std::string& line : {k_deadline_line, k_fake}) {
    for (const std::size_t fakes :
         std::initializer_list<std::size_t>{0, 2, 4, 62, 63, 64, 65, 70}) {
      const std::string stream =
          k_announcement + k_fake + gap + line + repeated(gap + k_fake, fakes) + gap;
      for (const std::size_t size :
           std::initializer_list<std::size_t>{4'096, 50'000, 1'000'000, 100'000'000}) {
        expect_pieces(sealed(k_id), 137, stream, by(size));
        expect_pieces(sealed(k_id), 137, stream + k_exit_line, by(size));
      }
    }
  }
}

RC_GTEST_PROP(ReportReader, DrawnStreamsInDrawnPieces, ()) {
  const auto next_size = [] {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, 120));
  };
  const reference::SealedStream kept = reference::sealed_stream(drawn(), Secrecy::kept);
  expect_pieces(sealed(kept.call_id), kept.exit_code, kept.bytes, next_size);
  const reference::NonceStream nonce = reference::nonce_stream(drawn());
  expect_pieces(ReportScheme::nonce(), nonce.exit_code, nonce.bytes, next_size);
}

TEST(ReportReader, TenThousandDrawnStreamsInRandomPieces) {
  std::mt19937 random(20'240'302);
  const reference::Chooser choose = random_choices(random);
  for (int i = 0; i < 10'000; ++i) {
    for (const Secrecy secrecy : {Secrecy::kept, Secrecy::spent}) {
      const reference::SealedStream stream = reference::sealed_stream(choose, secrecy);
      expect_pieces(sealed(stream.call_id), stream.exit_code, stream.bytes, cut_at_random(random));
      expect_pieces(sealed(stream.call_id), stream.exit_code, stream.bytes, by(1));
    }
    const reference::NonceStream nonce = reference::nonce_stream(choose);
    expect_pieces(ReportScheme::nonce(), nonce.exit_code, nonce.bytes, cut_at_random(random));
    expect_pieces(ReportScheme::nonce(), nonce.exit_code, nonce.bytes, by(1));
    for (const auto& honest :
         {reference::honest_sealed_stream(choose), reference::honest_nonce_stream(choose)}) {
      expect_pieces(scheme_of(honest), honest.exit_code, honest.bytes, cut_at_random(random));
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(ReportReader, MovesInTheMiddleOfALine) {
  const std::string stream = "w\n" + k_announcement + "out" + k_exit_line + "x";
  for (std::size_t at = 0; at <= stream.size(); ++at) {
    ReportReader first(sealed(k_id));
    std::string output;
    output += first.feed(std::string_view(stream).substr(0, at)).output;
    ReportReader second(std::move(first));
    ReportReader third(ReportScheme::nonce());
    (void)third.feed("something else");
    third = std::move(second);
    output += third.feed(std::string_view(stream).substr(at)).output;
    const ReportReader::End end = third.finish(0);
    output += end.output;
    ASSERT_EQ(output, "outx") << at;
    ASSERT_TRUE(end.report.attested && !end.report.killed);
    ASSERT_TRUE(end.report.preamble.empty() && end.report.before.empty() &&
                end.report.after.empty());
  }
}

TEST(ReportReader, ASecondFinishHasNothingMoreToSay) {
  for (const std::string_view behind : {"", "x", "more than one line\n and half of another"}) {
    ReportReader reader(sealed(k_id));
    (void)reader.feed(k_announcement + "out" + k_exit_line + std::string(behind));
    ASSERT_TRUE(reader.finish(0).report.attested);
    const ReportReader::End again = reader.finish(0);
    EXPECT_TRUE(again.report.attested && again.output.empty() && again.leading.empty());
  }
}

TEST(ReportReader, AStreamMayBeEmpty) {
  for (const ExitCode exit_code : k_exit_codes) {
    expect_pieces(sealed(k_id), exit_code, "", by(1));
    expect_pieces(ReportScheme::nonce(), exit_code, {}, by(1));
    ReportReader reader(sealed(k_id));
    EXPECT_TRUE(reader.feed({}).output.empty());
    EXPECT_EQ(reader.finish(exit_code).report.outcome == Outcome::not_run, exit_code == 127);
  }
}

// ---- How much is held back. ----

// expect_lag reads a long stream in pieces of a pipe's size.
void expect_lag(const ReportScheme& scheme, std::string_view stream, std::size_t max_lag) {
  for (const std::size_t size : {std::size_t{509}, std::size_t{65'536}}) {
    const Pieces pieces = read_in_pieces(scheme, 137, stream, by(size));
    ASSERT_EQ(pieces, pieces_of(read_report(scheme, 137, stream), stream));
    EXPECT_LE(pieces.longest_lag, max_lag) << escaped(stream);
  }
}

// log_of makes honest output of a size: lines with numbers, and none of a call.
std::string log_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) {
    text += "2024-03-01T12:00:00Z [" + std::to_string(i) + "] compiled src/module.cc in 12 ms\n";
  }
  return text;
}

TEST(ReportReader, HonestOutputIsGivenOutAsItComes) {
  const std::string log = log_of(10'000'000);
  // A line that was taken away lags forever.
  expect_lag(sealed(k_id), k_announcement + log + k_exit_line, 1'024);
  expect_lag(sealed(k_id), log, 1'024);
  expect_lag(ReportScheme::nonce(), k_id + "\n" + log, 1'024);
  expect_lag(ReportScheme::nonce(), log + k_id + "\nx" + k_id, 1'024);
  expect_lag(sealed(k_id), k_announcement + std::string(10'000'000, '.'), 1'024);
  expect_lag(ReportScheme::nonce(), std::string(10'000'000, '.'), 1'024);
}

TEST(ReportReader, NoFloodIsHeldBack) {
  constexpr std::size_t k_size = 4'000'000;
  for (const std::string& flood :
       {k_fake, without_newline(k_fake), k_prefix, "sandproof1 "s, k_prefix + "\n", k_announcement,
        k_forged_announcement, k_fake + log_of(3'000), k_refused, "0"s,
        k_fake + std::string(70'000, '.'), k_announcement.substr(0, 100), k_prefix.substr(0, 20)}) {
    const std::string many = repeated(flood, k_size / flood.size());
    expect_lag(sealed(k_id), k_announcement + many, k_max_lag);
    expect_lag(sealed(k_other_id), many, k_max_lag);
    expect_lag(ReportScheme::nonce(), k_other_id + "\n" + many, k_max_lag);
    expect_lag(ReportScheme::nonce(), many, k_max_lag);
  }
  const std::string hex = repeated("0123456789abcdef", k_size / 16);
  expect_lag(sealed(k_id), k_announcement + hex, k_max_lag);
  expect_lag(ReportScheme::nonce(), k_id + "\n" + repeated(k_id.substr(0, 31), 100'000), k_max_lag);
  expect_lag(ReportScheme::nonce(), hex, k_max_lag);
}

TEST(ReportReader, WhatStandsBehindTheNoncesRepeatIsGivenOutAtOnce) {
  ReportReader reader(ReportScheme::nonce());
  EXPECT_EQ(reader.feed(k_id + "\nbefore" + k_id + "after").output, "beforeafter");
}

}  // namespace
}  // namespace sandproof::props
