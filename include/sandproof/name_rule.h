// A deployment's own rule about names, as the core sees it: a question with two answers.
#pragma once

#include <string_view>

namespace sandproof {

// NameRule refuses further names on top of the built-in rules: variables of a session's
// environment, or declared domains. name_patterns.h has the implementation by regular expressions;
// a deployment may bring another. A rule that cannot decide must refuse.
class NameRule {
 public:
  virtual ~NameRule() = default;
  [[nodiscard]] virtual bool refuses(std::string_view name) const noexcept = 0;

 protected:
  NameRule() = default;
  NameRule(const NameRule&) = default;
  NameRule(NameRule&&) = default;
  NameRule& operator=(const NameRule&) = default;
  NameRule& operator=(NameRule&&) = default;
};

}  // namespace sandproof
