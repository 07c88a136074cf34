// The nine invariants of the provider, as a monitor: it is shown each request and each answer of
// one operation as it goes, and the end, and keeps every breach. It knows the rules of no verb;
// model.h does.
//
//   1  no command and no file content goes to a session whose latest record, read in the same call,
//      did not satisfy the declaration
//   2  every sandbox that this call created is returned, deleted or named; never two creates
//   3  only what this call woke is stopped; only what it created, found failed while asked to
//      replace it, or could not end a command in, is deleted (suspend and terminate apart)
//   4  a session is never woken on a record that is judgeable and wrong
//   5  nothing that failed its parse is in a request
//   6  terminate says gone only after a not-found
//   7  every operation ends within its bound
//   8  no error marked retryable can repeat an effect
//   9  external() holds no byte that came from the service but a parsed session id
//
// A breach numbered 0 is a request that the verb has no business with.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace.h"

namespace sandproof::props {

inline constexpr int k_invariant_count = 9;

// k_markers stand in every text that the answers carry, and in nothing that the caller gives: one
// of them in external() came from the service. The lower-case one is for the name of a tool; the
// numbers are the HTTP statuses that the answers use.
inline constexpr std::array<std::string_view, 2> k_markers = {"zZMARKERz", "zqmarkerqz"};
inline constexpr std::array<std::string_view, 7> k_statuses = {"403", "404", "408", "409",
                                                               "418", "429", "503"};

// Violation is one breach. `why` says what was seen.
struct Violation {
  int invariant;
  std::string_view why;
};

class Monitor {
 public:
  Monitor(const Call& call, Instant start);

  void asked(const Asked& asked, Instant now);
  void answered(const Asked& asked, const Saw& saw, Instant sent, Instant came);
  void ended(const Ending& ending, Instant now);

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }

  // watch shows a whole trace to a new monitor.
  [[nodiscard]] static std::vector<Violation> watch(const Call& call, std::span<const Event> events,
                                                    const Ending& ending);

 private:
  // Known is what this call learned of one session, and did to it.
  struct Known {
    std::optional<Saw> latest;  // the answer to the latest read
    bool woken = false;         // or may have been
    bool overran = false;       // a command in it could not be ended
    int deletes = 0;
    bool deleted = false;    // accepted, or not found
    bool seen_gone = false;  // a read after the delete found nothing
  };

  // Created is what became of the create of this call.
  enum class Created : std::uint8_t { nothing, perhaps, unnamable, named };

  void breach(int invariant, std::string_view why) { violations_.push_back({invariant, why}); }
  void require(bool holds, int invariant, std::string_view why) {
    if (!holds) breach(invariant, why);
  }

  // ends_session: the verb looks until a session that it deleted is gone.
  [[nodiscard]] bool ends_session() const {
    return call_.verb == Verb::terminate || call_.verb == Verb::run_command;
  }
  Known& known(Whom whom) { return whom == Whom::minted ? minted_ : asked_; }
  void asked_to_send(const Known& known, const Asked& asked);
  void asked_to_delete(const Known& known, const Asked& asked);
  void asked_to_wait(const Asked& asked, Instant now);
  void created(const Saw& saw, Instant came);
  void check_bound(const Asked& asked);
  void check_created(const Ending& ending);
  void check_time(Instant now);

  Call call_;
  Instant start_;
  Known asked_;
  Known minted_;
  Created created_ = Created::nothing;
  std::array<int, k_ask_count> count_{};
  int polls_ = 0;
  std::optional<Ask> before_;
  std::optional<Instant> ready_from_;
  Instant shown_;         // when the request was
  milliseconds held_{0};  // how long the driver held requests back
  bool honest_ = true;    // every answer came within its bound, every wait was exact
  std::vector<Violation> violations_;
};

}  // namespace sandproof::props
