// A consumer of the provider: the first thing that it asks for. Nothing is sent.
#include <sandproof/azure_sandbox.h>

#include <cstdint>
#include <iostream>
#include <span>
#include <variant>

int main() {
  using namespace sandproof;
  const AzureSandbox provider({.disk_image = PlainText::parse("ubuntu").value(),
                               .cpu = PlainText::parse("1000m").value(),
                               .memory = PlainText::parse("2048Mi").value(),
                               .egress = DeclaredEgress::deny(),
                               .random = [](std::span<std::uint8_t, 16>) {}});
  const auto create = provider.create({});
  if (create.request() == nullptr || !std::holds_alternative<CreateCall>(*create.request())) {
    return 1;
  }
  std::cout << "asks for: create\n";
}
