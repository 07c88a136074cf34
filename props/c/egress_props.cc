// The C interface gives the library's answers about declared egress, documents and comparisons.
#include "../support.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"
#include "support.h"

namespace sandproof::props::c {
namespace {

using nlohmann::json;

template <class T, void (*free)(T*)>
struct Free {
  void operator()(T* object) const { free(object); }
};
template <class T, void (*free)(T*) noexcept>
using Owned = std::unique_ptr<T, Free<T, free>>;
using Egress = Owned<sandproof_egress, sandproof_egress_free>;
using Document = Owned<sandproof_document, sandproof_document_free>;
using CUnreadable = Owned<sandproof_unreadable, sandproof_unreadable_free>;
using CComparison = Owned<sandproof_comparison, sandproof_comparison_free>;

// ---- Declarations. ----

// Declared is one declaration on both sides.
struct Declared {
  DeclaredEgress library;
  Egress c;
};

void expect_same_declaration(const DeclaredEgress& wanted, const sandproof_egress* given) {
  sandproof_egress_mode mode = -7;
  ASSERT_EQ(sandproof_egress_get_mode(given, &mode), SANDPROOF_ACCEPTED);
  ASSERT_EQ(mode, static_cast<sandproof_egress_mode>(wanted.mode()));
  std::size_t count = k_no_size;
  ASSERT_EQ(sandproof_egress_get_domain_count(given, &count), SANDPROOF_ACCEPTED);
  ASSERT_EQ(count, wanted.domains().size());
  sandproof_text domain{};
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(sandproof_egress_get_domain(given, i, &domain), SANDPROOF_ACCEPTED);
    ASSERT_EQ(to_string(domain), wanted.domains()[i].view());
  }
  ASSERT_EQ(sandproof_egress_get_domain(given, count, &domain), SANDPROOF_BAD_CALL);
  const auto policy = created_with(wanted);
  ASSERT_NO_FATAL_FAILURE(
      expect_written([&](auto* out) { return sandproof_egress_policy(given, out); },
                     policy ? encode(*policy) : "null"));
}

std::optional<Declared> declare(const std::vector<std::string>& domains) {
  const auto wanted = DeclaredEgress::allow_domains(to_views(domains));
  const auto texts = to_texts(domains);
  sandproof_egress* given = nullptr;
  expect_same_verdict(wanted, [&](auto* refusal) {
    return sandproof_egress_allow_domains(texts.data(), texts.size(), nullptr, &given, refusal);
  });
  EXPECT_EQ(given != nullptr, wanted.has_value());
  if (!wanted || given == nullptr) return std::nullopt;
  expect_same_declaration(*wanted, given);
  return Declared{*wanted, Egress(given)};
}

Declared declare_allow() {
  sandproof_egress* given = nullptr;
  EXPECT_EQ(sandproof_egress_allow(&given), SANDPROOF_ACCEPTED);
  expect_same_declaration(DeclaredEgress::allow(), given);
  return {DeclaredEgress::allow(), Egress(given)};
}

Declared declare_deny() {
  sandproof_egress* given = nullptr;
  EXPECT_EQ(sandproof_egress_deny(&given), SANDPROOF_ACCEPTED);
  expect_same_declaration(DeclaredEgress::deny(), given);
  return {DeclaredEgress::deny(), Egress(given)};
}

TEST(CEgress, DomainsAreDeclaredTheSame) {
  EXPECT_FALSE(declare({}));
  EXPECT_TRUE(declare({"*.Example.COM.", "a.example", "A.EXAMPLE"}));
  EXPECT_FALSE(declare({"a.example", "10.0.0.1"}));
  EXPECT_FALSE(declare({"*"}));
}

std::int32_t refuses_all(void* context, sandproof_text) {
  ++*static_cast<int*>(context);
  return 2;
}

TEST(CEgress, ARuleOfTheDeploymentIsAsked) {
  int asked = 0;
  const sandproof_name_rule rule{refuses_all, &asked};
  const sandproof_text domain = to_text("a.example");
  sandproof_egress* given = nullptr;
  sandproof_refusal refusal = k_no_refusal;
  EXPECT_EQ(sandproof_egress_allow_domains(&domain, 1, &rule, &given, &refusal), SANDPROOF_REFUSED);
  EXPECT_EQ(refusal.reason, SANDPROOF_REASON_REFUSED_DOMAIN);
  EXPECT_EQ(refusal.word, 0U);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(given, nullptr);
}

// ---- Documents. ----

void expect_same_unreadable(const Unreadable& wanted, sandproof_unreadable* made) {
  const CUnreadable given(made);
  ASSERT_NE(made, nullptr);
  sandproof_reason reason = -7;
  sandproof_text pointer{};
  std::size_t offset = 0;
  ASSERT_EQ(sandproof_unreadable_get(made, &reason, &pointer, &offset), SANDPROOF_ACCEPTED);
  ASSERT_EQ(reason, static_cast<sandproof_reason>(wanted.reason));
  ASSERT_EQ(to_string(pointer), wanted.pointer);
  ASSERT_EQ(offset, wanted.offset);
  ASSERT_NO_FATAL_FAILURE(expect_written(
      [&](auto* out) { return sandproof_unreadable_explain(made, out); }, explain(wanted)));
}

Decoded<EffectiveDocument> decode(std::string_view text, sandproof_document_kind kind) {
  if (kind == SANDPROOF_DOCUMENT_POLICY) return decode_policy(text);
  if (kind == SANDPROOF_DOCUMENT_RECORD) return decode_record(text);
  return decode_effective(text);
}

std::string encoded(const EffectiveDocument& document) {
  if (const auto* policy = std::get_if<EgressPolicy>(&document)) return encode(*policy);
  if (const auto* record = std::get_if<SandboxRecord>(&document)) return encode(*record);
  return "null";
}

void expect_same_record(const SandboxRecord& wanted, const sandproof_document* document) {
  sandproof_record given{};
  ASSERT_EQ(sandproof_document_get_record(document, &given), SANDPROOF_ACCEPTED);
  ASSERT_EQ(to_string(given.id), wanted.id);
  ASSERT_EQ(given.has_state, wanted.state ? 1 : 0);
  ASSERT_EQ(to_string(given.state), wanted.state.value_or(""));
  ASSERT_EQ(given.carries_policy, carries_policy(wanted) ? 1 : 0);
}

void expect_same_document(const EffectiveDocument& wanted, const sandproof_document* given) {
  sandproof_document_kind kind = -7;
  ASSERT_EQ(sandproof_document_get_kind(given, &kind), SANDPROOF_ACCEPTED);
  ASSERT_EQ(kind, std::holds_alternative<Absent>(wanted)         ? SANDPROOF_DOCUMENT_NO_POLICY
                  : std::holds_alternative<EgressPolicy>(wanted) ? SANDPROOF_DOCUMENT_POLICY
                                                                 : SANDPROOF_DOCUMENT_RECORD);
  ASSERT_NO_FATAL_FAILURE(expect_written(
      [&](auto* out) { return sandproof_document_encode(given, out); }, encoded(wanted)));
  const auto* const record = std::get_if<SandboxRecord>(&wanted);
  const auto* const why = record == nullptr ? nullptr : std::get_if<Unreadable>(&record->policy);
  sandproof_unreadable* unreadable = nullptr;
  ASSERT_EQ(sandproof_document_policy_check(given, &unreadable),
            why == nullptr ? SANDPROOF_ACCEPTED : SANDPROOF_UNREADABLE);
  if (why != nullptr) {
    ASSERT_NO_FATAL_FAILURE(expect_same_unreadable(*why, unreadable));
  } else {
    ASSERT_EQ(unreadable, nullptr);
  }
  if (record != nullptr) return expect_same_record(*record, given);
  sandproof_record none{};
  ASSERT_EQ(sandproof_document_get_record(given, &none), SANDPROOF_BAD_CALL);
}

// ---- Comparisons. ----

void expect_same_finding(const Finding& wanted, const sandproof_finding& given) {
  ASSERT_EQ(given.kind, static_cast<sandproof_finding_kind>(wanted.kind));
  ASSERT_EQ(given.effect, static_cast<sandproof_effect>(wanted.effect));
  ASSERT_EQ(to_string(given.pointer), wanted.pointer);
  ASSERT_EQ(to_string(given.detail), wanted.detail);
  ASSERT_EQ(to_string(given.witness), wanted.witness);
}

template <class Count, class Get>
void expect_same_findings(const std::vector<Finding>& wanted, const sandproof_comparison* given,
                          Count get_count, Get get) {
  std::size_t count = k_no_size;
  ASSERT_EQ(get_count(given, &count), SANDPROOF_ACCEPTED);
  ASSERT_EQ(count, wanted.size());
  sandproof_finding finding{};
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(get(given, i, &finding), SANDPROOF_ACCEPTED);
    ASSERT_NO_FATAL_FAILURE(expect_same_finding(wanted[i], finding));
  }
  ASSERT_EQ(get(given, count, &finding), SANDPROOF_BAD_CALL);
  ASSERT_EQ(get(given, SIZE_MAX, &finding), SANDPROOF_BAD_CALL);
}

EffectiveEgress normal_form_of(const EffectiveDocument& document) {
  if (const auto* policy = std::get_if<EgressPolicy>(&document)) return normal_form(policy);
  if (const auto* record = std::get_if<SandboxRecord>(&document)) return normal_form(*record);
  return normal_form(nullptr);
}

void expect_same_comparison(const Declared& declared, const EffectiveDocument& effective,
                            const sandproof_document* document,
                            const std::vector<Tolerance>& tolerances) {
  const Comparison wanted = compare(declared.library, normal_form_of(effective), tolerances);
  std::vector<sandproof_tolerance> texts;
  for (const auto& [pointer, value] : tolerances) {
    texts.push_back({to_text(pointer), to_text(value)});
  }
  sandproof_comparison* given = nullptr;
  ASSERT_EQ(sandproof_compare(declared.c.get(), document, texts.data(), texts.size(), &given),
            SANDPROOF_ACCEPTED);
  const CComparison owner(given);
  sandproof_verdict verdict = -7;
  ASSERT_EQ(sandproof_comparison_get_verdict(given, &verdict), SANDPROOF_ACCEPTED);
  ASSERT_EQ(verdict, static_cast<sandproof_verdict>(wanted.verdict()));
  for (const auto acceptance : {Acceptance::identical, Acceptance::contained}) {
    std::int32_t is_accepted = -7;
    ASSERT_EQ(sandproof_verdict_is_accepted(static_cast<sandproof_acceptance>(acceptance), verdict,
                                            &is_accepted),
              SANDPROOF_ACCEPTED);
    ASSERT_EQ(is_accepted, accepts(acceptance, wanted.verdict()) ? 1 : 0);
  }
  ASSERT_NO_FATAL_FAILURE(expect_same_findings(wanted.findings, given,
                                               sandproof_comparison_get_finding_count,
                                               sandproof_comparison_get_finding));
  ASSERT_NO_FATAL_FAILURE(expect_same_findings(
      wanted.notes, given, sandproof_comparison_get_note_count, sandproof_comparison_get_note));
}

// tolerances_of accepts what unknown fields a comparison found, and one that it did not find.
std::vector<Tolerance> tolerances_of(const EffectiveDocument& document) {
  std::vector<Tolerance> all{{"/nowhere", "[]"}};
  if (const auto* policy = std::get_if<EgressPolicy>(&document)) {
    for (const UnmodelledField& field : policy->unmodelled) {
      all.push_back({"/" + field.name, field.value});
    }
  }
  return all;
}

void expect_same_reading(std::string_view bytes, const std::vector<const Declared*>& all) {
  const Block text(bytes);
  for (const sandproof_document_kind kind :
       {SANDPROOF_DOCUMENT_POLICY, SANDPROOF_DOCUMENT_RECORD, SANDPROOF_DOCUMENT_ANY}) {
    const auto wanted = decode(text.view(), kind);
    sandproof_document* given = nullptr;
    sandproof_unreadable* unreadable = nullptr;
    const sandproof_status status = sandproof_document_read(text.text(), kind, &given, &unreadable);
    const Document owner(given);
    if (!wanted) {
      ASSERT_EQ(status, SANDPROOF_UNREADABLE);
      ASSERT_EQ(given, nullptr);
      ASSERT_NO_FATAL_FAILURE(expect_same_unreadable(wanted.error(), unreadable));
      continue;
    }
    ASSERT_EQ(status, SANDPROOF_ACCEPTED);
    ASSERT_EQ(unreadable, nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_same_document(*wanted, given));
    for (const Declared* declared : all) {
      ASSERT_NO_FATAL_FAILURE(expect_same_comparison(*declared, *wanted, given, {}));
      ASSERT_NO_FATAL_FAILURE(
          expect_same_comparison(*declared, *wanted, given, tolerances_of(*wanted)));
    }
  }
  const auto canonical = canonical_json(text.view());
  sandproof_unreadable* unreadable = nullptr;
  if (canonical) {
    ASSERT_NO_FATAL_FAILURE(expect_written(
        [&](auto* out) { return sandproof_canonical_json(text.text(), out, &unreadable); },
        *canonical));
    ASSERT_EQ(unreadable, nullptr);
    return;
  }
  sandproof_buffer nothing{nullptr, 0, k_no_size};
  ASSERT_EQ(sandproof_canonical_json(text.text(), &nothing, &unreadable), SANDPROOF_UNREADABLE);
  ASSERT_EQ(nothing.size, k_no_size);
  ASSERT_NO_FATAL_FAILURE(expect_same_unreadable(canonical.error(), unreadable));
}

class CDocuments : public testing::Test {
 protected:
  Declared allow_ = declare_allow();
  Declared deny_ = declare_deny();
  std::optional<Declared> domains_ = declare({"api.example.com", "*.example.org"});
  std::vector<const Declared*> all_{&allow_, &deny_, &*domains_};
};

TEST_F(CDocuments, EveryVectorIsAnsweredTheSame) {
  for (const json& request : vectors("egress")) {
    for (const std::string name : {"effective_text", "record_text"}) {
      if (request.contains(name)) {
        ASSERT_NO_FATAL_FAILURE(expect_same_reading(request.at(name).get<std::string>(), all_));
      }
    }
    if (!request.contains("effective")) continue;
    std::vector<const Declared*> all = all_;
    const auto list = request.at("declared").value("domains", std::vector<std::string>());
    const auto own = declare(list);
    if (own) all.push_back(&*own);
    ASSERT_NO_FATAL_FAILURE(expect_same_reading(request.at("effective").dump(), all));
    const json record{{"id", "s-1"}, {"state", "Running"}, {"egressPolicy", request["effective"]}};
    ASSERT_NO_FATAL_FAILURE(expect_same_reading(record.dump(), all));
  }
}

TEST_F(CDocuments, EveryShapeIsAnsweredTheSame) {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s, "null"s, "{}"s, "[]"s, "1"s, "{\"id\":\"a\"}"s, "{\"id\":\"a\",\"state\":null}"s,
        "{\"id\":\"a\",\"state\":\"Idle\",\"egressPolicy\":[1]}"s,
        "{\"id\":\"a\",\"egressPolicy\":{\"defaultAction\":1},\"skipEgressProxy\":true}"s,
        "{\"defaultAction\":\"Deny\",\"new\":{\"b\":1,\"a\":[ ]},\"other\":2}"s,
        "{\"defaultAction\":\"Allow\",\"hostRules\":[{\"pattern\":\"*\",\"action\":\"Allow\"}]}"s,
        "{\"a\":1,\"a\":2}"s, "\xff"s, "\0"s, "\xef\xbb\xbfnull"s, std::string(100, '['),
        std::string(SANDPROOF_MAX_DOCUMENT_SIZE + 1, ' ')}) {
    ASSERT_NO_FATAL_FAILURE(expect_same_reading(text, all_)) << escaped(text);
  }
}

RC_GTEST_FIXTURE_PROP(CDocuments, NearPoliciesAreAnsweredTheSame, ()) {
  expect_same_reading(
      *near_valid(rc::gen::elementOf(std::vector<std::string>{
          R"({"defaultAction":"Deny","trafficInspection":"Full","hostRules":[]})",
          R"({"defaultAction":"Deny","hostRules":[{"pattern":"a.example.org","action":"Allow"}]})",
          R"({"id":"a","state":"Running","egressPolicy":{"defaultAction":"Allow","x":[1]}})"})),
      all_);
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

TEST(CEgress, FreeingNothingDoesNothing) {
  sandproof_egress_free(nullptr);
  sandproof_document_free(nullptr);
  sandproof_unreadable_free(nullptr);
  sandproof_comparison_free(nullptr);
  sandproof_report_reader_free(nullptr);
}

}  // namespace
}  // namespace sandproof::props::c
