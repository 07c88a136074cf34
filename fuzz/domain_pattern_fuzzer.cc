// Domain patterns: the input is the pattern.
#include "sandproof/domain_pattern.h"

#include "examination.h"
#include "fuzz_check.h"
#include "reference/languages.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

Checked<DomainPattern> parse(std::string_view text) { return DomainPattern::parse(text); }

std::string upper_ascii(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

void check_accepted(std::string_view text, const DomainPattern& pattern) {
  const std::string_view value = pattern.view();
  FUZZ_CHECK(parse(value) == pattern, value);
  FUZZ_CHECK(parse(upper_ascii(text)) == pattern, text);
  // One root dot makes no difference; a second one is an empty label.
  const std::string rooted = std::string(value) + ".";
  FUZZ_CHECK(parse(rooted) == pattern, rooted);
  FUZZ_CHECK(!parse(rooted + "."), rooted);

  const std::string_view apex = pattern.apex();
  FUZZ_CHECK(pattern.is_wildcard() == value.starts_with("*."), value);
  FUZZ_CHECK(value.ends_with(apex) && value.size() == apex.size() + (pattern.is_wildcard() ? 2 : 0),
             value, apex);
  const Checked<DomainPattern> host = parse(apex);
  FUZZ_CHECK(host && host->view() == apex && !host->is_wildcard(), apex);
  // Below a host of two labels or more there is a wildcard, where it fits.
  const Checked<DomainPattern> below = parse("*." + std::string(apex));
  const bool fits = apex.find('.') != apex.npos && apex.size() + 2 <= k_max_domain_size;
  FUZZ_CHECK(below.has_value() == fits, apex);
}

// RefusesAll is a deployment's own rule that keeps what it was asked about.
class RefusesAll final : public NameRule {
 public:
  [[nodiscard]] bool refuses(std::string_view name) const noexcept override {
    asked = name;
    return true;
  }
  mutable std::string asked;
};

// Such a rule comes last: it sees accepted patterns only, in canonical form.
void check_own_rule(std::string_view text, const Checked<DomainPattern>& pattern) {
  const RefusesAll rule;
  const Checked<DomainPattern> refused = DomainPattern::parse(text, &rule);
  FUZZ_CHECK(!refused, text);
  if (pattern) {
    FUZZ_CHECK(refused.error().reason == Reason::refused_domain, text);
    FUZZ_CHECK(rule.asked == pattern->view(), rule.asked, pattern->view());
  } else {
    FUZZ_CHECK(refused.error() == pattern.error() && rule.asked.empty(), text, rule.asked);
  }
  check_message(explain(refused.error(), text));
}

// RefusesOne is a rule against one name.
class RefusesOne final : public NameRule {
 public:
  explicit RefusesOne(std::string_view name) : name_(name) {}
  [[nodiscard]] bool refuses(std::string_view name) const noexcept override {
    return name == name_;
  }

 private:
  std::string_view name_;
};

// A wildcard may let its apex out with it, so a rule against either is a rule against both.
void check_rule_against_one(std::string_view text, const DomainPattern& pattern) {
  for (const std::string_view name : {pattern.view(), pattern.apex()}) {
    const RefusesOne rule(name);
    const Checked<DomainPattern> refused = DomainPattern::parse(text, &rule);
    FUZZ_CHECK(!refused && refused.error().reason == Reason::refused_domain, text, name);
  }
  const RefusesOne rule("another.example.invalid");
  const bool is_another = pattern.apex() == "another.example.invalid";
  FUZZ_CHECK(DomainPattern::parse(text, &rule).has_value() == !is_another, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const reference::Language& language = reference::language("domain");

  const ExactCopy copy(data, size);
  const std::string_view text = copy.view();
  const Checked<DomainPattern> pattern = parse(text);
  const reference::Answer answer = as_answer(pattern);
  FUZZ_CHECK(answer == reference::domain(text), answer, reference::domain(text));
  if (!whole_examination(64)) return 0;

  const std::string canonical =
      reference::lower_ascii(text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0)));
  FUZZ_CHECK(pattern.has_value() == reference::in_language(language, canonical), text);

  check_own_rule(text, pattern);
  if (pattern) {
    check_accepted(text, *pattern);
    check_rule_against_one(text, *pattern);
  }
  return 0;
}
