// Paths: scanner, reference and regular expression say the same of every input.
#include "sandproof/sandbox_path.h"

#include "support.h"

namespace sandproof::props {
namespace {

void expect_agreement(std::string_view text) {
  const Checked<SandboxPath> path = SandboxPath::parse(text);
  ASSERT_EQ(answer_of(path), reference::sandbox_path(text)) << escaped(text);
  if (path) {
    ASSERT_TRUE(text.ends_with(path->view()));
    ASSERT_EQ(path->view().data() + path->view().size(), text.data() + text.size());
    ASSERT_EQ(SandboxPath::parse(path->view())->view(), path->view()) << "parsing is idempotent";
    ASSERT_EQ(OwnedSandboxPath(*path).view(), path->view());
  }
  // What is sent never begins with a slash, so the expression speaks of the trimmed text alone.
  if (!text.starts_with('/')) {
    ASSERT_EQ(path.has_value(), matches_language("path", text)) << escaped(text);
  }
}

rc::Gen<std::string> valid_path() {
  const auto segment =
      rc::gen::oneOf(rc::gen::elementOf(std::vector<std::string>{
                         ".", "..data", "a..b", "...", "~", "%2e%2e", "..\\", "[...slug].ts",
                         "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "-rf", "a b#c?d"}),
                     from_alphabet("abc.-_ ", 1, 20));
  return rc::gen::exec([segment] {
    std::string path = *rc::gen::elementOf(std::vector<std::string>{"", "/", "//"});
    const int count = *rc::gen::inRange(1, 8);
    for (int i = 0; i < count; ++i) {
      if (i > 0) path += '/';
      path += *segment;
    }
    return path;
  });
}

TEST(SandboxPath, AgreesOnEveryByteAndPair) { for_each_short(expect_agreement); }

TEST(SandboxPath, AgreesOnEveryShortStringOverTheBytesThatMatter) {
  using namespace std::string_view_literals;
  for_each_string("/.a\0\x1f\x7f\xc3"sv, 6, expect_agreement);
}

// Every lead byte with every pair after it: all that decides whether UTF-8 is well-formed.
TEST(SandboxPath, AgreesOnEveryUtf8Boundary) {
  constexpr unsigned char k_edges[] = {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 'a'};
  for (int lead = 0x80; lead < 0x100; ++lead) {
    for (const unsigned char second : k_edges) {
      for (const unsigned char third : k_edges) {
        for (const unsigned char fourth : k_edges) {
          const std::string sequence{static_cast<char>(lead), static_cast<char>(second),
                                     static_cast<char>(third), static_cast<char>(fourth)};
          for (std::size_t size = 1; size <= 4; ++size) {
            expect_agreement("x" + sequence.substr(0, size));
          }
        }
      }
    }
  }
}

TEST(SandboxPath, AgreesOnEveryByteAtEveryPlace) { for_each_place('a', 40, expect_agreement); }

// Mistakes of several bytes, and what looks like one, at every place of every short length.
TEST(SandboxPath, FindsEachMistakeAtEveryPlace) {
  for (std::size_t size = 1; size <= 80; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const std::string_view part : {"//", "/../", "/..", "../", "..", "/.", "./", "/./",
                                          "/.../", "/..a/", "/a../", "/.a./"}) {
        std::string text(size, 'a');
        text.insert(at, part);
        expect_agreement(text);
      }
    }
  }
}

TEST(SandboxPath, KeepsItsLimits) {
  const std::string segment(k_max_segment_size, 's');
  EXPECT_TRUE(SandboxPath::parse(segment));
  const std::string long_segment = "a/" + segment + "s/b";
  EXPECT_EQ(SandboxPath::parse(long_segment).error(),
            (Refusal{Subject::path, Reason::segment_too_long, 2}));

  std::string longest;
  while (longest.size() + 2 <= k_max_path_size) longest += "a/";
  longest += 'a';
  ASSERT_EQ(longest.size(), k_max_path_size);
  EXPECT_TRUE(SandboxPath::parse(longest));
  const std::string trimmed = "///" + longest;
  EXPECT_TRUE(SandboxPath::parse(trimmed)) << "leading slashes do not count";
  const std::string past = longest + 'a';
  EXPECT_EQ(SandboxPath::parse(past).error(), (Refusal{Subject::path, Reason::too_long}));
}

// Where several mistakes stand in one path, the order of the rules decides, not their places.
TEST(SandboxPath, ReportsTheFirstRuleThatRefuses) {
  struct Row {
    std::string_view text;
    Reason reason;
    std::size_t offset;
  };
  using namespace std::string_view_literals;
  for (const auto& [text, reason, offset] : {
           Row{"\xff\0\x01..//a/"sv, Reason::trailing_slash, 8},
           Row{"//\x01\xff\0a"sv, Reason::nul, 4},
           Row{"//\x01..\xff"sv, Reason::invalid_utf8, 5},
           Row{"a//..\x01"sv, Reason::control_byte, 5},
           Row{"a/..//b"sv, Reason::parent_segment, 2},
           Row{"a//../b"sv, Reason::empty_segment, 2},
       }) {
    EXPECT_EQ(SandboxPath::parse(text).error(), (Refusal{Subject::path, reason, offset}))
        << escaped(text);
  }
}

// Every list of up to four of these paths, against the plain definition.
TEST(WriteOrder, IsSortedByTheSentPathAndRefusesTheFirstRepeat) {
  const std::vector<std::string_view> texts = {"a", "/a", "a/b", "B", "\xc3\xa9", "//a"};
  std::vector<std::size_t> pick;
  const auto check = [&] {
    std::vector<SandboxPath> paths;
    std::size_t repeat = k_no_place;
    for (const std::size_t i : pick) {
      paths.push_back(*SandboxPath::parse(texts[i]));
      const std::string_view sent = paths.back().view();
      const auto before = std::span(paths).first(paths.size() - 1);
      const bool again =
          std::ranges::any_of(before, [&](SandboxPath p) { return p.view() == sent; });
      if (again && repeat == k_no_place) repeat = paths.size() - 1;
    }
    const auto order = write_order(paths);
    ASSERT_EQ(order.has_value(), repeat == k_no_place);
    if (!order) {
      EXPECT_EQ(order.error(),
                (Refusal{Subject::path, Reason::duplicate_path, k_no_place, repeat}));
      return;
    }
    EXPECT_EQ(order->size(), paths.size());
    for (std::size_t i = 1; i < order->size(); ++i) {
      EXPECT_LT(paths[(*order)[i - 1]].view(), paths[(*order)[i]].view());
    }
  };
  const auto extend = [&](const auto& self) -> void {
    check();
    if (pick.size() == 4) return;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      pick.push_back(i);
      self(self);
      pick.pop_back();
    }
  };
  extend(extend);
}

RC_GTEST_PROP(SandboxPath, AgreesOnAnyBytes, ()) { expect_agreement(*any_bytes()); }
RC_GTEST_PROP(SandboxPath, AgreesNearValid, ()) { expect_agreement(*near_valid(valid_path())); }

RC_GTEST_PROP(SandboxPath, NoAcceptedPathNamesAParent, ()) {
  const std::string text = *near_valid(valid_path());
  const Checked<SandboxPath> path = SandboxPath::parse(text);
  RC_PRE(path.has_value());
  const std::string walled = "/" + std::string(path->view()) + "/";
  RC_ASSERT(walled.find("/../") == walled.npos);
  RC_ASSERT(!SandboxPath::parse(std::string_view(walled + "..")).has_value());
}

}  // namespace
}  // namespace sandproof::props
