// A service for twins: the letters of the provider's answerer, as a transport brings them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provider/answerer.h"
#include "provider/subject.h"
#include "twin.h"

namespace sandproof::props::c {

inline constexpr std::array<std::uint8_t, 16> k_random = {
    0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab};

// How long an answer takes.
inline constexpr std::array<Pace, 7> k_paces{
    k_at_once,
    k_whole_bound,
    k_overdue,
    Pace{.base = k_deadline},
    Pace{.base = k_deadline * 99 / 100 - milliseconds{1}},
    Pace{.held = k_deadline},
    Pace{.held = milliseconds{1}, .base = milliseconds{1} * (std::int64_t{1} << 40)},
};

// The ids of the letters.
inline Names names() { return {"box_One-a", "new-Box_two", "other-box"}; }

// id_asked_for is the session of a GET.
inline std::string id_asked_for(const Request& request) {
  const auto* const get = std::get_if<GetCall>(&request);
  return get == nullptr ? "" : std::string(get->id.view());
}

// said puts an answer into the words of a transport. A record of the right session is of the one
// that is asked for.
inline Said said(const Letter& letter, const Request& request) {
  if (!letter.answer) {
    const auto* const error = std::get_if<TransportError>(&letter.answer.error());
    if (error == nullptr) return "{";
    using Propagation = TransportError::Propagation;
    const bool is_delayed =  // it would be a refusal without the mark
        error->kind() == TransportError::Kind::conflict && !error->is_refusal() &&
        TransportError::conflict(error->status(), Propagation::unmarked).is_refusal();
    return Failed{static_cast<sandproof_transport_kind>(error->kind()), error->status(), is_delayed,
                  error->raw()};
  }
  if (const auto* const record = std::get_if<SandboxRecord>(&*letter.answer)) {
    SandboxRecord right = *record;
    if (is_record_of(letter.saw, Whose::right) && right.id.empty()) {
      right.id = id_asked_for(request);
    }
    return encode(right);
  }
  if (const auto* const result = std::get_if<ExecResult>(&*letter.answer)) return encode(*result);
  if (const auto* const file = std::get_if<FileContent>(&*letter.answer)) return file->bytes;
  return "";
}

// orders are one of each verb, and get_or_create without an id, with arguments that may be used.
inline std::vector<Order> orders() {
  std::vector<Order> all;
  for (const Verb verb : k_verbs) {
    all.push_back({.verb = verb,
                   .session_id = names().asked,
                   .variables = {{"TOKEN", "t"}, {"A", "\xc3\xa9"}},
                   .words = {"make", "it's", ""},
                   .directory = "/work",
                   .path = "/a/b",
                   .files = {{"b", std::string("\0\xff\n", 3)}, {"/a", ""}},
                   .random = k_random});
  }
  all.push_back({.verb = Verb::get_or_create, .session_id = {}, .random = k_random});
  return all;
}

// Service is everything that can be said under one configuration.
class Service {
 public:
  explicit Service(const Setting& setting)
      : config_(configured(setting)),
        letters_(alphabet(setting, names(), CallId::from_random(k_random), k_deadline)),
        ends_(tails(setting, names(), CallId::from_random(k_random))) {}

  [[nodiscard]] const AzureConfig& config() const { return config_; }
  [[nodiscard]] const std::vector<Letter>& letters(const Request& request) const {
    return letters_[request.index()];
  }
  [[nodiscard]] const std::vector<Tail>& ends() const { return ends_; }

 private:
  AzureConfig config_;
  Alphabet letters_;
  std::vector<Tail> ends_;
};

// Moments moves a clock as the answers come.
class Moments {
 public:
  // give answers a twin at some pace; a wait lasts as long as it says.
  void give(Twin& twin, const Said& answer, Pace pace) {
    const Request& request = *twin.request();
    const std::int64_t bound = bound_of(request).count();
    const std::int64_t sent = now_ + pace.held.count();
    now_ = sent + pace.base.count() + pace.bounds * bound;
    if (std::holds_alternative<Wait>(request)) now_ = std::max(now_, sent + bound);
    twin.answer(answer, sent, now_);
  }

 private:
  std::int64_t now_ = 1'000'000;
};

}  // namespace sandproof::props::c
