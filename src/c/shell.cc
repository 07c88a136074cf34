// The C interface: quoting, commands, and the bounded shell text.
#include "sandproof/shell.h"

#include <chrono>

#include "command_input.h"
#include "translate.h"

using namespace sandproof;
using namespace sandproof::c;

sandproof_status sandproof_quote(const sandproof_text* words, std::size_t count,
                                 sandproof_buffer* quoted, sandproof_refusal* refusal) noexcept {
  const List list{words, count};
  if (!are_usable(list, quoted, refusal)) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const auto text = quote(views(list));
    return text ? write(*text, *quoted) : refuse(text.error(), *refusal);
  });
}

sandproof_status sandproof_command_check(const sandproof_command* command,
                                         sandproof_refusal* refusal) noexcept {
  if (!are_usable(command, refusal)) return SANDPROOF_BAD_CALL;
  return guarded([&] { return give_verdict(CommandInput(*command).parse(), *refusal); });
}

sandproof_status sandproof_bounded_shell(const sandproof_command* command,
                                         std::int64_t milliseconds, sandproof_scheme scheme,
                                         sandproof_text call_id, sandproof_buffer* shell,
                                         sandproof_refusal* refusal) noexcept {
  if (!are_usable(command, call_id, shell, refusal)) {
    return SANDPROOF_BAD_CALL;
  }
  const auto report = read_scheme(scheme, call_id);
  if (!report) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const CommandInput input(*command);
    const auto parsed = input.parse();
    if (!parsed) return refuse(parsed.error(), *refusal);
    const auto deadline = Deadline::from(std::chrono::milliseconds(milliseconds));
    if (!deadline) return refuse(deadline.error(), *refusal);
    if (!*report) return refuse(report->error(), *refusal);
    return write(bounded_shell(*parsed, *deadline, **report).view(), *shell);
  });
}
