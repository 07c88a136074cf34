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

// bit is the bit of a slot's field among the keys of the outermost object. A slot that no field has
// does not compile.
consteval std::uint32_t bit(wire::Slot slot) {
  std::size_t row = 0;
  while (wire::k_peek_fields[row].slot != slot) ++row;
  return 1U << row;
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

  constexpr std::uint32_t k_id = bit(wire::Slot::id);
  constexpr std::uint32_t k_default_action = bit(wire::Slot::default_action);
  constexpr std::uint32_t k_policy = bit(wire::Slot::policy);
  const auto has = [&peek](std::uint32_t key) { return (peek.root_keys & key) != 0; };
  if (has(k_id) && !has(k_default_action)) return decode_record(text);
  if (has(k_default_action) && !has(k_id) && !has(k_policy)) return decode_policy(text);
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

EffectiveEgress normal_form(const EffectiveDocument& document) {
  if (const auto* record = std::get_if<SandboxRecord>(&document)) return normal_form(*record);
  return normal_form(std::get_if<EgressPolicy>(&document));
}

bool carries_policy(const SandboxRecord& record) noexcept {
  return !std::holds_alternative<Absent>(record.policy);
}

}  // namespace sandproof
