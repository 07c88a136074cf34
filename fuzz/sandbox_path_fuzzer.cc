// Paths: the input is the path.
#include "sandproof/sandbox_path.h"

#include "fuzz_check.h"
#include "reference/languages.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

Checked<SandboxPath> parse(std::string_view text) { return SandboxPath::parse(text); }

std::string joined(std::string_view a, std::string_view b, std::string_view c = {}) {
  std::string text(a);
  text += b;
  text += c;
  return text;
}

void check_against_reference(std::string_view text, const Checked<SandboxPath>& path) {
  static const reference::Language& language = reference::language("path");

  FUZZ_CHECK(as_answer(path) == reference::sandbox_path(text), as_answer(path),
             reference::sandbox_path(text));
  const std::string_view sent = text.substr(std::min(text.find_first_not_of('/'), text.size()));
  FUZZ_CHECK(path.has_value() == reference::in_language(language, sent), text);
}

void check_accepted(std::string_view text, SandboxPath path) {
  const std::string_view value = path.view();
  FUZZ_CHECK(value.data() + value.size() == text.data() + text.size(), value, text);
  FUZZ_CHECK(parse(value) == path, value);
  const OwnedSandboxPath owned(path);
  FUZZ_CHECK(owned.view() == value && owned.borrow() == path, owned.view(), value);

  const std::string rooted = joined("/", text);
  FUZZ_CHECK(as_answer(parse(rooted)) == reference::accept(value), rooted, value);
  FUZZ_CHECK(!parse(std::string_view(joined(text, "/.."))), text);
  FUZZ_CHECK(!parse(std::string_view(joined("../", value))), value);
  FUZZ_CHECK(!parse(std::string_view(joined(text, "/"))), text);
}

// check_joined cuts the input in two: what is accepted on both sides may be joined, as long as it
// fits, and what is accepted as a whole has only such parts.
void check_joined(std::string_view text) {
  const std::string_view left = text.substr(0, text.size() / 2);
  const std::string_view right = text.substr(text.size() / 2);
  const Checked<SandboxPath> a = parse(left);
  const Checked<SandboxPath> b = parse(right);
  if (!a || !b) return;
  const std::string whole = joined(a->view(), "/", b->view());
  const Checked<SandboxPath> both = parse(whole);
  FUZZ_CHECK(both.has_value() == (whole.size() <= k_max_path_size), whole);
  FUZZ_CHECK(!both || both->view() == whole, whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ExactCopy copy(data, size);
  const std::string_view text = copy.view();
  const Checked<SandboxPath> path = parse(text);
  check_against_reference(text, path);
  check_joined(text);
  if (path) {
    check_accepted(text, *path);
  } else {
    check_message(explain(path.error(), text));
  }
  return 0;
}
