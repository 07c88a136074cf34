// Counted: accepting or refusing an id, a path, a name, a deadline or a domain allocates nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "sandproof/sandproof.hpp"

namespace {
std::size_t allocations = 0;
}  // namespace

// Every other form of new comes here. GCC inlines one side of the pair and then warns of a
// mismatch.
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

template <class F>
std::size_t allocations_of(F f) {
  const std::size_t before = allocations;
  f();
  return allocations - before;
}

// Inputs of every outcome, long ones included: a copy of them would have to allocate.
std::vector<std::string> inputs() {
  using namespace std::string_literals;
  std::vector<std::string> all{"",
                               "a",
                               "team--box-605",
                               "a/b",
                               "..",
                               "a\0b"s,
                               "\xff",
                               "/work/a.py",
                               "a//b",
                               "a/",
                               "PATH",
                               "LD_PRELOAD",
                               "TOKEN",
                               "1A",
                               "A-B",
                               "1.5s",
                               "25h",
                               "297197543409765h",
                               "*.Example.COM.",
                               "10.0.0.1",
                               "a.*.b",
                               "*",
                               "http://a.example/"};
  constexpr std::size_t k_sizes[] = {36, 63, 64, 256, 257, 4095, 4096, 200'000};
  for (const std::size_t size : k_sizes) {
    all.emplace_back(size, 'a');
    all.emplace_back(size, '/');
  }
  all.push_back(std::string(40, 'l') + "." + std::string(40, 'm') + ".example.com");
  return all;
}

TEST(Allocation, TheCounterCounts) {
  EXPECT_EQ(allocations_of([] { const std::string text(100, 'a'); }), 1U);
}

TEST(Allocation, NoDecisionAboutOneValueAllocates) {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  const auto count = [&](const auto& checked) { ++(checked ? accepted : refused); };
  for (const std::string& text : inputs()) {
    EXPECT_EQ(allocations_of([&] {
                count(SessionId::parse(text));
                count(AddressableId::parse(text));
                count(SandboxPath::parse(text));
                count(EnvName::parse(text));
                count(SessionName::parse(text));
                count(EnvVariable::parse("NAME", text));
                count(SessionVariable::parse("NAME", text));
                count(SessionVariable::parse(text, text));
                count(Deadline::parse(text));
                count(DomainPattern::parse(text));
                count(parse_state(text));
              }),
              0U)
        << escaped(text);
  }
  EXPECT_GT(accepted, 50U);
  EXPECT_GT(refused, 100U);
}

TEST(Allocation, OwningASessionIdAllocatesNothing) {
  const std::string text(63, 'a');
  const SessionId id = *SessionId::parse(text);
  EXPECT_EQ(allocations_of([&] { const OwnedSessionId owned(id); }), 0U);
}

// A comparison allocates for the whole, not for each rule that is as declared.
TEST(Allocation, AnIdenticalPolicyOfAnySizeCostsTheSameFewAllocations) {
  const auto cost = [](std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back("host-with-a-long-name-" + std::to_string(i) + ".example.com");
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto declared = DeclaredEgress::allow_domains(views);
    const auto policy = created_with(*declared);
    return allocations_of([&] {
      const EffectiveEgress effective = normal_form(&*policy);
      EXPECT_TRUE(compare(*declared, effective).holds());
    });
  };
  EXPECT_EQ(cost(10), cost(1'000));
  EXPECT_LE(cost(1'000), 8U);
}

}  // namespace
}  // namespace sandproof::props
