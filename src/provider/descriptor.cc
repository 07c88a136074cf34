#include "descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace sandproof::provider {

using namespace std::chrono_literals;

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Descriptor above_standard(int number) {
  if (number < 0 || number > STDERR_FILENO) return Descriptor(number);
  const Descriptor low(number);
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

std::expected<Pair, int> made(int failed, std::span<const int, 2> ends) {
  if (failed != 0) return std::unexpected(errno);
  Pair pair{above_standard(ends[0]), above_standard(ends[1])};
  if (!pair.ours || !pair.theirs) return std::unexpected(errno);
  return pair;
}

std::expected<Pair, int> make_pipe() {
  std::array<int, 2> ends{};
  auto pair = made(pipe2(ends.data(), O_CLOEXEC), ends);
  if (pair && fcntl(pair->ours.get(), F_SETFL, O_NONBLOCK) != 0) return std::unexpected(errno);
  return pair;
}

Reading read_some(int descriptor, std::string& text) {
  std::array<char, std::size_t{64} << 10> bytes;
  ssize_t count = 0;
  do {
    count = read(descriptor, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EAGAIN) return Reading::none;
  if (count <= 0) return Reading::end;
  text.append(bytes.data(), static_cast<std::size_t>(count));
  return Reading::some;
}

bool wait_until(std::span<pollfd> waited, SteadyTime until) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left <= 0ms) return false;
    const auto bounded = std::min<std::chrono::milliseconds>(left, 1h);
    const int ready = poll(waited.data(), waited.size(), static_cast<int>(bounded.count()));
    if (ready > 0) return true;
  }
}

}  // namespace sandproof::provider
