// Session ids: the input is the id.
#include "sandproof/session_id.h"

#include "examination.h"
#include "fuzz_check.h"
#include "reference/languages.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

bool accepts(std::string_view text) { return SessionId::parse(text).has_value(); }

void check_languages(std::string_view text, const Checked<SessionId>& id) {
  static const reference::Language& language = reference::language("session-id");
  static const reference::Language& addressable = reference::language("addressable-id");

  FUZZ_CHECK(id.has_value() == reference::in_language(language, text), text);

  const Checked<AddressableId> long_id = AddressableId::parse(text);
  FUZZ_CHECK(long_id.has_value() == reference::addressable_id(text), text);
  FUZZ_CHECK(long_id.has_value() == reference::in_language(addressable, text), text);
  FUZZ_CHECK(!long_id || long_id->view() == text, text);
  // The two differ by the length alone.
  const bool too_long = text.size() > k_max_session_id_size;
  FUZZ_CHECK(id.has_value() == (long_id.has_value() && !too_long), text);
  if (!long_id && !too_long) FUZZ_CHECK(long_id.error() == id.error(), text);
}

void check_accepted(std::string_view text, SessionId id) {
  FUZZ_CHECK(id.view().data() == text.data() && id.view() == text, text);
  FUZZ_CHECK(SessionId::parse(id.view()) == id, text);
  const OwnedSessionId owned(id);
  FUZZ_CHECK(owned.view() == text && owned.borrow() == id, owned.view(), text);
  for (std::size_t size = 1; size < text.size(); ++size) {
    FUZZ_CHECK(accepts(text.substr(0, size)), text, size);
  }
}

// An id is a plain run of bytes: cut anywhere, both parts are ids, and the other way round.
void check_parts(std::string_view text, bool accepted) {
  const std::size_t middle = text.size() / 2;
  const bool parts = accepts(text.substr(0, middle)) && accepts(text.substr(middle));
  if (text.size() >= 2 && text.size() <= k_max_session_id_size) FUZZ_CHECK(accepted == parts, text);
  if (accepted && text.size() * 2 <= k_max_session_id_size) {
    FUZZ_CHECK(accepts(std::string_view(std::string(text).append(text))), text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ExactCopy copy(data, size);
  const std::string_view text = copy.view();
  const Checked<SessionId> id = SessionId::parse(text);
  const reference::Answer answer = as_answer(id);
  FUZZ_CHECK(answer == reference::session_id(text), answer, reference::session_id(text));
  if (!whole_examination(16)) return 0;

  check_languages(text, id);
  check_parts(text, id.has_value());
  if (id) {
    check_accepted(text, *id);
  } else {
    check_message(explain(id.error(), text), text);
  }
  return 0;
}
