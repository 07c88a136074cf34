#include "local_sandbox.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "local_files.h"

namespace sandproof::provider {
namespace {

constexpr int k_conflict_status = 409;
constexpr int k_clearing_tries = 3;

// Effect is what a call means in a state.
enum class Effect : std::uint8_t { change, nothing, conflict };

// Row is one state: where it leads by itself, and what may be asked of it.
struct Row {
  ServiceState state;
  std::optional<ServiceState> next;
  Effect stop;
  Effect resume;
  bool works = false;
};

// In the order of ServiceState. Deleting leads nowhere: the sandbox is gone.
constexpr std::array<Row, k_service_state_count> k_rows{{
    {ServiceState::creating, ServiceState::running, Effect::conflict, Effect::conflict},
    {ServiceState::resuming, ServiceState::running, Effect::conflict, Effect::nothing},
    {ServiceState::running, std::nullopt, Effect::change, Effect::nothing, true},
    {ServiceState::stopping, ServiceState::stopped, Effect::nothing, Effect::conflict},
    {ServiceState::stopped, std::nullopt, Effect::nothing, Effect::change},
    {ServiceState::suspended, std::nullopt, Effect::nothing, Effect::change},
    {ServiceState::idle, std::nullopt, Effect::nothing, Effect::change},
    {ServiceState::deleting, std::nullopt, Effect::conflict, Effect::conflict},
    {ServiceState::failed, std::nullopt, Effect::conflict, Effect::conflict},
}};

constexpr const Row& row_of(ServiceState state) { return k_rows[static_cast<std::size_t>(state)]; }

static_assert(std::ranges::all_of(k_rows,
                                  [](const Row& row) { return &row_of(row.state) == &row; }));

TransportError conflict(ServiceState state) {
  return TransportError::conflict(k_conflict_status, TransportError::Propagation::unmarked,
                                  "the sandbox is " + std::string(word(state)));
}

// A command that could not be started. What execve says of the text and the variables is about
// them; the rest is about this machine.
TransportError not_started(int error) {
  const std::string text =
      "the command could not be started: " + std::generic_category().message(error);
  if (error == E2BIG) return TransportError::invalid_input(text);
  return TransportError::unavailable(text);
}

// Answer turns what a process left into the answer to the call.
struct ExecAnswer {
  Reply<ExecResult> operator()(ExecResult& result) const { return std::move(result); }
  Reply<ExecResult> operator()(LocalProcess::NotStarted& failed) const {
    return std::unexpected(not_started(failed.error));
  }
  Reply<ExecResult> operator()(LocalProcess::Lost& lost) const {
    switch (lost) {
      case LocalProcess::Lost::timed_out:
        return std::unexpected(TransportError::timed_out());
      case LocalProcess::Lost::too_large:
        return std::unexpected(Unreadable{Reason::too_large, {}});
      case LocalProcess::Lost::ended:
        break;
    }
    return std::unexpected(
        TransportError::unavailable("the session was ended while the command ran"));
  }
};

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

// Working counts a call as work, for the idle time.
class LocalSandbox::Working {
 public:
  explicit Working(LocalSandbox& sandbox) : sandbox_(sandbox) { ++sandbox.working_; }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
  ~Working() {
    const std::lock_guard lock(sandbox_.mutex_);
    --sandbox_.working_;
    sandbox_.used_at_ = now();
  }

 private:
  LocalSandbox& sandbox_;
};

LocalSandbox::LocalSandbox(Parts parts) : parts_(std::move(parts)), used_at_(now()) {
  enter(ServiceState::creating, used_at_);
}

Reply<SandboxRecord> LocalSandbox::read() {
  {
    const std::lock_guard lock(mutex_);
    if (const Settled settled = settle(now()); !settled) return std::unexpected(settled.error());
    if (reads_left_ > 0) --reads_left_;
  }
  return record();
}

bool LocalSandbox::is_gone() {
  const std::lock_guard lock(mutex_);
  return is_gone_;
}

SandboxRecord LocalSandbox::record() {
  const std::lock_guard lock(mutex_);
  SandboxRecord record{parts_.id, std::string(word(state_)), Absent{}, std::nullopt, std::nullopt};
  if (parts_.policy) record.policy = *parts_.policy;
  return record;
}

Reply<Accepted> LocalSandbox::stop() {
  const std::lock_guard lock(mutex_);
  if (const Settled settled = settle(now()); !settled) return std::unexpected(settled.error());
  const Effect effect = row_of(state_).stop;
  if (effect == Effect::conflict) return std::unexpected(conflict(state_));
  if (effect == Effect::change) enter(ServiceState::stopping, now());
  return Accepted{};
}

Reply<Accepted> LocalSandbox::resume() {
  const std::lock_guard lock(mutex_);
  if (const Settled settled = settle(now()); !settled) return std::unexpected(settled.error());
  const Effect effect = row_of(state_).resume;
  if (effect == Effect::conflict) return std::unexpected(conflict(state_));
  if (effect == Effect::change) enter(ServiceState::resuming, now());
  return Accepted{};
}

Reply<Accepted> LocalSandbox::remove(SteadyTime until) {
  std::vector<std::shared_ptr<LocalProcess>> processes;
  {
    const std::lock_guard lock(mutex_);
    if (const Settled settled = settle(now()); !settled) return std::unexpected(settled.error());
    if (state_ != ServiceState::deleting) enter(ServiceState::deleting, now());
    processes = processes_;
  }
  // Without the lock: calls in flight find out that their process was ended.
  for (const auto& process : processes) process->wait_for_end(until);
  const std::lock_guard lock(mutex_);
  return clear_away();
}

Reply<ExecResult> LocalSandbox::execute(const ExecBody& body, SteadyTime until) {
  std::unique_lock lock(mutex_);
  if (const Settled settled = work(now()); !settled) return std::unexpected(settled.error());
  const auto process = start(body);
  if (!process) return std::unexpected(process.error());
  processes_.push_back(*process);
  const Working working(*this);
  lock.unlock();
  LocalProcess::Collected collected = (*process)->collect(until);
  return std::visit(ExecAnswer{}, collected);
}

Reply<int> LocalSandbox::files() {
  const std::lock_guard lock(mutex_);
  if (const Settled settled = work(now()); !settled) return std::unexpected(settled.error());
  used_at_ = now();
  return parts_.directory.get();
}

void LocalSandbox::set_state(ServiceState state) {
  const std::lock_guard lock(mutex_);
  enter(state, now());
}

// settle moves on to the state that is due. It gives not_found for a sandbox that is gone.
LocalSandbox::Settled LocalSandbox::settle(SteadyTime now) {
  forget_ended();
  if (state_ == ServiceState::running && parts_.idle && working_ == 0 &&
      now - used_at_ >= *parts_.idle) {
    enter(ServiceState::suspended, now);
  }
  // What was still being ended when a remove gave up.
  if (state_ == ServiceState::deleting && !is_cleared_) static_cast<void>(clear_away());
  if (reads_left_ == 0 && now >= next_state_at_) {
    const bool is_waiting = state_ == ServiceState::stopping && !processes_.empty();
    if (const auto next = row_of(state_).next; next && !is_waiting) enter(*next, now);
    is_gone_ = is_gone_ || is_cleared_;
  }
  if (is_gone_) return std::unexpected(TransportError::not_found());
  return {};
}

// work is settle for what needs a sandbox that takes work.
LocalSandbox::Settled LocalSandbox::work(SteadyTime now) {
  Settled settled = settle(now);
  if (settled && !row_of(state_).works) return std::unexpected(conflict(state_));
  return settled;
}

void LocalSandbox::enter(ServiceState state, SteadyTime now) {
  state_ = state;
  reads_left_ = parts_.reads;
  next_state_at_ = now + parts_.time;
  used_at_ = now;
  if (state == ServiceState::running) return;
  for (const auto& process : processes_) process->end();
}

void LocalSandbox::forget_ended() {
  std::erase_if(processes_, [](const std::shared_ptr<LocalProcess>& process) {
    return process->left() == LocalProcess::Left::none;
  });
}

// clear_away removes the directory once nothing is left that could write to it.
Reply<Accepted> LocalSandbox::clear_away() {
  forget_ended();
  if (std::ranges::any_of(processes_, [](const std::shared_ptr<LocalProcess>& process) {
        return process->left() == LocalProcess::Left::unknown;
      })) {
    return std::unexpected(TransportError::unavailable(
        "a supervisor was killed: what it watched over may still be running"));
  }
  if (!processes_.empty()) return std::unexpected(TransportError::timed_out());
  // A file call in flight may have put something into a directory that was empty.
  for (int tries = 0; !is_cleared_ && tries < k_clearing_tries; ++tries) {
    is_cleared_ = remove_tree(parts_.base, parts_.id);
  }
  if (is_cleared_) return Accepted{};
  return std::unexpected(TransportError::unavailable("the directory could not be removed"));
}

std::expected<std::shared_ptr<LocalProcess>, TransportError> LocalSandbox::start(
    const ExecBody& body) {
  const std::string where = body.working_directory().value_or(".");
  auto directory = where.starts_with('/') ? open_directory(where)
                                          : open_directory_below(parts_.directory.get(), where);
  if (!directory) {
    // What is wrong with this machine is not the caller's.
    if (directory.error().kind() == TransportError::Kind::unavailable) {
      return std::unexpected(directory.error());
    }
    return std::unexpected(
        TransportError::invalid_input("the working directory: " + directory.error().raw()));
  }
  auto process = LocalProcess::start(
      {std::string(body.command().view()), parts_.environment, *std::move(directory)});
  if (!process) return std::unexpected(not_started(process.error()));
  return *std::move(process);
}

}  // namespace sandproof::provider
