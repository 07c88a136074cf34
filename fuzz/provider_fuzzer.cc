// The provider: an input is a script of what a service answers. After every step the monitor judges
// the nine invariants, and at the end the model judges every request and the result.
//
// The first three bytes pick the call, the configuration, and what answers when the script has
// ended. Then each line is an answer. Its first byte says how long it takes; the rest is
//
//   *N      the letter N of the answerer's alphabet for the request that waits
//   other   JSON, as the service sends it: read as the body of what was asked for
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz_check.h"
#include "provider/drive.h"
#include "provider_wire.h"
#include "split.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;
using namespace sandproof::props;

constexpr Instant k_start{milliseconds{1'000'000}};
constexpr Draw k_draw = {0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab,
                         0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab};

// The ids of the letters; until a create is answered, nothing has been minted.
Names names() { return {"box_One-a", "new-Box_two", std::string(k_markers[0])}; }
Names names_at_first() { return {names().asked, {}, names().other}; }

// How long an answer takes, by its first byte.
constexpr std::array<Pace, 8> k_paces{
    k_at_once,
    k_whole_bound,
    k_overdue,
    Pace{.base = k_deadline},
    Pace{.base = k_deadline * 99 / 100},
    Pace{.base = k_deadline * 99 / 100 - milliseconds{1}},
    Pace{.held = k_deadline},
    Pace{.held = milliseconds{1}, .base = milliseconds{1} * (std::int64_t{1} << 40)},
};

// Stage is everything that does not depend on the script; made once for each configuration.
struct Stage {
  explicit Stage(const Setting& setting)
      : bench(setting),
        letters(alphabet(setting, names(), CallId::from_random(k_draw), k_deadline)),
        ends(tails(setting, names(), CallId::from_random(k_draw))) {
    for (const Scene& scene : scenes()) expected.emplace_back(setting, scene, k_draw);
  }

  Bench bench;
  Alphabet letters;
  std::vector<Tail> ends;
  std::vector<Expected> expected;  // one a scene
};

Stage& stage_of(const Setting& setting) {
  static std::map<std::string, std::unique_ptr<Stage>> all;
  std::unique_ptr<Stage>& stage = all[setting.name];
  if (!stage) stage = std::make_unique<Stage>(setting);
  return *stage;
}

std::size_t last_of(std::string_view line) {
  return line.empty() ? 0 : static_cast<unsigned char>(line.back());
}

// due is the id of the session that a request asks for.
const std::string& due(const Watched& watched) {
  const Names& known = watched.names();
  return watched.asked()->whom == Whom::minted ? known.minted : known.asked;
}

// A letter about the right session is about the one that is asked for.
Spoken letter_of(const Letter& letter, const Watched& watched) {
  Spoken spoken{letter.answer, letter.saw, letter.minted};
  if (watched.asked()->what == Ask::get && is_record_of(letter.saw, Whose::right)) {
    std::get<SandboxRecord>(*spoken.answer).id = due(watched);
  }
  return spoken;
}

// A text means something only to who waits for it. Where any body will do, JSON is one.
Spoken speak(std::string_view text, Watched& watched, const Stage& stage) {
  const Setting& setting = stage.bench.setting();
  const Asked& asked = *watched.asked();
  switch (asked.what) {
    case Ask::create:
      return speak_record(text, setting, {});
    case Ask::get:
      return speak_record(text, setting, due(watched));
    case Ask::exec:
      return speak_result(text, CallId::from_random(k_draw).view());
    case Ask::read: {
      Spoken spoken{Answer(FileContent{std::string(text)}), {}};
      spoken.output = std::make_unique<Output>();
      spoken.output->out = text;
      spoken.saw.output = spoken.output.get();
      return spoken;
    }
    default:
      break;
  }
  const auto read = canonical_json(text);
  return read ? Spoken{Answer(Accepted{}), {}} : undecodable(read.error());
}

// The monitor takes some texts for the service's wherever they stand, so no id may hold one.
bool would_mislead(std::string_view minted) {
  const auto held = [minted](std::string_view each) { return minted.find(each) != minted.npos; };
  return minted == names().asked || std::ranges::any_of(k_markers, held) ||
         std::ranges::any_of(k_statuses, held);
}

void run(std::string_view script) {
  const std::size_t scene = take_byte(script);
  const Setting& setting = pick(settings(), take_byte(script));
  Stage& stage = stage_of(setting);
  const Tail& end = pick(stage.ends, take_byte(script));

  Watched watched(stage.bench, pick(scenes(), scene), pick(stage.expected, scene), names_at_first(),
                  k_draw, k_start);
  std::vector<std::unique_ptr<Output>> outputs;  // what the meanings refer to
  Instant now = k_start;
  while (watched.asked()) {
    const Ask what = watched.asked()->what;
    Pace pace = end.letters[index(what)].pace;
    Spoken spoken = letter_of(end.letters[index(what)], watched);
    if (!script.empty()) {
      std::string_view line = take_line(script);
      pace = pick(k_paces, take_byte(line));
      // A tolerance is nothing that the reference knows; there, only letters are understood.
      const bool is_letter = line.starts_with('*') || setting.tolerates;
      spoken = is_letter ? letter_of(pick(stage.letters[index(what)], last_of(line)), watched)
                         : speak(line, watched, stage);
    }
    if (what == Ask::create && spoken.saw.whose == Whose::right && would_mislead(spoken.minted) &&
        spoken.minted != names().minted) {
      return;
    }
    if (what == Ask::wait)
      pace.bounds = std::max(pace.bounds, 1);  // a wait lasts as long as it says
    const Instant sent = now + pace.held;
    if (sent != now) watched.sent(sent);
    now = sent + pace.base + pace.bounds * watched.asked()->bound;
    outputs.push_back(std::move(spoken.output));
    watched.answer(std::move(spoken.answer), spoken.saw, now, spoken.minted);
    FUZZ_CHECK(watched.is_sound(), watched.complaint());
  }
  FUZZ_CHECK(watched.complaint().empty(), watched.complaint());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run(ExactCopy(data, size).view());
  return 0;
}
