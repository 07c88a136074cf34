// Answers in the words of the reference model, for tests that compare with it.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "reference/languages.h"
#include "reference/scanners.h"
#include "sandproof/refusal.h"

namespace sandproof::reference {

inline void PrintTo(const Answer& answer, std::ostream* out) {
  *out << (answer.accepted ? "accepted " + escaped(answer.value) : "refused " + answer.reason);
  if (answer.offset) *out << " at byte " << *answer.offset;
}

}  // namespace sandproof::reference

namespace sandproof::props {

inline reference::Answer accepted(std::string_view value) {
  return {true, std::string(value), {}, {}};
}

inline reference::Answer refused(const Refusal& refusal) {
  reference::Answer answer{false, {}, std::string(code(refusal.reason)), {}};
  if (refusal.offset != k_no_place) answer.offset = refusal.offset;
  return answer;
}

// answer_of puts what a parse gave into the reference's words.
template <class T>
reference::Answer answer_of(const Checked<T>& checked) {
  return checked ? accepted(checked->view()) : refused(checked.error());
}

// matches_language is the third statement of a language, the regular expression.
inline bool matches_language(std::string_view language, std::string_view text) {
  return reference::in_language(reference::language(language), text);
}

}  // namespace sandproof::props
