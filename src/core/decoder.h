// The one reader of JSON documents: a parser's events, checked against the tables of shapes.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "canonical_builder.h"
#include "sandproof/wire.h"
#include "wire_shapes.h"

namespace sandproof::wire {

// Decoder is a SAX handler for nlohmann's parser. Exactly one target is written to, the one that
// the root field is about; every event either fits the tables or ends in failure().
class Decoder {
 public:
  explicit Decoder(const Field& root) noexcept : root_(&root) {}

  // run reads one whole text of at most `max_size` bytes.
  [[nodiscard]] std::expected<void, Unreadable> run(std::string_view text, std::size_t max_size);

  EgressPolicy policy;
  SandboxRecord record;
  ExecResult exec_result;
  std::string canonical;        // of a root of any type
  std::uint32_t root_keys = 0;  // a bit for each row of the root object that had a value
  bool root_is_null = false;

  // Events, by the names that nlohmann's parser calls them.
  bool null();
  bool boolean(bool value);
  bool number_integer(std::int64_t value);
  bool number_unsigned(std::uint64_t value);
  bool number_float(double value, const std::string& spelling);
  bool string(std::string& value);
  bool binary(nlohmann::json::binary_t& value);
  bool start_object(std::size_t);
  bool key(std::string& name);
  bool end_object();
  bool start_array(std::size_t);
  bool end_array();
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& error);

 private:
  // One object or list that is open.
  struct Frame {
    const Shape* shape;                // of an object; nullptr for a list
    const Field* element;              // of a list
    const Field* current;              // of an object: the field being read, nullptr between fields
    std::string unknown;               // the name of a current field that has no row
    std::uint32_t seen;                // a bit for each row that stood, null included
    std::uint32_t present;             // a bit for each row that has a value
    std::size_t index;                 // of a list: elements read
    std::vector<std::string> ignored;  // names without a row that are not kept, for duplicates
  };

  [[nodiscard]] const Field& expected() const noexcept;
  [[nodiscard]] bool capturing() const noexcept { return capture_.has_value(); }
  [[nodiscard]] bool in_record_policy() const noexcept;
  [[nodiscard]] bool in_copy() const noexcept { return body_ != policy_; }
  [[nodiscard]] std::string pointer() const;

  bool stop(Unreadable why);
  bool fail(Reason reason) { return fail(reason, pointer()); }
  bool fail(Reason reason, std::string pointer);
  bool captured_scalar(std::string text);
  bool finish_capture();
  bool finish_value();
  bool skip_further();
  bool enter(bool object);
  void open(const Field& field);
  void store_text(Slot slot, std::string& value);
  void store_captured(Slot slot, std::string text);
  bool unknown_key(Frame& frame, std::string& name);
  [[nodiscard]] std::optional<std::string> repeated_unknown(const Frame& frame) const;

  const Field* root_;
  EgressPolicy* policy_ = &policy;
  PolicyBody* body_ = &policy;
  std::vector<Frame> frames_;
  std::optional<CanonicalBuilder> capture_;
  std::size_t depth_ = 0;
  bool skipping_ = false;  // the rest of a record's policy that could not be read
  std::optional<Unreadable> failure_;
};

}  // namespace sandproof::wire
