// A host process may run in any locale: numbers keep their spelling, and nothing ends the process.
#include <clocale>
#include <cstdlib>
#include <filesystem>

#include "sandproof/wire.h"
#include "support.h"

namespace sandproof::props {
namespace {

// InLocale makes a locale from its definition and enters it, or is not ready where it cannot.
class InLocale {
 public:
  explicit InLocale(const std::string& name) {
    const std::string directory = std::filesystem::temp_directory_path() / "sandproof-XXXXXX";
    directory_ = directory;
    if (::mkdtemp(directory_.data()) == nullptr) return;
    const std::string command = "localedef -i " + name + " -f UTF-8 " + directory_ + "/" + name +
                                ".UTF-8 >" + directory_ + "/log 2>&1";
    if (std::system(command.c_str()) != 0) return;
    ::setenv("LOCPATH", directory_.c_str(), 1);
    ready_ = std::setlocale(LC_ALL, (name + ".UTF-8").c_str()) != nullptr;
  }
  ~InLocale() {
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
    std::filesystem::remove_all(directory_);
  }
  InLocale(const InLocale&) = delete;
  InLocale& operator=(const InLocale&) = delete;

  [[nodiscard]] bool ready() const noexcept { return ready_; }

 private:
  std::string directory_;
  bool ready_ = false;
};

// de_DE has a comma for its decimal point, ps_AF one of two bytes, tr_TR another lower case of I.
TEST(Locale, ChangesNoDecision) {
  for (const std::string name : {"de_DE", "ps_AF", "tr_TR"}) {
    const InLocale locale(name);
    if (!locale.ready()) GTEST_SKIP() << "cannot make the locale " << name << " (package locales)";
    const std::string point = std::localeconv()->decimal_point;
    EXPECT_NE(point, ".") << name;
    EXPECT_EQ(canonical_json("[1.5,-2.25e3]"), "[1.5,-2.25e3]") << name;
    EXPECT_TRUE(decode_exec_result(R"({"stdout":"","exitCode":0,"elapsed":1.5})")) << name;

    const auto policy =
        decode_policy(R"({"defaultAction":"DENY","trafficInspection":"FULL",)"
                      R"("hostRules":[{"pattern":"*","action":"DENY"}],"ports":[1.5,22]})");
    ASSERT_TRUE(policy) << name;
    EXPECT_EQ(decode_policy(encode(*policy)), policy) << name;
    const std::vector<Tolerance> other{{"/ports", *canonical_json("[1,5,22]")}};
    const auto compared = compare(DeclaredEgress::deny(), normal_form(&*policy), other);
    ASSERT_EQ(compared.findings.size(), 1U) << name;
    EXPECT_EQ(compared.findings[0].kind, FindingKind::unmodelled_field) << name;
    EXPECT_EQ(std::localeconv()->decimal_point, point) << "the host's locale is left as it was";
  }
}

}  // namespace
}  // namespace sandproof::props
