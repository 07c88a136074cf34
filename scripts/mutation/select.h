// What a file with all its mutants is compiled with: each function asks which of its mutants is
// wanted, and where the compiler runs it, it is as it was written.
#pragma once

extern "C" {
extern int sandproof_mutant;              // 0: none
extern unsigned char* sandproof_entered;  // one byte a function, or nullptr
}

namespace sandproof_mutation {

inline int enter(int function) noexcept {
  if (sandproof_entered != nullptr) sandproof_entered[function] = 1;
  return sandproof_mutant;
}

constexpr int wanted(int function) noexcept {
  if consteval {
    return 0;
  } else {
    return enter(function);
  }
}

}  // namespace sandproof_mutation
