#include "canonical_builder.h"

#include <algorithm>

#include "json_text.h"

namespace sandproof {

void CanonicalBuilder::complete(std::string text) {
  if (frames_.empty()) {
    value_ = std::move(text);
    return;
  }
  Frame& frame = frames_.back();
  frame.members.emplace_back(std::move(frame.key).value_or(std::string()), std::move(text));
  frame.key.reset();
}

void CanonicalBuilder::close_list() {
  std::string text = "[";
  for (const auto& [key, value] : frames_.back().members) {
    if (text != "[") text += ',';
    text += value;
  }
  text += ']';
  frames_.pop_back();
  complete(std::move(text));
}

bool CanonicalBuilder::close_object() {
  auto& members = frames_.back().members;
  std::ranges::sort(members);
  const auto same_key = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto repeated = std::ranges::adjacent_find(members, same_key);
  if (repeated != members.end()) {
    repeated_key_ = repeated->first;
    return false;
  }
  std::string text = "{";
  for (const auto& [key, value] : members) {
    if (text != "{") text += ',';
    json_text::append_string(text, key);
    text += ':';
    text += value;
  }
  text += '}';
  frames_.pop_back();
  complete(std::move(text));
  return true;
}

std::string CanonicalBuilder::pointer() const {
  std::string out;
  for (const Frame& frame : frames_) {
    if (!frame.is_object) {
      out += json_text::pointer_token(std::to_string(frame.members.size()));
    } else if (frame.key) {
      out += json_text::pointer_token(*frame.key);
    }
  }
  return out;
}

}  // namespace sandproof
