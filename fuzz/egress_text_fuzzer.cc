// Egress: what was declared, against a document. An input is a line `allow`, `deny` or
// `allow:HOST,HOST`, and after it any document.
#include <string_view>
#include <variant>

#include "egress_reference.h"
#include "examination.h"
#include "split.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

Declaration read_declaration(std::string_view line) {
  constexpr std::string_view k_list = "allow:";
  if (line == "allow") return declare_allow();
  if (!line.starts_with(k_list)) return declare_domains({});
  return declare_domains(split(line.substr(k_list.size()), ','));
}

// Whether a text is read as it should be is the question of another target (wire_fuzzer.cc).
void check_text(std::string_view input, bool whole) {
  const Declaration declared = read_declaration(take_line(input));
  const ExactCopy copy(input);
  const Decoded<EffectiveDocument> document = decode_effective(copy.view());
  if (!document) return;
  if (const auto* record = std::get_if<SandboxRecord>(&*document)) {
    check_record(declared, *record, normal_form(*document), whole, [&] {
      const reference::RecordReading reading = reference::read_record(copy.view());
      FUZZ_CHECK(reading.readable, copy.view(), reading.reason);
      return reference::compare(declared.theirs(), reading);
    });
    return;
  }
  const auto reading = [&] {
    const reference::Reading read = reference::read_policy(copy.view());
    FUZZ_CHECK(read.readable, copy.view(), read.reason);
    return read.document;
  };
  if (const auto* policy = std::get_if<EgressPolicy>(&*document)) {
    check_policy(declared, *policy, whole, reading);
  } else {
    const EffectiveEgress none = normal_form(*document);
    check_openings(none);
    check_same(declared, none, compare(declared.ours, none),
               reference::compare(declared.theirs(), reading(), false));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_text({reinterpret_cast<const char*>(data), size}, whole_examination(512));
  return 0;
}
