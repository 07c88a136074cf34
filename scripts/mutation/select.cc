// Reads once which mutant is wanted. What was entered goes to a file, so that it is known of
// processes too that end without leaving main.
#include "select.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

int sandproof_mutant = 0;
unsigned char* sandproof_entered = nullptr;

namespace {

constexpr std::size_t k_size = 4096;  // as runs.py has it

// Before every static object of a test.
__attribute__((constructor(101))) void read_environment() noexcept {
  if (const char* const mutant = std::getenv("SANDPROOF_MUTANT")) {
    sandproof_mutant = std::atoi(mutant);
  }
  const char* const path = std::getenv("SANDPROOF_ENTERED");
  if (path == nullptr) return;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* const bytes = ::mmap(nullptr, k_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes != MAP_FAILED) sandproof_entered = static_cast<unsigned char*>(bytes);
  ::close(file);
}

}  // namespace
