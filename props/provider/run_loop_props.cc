// run(): the loop over a data plane that blocks, and may throw.
#include "setting.h"

namespace sandproof::props {
namespace {

enum class Thrown { exception, number };

// ThrowingPlane answers every kind of call but one, from which it throws.
class ThrowingPlane final : public DataPlane {
 public:
  ThrowingPlane(Kind from, Thrown thrown) : from_(from), thrown_(thrown) {}

  Reply<SandboxRecord> create(const CreateBody&, Bound) override {
    return reply(Kind::create, bare("s1", "Creating"));
  }
  Reply<SandboxRecord> get(SessionId id, Bound) override {
    return reply(Kind::get, bare(id.view()));
  }
  Reply<Accepted> remove(AddressableId, Bound) override { return reply(Kind::remove, Accepted{}); }
  Reply<Accepted> stop(SessionId, Bound) override { return reply(Kind::stop, Accepted{}); }
  Reply<Accepted> resume(SessionId, Bound) override { return reply(Kind::resume, Accepted{}); }
  Reply<ExecResult> execute(SessionId, const ExecBody&, Bound) override {
    return reply(Kind::exec, exited(0));
  }
  Reply<FileContent> read_file(SessionId, SandboxPath, Bound) override {
    return reply(Kind::read, FileContent{});
  }
  Reply<Accepted> write_file(SessionId, SandboxPath, std::string_view, Bound) override {
    return reply(Kind::write, Accepted{});
  }
  Reply<Accepted> mkdir(SessionId, const MkdirBody&, Bound) override {
    return reply(Kind::mkdir, Accepted{});
  }

 private:
  template <class Body>
  Reply<Body> reply(Kind kind, Body body) const {
    if (kind == from_ && thrown_ == Thrown::exception) throw std::runtime_error("broken pipe");
    if (kind == from_) throw 42;  // NOLINT: anything can be thrown
    return body;
  }

  Kind from_;
  Thrown thrown_;
};

// over_throwing runs an operation over a plane that throws from one kind of call.
template <class T>
Result<T> over_throwing(Kind from, Thrown thrown, Operation<T> operation) {
  Script script;
  ScriptClock clock(script);
  ThrowingPlane plane(from, thrown);
  return run(std::move(operation), plane, clock);
}

TEST(RunLoop, AnExceptionOfADataPlaneIsACallThatDidNotComplete) {
  const AzureSandbox sandbox = provider(DeclaredEgress::allow());
  const std::array<File, 1> files{{{"a", ""}}};
  for (const Thrown thrown : {Thrown::exception, Thrown::number}) {
    const auto said = [thrown](Kind from, auto operation) {
      return outcome(over_throwing(from, thrown, std::move(operation)));
    };
    EXPECT_EQ(said(Kind::get, sandbox.get("s1")), "SANDBOX_UNREACHABLE");
    EXPECT_EQ(said(Kind::read, sandbox.read_file("s1", "a")), "SANDBOX_UNREACHABLE");
    EXPECT_EQ(said(Kind::mkdir, sandbox.mkdir("s1", "a")), "SANDBOX_UNREACHABLE");
    EXPECT_EQ(said(Kind::write, sandbox.write_files("s1", files)), "SANDBOX_UNREACHABLE");
    EXPECT_EQ(said(Kind::stop, sandbox.suspend("s1")), "SANDBOX_UNREACHABLE");
    EXPECT_EQ(said(Kind::remove, sandbox.terminate("s1")), "SANDBOX_UNREACHABLE");
    EXPECT_EQ(said(Kind::get, sandbox.terminate("s1")), "SANDBOX_UNREACHABLE");
    EXPECT_EQ(said(Kind::create, sandbox.create({})), "SANDBOX_OUTCOME_UNKNOWN");
    EXPECT_EQ(said(Kind::get, sandbox.create({})), "SANDBOX_OUTCOME_UNKNOWN");
    EXPECT_EQ(said(Kind::exec, sandbox.run_command("s1", command())), "SANDBOX_OUTCOME_UNKNOWN");
  }
  // The sandbox that this call made is deleted even so.
  EXPECT_EQ(outcome(over_throwing(Kind::remove, Thrown::exception, provider().create({}))),
            "sandboxLeftBehind < SANDBOX_NOT_AS_DECLARED");
}

TEST(RunLoop, WhatAnExceptionSaysIsForTheLogOnly) {
  const auto session = over_throwing(Kind::get, Thrown::exception, provider().get("s1"));
  ASSERT_FALSE(session);
  const auto& said = std::get<TransportError>(session.error().evidence());
  EXPECT_EQ(said.kind(), TransportError::Kind::unavailable);
  EXPECT_EQ(said.raw(), "broken pipe");
  EXPECT_EQ(session.error().external().find("broken pipe"), std::string::npos);
}

TEST(RunLoop, EveryCallIsMadeWithItsBoundAndEveryWaitIsSlept) {
  Script script;
  script.on(Kind::create, bare("s1", "Creating"))
      .on(Kind::get, {bare("s1", "Creating"), running("s1")});
  ScriptPlane plane(script);  // compares each bound
  ScriptClock clock(script);
  EXPECT_EQ(outcome(run(provider().create({}), plane, clock)), "ok");
  EXPECT_EQ(script.trace(), "create, get s1, wait 2000, get s1");
}

TEST(RunLoop, AnOperationThatHasEndedIsNotRun) {
  Script script;
  ScriptPlane plane(script);
  ScriptClock clock(script);
  EXPECT_EQ(outcome(run(provider().get("a/b"), plane, clock)), "INVALID_INPUT");
  EXPECT_EQ(script.trace(), "");
}

// ReadingClock gives the next of its readings each time it is read.
class ReadingClock final : public Clock {
 public:
  explicit ReadingClock(std::vector<milliseconds> readings) : readings_(std::move(readings)) {}

  [[nodiscard]] Instant now() override { return Instant{readings_.at(next_++)}; }
  void wait(milliseconds) override { ADD_FAILURE() << "a command has nothing to wait for"; }

 private:
  std::vector<milliseconds> readings_;
  std::size_t next_ = 0;
};

// The caller's thread slept for 30 s between the record and the command, which then said at once
// that its deadline had passed.
TEST(RunLoop, ACommandsTimeBeginsWhenItIsSent) {
  Script script;
  script.on(Kind::get, running("s1")).on(Kind::exec, killed());
  ScriptPlane plane(script);
  ReadingClock late({0ms, 1ms, 30s, 30s + 5ms});
  const auto forged = run(provider().run_command("s1", command(30s)), plane, late);
  ASSERT_EQ(outcome(forged), "ok");
  EXPECT_EQ(end_of(*forged), "SANDBOX_OUTCOME_UNKNOWN");

  ReadingClock full({0ms, 1ms, 30s, 60s});
  const auto ended = run(provider().run_command("s1", command(30s)), plane, full);
  ASSERT_EQ(outcome(ended), "ok");
  EXPECT_EQ(end_of(*ended), "deadlineExceeded");
}

TEST(Bounds, AreTheDocumentedOnes) {
  EXPECT_EQ(k_call_bound, 30s);
  EXPECT_EQ(k_create_bound, 120s);
  EXPECT_EQ(bound_of(Wait{7ms}), 7ms);
  EXPECT_EQ(bound_of(GetCall{session_id("s1")}), 30s);
  EXPECT_EQ(bound_of(StopCall{session_id("s1")}), 30s);
  EXPECT_EQ(bound_of(ResumeCall{session_id("s1")}), 30s);
  EXPECT_EQ(bound_of(DeleteCall{OwnedAddressableId(session_id("s1").borrow())}), 30s);
}

TEST(SteadyTime, NeverGoesBackAndWaitsAtLeastAsLongAsItSays) {
  SteadyClock clock;
  Instant before = clock.now();
  for (int i = 0; i < 5; ++i) {
    clock.wait(3ms);
    const Instant after = clock.now();
    EXPECT_GE(after - before, 2ms);  // now() cuts to whole milliseconds
    before = after;
  }
}

}  // namespace
}  // namespace sandproof::props
