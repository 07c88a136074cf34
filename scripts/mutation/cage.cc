// cage SECONDS ROOM WRITABLE PROGRAM ARGUMENT...: runs a program where it can do no harm, as the
// first process of namespaces that unshare has made. It can write to nothing but ROOM, a directory
// that is empty, small, and gone with it, and WRITABLE, a file, if that is no "-". How many
// processes there may be, how much memory each has, and how many seconds of a processor, is
// bounded.
//
// It says "began" once nothing can fail any more, and ends as the program does; 128 + n for a
// signal n.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr rlim_t k_max_memory = rlim_t{4} << 30U;
// Of the namespace: the kernel counts by user, and exempts only root of the machine.
constexpr rlim_t k_max_processes = 500;
constexpr const char* k_room = "size=64m,nr_inodes=20k,mode=1777";

void need(bool done, const char* what) {
  if (done) return;
  std::perror(what);
  std::exit(125);
}

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  need(setrlimit(resource, &both) == 0, "setrlimit");
}

void set_read_only(const char* place, unsigned int flags, bool read_only) {
  mount_attr change{};
  (read_only ? change.attr_set : change.attr_clr) = MOUNT_ATTR_RDONLY;
  need(mount_setattr(AT_FDCWD, place, flags, &change, sizeof change) == 0, place);
}

// Until the program has ended; its orphans are this process's to reap.
int status_of(pid_t program) {
  for (;;) {
    int status = 0;
    const pid_t pid = wait(&status);
    need(pid > 0, "wait");
    if (pid == program) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) return 125;
  const char* const room = words[2];
  const char* const writable = words[3];
  const bool has_writable = std::strcmp(writable, "-") != 0;
  // A mount of its own, which can be left as it is.
  if (has_writable) need(mount(writable, writable, nullptr, MS_BIND, nullptr) == 0, writable);
  set_read_only("/", AT_RECURSIVE, true);
  if (has_writable) set_read_only(writable, 0, false);
  need(mount("tmpfs", room, "tmpfs", MS_NOSUID | MS_NODEV, k_room) == 0, room);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, k_max_memory);
  limit(RLIMIT_NPROC, k_max_processes);
  limit(RLIMIT_CPU, std::strtoul(words[1], nullptr, 10));
  need(access(words[4], X_OK) == 0, words[4]);
  std::puts("began");
  std::fflush(stdout);
  const pid_t program = fork();
  if (program == 0) {
    execv(words[4], words + 4);
    _exit(125);
  }
  need(program > 0, "fork");
  return status_of(program);
}
