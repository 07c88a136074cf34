// Operations of two revisions, interleaved step by step over one small service with troubles and a
// life of its own; beyond the depth that is walked exhaustively. The same monitor and model judge
// each operation, and at the end the service is asked what was left behind.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <algorithm>

#include "drive.h"
#include "model.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"
#include "world.h"

namespace sandproof::props {
namespace {

// Model of RapidCheck's kind: commands are total, so nothing needs to be known to choose one.
struct Nothing {};

// draw_of gives every operation random bytes of its own, which spell no HTTP status.
Draw draw_of(std::size_t number) {
  Draw draw;
  draw.fill(0xab);
  for (std::size_t at = 0; at < draw.size(); ++at) {
    if ((number >> at) % 2 == 1) draw[at] = 0xcd;
  }
  return draw;
}

// Live is an operation under way.
struct Live {
  std::size_t revision;
  CallId call;
  std::unique_ptr<Expected> expected;
  std::unique_ptr<Watched> watched;
};

class Service {
 public:
  void start(std::size_t revision, std::size_t scene, std::size_t sandbox) {
    const Scene& called = scenes()[scene % scenes().size()];
    const Draw draw = draw_of(started_++);
    Names names{.asked = world_.sandboxes()[sandbox % world_.sandboxes().size()].id,
                .minted = "",
                .other = ""};
    auto expected = std::make_unique<Expected>(props::revision(revision), called, draw);
    auto watched = std::make_unique<Watched>(benches_[revision], called, *expected,
                                             std::move(names), draw, now_);
    live_.push_back({revision, CallId::from_random(draw), std::move(expected), std::move(watched)});
    settle();
  }

  void step(std::size_t which, Trouble trouble, std::size_t choice, milliseconds took) {
    if (live_.empty()) return;
    Live& live = live_[which % live_.size()];
    const Asked asked = *live.watched->asked();
    if (asked.what == Ask::wait || trouble == Trouble::timed_out) took += asked.bound;
    Served served =
        world_.serve(live.watched->request(), live.revision, live.call, trouble, choice);
    // Its request left now, however long the operation lay waiting for its turn.
    live.watched->sent(now_);
    now_ += took;
    live.watched->answer(std::move(served.answer), served.saw, now_, served.minted);
    settle();
  }

  void abandon(std::size_t which) {
    if (live_.empty()) return;
    const auto at = static_cast<std::ptrdiff_t>(which % live_.size());
    abandoned_.push_back(live_[which % live_.size()].call);
    live_.erase(live_.begin() + at);
  }

  void change(std::size_t sandbox, Life life, Regime regime, bool exists) {
    World::Sandbox& changed = world_.sandboxes()[sandbox % world_.sandboxes().size()];
    changed.life = life;
    changed.regime = regime;
    changed.exists = changed.exists && exists;
  }

  // finish answers everything that is open, honestly, until nothing is.
  void finish() {
    while (!live_.empty() && complaint_.empty()) step(0, Trouble::none, 0, milliseconds{500});
  }

  // leftover is a sandbox that a create made and nobody knows of; empty where there is none.
  std::string leftover() {
    for (std::size_t at = World::k_first; at < world_.sandboxes().size(); ++at) {
      const World::Sandbox& made = world_.sandboxes()[at];
      if (!made.exists || made.life == Life::deleting) continue;
      const bool is_abandoned = std::ranges::any_of(
          abandoned_, [&](const CallId& call) { return call.view() == made.attempt; });
      const bool is_known = std::ranges::any_of(known_, [&](const std::string& text) {
        return text.find(made.id) != std::string::npos ||
               text.find(made.attempt) != std::string::npos;
      });
      if (!is_abandoned && !is_known) return made.id;
    }
    return {};
  }

  [[nodiscard]] const std::string& complaint() const { return complaint_; }

 private:
  // settle takes out what has ended.
  void settle() {
    for (Live& live : live_) {
      if (complaint_.empty()) complaint_ = live.watched->complaint();
      if (!complaint_.empty()) return;
      if (!live.watched->ending()) continue;
      const Ending& ending = *live.watched->ending();
      if (ending.session == Whom::minted) known_.push_back(live.watched->names().minted);
      for (const Shown& shown : ending.shown) known_.push_back(shown.external + shown.text);
    }
    std::erase_if(live_, [](const Live& live) { return live.watched->ending().has_value(); });
  }

  World world_;
  std::array<Bench, 2> benches_{Bench(props::revision(0)), Bench(props::revision(1))};
  std::vector<Live> live_;
  std::vector<CallId> abandoned_;
  std::vector<std::string> known_;  // ids returned, and errors
  std::size_t started_ = 0;
  Instant now_{milliseconds{5'000}};
  std::string complaint_;
};

using Command = rc::state::Command<Nothing, Service>;

template <class T>
T drawn(T below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(0, below));
}

std::size_t drawn_index(std::size_t below) { return drawn<std::size_t>(below); }

// drawn_scene prefers the verbs that have many steps.
std::size_t drawn_scene() {
  constexpr std::array<std::string_view, 4> often = {"get_or_create", "resume", "run_command",
                                                     "create"};
  const std::size_t scene = drawn_index(scenes().size());
  if (drawn_index(2) == 0) return scene;
  const auto preferred = std::ranges::find(scenes(), often[scene % often.size()], &Scene::name);
  return static_cast<std::size_t>(preferred - scenes().begin());
}

struct Start : Command {
  std::size_t revision = drawn_index(2);
  std::size_t scene = drawn_scene();
  std::size_t sandbox = drawn_index(6);

  void run(const Nothing&, Service& service) const override {
    service.start(revision, scene, sandbox);
    if (!service.complaint().empty()) RC_FAIL(service.complaint());
  }
  void show(std::ostream& out) const override {
    out << "start " << scenes()[scene].name << ", revision " << revision << ", sandbox " << sandbox;
  }
};

// Go is an undisturbed stretch.
struct Go : Command {
  std::size_t which = drawn_index(4);
  std::size_t steps = drawn_index(9) + 1;

  void run(const Nothing&, Service& service) const override {
    for (std::size_t step = 0; step < steps; ++step) {
      service.step(which, Trouble::none, step, milliseconds{100});
      if (!service.complaint().empty()) RC_FAIL(service.complaint());
    }
  }
  void show(std::ostream& out) const override { out << "go " << which << ", " << steps; }
};

// Stumble is one step, and what goes wrong in it.
struct Stumble : Command {
  std::size_t which = drawn_index(4);
  // Half of all steps are no trouble.
  std::size_t trouble = drawn_index(2) * drawn_index(k_trouble_count);
  std::size_t choice = drawn_index(64);
  std::int64_t took = *rc::gen::element<std::int64_t>(0, 1, 2'000, 9'899, 9'900, 30'000, 150'000);

  void run(const Nothing&, Service& service) const override {
    service.step(which, static_cast<Trouble>(trouble), choice, milliseconds{took});
    if (!service.complaint().empty()) RC_FAIL(service.complaint());
  }
  void show(std::ostream& out) const override {
    out << "step " << which << ", trouble " << trouble << ", choice " << choice << ", " << took
        << " ms";
  }
};

// Change is something that others do to a sandbox.
struct Change : Command {
  std::size_t sandbox = drawn_index(6);
  // Most are running or asleep.
  std::size_t life = drawn_index(2) * drawn_index(2) * drawn_index(k_life_count);
  std::size_t regime = drawn_index(2) * drawn_index(k_regime_count);
  bool exists = drawn_index(24) != 23;

  void run(const Nothing&, Service& service) const override {
    service.change(sandbox, static_cast<Life>(life), static_cast<Regime>(regime), exists);
  }
  void show(std::ostream& out) const override {
    out << "sandbox " << sandbox << " becomes " << name(static_cast<Life>(life)) << ", regime "
        << regime << (exists ? "" : ", and is gone");
  }
};

struct Abandon : Command {
  std::size_t which = drawn_index(4);

  void run(const Nothing&, Service& service) const override { service.abandon(which); }
  void show(std::ostream& out) const override { out << "abandon " << which; }
};

RC_GTEST_PROP(Stateful, InterleavedOperationsKeepTheInvariants, ()) {
  Service service;
  const auto commands = *rc::gen::scale(
      8.0, rc::state::gen::commands(
               Nothing{}, rc::state::gen::execOneOfWithArgs<Start, Start, Go, Stumble, Stumble,
                                                            Stumble, Change, Abandon>()));
  rc::state::runAll(commands, Nothing{}, service);
  service.finish();
  if (!service.complaint().empty()) RC_FAIL(service.complaint());
  const std::string leftover = service.leftover();
  if (!leftover.empty()) RC_FAIL("nobody knows of " + leftover);
}

TEST(Stateful, TheRegimesAreAsTheComparisonSays) {
  for (const std::size_t index : {0U, 1U}) {
    const AzureConfig config = configured(revision(index));
    for (std::size_t at = 0; at < k_regime_count; ++at) {
      const auto regime = static_cast<Regime>(at);
      const SandboxRecord record = make_record("box", Life::running, regime);
      const Verdict verdict = compare(config.egress, normal_form(record)).verdict();
      EXPECT_EQ(holds(index, regime), accepts(config.acceptance, verdict)) << index << ", " << at;
    }
  }
}

}  // namespace
}  // namespace sandproof::props
