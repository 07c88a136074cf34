// How much of an input is examined. Each input is decided by the library and held to what is cheap
// to hold it to; the rest (slower models, messages, transformed inputs) costs many times as much,
// and a campaign lives by its inputs.
#pragma once

#include <cstdint>

namespace sandproof::fuzz {

// k_first: seeds, what an earlier campaign has found, and an input that is replayed come first in a
// process, and are examined whole.
inline constexpr std::uint64_t k_first = 4'096;

// whole_examination is asked once for each input: whether it is one of the first, or one in
// `one_in` of those behind them.
inline bool whole_examination(std::uint64_t one_in) {
  static std::uint64_t inputs = 0;
  ++inputs;
  return inputs <= k_first || inputs % one_in == 0;
}

}  // namespace sandproof::fuzz
