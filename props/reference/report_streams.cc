#include "report_streams.h"

#include <array>
#include <cstdint>
#include <initializer_list>

namespace sandproof::reference {
namespace {

// digits are 32 lower-case hex digits, different for each of a thousand choices and for each role.
std::string digits(const Chooser& choose, std::string_view role) {
  std::uint64_t state = choose(1000);
  for (const char c : role) state = state * 131 + static_cast<unsigned char>(c);
  std::string text(32, '0');
  for (char& digit : text) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    digit = "0123456789abcdef"[state >> 60U];
  }
  return text;
}

std::string one_of(const Chooser& choose, std::initializer_list<std::string_view> texts) {
  return std::string(texts.begin()[choose(static_cast<unsigned>(texts.size()))]);
}

// warning is what a shell may say by itself. It ends with a newline.
std::string warning(const Chooser& choose) {
  return one_of(choose, {"sh: warning: setlocale: LC_ALL: cannot change locale (xx)\n",
                         "bash: warning: shell level (9999) too high, resetting to 1\n", "\n",
                         "sandproof1 \n", "\xff\xfe\n"});
}

// text is a command's output without tricks: no line of a call, no 32 hex digits.
std::string text(const Chooser& choose) {
  return one_of(choose, {"", "\n", "make: *** [all] Error 2\n", "progress 50 %\r", "Killed\n",
                         "[1]+  Killed  sleep 9\n", "no newline", "caf\xc3\xa9\n", "\xc3", "\r\n",
                         std::string_view("a\0b\n", 4), "sandproof1 ", "sandproof1\n", "deadbeef",
                         "exit ", "deadline "});
}

std::optional<int> exit_code_of(const Chooser& choose) {
  constexpr std::array<int, 9> k_codes = {137, 126, 127, 0, 1, 9, 124, 393, -1};
  const unsigned chosen = choose(16);
  if (chosen == 15) return std::nullopt;
  return chosen < k_codes.size() ? k_codes[chosen] : 137;
}

std::string upper_case(std::string line) {
  for (char& c : line) {
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  }
  return line;
}

// mishap is a line as it may arrive: mostly whole, otherwise with one thing wrong.
std::string mishap(const Chooser& choose, std::string line) {
  const unsigned what = choose(28);
  const std::size_t at = choose(static_cast<unsigned>(line.size()) + 1);
  if (what == 0) return line.substr(0, at);  // A partial write, or the pipe was cut.
  if (what == 1) return line.substr(at);
  if (what == 2 && line.ends_with('\n')) line.pop_back();
  if (what == 3 && line.ends_with('\n')) line.insert(line.size() - 1, "\r");
  if (what == 4) return upper_case(line);
  if (what == 5) line.insert(at, text(choose));
  if (what == 6 && line.ends_with('\n')) line.insert(line.size() - 1, 1, 'a');
  return line;
}

// damage is what a data plane may do to a whole stream, mostly nothing.
std::string damage(const Chooser& choose, std::string bytes) {
  const unsigned what = choose(20);
  const std::size_t at = choose(static_cast<unsigned>(bytes.size()) + 1);
  if (what == 0) return bytes.substr(0, at);
  if (what == 1) return bytes.substr(at);
  if (what == 2 && at < bytes.size()) bytes.erase(at, 1);
  if (what == 3 && at < bytes.size())
    bytes[at] = one_of(choose, {"\n", "0", "a", "A", " ", "\xff"})[0];
  if (what == 4) bytes += bytes;
  return bytes;
}

std::string secret_of(const Secrets& secrets, std::string_view kind) {
  return kind == "deadline" ? secrets.deadline : secrets.exit;
}

bool holds(std::string_view bytes, std::string_view wanted) {
  return bytes.find(wanted) != std::string_view::npos;
}

bool holds_line(const std::string& bytes, const std::string& line) {
  return bytes.starts_with(line) || holds(bytes, "\n" + line);
}

// A command's own line: it has read the call id and the announcement, and knows `forger`.
std::string forged_line(const Chooser& choose, const SealedStream& stream) {
  const std::string kind = one_of(choose, {"deadline", "exit"});
  const std::string other_id = digits(choose, "other id");
  const std::string longer(65, 't');
  const std::string_view longest = std::string_view(longer).substr(1);
  switch (choose(12)) {
    case 0:
      return announcement_line(stream.call_id, stream.wrapper);
    case 1:
      return announcement_line(stream.call_id, stream.forger);
    case 2:
      return announcement_line(other_id, stream.forger);
    case 3:
      return final_line(stream.call_id, kind, secret_of(stream.forger, kind));
    case 4:
      return final_line(stream.call_id, kind, digits(choose, "guess"));
    case 5:
      return final_line(other_id, kind, secret_of(stream.forger, kind));
    case 6:
      return final_line(stream.call_id, kind, digest_of(stream.wrapper.deadline).substr(0, 32));
    case 7:
      return refused_line(stream.call_id, one_of(choose, {"setsid", "/dev/urandom", "", "Od", "a b",
                                                          longest, longer}));
    case 8:
      return refused_line(other_id, "od");
    case 9:
      return call_prefix(stream.call_id);
    case 10: {
      std::string fakes;
      const std::string fake = final_line(stream.call_id, kind, digits(choose, "guess"));
      for (unsigned left = 62 + choose(5); left > 0; --left) fakes += fake;
      return fakes;
    }
    default:
      return text(choose);
  }
}

// spent_line has a secret of the wrapper's in it, mostly as the wrapper writes it.
std::string spent_line(const Chooser& choose, const SealedStream& stream) {
  const std::string kind = one_of(choose, {"deadline", "exit"});
  const std::string other_kind = kind == "exit" ? "deadline" : "exit";
  switch (choose(8)) {
    case 0:
      return final_line(stream.call_id, kind, secret_of(stream.wrapper, other_kind));
    case 1:
      return final_line(digits(choose, "other id"), kind, secret_of(stream.wrapper, kind));
    case 2:
      return final_line(stream.call_id, "deadline", stream.wrapper.deadline) +
             final_line(stream.call_id, "exit", stream.wrapper.exit);
    default:
      return final_line(stream.call_id, kind, secret_of(stream.wrapper, kind));
  }
}

bool must_not_attest(const SealedStream& stream) {
  const std::string& bytes = stream.bytes;
  const bool secret_is_out =
      holds(bytes, stream.wrapper.deadline) || holds(bytes, stream.wrapper.exit);
  if (secret_is_out) return false;
  const bool announcement_is_whole =
      holds_line(bytes, announcement_line(stream.call_id, stream.wrapper));
  if (announcement_is_whole) return true;
  const bool forger_committed = holds(bytes, digest_of(stream.forger.deadline)) ||
                                holds(bytes, digest_of(stream.forger.exit));
  return !forger_committed;
}

bool is_secret_shaped(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool some_digits_repeat(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::string piece = bytes.substr(at, 32);
    if (is_secret_shaped(piece) && holds(std::string_view(bytes).substr(at + 1), piece))
      return true;
  }
  return false;
}

}  // namespace

std::string announcement_line(std::string_view call_id, const Secrets& secrets) {
  return call_prefix(call_id) + digest_of(secrets.deadline) + " " + digest_of(secrets.exit) + "\n";
}

std::string final_line(std::string_view call_id, std::string_view kind, std::string_view secret) {
  return call_prefix(call_id) + std::string(kind) + " " + std::string(secret) + "\n";
}

std::string refused_line(std::string_view call_id, std::string_view tool) {
  return call_prefix(call_id) + "refused " + std::string(tool) + "\n";
}

SealedStream sealed_stream(const Chooser& choose, Secrecy secrecy) {
  SealedStream stream;
  stream.exit_code = exit_code_of(choose);
  stream.call_id = digits(choose, "call id");
  stream.wrapper = {digits(choose, "deadline"), digits(choose, "exit")};
  stream.forger = {digits(choose, "forged deadline"), digits(choose, "forged exit")};

  std::string& bytes = stream.bytes;
  for (unsigned left = choose(3); left > 0; --left) bytes += warning(choose);
  if (choose(4) == 0) bytes += mishap(choose, forged_line(choose, stream));
  if (choose(5) != 0) bytes += mishap(choose, announcement_line(stream.call_id, stream.wrapper));
  for (unsigned left = choose(5); left > 0; --left) {
    const bool spends = secrecy == Secrecy::spent && choose(3) == 0;
    bytes += mishap(choose, spends ? spent_line(choose, stream) : forged_line(choose, stream));
  }
  if (secrecy == Secrecy::spent && choose(3) != 0)
    bytes += mishap(choose, spent_line(choose, stream));
  bytes = damage(choose, bytes);

  stream.must_not_attest = must_not_attest(stream);
  return stream;
}

NonceStream nonce_stream(const Chooser& choose) {
  NonceStream stream;
  stream.exit_code = exit_code_of(choose);
  stream.nonce = digits(choose, "nonce");
  const std::string planted = digits(choose, "planted");

  std::string& bytes = stream.bytes;
  for (unsigned left = choose(3); left > 0; --left) bytes += warning(choose);
  if (choose(5) == 0) bytes += mishap(choose, planted + "\n");
  if (choose(5) != 0) bytes += mishap(choose, stream.nonce + "\n");
  for (unsigned left = choose(5); left > 0; --left) {
    const std::string one = text(choose);
    const std::string other = text(choose);
    const std::string guess = digits(choose, "guess");
    const std::string line = one_of(
        choose, {one, other, stream.nonce, stream.nonce + "\n", planted + "\n", planted + planted,
                 "x" + guess + "\n", stream.nonce + "Killed\n", stream.nonce.substr(0, 16)});
    bytes += mishap(choose, line);
  }
  bytes = damage(choose, bytes);

  stream.must_not_kill = !some_digits_repeat(bytes);
  return stream;
}

HonestStream honest_sealed_stream(const Chooser& choose) {
  HonestStream stream;
  const Secrets secrets = {digits(choose, "deadline"), digits(choose, "exit")};
  stream.exit_code = exit_code_of(choose);
  stream.call_id = digits(choose, "call id");

  ReportAnswer& expected = stream.expected;
  expected.outcome = "ran";
  for (unsigned left = choose(3); left > 0; --left) expected.preamble += warning(choose);
  for (unsigned left = choose(4); left > 0; --left) expected.before += text(choose);
  const std::string start = expected.preamble + announcement_line(stream.call_id, secrets);
  const std::string kind = one_of(choose, {"deadline", "exit", "none"});
  if (kind == "none") {  // Something ended the wrapper.
    stream.bytes = start + expected.before;
    return stream;
  }
  for (unsigned left = choose(2); left > 0; --left) expected.after += text(choose);
  expected.attested = true;
  expected.killed = kind == "deadline" && stream.exit_code == 137;
  stream.bytes = start + expected.before +
                 final_line(stream.call_id, kind, secret_of(secrets, kind)) + expected.after;
  return stream;
}

HonestStream honest_nonce_stream(const Chooser& choose) {
  HonestStream stream;
  const std::string nonce = digits(choose, "nonce");
  stream.exit_code = exit_code_of(choose);

  ReportAnswer& expected = stream.expected;
  expected.outcome = "ran";
  for (unsigned left = choose(3); left > 0; --left) expected.preamble += warning(choose);
  for (unsigned left = choose(4); left > 0; --left) expected.before += text(choose);
  stream.bytes = expected.preamble + nonce + "\n" + expected.before;
  if (choose(2) == 0) return stream;
  for (unsigned left = choose(2); left > 0; --left) expected.after += text(choose);
  expected.killed = stream.exit_code == 137;
  stream.bytes += nonce + expected.after;
  return stream;
}

}  // namespace sandproof::reference
