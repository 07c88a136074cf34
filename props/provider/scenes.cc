// The calls that are made of a provider.
#include "sandproof/command.h"
#include "sandproof/shell.h"
#include "subject.h"

namespace sandproof::props {
namespace {

// ---- What every call gives. ----

constexpr std::array<std::string_view, 2> k_argv = {"make", "it's"};
constexpr std::array<EnvEntry, 1> k_variables = {{{"TOKEN", "a b"}}};
constexpr std::array<EnvEntry, 1> k_environment = {{{"LANG", "C"}}};
constexpr std::string_view k_working_directory = "/work";

// By the keys that the caller gives, the other one comes first.
constexpr std::array<File, 2> k_files = {{{"/b", "second"}, {"a/one", ""}}};

constexpr CommandRequest k_command{k_argv, k_variables, k_working_directory};

using Id = std::string_view;
using Box = AzureSandbox;

constexpr RunRequest run_for(milliseconds deadline) { return {k_command, deadline}; }

// A scene that must be refused for one reason, of a list of which each is enough.
template <class Start>
Scene refused(std::string name, Verb verb, ErrorCode code, Start start) {
  return {.name = std::move(name),
          .call = {.verb = verb, .refused = code},
          .start = [start](const Box& box, Id id) { return subject(start(box, id)); }};
}

template <class Start>
Scene scene(std::string name, Call call, Given given, Start start) {
  return {.name = std::move(name),
          .call = call,
          .given = std::move(given),
          .start = [start](const Box& box, Id id) { return subject(start(box, id)); }};
}

constexpr Id k_bad_id = "../box";

}  // namespace

const std::vector<Scene>& scenes() {
  static const std::vector<Scene> all = {
      scene("create", {.verb = Verb::create, .names_session = false},
            {.environment = {{"LANG", "C"}}},
            [](const Box& box, Id) { return box.create({k_environment, {}}); }),
      scene("get", {.verb = Verb::get}, {}, [](const Box& box, Id id) { return box.get(id); }),
      scene("get_or_create", {.verb = Verb::get_or_create}, {.environment = {{"LANG", "C"}}},
            [](const Box& box, Id id) { return box.get_or_create(id, {k_environment, {}}); }),
      scene("get_or_create without id", {.verb = Verb::get_or_create, .names_session = false}, {},
            [](const Box& box, Id) { return box.get_or_create({}, {}); }),
      scene("run_command", {.verb = Verb::run_command, .deadline = k_deadline}, {.runs = true},
            [](const Box& box, Id id) { return box.run_command(id, run_for(k_deadline)); }),
      scene("read_file", {.verb = Verb::read_file}, {.files = {{"a/one", ""}}},
            [](const Box& box, Id id) { return box.read_file(id, "//a/one"); }),
      scene("write_files", {.verb = Verb::write_files, .files = 2},
            {.files = {{"a/one", ""}, {"b", "second"}}},
            [](const Box& box, Id id) { return box.write_files(id, k_files); }),
      scene("write_files of none", {.verb = Verb::write_files}, {},
            [](const Box& box, Id id) { return box.write_files(id, {}); }),
      scene("mkdir", {.verb = Verb::mkdir}, {.files = {{"a/one", ""}}},
            [](const Box& box, Id id) { return box.mkdir(id, "/a/one"); }),
      scene("suspend", {.verb = Verb::suspend}, {},
            [](const Box& box, Id id) { return box.suspend(id); }),
      scene("resume", {.verb = Verb::resume}, {},
            [](const Box& box, Id id) { return box.resume(id); }),
      scene("terminate", {.verb = Verb::terminate}, {},
            [](const Box& box, Id id) { return box.terminate(id); }),
  };
  return all;
}

const std::vector<Scene>& refusals() {
  constexpr auto input = ErrorCode::invalid_input;
  constexpr auto unsupported = ErrorCode::operation_not_supported;
  static constexpr std::array<EnvEntry, 1> bad_environment = {{{"LD_PRELOAD", "x"}}};
  static constexpr std::array<EnvEntry, 1> bad_name = {{{"1A", "x"}}};
  static constexpr std::array<EnvEntry, 1> bad_value = {{{"A", "\xff"}}};
  static constexpr std::array<std::string_view, 2> bad_argv = {"make", "\xff"};
  static constexpr std::array<File, 2> bad_path = {{{"a", ""}, {"b/../c", ""}}};
  static constexpr std::array<File, 2> same_path = {{{"a", ""}, {"/a", ""}}};
  static const std::vector<Scene> all = {
      refused("list", Verb::list, unsupported, [](const Box& box, Id) { return box.list(); }),
      refused("preview", Verb::preview, unsupported,
              [](const Box& box, Id) { return box.preview(k_bad_id, 0); }),
      refused("snapshot", Verb::snapshot, unsupported,
              [](const Box& box, Id) { return box.snapshot(k_bad_id); }),
      refused("start_job", Verb::start_job, unsupported,
              [](const Box& box, Id) { return box.start_job(k_bad_id, {{}, milliseconds{-1}}); }),
      refused("poll_job", Verb::poll_job, unsupported,
              [](const Box& box, Id id) { return box.poll_job(id, ""); }),
      refused("cancel_job", Verb::cancel_job, unsupported,
              [](const Box& box, Id) { return box.cancel_job(k_bad_id, ".."); }),
      refused("create, environment", Verb::create, input,
              [](const Box& box, Id) { return box.create({bad_environment, {}}); }),
      refused("create, value", Verb::create, input,
              [](const Box& box, Id) { return box.create({bad_value, {}}); }),
      refused("create, tenant", Verb::create, unsupported,
              [](const Box& box, Id) { return box.create({k_environment, ""}); }),
      refused("create, both", Verb::create, input,
              [](const Box& box, Id) { return box.create({bad_environment, "t"}); }),
      refused("get, id", Verb::get, input, [](const Box& box, Id) { return box.get(k_bad_id); }),
      refused("get_or_create, id", Verb::get_or_create, input,
              [](const Box& box, Id) { return box.get_or_create(k_bad_id, {}); }),
      refused(
          "get_or_create, all", Verb::get_or_create, input,
          [](const Box& box, Id) { return box.get_or_create(k_bad_id, {bad_environment, "t"}); }),
      refused("get_or_create, environment", Verb::get_or_create, input,
              [](const Box& box, Id id) { return box.get_or_create(id, {bad_environment, {}}); }),
      refused("get_or_create, tenant", Verb::get_or_create, unsupported,
              [](const Box& box, Id id) { return box.get_or_create(id, {{}, "t"}); }),
      refused("get_or_create without id, tenant", Verb::get_or_create, unsupported,
              [](const Box& box, Id) { return box.get_or_create({}, {{}, "t"}); }),
      refused(
          "run_command, id and zero", Verb::run_command, input,
          [](const Box& box, Id) { return box.run_command(k_bad_id, run_for(milliseconds{0})); }),
      refused("run_command, zero", Verb::run_command, unsupported,
              [](const Box& box, Id id) { return box.run_command(id, {{}, milliseconds{0}}); }),
      refused("run_command, negative", Verb::run_command, input,
              [](const Box& box, Id id) { return box.run_command(id, run_for(milliseconds{-1})); }),
      refused("run_command, too long", Verb::run_command, input,
              [](const Box& box, Id id) {
                return box.run_command(id, run_for(k_max_deadline + milliseconds{1}));
              }),
      refused("run_command, word", Verb::run_command, input,
              [](const Box& box, Id id) {
                return box.run_command(id, {{bad_argv, {}, {}}, k_deadline});
              }),
      refused("run_command, name", Verb::run_command, input,
              [](const Box& box, Id id) {
                return box.run_command(id, {{k_argv, bad_name, {}}, k_deadline});
              }),
      refused("run_command, value", Verb::run_command, input,
              [](const Box& box, Id id) {
                return box.run_command(id, {{k_argv, bad_value, {}}, k_deadline});
              }),
      refused("run_command, directory", Verb::run_command, input,
              [](const Box& box, Id id) {
                return box.run_command(id, {{k_argv, {}, ""}, k_deadline});
              }),
      refused("run_command, no program", Verb::run_command, input,
              [](const Box& box, Id id) { return box.run_command(id, {{}, k_deadline}); }),
      refused("read_file, id", Verb::read_file, input,
              [](const Box& box, Id) { return box.read_file(k_bad_id, "a"); }),
      refused("read_file, path", Verb::read_file, input,
              [](const Box& box, Id id) { return box.read_file(id, "a/.."); }),
      refused("write_files, id", Verb::write_files, input,
              [](const Box& box, Id) { return box.write_files(k_bad_id, k_files); }),
      refused("write_files, path", Verb::write_files, input,
              [](const Box& box, Id id) { return box.write_files(id, bad_path); }),
      refused("write_files, twice", Verb::write_files, input,
              [](const Box& box, Id id) { return box.write_files(id, same_path); }),
      refused("mkdir, id", Verb::mkdir, input,
              [](const Box& box, Id) { return box.mkdir("", "a"); }),
      refused("mkdir, path", Verb::mkdir, input,
              [](const Box& box, Id id) { return box.mkdir(id, "/"); }),
      refused("suspend, id", Verb::suspend, input,
              [](const Box& box, Id) { return box.suspend("a/b"); }),
      refused("resume, id", Verb::resume, input,
              [](const Box& box, Id) { return box.resume("a?b"); }),
      refused("terminate, id", Verb::terminate, input,
              [](const Box& box, Id) { return box.terminate("a%2fb"); }),
  };
  return all;
}

std::string shell_text(const CallId& id) {
  return std::string(bounded_shell(Command::parse(k_command).value(),
                                   Deadline::from(k_deadline).value(), ReportScheme::sealed(id))
                         .view());
}

std::string_view working_directory() { return k_working_directory; }

}  // namespace sandproof::props
