// Every scanner accepts what the machine of its rules accepts, in every state and by every byte,
// and so do the reference model and the regular expression. test_set.h says what that proves; how
// much of it every run tries, the table of specifications.
#include <gtest/gtest.h>

#include "check.h"

namespace sandproof::conformance {
namespace {

class Conformance : public testing::TestWithParam<Specification> {};

TEST_P(Conformance, OfEveryStateByEveryByte) {
  const Specification& specification = GetParam();
  const TestSet& set = test_set_of(specification);
  const Machine& machine = set.machine();
  ASSERT_EQ(machine.size(), specification.states);
  Check check(specification);
  const auto try_word = [&](const std::string& word) {
    check(word, [&](const std::string& text) { return machine.accepts(text); });
  };
  const Tried tried = props::k_deep ? Tried::all : specification.tried;
  if (tried == Tried::slips) set.for_each_slip(try_word);
  if (tried != Tried::slips) set.for_each_word(specification.extra, try_word);
  if (tried == Tried::all) set.for_each_byte(try_word);
  check.finish(std::to_string(machine.size()) + " states");
}

INSTANTIATE_TEST_SUITE_P(Each, Conformance,
                         testing::ValuesIn(specifications().begin(), specifications().end()),
                         name_of);

}  // namespace
}  // namespace sandproof::conformance
