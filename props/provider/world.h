// A small service for the stateful properties: one group of sandboxes that two revisions of a
// deployment share, with a life of its own, and troubles on request.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "answerer.h"
#include "subject.h"
#include "trace.h"

namespace sandproof::props {

// Regime is whose policy a sandbox runs: a revision's own, or one that fits none.
enum class Regime : std::uint8_t { first, second, wider, unreadable, absent };
inline constexpr std::size_t k_regime_count = static_cast<std::size_t>(Regime::absent) + 1;

// The two revisions: the first declares deny; the second two domains, and takes fewer.
[[nodiscard]] const Setting& revision(std::size_t index);

// holds says what a revision must think of a regime, stated by hand.
[[nodiscard]] bool holds(std::size_t revision, Regime regime);

[[nodiscard]] SandboxRecord make_record(std::string_view id, Life life, Regime regime);

// Trouble is what becomes of one call.
enum class Trouble : std::uint8_t {
  none,
  refused,
  lost_before,    // nothing was done
  lost_after,     // it was done, and nobody heard of it
  timed_out,      // the same, at the end of its bound
  garbled,        // done, and answered by what cannot be read
  wrong_kind,     // done, and answered by something else
  other_id,       // a record of another session
  unknown_state,  // a record in a state that nobody knows
};
inline constexpr std::size_t k_trouble_count = static_cast<std::size_t>(Trouble::unknown_state) + 1;

// Served is an answer, what it means, and the id that was made.
struct Served {
  Answer answer;
  Saw saw;
  std::string minted = {};
};

class World {
 public:
  struct Sandbox {
    std::string id;
    Life life;
    Regime regime;
    std::string attempt = {};  // the label that it was created with
    bool exists = true;
    int looks = 0;  // reads since it began to go
  };

  World();

  // serve answers a request of one revision. `choice` picks the report of a command.
  Served serve(const Request& request, std::size_t revision, const CallId& call, Trouble trouble,
               std::size_t choice);

  [[nodiscard]] std::vector<Sandbox>& sandboxes() { return sandboxes_; }

  // was_made counts the sandboxes that no create of a test made.
  static constexpr std::size_t k_first = 3;

 private:
  struct Act;

  Sandbox* find(std::string_view id);
  Served show(const Sandbox& sandbox, std::size_t revision) const;

  std::vector<Sandbox> sandboxes_;
  std::deque<Output> outputs_;  // what answers name stays
};

}  // namespace sandproof::props
