// The C interface: what may be declared as reachable.
#include "sandproof/egress.h"

#include "objects.h"
#include "sandproof/wire.h"
#include "translate.h"

using namespace sandproof;
using namespace sandproof::c;

sandproof_status sandproof_domain_parse(sandproof_text text, const sandproof_name_rule* refused,
                                        sandproof_buffer* domain,
                                        sandproof_refusal* refusal) noexcept {
  if (!are_usable(text, refused, domain, refusal)) return SANDPROOF_BAD_CALL;
  const ForeignRule rule(refused);
  const auto parsed = DomainPattern::parse(view(text), rule.get());
  return parsed ? write(parsed->view(), *domain) : refuse(parsed.error(), *refusal);
}

sandproof_status sandproof_egress_allow(sandproof_egress** egress) noexcept {
  if (!are_usable(egress)) return SANDPROOF_BAD_CALL;
  return guarded([&] { return give_new(sandproof_egress{DeclaredEgress::allow()}, *egress); });
}

sandproof_status sandproof_egress_deny(sandproof_egress** egress) noexcept {
  if (!are_usable(egress)) return SANDPROOF_BAD_CALL;
  return guarded([&] { return give_new(sandproof_egress{DeclaredEgress::deny()}, *egress); });
}

sandproof_status sandproof_egress_allow_domains(const sandproof_text* domains, std::size_t count,
                                                const sandproof_name_rule* refused,
                                                sandproof_egress** egress,
                                                sandproof_refusal* refusal) noexcept {
  const List list{domains, count};
  if (!are_usable(list, refused, egress, refusal)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const ForeignRule rule(refused);
    auto declared = DeclaredEgress::allow_domains(views(list), rule.get());
    if (!declared) return refuse(declared.error(), *refusal);
    return give_new(sandproof_egress{*std::move(declared)}, *egress);
  });
}

sandproof_status sandproof_egress_get_mode(const sandproof_egress* egress,
                                           sandproof_egress_mode* mode) noexcept {
  if (!are_usable(egress, mode)) return SANDPROOF_BAD_CALL;
  return give(number(egress->declared.mode()), *mode);
}

sandproof_status sandproof_egress_get_domain_count(const sandproof_egress* egress,
                                                   std::size_t* count) noexcept {
  if (!are_usable(egress, count)) return SANDPROOF_BAD_CALL;
  return give(egress->declared.domains().size(), *count);
}

sandproof_status sandproof_egress_get_domain(const sandproof_egress* egress, std::size_t index,
                                             sandproof_text* domain) noexcept {
  if (!are_usable(egress, domain)) return SANDPROOF_BAD_CALL;
  const auto domains = egress->declared.domains();
  if (index >= domains.size()) return SANDPROOF_BAD_CALL;
  return give(text(domains[index].view()), *domain);
}

sandproof_status sandproof_egress_policy(const sandproof_egress* egress,
                                         sandproof_buffer* json) noexcept {
  if (!are_usable(egress, json)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const auto policy = created_with(egress->declared);
    return policy ? write(encode(*policy), *json) : write(k_no_policy, *json);
  });
}

void sandproof_egress_free(sandproof_egress* egress) noexcept { delete egress; }
