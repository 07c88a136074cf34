// Every answer sequence to a bounded depth, for every verb and several configurations; each closed
// behind that depth by constant answers until the operation ends. After every step the monitor
// judges the nine invariants, and at the end the model judges the whole.
//
// SANDPROOF_DEPTH sets the depth; the default takes some seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "drive.h"
#include "model.h"
#include "sandproof/wire.h"

namespace sandproof::props {
namespace {

constexpr Draw k_draw = {0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab,
                         0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab};
constexpr Instant k_start{milliseconds{1'000'000}};

const Names k_names{.asked = "box_One-a", .minted = "", .other = std::string(k_markers[0])};
const std::string k_minted = "new-Box_two";

// Choices walks a tree of choices, of which each run finds out the next branching: run after run,
// the last choice that has another alternative takes it.
class Choices {
 public:
  std::size_t choose(std::size_t alternatives) {
    if (at_ == path_.size()) path_.push_back({0, alternatives});
    return path_[at_++].taken;
  }

  // next prepares the next run; false when there is none.
  bool next() {
    at_ = 0;
    while (!path_.empty() && path_.back().taken + 1 == path_.back().alternatives) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

 private:
  struct Choice {
    std::size_t taken;
    std::size_t alternatives;
  };
  std::vector<Choice> path_;
  std::size_t at_ = 0;
};

// Names of letters. A beginning is a fixed start of a sequence, pauses left out: it brings a verb
// to where much can go wrong, and the walk starts there.
using Beginning = std::vector<std::string_view>;

constexpr std::string_view k_made = "made \"new-Box_two\", Creating, policy absent";
constexpr std::string_view k_runs = "Running, policy right";
constexpr std::string_view k_wrong = "Running, policy wider";
constexpr std::string_view k_rests = "Stopped, policy absent";
constexpr std::string_view k_accepted = "accepted";
constexpr std::string_view k_missing = "not found";
constexpr std::string_view k_lost = "unavailable";
constexpr std::string_view k_overran = "timed out, whole bound";
constexpr std::string_view k_failed = "Failed, policy absent";

std::vector<Beginning> beginnings(const Call& call) {
  const auto polled = [](Beginning beginning) {
    for (int poll = 1; poll < k_terminate_polls; ++poll) beginning.push_back(k_runs);
    return beginning;
  };
  if (call.refused) return {{}};
  switch (call.verb) {
    case Verb::create:
      return {{}, {k_made, k_rests, k_accepted}, {k_made, k_rests, k_lost}};
    case Verb::get_or_create:
      if (!call.names_session) return {{}};
      return {{},
              {k_missing},
              {k_failed, k_accepted, k_made},
              {k_rests, k_rests, k_accepted},
              {k_rests, k_rests, k_lost, k_wrong},
              {k_rests, k_rests, k_accepted, k_wrong, k_accepted, k_made}};
    case Verb::resume:
      return {{}, {k_rests, k_rests, k_accepted}, {k_rests, k_rests, k_lost}};
    case Verb::run_command:
      return {{}, {k_runs, k_overran}, polled({k_runs, k_overran, k_accepted})};
    case Verb::terminate:
      return {{}, polled({k_accepted})};
    default:
      return {{}};
  }
}

// Depth says which sequences are walked: `depth` answers, pauses not counted; all letters for the
// first `full` of them, then one rare letter at most; and behind each of the first `slow` the slow
// tails.
struct Depth {
  int depth;
  int full;
  int slow = 2;
};

// answer_to is a letter's answer; a record that is the right one gets the id that was asked for.
Answer answer_to(const Asked& asked, const Letter& letter, const Names& names) {
  Answer answer = letter.answer;
  if (asked.what == Ask::get && is_record_of(letter.saw, Whose::right)) {
    std::get<SandboxRecord>(*answer).id = asked.whom == Whom::minted ? names.minted : names.asked;
  }
  return answer;
}

// Walk is one scene under one setting.
class Walk {
 public:
  Walk(const Setting& setting, const Scene& scene, Beginning beginning, Depth depth)
      : bench_(setting),
        scene_(scene),
        expected_(setting, scene, k_draw),
        beginning_(std::move(beginning)),
        depth_(depth) {
    Names names = k_names;
    names.minted = k_minted;
    const CallId call = CallId::from_random(k_draw);
    alphabet_ = alphabet(setting, names, call, k_deadline);
    tails_ = tails(setting, names, call);
    for (const Tail& tail : tails_) quick_ += tail.slow ? 0U : 1U;
    for (std::size_t ask = 0; ask < k_ask_count; ++ask) {
      for (const Letter& letter : alphabet_[ask]) abridged_[ask] += letter.rare ? 0U : 1U;
    }
  }

  // all walks every sequence and gives their number.
  std::size_t all() {
    Choices choices;
    std::size_t sequences = 0;
    do {
      ++sequences;
      if (!one(choices)) return sequences;
    } while (choices.next());
    return sequences;
  }

 private:
  bool one(Choices& choices) {
    Watched watched(bench_, scene_, expected_, k_names, k_draw, k_start);
    taken_.clear();
    const Tail* tail = nullptr;
    std::size_t begun = 0;
    int position = 0;
    int rare = 0;
    Instant now = k_start;
    while (watched.asked()) {
      const Asked asked = *watched.asked();
      const std::size_t ask = index(asked.what);
      const Letter* letter = nullptr;
      if (begun < beginning_.size()) {
        letter = asked.what == Ask::wait ? alphabet_[ask].data() : &named(ask, beginning_[begun++]);
      } else if (!tail) {
        const bool is_deep = position >= depth_.depth;
        const bool is_wide = position < depth_.full || rare == 0;
        const bool is_slow = position > 0 && position <= depth_.slow;
        const std::size_t letters = is_deep ? 0 : is_wide ? alphabet_[ask].size() : abridged_[ask];
        const std::size_t closings = is_deep ? quick_ : is_slow ? tails_.size() - quick_ : 0;
        const std::size_t taken = choices.choose(letters + closings);
        if (taken < letters) {
          letter = &alphabet_[ask][taken];
          if (letter->rare && position >= depth_.full) ++rare;
          if (asked.what != Ask::wait) ++position;
        } else {
          tail = &tails_[taken - letters + (is_deep ? 0 : quick_)];
        }
      }
      if (tail) letter = &tail->letters[ask];
      now = give(watched, asked, *letter, now);
      if (!watched.is_sound()) break;
    }
    return watched.complaint().empty() || complain(watched, tail);
  }

  const Letter& named(std::size_t ask, std::string_view name) const {
    const auto letter = std::ranges::find(alphabet_[ask], name, &Letter::name);
    if (letter == alphabet_[ask].end()) throw std::logic_error("no letter " + std::string(name));
    return *letter;
  }

  Instant give(Watched& watched, const Asked& asked, const Letter& letter, Instant now) {
    taken_.push_back(&letter);
    const Instant sent = now + letter.pace.held;
    if (sent != now) watched.sent(sent);
    const Instant came = sent + letter.pace.base + letter.pace.bounds * asked.bound;
    watched.answer(answer_to(asked, letter, watched.names()), letter.saw, came, letter.minted);
    return came;
  }

  bool complain(const Watched& watched, const Tail* tail) {
    std::string text =
        scene_.name + " under " + bench_.setting().name + ": " + watched.complaint() + "\n";
    for (std::size_t step = 0; step < taken_.size(); ++step) {
      const Event& event = watched.events()[step];
      text += "  " + std::to_string((event.sent - k_start).count()) + " ms: " + shown(event.asked) +
              " -> " + taken_[step]->name + "\n";
    }
    if (watched.asked()) text += "  then: " + shown(*watched.asked()) + "\n";
    if (tail) text += "  the tail: " + tail->name + "\n";
    ADD_FAILURE() << text;
    return ++complaints_ < 3;
  }

  Bench bench_;
  const Scene& scene_;
  Expected expected_;
  Beginning beginning_;
  Depth depth_;
  Alphabet alphabet_;
  std::array<std::size_t, k_ask_count> abridged_{};
  std::vector<Tail> tails_;  // the slow ones last
  std::size_t quick_ = 0;
  std::vector<const Letter*> taken_;
  int complaints_ = 0;
};

// Two settings are walked further than the others.
bool is_main(const Setting& setting) {
  return setting.name == "deny" || setting.name == "contained";
}

// short_depth: the verbs with few steps are walked to their end.
int short_depth(const Call& call, const Beginning& beginning) {
  switch (call.verb) {
    case Verb::create:
    case Verb::get_or_create:
    case Verb::resume:
    case Verb::terminate:
      return 2;
    default:
      return beginning.empty() ? 3 : 2;
  }
}

class Exhaustive : public testing::TestWithParam<Scene> {};

TEST_P(Exhaustive, NoSequenceBreaksAnInvariant) {
  const Scene& scene = GetParam();
  const char* depth = std::getenv("SANDPROOF_DEPTH");
  std::size_t sequences = 0;
  for (const Setting& setting : settings()) {
    for (const Beginning& beginning : beginnings(scene.call)) {
      if (!depth && !is_main(setting) && !beginning.empty()) continue;
      const Depth limits{.depth = depth ? std::atoi(depth) : short_depth(scene.call, beginning),
                         .full = is_main(setting) && beginning.empty() ? 1 : 0};
      sequences += Walk(setting, scene, beginning, limits).all();
      if (HasFailure()) return;
    }
  }
  RecordProperty("sequences of a service's answers", std::to_string(sequences));
  std::cout << scene.name << ": " << sequences << " sequences" << std::endl;
}

// A driver's clock may not go back, but one that stands still must not hold an operation for ever.
TEST_P(Exhaustive, EndsThoughTheClockStandsStill) {
  const Scene& scene = GetParam();
  const Setting& setting = settings().front();
  const Expected expected(setting, scene, k_draw);
  Names names = k_names;
  names.minted = k_minted;
  for (const Tail& tail : tails(setting, names, expected.id)) {
    Bench bench(setting);
    Watched watched(bench, scene, expected, k_names, k_draw, k_start);
    int requests = 0;
    for (; watched.asked() && requests < 400; ++requests) {
      const Asked asked = *watched.asked();
      const Letter& letter = tail.letters[index(asked.what)];
      watched.answer(answer_to(asked, letter, watched.names()), letter.saw, k_start, letter.minted);
    }
    EXPECT_LT(requests, 400) << tail.name;
  }
}

std::string scene_name(const testing::TestParamInfo<Scene>& info) {
  std::string name;
  for (const char c : info.param.name) {
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Verbs, Exhaustive, testing::ValuesIn(scenes()), scene_name);
INSTANTIATE_TEST_SUITE_P(Refusals, Exhaustive, testing::ValuesIn(refusals()), scene_name);

}  // namespace
}  // namespace sandproof::props
