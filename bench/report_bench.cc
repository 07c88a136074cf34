// Reports: reading 1 MiB of standard error, against memchr over the same bytes for a byte that is
// not among them, and against two searches behind the first line for a report that is known
// already.
//
//   report/whole/SCHEME/STREAM     read_report
//   report/pieces/SCHEME/STREAM    ReportReader, in pieces of 64 KiB
//   short_report/SCHEME/SIZE       read_report of many logs, another one each
//
// STREAM is log (announced, lines as a build prints them, a report), unannounced (the log alone),
// or what somebody prints who wants the reader to be slow: hex (digits), tags (`sandproof1 `),
// prefixes (`sandproof1 <call-id> `), fakes (final lines with other secrets), announcements (with
// other digests), refusals, newlines, and near_... (its last byte differs).
#include <cstring>
#include <deque>
#include <memory>

#include "contest.h"
#include "reference/report_streams.h"
#include "report_model.h"
#include "texts.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

constexpr std::size_t k_stream_size = std::size_t{1} << 20;
constexpr std::size_t k_piece_size = std::size_t{64} << 10;
constexpr std::int32_t k_exit_code = 137;
constexpr char k_absent = '\x01';

const std::string k_id = "00112233445566778899aabbccddeeff";
const reference::Secrets k_secrets{"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                                   "e0e1e2e3e4e5e6e7e8e9eaebecedeeef"};
const reference::Secrets k_forger{"a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
                                  "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf"};

struct Stream {
  std::string name;
  ReportScheme scheme;
  std::string bytes;
};

std::string repeated(std::string_view part) {
  std::string text;
  while (text.size() < k_stream_size) text += part;
  text.resize(k_stream_size);
  return text;
}

std::string hex_text(Numbers& numbers) {
  std::string text;
  while (text.size() < k_stream_size) text += numbers.of("0123456789abcdef");
  return text;
}

std::deque<Stream> make_streams() {
  Numbers numbers;
  const ReportScheme sealed = ReportScheme::sealed(CallId::parse(k_id).value());
  const std::string announcement = reference::announcement_line(k_id, k_secrets);
  const std::string report = reference::final_line(k_id, "deadline", k_secrets.deadline);
  const std::string prefix = reference::call_prefix(k_id);
  std::string near_prefix = prefix;
  near_prefix.back() = '.';
  const std::string log = log_text(numbers, k_stream_size);
  const std::string hex = hex_text(numbers);

  std::deque<Stream> streams;
  const auto add_sealed = [&](const std::string& name, const std::string& output) {
    streams.push_back({"sealed/" + name, sealed, announcement + output + report});
  };
  add_sealed("log", log);
  streams.push_back({"sealed/unannounced", sealed, log});
  add_sealed("hex", hex);
  add_sealed("tags", repeated("sandproof1 "));
  add_sealed("prefixes", repeated(prefix));
  add_sealed("near_prefixes", repeated(near_prefix));
  add_sealed("fakes", repeated(reference::final_line(k_id, "exit", k_forger.exit)));
  add_sealed("announcements", repeated(reference::announcement_line(k_id, k_forger)));
  streams.push_back({"sealed/refusals", sealed, repeated(reference::refused_line(k_id, "od"))});

  const auto add_nonce = [&](const std::string& name, const std::string& output) {
    streams.push_back({"nonce/" + name, ReportScheme::nonce(), k_id + '\n' + output + k_id});
  };
  add_nonce("log", log);
  streams.push_back({"nonce/unannounced", ReportScheme::nonce(), log});
  add_nonce("hex", hex);
  std::string near_nonce = k_id;
  near_nonce.back() = '0';
  add_nonce("near_nonces", repeated(near_nonce));
  add_nonce("newlines", repeated("\n"));
  streams.push_back({"nonce/zeros", ReportScheme::nonce(),
                     std::string(32, '0') + '\n' + repeated(std::string(31, '0') + '1')});
  streams.push_back({"nonce/near_lines", ReportScheme::nonce(), repeated(k_id.substr(1) + "g\n")});
  return streams;
}

void read(const Stream& stream) {
  benchmark::DoNotOptimize(read_report(stream.scheme, k_exit_code, stream.bytes));
}

void feed(const Stream& stream) {
  ReportReader reader(stream.scheme);
  std::string_view rest = stream.bytes;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, k_piece_size);
    benchmark::DoNotOptimize(reader.feed(piece));
    rest.remove_prefix(piece.size());
  }
  benchmark::DoNotOptimize(reader.finish(k_exit_code));
}

void scan(const Stream& stream) {
  benchmark::DoNotOptimize(std::memchr(stream.bytes.data(), k_absent, stream.bytes.size()));
}

// needle is what one would search for who knew the secret.
std::string needle(const Stream& stream) {
  return stream.scheme.is_sealed() ? reference::final_line(k_id, "deadline", k_secrets.deadline)
                                   : k_id;
}

std::string_view behind_first_line(const Stream& stream) {
  return std::string_view(stream.bytes).substr(stream.bytes.find('\n') + 1);
}

void verify(const Stream& stream) {
  const DeadlineReport report = read_report(stream.scheme, k_exit_code, stream.bytes);
  must(props::report_answer(report) ==
           props::ask_reference(stream.scheme, k_exit_code, stream.bytes),
       "another report than the reference's", stream.name);
  const props::Pieces pieces =
      props::read_in_pieces(stream.scheme, k_exit_code, stream.bytes, [] { return k_piece_size; });
  must(pieces == props::pieces_of(report, stream.bytes), "the pieces are not the whole",
       stream.name);
  must(stream.bytes.find(k_absent) == std::string::npos, "memchr finds its byte", stream.name);
}

Contest contest(const Stream& stream, void (*work)(const Stream&)) {
  verify(stream);
  const auto find = [rest = behind_first_line(stream), wanted = needle(stream)] {
    benchmark::DoNotOptimize(rest.find(wanted));
  };
  const auto memmem = [rest = behind_first_line(stream), wanted = needle(stream)] {
    benchmark::DoNotOptimize(::memmem(rest.data(), rest.size(), wanted.data(), wanted.size()));
  };
  return {1,
          stream.bytes.size(),
          {{"sandproof", [=, &stream] { work(stream); }},
           {"memchr", [&stream] { scan(stream); }},
           {"find", find},
           {"memmem", memmem}}};
}

// short_contest reads many streams of one size, as calls that print little leave them.
Contest short_contest(const ReportScheme& scheme, std::size_t size) {
  Numbers numbers;
  const auto streams = std::make_shared<std::vector<Stream>>();
  std::size_t bytes = 0;
  while (streams->size() < how_many(size)) {
    const std::string log = log_text(numbers, size);
    const std::string first =
        scheme.is_sealed() ? reference::announcement_line(k_id, k_secrets) : k_id + '\n';
    streams->push_back({"short", scheme, first + log + needle({"", scheme, ""})});
    bytes += streams->back().bytes.size();
    verify(streams->back());
  }
  const auto each = [streams](void (*work)(const Stream&)) {
    return [streams, work] { std::ranges::for_each(*streams, work); };
  };
  return {streams->size(), bytes, {{"sandproof", each(read)}, {"memchr", each(scan)}}};
}

void add_all() {
  const ReportScheme sealed = ReportScheme::sealed(CallId::parse(k_id).value());
  for (const std::size_t size : {8U, 512U, 4'096U, 65'536U}) {
    const std::string suffix = std::to_string(size);
    add_contest("short_report/sealed/" + suffix, [=] { return short_contest(sealed, size); });
    add_contest("short_report/nonce/" + suffix,
                [=] { return short_contest(ReportScheme::nonce(), size); });
  }
  static const std::deque<Stream> streams = make_streams();
  for (const Stream& stream : streams) {
    add_contest("report/whole/" + stream.name, [&stream] { return contest(stream, read); });
    add_contest("report/pieces/" + stream.name, [&stream] { return contest(stream, feed); });
  }
}

}  // namespace

int main(int count, char** arguments) {
  add_all();
  return run(count, arguments);
}
