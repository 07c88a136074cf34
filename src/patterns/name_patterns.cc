#include "sandproof/name_patterns.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <utility>
#include <vector>

#include "sandproof/refusal.h"

namespace sandproof {
namespace {

RE2::Options options(std::int64_t max_memory) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);  // errors are answers here; nothing prints
  options.set_max_mem(max_memory);
  return options;
}

}  // namespace

// A set that failed to compile must never be matched (RE2 ends the process), so none is ever kept.
struct NamePatterns::Compiled {
  RE2::Set set;
};

std::expected<NamePatterns, PatternError> NamePatterns::compile(
    std::span<const std::string_view> patterns, std::int64_t max_memory) {
  auto compiled = std::make_unique<Compiled>(RE2::Set(options(max_memory), RE2::ANCHOR_BOTH));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::string message;
    const re2::StringPiece pattern(patterns[i].data(), patterns[i].size());
    if (compiled->set.Add(pattern, &message) < 0) {
      return std::unexpected(PatternError{i, std::string(patterns[i]), std::move(message)});
    }
  }
  if (!compiled->set.Compile()) {
    return std::unexpected(PatternError{patterns.size(),
                                        {},
                                        "the patterns together need more "
                                        "memory than the limit"});
  }
  return NamePatterns(std::move(compiled));
}

NamePatterns::NamePatterns(std::unique_ptr<const Compiled> compiled) noexcept
    : compiled_(std::move(compiled)) {}
NamePatterns::NamePatterns(NamePatterns&&) noexcept = default;
NamePatterns& NamePatterns::operator=(NamePatterns&&) noexcept = default;
NamePatterns::~NamePatterns() = default;

bool NamePatterns::refuses(std::string_view name) const noexcept {
  if (compiled_ == nullptr) return true;
  try {
    RE2::Set::ErrorInfo error{};
    const bool matched =
        compiled_->set.Match(re2::StringPiece(name.data(), name.size()), nullptr, &error);
    return matched || error.kind != RE2::Set::kNoError;
  } catch (...) {  // out of memory: not decided, so refused
    return true;
  }
}

std::string explain(const PatternError& error) {
  if (error.pattern.empty() && !error.message.empty()) {
    return "the patterns do not compile: " + escaped(error.message) + ": use fewer or simpler ones";
  }
  return "pattern " + std::to_string(error.index) + " " + escaped(error.pattern) +
         " does not compile: " + escaped(error.message) + ": write it in RE2 syntax";
}

}  // namespace sandproof
