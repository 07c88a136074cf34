// Every bad argument of every verb is refused before anything is asked, and the refusal names the
// verb and the field.
#include "setting.h"

namespace sandproof::props {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view k_good_path = "a";

void expect_refused(const std::optional<Error>& error, Verb verb, std::string_view field,
                    Reason reason) {
  const std::string where =
      std::string(name(verb)) + ' ' + std::string(field) + ' ' + std::string(code(reason));
  ASSERT_TRUE(error.has_value()) << where;
  EXPECT_EQ(error->code(), ErrorCode::invalid_input) << where;
  EXPECT_EQ(error->verb(), verb) << where;
  EXPECT_EQ(error->failure(), std::nullopt) << where;
  EXPECT_EQ(error->visibility(), Visibility::external) << where;
  EXPECT_FALSE(error->is_retryable()) << where;
  const auto* input = std::get_if<RefusedInput>(&error->evidence());
  ASSERT_NE(input, nullptr) << where;
  EXPECT_EQ(input->field, field) << where;
  EXPECT_EQ(input->refusal.reason, reason) << where;
  for (const std::string_view part : {name(verb), field, std::string_view(input->sentence)}) {
    EXPECT_NE(error->external().find(part), std::string::npos) << error->external();
  }
}

RunRequest run_of(const CommandRequest& command) { return {.command = command, .deadline = 5s}; }

CreateRequest environment(std::span<const EnvEntry> entries) {
  return {.environment = entries, .tenant_key = {}};
}

// with_session calls every verb that takes a session id.
void with_session(std::string_view id, Reason reason) {
  const AzureSandbox sandbox = provider();
  constexpr std::array<File, 1> k_files{{{k_good_path, ""}}};
  const auto expect = [reason](Verb verb, const std::optional<Error>& error) {
    expect_refused(error, verb, "sessionId", reason);
  };
  expect(Verb::get, refused(sandbox.get(id)));
  expect(Verb::get_or_create, refused(sandbox.get_or_create(id, {})));
  expect(Verb::run_command, refused(sandbox.run_command(id, command())));
  expect(Verb::read_file, refused(sandbox.read_file(id, k_good_path)));
  expect(Verb::write_files, refused(sandbox.write_files(id, k_files)));
  expect(Verb::mkdir, refused(sandbox.mkdir(id, k_good_path)));
  expect(Verb::suspend, refused(sandbox.suspend(id)));
  expect(Verb::resume, refused(sandbox.resume(id)));
  expect(Verb::terminate, refused(sandbox.terminate(id)));
}

TEST(Arguments, NoVerbTakesABadSessionId) {
  with_session("", Reason::empty);
  with_session(std::string_view(), Reason::empty);
  const std::string long_id(k_max_session_id_size + 1, 'x');
  with_session(long_id, Reason::too_long);
  for (const std::string_view id :
       {"../../other-group/sandboxes/theirs"sv, "a/b"sv, "has space"sv, "."sv, ".."sv, "a%2fb"sv,
        "a?b"sv, "a#b"sv, "s1\n"sv, "s1\0"sv, "caf\xc3\xa9"sv}) {
    with_session(id, Reason::forbidden_byte);
  }
}

void with_path(std::string_view path, Reason reason) {
  const AzureSandbox sandbox = provider();
  const std::array<File, 2> files{{{"fine", ""}, {path, "x"}}};
  expect_refused(refused(sandbox.read_file("s1", path)), Verb::read_file, "path", reason);
  expect_refused(refused(sandbox.write_files("s1", files)), Verb::write_files, "path", reason);
  expect_refused(refused(sandbox.mkdir("s1", path)), Verb::mkdir, "path", reason);
}

TEST(Arguments, NoVerbTakesABadPath) {
  with_path("", Reason::empty);
  with_path("/", Reason::trailing_slash);
  with_path("work/", Reason::trailing_slash);
  with_path("a//b", Reason::empty_segment);
  with_path("../etc/shadow", Reason::parent_segment);
  with_path("a/../../b", Reason::parent_segment);
  with_path("/../escape", Reason::parent_segment);
  with_path("a\0b"sv, Reason::nul);
  with_path("a\nb", Reason::control_byte);
  with_path("\xff", Reason::invalid_utf8);
  const std::string long_path(k_max_path_size + 1, 'x');
  with_path(long_path, Reason::too_long);
  with_path(std::string_view(long_path).substr(0, k_max_segment_size + 1),
            Reason::segment_too_long);
}

void with_environment(std::vector<EnvEntry> entries, Reason reason) {
  const AzureSandbox sandbox = provider();
  expect_refused(refused(sandbox.create(environment(entries))), Verb::create, "env", reason);
  expect_refused(refused(sandbox.get_or_create("s1", environment(entries))), Verb::get_or_create,
                 "env", reason);
  expect_refused(refused(sandbox.get_or_create(std::nullopt, environment(entries))),
                 Verb::get_or_create, "env", reason);
}

TEST(Arguments, NoSessionSetsWhatTheWrapperReads) {
  for (const std::string_view name :
       {"PATH", "IFS", "SHELLOPTS", "BASHOPTS", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT",
        "LD_DEBUG", "LD_BIND_NOW", "ENV", "BASH_ENV", "OPTIND", "MALLOC_TOP_PAD_",
        "BASH_FUNC_od"}) {
    with_environment({{"TOKEN", "t"}, {name, "/tmp/x"}}, Reason::refused_family);
  }
}

TEST(Arguments, NoSessionTakesABadVariable) {
  with_environment({{"", "v"}}, Reason::empty);
  with_environment({{"A=B", "v"}}, Reason::forbidden_byte);
  with_environment({{"1A", "v"}}, Reason::leading_digit);
  with_environment({{"A", "v\0"sv}}, Reason::nul);
  with_environment({{"A", "\xff"}}, Reason::invalid_utf8);
  with_environment({{"COLUMNS", "wide"}}, Reason::not_digits);
  with_environment({{"A", "() { :; }; x"}}, Reason::function_value);
  with_environment({{"A", "1"}, {"B", ""}, {"A", "2"}}, Reason::duplicate_name);
  const std::string long_value(k_max_env_entry_size, 'v');
  with_environment({{"A", long_value}}, Reason::too_long);
}

TEST(Arguments, ARefusedVariableIsNamedWithoutItsValue) {
  const std::vector<EnvEntry> entries{{"TOKEN", "hunter2"}, {"LD_PRELOAD", "hunter3"}};
  const auto error = refused(provider().create(environment(entries)));
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(error->external().find("LD_PRELOAD"), std::string::npos);
  EXPECT_EQ(error->text().find("hunter"), std::string::npos) << error->text();
}

void with_command(const CommandRequest& command, std::string_view field, Reason reason) {
  expect_refused(refused(provider().run_command("s1", run_of(command))), Verb::run_command, field,
                 reason);
}

TEST(Arguments, NoCommandIsSentWithABadWord) {
  using Words = std::vector<std::string_view>;
  const std::array<EnvEntry, 1> secret{{{"SECRET", "v"}}};
  with_command({{}, {}, {}}, "command", Reason::no_program);
  with_command({{}, secret, {}}, "command", Reason::no_program);
  const std::string long_word(k_max_words_size, 'w');
  for (const auto& [words, reason] :
       std::vector<std::pair<Words, Reason>>{{{""}, Reason::no_program},
                                             {{"p", "a\0"sv}, Reason::nul},
                                             {{"p", "\xff"}, Reason::invalid_utf8},
                                             {{"p", long_word}, Reason::too_long}}) {
    with_command({words, {}, {}}, "command", reason);
  }
  const Words assignment{"FOO=bar", "printenv"};
  with_command({assignment, secret, {}}, "command", Reason::assignment_program);
}

TEST(Arguments, NoCommandIsSentWithABadVariable) {
  for (const std::string_view name : {"A B", "A;rm", "A=B", "A-B", "X; curl evil"}) {
    const std::array<EnvEntry, 1> entries{{{name, "1"}}};
    with_command({k_argv, entries, {}}, "env", Reason::forbidden_byte);
  }
  const std::vector<std::pair<std::vector<EnvEntry>, Reason>> rows{
      {{{"", "v"}}, Reason::empty},
      {{{"1A", "v"}}, Reason::leading_digit},
      {{{"A", "\0"sv}}, Reason::nul},
      {{{"A", "\xff"}}, Reason::invalid_utf8},
      {{{"A", "1"}, {"A", "1"}}, Reason::duplicate_name}};
  for (const auto& [entries, reason] : rows) with_command({k_argv, entries, {}}, "env", reason);
}

TEST(Arguments, ACommandMayHaveTheVariablesThatASessionMayNot) {
  constexpr std::array<EnvEntry, 3> k_entries{{{"A", ""}, {"LD_PRELOAD", "x"}, {"PATH", "/x"}}};
  EXPECT_NE(provider().run_command("s1", run_of({k_argv, k_entries, {}})).request(), nullptr);
}

TEST(Arguments, NoCommandIsSentWithABadDirectory) {
  with_command({k_argv, {}, ""}, "workingDirectory", Reason::empty_cwd);
  with_command({k_argv, {}, "/\0"sv}, "workingDirectory", Reason::nul);
  with_command({k_argv, {}, "\xff"}, "workingDirectory", Reason::invalid_utf8);
  const std::string long_directory(k_max_working_directory_size + 1, 'd');
  with_command({k_argv, {}, long_directory}, "workingDirectory", Reason::too_long);
}

TEST(Arguments, ADeadlineIsFromOneMillisecondToADay) {
  const AzureSandbox sandbox = provider();
  for (const milliseconds bad : {-1ms, milliseconds::min()}) {
    expect_refused(refused(sandbox.run_command("s1", command(bad))), Verb::run_command, "deadline",
                   Reason::too_short);
  }
  for (const milliseconds bad : {k_max_deadline + 1ms, milliseconds::max()}) {
    expect_refused(refused(sandbox.run_command("s1", command(bad))), Verb::run_command, "deadline",
                   Reason::too_long);
  }
  EXPECT_NE(sandbox.run_command("s1", command(k_min_deadline)).request(), nullptr);
  EXPECT_NE(sandbox.run_command("s1", command(k_max_deadline)).request(), nullptr);
}

TEST(Arguments, TheFirstBadOneDecides) {
  const AzureSandbox sandbox = provider();
  const std::array<EnvEntry, 1> bad_variable{{{"PATH", "x"}}};
  const std::array<File, 1> bad_file{{{"..", ""}}};
  const CreateRequest bad_create{.environment = bad_variable, .tenant_key = "t"};
  const RunRequest no_deadline{.command = {}, .deadline = 0ms};

  expect_refused(refused(sandbox.create(bad_create)), Verb::create, "env", Reason::refused_family);
  expect_refused(refused(sandbox.get_or_create("", bad_create)), Verb::get_or_create, "sessionId",
                 Reason::empty);
  expect_refused(refused(sandbox.get_or_create("s1", bad_create)), Verb::get_or_create, "env",
                 Reason::refused_family);
  expect_refused(refused(sandbox.read_file("", "..")), Verb::read_file, "sessionId", Reason::empty);
  expect_refused(refused(sandbox.write_files("", bad_file)), Verb::write_files, "sessionId",
                 Reason::empty);
  expect_refused(refused(sandbox.mkdir("", "..")), Verb::mkdir, "sessionId", Reason::empty);
  expect_refused(refused(sandbox.run_command("", no_deadline)), Verb::run_command, "sessionId",
                 Reason::empty);
  const auto unbounded = refused(sandbox.run_command("s1", no_deadline));
  ASSERT_TRUE(unbounded.has_value());
  EXPECT_EQ(unbounded->code(), ErrorCode::operation_not_supported);
  expect_refused(refused(sandbox.run_command("s1", {.command = {}, .deadline = -1ms})),
                 Verb::run_command, "deadline", Reason::too_short);
}

}  // namespace
}  // namespace sandproof::props
