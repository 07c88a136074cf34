// What the platform can do, and what it says, whatever the arguments are, of what it cannot.
#include "setting.h"

namespace sandproof::props {
namespace {

void expect_not_supported(const std::optional<Error>& error, Verb verb, std::string_view says) {
  ASSERT_TRUE(error.has_value()) << name(verb);
  EXPECT_EQ(error->code(), ErrorCode::operation_not_supported) << name(verb);
  EXPECT_EQ(error->verb(), verb);
  EXPECT_FALSE(error->is_retryable());
  EXPECT_EQ(error->visibility(), Visibility::external);
  EXPECT_NE(error->why().find(says), std::string::npos) << error->why();
  EXPECT_NE(error->external().find(error->why()), std::string::npos);
}

TEST(NotSupported, NoVerbOfTheseParsesAnything) {
  const AzureSandbox sandbox = provider();
  const RunRequest bad{.command = {}, .deadline = 0ms};
  for (const std::string_view id : {"s1", "", "../x"}) {
    expect_not_supported(refused(sandbox.preview(id, 0)), Verb::preview, "port");
    expect_not_supported(refused(sandbox.snapshot(id)), Verb::snapshot, "snapshot");
    expect_not_supported(refused(sandbox.start_job(id, bad)), Verb::start_job, "job");
    expect_not_supported(refused(sandbox.poll_job(id, "")), Verb::poll_job, "job");
    expect_not_supported(refused(sandbox.cancel_job(id, "/")), Verb::cancel_job, "job");
  }
  expect_not_supported(refused(sandbox.list()), Verb::list, "id");
}

TEST(NotSupported, ATenantKeyIsRefusedAndNotDropped) {
  const AzureSandbox sandbox = provider();
  for (const std::string_view key : {"tenant-1", ""}) {
    const CreateRequest request{.environment = {}, .tenant_key = key};
    expect_not_supported(refused(sandbox.create(request)), Verb::create, "tenant key");
    expect_not_supported(refused(sandbox.get_or_create({}, request)), Verb::get_or_create,
                         "tenant key");
    expect_not_supported(refused(sandbox.get_or_create("s1", request)), Verb::get_or_create,
                         "tenant key");
  }
}

TEST(NotSupported, ACommandWithoutADeadlineIsRefused) {
  expect_not_supported(refused(provider().run_command("s1", command(0ms))), Verb::run_command,
                       "deadline");
}

TEST(CapabilitiesOfThePlatform, DescribeItWhateverWasDeclared) {
  const Capabilities row{.files = true,
                         .reconnect = true,
                         .suspend_resume = true,
                         .domain_egress_rules = true,
                         .egress_deny = true,
                         .enforced_limits = true,
                         .jobs = false,
                         .preview = false,
                         .snapshot = false,
                         .process_limit = false,
                         .session_lifetime = false,
                         .supervisor_namespace = false};
  for (const DeclaredEgress& declared :
       {DeclaredEgress::allow(), DeclaredEgress::deny(), only_domain("api.example.com")}) {
    EXPECT_EQ(provider(declared).capabilities(), row);
  }
}

}  // namespace
}  // namespace sandproof::props
