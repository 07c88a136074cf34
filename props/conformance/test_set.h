// Test sets that are complete: the Wp-method, which is Chow's W-method with fewer words (T. S.
// Chow, "Testing Software Design Modeled by Finite-State Machines", 1978; S. Fujiwara et al., "Test
// Selection Based on Finite State Models", 1991).
//
// A scanner that answers every word of for_each_word(extra) as the machine does, and that is itself
// a machine of at most size() + extra states in which the bytes of each class are alike, answers
// every input as the machine does. With for_each_byte() the same holds for a scanner of at most
// size() states, whatever bytes it takes for alike: there each of the 256 is a class of its own.
//
// Why: let A be the access words and W all suffixes. The states that A leads to answer W each in
// its own way, so the scanner has at least size() of them, and the words A.x with x of up to
// `extra` bytes lead to every one that it has. Each of those answers W as one state of the machine
// does; call it that one's. A.x with one byte more takes every transition, and is followed by
// suffixes that only the right state's answer as the machine does. So each transition leads to a
// state that is the right one's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine.h"

namespace sandproof::conformance {

class TestSet {
 public:
  // The machine must be minimal, and outlive the test set: otherwise std::invalid_argument.
  explicit TestSet(const Machine& machine);

  [[nodiscard]] const Machine& machine() const noexcept { return machine_; }

  // access is a shortest word from the beginning to a state.
  [[nodiscard]] const std::string& access(State state) const { return access_[state]; }

  // suffixes tells a state from every other one; all_suffixes does so for every state (W).
  [[nodiscard]] const std::vector<std::string>& suffixes(State state) const {
    return suffixes_[state];
  }
  [[nodiscard]] const std::vector<std::string>& all_suffixes() const noexcept {
    return all_suffixes_;
  }

  // for_each_word calls f with the words of the Wp-method for `extra` states more than the machine
  // has; a word may come twice.
  template <class F>
  void for_each_word(std::size_t extra, F f) const {
    for (State state = 0; state < machine_.size(); ++state) for_each_word_from(state, extra, f);
  }

  // for_each_word_from calls f with those of them that begin with the access word of a state.
  template <class F>
  void for_each_word_from(State state, std::size_t extra, F f) const {
    extend(access_[state], extra + 1, f);
  }

  // for_each_byte calls f with the words for no state more, over the alphabet of all bytes.
  template <class F>
  void for_each_byte(F f) const {
    for (const std::string& access : access_) {
      for (const std::string& suffix : all_suffixes_) f(access + suffix);
      for (std::size_t byte = 0; byte < k_bytes; ++byte)
        follow(access + static_cast<char>(byte), f);
    }
  }

  // for_each_slip calls f with a part of these, for machines with many states: every byte in every
  // state, and what tells that it was not passed over there, nor taken for one that leads
  // elsewhere.
  template <class F>
  void for_each_slip(F f) const {
    for (State from = 0; from < machine_.size(); ++from) {
      const auto suffixes = suffixes_near(from);
      for (std::size_t byte = 0; byte < k_bytes; ++byte) {
        const std::string word = access_[from] + static_cast<char>(byte);
        for (const std::string& suffix : suffixes.at(machine_.step(from, word.back()))) {
          f(word + suffix);
        }
      }
    }
  }

 private:
  template <class F>
  void extend(const std::string& word, std::size_t more, F f) const {
    if (more == 0) return follow(word, f);
    for (const std::string& suffix : all_suffixes_) f(word + suffix);
    for (const char byte : machine_.representatives()) extend(word + byte, more - 1, f);
  }

  template <class F>
  void follow(const std::string& word, F f) const {
    for (const std::string& suffix : suffixes_[machine_.run(0, word)]) f(word + suffix);
  }

  // suffixes_near has, for each state that one byte leads to, what tells it from the state before
  // and from the others of them.
  [[nodiscard]] std::map<State, std::set<std::string>> suffixes_near(State from) const;

  const Machine& machine_;
  Apart apart_;
  std::vector<std::string> access_;
  std::vector<std::vector<std::string>> suffixes_;
  std::vector<std::string> all_suffixes_;
};

}  // namespace sandproof::conformance
