// The C++ of the README: it compiles as it stands there, and does what the text around it says.
#include "../provider/setting.h"
#include "readme_compare.h"
#include "readme_provider.h"
#include "sandproof/wire.h"

namespace sandproof::props {
namespace {

TEST(Readme, ARecordThatRunsWhatWasDeclaredHolds) {
  constexpr std::array<std::string_view, 2> domains{"github.com", "*.pypi.org"};
  const DeclaredEgress declared = DeclaredEgress::allow_domains(domains).value();
  EXPECT_TRUE(runs_what_was_declared(encode(running("s1", declared_policy(declared)))));
  EXPECT_FALSE(runs_what_was_declared(encode(running("s1", open_policy()))));
  EXPECT_FALSE(runs_what_was_declared(encode(bare("s1"))));
  EXPECT_FALSE(runs_what_was_declared("no record"));
}

TEST(Readme, ASandboxIsMadeUsedAndEnded) {
  Script script;
  script.on(Kind::create, running("s1"))
      .on(Kind::exec, exited(0, "it's me\n"))
      .on(Kind::remove, Accepted{})
      .on(Kind::get, [&script](const Request&) -> Reaction {
        if (script.count(Kind::remove) > 0) return gone();
        return running("s1");
      });
  ScriptPlane plane(script);
  greet(plane, config().random);
  EXPECT_EQ(script.trace(), "create, get s1, get s1, exec s1, delete s1, get s1");
  EXPECT_TRUE(script.only<ExecCall>().body.command().view().contains("'it'\\''s me'"));
}

}  // namespace
}  // namespace sandproof::props
