// The lines of a report, as both of its readers see them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bytes.h"
#include "sandproof/call_id.h"
#include "text_finder.h"

namespace sandproof::report_text {

inline constexpr std::string_view k_tag = "sandproof1 ";
inline constexpr std::size_t k_secret_size = 32;
inline constexpr std::size_t k_digest_size = 64;

// What follows the prefix of a line of this call is at most this long: an announcement's.
inline constexpr std::size_t k_max_behind = 2 * k_digest_size + 2;

// Exit codes that mean something here.
inline constexpr std::int32_t k_killed = 137;
inline constexpr std::int32_t k_not_executable = 126;
inline constexpr std::int32_t k_not_found = 127;

// find_text gives the first place of `text` in `stream` at or after `from`, or npos. Linear.
std::size_t find_text(std::string_view stream, std::string_view text, std::size_t from) noexcept;

// Prefix is `sandproof1 <call-id> `, with which every line of one call begins. Two of them never
// overlap: the first letter of the tag stands nowhere else in one.
class Prefix {
 public:
  static constexpr std::size_t k_size = k_tag.size() + k_call_id_size + 1;

  explicit Prefix(const CallId& id) noexcept;

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), k_size}; }

  // find gives the first place of the prefix in `stream` at or after `from`, or npos. One that
  // follows the last directly, as in a flood of them, is seen at once.
  [[nodiscard]] std::size_t find(std::string_view stream, std::size_t from) const noexcept {
    if (from < stream.size() && stream.substr(from, k_size) == view()) return from;
    return finder_.find(stream, from);
  }

 private:
  std::array<char, k_size> bytes_;
  TextFinder finder_;
};

// Announcement is the line by which a wrapper commits to its two secrets.
struct Announcement {
  std::array<char, k_digest_size> deadline_digest;
  std::array<char, k_digest_size> exit_digest;
  friend bool operator==(const Announcement&, const Announcement&) = default;
};

// is_announcement says whether the rest of an announcement stands behind the prefix, its newline
// included: what most lines are asked, without a copy of the digests.
bool is_announcement(std::string_view behind) noexcept;

// read_announcement reads one.
std::optional<Announcement> read_announcement(std::string_view behind) noexcept;

enum class Kind : std::uint8_t { deadline, exit };

// FinalLine looks like a final line; only its secret can show that it is one. `size` is how much of
// what stands behind the prefix belongs to it, a newline that follows directly included.
struct FinalLine {
  Kind kind;
  std::array<char, k_secret_size> secret;
  std::size_t size;
};

std::optional<FinalLine> read_final_line(std::string_view behind) noexcept;

// final_line_size is the size of the line that read_final_line would read, or 0.
std::size_t final_line_size(std::string_view behind) noexcept;

// is_nonce says whether a text is 32 lower-case hex digits.
inline bool is_nonce(std::string_view text) noexcept {
  return text.size() == k_secret_size && bytes::all(text, bytes::rules::k_lower_hex);
}

// read_refused reads the tool of a refusal: `[a-z0-9/_.-]{1,64}` and a newline; empty otherwise.
std::string_view read_refused(std::string_view behind) noexcept;

// opens says whether the line's secret is the one that the announcement commits to: SHA-256 of the
// digits and one newline, as sha256sum sees them.
bool opens(const FinalLine& line, const Announcement& announcement) noexcept;

}  // namespace sandproof::report_text
