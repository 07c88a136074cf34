// Nothing is read or written next to a text: it stands at the end of a page, or at the beginning of
// one, beside memory that nobody may touch. Where a sanitizer does not look, the processor does.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "reference/command.h"
#include "reference/report_streams.h"
#include "sandproof/call_id.h"
#include "sandproof/deadline.h"
#include "sandproof/deadline_report.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/environment.h"
#include "sandproof/plain_text.h"
#include "sandproof/sandbox_path.h"
#include "sandproof/session_id.h"
#include "sandproof/shell.h"
#include "sandproof/wire.h"
#include "support.h"

namespace sandproof::props {
namespace {

// Page is memory that can be used, between two pages that cannot.
class Page {
 public:
  Page()
      : size_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        begin_(static_cast<char*>(
                   mmap(nullptr, 3 * size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) +
               size_) {
    EXPECT_EQ(mprotect(begin_, size_, PROT_READ | PROT_WRITE), 0);
  }
  ~Page() { munmap(begin_ - size_, 3 * size_); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  // room gives so many bytes, the first or the last of the page.
  [[nodiscard]] char* room(std::size_t size, bool last) {
    EXPECT_LE(size, size_);
    return last ? begin_ + size_ - size : begin_;
  }

  [[nodiscard]] std::string_view hold(std::string_view text, bool last) {
    char* const at = room(text.size(), last);
    std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }

 private:
  std::size_t size_;
  char* begin_;
};

// expect_same asks the same of a text at both ends of a page, and of the text itself.
template <class Ask>
void expect_same(std::string_view text, Ask ask) {
  static Page page;
  for (const bool last : {false, true}) {
    ASSERT_EQ(ask(page.hold(text, last)), ask(text)) << escaped(text);
  }
}

template <class Parsed>
std::string said(const Checked<Parsed>& parsed) {
  return parsed ? "accepted"
                : std::string(code(parsed.error().reason)) + ' ' +
                      std::to_string(parsed.error().offset);
}

// Every scanner, in one answer.
std::string all_said(std::string_view text) {
  std::string answers;
  for (const std::string& answer :
       {said(SessionId::parse(text)), said(AddressableId::parse(text)), said(CallId::parse(text)),
        said(EnvName::parse(text)), said(EnvVariable::parse("N", text)),
        said(SandboxPath::parse(text)), said(DomainPattern::parse(text)),
        said(Deadline::parse(text)), said(PlainText::parse(text)), said(quote({&text, 1})),
        std::to_string(quoted_size(text))}) {
    answers += answer + ';';
  }
  return answers;
}

TEST(PageEnd, ScannersReadTheirTextAlone) {
  for (const std::string_view unit :
       {"a", "A", "0", "'", "/", "a/", "a.", "../", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xff"}) {
    std::string text;
    for (std::size_t size = 0; size <= 300; ++size) {
      while (text.size() < size) text += unit;
      expect_same(std::string_view(text).substr(0, size), all_said);
    }
  }
}

TEST(PageEnd, QuotingWritesItsRoomAlone) {
  Page page;
  for (const std::string_view unit : {"a", "'", "a'", "''a"}) {
    std::string word;
    for (std::size_t size = 0; size <= 300; ++size) {
      while (word.size() < size) word += unit;
      word.resize(size);
      const std::string quoted = reference::quoted(word);
      for (const bool last : {false, true}) {
        char* const room = page.room(quoted.size(), last);
        ASSERT_EQ(std::string_view(room, quote_into(room, word)), quoted);
      }
    }
  }
}

TEST(PageEnd, ReportsAreReadInTheirStreamAlone) {
  const std::string id = "00112233445566778899aabbccddeeff";
  const reference::Secrets secrets{std::string(32, 'd'), std::string(32, 'e')};
  const std::string announced = reference::announcement_line(id, secrets);
  const std::string ended = reference::final_line(id, "deadline", secrets.deadline);
  const std::string nonce(32, '7');
  for (const std::string& stream :
       {announced + "out\n" + ended, announced + std::string(300, 'x') + ended + "more",
        "noise\n" + announced + reference::call_prefix(id) + ended,
        reference::refused_line(id, "od"), std::string(400, 'a'), nonce + "\nout\n" + nonce,
        std::string(40, ' ') + '\n' + nonce + '\n' + std::string(200, '7') + nonce}) {
    for (std::size_t size = 0; size <= stream.size(); ++size) {
      for (const ReportScheme& scheme :
           {ReportScheme::sealed(CallId::parse(id).value()), ReportScheme::nonce()}) {
        expect_same(std::string_view(stream).substr(0, size), [&](std::string_view text) {
          const DeadlineReport report = read_report(scheme, 137, text);
          return std::to_string(static_cast<int>(report.outcome)) +
                 (report.killed ? " killed " : " ") + std::to_string(report.preamble.size()) + ' ' +
                 std::to_string(report.before.size()) + ' ' + std::to_string(report.after.size());
        });
      }
    }
  }
}

TEST(PageEnd, PoliciesAreReadInTheirTextAlone) {
  const std::string text =
      R"({"defaultAction":"Deny","hostRules":[{"pattern":"a.example","action":"Allow"}],)"
      R"("trafficInspection":"Full"})";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    expect_same(std::string_view(text).substr(0, size), [](std::string_view document) {
      return decode_policy(document).has_value() ? "read" : "refused";
    });
  }
}

}  // namespace
}  // namespace sandproof::props
