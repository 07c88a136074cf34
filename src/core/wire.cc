#include "sandproof/wire.h"

#include <utility>

#include "decoder.h"

namespace sandproof {
namespace {

// Without a value: the decoder's own failure.
template <class T>
Decoded<T> take(wire::Decoder& decoder, std::string_view text, std::size_t max_size, T& target) {
  if (auto read = decoder.run(text, max_size); !read) {
    return std::unexpected(std::move(read.error()));
  }
  return std::move(target);
}

constexpr std::uint32_t bit(wire::Slot slot) noexcept {
  for (std::size_t i = 0; i < wire::k_peek_fields.size(); ++i) {
    if (wire::k_peek_fields[i].slot == slot) return 1U << i;
  }
  return 0;
}

void add_override(EffectiveEgress& effective, FindingKind kind, std::string_view pointer,
                  const std::optional<std::string>& value, std::string_view harmless) {
  if (value && *value != harmless) {
    effective.overrides.push_back({kind, std::string(pointer), *value});
  }
}

}  // namespace

Decoded<EgressPolicy> decode_policy(std::string_view text) {
  wire::Decoder decoder(wire::k_policy_root);
  return take(decoder, text, k_max_document_size, decoder.policy);
}

Decoded<SandboxRecord> decode_record(std::string_view text) {
  wire::Decoder decoder(wire::k_record_root);
  return take(decoder, text, k_max_document_size, decoder.record);
}

Decoded<ExecResult> decode_exec_result(std::string_view text) {
  wire::Decoder decoder(wire::k_exec_result_root);
  return take(decoder, text, k_max_exec_result_size, decoder.exec_result);
}

Decoded<std::string> canonical_json(std::string_view text) {
  wire::Decoder decoder(wire::k_any_root);
  return take(decoder, text, k_max_document_size, decoder.canonical);
}

Decoded<EffectiveDocument> decode_effective(std::string_view text) {
  wire::Decoder peek(wire::k_peek_root);
  const auto peeked = peek.run(text, k_max_document_size);
  if (peeked && peek.root_is_null) return EffectiveDocument(Absent{});

  const auto has = [&peek](wire::Slot slot) { return (peek.root_keys & bit(slot)) != 0; };
  if (has(wire::Slot::id) && !has(wire::Slot::default_action)) return decode_record(text);
  const bool policy =
      has(wire::Slot::default_action) && !has(wire::Slot::id) && !has(wire::Slot::policy);
  if (policy) return decode_policy(text);
  if (!peeked) return std::unexpected(peeked.error());
  return std::unexpected(Unreadable{Reason::unknown_shape, {}});
}

EffectiveEgress normal_form(const SandboxRecord& record) {
  constexpr std::string_view k_policy = "/egressPolicy";
  EffectiveEgress effective = normal_form(std::get_if<EgressPolicy>(&record.policy), k_policy);
  if (const auto* unreadable = std::get_if<Unreadable>(&record.policy)) {
    effective.unreadable = *unreadable;
  }
  add_override(effective, FindingKind::proxy_bypass, "/skipEgressProxy", record.skip_egress_proxy,
               "false");
  add_override(effective, FindingKind::network_override, "/customerVnetConnectionName",
               record.customer_vnet_connection_name, "\"\"");
  return effective;
}

bool carries_policy(const SandboxRecord& record) noexcept {
  return !std::holds_alternative<Absent>(record.policy);
}

}  // namespace sandproof
