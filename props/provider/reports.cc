// Exec results of the answerer: what the wrapper writes, and what a forger can make of it.
#include <sodium/crypto_hash_sha256.h>

#include "answerer.h"
#include "invariants.h"

namespace sandproof::props {
namespace {

// The secrets of an honest wrapper, of a forger, and the lines that they make.
constexpr std::string_view k_deadline_secret = "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf";
constexpr std::string_view k_exit_secret = "e0e1e2e3e4e5e6e7e8e9eaebecedeeef";
constexpr std::string_view k_forged_secret = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

// digest_of is the SHA-256 of a secret and a newline, in lower-case hex.
std::string digest_of(std::string_view secret) {
  const std::string line = std::string(secret) + "\n";
  std::array<unsigned char, crypto_hash_sha256_BYTES> bytes{};
  crypto_hash_sha256(bytes.data(), reinterpret_cast<const unsigned char*>(line.data()),
                     line.size());
  std::string digest;
  for (const unsigned char byte : bytes) {
    digest += "0123456789abcdef"[byte >> 4];
    digest += "0123456789abcdef"[byte & 15];
  }
  return digest;
}

std::string line_of(const CallId& call, std::string_view rest) {
  return "sandproof1 " + std::string(call.view()) + " " + std::string(rest) + "\n";
}

}  // namespace

std::vector<Report> reports(const CallId& call) {
  static const std::string digests = digest_of(k_deadline_secret) + " " + digest_of(k_exit_secret);
  static const std::string forged_digests =
      digest_of(k_forged_secret) + " " + digest_of(k_exit_secret);
  const std::string start = line_of(call, digests);
  const std::string start_again = line_of(call, forged_digests);
  const std::string deadline = line_of(call, "deadline " + std::string(k_deadline_secret));
  const std::string forged = line_of(call, "deadline " + std::string(k_forged_secret));
  const std::string exit = line_of(call, "exit " + std::string(k_exit_secret));
  const std::string refusal = line_of(call, "refused " + std::string(k_markers[1]));
  const std::string marker(k_markers[0]);
  const std::string warning = "sh: " + marker + "\n";
  const std::string err = marker + " err\n";
  const std::string out = marker + " out";
  const std::string half = start.substr(0, start.size() / 2);
  const std::string not_found = "sh: not found " + marker + "\n";
  const std::string other =
      std::string("sandproof1 ") + (call.view()[0] == '0' ? '1' : '0') + start.substr(12);

  // Output is the command's standard output and error, the preamble, and the exit code; what did
  // not run gives none.
  using enum Finish;
  const auto none = std::optional<std::int32_t>();
  return {
      {"exit 0", {out, start + err + exit, 0}, exited, {out, err, "", 0}},
      {"deadline, 137", {out, start + err + deadline, 137}, killed, {out, err, "", none}},
      {"announced and no more", {out, start + err, 0}, unknown, {out, err, "", none}},
      {"refused, 126", {out, refusal, 126}, not_bounded, {}},
      {"nothing at all", {"", "", 0}, unverified, {}},
      {"exit 7, no output", {"", start + exit, 7}, exited, {"", "", "", 7}},
      {"exit -1, warning", {"", warning + start + err + exit, -1}, exited, {"", err, warning, -1}},
      {"exit 137, attested", {"", start + exit + err, 137}, exited, {"", err, "", 137}},
      {"deadline, 3", {out, start + deadline, 3}, exited, {out, "", "", 3}},
      {"deadline, no code", {out, start + err + deadline, none}, unknown, {out, err, "", none}},
      {"exit, no code", {"", start + err + exit, none}, unknown, {"", err, "", none}},
      {"forged deadline, 137", {out, start + forged, 137}, unknown, {out, forged, "", none}},
      {"deadline and exit", {out, start + deadline + exit, 137}, unknown, {out, exit, "", none}},
      {"announced twice",
       {out, start + start_again + deadline, 137},
       unknown,
       {out, start_again, "", none}},
      {"announced, no code", {"", start, none}, unknown, {"", "", "", none}},
      {"refused, 0", {out, refusal, 0}, unverified, {}},
      {"refused, and more", {out, refusal + line_of(call, "x"), 126}, unverified, {}},
      {"127, the shell's words", {out, not_found, 127}, not_bounded, {}},
      {"127, part of a line", {out, "sandproof1 " + marker, 127}, unverified, {}},
      {"nothing, no code", {"", "", none}, unverified, {}},
      {"half an announcement", {out, half, 137}, unverified, {}},
      {"another call's announcement", {out, other, 0}, unverified, {}},
  };
}

}  // namespace sandproof::props
