// A deployment's own patterns: the lines up to an empty one are patterns, the lines after it names.
// Every answer is held to what RE2 says of each pattern by itself.
#include "sandproof/name_patterns.h"

#include <re2/re2.h>

#include <deque>
#include <string_view>
#include <vector>

#include "fuzz_check.h"
#include "sandproof/environment.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

// With much memory no match is given up, and the answer is exact; with little, some are, and the
// answer errs on one side.
constexpr std::int64_t k_much_memory = std::int64_t{256} << 20;
constexpr std::int64_t k_little_memory = std::int64_t{32} << 10;
constexpr std::size_t k_max_pattern_size = 64;

RE2::Options options() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(k_much_memory);
  return options;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void check_error(const PatternError& error, const std::vector<std::string_view>& patterns,
                 const std::deque<RE2>& each) {
  check_message(explain(error));
  FUZZ_CHECK(error.index <= patterns.size(), error.index);
  if (error.index == patterns.size()) return;  // together they need more than the memory
  FUZZ_CHECK(error.pattern == patterns[error.index], error.pattern);
  FUZZ_CHECK(!each[error.index].ok(), error.pattern, error.message);
  for (std::size_t i = 0; i < error.index; ++i) FUZZ_CHECK(each[i].ok(), patterns[i]);
}

void check_name(std::string_view name, const NamePatterns& exact, const NamePatterns* modest,
                const std::deque<RE2>& each) {
  const re2::StringPiece piece(name.data(), name.size());
  const bool expected =
      std::ranges::any_of(each, [&](const RE2& one) { return RE2::FullMatch(piece, one); });
  FUZZ_CHECK(exact.refuses(name) == expected, name, expected);
  // What could not be decided is refused.
  if (modest != nullptr && expected) FUZZ_CHECK(modest->refuses(name), name);

  const auto parsed = SessionName::parse(name, {.set = FamilySet::baseline, .also = &exact});
  if (parsed) {
    FUZZ_CHECK(!expected, name);
  } else {
    check_message(explain(parsed.error(), name));
  }
}

void run(std::string_view text) {
  std::vector<std::string_view> patterns;
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    patterns.push_back(line.substr(0, k_max_pattern_size));
  }
  std::deque<RE2> each;
  for (const std::string_view pattern : patterns) {
    each.emplace_back(re2::StringPiece(pattern.data(), pattern.size()), options());
  }
  const auto exact = NamePatterns::compile(patterns, k_much_memory);
  const auto modest = NamePatterns::compile(patterns, k_little_memory);
  if (!exact) {
    check_error(exact.error(), patterns, each);
    FUZZ_CHECK(!modest, patterns.front());
    return;
  }
  for (const RE2& one : each) FUZZ_CHECK(one.ok(), one.pattern());
  while (!text.empty()) check_name(take_line(text), *exact, modest ? &*modest : nullptr, each);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run(ExactCopy(data, size).view());
  return 0;
}
