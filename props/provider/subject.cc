#include "subject.h"

#include <algorithm>

#include "sandproof/command.h"
#include "sandproof/shell.h"

namespace sandproof::props {
namespace {

using std::chrono::seconds;

// ---- Requests. ----

Whom whom(std::string_view id, const Names& names) {
  if (!id.empty() && id == names.asked) return Whom::asked;
  if (!id.empty() && id == names.minted) return Whom::minted;
  return Whom::stranger;
}

bool is_as_given(const CreateBody& body, const Expected& expected) {
  const AzureConfig& config = expected.config;
  const auto same = [](const SessionEnvironment::Variable& a, const auto& b) {
    return a.name == b.first && a.value == b.second;
  };
  std::optional<std::chrono::seconds> idle;
  if (config.idle_suspend_seconds) idle = std::chrono::seconds{*config.idle_suspend_seconds};
  return body.disk_image == config.disk_image && body.cpu == config.cpu &&
         body.memory == config.memory && body.disk == config.disk &&
         std::ranges::equal(body.environment.variables(), expected.given.environment, same) &&
         body.egress == expected.egress && body.attempt == expected.id && body.idle_suspend == idle;
}

// Reader reads each kind of request.
struct Reader {
  const Expected& expected;
  const Names& names;

  Asked operator()(const Wait&) const { return {.what = Ask::wait}; }
  Asked operator()(const CreateCall& call) const {
    return {.what = Ask::create, .as_given = is_as_given(call.body, expected)};
  }
  Asked operator()(const GetCall& call) const { return about(Ask::get, call.id.view()); }
  Asked operator()(const DeleteCall& call) const { return about(Ask::remove, call.id.view()); }
  Asked operator()(const StopCall& call) const { return about(Ask::stop, call.id.view()); }
  Asked operator()(const ResumeCall& call) const { return about(Ask::wake, call.id.view()); }
  Asked operator()(const ExecCall& call) const {
    Asked asked = about(Ask::exec, call.id.view());
    asked.as_given = expected.given.runs && call.body.command().view() == expected.shell &&
                     call.body.working_directory() == working_directory();
    return asked;
  }
  Asked operator()(const ReadFileCall& call) const {
    Asked asked = about(Ask::read, call.id.view());
    asked.as_given = is_only_path(call.path.view());
    return asked;
  }
  Asked operator()(const MkdirCall& call) const {
    Asked asked = about(Ask::mkdir, call.id.view());
    asked.as_given = is_only_path(call.body.path.view());
    return asked;
  }
  Asked operator()(const WriteFileCall& call) const {
    Asked asked = about(Ask::write, call.id.view());
    const auto& files = expected.given.files;
    const auto file =
        std::ranges::find(files, call.path.view(), &std::pair<std::string, std::string>::first);
    asked.as_given = file != files.end() && file->second == call.content;
    asked.file = static_cast<int>(file - files.begin());
    return asked;
  }

  [[nodiscard]] Asked about(Ask what, std::string_view id) const {
    return {.what = what, .whom = whom(id, names)};
  }
  [[nodiscard]] bool is_only_path(std::string_view path) const {
    const auto& files = expected.given.files;
    return files.size() == 1 && files.front().first == path;
  }
};

// ---- Results. ----

bool names_id(const Error& error, std::string_view text, std::string_view id) {
  bool in_chain = false;
  for (const Error* link = &error; link; link = link->cause()) {
    in_chain = in_chain || (link->session() && link->session()->view() == id);
  }
  return in_chain && text.find(id) != std::string_view::npos;
}

bool names_attempt(const Error& error, std::string_view text, std::string_view attempt) {
  bool in_chain = false;
  for (const Error* link = &error; link; link = link->cause()) {
    in_chain = in_chain || (link->attempt() && link->attempt()->view() == attempt);
  }
  return in_chain && text.find(attempt) != std::string_view::npos;
}

bool has_evidence(const Error& error) {
  for (const Error* link = &error; link; link = link->cause()) {
    if (std::holds_alternative<TransportError>(link->evidence())) return true;
    if (std::holds_alternative<Unreadable>(link->evidence())) return true;
  }
  return false;
}

void set_fault(Ending& ending, const Error& error, const Call& call, const Names& names,
               std::string_view attempt) {
  Shown shown = shown_of(error);
  ending.fault = Fault{
      .code = error.code(),
      .failure = error.failure(),
      .visibility = error.visibility(),
      .retryable = error.is_retryable(),
      .of_verb = error.verb() == call.verb ||
                 (call.verb == Verb::get_or_create && error.verb() == Verb::create),
      .has_evidence = has_evidence(error),
      .names_asked = names_id(error, shown.text, names.asked),
      .names_minted = names_id(error, shown.text, names.minted),
      .names_attempt = names_attempt(error, shown.text, attempt),
  };
  ending.shown.push_back(std::move(shown));
}

void set_value(Ending& ending, const Session& session, const Call&, const Names& names,
               std::string_view) {
  ending.session = whom(session.id.view(), names);
  ending.state = session.state;
  ending.whole = session.generation == 1;
}

void set_value(Ending& ending, const std::optional<Session>& session, const Call& call,
               const Names& names, std::string_view attempt) {
  if (session) set_value(ending, *session, call, names, attempt);
}

void set_value(Ending& ending, const std::string& bytes, const Call&, const Names&,
               std::string_view) {
  ending.bytes = bytes;
}

void set_value(Ending& ending, const CommandRun& run, const Call& call, const Names& names,
               std::string_view attempt) {
  using Stream = CommandRun::Stream;
  Output output{.out = {}, .err = {}, .preamble = run.preamble, .exit_code = {}};
  std::uint64_t seq = 0;
  Stream before = Stream::standard_output;
  for (const CommandRun::Frame& frame : run.frames) {
    ending.whole = ending.whole && frame.seq == seq++ && !frame.data.empty() &&
                   !(before == Stream::standard_error && frame.stream == Stream::standard_output);
    before = frame.stream;
    (frame.stream == Stream::standard_output ? output.out : output.err) += frame.data;
  }
  ending.whole = ending.whole && run.frames.size() <= 2;
  if (run.end) {
    output.exit_code = *run.end;
  } else {
    set_fault(ending, run.end.error(), call, names, attempt);
  }
  ending.output = std::move(output);
}

template <class T>
class SubjectOf final : public Subject {
 public:
  explicit SubjectOf(Operation<T> operation) : operation_(std::move(operation)) {}

  AnyOperation& operation() override { return operation_; }

  Ending ending(const Call& call, const Names& names, std::string_view attempt) override {
    const Result<T>& result = *operation_.result();
    Ending ending;
    if (!result) {
      set_fault(ending, result.error(), call, names, attempt);
    } else if constexpr (!std::is_void_v<T>) {
      set_value(ending, *result, call, names, attempt);
    }
    return ending;
  }

 private:
  Operation<T> operation_;
};

}  // namespace

std::unique_ptr<Subject> subject(Operation<Session> operation) {
  return std::make_unique<SubjectOf<Session>>(std::move(operation));
}
std::unique_ptr<Subject> subject(Operation<std::optional<Session>> operation) {
  return std::make_unique<SubjectOf<std::optional<Session>>>(std::move(operation));
}
std::unique_ptr<Subject> subject(Operation<CommandRun> operation) {
  return std::make_unique<SubjectOf<CommandRun>>(std::move(operation));
}
std::unique_ptr<Subject> subject(Operation<std::string> operation) {
  return std::make_unique<SubjectOf<std::string>>(std::move(operation));
}
std::unique_ptr<Subject> subject(Operation<void> operation) {
  return std::make_unique<SubjectOf<void>>(std::move(operation));
}

Expected::Expected(const Setting& setting, const Scene& scene, const Draw& draw)
    : config(configured(setting)),
      egress(sent_policy(setting)),
      given(scene.given),
      id(CallId::from_random(draw)),
      shell(given.runs ? shell_text(id) : std::string()) {}

Asked read_request(const Request& request, const Expected& expected, const Names& names) {
  Asked asked = std::visit(Reader{expected, names}, request);
  asked.bound = bound_of(request);
  return asked;
}

Shown shown_of(const Error& error) { return {error.external(), error.text()}; }

}  // namespace sandproof::props
