// Reading and writing file descriptors: every byte, or the reason why not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sandproof::cli {

// reason_text is the system's text for an errno.
[[nodiscard]] std::string reason_text(int error);

// read_some waits for bytes, reads up to bytes.size() of them and gives how many: 0 at the end.
// The error is an errno. Interruptions and non-blocking descriptors are waited out.
[[nodiscard]] std::expected<std::size_t, int> read_some(int descriptor, std::span<char> bytes);

// read_document reads a file, or standard input for "-", until its end or one byte past `limit`,
// so that the reader of the document sees that it is too large. The error is an errno.
[[nodiscard]] std::expected<std::string, int> read_document(std::string_view path,
                                                            std::size_t limit);

// Output writes to one descriptor. The first failure is kept and ends the writing: what follows a
// gap would be misread.
class Output {
 public:
  explicit Output(int descriptor) noexcept : descriptor_(descriptor) {}

  // write writes all of `text` before it returns. False once a write has failed.
  bool write(std::string_view text) noexcept;

  // write gives up, in the middle of the text perhaps, where nobody takes it and `stop` can be
  // read. False then, and once a write has failed.
  bool write(std::string_view text, int stop) noexcept;

  // fail is for who learns without a write that none can succeed.
  void fail(int error) noexcept { error_ = error; }

  // finish closes the descriptor, which is when some file systems report a failed write.
  void finish() noexcept;

  // error is the errno of the first failure, or 0.
  [[nodiscard]] int error() const noexcept { return error_; }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  // colour says whether a reader sees colours: a terminal that is not dumb, and no NO_COLOR.
  [[nodiscard]] bool colour() const noexcept;

 private:
  int descriptor_;
  int error_ = 0;
  bool wrote_ = false;
};

// LineReader gives the lines of a descriptor one at a time, as soon as each is there.
//
// A line over the limit, or one that there is no memory for, is skipped up to its newline without
// being stored. The last line may lack its newline.
class LineReader {
 public:
  static constexpr std::size_t k_max_line_size = std::size_t{32} << 20;

  enum class Event : std::uint8_t { line, too_long, out_of_memory, end, failed };

  explicit LineReader(int descriptor) : descriptor_(descriptor), buffer_(k_chunk_size) {}

  // next moves on to the next line.
  [[nodiscard]] Event next();

  // line is the line without its newline, until next() is called again.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }

  // error is the errno of a read that failed.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  static constexpr std::size_t k_chunk_size = std::size_t{64} << 10;

  [[nodiscard]] bool make_room();
  [[nodiscard]] bool fill();
  [[nodiscard]] Event skip(Event event);

  int descriptor_;
  int error_ = 0;
  bool at_end_ = false;
  std::vector<char> buffer_;  // never empty
  std::size_t begin_ = 0;     // of what was read and not yet given out
  std::size_t end_ = 0;
  std::string_view line_;
};

}  // namespace sandproof::cli
