// The bodies of requests: written canonically, of parts that only a parse makes.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/wire.h"
#include "support.h"

namespace sandproof::props {
namespace {

constexpr std::string_view k_attempt = "00112233445566778899aabbccddeeff";

PlainText text(std::string_view value) { return PlainText::parse(value).value(); }

CreateBody body_of(std::string_view image) {
  return {.disk_image = text(image),
          .cpu = text("1"),
          .memory = text("2Gi"),
          .disk = {},
          .environment = {},
          .egress = {},
          .attempt = CallId::parse(k_attempt).value(),
          .idle_suspend = {}};
}

// around is a whole create body, with what its optional parts add.
std::string around(const std::string& disk, const std::string& middle, const std::string& end) {
  return R"({"sourcesRef":{"diskImage":{"name":"i\"","isPublic":true}},)"
         R"("resources":{"cpu":"1","memory":"2Gi")" +
         disk + "}" + middle + R"(,"labels":{"sandproof-attempt":")" + std::string(k_attempt) +
         R"("})" + end + "}";
}

constexpr std::string_view k_idle =
    R"(,"lifecycle":{"autoSuspendPolicy":{"enabled":true,"interval":90,"mode":"Memory"}})";

TEST(WireBody, CreateWithNothingOptional) { EXPECT_EQ(encode(body_of("i\"")), around("", "", "")); }

TEST(WireBody, CreateWithEachOptionalPart) {
  const std::vector<EnvEntry> entries = {{"B", "2\n"}, {"A_", ""}};

  CreateBody body = body_of("i\"");
  body.disk = text("3");
  EXPECT_EQ(encode(body), around(R"(,"disk":"3")", "", ""));

  body = body_of("i\"");
  body.environment = SessionEnvironment::parse(entries).value();
  EXPECT_EQ(encode(body), around("", R"(,"environment":{"A_":"","B":"2\n"})", ""));

  body = body_of("i\"");
  body.egress = created_with(DeclaredEgress::deny());
  EXPECT_EQ(encode(body),
            around("",
                   R"(,"egressPolicy":{"defaultAction":"Deny","trafficInspection":"Full",)"
                   R"("hostRules":[{"pattern":"*","action":"Deny"}]})",
                   ""));

  body = body_of("i\"");
  body.idle_suspend = std::chrono::seconds(90);
  EXPECT_EQ(encode(body), around("", "", std::string(k_idle)));

  const std::vector<std::string_view> domains = {"B.com.", "*.a.com"};
  body.disk = text("3");
  body.environment = SessionEnvironment::parse(entries).value();
  body.egress = created_with(DeclaredEgress::allow_domains(domains).value());
  EXPECT_EQ(
      encode(body),
      around(R"(,"disk":"3")",
             R"(,"environment":{"A_":"","B":"2\n"},"egressPolicy":{"defaultAction":"Deny",)"
             R"("trafficInspection":"Full","hostRules":[{"pattern":"b.com","action":"Allow"},)"
             R"({"pattern":"*.a.com","action":"Allow"}]})",
             std::string(k_idle)));
}

TEST(WireBody, ExecCarriesTheBoundedTextAndTheDirectory) {
  const std::vector<std::string_view> argv = {"a\"b", "\n"};
  const auto deadline = Deadline::parse("2s").value();
  const auto scheme = ReportScheme::sealed(CallId::parse(k_attempt).value());
  for (const std::optional<std::string_view> directory :
       {std::optional<std::string_view>(), std::optional<std::string_view>("/w\"")}) {
    const Command command = Command::parse({argv, {}, directory}).value();
    const ExecBody body(command, deadline, scheme);
    EXPECT_EQ(body.command().view(), bounded_shell(command, deadline, scheme).view());
    EXPECT_EQ(body.working_directory(), directory);
    const std::string json = encode(body);
    EXPECT_TRUE(json.starts_with(R"({"command":"sh -c ')")) << json;
    EXPECT_EQ(json.ends_with(R"(","workingDirectory":"/w\""})"), directory.has_value()) << json;
    // The text comes back out of the document as it went in.
    const auto canonical = canonical_json(json);
    ASSERT_TRUE(canonical.has_value());
    EXPECT_EQ(*canonical, json);
  }
}

TEST(WireBody, MkdirCarriesThePathToSend) {
  EXPECT_EQ(encode(MkdirBody{OwnedSandboxPath(SandboxPath::parse("/a/\xc3\xa9").value())}),
            "{\"path\":\"a/\xc3\xa9\"}");
}

}  // namespace
}  // namespace sandproof::props
