// Paths: the input is the path, each of its lines is one of a list of paths, and it is a text of a
// deployment's configuration. The bodies that carry them are read back.
#include "sandproof/sandbox_path.h"

#include <chrono>
#include <vector>

#include "examination.h"
#include "fuzz_check.h"
#include "read_back.h"
#include "reference/languages.h"
#include "reference/utf8.h"
#include "sandproof/plain_text.h"
#include "sandproof/wire.h"
#include "split.h"

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

void check_language(std::string_view text, const Checked<SandboxPath>& path) {
  static const reference::Language& language = reference::language("path");

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

// ---- Lists of paths. ----

// Files are written in the order of the paths that are sent; the first path that stood before is
// refused.
void check_order(std::string_view text) {
  constexpr std::size_t k_max_paths = 16;
  std::vector<SandboxPath> paths;
  for (const std::string_view line : split(text, '\n')) {
    if (paths.size() == k_max_paths) break;
    if (const auto path = parse(line)) paths.push_back(*path);
  }
  std::size_t repeat = 0;
  while (repeat < paths.size() &&
         std::ranges::count(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(repeat),
                            paths[repeat]) == 0) {
    ++repeat;
  }

  const auto order = write_order(paths);
  FUZZ_CHECK(order.has_value() == (repeat == paths.size()), repeat);
  if (!order) {
    FUZZ_CHECK(order.error().reason == Reason::duplicate_path && order.error().word == repeat,
               order.error().word, repeat);
    return;
  }
  std::vector<std::string> written;
  for (const std::size_t i : *order) written.emplace_back(paths.at(i).view());
  std::vector<std::string> expected;
  for (const SandboxPath path : paths) expected.emplace_back(path.view());
  std::ranges::sort(expected);
  FUZZ_CHECK(written == expected);
}

// ---- What is sent. ----

void check_mkdir(SandboxPath path) {
  const reference::Document expected = {{"path", std::string(path.view())}};
  const std::string body = encode(MkdirBody{OwnedSandboxPath(path)});
  FUZZ_CHECK(read_back(body) == expected, body);
}

// The rule once more, and no code of the library's.
reference::Answer plain_text(std::string_view text) {
  if (text.empty()) return reference::refuse("empty");
  if (text.size() > 1'024) return reference::refuse("too_long");
  if (const auto at = reference::first_ill_formed(text)) {
    return reference::refuse("invalid_utf8", *at);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return reference::refuse("control_byte", i);
  }
  return reference::accept(text);
}

// Every field of a create body has a value of its own, so that none can stand for another. What may
// be left out is there with every second size.
void check_create(const PlainText& text) {
  const std::string value(text.view());
  const bool whole = value.size() % 2 == 0;
  const std::vector<EnvEntry> entries = {{"A", value}};
  CreateBody body{.disk_image = text,
                  .cpu = PlainText::parse("1").value(),
                  .memory = PlainText::parse("2Gi").value(),
                  .disk = {},
                  .environment = {},
                  .egress = {},
                  .attempt = CallId::parse("00112233445566778899aabbccddeeff").value(),
                  .idle_suspend = {}};
  reference::Document expected;
  expected["sourcesRef"]["diskImage"] = {{"name", value}, {"isPublic", true}};
  expected["resources"] = {{"cpu", "1"}, {"memory", "2Gi"}};
  if (whole) {
    body.disk = PlainText::parse("3Gi").value();
    expected["resources"]["disk"] = "3Gi";
  }
  if (auto environment = SessionEnvironment::parse(entries)) {
    body.environment = *std::move(environment);
    expected["environment"]["A"] = value;
  }
  if (whole) {
    body.egress = created_with(DeclaredEgress::deny());
    expected["egressPolicy"] = read_back(encode(*body.egress));
  }
  expected["labels"]["sandproof-attempt"] = "00112233445566778899aabbccddeeff";
  if (whole) {
    body.idle_suspend = std::chrono::seconds(value.size());
    expected["lifecycle"]["autoSuspendPolicy"] = {
        {"enabled", true}, {"interval", value.size()}, {"mode", "Memory"}};
  }
  const std::string written = encode(body);
  FUZZ_CHECK(read_back(written) == expected, written, expected.dump());
}

void check_plain_text(std::string_view text) {
  const auto parsed = PlainText::parse(text);
  FUZZ_CHECK(as_answer(parsed) == plain_text(text), as_answer(parsed), plain_text(text));
  if (parsed) {
    check_create(*parsed);
  } else {
    check_message(explain(parsed.error(), text), text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ExactCopy copy(data, size);
  const std::string_view text = copy.view();
  const Checked<SandboxPath> path = parse(text);
  const reference::Answer answer = as_answer(path);
  FUZZ_CHECK(answer == reference::sandbox_path(text), answer, reference::sandbox_path(text));
  if (!whole_examination(128)) return 0;

  check_language(text, path);
  check_joined(text);
  check_order(text);
  check_plain_text(text);
  if (path) {
    check_accepted(text, *path);
    check_mkdir(*path);
  } else {
    check_message(explain(path.error(), text), text);
  }
  return 0;
}
