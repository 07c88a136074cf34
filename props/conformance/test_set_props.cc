// The test sets are complete: they tell a machine from every machine that has one fault and differs
// from it. A fault is a state that answers the opposite, a transition that leads to another state,
// or either of them in one half of a state that was split in two.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "specifications.h"

namespace sandproof::conformance {
namespace {

constexpr std::size_t k_max_mutants = 5'000;  // of a kind; of more, so many are made

// Sample takes about k_max_mutants of so many. Its step is a prime, so that it does not keep time
// with states or bytes.
class Sample {
 public:
  explicit Sample(std::size_t all) : step_(std::max<std::size_t>(all / k_max_mutants, 1)) {
    while (!is_prime(step_)) ++step_;
  }

  bool take() { return count_++ % step_ == 0; }

 private:
  static bool is_prime(std::size_t number) {
    for (std::size_t i = 2; i * i <= number; ++i) {
      if (number % i == 0) return false;
    }
    return true;
  }

  std::size_t step_;
  std::size_t count_ = 0;
};

class Method : public testing::TestWithParam<Specification> {
 protected:
  // expect_told expects that a word of the test set tells the mutant from the machine: one of
  // `likely`, which are words of the set, or one that begins with the access word of a state, or
  // any other.
  void expect_told(const Machine& mutant, const std::vector<std::string>& likely, State state) {
    ++mutants_;
    const auto is_told = [&](const std::string& word) {
      return mutant.accepts(word) != machine_.accepts(word);
    };
    if (std::ranges::any_of(likely, is_told)) return;
    bool told = false;
    const auto look = [&](const std::string& word) { told = told || is_told(word); };
    set_.for_each_word_from(state, GetParam().extra, look);
    if (!told) set_.for_each_word(GetParam().extra, look);
    if (told) return;
    ++equal_;
    EXPECT_TRUE(are_equal(mutant, machine_)) << "from " << state;
  }

  // behind is a word with what tells the state that it leads to from every other one.
  [[nodiscard]] std::vector<std::string> behind(const std::string& word) const {
    std::vector<std::string> words = set_.suffixes(machine_.run(0, word));
    for (std::string& each : words) each.insert(0, word);
    return words;
  }

  // for_each_redirection calls f with every transition of a state, by one byte of each class, and
  // with every state that it does not lead to.
  template <class F>
  void for_each_redirection(State from, F f) const {
    for (const char byte : machine_.representatives()) {
      for (State to = 0; to < machine_.size(); ++to) {
        if (to != machine_.step(from, byte)) f(byte, to);
      }
    }
  }

  [[nodiscard]] std::size_t redirections_of_a_state() const {
    return machine_.representatives().size() * (machine_.size() - 1);
  }

  void TearDown() override {
    EXPECT_GT(mutants_, equal_);
    std::cout << GetParam().name << ": " << mutants_ << " mutants, " << equal_
              << " of them equal to the machine\n";
  }

  const TestSet& set_ = test_set_of(GetParam());
  const Machine& machine_ = set_.machine();

 private:
  std::size_t mutants_ = 0;
  std::size_t equal_ = 0;
};

TEST_P(Method, TellsAStateThatAnswersTheOpposite) {
  Machine mutant = machine_;
  for (State state = 0; state < machine_.size(); ++state) {
    mutant.flip(state);
    expect_told(mutant, {set_.access(state)}, state);
    mutant.flip(state);
  }
}

TEST_P(Method, TellsATransitionThatLeadsElsewhere) {
  Machine mutant = machine_;
  Sample sample(machine_.size() * redirections_of_a_state());
  for (State from = 0; from < machine_.size(); ++from) {
    for_each_redirection(from, [&](char byte, State to) {
      if (!sample.take()) return;
      mutant.redirect(from, byte, to);
      expect_told(mutant, behind(set_.access(from) + byte), from);
      mutant.redirect(from, byte, machine_.step(from, byte));
    });
  }
}

class MethodWithStatesMore : public Method {};

TEST_P(MethodWithStatesMore, TellsAFaultInOneHalfOfAState) {
  Sample sample(machine_.size() * machine_.representatives().size() * redirections_of_a_state());
  for (State from = 0; from < machine_.size(); ++from) {
    for (const char byte : machine_.representatives()) {
      const std::string word = set_.access(from) + byte;
      const State whole = machine_.step(from, byte);
      Machine mutant = machine_;
      const State half = mutant.split(from, byte);
      mutant.flip(half);
      expect_told(mutant, {word}, from);
      mutant.flip(half);
      for_each_redirection(whole, [&](char next, State to) {
        if (!sample.take()) return;
        mutant.redirect(half, next, to);
        expect_told(mutant, behind(word + next), from);
        mutant.redirect(half, next, machine_.step(whole, next));
      });
    }
  }
}

std::vector<Specification> with_states_more() {
  std::vector<Specification> rows;
  std::ranges::copy_if(specifications(), std::back_inserter(rows),
                       [](const Specification& row) { return row.extra > 0; });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Of, Method,
                         testing::ValuesIn(specifications().begin(), specifications().end()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Of, MethodWithStatesMore, testing::ValuesIn(with_states_more()), name_of);

// What is not minimal has no test set.
TEST(TestSet, RefusesEqualStates) {
  EXPECT_THROW(TestSet(both(sizes(1, 2), sizes(0, 3))), std::invalid_argument);
}

// By hand: an even number of a, over {a, everything else}.
TEST(TestSet, IsTheMethodsOwn) {
  const Transition rows[] = {
      {0, ranges("aa"), 1}, {1, ranges("aa"), 0}, {0, ~ranges("aa"), 0}, {1, ~ranges("aa"), 1}};
  const State accepting[] = {0};
  const Machine even = table(rows, accepting);
  ASSERT_EQ(even.size(), 2U);
  const TestSet set(even);
  EXPECT_EQ(set.access(0), "");
  EXPECT_EQ(set.access(1), "a");
  EXPECT_EQ(set.all_suffixes(), std::vector<std::string>{""});
  std::vector<std::string> words;
  set.for_each_word(1, [&](const std::string& word) { words.push_back(word); });
  const std::string other(1, '\0');
  const std::vector<std::string> expected = {
      "",  other,       other + other,       other + "a",       "a",  "a" + other,  "aa",
      "a", "a" + other, "a" + other + other, "a" + other + "a", "aa", "aa" + other, "aaa"};
  std::ranges::sort(words);
  std::vector<std::string> sorted = expected;
  std::ranges::sort(sorted);
  EXPECT_EQ(words, sorted);
}

}  // namespace
}  // namespace sandproof::conformance
