// Paths that a caller sends into a sandbox's file calls.
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/refusal.h"

namespace sandproof {

// Limits in bytes: a whole path after its leading slashes (Linux PATH_MAX less the final NUL), and
// one segment (NAME_MAX).
inline constexpr std::size_t k_max_path_size = 4095;
inline constexpr std::size_t k_max_segment_size = 255;

// SandboxPath is a view of the path to send: relative to the sandbox's own root, well-formed UTF-8
// without control bytes, no segment empty, `..`, or over 255 bytes.
//
// parse refuses, in this order: `trailing_slash`; then leading slashes are trimmed (they mean
// "under the sandbox's own root") and nothing left is `empty`; over 4095 bytes `too_long`; `nul`;
// `invalid_utf8`; `control_byte` (0x01-0x1f, 0x7f: they forge log lines and headers); then the
// leftmost segment that is `empty_segment`, `parent_segment` or `segment_too_long`. Offsets count
// bytes of the text given, its leading slashes included.
//
// Nothing is decoded or expanded: `.`, `..data`, `~`, `%2e%2e` and backslashes are ordinary.
// The check is lexical: a path names no parent. It does not promise that no symbolic link does.
// O(n), allocates nothing. The view borrows the caller's bytes.
//   SandboxPath::parse("/work/app.py")->view() == "work/app.py"
//   SandboxPath::parse("a/../b").error() is parent_segment at byte 2
class SandboxPath {
 public:
  [[nodiscard]] static Checked<SandboxPath> parse(std::string_view text) noexcept;
  template <OwningTemporary S>
  static Checked<SandboxPath> parse(S&& text) = delete;

  [[nodiscard]] constexpr std::string_view view() const noexcept { return text_; }

  friend constexpr auto operator<=>(const SandboxPath&, const SandboxPath&) noexcept = default;

 private:
  friend class OwnedSandboxPath;
  constexpr explicit SandboxPath(std::string_view text) noexcept : text_(text) {}

  std::string_view text_;
};

// OwnedSandboxPath keeps a copy of a parsed SandboxPath.
class OwnedSandboxPath {
 public:
  explicit OwnedSandboxPath(SandboxPath path) : text_(path.view()) {}
  // Moving copies: what was moved from would hold what parse refuses.
  OwnedSandboxPath(const OwnedSandboxPath&) = default;
  OwnedSandboxPath& operator=(const OwnedSandboxPath&) = default;

  [[nodiscard]] SandboxPath borrow() const noexcept { return SandboxPath(text_); }
  [[nodiscard]] std::string_view view() const noexcept { return text_; }

  friend auto operator<=>(const OwnedSandboxPath&, const OwnedSandboxPath&) = default;

 private:
  std::string text_;
};

// write_order gives the order in which files are written: the indices of `paths`, sorted by the
// bytes of the path that is sent. Two names of one path ("a" and "/a") are refused as
// `duplicate_path`; Refusal::word is the index of the second. O(n log n), allocates the result.
[[nodiscard]] Checked<std::vector<std::size_t>> write_order(std::span<const SandboxPath> paths);

}  // namespace sandproof
