// A consumer of name patterns: a deployment refuses names of its own.
#include <sandproof/environment.h>
#include <sandproof/name_patterns.h>

#include <array>
#include <iostream>
#include <string_view>

int main() {
  using namespace sandproof;
  const auto own = NamePatterns::compile(std::array<std::string_view, 1>{"CORP_.*"});
  if (!own) return 1;
  for (const std::string_view text : {"TOKEN", "CORP_TOKEN"}) {
    const auto name = SessionName::parse(text, {.also = &*own});
    std::cout << text << ": " << (name ? "accepted" : code(name.error().reason)) << '\n';
  }
}
