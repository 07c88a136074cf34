#include "sandproof/plain_text.h"

#include "bytes.h"

namespace sandproof {
namespace {

constexpr std::unexpected<Refusal> refuse(Reason reason, std::size_t offset = k_no_place) noexcept {
  return std::unexpected(Refusal{Subject::configuration, reason, offset});
}

}  // namespace

Checked<PlainText> PlainText::parse(std::string_view text) {
  if (text.empty()) return refuse(Reason::empty);
  if (text.size() > k_max_plain_text_size) return refuse(Reason::too_long);
  const std::size_t ill_formed = bytes::find_ill_formed_utf8(text);
  if (ill_formed != k_no_place) return refuse(Reason::invalid_utf8, ill_formed);
  const std::size_t control = bytes::find_not(text, bytes::rules::k_no_control);
  if (control != k_no_place) return refuse(Reason::control_byte, control);
  return PlainText(text);
}

}  // namespace sandproof
