// Operations in other hands: driven in pieces, moved, not driven to the end, beside others, from
// many threads; and what an operation borrows, which is nothing.
#include <atomic>
#include <memory>
#include <set>
#include <thread>

#include "sandproof/deadline_report.h"
#include "setting.h"

namespace sandproof::props {
namespace {

// ---- In pieces, and not to the end. ----

TEST(Operations, ShowTheSameRequestUntilItIsAnswered) {
  Operation<std::optional<Session>> operation = provider().get("s1");
  EXPECT_EQ(operation.result(), nullptr);
  ASSERT_NE(operation.request(), nullptr);
  EXPECT_EQ(operation.request(), operation.request());
  EXPECT_EQ(line_of(*operation.request()), "get s1");
  operation.resume(running("s1"), Instant{1s});
  EXPECT_EQ(operation.request(), nullptr);
  ASSERT_NE(operation.result(), nullptr);
  EXPECT_EQ(outcome(*operation.result()), "ok");
}

TEST(Operations, AnAnswerAfterTheEndChangesNothing) {
  Operation<std::optional<Session>> operation = provider().get("s1");
  operation.resume(running("s1"), Instant{1s});
  operation.resume(std::unexpected(gone()), Instant{2s});
  EXPECT_EQ(outcome(*operation.result()), "ok");
  EXPECT_EQ(operation.request(), nullptr);

  Operation<std::optional<Session>> refusal = provider().get("");
  refusal.resume(running("s1"), Instant{1s});
  EXPECT_EQ(outcome(*refusal.result()), "INVALID_INPUT");
}

TEST(Operations, AnAnswerOfAnotherKindIsOneThatCannotBeRead) {
  for (const Answer& wrong : {Answer(Accepted{}), Answer(ExecResult{}), Answer(FileContent{})}) {
    Operation<std::optional<Session>> operation = provider().get("s1");
    operation.resume(wrong, Instant{1s});
    EXPECT_EQ(outcome(*operation.result()), "UNEXPECTED_RESPONSE_FORMAT");
  }
}

TEST(Operations, AClockThatGoesBackMeasuresNothing) {
  const Instant first = Instant::min();
  const Instant last = Instant::max();
  EXPECT_EQ(elapsed(first, last), milliseconds::max());
  EXPECT_EQ(elapsed(last, first), milliseconds::min());
  EXPECT_EQ(elapsed(Instant(20ms), Instant(5ms)), -15ms);
  EXPECT_FALSE(is_credible_kill(Deadline::from(1s).value(), elapsed(last, first)));
}

TEST(Operations, MayBeMovedBetweenSteps) {
  Script script;
  script.on(Kind::create, bare("s1", "Creating"))
      .on(Kind::get, {bare("s1", "Creating"), running("s1")});
  auto first = std::make_unique<Operation<Session>>(provider().create({}));
  ASSERT_TRUE(step(*first, script));
  Operation<Session> second(std::move(*first));
  first.reset();
  ASSERT_TRUE(step(second, script));
  Operation<Session> third = provider().create({});
  third = std::move(second);
  while (step(third, script)) {
  }
  EXPECT_EQ(outcome(*third.result()), "ok");
  EXPECT_EQ(script.trace(), "create, get s1, wait 2000, get s1");
}

// Under AddressSanitizer this also says that nothing leaks and nothing is freed twice.
TEST(Operations, MayBeDestroyedAtAnyStep) {
  const AzureSandbox sandbox = provider();
  const auto make = [&sandbox] { return sandbox.get_or_create("old", {}); };
  std::vector<std::string> traces;
  for (std::size_t steps = 0; steps < 12; ++steps) {
    Script script;
    script.on(Kind::get, [seen = 0](const Request& request) mutable {
      if (id_of(request) == "fresh") return Reaction(bare("fresh"));
      return Reaction(++seen < 3 ? bare("old", "Stopped") : bare("old"));
    });
    script.on(Kind::resume, Accepted{}).on(Kind::stop, Accepted{}).on(Kind::remove, Accepted{});
    script.on(Kind::create, bare("fresh"));
    Operation<Session> operation = make();
    for (std::size_t i = 0; i < steps; ++i) (void)step(operation, script);
    traces.push_back(script.trace());
  }
  EXPECT_EQ(traces.front(), "");
  EXPECT_EQ(traces.back(),
            "get old, get old, resume old, wait 2000, get old, stop old, create, "
            "get fresh, delete fresh");
}

// ---- What an operation borrows. ----

// gone_by_then makes an operation of arguments, a provider and a configuration that end before it.
template <class Make>
auto gone_by_then(Make make) {
  const auto sandbox = std::make_unique<AzureSandbox>(config());
  // Long enough to be on the heap, so that a sanitizer sees every use after its end.
  const auto id = std::make_unique<std::string>(40, 's');
  const auto text = std::make_unique<std::string>(40, 't');
  const auto name = std::make_unique<std::string>(40, 'N');
  return make(*sandbox, *id, *text, *name);
}

TEST(Operations, OutliveTheProviderAndEverythingTheyWereMadeFrom) {
  const std::string id(40, 's');
  const std::string text(40, 't');
  const std::string name(40, 'N');
  Script script;
  script.on(Kind::create, running(id))
      .on(Kind::get, running(id))
      .on(Kind::exec, exited(0))
      .on(Kind::write, Accepted{})
      .on(Kind::read, FileContent{"x"})
      .on(Kind::mkdir, Accepted{});
  const auto by_then = [&script](auto make) {
    return outcome(drive(gone_by_then(std::move(make)), script));
  };
  using Text = std::string;
  EXPECT_EQ(by_then([](const AzureSandbox& sandbox, const Text&, const Text& t, const Text& n) {
              const std::vector<EnvEntry> entries{{n, t}};
              return sandbox.create({.environment = entries, .tenant_key = {}});
            }),
            "ok");
  EXPECT_EQ(by_then([](const AzureSandbox& sandbox, const Text& i, const Text& t, const Text& n) {
              const std::vector<EnvEntry> variables{{n, t}};
              const std::vector<std::string_view> argv{t, t};
              return sandbox.run_command(i, {{argv, variables, t}, 5s});
            }),
            "ok");
  EXPECT_EQ(by_then([](const AzureSandbox& sandbox, const Text& i, const Text& t, const Text& n) {
              const std::vector<File> files{{t, n}, {n, t}};
              return sandbox.write_files(i, files);
            }),
            "ok");
  EXPECT_EQ(by_then([](const AzureSandbox& sandbox, const Text& i, const Text& t, const Text&) {
              return sandbox.read_file(i, t);
            }),
            "ok");
  EXPECT_EQ(by_then([](const AzureSandbox& sandbox, const Text& i, const Text& t, const Text&) {
              return sandbox.mkdir(i, t);
            }),
            "ok");
  EXPECT_EQ(by_then([](const AzureSandbox& sandbox, const Text& i, const Text&, const Text&) {
              return sandbox.get(i);
            }),
            "ok");
  EXPECT_EQ(script.trace(), "create, get " + id + ", get " + id + ", exec " + id + ", get " + id +
                                ", write " + id + " " + name + "=" + text + ", write " + id + " " +
                                text + "=" + name + ", read " + id + " " + text + ", mkdir " + id +
                                " " + text + ", get " + id);
}

TEST(Operations, ARefusalOutlivesTheArgumentThatItShows) {
  const auto error = [] {
    const auto bad = std::make_unique<std::string>(40, '/');
    return refused(provider().read_file(*bad, *bad));
  }();
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(error->external().find("////"), std::string::npos);
}

// ---- Beside each other. ----

TEST(Operations, OfOneProviderDoNotSeeEachOther) {
  const AzureSandbox sandbox = provider();
  Script one;
  Script two;
  for (Script* script : {&one, &two}) {
    script->on(Kind::resume, Accepted{}).on(Kind::stop, Accepted{});
  }
  one.on(Kind::get, {bare("a", "Stopped"), bare("a", "Stopped"), running("a")});
  two.on(Kind::get, {bare("b", "Stopped"), bare("b", "Stopped"), bare("b")});
  Operation<void> first = sandbox.resume("a");
  Operation<void> second = sandbox.resume("b");
  bool again = true;
  while (again) {
    const bool went = step(first, one);
    again = step(second, two) || went;
  }
  EXPECT_EQ(outcome(*first.result()), "ok");
  EXPECT_EQ(outcome(*second.result()), "SANDBOX_NOT_AS_DECLARED");
  EXPECT_EQ(one.trace(), "get a, get a, resume a, wait 2000, get a");
  EXPECT_EQ(two.trace(), "get b, get b, resume b, wait 2000, get b, stop b");
}

TEST(Operations, OfOneProviderMayRunOnManyThreads) {
  constexpr int k_threads = 8;
  constexpr int k_rounds = 50;
  std::atomic<std::uint32_t> drawn{0};
  std::atomic<int> warned{0};
  AzureConfig shared = config();
  shared.random = [&drawn](std::span<std::uint8_t, 16> out) {
    const std::uint32_t next = ++drawn;
    std::ranges::fill(out, std::uint8_t{0});
    for (std::size_t i = 0; i < 4; ++i) out[i] = static_cast<std::uint8_t>(next >> (8 * i));
  };
  shared.warn = [&warned](const Error&) { ++warned; };
  const AzureSandbox sandbox(shared);

  std::array<std::set<std::string>, k_threads> labels;
  const auto work = [&sandbox](std::string id, std::set<std::string>& mine) {
    for (int round = 0; round < k_rounds; ++round) {
      Script script;
      script.on(Kind::create, bare(id, "Creating"))
          .on(Kind::get, {running(id), running(id), gone()})
          .on(Kind::exec, down())
          .on(Kind::remove, http(500));
      EXPECT_EQ(outcome(drive(sandbox.create({}), script)), "ok");
      EXPECT_EQ(outcome(drive(sandbox.run_command(id, command()), script)),
                "SANDBOX_OUTCOME_UNKNOWN");
      const auto lost = drive(sandbox.create({}), script);
      EXPECT_EQ(outcome(lost), "sandboxLeftBehind < sessionGone");
      if (!lost && lost.error().attempt()) mine.emplace(lost.error().attempt()->view());
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < k_threads; ++i) {
    threads.emplace_back(work, "t" + std::to_string(i), std::ref(labels[i]));
  }
  for (std::thread& thread : threads) thread.join();

  std::set<std::string> all;
  for (const auto& mine : labels) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(k_threads * k_rounds));
  EXPECT_EQ(drawn, static_cast<std::uint32_t>(3 * k_threads * k_rounds));
  EXPECT_EQ(warned, k_threads * k_rounds);
}

}  // namespace
}  // namespace sandproof::props
