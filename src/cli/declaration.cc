#include "declaration.h"

#include <optional>
#include <utility>
#include <vector>

#include "../core/json_text.h"
#include "json.h"
#include "sandproof/wire.h"

namespace sandproof::cli {
namespace {

constexpr std::string_view k_mode = "mode";
constexpr std::string_view k_domains = "domains";

Problem problem(Reason reason, std::string pointer, std::string_view what) {
  return {{reason, std::move(pointer)}, "declared: " + std::string(what)};
}

std::string pointer_to(std::string_view key) { return json_text::pointer_token(key); }

std::optional<Problem> unknown_key(const Json& object) {
  for (const auto& [key, value] : object.items()) {
    if (key == k_mode || key == k_domains) continue;
    return problem(Reason::unknown_field, pointer_to(key),
                   "key " + escaped(key) + " is not known: use \"mode\" and \"domains\"");
  }
  return std::nullopt;
}

std::optional<EgressMode> mode_named(std::string_view word) noexcept {
  if (word == "allow") return EgressMode::allow;
  if (word == "deny") return EgressMode::deny;
  if (word == "allowDomains") return EgressMode::allow_domains;
  return std::nullopt;
}

Declaration allow(const std::vector<std::string_view>& domains) {
  auto declared = DeclaredEgress::allow_domains(domains);
  if (declared) return *std::move(declared);
  const Refusal refusal = declared.error();
  const bool about_one = refusal.word < domains.size();
  return Refused{refusal, about_one ? std::string(domains[refusal.word]) : ""};
}

// read_domains gives the problem with the list under "domains", or none and fills `domains`.
std::optional<Problem> read_domains(const Json& list, std::vector<std::string_view>& domains) {
  const std::string pointer = pointer_to(k_domains);
  if (!list.is_array()) {
    return problem(Reason::wrong_type, pointer, "\"domains\" is not a list: write [\"host\"]");
  }
  for (const Json& domain : list) {
    if (!domain.is_string()) {
      return problem(Reason::wrong_type, pointer + '/' + std::to_string(domains.size()),
                     "a domain is not a string: write \"host\"");
    }
    domains.emplace_back(domain.get_ref<const std::string&>());
  }
  return std::nullopt;
}

Declaration read_object(const Json& object) {
  if (!object.is_object()) {
    return problem(Reason::wrong_type, "", "is not an object: write {\"mode\":\"deny\"}");
  }
  if (auto unknown = unknown_key(object)) return *std::move(unknown);
  const auto word = object.find(k_mode);
  if (word == object.end()) {
    return problem(Reason::missing_field, pointer_to(k_mode), "lacks \"mode\": add it");
  }
  if (!word->is_string()) {
    return problem(Reason::wrong_type, pointer_to(k_mode), "\"mode\" is not a string: make it one");
  }
  const std::string& text = word->get_ref<const std::string&>();
  const auto mode = mode_named(text);
  if (!mode) {
    return problem(Reason::malformed, pointer_to(k_mode),
                   "mode " + escaped(text) + " is not known: use allow, deny or allowDomains");
  }
  std::vector<std::string_view> domains;
  const auto list = object.find(k_domains);
  if (list != object.end()) {
    if (auto wrong = read_domains(*list, domains)) return *std::move(wrong);
  }
  if (*mode == EgressMode::allow_domains) {
    if (list != object.end()) return allow(domains);
    return problem(Reason::missing_field, pointer_to(k_domains), "lacks \"domains\": add them");
  }
  if (!domains.empty()) {
    return problem(Reason::unknown_field, pointer_to(k_domains),
                   "\"domains\" goes with the mode \"allowDomains\" only: leave one of them out");
  }
  return *mode == EgressMode::allow ? DeclaredEgress::allow() : DeclaredEgress::deny();
}

}  // namespace

Declaration read_declaration(std::string_view json) {
  const Decoded<std::string> canonical = canonical_json(json);
  if (!canonical) return Problem{canonical.error(), "declared: " + explain(canonical.error())};
  return read_object(Json::parse(*canonical));
}

Declaration read_domain_list(std::string_view domains) {
  std::vector<std::string_view> list;
  while (!domains.empty()) {
    const std::size_t comma = domains.find(',');
    list.push_back(domains.substr(0, comma));
    if (comma == domains.npos) break;
    domains.remove_prefix(comma + 1);
    if (domains.empty()) list.emplace_back();
  }
  return allow(list);
}

}  // namespace sandproof::cli
