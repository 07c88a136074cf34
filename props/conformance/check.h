// Holding all that states a language to its machine, text by text.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "effort.h"
#include "sandproof/refusal.h"
#include "specifications.h"

namespace sandproof::conformance {

// Under sanitizers, one string in 23.
inline constexpr std::size_t k_stride = props::k_sanitized ? 23 : 1;

// Check counts texts, and those on which somebody disagrees with the machine.
class Check {
 public:
  explicit Check(const Specification& specification) : specification_(specification) {}

  // accepts is asked what the machine says of the text.
  template <class Accepts>
  void operator()(const std::string& text, Accepts accepts) {
    if (++texts_ % k_stride != 0) return;
    const bool accepted = accepts(text);
    ++tried_;
    accepted_ += accepted ? 1 : 0;
    const std::string disagreement = specification_.disagreement(text, accepted);
    if (!disagreement.empty() && ++failures_ <= 10) {
      ADD_FAILURE() << escaped(text, 1'000) << ": " << disagreement;
    }
  }

  // finish expects that all agreed on texts of both kinds, and tells how many there were.
  void finish(std::string_view what) const {
    EXPECT_EQ(failures_, 0U);
    EXPECT_GT(accepted_, 0U);
    EXPECT_LT(accepted_, tried_);
    std::cout << specification_.name << ", " << what << ": " << tried_ << " strings, " << accepted_
              << " accepted\n";
    testing::Test::RecordProperty(
        "strings, derived from each scanner's rules as a minimal automaton",
        std::to_string(tried_));
  }

 private:
  const Specification& specification_;
  std::size_t texts_ = 0;
  std::size_t tried_ = 0;
  std::size_t accepted_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace sandproof::conformance
