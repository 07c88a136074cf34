#include "refused.h"

namespace sandproof::cli {

std::string message(const Refused& refused) {
  std::string sentence = explain(refused.refusal, refused.input);
  if (!refused.variable || refused.refusal.subject != Subject::env_value) return sentence;
  return "variable " + escaped(*refused.variable) + ": " + sentence;
}

Json as_json(const Refused& refused) {
  const Refusal& refusal = refused.refusal;
  Json json{{"verdict", "refused"}, {"reason", code(refusal.reason)}};
  if (refused.variable) json["name"] = *refused.variable;
  if (refusal.word != k_no_place) json["word"] = refusal.word;
  if (refusal.offset != k_no_place) json["offset"] = refusal.offset;
  json["message"] = message(refused);
  return json;
}

std::string as_text(const Refused& refused, const Style& style) {
  return style.bad("refused") + ' ' + std::string(code(refused.refusal.reason)) + ": " +
         message(refused) + '\n';
}

}  // namespace sandproof::cli
