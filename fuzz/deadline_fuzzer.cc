// Deadlines: the input is the text.
#include "sandproof/deadline.h"

#include "examination.h"
#include "fuzz_check.h"
#include "reference/languages.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

void check_accepted(std::string_view text, Deadline deadline) {
  const auto duration = deadline.milliseconds();
  FUZZ_CHECK(k_min_deadline <= duration && duration <= k_max_deadline, text, duration.count());
  FUZZ_CHECK(Deadline::from(duration) == deadline, text, duration.count());
  FUZZ_CHECK(deadline.guard() == duration + k_guard_margin, text);

  // Every spelling of one duration is the same deadline: its shell text, and its milliseconds.
  const SecondsText seconds = deadline.seconds_text();
  const std::string in_seconds = std::string(seconds.view()) + "s";
  const std::string in_milliseconds = std::to_string(duration.count()) + "ms";
  FUZZ_CHECK(Deadline::parse(in_seconds) == deadline, text, in_seconds);
  FUZZ_CHECK(Deadline::parse(in_milliseconds) == deadline, text, in_milliseconds);
  // Leading zeros say nothing, as long as there is room for them.
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits < 15) FUZZ_CHECK(Deadline::parse(std::string("0").append(text)) == deadline, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const reference::Language& language = reference::language("deadline");

  const ExactCopy copy(data, size);
  const std::string_view text = copy.view();
  const Checked<Deadline> deadline = Deadline::parse(text);
  const reference::Answer answer = as_answer(
      deadline, [](Deadline accepted) { return std::string(accepted.seconds_text().view()); });
  FUZZ_CHECK(answer == reference::deadline(text), answer, reference::deadline(text));
  if (!whole_examination(16)) return 0;

  FUZZ_CHECK(deadline.has_value() == reference::in_language(language, text), text);
  if (deadline) {
    check_accepted(text, *deadline);
  } else {
    check_message(explain(deadline.error(), text));
  }
  return 0;
}
