// The adversarial answerer: for each kind of request, every answer that the types allow, from a
// small alphabet. A letter is an answer, what it means, and how long it takes.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/azure_sandbox.h"
#include "trace.h"

namespace sandproof::props {

// ---- The configurations. ----

// Setting is a configuration, as the letters must know it.
struct Setting {
  std::string name;
  DeclaredEgress egress;
  Acceptance acceptance = Acceptance::identical;
  bool tolerates = false;  // the unmodelled field of Policy::unmodelled
  std::optional<std::uint32_t> idle_seconds = {};
  bool sink_throws = false;  // what it throws must be dropped
};

[[nodiscard]] const std::vector<Setting>& settings();

// The two domains of the settings that declare any.
inline constexpr std::array<std::string_view, 2> k_domains = {"api.example", "*.files.example"};

// configured gives the configuration itself, without its random source and its sink.
[[nodiscard]] AzureConfig configured(const Setting& setting);

// sent_policy is the policy that a create must ask for.
[[nodiscard]] std::optional<EgressPolicy> sent_policy(const Setting& setting);

// ---- Records. ----

// Policy says what a record carries, relative to what was declared.
enum class Policy : std::uint8_t {
  right,
  recased,     // the same in another order and case, and repeated under `http`
  fewer,       // a declared domain is missing: contained
  wider,       // allows another host
  unreadable,  // could not be decoded
  absent,
  bypassed,           // right, and switched off by skipEgressProxy
  rerouted,           // right, and switched off by a customer's network
  absent_bypassed,    // none, and switched off
  unmodelled,         // right, with a field that nobody knows
  unreadable_action,  // right, with a rule of another kind
};
inline constexpr std::size_t k_policy_count =
    static_cast<std::size_t>(Policy::unreadable_action) + 1;

[[nodiscard]] std::string_view name(Policy policy);
[[nodiscard]] std::string_view name(Life life);

// carries and holds are the letters' own judgement, stated by hand.
[[nodiscard]] bool carries(Policy policy);
[[nodiscard]] bool holds(const Setting& setting, Policy policy);

// make_record gives a record, and saw_record what it means.
[[nodiscard]] SandboxRecord make_record(const Setting& setting, std::string_view id, Life life,
                                        Policy policy);
[[nodiscard]] Saw saw_record(const Setting& setting, Life life, Policy policy, Whose whose);

// ---- Reports. ----

// Report is one exec result that a sandbox, or whoever forges one, can give to a call.
struct Report {
  std::string name;
  ExecResult result;
  Finish finish;
  Output output;  // what must come of it
};

[[nodiscard]] std::vector<Report> reports(const CallId& call);

// ---- Letters. ----

// Pace is how long an answer takes: held back before it is sent, then `base` and so many times the
// bound of its request.
struct Pace {
  milliseconds held{0};
  milliseconds base{0};
  int bounds = 0;
};
inline constexpr Pace k_at_once{};
inline constexpr Pace k_whole_bound{.bounds = 1};
inline constexpr Pace k_overdue{.base = milliseconds{120'000}, .bounds = 1};

struct Letter {
  std::string name;
  Answer answer;
  Saw saw;
  Pace pace = k_at_once;
  bool rare = false;        // not in the abridged alphabet, of which long sequences are made
  std::string minted = {};  // the id that a create made
  std::shared_ptr<const Output> output = {};  // owns what saw.output names
};

using Alphabet = std::array<std::vector<Letter>, k_ask_count>;

// Names are the ids and paths that a call uses.
struct Names {
  std::string asked;
  std::string minted;
  std::string other;  // belongs to a session that this call has no business with
};

// failures gives every answer without a usable body; the wrong kind of body apart.
[[nodiscard]] std::vector<Letter> failures();

// alphabet gives all letters, in a fixed order, the abridged alphabet first.
[[nodiscard]] Alphabet alphabet(const Setting& setting, const Names& names, const CallId& call,
                                milliseconds deadline);

// Tail closes a sequence: one letter a kind of request, for ever.
struct Tail {
  std::string name;
  bool slow = false;  // takes many steps; only behind short beginnings
  std::array<Letter, k_ask_count> letters;
};

[[nodiscard]] std::vector<Tail> tails(const Setting& setting, const Names& names,
                                      const CallId& call);

}  // namespace sandproof::props
