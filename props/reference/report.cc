#include "report.h"

#include <sodium/crypto_hash_sha256.h>

#include <algorithm>
#include <array>
#include <vector>

namespace sandproof::reference {
namespace {

constexpr std::size_t k_secret_size = 32;
constexpr std::size_t k_digest_size = 64;

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool is_hex(char c) { return is_lower_hex(c) || (c >= 'A' && c <= 'F'); }

bool is_tool_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '_' || c == '.' ||
         c == '-';
}

bool is_lower_hex_text(std::string_view text, std::size_t size) {
  return text.size() == size && std::all_of(text.begin(), text.end(), is_lower_hex);
}

// Line is a line that ends with a newline; what follows the last newline is none.
struct Line {
  std::size_t at = 0;
  std::string_view text;  // Without the newline.

  [[nodiscard]] std::size_t end() const { return at + text.size() + 1; }
};

std::vector<Line> lines_of(std::string_view bytes) {
  std::vector<Line> lines;
  std::size_t at = 0;
  while (true) {
    const std::size_t newline = bytes.find('\n', at);
    if (newline == std::string_view::npos) return lines;
    lines.push_back({at, bytes.substr(at, newline - at)});
    at = newline + 1;
  }
}

// places_of is where a text stands, overlaps too.
std::vector<std::size_t> places_of(std::string_view wanted, std::string_view bytes) {
  std::vector<std::size_t> places;
  std::size_t at = bytes.find(wanted);
  while (at != std::string_view::npos) {
    places.push_back(at);
    at = bytes.find(wanted, at + 1);
  }
  return places;
}

std::size_t count_of(std::string_view wanted, std::string_view bytes) {
  return places_of(wanted, bytes).size();
}

// has_hex_run: somewhere stand 32 hex digits in a row, whatever their case and whatever is around
// them.
bool has_hex_run(std::string_view bytes) {
  std::size_t digits = 0;
  for (const char c : bytes) {
    digits = is_hex(c) ? digits + 1 : 0;
    if (digits == k_secret_size) return true;
  }
  return false;
}

// Announcement is a line's two digests.
struct Announcement {
  Line line;
  std::string_view deadline_digest;
  std::string_view exit_digest;
};

std::vector<Announcement> announcements_of(std::string_view bytes, std::string_view call_id) {
  const std::string prefix = call_prefix(call_id);
  std::vector<Announcement> found;
  for (const Line& line : lines_of(bytes)) {
    if (!line.text.starts_with(prefix)) continue;
    const std::string_view digests = line.text.substr(prefix.size());
    if (digests.size() != k_digest_size + 1 + k_digest_size) continue;
    const std::string_view first = digests.substr(0, k_digest_size);
    const std::string_view second = digests.substr(k_digest_size + 1);
    if (!is_lower_hex_text(first, k_digest_size)) continue;
    if (digests[k_digest_size] != ' ') continue;
    if (!is_lower_hex_text(second, k_digest_size)) continue;
    found.push_back({line, first, second});
  }
  return found;
}

// Candidate is what may be the wrapper's final line; its end leaves out the newline.
struct Candidate {
  std::size_t at = 0;
  std::size_t end = 0;
  std::string_view kind;
  std::string_view secret;
};

std::vector<Candidate> candidates_of(std::string_view bytes, std::string_view call_id) {
  const std::string prefix = call_prefix(call_id);
  std::vector<Candidate> found;
  for (const std::size_t at : places_of(prefix, bytes)) {
    for (const std::string_view kind : {"deadline", "exit"}) {
      std::string_view rest = bytes.substr(at + prefix.size());
      if (!rest.starts_with(kind)) continue;
      rest.remove_prefix(kind.size());
      if (!rest.starts_with(' ')) continue;
      const std::string_view secret = rest.substr(1, k_secret_size);
      if (!is_lower_hex_text(secret, k_secret_size)) continue;
      const std::size_t secret_at = at + prefix.size() + kind.size() + 1;
      found.push_back({at, secret_at + k_secret_size, kind, secret});
    }
  }
  return found;
}

bool is_valid(const Candidate& candidate, const Announcement& announcement) {
  const std::string digest = digest_of(candidate.secret);
  return candidate.kind == "deadline" ? digest == announcement.deadline_digest
                                      : digest == announcement.exit_digest;
}

// tool_of is the tool of a refused line; empty for any other line.
std::string tool_of(std::string_view line, std::string_view call_id) {
  const std::string head = call_prefix(call_id) + "refused ";
  if (!line.starts_with(head)) return "";
  std::string tool(line.substr(head.size()));
  if (tool.size() > 64 || !std::all_of(tool.begin(), tool.end(), is_tool_byte)) return "";
  return tool;
}

ReportAnswer unannounced_sealed(std::optional<int> exit_code, std::string_view bytes,
                                std::string_view call_id) {
  ReportAnswer answer;
  if (exit_code == 126 && count_of(call_prefix(call_id), bytes) == 1) {
    for (const Line& line : lines_of(bytes)) answer.tool += tool_of(line.text, call_id);
    if (!answer.tool.empty()) answer.outcome = "not_run";
  }
  if (exit_code == 127 && count_of(k_report_tag, bytes) == 0) answer.outcome = "not_run";
  return answer;
}

}  // namespace

std::string digest_of(std::string_view secret) {
  const std::string text = std::string(secret) + "\n";
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());

  const std::string_view digits = "0123456789abcdef";
  std::string hex(k_digest_size, '0');
  for (std::size_t i = 0; i < hash.size(); ++i) {
    hex[2 * i] = digits[hash[i] / 16];
    hex[2 * i + 1] = digits[hash[i] % 16];
  }
  return hex;
}

std::string call_prefix(std::string_view call_id) {
  return std::string(k_report_tag) + std::string(call_id) + " ";
}

ReportAnswer read_nonce(std::optional<int> exit_code, std::string_view bytes) {
  ReportAnswer answer;
  for (const Line& line : lines_of(bytes)) {
    if (!is_lower_hex_text(line.text, k_secret_size)) continue;

    const std::string_view rest = bytes.substr(line.end());
    const std::size_t repeat = rest.find(line.text);
    answer.outcome = "ran";
    answer.preamble = bytes.substr(0, line.at);
    answer.before = rest.substr(0, repeat);  // All of it where there is no repeat.
    if (repeat != std::string_view::npos) {
      answer.after = rest.substr(repeat + k_secret_size);
      answer.killed = exit_code == 137;
    }
    return answer;
  }
  if ((exit_code == 126 || exit_code == 127) && !has_hex_run(bytes)) answer.outcome = "not_run";
  return answer;
}

ReportAnswer read_sealed(std::optional<int> exit_code, std::string_view bytes,
                         std::string_view call_id) {
  const std::vector<Announcement> announcements = announcements_of(bytes, call_id);
  if (announcements.empty()) return unannounced_sealed(exit_code, bytes, call_id);

  const Announcement& announcement = announcements.front();
  const std::string_view rest = bytes.substr(announcement.line.end());

  std::vector<Candidate> checked = candidates_of(rest, call_id);
  if (checked.size() > k_max_checked_candidates)
    checked.erase(checked.begin(), checked.end() - k_max_checked_candidates);

  std::vector<Candidate> valid;
  for (const Candidate& candidate : checked) {
    if (is_valid(candidate, announcement)) valid.push_back(candidate);
  }

  ReportAnswer answer;
  answer.outcome = "ran";
  answer.preamble = bytes.substr(0, announcement.line.at);
  answer.before = rest;
  if (!valid.empty()) {
    const Candidate& report = valid.front();
    answer.before = rest.substr(0, report.at);
    answer.after = rest.substr(report.end);
    if (answer.after.starts_with('\n')) answer.after.erase(0, 1);
  }

  const bool same_announcements = std::all_of(
      announcements.begin(), announcements.end(),
      [&](const Announcement& each) { return each.line.text == announcement.line.text; });
  const bool deadline_is_valid = std::any_of(
      valid.begin(), valid.end(), [](const Candidate& each) { return each.kind == "deadline"; });
  const bool exit_is_valid = std::any_of(valid.begin(), valid.end(),
                                         [](const Candidate& each) { return each.kind == "exit"; });
  if (same_announcements) {
    answer.attested = deadline_is_valid != exit_is_valid;
    answer.killed = deadline_is_valid && !exit_is_valid && exit_code == 137;
  }
  return answer;
}

}  // namespace sandproof::reference
