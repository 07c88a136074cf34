#include "sandproof/shell.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "bounded_program.h"
#include "bytes.h"

namespace sandproof {
namespace {

constexpr std::string_view k_escaped_quote = R"('\'')";

// Eight quotes in a row are written at once.
constexpr std::string_view k_quotes = "''''''''";
consteval std::array<char, k_quotes.size() * k_escaped_quote.size()> escaped_quotes() noexcept {
  std::array<char, k_quotes.size() * k_escaped_quote.size()> text{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = k_escaped_quote[i % k_escaped_quote.size()];
  }
  return text;
}
constexpr auto k_escaped_quotes = escaped_quotes();

char* append(char* out, std::string_view text) noexcept {
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// append_inside writes the bytes of a word without the quotes around it.
char* append_inside(char* out, std::string_view word) noexcept {
  while (!word.empty()) {
    for (; word.starts_with(k_quotes); word.remove_prefix(k_quotes.size())) {
      out = append(out, {k_escaped_quotes.data(), k_escaped_quotes.size()});
    }
    for (; word.starts_with('\''); word.remove_prefix(1)) out = append(out, k_escaped_quote);
    const std::size_t plain = std::min(word.find('\''), word.size());
    out = append(out, word.substr(0, plain));
    word.remove_prefix(plain);
  }
  return out;
}

// with_size makes a string of exactly `size` bytes, which `write` fills from its beginning.
template <class Write>
std::string with_size(std::size_t size, Write write) {
  std::string text;
  // Not the size that the string offers: libstdc++ 12 offers the capacity it rounded up to.
  text.resize_and_overwrite(size, [&write, size](char* out, std::size_t) {
    write(out);
    return size;
  });
  return text;
}

// expand writes a piece of the wrapper, and the value that stands behind it.
char* expand(char* out, const bounded::Piece& piece, std::string_view seconds,
             std::string_view call_id) noexcept {
  out = append(out, piece.text);
  switch (piece.then) {
    case bounded::Value::none:
      break;
    case bounded::Value::deadline:
      return append(out, seconds);
    case bounded::Value::call_id:
      return append(out, call_id);
  }
  return out;
}

// The longest wrapper there can be: a call id of 32 digits, seconds as in 86399.999.
consteval std::size_t longest(std::span<const bounded::Piece> program) noexcept {
  std::size_t size = 0;
  for (const bounded::Piece& piece : program) {
    size += piece.text.size() + std::max<std::size_t>(k_call_id_size, 15);
  }
  return size;
}
static_assert(longest(bounded::k_sealed) <= k_max_wrapper_size);
static_assert(longest(bounded::k_sealed_fraction) <= k_max_wrapper_size);
static_assert(longest(bounded::k_nonce) <= k_max_wrapper_size);
static_assert(longest(bounded::k_nonce_fraction) <= k_max_wrapper_size);

std::span<const bounded::Piece> program(bool sealed, bool fraction) noexcept {
  if (sealed) {
    return fraction ? std::span<const bounded::Piece>(bounded::k_sealed_fraction)
                    : std::span<const bounded::Piece>(bounded::k_sealed);
  }
  return fraction ? std::span<const bounded::Piece>(bounded::k_nonce_fraction)
                  : std::span<const bounded::Piece>(bounded::k_nonce);
}

}  // namespace

std::size_t quoted_size(std::string_view word) noexcept {
  return 2 + word.size() + bytes::count(word, '\'') * (k_escaped_quote.size() - 1);
}

char* quote_into(char* out, std::string_view word) noexcept {
  *out++ = '\'';
  out = append_inside(out, word);
  *out++ = '\'';
  return out;
}

Checked<std::string> quote(std::span<const std::string_view> words) {
  std::size_t size = words.empty() ? 0 : words.size() - 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t nul = words[i].find('\0');
    if (nul != words[i].npos) {
      return std::unexpected(Refusal{Subject::word, Reason::nul, nul, i});
    }
    size += quoted_size(words[i]);
  }
  return with_size(size, [words](char* out) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i > 0) *out++ = ' ';
      out = quote_into(out, words[i]);
    }
  });
}

ShellText bounded_shell(const Command& command, Deadline deadline, const ReportScheme& scheme) {
  const SecondsText seconds = deadline.seconds_text();
  const bool fraction = deadline.milliseconds().count() % 1'000 != 0;
  const std::string_view call_id =
      scheme.is_sealed() ? scheme.call_id()->view() : std::string_view();
  const auto pieces = program(scheme.is_sealed(), fraction);

  std::size_t size = command.words_size();
  for (const bounded::Piece& piece : pieces) {
    size += piece.text.size();
    if (piece.then == bounded::Value::deadline) size += seconds.view().size();
    if (piece.then == bounded::Value::call_id) size += call_id.size();
  }
  return ShellText(with_size(size, [&](char* out) {
    for (const bounded::Piece& piece : pieces) {
      out = expand(out, piece, seconds.view(), call_id);
    }
    if (!command.variables().empty()) {
      *out++ = ' ';
      out = quote_into(out, k_env_program);
    }
    for (const EnvVariable& variable : command.variables()) {
      out = append(out, " '");
      out = append(out, variable.name().view());
      *out++ = '=';
      out = append_inside(out, variable.value());
      *out++ = '\'';
    }
    for (const std::string_view word : command.words()) {
      *out++ = ' ';
      out = quote_into(out, word);
    }
  }));
}

}  // namespace sandproof
