#include "sandproof/domain_pattern.h"

#include <algorithm>
#include <optional>
#include <span>

#include "bytes.h"

namespace sandproof {
namespace {

constexpr std::unexpected<Refusal> refuse(Reason reason, std::size_t offset = k_no_place) noexcept {
  return std::unexpected(Refusal{Subject::domain, reason, offset});
}

// One row a mistake that shows in the text as a whole: the first row that finds its mistake
// decides. Those of the first table are made of bytes that stand in no pattern.
struct Mistake {
  Reason reason;
  std::size_t (*find)(std::string_view text) noexcept;
};

std::size_t find_second_address_colon(std::string_view text) noexcept {
  const std::size_t first = text.find(':');
  return first != text.npos && text.find(':', first + 1) != text.npos ? first : k_no_place;
}

// find_stray_star gives the first `*` that is not a leading `*.` with two labels after it.
std::size_t find_stray_star(std::string_view text) noexcept {
  if (text.ends_with('.')) text.remove_suffix(1);
  const bool leads = text.starts_with("*.") && text.find('.', 2) != text.npos;
  return text.find('*', leads ? 1 : 0);
}

// find_empty_label gives the place where the first empty label would begin.
std::size_t find_empty_label(std::string_view text) noexcept {
  if (text.ends_with('.')) text.remove_suffix(1);
  const std::size_t dots = text.find("..");
  if (dots != text.npos) return dots + 1;
  return text.ends_with('.') ? text.size() : k_no_place;
}

static_assert(k_no_place == std::string_view::npos, "both say \"nowhere\"");

constexpr auto k_pattern_byte = [](bytes::Block c) noexcept {
  return bytes::rules::k_word(c) | (c == '-') | (c == '.') | (c == '*');
};

constexpr Mistake k_foreign_bytes[] = {
    {Reason::non_ascii,
     [](std::string_view text) noexcept { return bytes::find_not(text, bytes::rules::k_ascii); }},
    {Reason::whitespace,
     [](std::string_view text) noexcept {
       return bytes::find_not(text, [](auto c) { return c != ' ' && !bytes::rules::k_control(c); });
     }},
    {Reason::list, [](std::string_view text) noexcept { return text.find(','); }},
    {Reason::scheme, [](std::string_view text) noexcept { return text.find("://"); }},
    {Reason::userinfo, [](std::string_view text) noexcept { return text.find('@'); }},
    {Reason::ip_literal, [](std::string_view text) noexcept { return text.find('['); }},
    {Reason::path, [](std::string_view text) noexcept { return text.find('/'); }},
    {Reason::ip_literal, find_second_address_colon},
    {Reason::port, [](std::string_view text) noexcept { return text.find(':'); }},
};

constexpr Mistake k_misplaced[] = {
    {Reason::leading_dot,
     [](std::string_view text) noexcept { return text.starts_with('.') ? 0 : k_no_place; }},
    {Reason::wildcard, find_stray_star},
    {Reason::empty_label, find_empty_label},
};

std::optional<Refusal> refused_by(std::span<const Mistake> mistakes,
                                  std::string_view text) noexcept {
  for (const Mistake& mistake : mistakes) {
    const std::size_t at = mistake.find(text);
    if (at != k_no_place) return Refusal{Subject::domain, mistake.reason, at};
  }
  return std::nullopt;
}

bool is_label(std::string_view label) noexcept {
  return label.size() <= k_max_label_size && label.front() != '-' && label.back() != '-' &&
         bytes::all(label, [](bytes::Block c) { return bytes::rules::k_word(c) | (c == '-'); });
}

// is_number says whether a URL parser reads this label as a part of an IPv4 address.
bool is_number(std::string_view label) noexcept {
  if (std::ranges::all_of(label, bytes::is_digit)) return true;
  if (!label.starts_with("0x") && !label.starts_with("0X")) return false;
  return std::ranges::all_of(label.substr(2), [](char c) {
    return bytes::is_digit(c) || (bytes::to_lower(c) >= 'a' && bytes::to_lower(c) <= 'f');
  });
}

}  // namespace

Checked<DomainPattern> DomainPattern::parse(std::string_view text,
                                            const NameRule* refused) noexcept {
  if (text.empty()) return refuse(Reason::empty);
  if (!bytes::all(text, k_pattern_byte)) {
    if (const auto mistake = refused_by(k_foreign_bytes, text)) return std::unexpected(*mistake);
  }
  if (const auto mistake = refused_by(k_misplaced, text)) return std::unexpected(*mistake);

  const std::string_view canonical = text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0));
  if (canonical.size() > k_max_domain_size) return refuse(Reason::too_long);
  std::size_t last = 0;
  for (std::size_t begin = canonical.starts_with('*') ? 2 : 0; begin <= canonical.size();) {
    const std::size_t end = std::min(canonical.find('.', begin), canonical.size());
    if (!is_label(canonical.substr(begin, end - begin))) return refuse(Reason::bad_label, begin);
    last = begin;
    begin = end + 1;
  }
  if (is_number(canonical.substr(last))) return refuse(Reason::ip_literal, last);

  DomainPattern pattern;
  bytes::lower(canonical, pattern.bytes_.data());
  pattern.size_ = static_cast<std::uint8_t>(canonical.size());
  if (refused != nullptr &&
      (refused->refuses(pattern.view()) || refused->refuses(pattern.apex()))) {
    return refuse(Reason::refused_domain);
  }
  return pattern;
}

}  // namespace sandproof
