#include "local_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "sandproof/local_data_plane.h"

namespace sandproof::provider {
namespace {

constexpr std::size_t k_chunk_size = std::size_t{64} << 10;
constexpr int k_max_tries = 100;  // while somebody renames what is on the way
// Behind a directory's name: what cannot be entered cannot be opened so.
constexpr const char* k_itself = "/.";

constexpr mode_t k_file_mode = 0644;
constexpr mode_t k_directory_mode = 0755;
constexpr int k_conflict_status = 409;

std::string text_of(int error) { return std::generic_category().message(error); }

TransportError in_the_way(std::string raw) {
  return TransportError::conflict(k_conflict_status, TransportError::Propagation::unmarked,
                                  std::move(raw));
}

// What an errno says of a path that a caller chose. Any other is `unavailable`.
struct ErrorRow {
  int error;
  TransportError (*make)(std::string raw);
};
constexpr ErrorRow k_errors[] = {
    ErrorRow{ENOENT, TransportError::not_found},
    ErrorRow{ENOTDIR, TransportError::not_found},
    ErrorRow{EXDEV, TransportError::access_denied},  // it would lead out
    ErrorRow{ELOOP, TransportError::access_denied},
    ErrorRow{EACCES, TransportError::access_denied},
    ErrorRow{EPERM, TransportError::access_denied},
    ErrorRow{EISDIR, TransportError::invalid_input},
    ErrorRow{ENXIO, TransportError::invalid_input},  // a pipe that nobody reads
    ErrorRow{EINVAL, TransportError::invalid_input},
    ErrorRow{ENAMETOOLONG, TransportError::invalid_input},
    ErrorRow{EEXIST, in_the_way},
};

TransportError failure(int error) {
  const auto row = std::ranges::find(k_errors, error, &ErrorRow::error);
  return row == std::end(k_errors) ? TransportError::unavailable(text_of(error))
                                   : row->make(text_of(error));
}

// resolve opens what a path names under the rules that `how` has.
std::expected<Descriptor, int> resolve(int root, const char* path, open_how how) {
  for (int tries = 0;; ++tries) {
    const long number = syscall(SYS_openat2, root, path, &how, sizeof how);
    if (number >= 0) return Descriptor(static_cast<int>(number));
    if (errno != EINTR && (errno != EAGAIN || tries == k_max_tries)) return std::unexpected(errno);
  }
}

open_how how_to(int flags, mode_t mode, std::uint64_t rules) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = rules;
  return how;
}

std::expected<Descriptor, int> open_below(int root, const std::string& path, int flags,
                                          mode_t mode = 0) {
  return resolve(root, path.c_str(), how_to(flags, mode, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS));
}

// open_file opens a regular file. O_NONBLOCK: nobody waits for the other end of a planted pipe.
std::expected<Descriptor, TransportError> open_file(int root, SandboxPath path, int flags,
                                                    mode_t mode = 0) {
  auto file = open_below(root, std::string(path.view()), flags | O_NONBLOCK | O_NOCTTY, mode);
  if (!file) return std::unexpected(failure(file.error()));
  struct stat about{};
  if (fstat(file->get(), &about) != 0) return std::unexpected(failure(errno));
  if (!S_ISREG(about.st_mode)) {
    return std::unexpected(TransportError::invalid_input("not a regular file"));
  }
  return *std::move(file);
}

bool has_come(SteadyTime time) { return std::chrono::steady_clock::now() >= time; }

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { closedir(directory); }
};

// open_to_empty opens a directory in order to remove what is in it, and neither follows a link nor
// enters a mount: a command that may do so can put either anywhere.
std::expected<Descriptor, int> open_to_empty(int parent, const char* name) {
  const open_how how =
      how_to(O_RDONLY | O_DIRECTORY, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
  auto opened = resolve(parent, name, how);
  if (!opened && opened.error() == EACCES &&
      fchmodat(parent, name, S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0) {
    opened = resolve(parent, name, how);
  }
  return opened;
}

// Emptying removes what is in a directory. What lies deep is first moved up to the top: a command
// can nest directories deeper than there are descriptors, or stack, to follow it.
class Emptying {
 public:
  explicit Emptying(int top) noexcept : top_(top) {}

  // empty removes what is in a directory at some depth, but for what it moved up. What cannot be
  // removed keeps the directories above it, so nobody has to be told.
  void empty(int parent, const char* name, int depth);

  // take_moved says whether anything was moved since it was last asked.
  bool take_moved() noexcept { return std::exchange(moved_, false); }

 private:
  void remove_directory(int parent, const char* name, int depth) {
    if (depth == k_max_depth) {
      move_up(parent, name);
      return;
    }
    empty(parent, name, depth + 1);
    unlinkat(parent, name, AT_REMOVEDIR);
  }

  void move_up(int parent, const char* name) {
    // Its `..` changes, for which its owner must be able to write to it.
    [[maybe_unused]] const int changed = fchmodat(parent, name, S_IRWXU, AT_SYMLINK_NOFOLLOW);
    do {
      const std::string fresh = "moved-" + std::to_string(++number_);
      if (renameat2(parent, name, top_, fresh.c_str(), RENAME_NOREPLACE) == 0) {
        moved_ = true;
        return;
      }
    } while (errno == EEXIST);
  }

  static constexpr int k_max_depth = 64;

  int top_;
  std::uint64_t number_ = 0;
  bool moved_ = false;
};

void Emptying::empty(int parent, const char* name, int depth) {
  auto opened = open_to_empty(parent, name);
  if (!opened) return;
  // Its entries can be removed by who may write to it.
  [[maybe_unused]] const int changed = fchmod(opened->get(), S_IRWXU);
  const std::unique_ptr<DIR, CloseDirectory> directory(fdopendir(opened->get()));
  if (!directory) return;
  const int number = opened->release();                     // closed with the directory
  while (const dirent* entry = readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view each = entry->d_name;
    if (each == "." || each == "..") continue;
    if (unlinkat(number, entry->d_name, 0) == 0 || errno != EISDIR) continue;
    remove_directory(number, entry->d_name, depth);
  }
}

}  // namespace

Reply<FileContent> read_below(int root, SandboxPath path, SteadyTime until) {
  const auto file = open_file(root, path, O_RDONLY);
  if (!file) return std::unexpected(file.error());
  FileContent content;
  std::array<char, k_chunk_size> bytes;
  for (;;) {
    const ssize_t count = read(file->get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(failure(errno));
    if (count == 0) return content;
    content.bytes.append(bytes.data(), static_cast<std::size_t>(count));
    if (content.bytes.size() > k_max_local_file_size) {
      return std::unexpected(Unreadable{Reason::too_large, {}});
    }
    if (has_come(until)) return std::unexpected(TransportError::timed_out());
  }
}

Reply<Accepted> write_below(int root, SandboxPath path, std::string_view content,
                            SteadyTime until) {
  const auto file = open_file(root, path, O_WRONLY | O_CREAT | O_TRUNC, k_file_mode);
  if (!file) return std::unexpected(file.error());
  while (!content.empty()) {
    if (has_come(until)) return std::unexpected(TransportError::timed_out());
    const std::string_view chunk = content.substr(0, k_chunk_size);
    const ssize_t written = write(file->get(), chunk.data(), chunk.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::unexpected(failure(errno));
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return Accepted{};
}

Reply<Accepted> mkdir_below(int root, SandboxPath path) {
  const std::string_view whole = path.view();
  Descriptor parent;
  for (std::size_t begin = 0; begin < whole.size();) {
    const std::size_t end = std::min(whole.find('/', begin), whole.size());
    const std::string name(whole.substr(begin, end - begin));
    const int above = parent ? parent.get() : root;
    if (mkdirat(above, name.c_str(), k_directory_mode) != 0 && errno != EEXIST) {
      return std::unexpected(failure(errno));
    }
    auto made = open_below(root, std::string(whole.substr(0, end)), O_PATH | O_DIRECTORY);
    if (!made) return std::unexpected(failure(made.error() == ENOTDIR ? EEXIST : made.error()));
    parent = *std::move(made);
    begin = end + 1;
  }
  return Accepted{};
}

std::expected<Descriptor, TransportError> open_directory_below(int root, const std::string& path) {
  auto directory = open_below(root, path + k_itself, O_PATH | O_DIRECTORY);
  if (!directory) return std::unexpected(failure(directory.error()));
  return *std::move(directory);
}

std::expected<Descriptor, TransportError> open_directory(const std::string& path) {
  Descriptor directory(open((path + k_itself).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return std::unexpected(failure(errno));
  return directory;
}

bool remove_tree(int parent, const std::string& name) {
  const auto top = open_to_empty(parent, name.c_str());
  if (!top) return top.error() == ENOENT;  // a command may remove its own directory
  Emptying emptying(top->get());
  do {
    emptying.empty(parent, name.c_str(), 0);
  } while (emptying.take_moved());
  return unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace sandproof::provider
