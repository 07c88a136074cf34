// One operation under the monitor, step by step: what the exhaustive and the stateful properties
// share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answerer.h"
#include "invariants.h"
#include "subject.h"

namespace sandproof::props {

// Bench is one provider with a random source and a sink that the test holds.
class Bench {
 public:
  explicit Bench(const Setting& setting);

  [[nodiscard]] const Setting& setting() const { return *setting_; }
  [[nodiscard]] const AzureSandbox& provider() const { return provider_; }

  // draw is what the random source gives from now on.
  void draw(const Draw& draw) { shared_->draw = draw; }

  // warned takes out what went to the sink.
  [[nodiscard]] std::vector<Shown> warned();

 private:
  struct Shared {
    Draw draw{};
    std::vector<Error> warnings;
  };

  const Setting* setting_;
  std::shared_ptr<Shared> shared_;
  AzureSandbox provider_;
};

// Watched is an operation, with everything that the checks saw of it.
class Watched {
 public:
  // `scene`, `expected` and `draw` belong together; the first two must outlive this.
  Watched(Bench& bench, const Scene& scene, const Expected& expected, Names names, const Draw& draw,
          Instant start);

  // asked is the request to answer; nothing once the operation has ended.
  [[nodiscard]] const std::optional<Asked>& asked() const { return asked_; }

  // request is the same in the library's words.
  [[nodiscard]] const Request& request() { return *subject_->operation().request(); }

  // sent says when the request leaves; without it, it leaves as soon as it is shown.
  void sent(Instant time);

  // answer resumes the operation. `minted` is the id that a create made.
  void answer(Answer answer, const Saw& saw, Instant came, std::string_view minted = {});

  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

  // ending is there once the operation has ended.
  [[nodiscard]] const std::optional<Ending>& ending() const { return ending_; }

  // is_sound: no invariant was breached so far.
  [[nodiscard]] bool is_sound() const { return monitor_.violations().empty(); }

  // complaint says what is wrong so far: a breach of an invariant, or, at the end, a difference
  // from the model. Empty where nothing is.
  [[nodiscard]] std::string complaint() const;

 private:
  void look();

  Bench* bench_;
  const Scene* scene_;
  const Expected* expected_;
  Names names_;
  Draw draw_;
  Instant now_;
  Instant sent_;
  std::unique_ptr<Subject> subject_;
  Monitor monitor_;
  std::optional<Asked> asked_;
  std::vector<Event> events_;
  std::vector<Shown> warned_;
  std::optional<Ending> ending_;
};

}  // namespace sandproof::props
