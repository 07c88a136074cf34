#include "batch.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

#include "sandproof/refusal.h"

namespace sandproof::cli {
namespace {

// Written out, because they are needed when there may be no memory to build them in.
constexpr std::string_view k_out_of_memory = R"({"verdict":"unreadable","reason":"out_of_memory",)"
                                             R"("message":"no memory for this line: send less"})"
                                             "\n";
constexpr std::string_view k_internal =
    R"({"verdict":"unreadable","reason":"internal",)"
    R"("message":"this line could not be judged: report it as a defect"})"
    "\n";

// answer_line writes one answer and gives its status.
int answer_line(Output& output, const Judge& judge, std::string_view line) {
  try {
    const Answer answer = judge(line);
    output.write(answer.text);
    return answer.status;
  } catch (const std::bad_alloc&) {
    output.write(k_out_of_memory);
  } catch (const std::exception&) {
    output.write(k_internal);
  }
  return k_exit_unreadable;
}

std::string too_long() {
  return unreadable({code(Reason::too_large), "line is longer than " +
                                                  std::to_string(LineReader::k_max_line_size) +
                                                  " bytes: send less"})
      .text;
}

}  // namespace

Answer unreadable(const Malformed& malformed) {
  return {k_exit_unreadable, json_line(json_of(malformed))};
}

Result run_batch(Output& output, const Judge& judge) {
  LineReader reader(STDIN_FILENO);
  int status = k_exit_accepted;
  while (output.error() == 0) {
    switch (reader.next()) {
      case LineReader::Event::line:
        status = std::max(status, answer_line(output, judge, reader.line()));
        break;
      case LineReader::Event::too_long:
        output.write(too_long());
        status = k_exit_unreadable;
        break;
      case LineReader::Event::out_of_memory:
        output.write(k_out_of_memory);
        status = k_exit_unreadable;
        break;
      case LineReader::Event::end:
        return status;
      case LineReader::Event::failed:
        return complain("cannot read standard input: " + reason_text(reader.error()), false);
    }
  }
  return k_exit_unreadable;
}

}  // namespace sandproof::cli
