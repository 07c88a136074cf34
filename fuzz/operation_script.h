// An operation of the C interface, and what a service answers to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "c/service.h"
#include "fuzz_check.h"
#include "split.h"

namespace sandproof::fuzz {

// said_by is what one line says: `*N` the letter N of the answerer's alphabet, anything else the
// body itself.
inline props::c::Said said_by(std::string_view line, const props::c::Service& service,
                              const Request& request) {
  if (!line.starts_with('*')) return std::string(line);
  line.remove_prefix(1);
  return props::c::said(pick(service.letters(request), take_byte(line)), request);
}

// check_operation drives an operation through C and through C++. Three bytes pick the
// configuration, what is asked, and what answers when the script has ended; then each line is an
// answer, and its first byte says how long it takes.
inline void check_operation(std::string_view script) {
  using namespace props::c;
  static const std::vector<Service> services(props::settings().begin(), props::settings().end());
  static const std::vector<Order> all_orders = orders();
  const Service& service = pick(services, take_byte(script));
  const Order& order = pick(all_orders, take_byte(script));
  const props::Tail& end = pick(service.ends(), take_byte(script));
  Twin twin(service.config(), order);
  Moments moments;
  while (const Request* const request = twin.request()) {
    if (script.empty()) {
      const props::Letter& letter = end.letters[request->index()];
      moments.give(twin, said(letter, *request), letter.pace);
      continue;
    }
    std::string_view line = take_line(script);
    const props::Pace pace = pick(k_paces, take_byte(line));
    moments.give(twin, said_by(line, service, *request), pace);
  }
  FUZZ_CHECK(twin.is_sound(), twin.complaint());
}

}  // namespace sandproof::fuzz
