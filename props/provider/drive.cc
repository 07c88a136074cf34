#include "drive.h"

#include <iterator>
#include <stdexcept>
#include <utility>

#include "model.h"

namespace sandproof::props {
namespace {

template <class Shared>
AzureConfig wired(const Setting& setting, const std::shared_ptr<Shared>& shared) {
  AzureConfig config = configured(setting);
  config.random = [shared](std::span<std::uint8_t, 16> bytes) {
    std::ranges::copy(shared->draw, bytes.begin());
  };
  const bool throws = setting.sink_throws;
  config.warn = [shared, throws](const Error& error) {
    shared->warnings.push_back(error);
    if (throws) throw std::runtime_error("the sink is full");
  };
  return config;
}

}  // namespace

Bench::Bench(const Setting& setting)
    : setting_(&setting), shared_(std::make_shared<Shared>()), provider_(wired(setting, shared_)) {}

std::vector<Shown> Bench::warned() {
  std::vector<Shown> shown;
  for (const Error& error : std::exchange(shared_->warnings, {})) shown.push_back(shown_of(error));
  return shown;
}

Watched::Watched(Bench& bench, const Scene& scene, const Expected& expected, Names names,
                 const Draw& draw, Instant start)
    : bench_(&bench),
      scene_(&scene),
      expected_(&expected),
      names_(std::move(names)),
      draw_(draw),
      now_(start),
      sent_(start),
      monitor_(scene.call, start) {
  bench.draw(draw);
  subject_ = scene.start(bench.provider(), names_.asked);
  look();
}

void Watched::sent(Instant time) {
  sent_ = time;
  subject_->operation().sent(time);
}

void Watched::answer(Answer answer, const Saw& saw, Instant came, std::string_view minted) {
  if (!minted.empty()) names_.minted = minted;
  const Asked asked = *asked_;
  monitor_.answered(asked, saw, sent_, came);
  events_.push_back({asked, saw, sent_, came});
  now_ = came;
  sent_ = came;
  bench_->draw(draw_);
  subject_->operation().resume(std::move(answer), came);
  look();
}

void Watched::look() {
  std::ranges::move(bench_->warned(), std::back_inserter(warned_));
  if (const Request* request = subject_->operation().request()) {
    asked_ = read_request(*request, *expected_, names_);
    monitor_.asked(*asked_, now_);
    return;
  }
  asked_.reset();
  subject_->operation().resume(Accepted{}, now_);  // once it has ended, this does nothing
  ending_ = subject_->ending(scene_->call, names_, expected_->id.view());
  ending_->warnings = warned_.size();
  std::ranges::move(warned_, std::back_inserter(ending_->shown));
  monitor_.ended(*ending_, now_);
}

std::string Watched::complaint() const {
  for (const Violation& violation : monitor_.violations()) {
    return "invariant " + std::to_string(violation.invariant) + ": " + std::string(violation.why);
  }
  if (!ending_) return {};
  const std::string differs = difference(scene_->call, events_, *ending_);
  return differs.empty() ? differs : "model: " + differs + "\n  ended with " + shown(*ending_);
}

}  // namespace sandproof::props
