// Egress: what was declared, against a policy or a sandbox record. An input is choices
// (egress_scenario.h) of which the declaration and the document are built.
#include "egress_document.h"
#include "egress_reference.h"
#include "examination.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

// check_through_text writes a record of one kind and reads it again, on both sides.
template <class T, class Read>
void check_through_text(const T& value, const reference::Document& document,
                        Decoded<T> (*decode)(std::string_view), Read read) {
  const ExactCopy copy(encode(value));
  const Decoded<T> again = decode(copy.view());
  FUZZ_CHECK(again == value, copy.view(), summary(again));
  const auto reading = read(copy.view());
  FUZZ_CHECK(reading.readable && reading.document == document, copy.view(), document.dump());
}

void check_built(std::string_view choices, bool whole) {
  const Scenario scenario(choices);
  const Declaration& declared = scenario.declaration();
  const bool through_text = whole && scenario.through_text();
  if (scenario.is_record()) {
    const auto document = [&] { return document_of(scenario.record()); };
    check_record(declared, scenario.record(), normal_form(scenario.record()), whole,
                 [&] { return reference::compare(declared.theirs(), document(), true); });
    if (through_text) {
      check_through_text(scenario.record(), document(), decode_record, reference::read_record);
    }
    return;
  }
  const auto document = [&] { return document_of(scenario.policy()); };
  check_policy(declared, scenario.policy(), whole, document);
  if (scenario.unchanged()) {
    FUZZ_CHECK(compare(declared.ours, normal_form(&scenario.policy())).holds(), document().dump());
  }
  if (through_text) {
    check_through_text(scenario.policy(), document(), decode_policy, reference::read_policy);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_built({reinterpret_cast<const char*>(data), size}, whole_examination(512));
  return 0;
}
