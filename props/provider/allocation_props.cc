// What an operation allocates: a whole run_command, with the answers at hand, at most 30 blocks.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "reference/report_streams.h"
#include "sandproof/azure_sandbox.h"

namespace {
std::size_t allocations = 0;
}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sandproof::props {
namespace {

constexpr std::size_t k_most = 30;
constexpr std::string_view k_call_id = "07070707070707070707070707070707";
const reference::Secrets k_secrets{"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                                   "e0e1e2e3e4e5e6e7e8e9eaebecedeeef"};

AzureSandbox provider_of(DeclaredEgress egress) {
  return AzureSandbox({.disk_image = PlainText::parse("ubuntu").value(),
                       .cpu = PlainText::parse("1000m").value(),
                       .memory = PlainText::parse("2048Mi").value(),
                       .egress = std::move(egress),
                       .random = [](std::span<std::uint8_t, 16> bytes) {
                         std::ranges::fill(bytes, std::uint8_t{7});
                       }});
}

// The answers stand ready, so that what is counted is the operation's own.
std::size_t allocations_of_a_run(const DeclaredEgress& egress) {
  const AzureSandbox provider = provider_of(egress);
  SandboxRecord record{"team--box-605", "Running", Absent{}, {}, {}};
  if (auto policy = created_with(egress)) record.policy = *policy;
  const std::string id(k_call_id);
  ExecResult result{"out\n",
                    reference::announcement_line(id, k_secrets) + "err\n" +
                        reference::final_line(id, "exit", k_secrets.exit),
                    0};
  Answer read = std::move(record);
  Answer ran = std::move(result);
  const std::vector<std::string_view> argv{"python3", "/work/app.py", "--name", "it's a long one"};
  const std::vector<EnvEntry> variables{{"TZ", "UTC"}, {"TOKEN", "0123456789abcdef0123456789"}};

  const std::size_t before = allocations;
  Operation<CommandRun> operation =
      provider.run_command("team--box-605", {{argv, variables, "/work"}, std::chrono::seconds(30)});
  operation.resume(std::move(read), Instant(std::chrono::seconds(1)));
  operation.resume(std::move(ran), Instant(std::chrono::seconds(2)));
  const std::size_t count = allocations - before;

  Result<CommandRun>* ended = operation.result();
  EXPECT_NE(ended, nullptr);
  EXPECT_TRUE(ended != nullptr && ended->has_value() && (*ended)->end == 0);
  return count;
}

TEST(ProviderAllocation, AWholeCommandTakesAtMostThirtyBlocks) {
  const std::vector<std::string_view> domains{"github.com", "*.example.com", "pypi.org"};
  const std::size_t most = std::max({
      allocations_of_a_run(DeclaredEgress::allow()),
      allocations_of_a_run(DeclaredEgress::deny()),
      allocations_of_a_run(DeclaredEgress::allow_domains(domains).value()),
  });
  EXPECT_LE(most, k_most);
  RecordProperty("allocations", static_cast<int>(most));
}

// A refusal before the first request makes no coroutine.
TEST(ProviderAllocation, ARefusedArgumentTakesFewBlocks) {
  const AzureSandbox provider = provider_of(DeclaredEgress::deny());
  const std::size_t before = allocations;
  Operation<std::optional<Session>> operation = provider.get("a/b");
  EXPECT_LE(allocations - before, 10U);
  EXPECT_EQ(operation.request(), nullptr);
}

}  // namespace
}  // namespace sandproof::props
