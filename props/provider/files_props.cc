// read_file, write_files and mkdir: what reaches the data plane, in which order, and what stops it.
#include "setting.h"

namespace sandproof::props {
namespace {

constexpr std::array<File, 2> k_files{{{"b.txt", "2"}, {"a.txt", "1"}}};

std::string wrote(Script& script, std::span<const File> files) {
  return outcome(drive(provider().write_files("s1", files), script));
}

TEST(Read, TheSessionAndThePathReachTheCallAndTheBytesComeBackUnchanged) {
  const std::string bytes("print(1)\n\0\xff", 11);
  Script script;
  script.on(Kind::read, FileContent{bytes});
  const auto content = drive(provider().read_file("s1", "src/app.py"), script);
  ASSERT_EQ(outcome(content), "ok");
  EXPECT_EQ(*content, bytes);
  EXPECT_EQ(script.trace(), "read s1 src/app.py");
}

TEST(Read, OrdinaryPathsAreSentWithoutTheirLeadingSlashes) {
  const std::vector<std::pair<std::string_view, std::string_view>> paths{
      {"app.py", "app.py"},
      {"src/app.py", "src/app.py"},
      {"/work/app.py", "work/app.py"},
      {"///work/x", "work/x"},
      {"a/./b", "a/./b"},
      {"..data/x", "..data/x"},
      {"%2e%2e/x", "%2e%2e/x"},
      {"~/x", "~/x"},
      {"[...slug].ts", "[...slug].ts"}};
  for (const auto& [given, sent] : paths) {
    Script script;
    script.on(Kind::read, FileContent{});
    EXPECT_EQ(outcome(drive(provider().read_file("s1", given), script)), "ok") << given;
    EXPECT_EQ(script.only<ReadFileCall>().path.view(), sent);
  }
}

// Neither adds anything to a sandbox.
TEST(Read, NeitherItNorMkdirLooksAtTheSessionFirst) {
  Script script;
  script.on(Kind::read, FileContent{"x"}).on(Kind::mkdir, Accepted{});
  EXPECT_EQ(outcome(drive(provider().read_file("s1", "a"), script)), "ok");
  EXPECT_EQ(outcome(drive(provider().mkdir("s1", "/d/e"), script)), "ok");
  EXPECT_EQ(script.trace(), "read s1 a, mkdir s1 d/e");
}

TEST(Read, EveryFailureOfItAndOfMkdirIsSortedTheSameWay) {
  const std::vector<std::pair<Reaction, std::string_view>> failures{
      {TransportError::not_found(), "dataPlaneRefused"},
      {http(404), "dataPlaneRefused"},
      {http(403), "dataPlaneRefused"},
      {http(408), "SANDBOX_UNREACHABLE"},
      {http(500), "SANDBOX_UNREACHABLE"},
      {down(), "SANDBOX_UNREACHABLE"},
      {TransportError::timed_out(), "SANDBOX_UNREACHABLE"},
      {garbled(), "UNEXPECTED_RESPONSE_FORMAT"},
  };
  for (const auto& [failure, says] : failures) {
    Script script;
    script.on(Kind::read, failure).on(Kind::mkdir, failure);
    const auto content = drive(provider().read_file("s1", "a"), script);
    EXPECT_EQ(outcome(content), says);
    EXPECT_EQ(content.error().verb(), Verb::read_file);
    const auto made = drive(provider().mkdir("s1", "d"), script);
    EXPECT_EQ(outcome(made), says);
    EXPECT_EQ(made.error().verb(), Verb::mkdir);
  }
}

TEST(Write, TheSessionIsJudgedFirstAndTheFilesGoInTheOrderOfTheirPaths) {
  constexpr std::array<File, 5> k_unsorted{
      {{"b", "2"}, {"/a/z", "1"}, {"a.txt", "0"}, {"B", "3"}, {"a", ""}}};
  Script script;
  script.on(Kind::get, running("s1")).on(Kind::write, Accepted{});
  EXPECT_EQ(wrote(script, k_unsorted), "ok");
  EXPECT_EQ(script.trace(),
            "get s1, write s1 B=3, write s1 a=, write s1 a.txt=0, write s1 a/z=1, write s1 b=2");
}

TEST(Write, ContentIsBytes) {
  const std::string bytes("\0\xff\r\n", 4);
  const std::array<File, 1> files{{{"a", bytes}}};
  Script script;
  script.on(Kind::get, running("s1")).on(Kind::write, Accepted{});
  EXPECT_EQ(wrote(script, files), "ok");
  EXPECT_EQ(script.only<WriteFileCall>().content, bytes);
}

TEST(Write, OneBadPathWritesNothingAtAll) {
  constexpr std::array<File, 3> k_bad{{{"a.txt", "1"}, {"b/../../escape", "2"}, {"c.txt", "3"}}};
  Script script;
  const auto result = drive(provider().write_files("s1", k_bad), script);
  ASSERT_EQ(outcome(result), "INVALID_INPUT");
  EXPECT_EQ(script.trace(), "");
  EXPECT_NE(result.error().external().find("b/../../escape"), std::string::npos);
}

TEST(Write, TwoKeysForOneSentPathAreRefused) {
  for (const std::array<File, 2>& twice : {std::array<File, 2>{{{"a", "1"}, {"/a", "2"}}},
                                           {{{"//a", "1"}, {"a", "1"}}},
                                           {{{"a", "1"}, {"a", "1"}}}}) {
    Script script;
    const auto result = drive(provider().write_files("s1", twice), script);
    ASSERT_EQ(outcome(result), "INVALID_INPUT");
    const auto& refused = std::get<RefusedInput>(result.error().evidence());
    EXPECT_EQ(refused.refusal.reason, Reason::duplicate_path);
    EXPECT_EQ(refused.field, "path");
    EXPECT_EQ(result.error().verb(), Verb::write_files);
    EXPECT_EQ(script.trace(), "");
  }
}

TEST(Write, AFailureStopsTheOnesBehindIt) {
  const std::vector<std::pair<Reaction, std::string_view>> failures{
      {TransportError::access_denied(), "dataPlaneRefused"},
      {http(413), "dataPlaneRefused"},
      {http(503), "SANDBOX_UNREACHABLE"},
      {down(), "SANDBOX_UNREACHABLE"},
      {garbled(), "UNEXPECTED_RESPONSE_FORMAT"},
  };
  for (const auto& [failure, says] : failures) {
    Script script;
    script.on(Kind::get, running("s1")).on(Kind::write, failure);
    EXPECT_EQ(wrote(script, k_files), says);
    EXPECT_EQ(script.trace(), "get s1, write s1 a.txt=1");
  }
}

TEST(Write, AFailureBehindTheFirstKeepsWhatWasWritten) {
  Script script;
  script.on(Kind::get, running("s1")).on(Kind::write, {Accepted{}, http(507)});
  EXPECT_EQ(wrote(script, k_files), "SANDBOX_UNREACHABLE");
  EXPECT_EQ(script.trace(), "get s1, write s1 a.txt=1, write s1 b.txt=2");
}

TEST(Write, OnlyARunningSessionUnderItsPolicyTakesContent) {
  const std::vector<std::pair<Reaction, std::string_view>> rows{
      {gone(), "sessionGone"},
      {bare("s1", "Deleting"), "sessionGone"},
      {bare("s1", "Failed"), "sessionGone"},
      {bare("s1", "Creating"), "sessionNotReady"},
      {bare("s1", "Resuming"), "sessionNotReady"},
      {bare("s1", "Stopping"), "sessionSuspended"},
      {record("s1", "Stopped"), "sessionSuspended"},
      {record("s1", "Suspended"), "sessionSuspended"},
      {record("s1", "Idle"), "sessionSuspended"},
      {bare("s1", "Hibernated"), "UNEXPECTED_RESPONSE_FORMAT"},
      {running("another"), "UNEXPECTED_RESPONSE_FORMAT"},
      {bare("s1"), "SANDBOX_NOT_AS_DECLARED"},
      {running("s1", open_policy()), "SANDBOX_NOT_AS_DECLARED"},
      {http(403), "dataPlaneRefused"},
      {http(503), "SANDBOX_UNREACHABLE"},
      {garbled(), "UNEXPECTED_RESPONSE_FORMAT"},
  };
  for (const auto& [seen, says] : rows) {
    Script script;
    script.on(Kind::get, seen);
    EXPECT_EQ(wrote(script, k_files), says);
    EXPECT_EQ(script.trace(), "get s1") << says;
  }
}

}  // namespace
}  // namespace sandproof::props
