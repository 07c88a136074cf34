// What was accepted is a value of its type for ever: also after it was moved from.
#include <utility>

#include "sandproof/egress.h"
#include "sandproof/plain_text.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "sandproof/shell.h"
#include "support.h"

namespace sandproof::props {
namespace {

// As long as no string holds without memory of its own.
constexpr std::string_view k_text = "a-text-that-is-longer-than-any-small-string-holds-in-itself";

// expect_kept moves a value away in both ways, and asks what is left of it.
template <class T, class Said>
void expect_kept(T value, Said said) {
  const std::string before(said(value));
  T taken = std::move(value);
  EXPECT_EQ(said(value), before);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(said(taken), before);
  value = std::move(taken);
  EXPECT_EQ(said(value), before);
  EXPECT_EQ(said(taken), before);  // NOLINT(bugprone-use-after-move)
}

TEST(MovedValues, TextsAreKept) {
  const auto view = [](const auto& value) { return value.view(); };
  expect_kept(OwnedSessionId(SessionId::parse(k_text).value()), view);
  expect_kept(OwnedAddressableId(AddressableId::parse(k_text).value()), view);
  expect_kept(OwnedSandboxPath(SandboxPath::parse(k_text).value()), view);
  expect_kept(PlainText::parse(k_text).value(), view);
}

TEST(MovedValues, ACommandKeepsItsVariables) {
  const std::vector<std::string_view> words{"make", k_text};
  const std::vector<EnvEntry> variables{{"NAME", k_text}};
  const Command command =
      Command::parse({.argv = words, .variables = variables, .working_directory = {}}).value();
  const Deadline deadline = Deadline::from(std::chrono::seconds(1)).value();
  const auto text = [&](const Command& each) {
    return std::string(bounded_shell(each, deadline, ReportScheme::nonce()).view());
  };
  expect_kept(command, text);
  expect_kept(bounded_shell(command, deadline, ReportScheme::nonce()),
              [](const ShellText& each) { return each.view(); });
}

TEST(MovedValues, ADeclarationKeepsItsDomains) {
  const std::vector<std::string_view> domains{"a.example", "b.example"};
  expect_kept(DeclaredEgress::allow_domains(domains).value(),
              [](const DeclaredEgress& each) { return describe(created_with(each)); });
}

}  // namespace
}  // namespace sandproof::props
