// Texts whose languages the reference states as expressions: ids, names, domains, deadlines.
//
//   DECISION/accepted/SIZE   every text is good
//   DECISION/mixed/SIZE      every second one has a mistake somewhere
//
// The domains are canonical already, and the deadlines within their bounds: an expression decides
// about no more. Recursion bounds what std::regex can be given.
#include "sandproof/call_id.h"
#include "sandproof/deadline.h"
#include "sandproof/domain_pattern.h"
#include "sandproof/environment.h"
#include "sandproof/session_id.h"
#include "text_contest.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

constexpr std::string_view k_session_id = "session-id";
constexpr std::string_view k_addressable_id = "addressable-id";
constexpr std::string_view k_call_id = "call-id";
constexpr std::string_view k_env_name = "env-name";
constexpr std::string_view k_domain = "domain";
constexpr std::string_view k_deadline = "deadline";

constexpr bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ---- The loops that one would write first. ----

bool addressable_loop(std::string_view text) {
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c) && c != '_' && c != '-') return false;
  }
  return !text.empty();
}

bool session_id_loop(std::string_view text) {
  return text.size() <= k_max_session_id_size && addressable_loop(text);
}

bool call_id_loop(std::string_view text) {
  if (text.size() != k_call_id_size) return false;
  for (const char c : text) {
    if (!is_digit(c) && !(c >= 'a' && c <= 'f')) return false;
  }
  return true;
}

bool env_name_loop(std::string_view text) {
  if (text.empty() || text.size() > k_max_env_name_size || is_digit(text[0])) return false;
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c) && c != '_') return false;
  }
  return true;
}

// ---- The table. ----

// The reference only says whether an id is addressable; a session id's alphabet says where not.
reference::Answer addressable_id(std::string_view text) {
  if (reference::addressable_id(text)) return reference::accept(text);
  if (text.empty()) return reference::refuse("empty");
  return reference::refuse("forbidden_byte", text.find_first_not_of(k_id_bytes));
}

reference::Answer deadline(std::string_view text) {
  reference::Answer answer = reference::deadline(text);
  answer.offset.reset();
  return answer;
}

// Decision is one row: over which sizes the texts of a generator are decided about.
struct Decision {
  std::string_view name;
  std::vector<std::size_t> sizes;
  Texts (*make)(std::size_t size, bool mixed);
  void (*add)(const std::string& name, bool mixed, std::function<Texts()> make);
};

template <class T, auto answer, const std::string_view& row, Check... loop>
void add_language(const std::string& name, bool mixed, std::function<Texts()> make) {
  [[maybe_unused]] const auto named = [](Check) { return "loop"; };  // unless there is none
  add_texts<T, answer, by_memchr, by_expression<Re2, row>, by_expression<StdRegex, row>, loop...>(
      name, mixed, std::move(make), "memchr", "re2", "regex", named(loop)...);
}

void add_long_id(const std::string& name, bool mixed, std::function<Texts()> make) {
  add_texts<AddressableId, addressable_id, by_memchr, by_expression<Re2, k_addressable_id>,
            addressable_loop>(name, mixed, std::move(make), "memchr", "re2", "loop");
}

const Decision k_decisions[] = {
    {"session_id",
     {8, 36, 63},
     ids,
     add_language<SessionId, reference::session_id, k_session_id, session_id_loop>},
    {"addressable_id",
     {8, 64, 512},
     ids,
     add_language<AddressableId, addressable_id, k_addressable_id, addressable_loop>},
    {"addressable_id", {4'096, 65'536, 1'048'576}, ids, add_long_id},
    {"call_id", {32}, call_ids, add_language<CallId, reference::call_id, k_call_id, call_id_loop>},
    {"env_name",
     {8, 32, 256},
     names,
     add_language<EnvName, reference::env_name, k_env_name, env_name_loop>},
    {"domain", {11, 32, 253}, domains, add_language<DomainPattern, reference::domain, k_domain>},
    {"deadline", {6}, deadlines, add_language<Deadline, deadline, k_deadline>},
};

}  // namespace

int main(int count, char** arguments) {
  for (const Decision& decision : k_decisions) {
    for (const std::size_t size : decision.sizes) {
      for (const bool mixed : {false, true}) {
        decision.add(contest_name(decision.name, mixed ? "mixed" : "accepted", size), mixed,
                     [&decision, size, mixed] { return decision.make(size, mixed); });
      }
    }
  }
  return run(count, arguments);
}
