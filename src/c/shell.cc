// The C interface: quoting, commands, and the bounded shell text.
#include "sandproof/shell.h"

#include <chrono>

#include "sandproof/command.h"
#include "translate.h"

using namespace sandproof;
using namespace sandproof::c;

namespace {

bool is_usable_command(const sandproof_command* command) noexcept {
  if (command == nullptr) return false;
  const sandproof_text* const directory = command->working_directory;
  return are_usable(List{command->words, command->word_count},
                    List{command->variables, command->variable_count}) &&
         (directory == nullptr || is_usable(*directory));
}

// Request is a command with the library's own lists. A Command borrows from it.
class Request {
 public:
  explicit Request(const sandproof_command& command)
      : words_(views({command.words, command.word_count})),
        variables_(entries({command.variables, command.variable_count})) {
    if (command.working_directory != nullptr) directory_ = view(*command.working_directory);
  }

  [[nodiscard]] Checked<Command> parse() const {
    return Command::parse({words_, variables_, directory_});
  }

 private:
  std::vector<std::string_view> words_;
  std::vector<EnvEntry> variables_;
  std::optional<std::string_view> directory_;
};

}  // namespace

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
  if (!is_usable_command(command) || !are_usable(refusal)) return SANDPROOF_BAD_CALL;
  return guarded([&] { return give_verdict(Request(*command).parse(), *refusal); });
}

sandproof_status sandproof_bounded_shell(const sandproof_command* command,
                                         std::int64_t milliseconds, sandproof_scheme scheme,
                                         sandproof_text call_id, sandproof_buffer* shell,
                                         sandproof_refusal* refusal) noexcept {
  if (!is_usable_command(command) || !are_usable(call_id, shell, refusal)) {
    return SANDPROOF_BAD_CALL;
  }
  const auto report = read_scheme(scheme, call_id);
  if (!report) return SANDPROOF_BAD_CALL;
  return guarded([&] {
    const Request request(*command);
    const auto parsed = request.parse();
    if (!parsed) return refuse(parsed.error(), *refusal);
    const auto deadline = Deadline::from(std::chrono::milliseconds(milliseconds));
    if (!deadline) return refuse(deadline.error(), *refusal);
    if (!*report) return refuse(report->error(), *refusal);
    return write(bounded_shell(*parsed, *deadline, **report).view(), *shell);
  });
}
