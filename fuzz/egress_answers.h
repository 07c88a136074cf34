// Answers about documents and policies on one line each, for the report of a failed check.
#pragma once

#include <string>

#include "fuzz_check.h"
#include "reference/policy.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"

namespace sandproof::fuzz {

inline std::string summary(const Comparison& comparison) {
  std::string text(name(comparison.verdict()));
  for (const Finding& each : comparison.findings) {
    text += "; " + std::string(name(each.kind)) + ' ' + std::string(name(each.effect)) + ' ' +
            each.pointer + ' ' + each.witness;
  }
  return text;
}

inline std::string summary(const reference::Comparison& comparison) {
  std::string text = comparison.verdict;
  for (const reference::Finding& each : comparison.findings) {
    text += "; " + each.kind + ' ' + each.effect + ' ' + each.pointer + ' ' + each.witness;
  }
  return text;
}

template <class T>
std::string summary(const Decoded<T>& decoded) {
  if (decoded) return "read";
  return "unreadable: " + std::string(code(decoded.error().reason)) + " at " +
         decoded.error().pointer + ", byte " + shown(place(decoded.error().offset));
}

// Of the model's two kinds of reading.
template <class Reading>
  requires requires(const Reading& reading) { reading.readable; }
std::string summary(const Reading& reading) {
  return reading.readable ? "read" : "unreadable: " + reading.reason + " at " + reading.pointer;
}

}  // namespace sandproof::fuzz
