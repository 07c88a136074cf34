// Reports: reading a whole stream agrees with the reference model, whatever the stream.
#include "sandproof/deadline_report.h"

#include "report_support.h"

namespace sandproof::props {
namespace {

using namespace std::string_literals;

bool borrows(std::string_view view, std::string_view stream) {
  const std::less_equal<const char*> not_behind;
  return view.empty() || (not_behind(stream.data(), view.data()) &&
                          not_behind(view.data() + view.size(), stream.data() + stream.size()));
}

void expect_agreement(const ReportScheme& scheme, ExitCode exit_code, std::string_view stream) {
  const DeadlineReport report = read_report(scheme, exit_code, stream);
  ASSERT_EQ(report_answer(report), ask_reference(scheme, exit_code, stream))
      << escaped(stream, 2'000) << " with " << exit_code.value_or(-1'000);
  for (const std::string_view view : {report.preamble, report.before, report.after, report.tool}) {
    ASSERT_TRUE(borrows(view, stream));
  }
  const std::string why = explain(report);
  ASSERT_EQ(why.empty(), report.outcome == Outcome::ran) << why;
  ASSERT_TRUE(is_printable(why)) << escaped(why);
  ASSERT_EQ(why.find("nothing"), why.npos) << "no report proves that";
  if (report.outcome != Outcome::ran) {
    ASSERT_FALSE(report.killed || report.attested);
  }
}

void expect_sealed(ExitCode exit_code, const std::string& stream) {
  expect_agreement(sealed(k_id), exit_code, stream);
}

void expect_both(ExitCode exit_code, const std::string& stream) {
  expect_sealed(exit_code, stream);
  expect_agreement(ReportScheme::nonce(), exit_code, stream);
}

// flags is `outcome`, for a run with k where it was killed and a where it is attested.
std::string flags(const ReportScheme& scheme, ExitCode exit_code, std::string_view stream) {
  const DeadlineReport report = read_report(scheme, exit_code, stream);
  return std::string(name(report.outcome)) + (report.killed ? " k" : "") +
         (report.attested ? " a" : "");
}

std::string sealed_flags(ExitCode exit_code, std::string_view stream) {
  return flags(sealed(k_id), exit_code, stream);
}

// ---- Exit codes. ----

TEST(SealedReport, WhatEachExitCodeMeans) {
  for (const ExitCode exit_code : k_exit_codes) {
    const bool killed = exit_code == 137;
    const auto when = [exit_code](std::int32_t code) {
      return exit_code == code ? "not_run" : "unverified";
    };
    EXPECT_EQ(sealed_flags(exit_code, k_announcement + "x"), "ran");
    EXPECT_EQ(sealed_flags(exit_code, k_announcement + k_deadline_line),
              killed ? "ran k a" : "ran a");
    EXPECT_EQ(sealed_flags(exit_code, k_announcement + k_exit_line), "ran a");
    EXPECT_EQ(sealed_flags(exit_code, ""), when(127));
    EXPECT_EQ(sealed_flags(exit_code, "sh: not found\n"), when(127));
    EXPECT_EQ(sealed_flags(exit_code, "sandproof1"), when(127));
    EXPECT_EQ(sealed_flags(exit_code, "x sandproof1 y"), "unverified");
    EXPECT_EQ(sealed_flags(exit_code, "warning\n" + k_refused), when(126));
    EXPECT_EQ(sealed_flags(exit_code, k_deadline_line), "unverified");
  }
}

TEST(NonceReport, WhatEachExitCodeMeans) {
  const ReportScheme nonce = ReportScheme::nonce();
  for (const ExitCode exit_code : k_exit_codes) {
    const bool not_run = exit_code == 126 || exit_code == 127;
    EXPECT_EQ(flags(nonce, exit_code, k_id + "\nx" + k_id), exit_code == 137 ? "ran k" : "ran");
    EXPECT_EQ(flags(nonce, exit_code, k_id + "\nx"), "ran");
    EXPECT_EQ(flags(nonce, exit_code, "sh: no od\n"), not_run ? "not_run" : "unverified");
    EXPECT_EQ(flags(nonce, exit_code, k_id), "unverified") << "hex digits, and no line";
  }
}

// ---- Shapes. ----

TEST(SealedReport, ThirtyTwoLowerCaseDigitsAndNothingElse) {
  const std::string secret = k_secrets.exit;
  const std::string head = k_announcement + k_prefix + "exit ";
  EXPECT_EQ(sealed_flags(0, head + secret), "ran a") << "the last line may lack its newline";
  EXPECT_EQ(sealed_flags(0, head + secret + "\r\n"), "ran a");
  EXPECT_EQ(sealed_flags(0, head + secret + "0"), "ran a") << "whatever follows";
  EXPECT_EQ(sealed_flags(0, head + secret + secret), "ran a");
  EXPECT_EQ(sealed_flags(0, head + secret.substr(1)), "ran");
  EXPECT_EQ(sealed_flags(0, head + secret.substr(0, 31) + "\n"), "ran");
  EXPECT_EQ(sealed_flags(0, head + "0" + secret), "ran");
  EXPECT_EQ(sealed_flags(0, head + "E" + secret.substr(1)), "ran") << "upper case";
  EXPECT_EQ(sealed_flags(0, head + " " + secret), "ran");
  for (int byte = 0; byte < 256; ++byte) {
    for (const std::size_t at : {std::size_t{0}, k_prefix.size() - 1, k_prefix.size() + 4,
                                 k_prefix.size() + 5, k_prefix.size() + 36}) {
      std::string line = k_exit_line;
      line[at] = static_cast<char>(byte);
      expect_sealed(0, k_announcement + "before" + line + "after");
    }
  }
}

TEST(SealedReport, AnAnnouncementIsOneWholeLine) {
  const std::string line = without_newline(k_announcement);
  EXPECT_EQ(sealed_flags(0, line + "\n" + k_exit_line), "ran a");
  EXPECT_EQ(sealed_flags(0, "w\n" + line + "\n" + k_exit_line), "ran a");
  for (const std::string& other : {line + "\r\n", " " + line + "\n", line + " \n", line + "0\n",
                                   line.substr(0, line.size() - 1) + "\n", "x" + line + "\n", line,
                                   "\r" + line + "\n", line + "\0\n"s}) {
    EXPECT_EQ(sealed_flags(0, other + k_exit_line), "unverified") << other;
    expect_sealed(137, other + k_exit_line);
  }
  for (std::size_t at = 0; at < k_announcement.size(); ++at) {
    for (const char byte : {'\0', '\n', '\r', ' ', '/', '0', ':', 'A', '`', 'f', 'g', '\xff'}) {
      std::string changed = k_announcement;
      changed[at] = byte;
      for (const ExitCode exit_code : {126, 127, 137})
        expect_sealed(exit_code, changed + k_exit_line);
    }
  }
}

TEST(SealedReport, ARefusedLineNamesAToolOf1To64Bytes) {
  for (std::size_t size = 0; size <= 70; ++size) {
    const std::string tool(size, 't');
    const std::string stream = reference::refused_line(k_id, tool);
    expect_sealed(126, stream);
    const DeadlineReport report = read_report(sealed(k_id), 126, stream);
    EXPECT_EQ(report.outcome == Outcome::not_run, size >= 1 && size <= 64) << size;
    EXPECT_EQ(report.tool, size <= 64 ? tool : "") << size;
  }
  for (int byte = 0; byte < 256; ++byte) {
    for (std::string tool : {"x"s, "od/x"s}) {
      tool.back() = static_cast<char>(byte);
      expect_sealed(126, reference::refused_line(k_id, tool));
    }
  }
}

TEST(SealedReport, ARefusalStandsAlone) {
  EXPECT_EQ(sealed_flags(126, k_refused), "not_run");
  EXPECT_EQ(sealed_flags(126, reference::refused_line(k_other_id, "od") + k_refused), "not_run");
  for (const std::string& stream :
       {k_refused + k_refused, k_refused + "x" + k_prefix, k_prefix + "\n" + k_refused,
        "x" + k_refused, without_newline(k_refused), k_refused + k_exit_line,
        reference::refused_line(k_other_id, "od")}) {
    EXPECT_EQ(sealed_flags(126, stream), "unverified") << stream;
  }
  EXPECT_EQ(sealed_flags(126, k_announcement + k_refused), "ran");
  const DeadlineReport report = read_report(sealed(k_id), 126, k_refused);
  EXPECT_NE(explain(report).find("od"), std::string::npos);
}

TEST(SealedReport, ChecksTheLast64Candidates) {
  for (const std::string& line : {k_deadline_line, k_exit_line, without_newline(k_deadline_line)}) {
    for (const std::size_t fakes :
         std::initializer_list<std::size_t>{0, 1, 62, 63, 64, 65, 127, 128, 200}) {
      const std::string stream = k_announcement + "a" + line + repeated(k_fake + "x", fakes);
      expect_sealed(137, stream);
      expect_sealed(137, k_announcement + repeated(k_fake, 300) + line + repeated(k_fake, fakes));
      EXPECT_EQ(sealed_flags(137, stream).ends_with(" a"), fakes <= 63) << fakes;
    }
  }
  const std::string no_candidate = k_prefix + "exit " + std::string(31, 'b') + "B\n";
  EXPECT_EQ(sealed_flags(137, k_announcement + k_exit_line + repeated(no_candidate, 100)), "ran a");
  EXPECT_EQ(sealed_flags(137, k_exit_line + k_announcement), "ran") << "before the announcement";
  EXPECT_EQ(
      sealed_flags(137, k_announcement + k_deadline_line + repeated(k_fake, 63) + k_exit_line),
      "ran a")
      << "only one of the two is among the last 64";
}

TEST(SealedReport, TheFirstValidCandidateIsRemovedWhateverIsBelieved) {
  const auto stderr_of = [](const std::string& stream) {
    const DeadlineReport report = read_report(sealed(k_id), 137, stream);
    return std::string(report.before) + "|" + std::string(report.after);
  };
  EXPECT_EQ(sealed_flags(137, k_announcement + "1" + k_exit_line + "2" + k_deadline_line), "ran");
  EXPECT_EQ(stderr_of(k_announcement + "1" + k_exit_line + "2" + k_deadline_line),
            "1|2" + k_deadline_line);
  EXPECT_EQ(stderr_of(k_announcement + "1" + k_deadline_line + "2" + k_exit_line),
            "1|2" + k_exit_line);
  EXPECT_EQ(stderr_of(k_announcement + k_fake + k_exit_line + k_exit_line),
            k_fake + "|" + k_exit_line);
  EXPECT_EQ(stderr_of(k_announcement + k_exit_line + "\n"), "|\n") << "one newline belongs to it";

  for (const std::string& stream : {k_announcement + k_forged_announcement + k_deadline_line,
                                    k_announcement + k_deadline_line + k_forged_announcement}) {
    EXPECT_EQ(sealed_flags(137, stream), "ran") << "two announcements that differ";
    EXPECT_EQ(stderr_of(stream).find(k_deadline_line), std::string::npos);
    EXPECT_NE(stderr_of(stream).find(k_forged_announcement), std::string::npos);
  }
  EXPECT_EQ(sealed_flags(137, k_announcement + k_announcement + k_deadline_line), "ran k a");
  EXPECT_EQ(stderr_of(k_announcement + k_announcement + k_deadline_line), k_announcement + "|");
  EXPECT_EQ(
      sealed_flags(137, k_announcement + k_deadline_line + without_newline(k_forged_announcement)),
      "ran k a")
      << "a line ends with a newline";
}

TEST(NonceReport, ThirtyTwoLowerCaseDigitsAndTheirRepeat) {
  const ReportScheme nonce = ReportScheme::nonce();
  std::string upper = k_id;
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  EXPECT_EQ(flags(nonce, 137, k_id + "\n" + k_id + "Killed\n"), "ran k");
  EXPECT_EQ(flags(nonce, 137, k_id + "\n\0\xff"s + k_id + "\0"s), "ran k");
  for (const std::string& line :
       {k_id + "\r", k_id + "0", k_id.substr(1), upper, " " + k_id, k_id + k_id}) {
    EXPECT_EQ(flags(nonce, 137, line + "\n" + k_id), "unverified") << line;
    expect_both(126, line + "\n" + k_id.substr(1));
  }
  EXPECT_EQ(flags(nonce, 137, k_id + "\n" + k_id.substr(1) + "\n" + upper), "ran");
  EXPECT_EQ(flags(nonce, 126, "x" + upper.substr(1) + "x"), "not_run") << "31 digits";
  EXPECT_EQ(flags(nonce, 126, "x" + upper + "x"), "unverified") << "32 digits of either case";
}

// ---- Every stream made of a few parts. ----

template <class F>
void for_each_sequence(const std::vector<std::string>& parts, std::size_t max_count, F f) {
  std::string alphabet;
  for (std::size_t i = 0; i < parts.size(); ++i) alphabet += static_cast<char>(i);
  for_each_string(alphabet, max_count, [&](std::string_view indices) {
    std::string stream;
    for (const char index : indices) stream += parts[static_cast<std::size_t>(index)];
    f(stream);
  });
}

TEST(SealedReport, AgreesOnEverySequenceOfParts) {
  for_each_sequence({k_announcement, k_forged_announcement, without_newline(k_deadline_line),
                     without_newline(k_exit_line), "\n", "x", k_refused, k_fake, k_prefix},
                    4, [](const std::string& stream) {
                      for (const ExitCode exit_code : {126, 127, 137})
                        expect_sealed(exit_code, stream);
                    });
}

TEST(NonceReport, AgreesOnEverySequenceOfParts) {
  const std::string zeros(16, '0');
  for_each_sequence({zeros, "0", "\n", "A", k_id, k_id.substr(0, 31)}, 6,
                    [](const std::string& stream) {
                      for (const ExitCode exit_code : {126, 137}) {
                        expect_agreement(ReportScheme::nonce(), exit_code, stream);
                      }
                    });
}

TEST(NonceReport, WithoutAnAnnouncementAllIsTheStreamAsItCame) {
  const std::string stream = "sh: no od\n";
  for (const ExitCode exit_code : {0, 126, 127}) {
    EXPECT_EQ(read_report(ReportScheme::nonce(), exit_code, stream).before, stream);
  }
}

TEST(Report, ExplainsWhyNothingWasRun) {
  const std::string refused = explain(read_report(sealed(k_id), 126, k_refused));
  EXPECT_TRUE(refused.ends_with("\"od\" is missing or unusable")) << refused;
  const std::string absent = explain(read_report(sealed(k_id), 127, "sh: no od"));
  EXPECT_TRUE(absent.ends_with("standard error was \"sh: no od\"")) << absent;
}

// Exact at the edge, for every deadline up to a second and the longest ones, and total.
TEST(CredibleKill, NeedsNinetyNineHundredthsOfTheDeadline) {
  using std::chrono::milliseconds;
  const auto check = [](std::int64_t deadline) {
    const Deadline limit = Deadline::from(milliseconds(deadline)).value();
    const std::int64_t least = (deadline * 99 + 99) / 100;
    EXPECT_TRUE(is_credible_kill(limit, milliseconds(least))) << deadline;
    EXPECT_FALSE(is_credible_kill(limit, milliseconds(least - 1))) << deadline;
    for (const milliseconds far : {milliseconds::max(), milliseconds(deadline)}) {
      EXPECT_TRUE(is_credible_kill(limit, far));
    }
    for (const milliseconds none : {milliseconds::min(), milliseconds(-1), milliseconds(0)}) {
      EXPECT_FALSE(is_credible_kill(limit, none));
    }
  };
  for (std::int64_t deadline = 1; deadline <= 1'000; ++deadline) check(deadline);
  for (std::int64_t deadline = 86'399'900; deadline <= 86'400'000; ++deadline) check(deadline);
}

// A secret of one letter makes each sample of a run of that letter look like the secret, so that
// the slow search takes over; the secret's repeat, which it looks for, stands behind the end.
TEST(NonceReport, WhatStandsBehindTheStreamIsNotRead) {
  const std::string secret = std::string(31, 'a') + 'b';
  const std::string stream = secret + '\n' + std::string(4'000, 'a') + '\n';
  const std::string whole = stream + repeated(secret + '\n', 200);
  for (std::size_t size = stream.size() - 2; size < stream.size() + 34; ++size) {
    expect_agreement(ReportScheme::nonce(), 137, std::string_view(whole).substr(0, size));
  }
}

}  // namespace
}  // namespace sandproof::props
