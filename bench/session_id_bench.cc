// Session ids: the library, RE2, and the loop that one would write first.
//
//   NAME/SIZE/accepted   every id is valid
//   NAME/SIZE/mixed      every second one has a forbidden byte somewhere
#include "sandproof/session_id.h"

#include "bench_inputs.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

constexpr std::string_view k_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
constexpr std::string_view k_forbidden = "./%?#&:@ \n\\~+";

std::vector<std::string> ids(std::size_t size, bool mixed) {
  Numbers numbers;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < k_inputs; ++i) {
    std::string id;
    while (id.size() < size) id += numbers.of(k_alphabet);
    if (mixed && i % 2 == 0) id[numbers.below(size)] = numbers.of(k_forbidden);
    texts.push_back(std::move(id));
  }
  numbers.shuffle(texts);
  return texts;
}

bool by_library(std::string_view text) { return SessionId::parse(text).has_value(); }

bool by_expression(std::string_view text) {
  static const Expression expression("session-id");
  return expression.accepts(text);
}

bool by_loop(std::string_view text) {
  if (text.empty() || text.size() > 63) return false;
  for (const char c : text) {
    const bool allowed = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!allowed) return false;
  }
  return true;
}

struct Candidate {
  const char* name;
  bool (*accepts)(std::string_view text);
};
constexpr Candidate k_candidates[] = {
    {"sandproof", by_library}, {"re2", by_expression}, {"loop", by_loop}};

void verify(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const reference::Answer expected = reference::session_id(text);
    const Checked<SessionId> id = SessionId::parse(text);
    must(id.has_value() == expected.accepted, "the library disagrees with the reference", text);
    must(id || (code(id.error().reason) == expected.reason && id.error().offset == expected.offset),
         "the library refuses otherwise than the reference", text);
    for (const Candidate& candidate : k_candidates) {
      must(candidate.accepts(text) == expected.accepted, candidate.name, text);
    }
  }
}

void add(std::size_t size, bool mixed) {
  const std::vector<std::string> texts = ids(size, mixed);
  verify(texts);
  for (const Candidate& candidate : k_candidates) {
    const std::string name =
        std::string(candidate.name) + '/' + std::to_string(size) + (mixed ? "/mixed" : "/accepted");
    benchmark::RegisterBenchmark(name.c_str(), [texts, candidate](benchmark::State& state) {
      measure(state, texts, candidate.accepts);
    });
  }
}

}  // namespace

int main(int count, char** arguments) {
  for (const std::size_t size : {8, 36, 63}) {
    add(size, false);
    add(size, true);
  }
  return run(count, arguments);
}
