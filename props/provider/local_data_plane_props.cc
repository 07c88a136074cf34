// LocalDataPlane: states, records, and calls from several threads.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "provider/local_support.h"
#include "sandproof/azure_sandbox.h"

namespace sandproof::local {
namespace {

using LocalStates = LocalTest;

// What each state makes of each call: "" is accepted.
struct StateRow {
  ServiceState state;
  std::string stop;
  std::string resume;
  std::string work;
};
const std::array<StateRow, k_service_state_count> k_states{{
    {ServiceState::creating, "conflict 409", "conflict 409", "conflict 409"},
    {ServiceState::resuming, "conflict 409", "", "conflict 409"},
    {ServiceState::running, "", "", ""},
    {ServiceState::stopping, "", "conflict 409", "conflict 409"},
    {ServiceState::stopped, "", "", "conflict 409"},
    {ServiceState::suspended, "", "", "conflict 409"},
    {ServiceState::idle, "", "", "conflict 409"},
    {ServiceState::deleting, "conflict 409", "conflict 409", "conflict 409"},
    {ServiceState::failed, "conflict 409", "conflict 409", "conflict 409"},
}};

TEST_F(LocalStates, EveryStateAnswersEveryCall) {
  // One read shows a state on its way, so that it can be seen; the calls between do not count.
  open({.base = {}, .reads = 1'000});
  for (const StateRow& row : k_states) {
    const OwnedSessionId id = make(create_body());
    const auto put = [&] { ASSERT_TRUE(plane_->set_state(id.borrow(), row.state)); };
    SCOPED_TRACE(word(row.state));
    put();
    EXPECT_EQ(state(id), word(row.state));
    EXPECT_EQ(run(id, {"exit 7"}).failed, row.work);
    EXPECT_EQ(word_of(plane_->write_file(id.borrow(), *SandboxPath::parse("f"), "x", k_bound)),
              row.work);
    EXPECT_EQ(word_of(plane_->read_file(id.borrow(), *SandboxPath::parse("f"), k_bound)), row.work);
    EXPECT_EQ(
        word_of(plane_->mkdir(id.borrow(), {OwnedSandboxPath(*SandboxPath::parse("d"))}, k_bound)),
        row.work);
    EXPECT_EQ(state(id), word(row.state));
    const auto stopped = plane_->stop(id.borrow(), k_bound);
    EXPECT_EQ(word_of(stopped), row.stop);
    // Nothing happened, and nothing will: it is no conflict that passes.
    EXPECT_TRUE(stopped || std::get<TransportError>(stopped.error()).is_refusal());
    put();
    EXPECT_EQ(word_of(plane_->resume(id.borrow(), k_bound)), row.resume);
    put();
    EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
    EXPECT_EQ(state(id), "Deleting");
  }
}

TEST_F(LocalStates, TheWayOfASandbox) {
  open({.base = {}, .reads = 2});
  const auto made = plane_->create(create_body(), k_bound);
  ASSERT_EQ(word_of(made), "");
  EXPECT_EQ(made->state, "Creating");
  const OwnedSessionId id(*SessionId::parse(std::string_view(made->id)));
  const auto expect_way = [&](const std::string& passing, const std::string& end) {
    EXPECT_EQ(state(id), passing);
    EXPECT_EQ(state(id), passing);
    EXPECT_EQ(state(id), end);
    EXPECT_EQ(state(id), end);
  };
  expect_way("Creating", "Running");
  EXPECT_EQ(word_of(plane_->write_file(id.borrow(), *SandboxPath::parse("kept"), "x", k_bound)),
            "");
  EXPECT_EQ(word_of(plane_->stop(id.borrow(), k_bound)), "");
  expect_way("Stopping", "Stopped");
  EXPECT_EQ(word_of(plane_->stop(id.borrow(), k_bound)), "");
  EXPECT_EQ(state(id), "Stopped");
  for (const ServiceState resting :
       {ServiceState::stopped, ServiceState::suspended, ServiceState::idle}) {
    plane_->set_state(id.borrow(), resting);
    EXPECT_EQ(state(id), word(resting));
    EXPECT_EQ(word_of(plane_->resume(id.borrow(), k_bound)), "");
    expect_way("Resuming", "Running");
  }
  EXPECT_EQ(word_of(plane_->resume(id.borrow(), k_bound)), "");
  EXPECT_EQ(state(id), "Running");
  EXPECT_EQ(word_of(plane_->read_file(id.borrow(), *SandboxPath::parse("kept"), k_bound)), "");
  plane_->set_state(id.borrow(), ServiceState::failed);
  EXPECT_EQ(state(id), "Failed");
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
  expect_way("Deleting", "not_found");
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "not_found");
  EXPECT_EQ(word_of(plane_->stop(id.borrow(), k_bound)), "not_found");
  EXPECT_EQ(word_of(plane_->resume(id.borrow(), k_bound)), "not_found");
  EXPECT_EQ(run(id, {"true"}).failed, "not_found");
  EXPECT_FALSE(plane_->set_state(id.borrow(), ServiceState::running));
}

// Whichever call is the first one after its time has come.
TEST_F(LocalStates, EveryCallFindsASandboxGone) {
  open({.base = {}, .time = 100ms});
  using Call = std::function<std::string(const OwnedSessionId&)>;
  const std::array<Call, 6> calls{
      [&](const OwnedSessionId& id) { return word_of(plane_->stop(id.borrow(), k_bound)); },
      [&](const OwnedSessionId& id) { return word_of(plane_->resume(id.borrow(), k_bound)); },
      [&](const OwnedSessionId& id) { return word_of(plane_->remove(id.borrow(), k_bound)); },
      [&](const OwnedSessionId& id) { return word_of(plane_->get(id.borrow(), k_bound)); },
      [&](const OwnedSessionId& id) { return run(id, {"true"}).failed; },
      [&](const OwnedSessionId& id) {
        return word_of(plane_->read_file(id.borrow(), *SandboxPath::parse("f"), k_bound));
      },
  };
  for (const Call& call : calls) {
    const OwnedSessionId id = make(create_body());
    EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
    std::this_thread::sleep_for(150ms);
    EXPECT_EQ(call(id), "not_found") << &call - calls.data();
  }
}

TEST_F(LocalStates, DeletedByTheService) {
  const OwnedSessionId id = create();
  plane_->set_state(id.borrow(), ServiceState::deleting);
  EXPECT_EQ(state(id), "not_found");
  EXPECT_TRUE(std::filesystem::is_empty(base_));
}

TEST_F(LocalStates, TimeShowsStates) {
  open({.base = {}, .time = 300ms});
  const OwnedSessionId id = make(create_body());
  for (int reads = 0; reads < 5; ++reads) EXPECT_EQ(state(id), "Creating");
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(state(id), "Running");
}

TEST_F(LocalStates, IdleIsSuspended) {
  const OwnedSessionId endless = create();
  const OwnedSessionId id = create({}, 2s);
  EXPECT_EQ(run(id, {"sleep 600 >/dev/null 2>&1 &"}).exit_code, 0);
  const auto used = std::chrono::steady_clock::now();
  EXPECT_FALSE(others().empty());
  // What runs on by itself is no work, and a read is none.
  EXPECT_TRUE(eventually([&] { return state(id) == "Suspended"; }));
  EXPECT_GE(std::chrono::steady_clock::now() - used, 1900ms);
  EXPECT_TRUE(eventually([&] { return others().empty(); }));
  EXPECT_EQ(word_of(plane_->resume(id.borrow(), k_bound)), "");
  // It has not been idle again since; the first read shows what was due.
  EXPECT_EQ(state(id), "Running");
  EXPECT_EQ(state(id), "Running");
  EXPECT_EQ(state(endless), "Running");
}

// A sandbox whose files are used is not idle. A machine that stands still for as long is no answer.
TEST_F(LocalStates, FilesAreWork) {
  constexpr std::chrono::seconds k_idle = 2s;
  bool seen = false;
  for (int tries = 0; tries < 5 && !seen; ++tries) {
    const OwnedSessionId id = create({}, k_idle);
    const auto made = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(k_idle / 2);
    const auto used = std::chrono::steady_clock::now();
    if (used - made >= k_idle) continue;
    EXPECT_EQ(word_of(plane_->write_file(id.borrow(), *SandboxPath::parse("f"), "x", k_bound)), "");
    std::this_thread::sleep_for(k_idle / 2 + 200ms);
    const std::string found = state(id);
    if (std::chrono::steady_clock::now() - used >= k_idle) continue;
    EXPECT_EQ(found, "Running");
    seen = true;
  }
  EXPECT_TRUE(seen);
}

TEST_F(LocalStates, BusyIsNotIdle) {
  const OwnedSessionId id = create({}, 2s);
  std::atomic<bool> has_ended = false;
  std::thread call([&] {
    EXPECT_EQ(run(id, {"sleep 4"}).exit_code, 0);
    has_ended = true;
  });
  while (!has_ended) {
    EXPECT_EQ(state(id), "Running");
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_EQ(state(id), "Running");
  call.join();
}

TEST_F(LocalStates, Records) {
  const std::array<std::string_view, 2> domains{"github.com", "*.pypi.org"};
  for (const DeclaredEgress& declared :
       {DeclaredEgress::allow(), DeclaredEgress::deny(), *DeclaredEgress::allow_domains(domains)}) {
    const OwnedSessionId id = create({}, {}, declared);
    const auto record = plane_->get(id.borrow(), k_bound);
    ASSERT_EQ(word_of(record), "");
    EXPECT_EQ(compare(declared, normal_form(*record)).verdict(), Verdict::identical);
    EXPECT_EQ(carries_policy(*record), declared.mode() != EgressMode::allow);
    EXPECT_EQ(decode_record(encode(*record)), *record);
  }
}

TEST_F(LocalStates, Directories) {
  const OwnedSessionId one = create();
  const OwnedSessionId two = create();
  EXPECT_NE(one.view(), two.view());
  for (const OwnedSessionId& id : {one, two}) {
    struct stat about{};
    ASSERT_EQ(stat((base_ + '/' + std::string(id.view())).c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777U, 0700U);
  }
  EXPECT_EQ(word_of(plane_->remove(one.borrow(), k_bound)), "");
  EXPECT_FALSE(std::filesystem::exists(base_ + '/' + std::string(one.view())));
  EXPECT_TRUE(std::filesystem::exists(base_ + '/' + std::string(two.view())));
  EXPECT_EQ(state(two), "Running");
}

TEST_F(LocalStates, NoBase) {
  LocalDataPlane plane({.base = base_ + "/missing"});
  EXPECT_EQ(word_of(plane.create(create_body(), k_bound)), "unavailable");
}

TEST_F(LocalStates, ASandboxThatCannotBeMadeLeavesNothing) {
  const auto made = [this] { return word_of(plane_->create(create_body(), k_bound)); };
  EXPECT_EQ(chmod(base_.c_str(), 0500), 0);
  EXPECT_EQ(without_capabilities(made), "unavailable");
  EXPECT_EQ(chmod(base_.c_str(), 0700), 0);
  EXPECT_EQ(under_limit(RLIMIT_NOFILE, STDERR_FILENO + 1, made), "unavailable");
  EXPECT_TRUE(std::filesystem::is_empty(base_));
}

TEST_F(LocalStates, Closed) {
  const OwnedSessionId id = create();
  std::atomic<bool> is_running = false;
  std::thread call([&] {
    is_running = true;
    EXPECT_EQ(run(id, {"sleep 60"}).failed, "unavailable");
  });
  EXPECT_TRUE(eventually([&] { return is_running && others().size() > 2; }));
  EXPECT_TRUE(plane_->close());
  EXPECT_TRUE(others().empty());
  EXPECT_TRUE(std::filesystem::is_empty(base_));
  call.join();
  EXPECT_EQ(state(id), "unavailable");
  EXPECT_EQ(word_of(plane_->create(create_body(), k_bound)), "unavailable");
  EXPECT_TRUE(plane_->close());
}

TEST_F(LocalStates, Threads) {
  constexpr int k_threads = 4;
  constexpr int k_rounds = 5;
  std::vector<std::thread> threads;
  for (int i = 0; i < k_threads; ++i) {
    threads.emplace_back([this, i] {
      for (int round = 0; round < k_rounds; ++round) {
        const OwnedSessionId id = create();
        const std::string number = std::to_string(i * k_rounds + round);
        const std::string text = "sleep 60 >/dev/null 2>&1 & echo " + number;
        EXPECT_EQ(run(id, {text}).out, number + '\n');
        if (round % 2 == 0) {
          EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // What a call left running outlives its thread: two rounds of each thread were not removed.
  EXPECT_EQ(others().size(), std::size_t{2 * 2 * k_threads});  // each with its supervisor
}

TEST_F(LocalStates, OneSessionFromManyThreads) {
  const OwnedSessionId id = create();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const std::string number = std::to_string(i);
      EXPECT_EQ(run(id, {"sleep 0.3; echo " + number}).out, number + '\n');
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::thread call([&] { EXPECT_EQ(run(id, {"sleep 60"}).failed, "unavailable"); });
  EXPECT_TRUE(eventually([&] { return others().size() > 2; }));
  EXPECT_EQ(word_of(plane_->remove(id.borrow(), k_bound)), "");
  EXPECT_TRUE(others().empty());
  call.join();
  EXPECT_EQ(state(id), "not_found");
}

TEST_F(LocalStates, UnderTheProvider) {
  const AzureSandbox provider({.disk_image = *PlainText::parse("image"),
                               .cpu = *PlainText::parse("1000m"),
                               .memory = *PlainText::parse("1024Mi"),
                               .random = [](std::span<std::uint8_t, 16> bytes) {
                                 static std::atomic<std::uint8_t> next = 0;
                                 bytes[0] = ++next;
                               }});
  SteadyClock clock;
  const auto session = run_operation(provider.create({}), clock);
  ASSERT_TRUE(session) << session.error().text();
  const std::string_view id = session->id.view();
  const std::array<std::string_view, 3> words{"sh", "-c", "echo out; echo err >&2; exit 3"};
  auto ran = run_operation(provider.run_command(id, {{words, {}, {}}, 60s}), clock);
  ASSERT_TRUE(ran) << ran.error().text();
  ASSERT_EQ(ran->frames.size(), 2U);
  EXPECT_EQ(ran->frames[0].data, "out\n");
  EXPECT_EQ(ran->frames[1].data, "err\n");
  ASSERT_TRUE(ran->end) << ran->end.error().text();
  EXPECT_EQ(*ran->end, 3);
  const std::array<std::string_view, 2> sleeping{"sleep", "60"};
  ran = run_operation(provider.run_command(id, {{sleeping, {}, {}}, 300ms}), clock);
  ASSERT_TRUE(ran) << ran.error().text();
  ASSERT_FALSE(ran->end);
  EXPECT_TRUE(ran->end.error().is(Failure::deadline_exceeded)) << ran->end.error().text();
  EXPECT_TRUE(run_operation(provider.suspend(id), clock));
  EXPECT_TRUE(run_operation(provider.resume(id), clock));
  const auto ended = run_operation(provider.terminate(id), clock);
  EXPECT_TRUE(ended) << ended.error().text();
  EXPECT_TRUE(others().empty());
}

}  // namespace
}  // namespace sandproof::local
