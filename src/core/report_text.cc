#include "report_text.h"

#include <sodium/crypto_hash_sha256.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sandproof::report_text {
namespace {

constexpr std::size_t k_max_tool_size = 64;

template <std::size_t size>
std::array<char, size> copied(std::string_view text) noexcept {
  std::array<char, size> out;
  const char* const from = text.data();
  std::memcpy(out.data(), from, size);
  return out;
}

constexpr std::string_view k_deadline = "deadline ";
constexpr std::string_view k_exit = "exit ";

// secret_begin is where the secret of a final line would stand, or 0 where the line is none.
std::size_t secret_begin(std::string_view behind) noexcept {
  if (behind.starts_with(k_exit)) return k_exit.size();
  if (behind.starts_with(k_deadline)) return k_deadline.size();
  return 0;
}

constexpr bool is_tool_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || bytes::is_digit(c) || c == '/' || c == '_' || c == '.' ||
         c == '-';
}

bool is_lower_hex(std::string_view text) noexcept {
  return bytes::all(text, bytes::rules::k_lower_hex);
}

std::array<char, Prefix::k_size> spelled(const CallId& id) noexcept {
  std::array<char, Prefix::k_size> out;
  char* end = std::ranges::copy(k_tag, out.data()).out;
  end = std::ranges::copy(id.view(), end).out;
  *end = ' ';
  return out;
}

}  // namespace

std::size_t find_text(std::string_view stream, std::string_view text, std::size_t from) noexcept {
  if (from >= stream.size()) return stream.npos;
  const void* const hit =
      ::memmem(stream.data() + from, stream.size() - from, text.data(), text.size());
  return hit == nullptr ? stream.npos
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - stream.data());
}

Prefix::Prefix(const CallId& id) noexcept : bytes_(spelled(id)), finder_(view()) {}

bool is_announcement(std::string_view behind) noexcept {
  return behind.size() >= k_max_behind && behind[k_digest_size] == ' ' &&
         behind[k_max_behind - 1] == '\n' && is_lower_hex(behind.substr(0, k_digest_size)) &&
         is_lower_hex(behind.substr(k_digest_size + 1, k_digest_size));
}

std::optional<Announcement> read_announcement(std::string_view behind) noexcept {
  if (!is_announcement(behind)) return std::nullopt;
  return Announcement{copied<k_digest_size>(behind),
                      copied<k_digest_size>(behind.substr(k_digest_size + 1))};
}

std::size_t final_line_size(std::string_view behind) noexcept {
  const std::size_t begin = secret_begin(behind);
  if (begin == 0 || !is_nonce(behind.substr(begin, k_secret_size))) return 0;
  const std::size_t end = begin + k_secret_size;
  return end < behind.size() && behind[end] == '\n' ? end + 1 : end;
}

std::optional<FinalLine> read_final_line(std::string_view behind) noexcept {
  const std::size_t size = final_line_size(behind);
  if (size == 0) return std::nullopt;
  const std::size_t begin = secret_begin(behind);
  return FinalLine{begin == k_deadline.size() ? Kind::deadline : Kind::exit,
                   copied<k_secret_size>(behind.substr(begin, k_secret_size)), size};
}

std::string_view read_refused(std::string_view behind) noexcept {
  constexpr std::string_view k_refused = "refused ";
  if (!behind.starts_with(k_refused)) return {};
  behind.remove_prefix(k_refused.size());
  const std::size_t end = behind.substr(0, k_max_tool_size + 1).find('\n');
  if (end == behind.npos) return {};
  const std::string_view tool = behind.substr(0, end);
  return std::ranges::all_of(tool, is_tool_byte) ? tool : std::string_view();
}

bool opens(const FinalLine& line, const Announcement& announcement) noexcept {
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::array<unsigned char, k_secret_size + 1> text{};
  std::ranges::copy(line.secret, text.begin());
  text.back() = '\n';
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), text.data(), text.size());
  const auto& digest =
      line.kind == Kind::deadline ? announcement.deadline_digest : announcement.exit_digest;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    if (digest[2 * i] != k_hex[hash[i] >> 4U] || digest[2 * i + 1] != k_hex[hash[i] & 0xfU]) {
      return false;
    }
  }
  return true;
}

}  // namespace sandproof::report_text
