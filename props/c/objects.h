// What the tests of the C interface and its fuzz target share: texts, and the objects that calls
// make.
#pragma once

#include <string_view>
#include <vector>

#include "sandproof/sandproof.h"

namespace sandproof::props::c {

// What stands in an output before the call; a call that does not give the output leaves it.
inline constexpr sandproof_refusal k_no_refusal{-7, -7, 7, 7};

inline constexpr char k_filler = '\x5a';

inline sandproof_text to_text(std::string_view view) { return {view.data(), view.size()}; }

template <class Texts>
std::vector<sandproof_text> to_texts(const Texts& all) {
  std::vector<sandproof_text> texts;
  for (const auto& each : all) texts.push_back(to_text(each));
  return texts;
}

// Made is the place for one object that a call makes, and frees it.
template <class T, void (*free_it)(T*) noexcept>
struct Made {
  T* object = nullptr;
  Made() = default;
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() { free_it(object); }
};
using MadeEgress = Made<sandproof_egress, sandproof_egress_free>;
using MadeDocument = Made<sandproof_document, sandproof_document_free>;
using MadeUnreadable = Made<sandproof_unreadable, sandproof_unreadable_free>;
using MadeComparison = Made<sandproof_comparison, sandproof_comparison_free>;
using MadeReader = Made<sandproof_report_reader, sandproof_report_reader_free>;

}  // namespace sandproof::props::c
