// Files below one directory, and nowhere else.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "descriptor.h"
#include "sandproof/operation.h"
#include "sandproof/sandbox_path.h"

namespace sandproof::provider {

// Each function resolves its path below `root` with openat2(2), RESOLVE_BENEATH: a symbolic link
// that leads out is access_denied, whatever planted it there and when. What does not exist is
// not_found; what is no regular file (a directory, a pipe, a device) is invalid_input.

// read_below reads a file of at most k_max_local_file_size bytes; a longer one is too_large.
[[nodiscard]] Reply<FileContent> read_below(int root, SandboxPath path, SteadyTime until);

// write_below makes a file (mode 0644, less the umask) or replaces its content. Its directory must
// be there. After a failure half of the content may be there.
[[nodiscard]] Reply<Accepted> write_below(int root, SandboxPath path, std::string_view content,
                                          SteadyTime until);

// mkdir_below makes a directory and the missing ones above it (mode 0755, less the umask). One that
// is there already is accepted; a file in its place is a conflict.
[[nodiscard]] Reply<Accepted> mkdir_below(int root, SandboxPath path);

// open_directory_below opens a directory to work in.
[[nodiscard]] std::expected<Descriptor, TransportError> open_directory_below(
    int root, const std::string& path);

// open_directory opens one of this machine.
[[nodiscard]] std::expected<Descriptor, TransportError> open_directory(const std::string& path);

// remove_tree removes the directory `name` in `parent` with everything in it, and nothing that a
// link or a mount in it leads to. False if something is left.
[[nodiscard]] bool remove_tree(int parent, const std::string& name);

}  // namespace sandproof::provider
