#include "world.h"

#include <algorithm>

#include "invariants.h"

namespace sandproof::props {
namespace {

const std::string k_marker(k_markers[0]);

Served accepted() { return {.answer = Accepted{}, .saw = {}}; }

Served failure(Got got, bool published, TransportError error) {
  return {.answer = std::unexpected(CallError(std::move(error))),
          .saw = {.got = got, .published = published}};
}

Served not_found() { return failure(Got::missing, true, TransportError::not_found(k_marker)); }

Served conflict() {
  return failure(Got::refused, false, TransportError::http_status(409, k_marker));
}

Served undecodable(Answer answer) {
  return {.answer = std::move(answer), .saw = {.got = Got::undecodable}};
}

// new_id spells a number without digits: one of them might be an HTTP status.
std::string new_id(std::size_t number) {
  std::string id = "new-";
  for (; number > 0; number /= 2) id += number % 2 == 0 ? 'x' : 'y';
  return id;
}

// next is a sandbox's life from one read to the next.
Life next(Life life) {
  switch (life) {
    case Life::creating:
    case Life::resuming:
      return Life::running;
    case Life::stopping:
      return Life::suspended;
    default:
      return life;
  }
}

}  // namespace

const Setting& revision(std::size_t index) {
  return *std::ranges::find(settings(), index == 0 ? "deny" : "contained", &Setting::name);
}

bool holds(std::size_t revision, Regime regime) {
  // A deny is a subset of two domains, which the second revision takes; the first takes no domain.
  return revision == 0 ? regime == Regime::first
                       : regime == Regime::first || regime == Regime::second;
}

SandboxRecord make_record(std::string_view id, Life life, Regime regime) {
  constexpr std::array<Policy, k_regime_count> policies = {
      Policy::right, Policy::right, Policy::wider, Policy::unreadable, Policy::absent};
  return make_record(revision(regime == Regime::second ? 1 : 0), id, life,
                     policies[static_cast<std::size_t>(regime)]);
}

World::World()
    : sandboxes_{{.id = "old-one", .life = Life::running, .regime = Regime::first},
                 {.id = "old-two", .life = Life::suspended, .regime = Regime::second},
                 {.id = "old_three", .life = Life::failed, .regime = Regime::first}} {}

World::Sandbox* World::find(std::string_view id) {
  const auto found = std::ranges::find(sandboxes_, id, &Sandbox::id);
  return found == sandboxes_.end() || !found->exists ? nullptr : &*found;
}

Served World::show(const Sandbox& sandbox, std::size_t revision) const {
  Saw saw{.life = sandbox.life,
          .carries = sandbox.regime != Regime::absent,
          .holds = props::holds(revision, sandbox.regime)};
  return {.answer = make_record(sandbox.id, sandbox.life, sandbox.regime), .saw = saw};
}

// Act does what a request asks for, and answers honestly.
struct World::Act {
  World& world;
  std::size_t revision;
  const CallId& call;
  std::size_t choice;

  Served operator()(const Wait&) const { return accepted(); }
  Served operator()(const CreateCall& create) const {
    const Sandbox made{.id = new_id(world.sandboxes_.size()),
                       .life = Life::creating,
                       .regime = revision == 0 ? Regime::first : Regime::second,
                       .attempt = std::string(create.body.attempt.view())};
    world.sandboxes_.push_back(made);
    Served served = world.show(made, revision);
    served.minted = made.id;
    return served;
  }
  Served operator()(const GetCall& get) const {
    Sandbox* sandbox = world.find(get.id.view());
    if (!sandbox) return not_found();
    Served served = world.show(*sandbox, revision);
    sandbox->life = next(sandbox->life);
    if (sandbox->life == Life::deleting && ++sandbox->looks > 2) sandbox->exists = false;
    return served;
  }
  Served operator()(const DeleteCall& remove) const {
    Sandbox* sandbox = world.find(remove.id.view());
    if (!sandbox) return not_found();
    sandbox->life = Life::deleting;
    return accepted();
  }
  Served operator()(const StopCall& stop) const {
    Sandbox* sandbox = world.find(stop.id.view());
    if (!sandbox) return not_found();
    if (sandbox->life != Life::running && !is_starting(sandbox->life)) return conflict();
    sandbox->life = Life::stopping;
    return accepted();
  }
  Served operator()(const ResumeCall& resume) const {
    Sandbox* sandbox = world.find(resume.id.view());
    if (!sandbox) return not_found();
    if (!is_resting(sandbox->life)) return conflict();
    sandbox->life = Life::resuming;
    return accepted();
  }
  Served operator()(const ExecCall& exec) const {
    if (!runs(exec.id.view())) return conflict();
    const std::vector<Report> all = reports(call);
    const Report& report = all[choice % all.size()];
    world.outputs_.push_back(report.output);
    return {.answer = report.result,
            .saw = {.finish = report.finish, .output = &world.outputs_.back()}};
  }
  Served operator()(const ReadFileCall& read) const {
    if (!runs(read.id.view())) return conflict();
    world.outputs_.push_back({.out = k_marker, .err = {}, .preamble = {}, .exit_code = {}});
    return {.answer = FileContent{k_marker}, .saw = {.output = &world.outputs_.back()}};
  }
  Served operator()(const WriteFileCall& write) const {
    return runs(write.id.view()) ? accepted() : conflict();
  }
  Served operator()(const MkdirCall& mkdir) const {
    return runs(mkdir.id.view()) ? accepted() : conflict();
  }

  [[nodiscard]] bool runs(std::string_view id) const {
    const Sandbox* sandbox = world.find(id);
    return sandbox && sandbox->life == Life::running;
  }
};

Served World::serve(const Request& request, std::size_t revision, const CallId& call,
                    Trouble trouble, std::size_t choice) {
  if (trouble == Trouble::refused) {
    return failure(Got::refused, true, TransportError::access_denied(k_marker));
  }
  if (trouble == Trouble::lost_before) {
    return failure(Got::incomplete, false, TransportError::http_status(503, k_marker));
  }
  Served served = std::visit(Act{*this, revision, call, choice}, request);
  const bool is_get = std::holds_alternative<GetCall>(request);
  auto* record = served.answer ? std::get_if<SandboxRecord>(&*served.answer) : nullptr;
  switch (trouble) {
    case Trouble::lost_after:
      return failure(Got::incomplete, false, TransportError::unavailable(k_marker));
    case Trouble::timed_out:
      return failure(Got::timed_out, false, TransportError::timed_out(k_marker));
    case Trouble::garbled:
      return undecodable(
          std::unexpected(CallError(Unreadable{Reason::missing_field, "/" + k_marker})));
    case Trouble::wrong_kind:
      if (std::holds_alternative<ReadFileCall>(request)) return undecodable(Accepted{});
      return undecodable(FileContent{k_marker});
    case Trouble::other_id:
      if (is_get && record) {
        record->id = k_marker;
        served.saw.whose = Whose::other;
      }
      return served;
    case Trouble::unknown_state:
      if (record) {
        record->state = k_marker;
        served.saw.life = Life::unknown;
      }
      return served;
    default:
      return served;
  }
}

}  // namespace sandproof::props
