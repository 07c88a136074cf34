// A match that RE2 could not finish refuses the name. RE2 reports one when it runs out of memory,
// which no input here can bring about reliably; so this program has a Match of its own, which the
// linker takes before the library's.
#include <re2/re2.h>
#include <re2/set.h>

#include <array>
#include <new>

#include "sandproof/name_patterns.h"
#include "support.h"

namespace {

enum class Outcome { no_match, match, out_of_memory, not_compiled, inconsistent, throws };
Outcome outcome;

}  // namespace

bool re2::RE2::Set::Match(const StringPiece&, std::vector<int>*, ErrorInfo* error) const {
  error->kind = kNoError;
  switch (outcome) {
    case Outcome::no_match:
      return false;
    case Outcome::match:
      return true;
    case Outcome::out_of_memory:
      error->kind = kOutOfMemory;
      return false;
    case Outcome::not_compiled:
      error->kind = kNotCompiled;
      return false;
    case Outcome::inconsistent:
      error->kind = kInconsistent;
      return false;
    case Outcome::throws:
      throw std::bad_alloc();
  }
  return false;
}

namespace sandproof::props {
namespace {

TEST(NamePatternsFault, OnlyAFinishedMatchThatFoundNothingAccepts) {
  const std::array<std::string_view, 1> patterns{"x"};
  const auto set = NamePatterns::compile(patterns);
  ASSERT_TRUE(set);
  outcome = Outcome::no_match;
  EXPECT_FALSE(set->refuses("y"));
  for (const Outcome each : {Outcome::match, Outcome::out_of_memory, Outcome::not_compiled,
                             Outcome::inconsistent, Outcome::throws}) {
    outcome = each;
    EXPECT_TRUE(set->refuses("y")) << static_cast<int>(each);
  }
}

}  // namespace
}  // namespace sandproof::props
