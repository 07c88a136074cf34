#include "egress_text.h"

namespace sandproof::egress_text {

std::string not_enforced(const Override& by) {
  return "is " + escaped(by.value) + ": the policy is recorded and not enforced";
}

std::string not_inspected(const EffectivePolicy& policy) {
  const std::string stated = policy.inspection_text.empty()
                                 ? "inspection is not stated"
                                 : "inspection is " + escaped(policy.inspection_text);
  return stated + ": traffic that is not HTTP gets out";
}

std::string neither(const EffectiveRule& rule) {
  return "does " + escaped(rule.action_text) + " to " + escaped(rule.pattern) +
         ", which is neither an allow nor a deny";
}

std::string not_known(const UnmodelledField& field) {
  return escaped(field.name) + " is a field that this library does not know, worth " +
         escaped(field.value);
}

std::string place(std::string_view pointer, std::string_view field) {
  std::string out(pointer);
  out += field;
  return out;
}

std::string place(std::string_view pointer, std::string_view list, std::size_t index) {
  return place(pointer, list) + '/' + std::to_string(index);
}

}  // namespace sandproof::egress_text
