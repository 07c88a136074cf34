#include "report_machines.h"

#include <algorithm>
#include <compare>

namespace sandproof::conformance {
namespace {

using Places = std::vector<ByteSet>;  // the bytes that may stand at each place of a line

const ByteSet k_lower_hex = ranges("09af");

Places exactly(std::string_view text) {
  Places places;
  for (const char byte : text) places.push_back(ranges(std::string(2, byte)));
  return places;
}

Places operator+(Places a, const Places& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Places repeated(const ByteSet& bytes, std::size_t count) { return Places(count, bytes); }

// some_line accepts a stream with a line, ended by a newline, that fills at least `shortest` of the
// places from the first one on and nothing else.
Machine some_line(const Places& places, std::size_t shortest) {
  const std::size_t elsewhere = places.size() + 1;
  const std::size_t found = elsewhere + 1;
  return explore(
      std::size_t{0},
      [=](std::size_t at, char byte) {
        if (at == found) return found;
        if (byte == '\n') return at >= shortest && at != elsewhere ? found : 0;
        const bool fits = at < places.size() && places[at][static_cast<unsigned char>(byte)];
        return fits ? at + 1 : elsewhere;
      },
      [=](std::size_t at) { return at == found; });
}

// Search is how far a search for several texts has come: what may be the beginning of one of them,
// and how often each was found, counted up to 2.
struct Search {
  std::string begun;
  std::vector<std::uint8_t> counts;

  auto operator<=>(const Search&) const = default;
};

template <class Accepts>
Machine search(const std::vector<std::string>& texts, Accepts accepts) {
  const auto begins_one = [=](const std::string& word) {
    return std::ranges::any_of(texts,
                               [&](const std::string& text) { return text.starts_with(word); });
  };
  ByteSet used;
  for (const std::string& text : texts) {
    for (const char byte : text) used.set(static_cast<unsigned char>(byte));
  }
  return explore(
      Search{"", std::vector<std::uint8_t>(texts.size())},
      [=](Search search, char byte) {
        if (!used[static_cast<unsigned char>(byte)]) return Search{"", std::move(search.counts)};
        search.begun += byte;
        while (!begins_one(search.begun)) search.begun.erase(0, 1);
        for (std::size_t i = 0; i < texts.size(); ++i) {
          if (search.begun == texts[i] && search.counts[i] < 2) ++search.counts[i];
        }
        return search;
      },
      [=](const Search& search) { return accepts(search.counts); });
}

}  // namespace

const reference::Secrets& secrets() {
  static const reference::Secrets both{"d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f",
                                       "00112233445566778899aabbccddeeff"};
  return both;
}

Machine announced_machine() {
  const Places digest = repeated(k_lower_hex, 64);
  const Places line = exactly(reference::call_prefix(k_call_id)) + digest + exactly(" ") + digest;
  return minimal(some_line(line, line.size()));
}

Machine refused_machine() {
  const std::string prefix = reference::call_prefix(k_call_id);
  const Places head = exactly(prefix + "refused ");
  const Machine line = some_line(head + repeated(ranges("az09//__..--"), 64), head.size() + 1);
  const Machine once = search({prefix}, [](const auto& counts) { return counts[0] == 1; });
  return minimal(both(line, once));
}

Machine attested_machine() {
  const std::string prefix = reference::call_prefix(k_call_id);
  return minimal(
      search({prefix + "deadline " + secrets().deadline, prefix + "exit " + secrets().exit},
             [](const auto& counts) { return (counts[0] > 0) != (counts[1] > 0); }));
}

Machine nonce_line_machine() { return minimal(some_line(repeated(k_lower_hex, 32), 32)); }

Machine no_nonce_machine() {
  const ByteSet hex = ranges("09afAF");
  return minimal(explore(
      std::size_t{0},
      [=](std::size_t run, char byte) {
        if (run == 32) return run;
        return hex[static_cast<unsigned char>(byte)] ? run + 1 : 0;
      },
      [](std::size_t run) { return run < 32; }));
}

}  // namespace sandproof::conformance
