// The C interface: reading what a service says that a sandbox runs.
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "objects.h"
#include "sandproof/wire.h"
#include "translate.h"

using namespace sandproof;
using namespace sandproof::c;

struct sandproof_unreadable {  // NOLINT(readability-identifier-naming)
  Unreadable unreadable;
};

namespace {

// A document's kind is its place in the variant.
static_assert(std::is_same_v<
              std::variant_alternative_t<SANDPROOF_DOCUMENT_NO_POLICY, EffectiveDocument>, Absent>);
static_assert(
    std::is_same_v<std::variant_alternative_t<SANDPROOF_DOCUMENT_POLICY, EffectiveDocument>,
                   EgressPolicy>);
static_assert(
    std::is_same_v<std::variant_alternative_t<SANDPROOF_DOCUMENT_RECORD, EffectiveDocument>,
                   SandboxRecord>);

bool is_kind_to_read(sandproof_document_kind kind) noexcept {
  return kind == SANDPROOF_DOCUMENT_POLICY || kind == SANDPROOF_DOCUMENT_RECORD ||
         kind == SANDPROOF_DOCUMENT_ANY;
}

Decoded<EffectiveDocument> decode(std::string_view text, sandproof_document_kind kind) {
  if (kind == SANDPROOF_DOCUMENT_POLICY) return decode_policy(text);
  if (kind == SANDPROOF_DOCUMENT_RECORD) return decode_record(text);
  return decode_effective(text);
}

sandproof_status give_unreadable(Unreadable from, sandproof_unreadable*& to) {
  to = new sandproof_unreadable{std::move(from)};
  return SANDPROOF_UNREADABLE;
}

std::string encode_document(const EffectiveDocument& document) {
  if (const auto* policy = std::get_if<EgressPolicy>(&document)) return encode(*policy);
  if (const auto* record = std::get_if<SandboxRecord>(&document)) return encode(*record);
  return std::string(k_no_policy);
}

}  // namespace

// ---- What could not be read. ----

sandproof_status sandproof_unreadable_get(const sandproof_unreadable* unreadable,
                                          sandproof_reason* reason, sandproof_text* pointer,
                                          std::size_t* offset) noexcept {
  if (!are_usable(unreadable, reason, pointer, offset)) return SANDPROOF_BAD_CALL;
  *reason = number(unreadable->unreadable.reason);
  *pointer = text(unreadable->unreadable.pointer);
  return give(unreadable->unreadable.offset, *offset);
}

sandproof_status sandproof_unreadable_explain(const sandproof_unreadable* unreadable,
                                              sandproof_buffer* sentence) noexcept {
  if (!are_usable(unreadable, sentence)) return SANDPROOF_BAD_CALL;
  return guarded([&] { return write(explain(unreadable->unreadable), *sentence); });
}

void sandproof_unreadable_free(sandproof_unreadable* unreadable) noexcept { delete unreadable; }

sandproof_status sandproof_canonical_json(sandproof_text text, sandproof_buffer* canonical,
                                          sandproof_unreadable** unreadable) noexcept {
  if (!are_usable(text, canonical, unreadable)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    auto json = canonical_json(view(text));
    if (!json) return give_unreadable(std::move(json).error(), *unreadable);
    return write(*json, *canonical);
  });
}

// ---- Documents. ----

sandproof_status sandproof_document_read(sandproof_text text, sandproof_document_kind kind,
                                         sandproof_document** document,
                                         sandproof_unreadable** unreadable) noexcept {
  if (!is_kind_to_read(kind) || !are_usable(text, document, unreadable)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    auto read = decode(view(text), kind);
    if (!read) return give_unreadable(std::move(read).error(), *unreadable);
    return give_new(sandproof_document{*std::move(read)}, *document);
  });
}

sandproof_status sandproof_document_get_kind(const sandproof_document* document,
                                             sandproof_document_kind* kind) noexcept {
  if (!are_usable(document, kind)) return SANDPROOF_BAD_CALL;
  return give(number(document->effective.index()), *kind);
}

sandproof_status sandproof_document_policy_check(const sandproof_document* document,
                                                 sandproof_unreadable** unreadable) noexcept {
  if (!are_usable(document, unreadable)) return SANDPROOF_BAD_CALL;
  const auto* const record = std::get_if<SandboxRecord>(&document->effective);
  const auto* const why = record == nullptr ? nullptr : std::get_if<Unreadable>(&record->policy);
  if (why == nullptr) return SANDPROOF_ACCEPTED;
  return guarded([&] { return give_unreadable(*why, *unreadable); });
}

sandproof_status sandproof_document_get_record(const sandproof_document* document,
                                               sandproof_record* record) noexcept {
  if (!are_usable(document, record)) return SANDPROOF_BAD_CALL;
  const auto* const read = std::get_if<SandboxRecord>(&document->effective);
  if (read == nullptr) return SANDPROOF_BAD_CALL;
  const std::string_view state = read->state ? std::string_view(*read->state) : std::string_view();
  return give(sandproof_record{text(read->id), text(state), number(read->state.has_value()),
                               number(carries_policy(*read))},
              *record);
}

sandproof_status sandproof_document_encode(const sandproof_document* document,
                                           sandproof_buffer* json) noexcept {
  if (!are_usable(document, json)) return SANDPROOF_BAD_CALL;
  return guarded([&] { return write(encode_document(document->effective), *json); });
}

void sandproof_document_free(sandproof_document* document) noexcept { delete document; }
