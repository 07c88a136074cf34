#include "sandproof/local_data_plane.h"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "local_files.h"
#include "local_sandbox.h"

namespace sandproof {
namespace {

using namespace provider;

constexpr std::string_view k_template = "local-XXXXXX";
constexpr std::chrono::seconds k_closing_time{10};

SteadyTime end_of(DataPlane::Bound bound) { return std::chrono::steady_clock::now() + bound; }

TransportError unavailable(int error) {
  return TransportError::unavailable(std::generic_category().message(error));
}

// environment_of gives the variables of every command of a session, each name once.
std::vector<std::string> environment_of(const SessionEnvironment& session,
                                        const std::string& search_path, const std::string& home) {
  std::map<std::string, std::string> variables{{"PATH", search_path}, {"HOME", home}};
  for (const auto& [name, value] : session.variables()) variables[name] = value;
  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    environment.emplace_back(name).append(1, '=').append(value);
  }
  return environment;
}

std::string absolute(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(path, failed);
  return failed ? path : whole.string();
}

}  // namespace

class LocalDataPlane::State {
 public:
  explicit State(LocalOptions options)
      : options_(std::move(options)), base_path_(absolute(options_.base)) {
    auto base = open_directory(base_path_);
    if (base) base_ = *std::move(base);
  }

  Reply<SandboxRecord> create(const CreateBody& body) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return std::unexpected(closed());
    if (!base_) return std::unexpected(TransportError::unavailable("there is no base directory"));
    std::string path = base_path_ + '/' + std::string(k_template);
    if (mkdtemp(path.data()) == nullptr) return std::unexpected(unavailable(errno));
    const std::string id = path.substr(path.size() - k_template.size());
    auto directory = open_directory(path);
    if (!directory) {
      rmdir(path.c_str());
      return std::unexpected(directory.error());
    }
    const auto sandbox = std::make_shared<LocalSandbox>(
        LocalSandbox::Parts{id, base_.get(), *std::move(directory),
                            environment_of(body.environment, options_.search_path, path),
                            body.egress, body.idle_suspend, options_.reads, options_.time});
    sandboxes_.emplace(id, sandbox);
    return sandbox->record();
  }

  // with calls a sandbox, and forgets one that is gone.
  template <class Call>
  std::invoke_result_t<Call, LocalSandbox&> with(std::string_view id, Call call) {
    std::shared_ptr<LocalSandbox> sandbox;
    {
      const std::lock_guard lock(mutex_);
      if (is_closed_) return std::unexpected(closed());
      const auto found = sandboxes_.find(id);
      if (found == sandboxes_.end()) return std::unexpected(TransportError::not_found());
      sandbox = found->second;
    }
    auto reply = call(*sandbox);
    if (sandbox->is_gone()) {
      const std::lock_guard lock(mutex_);
      std::erase_if(sandboxes_, [&](const auto& each) { return each.second == sandbox; });
    }
    return reply;
  }

  bool close() {
    std::vector<std::shared_ptr<LocalSandbox>> sandboxes;
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
      for (const auto& [id, sandbox] : sandboxes_) sandboxes.push_back(sandbox);
    }
    const SteadyTime until = end_of(k_closing_time);
    bool is_clear = true;
    for (const auto& sandbox : sandboxes) {
      const Reply<Accepted> removed = sandbox->remove(until);
      const auto* error = removed ? nullptr : std::get_if<TransportError>(&removed.error());
      is_clear = is_clear && (removed || (error != nullptr && error->is_not_found()));
    }
    return is_clear;
  }

 private:
  static TransportError closed() {
    return TransportError::unavailable("the data plane has been closed");
  }

  const LocalOptions options_;
  const std::string base_path_;
  Descriptor base_;

  std::mutex mutex_;  // of what follows
  bool is_closed_ = false;
  std::map<std::string, std::shared_ptr<LocalSandbox>, std::less<>> sandboxes_;
};

LocalDataPlane::LocalDataPlane(LocalOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

LocalDataPlane::~LocalDataPlane() { static_cast<void>(close()); }

Reply<SandboxRecord> LocalDataPlane::create(const CreateBody& body, Bound) {
  return state_->create(body);
}

Reply<SandboxRecord> LocalDataPlane::get(SessionId id, Bound) {
  return state_->with(id.view(), [](LocalSandbox& sandbox) { return sandbox.read(); });
}

Reply<Accepted> LocalDataPlane::remove(AddressableId id, Bound bound) {
  return state_->with(id.view(),
                      [&](LocalSandbox& sandbox) { return sandbox.remove(end_of(bound)); });
}

Reply<Accepted> LocalDataPlane::stop(SessionId id, Bound) {
  return state_->with(id.view(), [](LocalSandbox& sandbox) { return sandbox.stop(); });
}

Reply<Accepted> LocalDataPlane::resume(SessionId id, Bound) {
  return state_->with(id.view(), [](LocalSandbox& sandbox) { return sandbox.resume(); });
}

Reply<ExecResult> LocalDataPlane::execute(SessionId id, const ExecBody& body, Bound bound) {
  return state_->with(id.view(),
                      [&](LocalSandbox& sandbox) { return sandbox.execute(body, end_of(bound)); });
}

Reply<FileContent> LocalDataPlane::read_file(SessionId id, SandboxPath path, Bound bound) {
  return state_->with(id.view(), [&](LocalSandbox& sandbox) -> Reply<FileContent> {
    const Reply<int> root = sandbox.files();
    if (!root) return std::unexpected(root.error());
    return read_below(*root, path, end_of(bound));
  });
}

Reply<Accepted> LocalDataPlane::write_file(SessionId id, SandboxPath path, std::string_view content,
                                           Bound bound) {
  return state_->with(id.view(), [&](LocalSandbox& sandbox) -> Reply<Accepted> {
    const Reply<int> root = sandbox.files();
    if (!root) return std::unexpected(root.error());
    return write_below(*root, path, content, end_of(bound));
  });
}

Reply<Accepted> LocalDataPlane::mkdir(SessionId id, const MkdirBody& body, Bound) {
  return state_->with(id.view(), [&](LocalSandbox& sandbox) -> Reply<Accepted> {
    const Reply<int> root = sandbox.files();
    if (!root) return std::unexpected(root.error());
    return mkdir_below(*root, body.path.borrow());
  });
}

bool LocalDataPlane::set_state(SessionId id, ServiceState state) {
  return state_
      ->with(id.view(),
             [&](LocalSandbox& sandbox) -> Reply<Accepted> {
               sandbox.set_state(state);
               return Accepted{};
             })
      .has_value();
}

bool LocalDataPlane::close() { return state_->close(); }

}  // namespace sandproof
