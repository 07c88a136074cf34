// A declaration, and a policy or a record to hold against it, built from the bytes of an input.
//
// What is built is what the declaration asks for with a few things changed: a random policy would
// differ in everything at once, and say nothing about the rules that tell near misses apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/hosts.h"
#include "sandproof/egress.h"
#include "sandproof/wire.h"

namespace sandproof::fuzz {

// Declaration is what was declared, and the same for the reference model.
struct Declaration {
  DeclaredEgress ours;

  [[nodiscard]] reference::Declared theirs() const {
    reference::Declared declared;
    switch (ours.mode()) {
      case EgressMode::allow:
        declared.mode = reference::Declared::Mode::allow;
        break;
      case EgressMode::deny:
        declared.mode = reference::Declared::Mode::deny;
        break;
      case EgressMode::allow_domains:
        declared.mode = reference::Declared::Mode::allow_domains;
        for (const DomainPattern& domain : ours.domains()) {
          declared.domains.emplace_back(domain.view());
        }
        break;
    }
    return declared;
  }
};

// Declares a list of domains, or denies everything when the list is refused.
[[nodiscard]] inline Declaration declare_domains(const std::vector<std::string_view>& domains) {
  Checked<DeclaredEgress> declared = DeclaredEgress::allow_domains(domains);
  return {declared ? *std::move(declared) : DeclaredEgress::deny()};
}

[[nodiscard]] inline Declaration declare_allow() { return {DeclaredEgress::allow()}; }

// Choices are taken from the front of the input; past its end every choice is the first one, which
// everywhere changes least.
class Choices {
 public:
  explicit Choices(std::string_view bytes) noexcept : rest_(bytes) {}

  std::size_t below(std::size_t count) noexcept {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte % count;
  }
  bool one_in(std::size_t count) noexcept { return below(count) == count - 1; }
  template <std::size_t size>
  std::string of(const std::array<std::string_view, size>& words) {
    return std::string(words[below(size)]);
  }
  template <std::size_t size>
  std::optional<std::string> maybe(const std::array<std::string_view, size>& words) {
    return one_in(2) ? std::optional(of(words)) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

class Scenario {
 public:
  explicit Scenario(std::string_view bytes) : choices_(bytes), declaration_(declare()) {
    if (auto policy = created_with(declaration_.ours)) {
      record_.policy = *std::move(policy);
    } else {
      record_.policy = EgressPolicy{};
    }
    is_record_ = choices_.one_in(3);
    through_text_ = choices_.one_in(4);
    std::get<EgressPolicy>(record_.policy).host_rules.reserve(k_max_rules);
    record_.id = "s1";
    const std::size_t edits = choices_.below(k_max_edits + 1);
    unchanged_ = edits == 0;
    for (std::size_t i = 0; i < edits; ++i) edit();
  }

  [[nodiscard]] const Declaration& declaration() const noexcept { return declaration_; }
  [[nodiscard]] bool is_record() const noexcept { return is_record_; }
  // through_text: the document is also to be written and read again.
  [[nodiscard]] bool through_text() const noexcept { return through_text_; }
  // unchanged: the policy is exactly what the declaration asks for.
  [[nodiscard]] bool unchanged() const noexcept { return unchanged_; }
  [[nodiscard]] const SandboxRecord& record() const noexcept { return record_; }
  [[nodiscard]] const EgressPolicy& policy() const {
    return std::get<EgressPolicy>(record_.policy);
  }

 private:
  static constexpr std::size_t k_max_domains = 4;
  static constexpr std::size_t k_max_edits = 4;
  static constexpr std::size_t k_max_rules = 8;

  // Few hosts, so that patterns meet: each is below, above or beside others.
  static constexpr std::array<std::string_view, 12> k_domains{
      "a.example",     "b.example",   "*.a.example", "*.b.example", "a.b.example", "*.a.b.example",
      "b.a.b.example", "c.a.example", "example",     "*.x.y.z",     "x.y.z",       "xn--a.example"};
  // Outside the language, but a service may take them.
  static constexpr std::array<std::string_view, 10> k_strange{"*",
                                                              "*.example",
                                                              "",
                                                              "10.0.0.1",
                                                              "a..example",
                                                              "https://a.example",
                                                              "*.*.a.example",
                                                              "\xc3\xa9.example",
                                                              "a.example:443",
                                                              ".a.example"};
  static constexpr std::array<std::string_view, 8> k_actions{
      "Allow", "Deny", "allow", "DENY", "Transform", "transform", "", "Allow "};
  static constexpr std::array<std::string_view, 6> k_defaults{"Deny",  "deny", "Allow",
                                                              "allow", "",     "Deny "};
  static constexpr std::array<std::string_view, 5> k_inspections{"Full", "FULL", "None", "",
                                                                 "full "};
  static constexpr std::array<std::string_view, 4> k_texts{"a", "A", "", "\xc3\xa9\"\\\n"};
  static constexpr std::array<std::string_view, 4> k_headers{
      "[]", R"(["a"])", R"([{"name":"a","value":"b"}])", "[1.5]"};
  static constexpr std::array<std::string_view, 8> k_unmodelled{
      "bypassList", "rule", "", "a/b", "~", "\xc3\xa9", "mode\n", "http2"};
  static constexpr std::array<std::string_view, 8> k_values{
      "null", "true", "0", "-1.50", R"("a\"b")", "[]", R"({"a":[1,{"b":null}]})", "{}"};
  static constexpr std::array<std::string_view, 5> k_states{"Running", "Suspended", "", "running",
                                                            "Failed"};
  static constexpr std::array<std::string_view, 6> k_switches{"false", "true",        "\"\"",
                                                              "0",     R"("vnet-1")", "[]"};

  // recased folds letters up, which no comparison may notice, and perhaps adds a root dot.
  std::string recased(std::string text) {
    if (!choices_.one_in(3)) return text;
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (choices_.one_in(2)) text += '.';
    return text;
  }

  Declaration declare() {
    const std::size_t count = choices_.below(k_max_domains + 2);
    if (count == k_max_domains + 1) return declare_allow();
    std::vector<std::string_view> domains;
    domains.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      domains.push_back(k_domains[choices_.below(k_domains.size())]);
    }
    return declare_domains(domains);
  }

  std::string pattern() {
    const auto domains = declaration_.ours.domains();
    switch (choices_.below(4)) {
      case 0:
        if (!domains.empty()) {
          return recased(std::string(domains[choices_.below(domains.size())].view()));
        }
        return "*";
      case 1:
        return choices_.of(k_strange);
      default:
        return recased(choices_.of(k_domains));
    }
  }

  PolicyRule match_rule() {
    PolicyRule rule;
    rule.name = choices_.maybe(k_texts);
    if (choices_.one_in(2)) {
      PolicyRuleMatch& match = rule.match.emplace();
      match.host = pattern();
      match.path = choices_.maybe(k_texts);
      if (choices_.one_in(3)) {
        auto& methods = match.methods.emplace();
        for (std::size_t i = choices_.below(3); i > 0; --i) methods.push_back(choices_.of(k_texts));
      }
    }
    if (choices_.one_in(2)) {
      PolicyRuleAction& action = rule.action.emplace();
      action.type = choices_.of(k_actions);
      if (choices_.one_in(3)) {
        action.host = choices_.maybe(k_domains);
        action.path = choices_.maybe(k_texts);
        action.scheme = choices_.maybe(k_texts);
        action.headers = choices_.maybe(k_headers);
      }
    }
    return rule;
  }

  void add_unmodelled(PolicyBody& body, bool is_copy) {
    // Inside the copy, a further copy is one of the fields that nobody models.
    std::string name = is_copy && choices_.one_in(4) ? "http" : choices_.of(k_unmodelled);
    for (const UnmodelledField& field : body.unmodelled) {
      if (field.name == name) return;
    }
    body.unmodelled.push_back({std::move(name), choices_.of(k_values)});
  }

  void edit_rules(std::vector<PolicyHostRule>& rules) {
    if (rules.empty() || (rules.size() < k_max_rules && choices_.one_in(2))) {
      const std::size_t at = choices_.below(rules.size() + 1);
      PolicyHostRule rule{pattern(), choices_.of(k_actions)};
      rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(at), std::move(rule));
      return;
    }
    const std::size_t at = choices_.below(rules.size());
    switch (choices_.below(4)) {
      case 0:
        rules[at].pattern = recased(std::move(rules[at].pattern));
        break;
      case 1:
        rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 2:
        rules[at].action = choices_.of(k_actions);
        break;
      default:
        if (rules.size() < k_max_rules) rules.push_back(rules[at]);
        break;
    }
  }

  void edit() {
    auto& policy = std::get<EgressPolicy>(record_.policy);
    const bool in_copy = policy.http && choices_.one_in(2);
    PolicyBody& body = in_copy ? *policy.http : static_cast<PolicyBody&>(policy);
    switch (choices_.below(10)) {
      case 5:
        body.default_action = choices_.of(k_defaults);
        break;
      case 6:
        body.traffic_inspection = choices_.maybe(k_inspections);
        break;
      case 7:
        if (body.rules.size() < 3) body.rules.push_back(match_rule());
        break;
      case 8:
        add_unmodelled(body, in_copy);
        break;
      case 9:
        if (is_record_ && choices_.one_in(2)) {
          edit_record();
        } else {
          policy.http = static_cast<const PolicyBody&>(policy);
        }
        break;
      default:
        edit_rules(body.host_rules);
        break;
    }
  }

  void edit_record() {
    record_.state = choices_.maybe(k_states);
    record_.skip_egress_proxy = choices_.maybe(k_switches);
    record_.customer_vnet_connection_name = choices_.maybe(k_switches);
  }

  Choices choices_;
  Declaration declaration_;
  SandboxRecord record_;
  bool is_record_ = false;
  bool through_text_ = false;
  bool unchanged_ = false;
};

}  // namespace sandproof::fuzz
