#include "sandproof/sandbox_path.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "bytes.h"

namespace sandproof {
namespace {

constexpr std::unexpected<Refusal> refuse(Reason reason, std::size_t offset = k_no_place) noexcept {
  return std::unexpected(Refusal{Subject::path, reason, offset});
}

std::optional<Reason> refused_segment(std::string_view segment) noexcept {
  if (segment.empty()) return Reason::empty_segment;
  if (segment == "..") return Reason::parent_segment;
  if (segment.size() > k_max_segment_size) return Reason::segment_too_long;
  return std::nullopt;
}

// refused_text is what a path is refused for whatever its segments are.
std::optional<Refusal> refused_text(std::string_view path) noexcept {
  if (bytes::all(path, bytes::rules::k_printable_ascii)) return std::nullopt;
  const auto refusal = [](Reason reason, std::size_t offset) {
    return Refusal{Subject::path, reason, offset};
  };
  if (const auto nul = path.find('\0'); nul != path.npos) return refusal(Reason::nul, nul);
  if (const auto at = bytes::find_ill_formed_utf8(path); at != k_no_place) {
    return refusal(Reason::invalid_utf8, at);
  }
  if (const auto at = bytes::find_not(path, bytes::rules::k_no_control); at != k_no_place) {
    return refusal(Reason::control_byte, at);
  }
  return std::nullopt;
}

// has_long_segment goes from the last slash that may end a segment to the next such one.
bool has_long_segment(std::string_view path) noexcept {
  while (path.size() > k_max_segment_size) {
    const std::size_t slash = path.substr(0, k_max_segment_size + 1).rfind('/');
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

// has_plain_segments says whether no segment is empty or too long or begins with two dots: what
// most paths are, and cheaper than to look at each segment. The path neither begins nor ends with a
// slash.
bool has_plain_segments(std::string_view path) noexcept {
  const auto plain = [](bytes::Block a, bytes::Block b, bytes::Block c) {
    return (a != '/') | ((b != '/') & ((b != '.') | (c != '.')));
  };
  return !path.starts_with("..") && bytes::all_threes(path, plain) && !has_long_segment(path);
}

}  // namespace

Checked<SandboxPath> SandboxPath::parse(std::string_view text) noexcept {
  // Before anything is trimmed: otherwise "a/b/" and the file "a/b" were the same request.
  if (text.ends_with('/')) return refuse(Reason::trailing_slash, text.size() - 1);
  const std::size_t trimmed = std::min(text.find_first_not_of('/'), text.size());
  const std::string_view path = text.substr(trimmed);
  if (path.empty()) return refuse(Reason::empty);
  if (path.size() > k_max_path_size) return refuse(Reason::too_long);

  if (auto refused = refused_text(path)) {
    refused->offset += trimmed;
    return std::unexpected(*refused);
  }
  if (has_plain_segments(path)) return SandboxPath(path);
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (const auto reason = refused_segment(path.substr(begin, end - begin))) {
      return refuse(*reason, trimmed + begin);
    }
    begin = end + 1;
  }
  return SandboxPath(path);
}

Checked<std::vector<std::size_t>> write_order(std::span<const SandboxPath> paths) {
  std::vector<std::size_t> order(paths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto at = [paths](std::size_t i) { return std::pair(paths[i], i); };
  std::ranges::sort(order, {}, at);

  // Of equal paths the later one in the list stands behind; the earliest such one is refused.
  std::size_t repeat = k_no_place;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (paths[order[i - 1]] == paths[order[i]]) repeat = std::min(repeat, order[i]);
  }
  if (repeat == k_no_place) return order;
  return std::unexpected(Refusal{Subject::path, Reason::duplicate_path, k_no_place, repeat});
}

}  // namespace sandproof
