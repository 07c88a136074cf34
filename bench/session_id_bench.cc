// Session ids: the library, RE2, and the loop that one would write first.
//
//   session_id/accepted/SIZE   every id is valid
//   session_id/mixed/SIZE      every second one has a forbidden byte somewhere
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

void verify(const Texts& texts) {
  for (const std::string& text : texts) {
    const reference::Answer expected = reference::session_id(text);
    const Checked<SessionId> id = SessionId::parse(text);
    must(id.has_value() == expected.accepted, "the library disagrees with the reference", text);
    must(id || (code(id.error().reason) == expected.reason && id.error().offset == expected.offset),
         "the library refuses otherwise than the reference", text);
    must(by_expression(text) == expected.accepted, "RE2 disagrees with the reference", text);
    must(by_loop(text) == expected.accepted, "the loop disagrees with the reference", text);
  }
}

Contest contest(std::size_t size, bool mixed) {
  Texts texts = ids(size, mixed);
  verify(texts);
  return texts_contest<by_library, by_expression, by_loop>(std::move(texts), "sandproof", "re2",
                                                           "loop");
}

}  // namespace

int main(int count, char** arguments) {
  for (const std::size_t size : {8U, 36U, 63U}) {
    for (const bool mixed : {false, true}) {
      const std::string kind = mixed ? "mixed" : "accepted";
      add_contest("session_id/" + kind + '/' + std::to_string(size),
                  [=] { return contest(size, mixed); });
    }
  }
  return run(count, arguments);
}
