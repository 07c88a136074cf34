// Batches of the tool: the first byte of an input picks the command, the rest is its standard
// input.
//
// Each line gets one answer, a JSON object on a line of printable ASCII, in the same order; the
// exit status is that of the worst answer; a batch answers what its lines answer alone; and a
// policy that stands in its line answers what it does in a string.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/streams.h"
#include "cli/tool.h"
#include "fuzz_check.h"
#include "reference/json_text.h"
#include "split.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

// Batch is a command with the words that make it read standard input.
struct Batch {
  const cli::Command* command;
  std::vector<std::string_view> words;
};

const std::array<Batch, 12>& batches() {
  static const std::array<Batch, 12> all{{
      {&cli::k_check_command, {"session-id", "--batch"}},
      {&cli::k_check_command, {"path", "--batch"}},
      {&cli::k_check_command, {"env-name", "--batch"}},
      {&cli::k_check_command, {"session-env", "--batch"}},
      {&cli::k_check_command, {"domain", "--batch"}},
      {&cli::k_check_command, {"deadline", "--batch"}},
      {&cli::k_check_command, {"domain", "--batch", R"(--refuse=(.*\.)?internal)"}},
      {&cli::k_check_command, {"command", "--batch"}},
      {&cli::k_quote_command, {"--batch"}},
      {&cli::k_wrap_command, {"--batch"}},
      {&cli::k_report_command, {"--batch"}},
      {&cli::k_egress_compare_command, {"--batch"}},
  }};
  return all;
}

// MemoryFile is a file that exists nowhere else.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(memfd_create("batch", MFD_CLOEXEC)) {
    FUZZ_CHECK(descriptor_ >= 0);
    const auto written = pwrite(descriptor_, text.data(), text.size(), 0);
    FUZZ_CHECK(written == static_cast<ssize_t>(text.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  [[nodiscard]] int descriptor() const { return descriptor_; }

  [[nodiscard]] std::string text() const {
    std::string text(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    const auto size = pread(descriptor_, text.data(), text.size(), 0);
    FUZZ_CHECK(size == static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  int descriptor_;
};

struct Answers {
  int status;
  std::string text;
};

Answers ask(const Batch& batch, std::string_view input) {
  const MemoryFile in(input);
  const MemoryFile out({});
  dup2(in.descriptor(), STDIN_FILENO);
  cli::Output output(out.descriptor());
  const auto arguments = cli::Arguments::parse(batch.words, batch.command->options);
  FUZZ_CHECK(arguments.has_value());
  const cli::Result status = batch.command->run(*arguments, output);
  FUZZ_CHECK(status.has_value(), status.error().message);
  FUZZ_CHECK(output.error() == 0, output.error());
  return {*status, out.text()};
}

// status_of is what an answer would end with alone.
int status_of(std::string_view line) {
  const reference::Document answer = reference::Document::parse(line);
  FUZZ_CHECK(answer.is_object(), line);
  if (answer.contains("outcome")) return answer["outcome"] == "ran" ? 0 : 1;
  if (!answer.contains("verdict")) {
    FUZZ_CHECK(answer.contains("shell"), line);
    return 0;
  }
  if (answer["verdict"] == "unreadable") return 2;
  if (answer.contains("holds")) return answer["holds"] == true ? 0 : 1;
  return answer["verdict"] == "accepted" ? 0 : 1;
}

// ---- A document in a line, and the same in a string. ----

bool is_whole(const reference::JsonValue& value) {
  return value.kind != reference::JsonValue::Kind::too_deep &&
         std::ranges::all_of(value.values, is_whole);
}

// spelled writes a value as it was read: keys in their order, numbers as they were written.
std::string spelled(const reference::JsonValue& value) {
  using Kind = reference::JsonValue::Kind;
  if (value.kind == Kind::number) return value.text;
  if (value.kind == Kind::string) return reference::Document(value.text).dump();
  if (value.kind == Kind::boolean) return value.boolean ? "true" : "false";
  if (value.kind == Kind::null) return "null";
  const bool is_object = value.kind == Kind::object;
  std::string text(1, is_object ? '{' : '[');
  for (std::size_t i = 0; i < value.values.size(); ++i) {
    if (i > 0) text += ',';
    if (is_object) text += reference::Document(value.keys[i]).dump() + ':';
    text += spelled(value.values[i]);
  }
  return text + (is_object ? '}' : ']');
}

// A policy that stands in its line as a value answers what its text answers in a string.
void check_document_in_string(const Batch& batch, std::string_view line, std::string_view answer) {
  const reference::JsonText json = reference::read_json(line);
  const auto& keys = json.root.keys;
  if (!json.is_json || keys.size() != 2 || !is_whole(json.root)) return;
  if (keys[0] != "declared" || keys[1] != "effective") return;
  const std::string document = spelled(json.root.values[1]);
  const std::string in_string = R"({"declared":)" + spelled(json.root.values[0]) +
                                R"(,"effective_text":)" + reference::Document(document).dump() +
                                "}\n";
  const Answers again = ask(batch, in_string);
  FUZZ_CHECK(again.text == std::string(answer) + '\n', again.text, answer);
}

void run(std::string_view input) {
  if (input.empty()) return;
  const auto& batch = batches()[static_cast<unsigned char>(input.front()) % batches().size()];
  input.remove_prefix(1);
  const Answers whole = ask(batch, input);
  const auto questions = split(input, '\n');
  const auto answers = split(whole.text, '\n');
  FUZZ_CHECK(answers.size() == questions.size(), whole.text, questions.size());
  FUZZ_CHECK(whole.text.empty() || whole.text.back() == '\n', whole.text);

  int worst = 0;
  for (const std::string_view line : answers) {
    FUZZ_CHECK(is_printable(line), line);
    worst = std::max(worst, status_of(line));
  }
  FUZZ_CHECK(whole.status == worst, whole.text, whole.status);

  if (batch.command == &cli::k_egress_compare_command) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      check_document_in_string(batch, questions[i], answers[i]);
    }
  }

  // A call id that nobody gave is drawn, each time another.
  if (batch.command == &cli::k_wrap_command || questions.size() < 2) return;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Answers alone = ask(batch, std::string(questions[i]) + '\n');
    FUZZ_CHECK(alone.text == std::string(answers[i]) + '\n', alone.text, answers[i]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run(ExactCopy(data, size).view());
  return 0;
}
