// create: what is asked for, and what becomes of a sandbox that is not what was asked for.
#include "setting.h"

namespace sandproof::props {
namespace {

std::string created_json(const AzureConfig& made_of, std::span<const EnvEntry> environment = {}) {
  Script script;
  script.on(Kind::create, bare("s1", "Creating")).on(Kind::get, running("s1"));
  const auto session =
      drive(AzureSandbox(made_of).create({.environment = environment, .tenant_key = {}}), script);
  EXPECT_EQ(outcome(session), "ok");
  return encode(script.only<CreateCall>().body);
}

// creates lets a sandbox come up as `came_up`, and says what create makes of it.
std::string creates(const DeclaredEgress& declared, const SandboxRecord& came_up) {
  Script script;
  script.on(Kind::create, came_up).on(Kind::get, came_up).on(Kind::remove, Accepted{});
  const auto session = drive(provider(declared).create({}), script);
  EXPECT_EQ(script.trace(), session ? "create, get s1" : "create, get s1, delete s1");
  if (!session) {
    EXPECT_EQ(session.error().attempt(), k_id);
  }
  return outcome(session);
}

EgressPolicy policy_with(std::vector<PolicyHostRule> rules, std::string inspection = "Full",
                         std::string default_action = "Deny") {
  EgressPolicy policy;
  policy.default_action = std::move(default_action);
  policy.traffic_inspection = std::move(inspection);
  policy.host_rules = std::move(rules);
  return policy;
}

TEST(Create, TheConfiguredImageAndAmountsAreAskedFor) {
  AzureConfig all = config();
  all.disk_image = plain("my-toolchain");
  EXPECT_EQ(created_json(all),
            R"({"sourcesRef":{"diskImage":{"name":"my-toolchain","isPublic":true}},)"
            R"("resources":{"cpu":"1000m","memory":"2048Mi"},)"
            R"("egressPolicy":{"defaultAction":"Deny","trafficInspection":"Full",)"
            R"("hostRules":[{"pattern":"*","action":"Deny"}]},)"
            R"("labels":{"sandproof-attempt":"000102030405060708090a0b0c0d0eff"}})");
}

TEST(Create, EachOptionalPartOfTheConfigurationIsAskedFor) {
  AzureConfig all = config(DeclaredEgress::allow());
  all.disk = plain("20Gi");
  all.idle_suspend_seconds = 900;
  const std::array<EnvEntry, 2> environment{{{"TOKEN", "t"}, {"A", "b c"}}};
  EXPECT_EQ(
      created_json(all, environment),
      R"({"sourcesRef":{"diskImage":{"name":"ubuntu","isPublic":true}},)"
      R"("resources":{"cpu":"1000m","memory":"2048Mi","disk":"20Gi"},)"
      R"("environment":{"A":"b c","TOKEN":"t"},)"
      R"("labels":{"sandproof-attempt":"000102030405060708090a0b0c0d0eff"},)"
      R"("lifecycle":{"autoSuspendPolicy":{"enabled":true,"interval":900,"mode":"Memory"}}})");
}

TEST(Create, AnIdlePolicyOfZeroSecondsIsSentAsItStands) {
  AzureConfig zero = config();
  zero.idle_suspend_seconds = 0;
  EXPECT_NE(created_json(zero).find(R"("interval":0,)"), std::string::npos);
  EXPECT_EQ(created_json(config()).find("autoSuspendPolicy"), std::string::npos);
}

TEST(Create, EachDeclarationIsSentAsThePolicyThatRealisesIt) {
  struct Row {
    DeclaredEgress declared;
    std::optional<EgressPolicy> sent;
  };
  const std::vector<Row> rows{
      {DeclaredEgress::allow(), std::nullopt},
      {DeclaredEgress::deny(), policy_with({{"*", "Deny"}})},
      {only_domain("API.example.com."), policy_with({{"api.example.com", "Allow"}})},
  };
  for (const Row& row : rows) {
    const SandboxRecord up = row.sent ? running("s1", *row.sent) : bare("s1");
    Script script;
    script.on(Kind::create, up).on(Kind::get, up);
    EXPECT_EQ(outcome(drive(provider(row.declared).create({}), script)), "ok");
    EXPECT_EQ(script.only<CreateCall>().body.egress, row.sent);
  }
}

TEST(Create, WaitsUntilTheSandboxRunsAndGivesTheServicesId) {
  Script script;
  script.on(Kind::create, bare("minted-7", "Creating"))
      .on(Kind::get,
          {bare("minted-7", "Creating"), bare("minted-7", "Creating"), running("minted-7")});
  const auto session = drive(provider().create({}), script);
  ASSERT_EQ(outcome(session), "ok");
  EXPECT_EQ(session->id.view(), "minted-7");
  EXPECT_EQ(session->state, SessionState::running);
  EXPECT_EQ(session->generation, 1U);
  EXPECT_EQ(script.trace(),
            "create, get minted-7, wait 2000, get minted-7, wait 2000, get minted-7");
}

TEST(Create, TheRunningSandboxIsJudgedAndNotTheAnswerToTheCreate) {
  Script good;
  good.on(Kind::create, running("s1", open_policy())).on(Kind::get, running("s1"));
  EXPECT_EQ(outcome(drive(provider().create({}), good)), "ok");

  Script bad;
  bad.on(Kind::create, running("s1"))
      .on(Kind::get, running("s1", open_policy()))
      .on(Kind::remove, Accepted{});
  EXPECT_EQ(outcome(drive(provider().create({}), bad)), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(bad.trace(), "create, get s1, delete s1");
}

TEST(Create, ASandboxWithoutItsPolicyIsDeletedAndNeverReturned) {
  const DeclaredEgress deny = DeclaredEgress::deny();
  EXPECT_EQ(creates(deny, bare("s1")), "SANDBOX_NOT_AS_DECLARED");
  for (const std::string inspection : {"Partial", "Legacy", "None", ""}) {
    EXPECT_EQ(creates(deny, running("s1", policy_with({{"*", "Deny"}}, inspection))),
              "SANDBOX_NOT_AS_DECLARED");
  }
  EXPECT_EQ(creates(deny, running("s1", policy_with({{"*", "Deny"}}, "Full", "Allow"))),
            "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(creates(deny, running("s1", policy_with({}))), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(creates(deny, running("s1")), "ok");
}

TEST(Create, AnAskedRuleThatIsMissingEndsIt) {
  const DeclaredEgress declared = only_domain("api.example.com");
  EXPECT_EQ(creates(declared, running("s1", policy_with({{"elsewhere.example.com", "Allow"}}))),
            "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(creates(declared, running("s1", policy_with({{"elsewhere.example.com", "Deny"}}))),
            "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(creates(declared, running("s1", policy_with({{"api.example.com", "Allow"}}))), "ok");
}

TEST(Create, APermissionNobodyAskedForEndsIt) {
  const DeclaredEgress declared = only_domain("api.example.com");
  const PolicyHostRule asked{"api.example.com", "Allow"};
  EXPECT_EQ(creates(declared, running("s1", policy_with({asked, {"exfil.example.com", "Allow"}}))),
            "SANDBOX_NOT_AS_DECLARED");

  EgressPolicy ruled = policy_with({asked});
  ruled.rules = {{.name = {},
                  .match = PolicyRuleMatch{.host = "*", .path = {}, .methods = {}},
                  .action = PolicyRuleAction{"Allow", {}, {}, {}, {}}}};
  EXPECT_EQ(creates(declared, running("s1", ruled)), "SANDBOX_NOT_AS_DECLARED");

  ruled.rules.front().action->type = "deny";
  EXPECT_EQ(creates(declared, running("s1", ruled)), "ok");
}

TEST(Create, APolicyThatCannotBeReadWholeEndsIt) {
  const DeclaredEgress deny = DeclaredEgress::deny();
  EXPECT_EQ(creates(deny, running("s1", policy_with({{"*", "Deny"}, {"a.com", "Transform"}}))),
            "SANDBOX_NOT_AS_DECLARED");

  EgressPolicy unknown = declared_policy();
  unknown.unmodelled = {{"bypassList", R"(["exfil.example.com"])"}};
  EXPECT_EQ(creates(deny, running("s1", unknown)), "SANDBOX_NOT_AS_DECLARED");

  SandboxRecord unreadable = bare("s1");
  unreadable.policy = Unreadable{Reason::duplicate_key, "/egressPolicy/defaultAction"};
  EXPECT_EQ(creates(deny, unreadable), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(creates(DeclaredEgress::allow(), unreadable), "ok");
}

TEST(Create, ThePolicyMayComeBackInAnotherCase) {
  EXPECT_EQ(
      creates(DeclaredEgress::deny(), running("s1", policy_with({{"*", "deny"}}, "full", "DENY"))),
      "ok");
}

TEST(Create, APolicyThatIsSwitchedOffBesideItEndsIt) {
  SandboxRecord bypassed = running("s1");
  bypassed.skip_egress_proxy = "true";
  EXPECT_EQ(creates(DeclaredEgress::deny(), bypassed), "SANDBOX_NOT_AS_DECLARED");

  SandboxRecord elsewhere = running("s1");
  elsewhere.customer_vnet_connection_name = R"("hub")";
  EXPECT_EQ(creates(DeclaredEgress::deny(), elsewhere), "SANDBOX_NOT_AS_DECLARED");
}

// On the record is an allow too few, which lets nothing more out than was declared.
TEST(Create, AContainedPolicyIsAcceptedOnlyWhereTheConfigurationSaysSo) {
  const std::array<std::string_view, 2> domains{"a.example.com", "b.example.com"};
  AzureConfig contained = config(DeclaredEgress::allow_domains(domains).value());
  const SandboxRecord up = running("s1", policy_with({{"a.example.com", "Allow"}}));
  EXPECT_EQ(creates(contained.egress, up), "SANDBOX_NOT_AS_DECLARED");

  contained.acceptance = Acceptance::contained;
  Script script;
  script.on(Kind::create, up).on(Kind::get, up);
  EXPECT_EQ(outcome(drive(AzureSandbox(contained).create({}), script)), "ok");
}

TEST(Create, AReviewedFieldIsTolerated) {
  EgressPolicy unknown = declared_policy();
  unknown.unmodelled = {{"bypassList", "[]"}};
  AzureConfig reviewed = config();
  reviewed.tolerances = {{"/egressPolicy/bypassList", "[]"}};
  Script script;
  script.on(Kind::create, running("s1")).on(Kind::get, running("s1", unknown));
  EXPECT_EQ(outcome(drive(AzureSandbox(reviewed).create({}), script)), "ok");
}

TEST(Create, NotAsDeclaredCarriesTheFindings) {
  Script script;
  script.on(Kind::create, running("s1"))
      .on(Kind::get, running("s1", open_policy()))
      .on(Kind::remove, Accepted{});
  const auto session = drive(provider().create({}), script);
  ASSERT_EQ(outcome(session), "SANDBOX_NOT_AS_DECLARED");
  const auto& judged = std::get<NotDeclared>(session.error().evidence());
  EXPECT_EQ(judged.verdict, Verdict::widened);
  ASSERT_FALSE(judged.findings.empty());
  EXPECT_EQ(judged.findings.front().kind, FindingKind::default_action);
  EXPECT_EQ(judged.findings.front().pointer, "/egressPolicy/defaultAction");
  EXPECT_NE(session.error().text().find("/egressPolicy/defaultAction"), std::string::npos);
}

}  // namespace
}  // namespace sandproof::props
