// What an image is found to be by trying the wrapper in it.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "json.h"
#include "tool.h"

namespace sandproof::cli {

// TrialKind is one command that is tried. A scheme that fails one that is needed is of no use.
struct TrialKind {
  std::string_view name;
  std::string_view summary;
  std::span<const std::string_view> words;
  std::chrono::milliseconds deadline;
  std::optional<int> exit_code;  // nothing: the deadline ends it
  bool needed = true;  // otherwise it may be that the sleep there takes whole seconds only
};

// Trial is what one came to. The message says what was wrong: printable ASCII, empty if nothing.
struct Trial {
  SchemeName scheme;
  const TrialKind* kind;
  bool held;
  bool excused;  // not held, and all that this shows is a sleep for whole seconds
  std::chrono::milliseconds elapsed;
  std::string message;
};

// Probed is what is known of an image. What it says of itself, the shell and what is missing, is a
// claim; what is taken of it is a name that is known here, or one that the report's reader let
// pass.
struct Probed {
  std::string_view shell;  // "unknown" where it is none of those that the wrapper is tested under
  Strings missing;
  bool described = false;  // whether it said so: if not, nobody knows that nothing is missing
  bool answered = false;   // whether any call had an answer that only one who read it can give
  std::vector<Trial> trials;
  std::optional<SchemeName> scheme;  // the one to use, if there is one
  bool fractions = false;            // whether a deadline may have a fraction of a second
  std::string message;               // why there are not all trials: printable ASCII
};

// probe sends calls to an image, as a service does: the words of the prefix, then `/bin/sh -c` and
// the text. Each may take `limit`; the first that gives no answer by then is the last. It complains
// where the prefix cannot be run, and where `stop` can be read. prepare_random() must have been
// called.
[[nodiscard]] std::expected<Probed, Complaint> probe(const Strings& prefix,
                                                     std::chrono::milliseconds limit, int stop);

}  // namespace sandproof::cli
