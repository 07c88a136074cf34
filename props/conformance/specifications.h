// The languages under test: each as a machine, and all that must say the same of a text.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "test_set.h"

namespace sandproof::conformance {

// Tried is what every run tries of a row's test set. The others are for machines with a state that
// each of n others takes a word of its own to be told from, which makes n^2 words a byte;
// SANDPROOF_DEEP=1 tries all of theirs too.
//   all      every word, over classes and over bytes
//   classes  every word over classes
//   slips    every byte in every state, with single slips only
enum class Tried : std::uint8_t { all, classes, slips };

// Specification is a row of the table.
struct Specification {
  std::string_view name;
  Machine (*machine)();  // minimal
  std::size_t states;    // that the machine has, a state of no return counted
  std::size_t extra;     // states that a scanner may have more
  Tried tried;
  // disagreement is what the others say of a text that the machine accepts, or does not; empty
  // where all of them agree.
  std::string (*disagreement)(std::string_view text, bool accepted);
};

[[nodiscard]] std::span<const Specification> specifications();

// specification finds a row by its name, and throws std::out_of_range for a name that has none.
[[nodiscard]] const Specification& specification(std::string_view name);

// test_set_of is made when it is asked for first, and kept.
[[nodiscard]] const TestSet& test_set_of(const Specification& specification);

// name_of and PrintTo are for GoogleTest, which wants a name to be one word.
[[nodiscard]] std::string name_of(const testing::TestParamInfo<Specification>& row);
void PrintTo(const Specification& row, std::ostream* out);

// on_announced and the others are the disagreements about what is read from a call's standard
// error: library, incremental reader and reference model must give the same report, and its
// outcome, or whether it is attested, is what the language is about. There is no regular
// expression.
[[nodiscard]] std::string on_announced(std::string_view stream, bool accepted);
[[nodiscard]] std::string on_refused(std::string_view stream, bool accepted);
[[nodiscard]] std::string on_attested(std::string_view rest, bool accepted);
[[nodiscard]] std::string on_nonce(std::string_view stream, bool accepted);
[[nodiscard]] std::string on_no_nonce(std::string_view stream, bool accepted);

}  // namespace sandproof::conformance
