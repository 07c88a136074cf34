// Whatever the data plane answers: no byte of it reaches what may be shown to anybody, a parsed
// session id apart.
#include <cctype>

#include "explore.h"

namespace sandproof::props {
namespace {

// Everything that a data plane can say in its own words holds this.
constexpr std::string_view k_poison = "poison";

EgressPolicy poisoned_policy() {
  EgressPolicy policy = open_policy();
  policy.default_action = "poison";
  policy.traffic_inspection = "poison";
  policy.host_rules = {{"poison.example.com", "Allow"}, {"*", "poison"}};
  policy.unmodelled = {{"poison", R"("poison")"}};
  return policy;
}

SandboxRecord poisoned_record(std::string_view id) {
  SandboxRecord seen = running(id, poisoned_policy());
  seen.skip_egress_proxy = R"("poison")";
  seen.customer_vnet_connection_name = R"("poison")";
  return seen;
}

std::vector<Answer> failures() {
  std::vector<Answer> all;
  for (const TransportError& error :
       {TransportError::not_found("poison"), TransportError::access_denied("poison"),
        TransportError::conflict(409, TransportError::Propagation::unmarked, "poison"),
        http(403, "poison"), http(503, "poison"), TransportError::timed_out("poison")}) {
    all.emplace_back(std::unexpected(error));
  }
  all.emplace_back(std::unexpected(Unreadable{Reason::unknown_field, "/poison"}));
  return all;
}

std::vector<Answer> with_failures(std::vector<Answer> answers) {
  for (Answer& failure : failures()) answers.push_back(std::move(failure));
  return answers;
}

struct Answers {
  std::vector<Answer> operator()(const Request& request) const {
    return with_failures(std::visit(*this, request));
  }
  std::vector<Answer> operator()(const CreateCall&) const {
    return {bare("s1", "Creating"), bare("../poison"), bare(std::string(80, 'x') + "poison"),
            bare("")};
  }
  std::vector<Answer> operator()(const GetCall& call) const {
    const std::string_view id = call.id.view();
    SandboxRecord unreadable = bare(id, "Stopped");
    unreadable.policy = Unreadable{Reason::duplicate_key, "/egressPolicy/poison"};
    return {running(id), bare(id, "Stopped"),         poisoned_record(id),  bare(id, "poison"),
            unreadable,  record("poison", "Running"), bare(id, "Deleting"), bare(id, "Failed")};
  }
  std::vector<Answer> operator()(const ExecCall&) const {
    return {exited(0, "poison", "poison"),
            killed("poison", "poison"),
            ExecResult{"poison", announced() + "poison", 0},
            ExecResult{"poison", reference::refused_line(k_id.view(), "poison"), 126},
            ExecResult{"poison", "poison", 127},
            ExecResult{"poison", "poison", std::nullopt}};
  }
  std::vector<Answer> operator()(const ReadFileCall&) const { return {FileContent{"poison"}}; }
  template <class Call>
  std::vector<Answer> operator()(const Call&) const {
    return {Accepted{}};
  }
};

bool is_poisoned(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.find(k_poison) != std::string::npos;
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// Watch looks at every error that there is, warnings included.
class Watch {
 public:
  void look(const Error& error) {
    ++errors_;
    EXPECT_FALSE(is_poisoned(error.external())) << error.external();
    EXPECT_TRUE(is_printable(error.external())) << error.external();
    EXPECT_TRUE(is_printable(error.text())) << error.text();
    EXPECT_EQ(error.failure().has_value(), error.code() == ErrorCode::command_failed);
    if (is_poisoned(error.text())) ++poisoned_;
    if (error.cause() == nullptr) return;
    EXPECT_EQ(error.visibility(), error.cause()->visibility()) << error.text();
    look(*error.cause());
  }

  template <class T>
  void look(const Result<T>& result) {
    if (!result) look(result.error());
    if constexpr (std::is_same_v<T, CommandRun>) {
      if (result && !result->end) look(result->end.error());
    }
  }

  // The log does show it: without that, nothing was watched.
  void expect_something_to_hide() const {
    EXPECT_GT(errors_, 8U);
    EXPECT_GT(poisoned_, 5U);
  }

 private:
  std::size_t errors_ = 0;
  std::size_t poisoned_ = 0;
};

// ask makes an operation of one verb, with the provider given.
template <class Ask>
void expect_nothing_shown(std::size_t depth, Ask ask) {
  Watch watch;
  AzureConfig warned = config();
  warned.warn = [&watch](const Error& error) { watch.look(error); };
  const AzureSandbox sandbox(warned);
  explore([&] { return ask(sandbox); }, depth, Answers{},
          [&watch](auto& operation) {
            if (operation.result() != nullptr) watch.look(*operation.result());
          });
  watch.expect_something_to_hide();
}

TEST(External, ACreateShowsNothingOfAnyAnswer) {
  expect_nothing_shown(5, [](const AzureSandbox& sandbox) { return sandbox.create({}); });
}

TEST(External, AGetShowsNothingOfAnyAnswer) {
  expect_nothing_shown(2, [](const AzureSandbox& sandbox) { return sandbox.get("s1"); });
}

TEST(External, AReconnectShowsNothingOfAnyAnswer) {
  expect_nothing_shown(5,
                       [](const AzureSandbox& sandbox) { return sandbox.get_or_create("s1", {}); });
}

TEST(External, ACommandShowsNothingOfAnyAnswer) {
  expect_nothing_shown(
      5, [](const AzureSandbox& sandbox) { return sandbox.run_command("s1", command(1s)); });
}

TEST(External, FilesShowNothingOfAnyAnswer) {
  static constexpr std::array<File, 2> k_files{{{"a", "1"}, {"b", "2"}}};
  expect_nothing_shown(
      4, [](const AzureSandbox& sandbox) { return sandbox.write_files("s1", k_files); });
  Watch watch;
  const AzureSandbox sandbox = provider();
  const auto look = [&watch](auto& operation) {
    if (operation.result() != nullptr) watch.look(*operation.result());
  };
  explore([&] { return sandbox.read_file("s1", "a"); }, 1, Answers{}, look);
  explore([&] { return sandbox.mkdir("s1", "a"); }, 1, Answers{}, look);
  watch.expect_something_to_hide();
}

TEST(External, SuspendAndResumeShowNothingOfAnyAnswer) {
  expect_nothing_shown(3, [](const AzureSandbox& sandbox) { return sandbox.suspend("s1"); });
  expect_nothing_shown(5, [](const AzureSandbox& sandbox) { return sandbox.resume("s1"); });
}

TEST(External, ATerminateShowsNothingOfAnyAnswer) {
  expect_nothing_shown(3, [](const AzureSandbox& sandbox) { return sandbox.terminate("s1"); });
}

// The reason travels, and what stands around it is no more visible than that.
TEST(External, ASandboxLeftBehindDoesNotPublishTheAnswer) {
  for (const bool is_typed : {true, false}) {
    const TransportError denied =
        is_typed ? TransportError::access_denied("tenant-only") : http(403, "tenant-only");
    Script script;
    script.on(Kind::create, running("s1")).on(Kind::get, denied).on(Kind::remove, denied);
    const auto session = drive(provider().create({}), script);
    ASSERT_EQ(outcome(session), "sandboxLeftBehind < dataPlaneRefused");
    EXPECT_EQ(session.error().visibility(), is_typed ? Visibility::external : Visibility::internal);
    EXPECT_EQ(session.error().external().find("tenant-only"), std::string::npos);
    EXPECT_NE(session.error().text().find("tenant-only"), std::string::npos);
    EXPECT_NE(session.error().external().find("\"s1\""), std::string::npos);
  }
}

TEST(External, TheCallersOwnBadArgumentIsShownEscaped) {
  const auto error = refused(provider().get("a\n\x1b[2J"));
  ASSERT_TRUE(error.has_value());
  EXPECT_TRUE(is_printable(error->external())) << error->external();
  EXPECT_NE(error->external().find("a\\n"), std::string::npos) << error->external();
}

}  // namespace
}  // namespace sandproof::props
