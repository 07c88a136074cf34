#include "streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

namespace sandproof::cli {
namespace {

// passing says whether a call that failed with `error` is worth repeating, after a wait for the
// descriptor where it would have blocked.
bool passing(int error, int descriptor, short events) noexcept {
  if (error == EINTR) return true;
  if (error != EAGAIN && error != EWOULDBLOCK) return false;
  pollfd waited{descriptor, events, 0};
  return poll(&waited, 1, -1) >= 0 || errno == EINTR;
}

class File {
 public:
  explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ > STDERR_FILENO) close(descriptor_);
  }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string reason_text(int error) { return std::generic_category().message(error); }

std::expected<std::size_t, int> read_some(int descriptor, std::span<char> bytes) {
  for (;;) {
    const ssize_t count = read(descriptor, bytes.data(), bytes.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    const int error = errno;
    if (!passing(error, descriptor, POLLIN)) return std::unexpected(error);
  }
}

std::expected<std::string, int> read_document(std::string_view path, std::size_t limit) {
  int descriptor = STDIN_FILENO;
  if (path != "-") {
    do {
      descriptor = open(std::string(path).c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return std::unexpected(errno);
  }
  const File file(descriptor);
  std::string text;
  constexpr std::size_t k_chunk_size = std::size_t{64} << 10;
  std::vector<char> chunk(k_chunk_size);
  while (text.size() <= limit) {
    const std::size_t wanted = std::min(chunk.size(), limit + 1 - text.size());
    const auto count = read_some(file.descriptor(), std::span(chunk).first(wanted));
    if (!count) return std::unexpected(count.error());
    if (*count == 0) break;
    text.append(chunk.data(), *count);
  }
  return text;
}

bool Output::write(std::string_view text) noexcept {
  while (error_ == 0 && !text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count >= 0) {
      wrote_ = true;
      text.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    const int error = errno;
    if (!passing(error, descriptor_, POLLOUT)) error_ = error;
  }
  return error_ == 0;
}

bool Output::write(std::string_view text, int stop) noexcept {
  while (error_ == 0 && !text.empty()) {
    std::array<pollfd, 2> waited{{{descriptor_, POLLOUT, 0}, {stop, POLLIN, 0}}};
    if (poll(waited.data(), waited.size(), -1) < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    if (waited[0].revents == 0) return false;
    // So much a pipe takes that has room at all.
    const std::string_view piece = text.substr(0, PIPE_BUF);
    write(piece);
    text.remove_prefix(piece.size());
  }
  return error_ == 0;
}

void Output::finish() noexcept {
  if (!wrote_) return;
  if (close(descriptor_) != 0 && errno != EINTR && error_ == 0) error_ = errno;
}

bool Output::colour() const noexcept {
  // One thread, which changes no environment.
  const char* no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  const char* terminal = std::getenv("TERM");      // NOLINT(concurrency-mt-unsafe)
  return (no_color == nullptr || *no_color == '\0') && terminal != nullptr && *terminal != '\0' &&
         std::string_view(terminal) != "dumb" && isatty(descriptor_) == 1;
}

LineReader::Event LineReader::next() {
  line_ = {};
  std::size_t scanned = begin_;
  for (;;) {
    const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(scanned);
    const auto last = buffer_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto newline = std::find(first, last, '\n');
    const auto line_end = static_cast<std::size_t>(newline - buffer_.begin());
    if (line_end - begin_ > k_max_line_size) return skip(Event::too_long);
    if (newline != last || at_end_) {
      if (newline == last && begin_ == end_) return Event::end;
      line_ = std::string_view(buffer_.data() + begin_, line_end - begin_);
      begin_ = newline == last ? line_end : line_end + 1;
      return Event::line;
    }
    const std::size_t unread = end_ - begin_;
    if (!make_room()) return skip(Event::out_of_memory);
    if (!fill()) return Event::failed;
    scanned = begin_ + unread;
  }
}

// make_room leaves at least one free byte behind end_. False when there is no memory for it.
bool LineReader::make_room() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ < buffer_.size()) return true;
  try {
    buffer_.resize(std::min(buffer_.size() * 2, k_max_line_size + k_chunk_size));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

// fill reads once behind end_. False when that failed.
bool LineReader::fill() {
  const auto count = read_some(descriptor_, std::span(buffer_).subspan(end_));
  if (!count) {
    error_ = count.error();
    return false;
  }
  at_end_ = *count == 0;
  end_ += *count;
  return true;
}

// skip drops what is left of the line, and then gives `event`.
LineReader::Event LineReader::skip(Event event) {
  for (;;) {
    const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto last = buffer_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto newline = std::find(first, last, '\n');
    if (newline != last) {
      begin_ = static_cast<std::size_t>(newline - buffer_.begin()) + 1;
      return event;
    }
    begin_ = end_ = 0;
    if (at_end_) return event;
    if (!fill()) return Event::failed;
  }
}

}  // namespace sandproof::cli
