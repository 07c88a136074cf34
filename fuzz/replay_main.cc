// Runs a fuzz target on files, without a fuzzer: X_replay FILE-OR-DIRECTORY...
//
// The files of a directory are taken in the order of their names. Exit status 1 when a directory
// holds no input, or an input cannot be read; a failed check ends the program where it stands, and
// the input is named.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// There only in a build with sanitizers.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;

std::string current_input;  // NOLINT(cert-err58-cpp): for a handler, which can be given nothing

void write_error(std::string_view text) {
  // Nothing can be done about a message that cannot be written.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void name_input() {
  write_error("while replaying ");
  write_error(current_input);
  write_error("\n");
}

void on_signal(int number) {
  name_input();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void name_input_on_failure() {
  for (const int number : {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) {
    std::signal(number, on_signal);
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(name_input);
}

std::vector<fs::path> inputs_below(const fs::path& place) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> inputs;
  for (const auto& entry : fs::directory_iterator(place)) {
    if (entry.is_regular_file()) inputs.push_back(entry.path());
  }
  std::ranges::sort(inputs);
  return inputs;
}

bool replay(const fs::path& input) {
  std::ifstream file(input, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", input.c_str());
    return false;
  }
  current_input = input.string();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string name = fs::path(arguments[0]).filename().string();
  if (count < 2) {
    std::fprintf(stderr, "usage: %s FILE-OR-DIRECTORY...\n", name.c_str());
    return 2;
  }
  name_input_on_failure();
  std::size_t replayed = 0;
  bool complete = true;
  for (int i = 1; i < count; ++i) {
    const fs::path place = arguments[i];
    if (!fs::exists(place)) {
      std::fprintf(stderr, "there is no %s\n", place.c_str());
      complete = false;
      continue;
    }
    const std::vector<fs::path> inputs = inputs_below(place);
    if (inputs.empty()) {
      std::fprintf(stderr, "no input in %s\n", place.c_str());
      complete = false;
    }
    for (const fs::path& input : inputs) {
      if (replay(input)) {
        ++replayed;
      } else {
        complete = false;
      }
    }
  }
  std::printf("%s: %zu inputs replayed\n", name.c_str(), replayed);
  return complete ? 0 : 1;
}
