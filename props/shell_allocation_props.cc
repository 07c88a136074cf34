// Counted: quoting and the bounded shell text allocate once, exactly what they need; reading a
// report allocates nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "sandproof/call_id.h"
#include "sandproof/command.h"
#include "sandproof/deadline_report.h"
#include "sandproof/shell.h"

namespace {
std::size_t allocations = 0;
std::size_t last_size = 0;
std::size_t largest_size = 0;
}  // namespace

// Every other form of new comes here. GCC inlines one side of the pair and then warns of a
// mismatch.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) {
  ++allocations;
  last_size = size;
  largest_size = std::max(largest_size, size);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sandproof::props {
namespace {

constexpr std::string_view k_id = "00112233445566778899aabbccddeeff";

template <class F>
std::size_t allocations_of(F f) {
  const std::size_t before = allocations;
  f();
  return allocations - before;
}

ReportScheme sealed() { return ReportScheme::sealed(CallId::parse(k_id).value()); }

TEST(ShellAllocation, TheCounterCounts) {
  EXPECT_EQ(allocations_of([] { const std::string text(100, 'a'); }), 1U);
  EXPECT_EQ(last_size, 101U);
}

// Below 31 bytes a string rounds its first allocation up.
TEST(ShellAllocation, QuoteAllocatesExactlyItsTextOnce) {
  for (const std::size_t size :
       std::initializer_list<std::size_t>{14, 20, 28, 29, 30, 31, 63, 64, 65, 4'096, 1'000'000}) {
    for (const char byte : {'a', '\'', '\xff'}) {
      const std::string word(size, byte);
      for (const std::vector<std::string_view>& words :
           {std::vector<std::string_view>{word}, {word, word, ""}, {"", "'", word}}) {
        std::size_t text_size = 0;
        std::size_t allocated = 0;
        EXPECT_EQ(allocations_of([&] {
                    const auto text = quote(words);
                    allocated = last_size;
                    text_size = text->size();
                  }),
                  1U);
        EXPECT_TRUE(text_size < 31 || allocated == text_size + 1) << "and its NUL";
      }
    }
  }
}

TEST(ShellAllocation, QuotingIntoRoomAndRefusingAllocateNothing) {
  const std::string word = std::string(10'000, '\'') + std::string(10'000, 'a');
  std::string room(quoted_size(word), '\0');
  const std::string nul(100, '\0');
  const std::vector<std::string_view> words{word, nul};
  EXPECT_EQ(allocations_of([&] {
              EXPECT_EQ(quoted_size(word), room.size());
              EXPECT_EQ(quote_into(room.data(), word), room.data() + room.size());
              EXPECT_EQ(quote(words).error().reason, Reason::nul);
            }),
            0U);
}

TEST(ShellAllocation, ACommandAllocatesForItsVariablesOnly) {
  const std::string long_word(100'000, 'a');
  const std::string bad_word = long_word + '\xff';
  const std::vector<std::string_view> words{"x", long_word};
  const std::vector<std::string_view> bad_words{"x", bad_word};
  EXPECT_EQ(allocations_of([&] {
              EXPECT_TRUE(Command::parse({words, {}, "/work"}));
              EXPECT_FALSE(Command::parse({bad_words, {}, {}}));
              EXPECT_FALSE(Command::parse({{}, {}, {}}));
              EXPECT_FALSE(Command::parse({words, {}, ""}));
            }),
            0U);
  const std::vector<EnvEntry> variables{{"B", "b"}, {"A", ""}, {"C", ""}};
  EXPECT_EQ(allocations_of([&] { EXPECT_TRUE(Command::parse({words, variables, {}})); }), 1U);
}

TEST(ShellAllocation, TheBoundedTextIsAllocatedOnce) {
  const std::string long_word(50'000, 'a');
  const std::vector<EnvEntry> variables{{"B", "'"}, {"A", long_word}};
  for (const std::vector<std::string_view>& words :
       {std::vector<std::string_view>{"x"}, {"x", long_word, "'"}}) {
    for (const bool with_variables : {false, true}) {
      for (const ReportScheme& scheme : {sealed(), ReportScheme::nonce()}) {
        for (const std::string_view limit : {"1s", "1.5s"}) {
          const auto command = Command::parse(
              {words,
               with_variables ? std::span<const EnvEntry>(variables) : std::span<const EnvEntry>(),
               {}});
          const auto deadline = Deadline::parse(limit);
          ASSERT_TRUE(command && deadline);
          std::size_t text_size = 0;
          std::size_t allocated = 0;
          EXPECT_EQ(allocations_of([&] {
                      const ShellText text = bounded_shell(*command, *deadline, scheme);
                      allocated = last_size;
                      text_size = text.view().size();
                    }),
                    1U);
          EXPECT_EQ(allocated, text_size + 1);
        }
      }
    }
  }
}

// Streams that go through every part of the reader.
std::vector<std::string> streams() {
  const std::string id(k_id);
  const std::string prefix = "sandproof1 " + id + ' ';
  const std::string digest(64, 'd');
  const std::string announcement = prefix + digest + ' ' + digest + '\n';
  std::string fakes;
  for (int i = 0; i < 200; ++i) fakes += prefix + (i % 2 == 0 ? "exit " : "deadline ") + id + '\n';
  return {"",
          "sh: not found\n",
          prefix + "refused od\n",
          std::string(100'000, 'a'),
          announcement + "output\n" + fakes,
          "warning\n" + announcement + announcement + fakes + announcement,
          id + "\noutput" + id + "Killed\n",
          std::string(1'000, '0') + '\n' + id + '\n'};
}

TEST(ShellAllocation, ReadingAReportAllocatesNothing) {
  for (const std::string& stream : streams()) {
    for (const std::int32_t exit_code : {0, 126, 127, 137}) {
      EXPECT_EQ(allocations_of([&] {
                  (void)read_report(sealed(), exit_code, stream);
                  (void)read_report(ReportScheme::nonce(), exit_code, stream);
                }),
                0U);
    }
  }
  EXPECT_EQ(read_report(sealed(), 126, streams()[2]).tool, "od");
}

// What the incremental reader keeps does not grow with the stream.
TEST(ShellAllocation, AReaderOfALongStreamKeepsLittle) {
  constexpr std::size_t k_piece_size = std::size_t{64} << 10;
  const std::string announced = streams()[5];
  const std::string text(k_piece_size, '.');
  for (const ReportScheme& scheme : {sealed(), ReportScheme::nonce()}) {
    for (const std::size_t size : {std::size_t{100}, k_piece_size}) {
      ReportReader reader(scheme);
      (void)reader.feed(announced);
      largest_size = 0;
      for (std::size_t fed = 0; fed < 1'000 * k_piece_size; fed += size) {
        (void)reader.feed(std::string_view(text).substr(0, size));
      }
      EXPECT_LE(largest_size, 4 * (announced.size() + k_piece_size));
      (void)reader.finish(0);
    }
  }
}

TEST(ShellAllocation, ACallIdAllocatesNothing) {
  const std::string too_long(100, 'a');
  EXPECT_EQ(allocations_of([&] {
              EXPECT_TRUE(CallId::parse(k_id));
              EXPECT_FALSE(CallId::parse(too_long));
            }),
            0U);
}

}  // namespace
}  // namespace sandproof::props
