// Refusals: every reason has a name and a message, and no foreign byte is ever printed raw.
#include "sandproof/refusal.h"

#include <array>
#include <set>

#include "sandproof/sandproof.hpp"
#include "support.h"

namespace sandproof::props {
namespace {

TEST(Reason, EachHasItsOwnStableName) {
  std::set<std::string_view> codes;
  for (std::size_t i = 0; i < k_reason_count; ++i) {
    const std::string_view text = code(static_cast<Reason>(i));
    EXPECT_TRUE(codes.insert(text).second) << text;
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    })) << text;
  }
}

// Spelled out, because other programs compare these names.
TEST(Reason, NamesAreWhatTheSpecificationCallsThem) {
  EXPECT_EQ(code(Reason::empty), "empty");
  EXPECT_EQ(code(Reason::too_long), "too_long");
  EXPECT_EQ(code(Reason::forbidden_byte), "forbidden_byte");
  EXPECT_EQ(code(Reason::segment_too_long), "segment_too_long");
  EXPECT_EQ(code(Reason::leading_digit), "leading_digit");
  EXPECT_EQ(code(Reason::function_value), "function_value");
  EXPECT_EQ(code(Reason::malformed), "malformed");
  EXPECT_EQ(code(Reason::too_short), "too_short");
  EXPECT_EQ(code(Reason::empty_list), "empty_list");
  EXPECT_EQ(code(Reason::ip_literal), "ip_literal");
  EXPECT_EQ(code(Reason::refused_domain), "refused_domain");
  EXPECT_EQ(code(Reason::unknown_state), "unknown_state");
  EXPECT_EQ(code(Reason::too_large), "too_large");
  EXPECT_EQ(code(Reason::unknown_shape), "unknown_shape");
}

// Each refusal that a parse can give has a row of advice of its own.
TEST(Explain, SaysWhatToDoForEveryRefusalThereIs) {
  using namespace std::string_view_literals;
  const std::string long_text(5000, 'a');
  const std::string long_segment(300, 'a');
  std::vector<std::pair<Refusal, std::string>> refusals;
  const auto add = [&refusals](const auto& checked, std::string_view input) {
    ASSERT_FALSE(checked) << escaped(input);
    refusals.emplace_back(checked.error(), std::string(input));
  };
  for (const std::string_view text : {""sv, std::string_view(long_text), "a/b"sv}) {
    add(SessionId::parse(text), text);
  }
  for (const std::string_view text : {"a/"sv, ""sv, std::string_view(long_text), "a\0"sv, "\xff"sv,
                                      "\x01"sv, "a//b"sv, ".."sv, std::string_view(long_segment)}) {
    add(SandboxPath::parse(text), text);
  }
  for (const std::string_view text : {""sv, std::string_view(long_text), "1"sv, "a-"sv, "PATH"sv}) {
    add(SessionName::parse(text), text);
  }
  const std::string huge(k_max_env_entry_size, 'a');
  for (const std::string_view value : {"\0"sv, "\xff"sv, std::string_view(huge), "zz"sv}) {
    add(SessionVariable::parse("LINES", value), value);
  }
  add(SessionVariable::parse("X", "() {"), "() {");
  const std::vector<EnvEntry> twice{{"A", ""}, {"A", ""}};
  add(SessionEnvironment::parse(twice), "A");
  const auto command = [&add](std::vector<std::string_view> argv, std::vector<EnvEntry> variables,
                              std::optional<std::string_view> directory, std::string_view input) {
    add(Command::parse({argv, variables, directory}), input);
  };
  command({}, {}, {}, "");
  command({"a\0"sv}, {}, {}, "a\0"sv);
  command({"\xff"}, {}, {}, "\xff");
  command({"A=b"}, {{"X", ""}}, {}, "A=b");
  command({huge}, {}, {}, huge);
  command({"a"}, {}, "", "");
  command({"a"}, {}, "\0"sv, "\0"sv);
  command({"a"}, {}, "\xff", "\xff");
  command({"a"}, {}, long_text, long_text);
  for (const std::string_view text : {""sv, "0123456789abcdef0123456789abcdeF"sv}) {
    add(CallId::parse(text), text);
  }
  for (const std::string_view text : {""sv, "x"sv, "0s"sv, "25h"sv})
    add(Deadline::parse(text), text);
  for (const std::string_view text :
       {""sv, "\xff"sv, " "sv, ","sv, "://"sv, "@"sv, "["sv, "/"sv, "::"sv, ":"sv, ".a"sv, "*"sv,
        "a..b"sv, std::string_view(long_text), "-"sv, "1"sv}) {
    add(DomainPattern::parse(text), text);
  }
  add(DeclaredEgress::allow_domains({}), "");
  add(parse_state("Nowhere"), "Nowhere");
  const std::string_view too_long_text = std::string_view(long_text).substr(0, 2000);
  for (const std::string_view text : {""sv, too_long_text, "\xff"sv, "\n"sv}) {
    add(PlainText::parse(text), text);
  }
  const std::vector<SandboxPath> same{*SandboxPath::parse("a"), *SandboxPath::parse("/a")};
  add(write_order(same), "/a");
  refusals.emplace_back(Refusal{Subject::domain, Reason::refused_domain}, "a.b");

  for (const auto& [refusal, input] : refusals) {
    const std::string message = explain(refusal, input);
    EXPECT_TRUE(is_printable(message)) << message;
    EXPECT_EQ(message.find("see the reason's name"), message.npos) << message;
    EXPECT_LT(message.size(), 400U);
    EXPECT_TRUE(message.starts_with(name(refusal.subject))) << message;
    if (refusal.offset != k_no_place) {
      EXPECT_NE(message.find("at byte " + std::to_string(refusal.offset)), message.npos) << message;
    }
    if (refusal.word != k_no_place) {
      EXPECT_NE(message.find("entry " + std::to_string(refusal.word)), message.npos) << message;
    }
  }
}

// One that no parse gives still names itself.
TEST(Explain, SaysSoWhereThereIsNoAdvice) {
  EXPECT_EQ(explain(Refusal{Subject::deadline, Reason::path}, "x"),
            "deadline \"x\" is refused: see the reason's name");
}

// Strict families too, with the star of one that is a beginning; a deployment's own rule has no
// name.
TEST(Explain, SaysWhichFamilyRefusesAName) {
  const auto why = [](std::string_view input) {
    return explain(Refusal{Subject::env_name, Reason::refused_family}, input);
  };
  const auto refused_by = [](std::string_view input, const std::string& rule) {
    return "variable name " + escaped(input) + " may not be set for a whole session (" + rule +
           "): declare it on the command instead";
  };
  const std::array<std::pair<std::string_view, std::string_view>, 3> rows{{
      {"PATH", "PATH"},
      {"CDPATH", "CDPATH"},
      {"LD_PRELOAD", "LD_*"},
  }};
  for (const auto& [input, family] : rows) {
    const Family* const row = find_family(FamilySet::strict, input);
    ASSERT_NE(row, nullptr) << input;
    EXPECT_EQ(why(input), refused_by(input, std::string(family) + ": " + std::string(row->why)));
  }
  EXPECT_EQ(why("OURS"), refused_by("OURS", "a rule of this deployment"));
}

// A value may be a token, and messages go to logs.
TEST(Explain, NeverShowsTheValueOfAVariable) {
  for (const Reason reason : {Reason::nul, Reason::invalid_utf8, Reason::too_long,
                              Reason::not_digits, Reason::function_value}) {
    const std::string message = explain({Subject::env_value, reason, 1, 2}, "s3cret");
    EXPECT_EQ(message.find("s3cret"), message.npos) << message;
    EXPECT_TRUE(message.starts_with("variable value ")) << message;
  }
}

TEST(Explain, SaysWhatToDoForEveryWayOfBeingUnreadable) {
  for (const Reason reason :
       {Reason::too_large, Reason::byte_order_mark, Reason::nul, Reason::invalid_utf8,
        Reason::not_json, Reason::too_deep, Reason::duplicate_key, Reason::key_case,
        Reason::wrong_type, Reason::out_of_range, Reason::unknown_field, Reason::missing_field,
        Reason::unknown_shape}) {
    const std::string message = explain(Unreadable{reason, "/a\n\xff"});
    EXPECT_TRUE(is_printable(message)) << message;
    EXPECT_EQ(message.find("see the reason's name"), message.npos) << message;
    EXPECT_NE(message.find("\"/a\\n\\xff\""), message.npos) << message;
    EXPECT_NE(explain(Unreadable{reason, {}, 7}).find("at byte 7"), std::string::npos);
  }
}

// Where a name or a program was to stand, what is behind `=` is somebody's value.
TEST(Explain, ShowsNoValueThatStandsWhereANameShould) {
  constexpr std::string_view entry = "TOKEN=hunter2";
  const std::string shown = "\"TOKEN=\"... (13 bytes)";
  const auto expect_hidden = [&](const Refusal& refusal) {
    const std::string message = explain(refusal, entry);
    EXPECT_NE(message.find(shown), message.npos) << message;
    EXPECT_EQ(message.find("hunter2"), message.npos) << message;
  };
  expect_hidden(EnvName::parse(entry).error());
  expect_hidden(SessionName::parse(entry).error());
  const std::string_view argv[] = {entry, "ls"};
  const EnvEntry variables[] = {{"X", ""}};
  expect_hidden(Command::parse({argv, variables, {}}).error());
  // Elsewhere `=` is a byte like others.
  const std::string message = explain(SessionId::parse(entry).error(), entry);
  EXPECT_NE(message.find(entry), message.npos) << message;
}

TEST(Escaped, IsPrintableAndTellsBytesApart) {
  std::set<std::string> seen;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = escaped(std::string(1, static_cast<char>(byte)));
    EXPECT_TRUE(is_printable(text)) << byte;
    EXPECT_TRUE(seen.insert(text).second) << text;
  }
  EXPECT_EQ(escaped("a\"b\\c\n\r\t\x1b\x7f\xe9"), R"("a\"b\\c\n\r\t\x1b\x7f\xe9")");
}

TEST(Escaped, CutsAtItsLimit) {
  const std::string limit(k_max_shown, 'a');
  EXPECT_EQ(escaped(limit), '"' + limit + '"');
  EXPECT_EQ(escaped(limit + 'a'), '"' + limit + "\"... (81 bytes)");
  EXPECT_EQ(escaped("abc", 0), "\"\"... (3 bytes)");
}

RC_GTEST_PROP(Explain, IsPrintableWhateverTheInput, ()) {
  const Refusal refusal{static_cast<Subject>(*rc::gen::inRange<std::size_t>(0, k_subject_count)),
                        static_cast<Reason>(*rc::gen::inRange<std::size_t>(0, k_reason_count)),
                        *rc::gen::arbitrary<std::size_t>(), *rc::gen::arbitrary<std::size_t>()};
  const std::string message = explain(refusal, *any_bytes());
  RC_ASSERT(is_printable(message));
  RC_ASSERT(message.size() < 600U);
}

}  // namespace
}  // namespace sandproof::props
