// What the tests of the C interface share: holding an answer of it against the C++ one.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "objects.h"
#include "sandproof/refusal.h"
#include "sandproof/sandproof.h"

inline void PrintTo(const sandproof_refusal& refusal, std::ostream* out) {
  *out << "subject " << refusal.subject << " reason " << refusal.reason << " offset "
       << refusal.offset << " word " << refusal.word;
}

inline bool operator==(const sandproof_refusal& a, const sandproof_refusal& b) {
  return a.subject == b.subject && a.reason == b.reason && a.offset == b.offset && a.word == b.word;
}

namespace sandproof::props::c {

// What stands in an output before the call, as k_no_refusal does.
inline constexpr std::size_t k_no_size = 777'777;

inline std::string to_string(sandproof_text text) { return {text.data, text.size}; }

inline std::vector<std::string_view> to_views(const std::vector<std::string>& all) {
  return {all.begin(), all.end()};
}

inline sandproof_refusal to_c(const Refusal& refusal) {
  return {static_cast<sandproof_subject>(refusal.subject),
          static_cast<sandproof_reason>(refusal.reason), refusal.offset, refusal.word};
}

// Block is a copy of some bytes in a heap block of exactly their size.
class Block {
 public:
  explicit Block(std::string_view bytes) : bytes_(new char[bytes.size()]), size_(bytes.size()) {
    bytes.copy(bytes_.get(), bytes.size());
  }
  [[nodiscard]] sandproof_text text() const { return {bytes_.get(), size_}; }
  [[nodiscard]] std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

// expect_written: the call writes `wanted` into every buffer that is large enough, says its exact
// size to every other one, and touches no byte that it need not.
inline void expect_written(const std::function<sandproof_status(sandproof_buffer*)>& call,
                           std::string_view wanted) {
  const auto with_capacity = [&](std::size_t capacity) {
    std::string room(capacity + 1, k_filler);
    sandproof_buffer buffer{room.data(), capacity, k_no_size};
    const sandproof_status status = call(&buffer);
    ASSERT_EQ(buffer.data, room.data());
    ASSERT_EQ(buffer.capacity, capacity);
    ASSERT_EQ(buffer.size, wanted.size());
    if (capacity < wanted.size()) {
      ASSERT_EQ(status, SANDPROOF_TOO_SMALL);
      ASSERT_EQ(room, std::string(capacity + 1, k_filler));
    } else {
      ASSERT_EQ(status, SANDPROOF_ACCEPTED);
      ASSERT_EQ(room, std::string(wanted) + std::string(capacity + 1 - wanted.size(), k_filler));
    }
  };
  sandproof_buffer nothing{nullptr, 0, k_no_size};
  ASSERT_EQ(call(&nothing), wanted.empty() ? SANDPROOF_ACCEPTED : SANDPROOF_TOO_SMALL);
  ASSERT_EQ(nothing.size, wanted.size());
  if (!wanted.empty()) {
    ASSERT_NO_FATAL_FAILURE(with_capacity(wanted.size() - 1));
  }
  ASSERT_NO_FATAL_FAILURE(with_capacity(wanted.size()));
  ASSERT_NO_FATAL_FAILURE(with_capacity(wanted.size() + 1));
}

// expect_refused: the call refuses as the library does, and leaves the buffer as it was.
inline void expect_refused(const Refusal& wanted, sandproof_status status,
                           const sandproof_refusal& refusal) {
  ASSERT_EQ(status, SANDPROOF_REFUSED);
  ASSERT_EQ(refusal, to_c(wanted));
}

// expect_same_text holds a call that gives a text or a refusal against what the library gives.
template <class Call>
void expect_same_text(const Checked<std::string>& wanted, Call call) {
  sandproof_refusal refusal = k_no_refusal;
  if (wanted) {
    ASSERT_NO_FATAL_FAILURE(
        expect_written([&](sandproof_buffer* out) { return call(out, &refusal); }, *wanted));
    ASSERT_EQ(refusal, k_no_refusal);
    return;
  }
  std::string room(8, k_filler);
  sandproof_buffer buffer{room.data(), room.size(), k_no_size};
  const sandproof_status status = call(&buffer, &refusal);
  ASSERT_NO_FATAL_FAILURE(expect_refused(wanted.error(), status, refusal));
  ASSERT_EQ(buffer.size, k_no_size);
  ASSERT_EQ(room, std::string(8, k_filler));
}

// expect_same_verdict does so for a call that gives a refusal or nothing.
template <class T, class Call>
void expect_same_verdict(const Checked<T>& wanted, Call call) {
  sandproof_refusal refusal = k_no_refusal;
  const sandproof_status status = call(&refusal);
  if (!wanted) return expect_refused(wanted.error(), status, refusal);
  ASSERT_EQ(status, SANDPROOF_ACCEPTED);
  ASSERT_EQ(refusal, k_no_refusal);
}

// expect_same_view does so for a call whose result is a part of its input.
template <class Call>
void expect_same_view(const Checked<std::string_view>& wanted, Call call) {
  const char nothing = 0;
  sandproof_text value{&nothing, k_no_size};
  ASSERT_NO_FATAL_FAILURE(expect_same_verdict(
      wanted, [&](sandproof_refusal* refusal) { return call(&value, refusal); }));
  ASSERT_EQ(value.data, wanted ? wanted->data() : &nothing) << "borrowed, or left as it was";
  ASSERT_EQ(value.size, wanted ? wanted->size() : k_no_size);
}

// vectors are the cases of one kind.
inline std::vector<nlohmann::json> vectors(std::string_view kind) {
  std::ifstream file(std::string(SANDPROOF_VECTORS) + "/" + std::string(kind) + ".jsonl");
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(file, line);) {
    all.push_back(nlohmann::json::parse(line).at("request"));
  }
  EXPECT_FALSE(all.empty()) << kind;
  return all;
}

// bytes_of gives a field that is text, or hex digits under the name with _hex.
inline std::string bytes_of(const nlohmann::json& request, const std::string& name,
                            const std::string& hex_name) {
  if (request.contains(name)) return request.at(name).get<std::string>();
  const auto hex = request.at(hex_name).get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes +=
        static_cast<char>(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace sandproof::props::c
