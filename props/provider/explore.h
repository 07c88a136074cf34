// Every sequence of answers to a verb, up to a number of them.
#pragma once

#include <cstddef>
#include <vector>

#include "setting.h"

namespace sandproof::props {

// explore makes the operation again for every sequence of at most `depth` answers out of what
// `answers` offers for a request, and shows each to `check` when it has ended or the sequence has:
// an operation without a result is then destroyed where it stands. Waits are answered without a
// choice. Every answer takes a second.
template <class Make, class Answers, class Check>
void explore(Make make, std::size_t depth, Answers answers, Check check) {
  std::vector<std::size_t> chosen;
  std::vector<std::size_t> offered;
  do {
    auto operation = make();
    offered.clear();
    Instant now{0ms};
    while (const Request* request = operation.request()) {
      if (const auto* wait = std::get_if<Wait>(request)) {
        now += wait->duration;
        operation.resume(Accepted{}, now);
        continue;
      }
      if (offered.size() == depth) break;
      std::vector<Answer> options = answers(*request);
      if (chosen.size() == offered.size()) chosen.push_back(0);
      const std::size_t choice = chosen[offered.size()];
      offered.push_back(options.size());
      now += 1s;
      operation.resume(std::move(options[choice]), now);
    }
    check(operation);
    while (!chosen.empty() && chosen.back() + 1 == offered[chosen.size() - 1]) chosen.pop_back();
    if (!chosen.empty()) ++chosen.back();
  } while (!chosen.empty());
}

}  // namespace sandproof::props
