// A host process may run in any locale: numbers keep their spelling, and nothing ends the process.
#include <cctype>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <stdexcept>

#include "sandproof/deadline.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/environment.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "sandproof/shell.h"
#include "sandproof/wire.h"
#include "support.h"

// glibc 2.36 never frees the list that it makes of LOCPATH for a locale. The linker takes this
// where LeakSanitizer is linked in, and nothing calls it elsewhere.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:argz_add_sep\n"; }

namespace sandproof::props {
namespace {

// InLocale makes a locale from its definition and enters it, in C and in C++, or is not ready where
// it cannot.
class InLocale {
 public:
  explicit InLocale(const std::string& name, const std::string& charset = "UTF-8") {
    const std::string directory = std::filesystem::temp_directory_path() / "sandproof-XXXXXX";
    directory_ = directory;
    if (::mkdtemp(directory_.data()) == nullptr) return;
    const std::string whole = name + "." + charset;
    const std::string command = "localedef -i " + name + " -f " + charset + " " + directory_ + "/" +
                                whole + " >" + directory_ + "/log 2>&1";
    if (std::system(command.c_str()) != 0) return;
    ::setenv("LOCPATH", directory_.c_str(), 1);
    try {
      std::locale::global(std::locale(whole));
      ready_ = true;
    } catch (const std::runtime_error&) {
    }
  }
  ~InLocale() {
    std::locale::global(std::locale::classic());
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

template <class T>
std::string shown(const Checked<T>& checked, std::string_view text) {
  if (!checked) return explain(checked.error(), text);
  return std::string(checked->view());
}

// every_answer is what the scanners say of every byte, alone and among letters that a locale may
// fold in its own way, and how numbers are written.
std::string every_answer() {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    for (const std::string& text : {one, "I" + one, "TITLE" + one + ".EXAMPLE", one + "LD_I"}) {
      const std::string_view view = text;
      all += shown(SessionId::parse(view), view) + shown(SandboxPath::parse(view), view) +
             shown(SessionName::parse(view), view) + shown(DomainPattern::parse(view), view);
    }
    for (const std::string& text : {"1" + one + "5s", "1.5" + one, one + "1.5s"}) {
      const Checked<Deadline> deadline = Deadline::parse(text);
      all += deadline ? deadline->seconds_text().view() : explain(deadline.error(), text);
    }
  }
  constexpr std::array<std::string_view, 2> k_words{"printf", "%d"};
  const Command command = Command::parse({k_words, {}, {}}).value();
  const Deadline deadline = Deadline::parse("1234.5s").value();
  return all + std::string(bounded_shell(command, deadline, ReportScheme::nonce()).view());
}

// Where a character is one byte, a locale says of bytes beyond ASCII that they are letters; and the
// Turkish one folds I to another letter than i.
TEST(Locale, ChangesNoScanner) {
  const std::string expected = every_answer();
  for (const auto& [name, charset] : {std::pair("tr_TR", "ISO-8859-9"), {"de_DE", "ISO-8859-1"}}) {
    const InLocale locale(name, charset);
    if (!locale.ready()) GTEST_SKIP() << "cannot make the locale " << name << " (package locales)";
    EXPECT_NE(std::isalpha(0xe4), 0) << name << " is not in force";
    EXPECT_EQ(std::tolower('I') == 'i', std::string_view(name) != "tr_TR");
    EXPECT_TRUE(every_answer() == expected) << name;
  }
}

}  // namespace
}  // namespace sandproof::props
