#include "decoder.h"

#include <locale.h>  // NOLINT(modernize-deprecated-headers): uselocale is POSIX

#include <algorithm>
#include <limits>

#include "bytes.h"
#include "json_text.h"

namespace sandproof::wire {
namespace {

constexpr std::string_view k_byte_order_mark = "\xef\xbb\xbf";

// What a parser might read past or stop at, and so has to be refused before it starts.
std::optional<Unreadable> refused_bytes(std::string_view text, std::size_t max_size) {
  if (text.size() > max_size) return Unreadable{Reason::too_large, {}, max_size};
  if (text.starts_with(k_byte_order_mark)) return Unreadable{Reason::byte_order_mark, {}, 0};
  const std::size_t nul = text.find('\0');
  if (nul != text.npos) return Unreadable{Reason::nul, {}, nul};
  const std::size_t ill_formed = bytes::find_ill_formed_utf8(text);
  if (ill_formed != k_no_place) return Unreadable{Reason::invalid_utf8, {}, ill_formed};
  return std::nullopt;
}

// PlainNumbers makes this thread's numbers those of the C locale while it lives: the parser's lexer
// writes and reads decimal points the way the process's locale has them, and a number's spelling
// would come out with a comma.
class PlainNumbers {
 public:
  PlainNumbers() noexcept : before_(::uselocale(c_locale())) {}
  ~PlainNumbers() { ::uselocale(before_); }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  static locale_t c_locale() noexcept {
    static const locale_t k_c_locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return k_c_locale;
  }

  locale_t before_;
};

}  // namespace

std::expected<void, Unreadable> Decoder::run(std::string_view text, std::size_t max_size) {
  if (auto refused = refused_bytes(text, max_size)) return std::unexpected(std::move(*refused));
  const PlainNumbers plain;
  const bool parsed = nlohmann::json::sax_parse(text.data(), text.data() + text.size(), this);
  if (failure_) return std::unexpected(std::move(*failure_));
  if (!parsed) return std::unexpected(Unreadable{Reason::not_json, {}});
  return {};
}

// ---- Where an event belongs. ----

const Field& Decoder::expected() const noexcept {
  if (frames_.empty()) return *root_;
  const Frame& frame = frames_.back();
  return frame.shape == nullptr ? *frame.element : *frame.current;
}

bool Decoder::in_record_policy() const noexcept {
  return !frames_.empty() && frames_.front().current != nullptr &&
         frames_.front().current->slot == Slot::policy;
}

std::string Decoder::pointer() const {
  std::string out;
  for (const Frame& frame : frames_) {
    if (frame.shape == nullptr) {
      out += '/' + std::to_string(frame.index);
    } else if (frame.current != nullptr) {
      const bool unknown = frame.current->slot == Slot::unknown;
      out += json_text::pointer_token(unknown ? frame.unknown : frame.current->key);
    }
  }
  if (capture_) out += capture_->pointer();
  return out;
}

// stop ends the parsing.
bool Decoder::stop(Unreadable why) {
  failure_ = std::move(why);
  return false;
}

// A record's policy fails by itself; anything else fails the document.
bool Decoder::fail(Reason reason, std::string pointer) {
  Unreadable why{reason, std::move(pointer)};
  if (!in_record_policy()) return stop(std::move(why));
  record.policy = std::move(why);
  frames_.erase(frames_.begin() + 1, frames_.end());
  capture_.reset();
  return skip_further();
}

// skip_further skips until the end of a record's policy, which is one level below the record.
bool Decoder::skip_further() {
  skipping_ = depth_ > 1;
  if (skipping_) return true;
  return finish_value();
}

// finish_value notes that the value of the field or element at the top is complete.
bool Decoder::finish_value() {
  if (frames_.empty()) return true;
  Frame& frame = frames_.back();
  ++frame.index;
  frame.current = nullptr;
  return true;
}

// ---- Values of any shape, kept as text. ----

bool Decoder::captured_scalar(std::string text) {
  capture_->scalar(std::move(text));
  return capture_->done() ? finish_capture() : true;
}

bool Decoder::finish_capture() {
  std::string text = capture_->take();
  capture_.reset();
  store_captured(expected().slot, std::move(text));
  return finish_value();
}

void Decoder::store_captured(Slot slot, std::string text) {
  if (frames_.empty()) {
    canonical = std::move(text);
    return;
  }
  const Frame& frame = frames_.back();
  switch (slot) {
    case Slot::headers:
      body_->rules.back().action->headers = std::move(text);
      break;
    case Slot::skip_egress_proxy:
      record.skip_egress_proxy = std::move(text);
      break;
    case Slot::customer_network:
      record.customer_vnet_connection_name = std::move(text);
      break;
    case Slot::unknown:
      if (frame.shape->unknown != Unknown::keep) break;
      body_->unmodelled.push_back({frame.unknown, std::move(text)});
      break;
    default:  // every other slot has a type of its own
      break;
  }
}

// ---- Scalars. ----

bool Decoder::null() {
  if (skipping_) return true;
  if (capturing()) return captured_scalar("null");
  const Field& field = expected();
  if (field.null == Null::absent) {
    root_is_null = frames_.empty();
    if (!frames_.empty() && frames_.back().shape != nullptr) {
      Frame& frame = frames_.back();
      frame.present &= ~(1U << static_cast<unsigned>(&field - frame.shape->fields.data()));
    }
    return finish_value();
  }
  if (field.type != Type::any) return fail(Reason::wrong_type);
  capture_.emplace();
  return captured_scalar("null");
}

bool Decoder::boolean(bool value) {
  if (skipping_) return true;
  if (!capturing()) {
    if (expected().type != Type::any) return fail(Reason::wrong_type);
    capture_.emplace();
  }
  return captured_scalar(value ? "true" : "false");
}

bool Decoder::number_integer(std::int64_t value) {
  if (skipping_) return true;
  if (!capturing()) {
    if (expected().type == Type::integer) {
      exec_result.exit_code = static_cast<std::int32_t>(value);
      return exec_result.exit_code == value ? finish_value() : fail(Reason::out_of_range);
    }
    if (expected().type != Type::any) return fail(Reason::wrong_type);
    capture_.emplace();
  }
  return captured_scalar(std::to_string(value));
}

bool Decoder::number_unsigned(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return number_integer(static_cast<std::int64_t>(value));
  }
  return number_float(0, std::to_string(value));
}

bool Decoder::number_float(double, const std::string& spelling) {
  if (skipping_) return true;
  if (!capturing()) {
    if (expected().type == Type::integer) return fail(Reason::out_of_range);
    if (expected().type != Type::any) return fail(Reason::wrong_type);
    capture_.emplace();
  }
  return captured_scalar(spelling);
}

bool Decoder::string(std::string& value) {
  if (skipping_) return true;
  if (!capturing()) {
    const Field& field = expected();
    if (field.type == Type::text || field.type == Type::output) {
      const bool nul = value.find('\0') != value.npos;
      if (field.type == Type::text && nul) return fail(Reason::nul);
      store_text(field.slot, value);
      return finish_value();
    }
    if (field.type != Type::any) return fail(Reason::wrong_type);
    capture_.emplace();
  }
  std::string text;
  json_text::append_string(text, value);
  return captured_scalar(std::move(text));
}

// JSON text has no binary values.
bool Decoder::binary(nlohmann::json::binary_t&) { return fail(Reason::wrong_type); }

// Copied, so that the parser keeps its buffer and does not let one grow for each string; but not a
// command's output, which may be most of the memory there is.
void Decoder::store_text(Slot slot, std::string& value) {
  PolicyBody& body = *body_;
  switch (slot) {
    case Slot::default_action:
      body.default_action = value;
      break;
    case Slot::inspection:
      body.traffic_inspection = value;
      break;
    case Slot::pattern:
      body.host_rules.back().pattern = value;
      break;
    case Slot::action:
      body.host_rules.back().action = value;
      break;
    case Slot::rule_name:
      body.rules.back().name = value;
      break;
    case Slot::match_host:
      body.rules.back().match->host = value;
      break;
    case Slot::match_path:
      body.rules.back().match->path = value;
      break;
    case Slot::method:
      body.rules.back().match->methods->push_back(value);
      break;
    case Slot::action_type:
      body.rules.back().action->type = value;
      break;
    case Slot::action_host:
      body.rules.back().action->host = value;
      break;
    case Slot::action_path:
      body.rules.back().action->path = value;
      break;
    case Slot::action_scheme:
      body.rules.back().action->scheme = value;
      break;
    case Slot::id:
      record.id = value;
      break;
    case Slot::state:
      record.state = value;
      break;
    case Slot::standard_output:
      exec_result.standard_output = std::move(value);
      break;
    case Slot::standard_error:
      exec_result.standard_error = std::move(value);
      break;
    default:  // every other slot has another type
      break;
  }
}

// ---- Objects and lists. ----

bool Decoder::start_object(std::size_t) { return enter(true); }
bool Decoder::start_array(std::size_t) { return enter(false); }

bool Decoder::enter(bool object) {
  ++depth_;
  if (skipping_) return true;
  if (depth_ > k_max_document_depth) return fail(Reason::too_deep);
  if (!capturing()) {
    const Field& field = expected();
    const bool fits = object ? field.type == Type::object
                             : field.type == Type::list || field.type == Type::raw_list;
    if (field.type != Type::any && !fits) return fail(Reason::wrong_type);
    if (field.type == Type::object || field.type == Type::list) {
      open(field);
      return true;
    }
    capture_.emplace();
  }
  object ? capture_->open_object() : capture_->open_list();
  return true;
}

void Decoder::open(const Field& field) {
  const Shape* shape = nullptr;
  if (field.type == Type::object) {
    shape = field.shape != nullptr ? field.shape : frames_.back().shape;
  }
  switch (field.slot) {
    case Slot::policy:
      policy_ = &record.policy.emplace<EgressPolicy>();
      body_ = policy_;
      break;
    case Slot::http:
      body_ = &policy_->http.emplace();
      break;
    case Slot::host_rule:
      body_->host_rules.emplace_back();
      break;
    case Slot::rule:
      body_->rules.emplace_back();
      break;
    case Slot::match:
      body_->rules.back().match.emplace();
      break;
    case Slot::methods:
      body_->rules.back().match->methods.emplace();
      break;
    case Slot::rule_action:
      body_->rules.back().action.emplace();
      break;
    default:
      break;
  }
  frames_.push_back({.shape = shape,
                     .element = field.element,
                     .current = nullptr,
                     .unknown = {},
                     .seen = 0,
                     .present = 0,
                     .index = 0,
                     .ignored = {}});
}

bool Decoder::key(std::string& name) {
  if (skipping_) return true;
  if (capturing()) {
    capture_->key(std::move(name));
    return true;
  }
  Frame& frame = frames_.back();
  const auto fields = frame.shape->fields;
  const auto field = std::ranges::find(fields, std::string_view(name), &Field::key);
  // A copy inside the copy is a field that nobody knows.
  if (field == fields.end() || (field->slot == Slot::http && in_copy())) {
    return unknown_key(frame, name);
  }
  const std::uint32_t bit = 1U << static_cast<unsigned>(field - fields.begin());
  if ((frame.seen & bit) != 0) {
    return fail(Reason::duplicate_key, pointer() + json_text::pointer_token(name));
  }
  frame.current = &*field;
  frame.seen |= bit;
  frame.present |= bit;
  return true;
}

bool Decoder::unknown_key(Frame& frame, std::string& name) {
  const auto is_twin = [&name](const Field& field) {
    return field.key != name && bytes::equal_ignoring_case(field.key, name);
  };
  const bool twin =
      frame.shape->refuses_case_twins && std::ranges::any_of(frame.shape->fields, is_twin);
  if (frame.shape->unknown == Unknown::ignore) frame.ignored.push_back(name);
  // The name is outside: set before a failure asks for the pointer.
  frame.unknown = std::move(name);
  frame.current = &k_unknown_field;
  if (twin) return fail(Reason::key_case);
  if (frame.shape->unknown == Unknown::refuse) return fail(Reason::unknown_field);
  return true;
}

std::optional<std::string> Decoder::repeated_unknown(const Frame& frame) const {
  std::vector<std::string_view> names(frame.ignored.begin(), frame.ignored.end());
  if (frame.shape->unknown == Unknown::keep) {
    for (const UnmodelledField& field : body_->unmodelled) names.emplace_back(field.name);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::adjacent_find(names);
  if (repeated == names.end()) return std::nullopt;
  return std::string(*repeated);
}

bool Decoder::end_object() {
  --depth_;
  if (skipping_) return skip_further();
  if (capturing()) {
    if (!capture_->close_object()) {
      return fail(Reason::duplicate_key,
                  pointer() + json_text::pointer_token(capture_->repeated_key()));
    }
    return capture_->done() ? finish_capture() : true;
  }
  const Frame& frame = frames_.back();
  for (std::size_t i = 0; i < frame.shape->fields.size(); ++i) {
    const Field& field = frame.shape->fields[i];
    if (field.required == Required::yes && (frame.present & (1U << i)) == 0) {
      return fail(Reason::missing_field, pointer() + json_text::pointer_token(field.key));
    }
  }
  if (const auto repeated = repeated_unknown(frame)) {
    return fail(Reason::duplicate_key, pointer() + json_text::pointer_token(*repeated));
  }
  if (frames_.size() == 1) root_keys = frame.present;
  frames_.pop_back();
  if (!frames_.empty() && frames_.back().current != nullptr &&
      frames_.back().current->slot == Slot::http) {
    body_ = policy_;
  }
  return finish_value();
}

bool Decoder::end_array() {
  --depth_;
  if (skipping_) return skip_further();
  if (capturing()) {
    capture_->close_list();
    return capture_->done() ? finish_capture() : true;
  }
  frames_.pop_back();
  return finish_value();
}

bool Decoder::parse_error(std::size_t position, const std::string&,
                          const nlohmann::json::exception&) {
  return stop({Reason::not_json, {}, std::max<std::size_t>(position, 1) - 1});
}

}  // namespace sandproof::wire
