// The C interface: does a sandbox run what was declared?
#include <span>
#include <string>
#include <vector>

#include "objects.h"
#include "sandproof/egress_comparison.h"
#include "translate.h"

using namespace sandproof;
using namespace sandproof::c;

struct sandproof_comparison {  // NOLINT(readability-identifier-naming)
  Comparison comparison;
};

namespace {

sandproof_status give_finding(std::span<const Finding> findings, std::size_t index,
                              sandproof_finding* to) noexcept {
  if (!are_usable(to) || index >= findings.size()) return SANDPROOF_BAD_CALL;
  const Finding& from = findings[index];
  return give(sandproof_finding{number(from.kind), number(from.effect), text(from.pointer),
                                text(from.detail), text(from.witness)},
              *to);
}

}  // namespace

sandproof_status sandproof_compare(const sandproof_egress* egress,
                                   const sandproof_document* document,
                                   const sandproof_tolerance* tolerances,
                                   std::size_t tolerance_count,
                                   sandproof_comparison** comparison) noexcept {
  const List list{tolerances, tolerance_count};
  if (!are_usable(egress, document, list, comparison)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const EffectiveEgress effective = normal_form(document->effective);
    return give_new(sandproof_comparison{compare(egress->declared, effective, tolerances_of(list))},
                    *comparison);
  });
}

sandproof_status sandproof_comparison_get_verdict(const sandproof_comparison* comparison,
                                                  sandproof_verdict* verdict) noexcept {
  if (!are_usable(comparison, verdict)) return SANDPROOF_BAD_CALL;
  return give(number(comparison->comparison.verdict()), *verdict);
}

sandproof_status sandproof_comparison_get_finding_count(const sandproof_comparison* comparison,
                                                        std::size_t* count) noexcept {
  if (!are_usable(comparison, count)) return SANDPROOF_BAD_CALL;
  return give(comparison->comparison.findings.size(), *count);
}

sandproof_status sandproof_comparison_get_finding(const sandproof_comparison* comparison,
                                                  std::size_t index,
                                                  sandproof_finding* finding) noexcept {
  if (!are_usable(comparison)) return SANDPROOF_BAD_CALL;
  return give_finding(comparison->comparison.findings, index, finding);
}

sandproof_status sandproof_comparison_get_note_count(const sandproof_comparison* comparison,
                                                     std::size_t* count) noexcept {
  if (!are_usable(comparison, count)) return SANDPROOF_BAD_CALL;
  return give(comparison->comparison.notes.size(), *count);
}

sandproof_status sandproof_comparison_get_note(const sandproof_comparison* comparison,
                                               std::size_t index,
                                               sandproof_finding* note) noexcept {
  if (!are_usable(comparison)) return SANDPROOF_BAD_CALL;
  return give_finding(comparison->comparison.notes, index, note);
}

void sandproof_comparison_free(sandproof_comparison* comparison) noexcept { delete comparison; }
