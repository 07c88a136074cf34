// Reports: a stream is read whole and in pieces, against the reference model. The first byte of an
// input says what its stream is, the second picks the exit code, the third the sizes of the pieces:
//
//   r, R  the rest is the stream (sealed, nonce)
//   p, P  the same, but the bytes 0x80 to 0x8f stand for whole lines of a call
//   k, s  drawn from the rest: a sealed stream whose secrets are kept, or spent
//   n     drawn: a nonce stream
//   h, H  drawn: an honest stream (sealed, nonce)
#include <array>
#include <string>
#include <string_view>

#include "examination.h"
#include "fuzz_check.h"
#include "reference/report.h"
#include "reference/report_streams.h"
#include "report_model.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;
using reference::Secrecy;

using ExitCode = std::optional<std::int32_t>;
constexpr std::array<ExitCode, 9> k_exit_codes{137, 126, 127, 0, 1, 9, -1, 393, std::nullopt};

// Cut is how a stream is cut into pieces; none where the examination is not whole.
using Cut = std::optional<std::uint8_t>;

const std::string k_id = "00112233445566778899aabbccddeeff";

// lines are what the bytes from 0x80 on stand for. The nonce is the call id.
const std::array<std::string, 16>& lines() {
  static const std::array<std::string, 16> all = [] {
    const reference::Secrets own{"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                                 "e0e1e2e3e4e5e6e7e8e9eaebecedeeef"};
    const reference::Secrets forger{"a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
                                    "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf"};
    const std::string other_id = "ff112233445566778899aabbccddeeff";
    const std::string fake = reference::final_line(k_id, "exit", forger.exit);
    std::string fakes;
    for (int i = 0; i < 31; ++i) fakes += fake;
    return std::array<std::string, 16>{
        reference::announcement_line(k_id, own),
        reference::announcement_line(k_id, forger),
        reference::announcement_line(other_id, own),
        reference::final_line(k_id, "deadline", own.deadline),
        reference::final_line(k_id, "exit", own.exit),
        reference::final_line(k_id, "exit", own.deadline),
        reference::final_line(other_id, "exit", own.exit),
        reference::call_prefix(k_id),
        reference::digest_of(own.deadline),
        own.exit,
        fake,
        fakes,
        reference::refused_line(k_id, "od"),
        std::string(ReportReader::k_max_held / 3, '.'),
        k_id,
        std::string(31, '0'),
    };
  }();
  return all;
}

std::string expanded(std::string_view text, Cut cut) {
  // Where the examination is whole there is room for what makes the reader look at candidates
  // early, and not much more: it costs time.
  const std::size_t room = cut ? ReportReader::k_max_held * 3 / 2 : 512;
  std::string stream;
  stream.reserve(room);
  for (const char c : text) {
    const std::size_t line = static_cast<std::uint8_t>(c) - std::size_t{0x80};
    if (line < lines().size() && stream.size() + lines()[line].size() <= room) {
      stream += lines()[line];
    } else {
      stream += c;
    }
  }
  return stream;
}

// chooser takes choices from the front of the bytes; past their end every choice is the first.
reference::Chooser chooser(std::string_view& bytes) {
  return [&bytes](unsigned below) {
    unsigned number = 0;
    for (unsigned range = 1; range < below && !bytes.empty(); range *= 256) {
      number = number * 256 + static_cast<std::uint8_t>(bytes.front());
      bytes.remove_prefix(1);
    }
    return number % below;
  };
}

// sizes are those of the pieces: all of one size, or in turn small and up to 4 KiB. Of a long
// stream they are not too many.
auto sizes(std::uint8_t choice, std::size_t stream_size) {
  constexpr std::size_t k_max_pieces = 512;
  const std::size_t least = stream_size / k_max_pieces;
  return [choice, least, state = std::uint32_t{choice}]() mutable -> std::size_t {
    if (choice < 64) return std::max<std::size_t>(choice + 1U, least);
    if (choice < 128) return (choice - std::size_t{63}) * 1'024;
    state = state * 1'664'525U + 1'013'904'223U;
    return std::max<std::size_t>((state >> 16U) % (choice % 2 == 0 ? 60U : 4'096U), least);
  };
}

// check_stream gives the report as the reference model writes one.
reference::ReportAnswer check_stream(const ReportScheme& scheme, ExitCode exit_code,
                                     std::string_view bytes, Cut cut) {
  const ExactCopy copy(bytes);
  const std::string_view stream = copy.view();
  const DeadlineReport report = read_report(scheme, exit_code, stream);
  reference::ReportAnswer answer = props::report_answer(report);
  const reference::ReportAnswer expected = props::ask_reference(scheme, exit_code, stream);
  FUZZ_CHECK(answer == expected, props::shown(answer), props::shown(expected), stream);
  FUZZ_CHECK(!report.killed || (report.outcome == Outcome::ran && exit_code == 137));
  if (!cut) return answer;

  if (report.outcome == Outcome::ran) {
    FUZZ_CHECK(explain(report).empty());
  } else {
    check_message(explain(report));
  }
  const props::Pieces pieces =
      props::read_in_pieces(scheme, exit_code, stream, sizes(*cut, stream.size()));
  const props::Pieces whole = props::pieces_of(report, stream);
  FUZZ_CHECK(pieces == whole, props::shown(pieces), props::shown(whole), stream);
  return answer;
}

ReportScheme sealed(std::string_view call_id) {
  return ReportScheme::sealed(CallId::parse(call_id).value());
}

void check_sealed(const reference::SealedStream& drawn, Cut cut) {
  const reference::ReportAnswer answer =
      check_stream(sealed(drawn.call_id), drawn.exit_code, drawn.bytes, cut);
  FUZZ_CHECK(!drawn.must_not_attest || (!answer.killed && !answer.attested), drawn.bytes);
}

void check_nonce(const reference::NonceStream& drawn, Cut cut) {
  const reference::ReportAnswer answer =
      check_stream(ReportScheme::nonce(), drawn.exit_code, drawn.bytes, cut);
  FUZZ_CHECK(!answer.attested && !(answer.killed && drawn.must_not_kill), drawn.bytes);
}

void check_honest(const reference::HonestStream& drawn, Cut cut) {
  const ReportScheme scheme = drawn.call_id.empty() ? ReportScheme::nonce() : sealed(drawn.call_id);
  const reference::ReportAnswer answer = check_stream(scheme, drawn.exit_code, drawn.bytes, cut);
  FUZZ_CHECK(answer == drawn.expected, props::shown(answer), props::shown(drawn.expected));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const ExitCode exit_code = k_exit_codes[data[1] % k_exit_codes.size()];
  const Cut cut = whole_examination(512) ? Cut(data[2]) : std::nullopt;
  std::string_view rest(reinterpret_cast<const char*>(data + 3), size - 3);
  switch (data[0]) {
    case 'p':
      check_stream(sealed(k_id), exit_code, expanded(rest, cut), cut);
      break;
    case 'P':
      check_stream(ReportScheme::nonce(), exit_code, expanded(rest, cut), cut);
      break;
    case 'k':
      check_sealed(reference::sealed_stream(chooser(rest), Secrecy::kept), cut);
      break;
    case 's':
      check_sealed(reference::sealed_stream(chooser(rest), Secrecy::spent), cut);
      break;
    case 'n':
      check_nonce(reference::nonce_stream(chooser(rest)), cut);
      break;
    case 'h':
      check_honest(reference::honest_sealed_stream(chooser(rest)), cut);
      break;
    case 'H':
      check_honest(reference::honest_nonce_stream(chooser(rest)), cut);
      break;
    case 'R':
      check_stream(ReportScheme::nonce(), exit_code, rest, cut);
      break;
    default:
      check_stream(sealed(k_id), exit_code, rest, cut);
      break;
  }
  return 0;
}
