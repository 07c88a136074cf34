// How much a test tries that could try more.
#pragma once

#include <cstdlib>
#include <string_view>

namespace sandproof::props {

// k_deep: SANDPROOF_DEEP=1 asks for the larger worlds, which take minutes.
inline const bool k_deep = [] {
  const char* deep = std::getenv("SANDPROOF_DEEP");
  return deep != nullptr && std::string_view(deep) == "1";
}();

// k_sanitized: sanitizers look for other mistakes than most tests, and make them some ten times
// slower.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool k_sanitized = true;
#elif defined(__has_feature)
inline constexpr bool k_sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool k_sanitized = false;
#endif

}  // namespace sandproof::props
