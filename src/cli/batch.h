// Batches: one question a line on standard input, one answer a line on standard output.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "json.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {

// Answer is what one question came to: the exit status it would have alone, and its text, which
// ends with a newline.
struct Answer {
  int status;
  std::string text;
};

// unreadable is the answer to a line that is no question.
[[nodiscard]] Answer unreadable(const Malformed& malformed);

using Judge = std::function<Answer(std::string_view line)>;

// run_batch answers each line of standard input before it waits for the next one. It ends with the
// worst status of the answers. What one line does not survive, memory running out included, is an
// unreadable line, and the rest go on.
[[nodiscard]] Result run_batch(Output& output, const Judge& judge);

}  // namespace sandproof::cli
