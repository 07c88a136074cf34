// A consumer of the core: may this id go into a URL, and does the policy do what was declared?
#include <sandproof/sandproof.hpp>

#include <iostream>
#include <string_view>

int main() {
  using namespace sandproof;
  for (const std::string_view text : {"team--box-605", "../team"}) {
    const auto id = SessionId::parse(text);
    std::cout << text << ": " << (id ? "accepted" : code(id.error().reason)) << '\n';
  }

  const std::string_view domains[] = {"github.com"};
  const auto declared = DeclaredEgress::allow_domains(domains);
  const auto policy = decode_policy(
      R"({"defaultAction":"Deny","trafficInspection":"Full","hostRules":[)"
      R"({"pattern":"github.com","action":"Allow"},{"pattern":"evil.example","action":"Allow"}]})");
  if (!declared || !policy) return 1;
  std::cout << "policy: " << name(compare(*declared, normal_form(&*policy)).verdict()) << '\n';
}
