// Runs each decision over fixed inputs, for callgrind to count: scripts/bench --counts.
//
// Each is done once before, so that what is made when it is first needed is not counted. The counts
// of a decision are written under its name.
#include <valgrind/callgrind.h>

#include <functional>
#include <optional>

#include "sandproof/sandproof.hpp"
#include "texts.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

constexpr std::size_t k_stream_size = std::size_t{256} << 10;
constexpr std::size_t k_piece_size = std::size_t{16} << 10;
constexpr std::size_t k_word_size = std::size_t{16} << 10;
constexpr std::size_t k_rules = 200;
constexpr std::int32_t k_killed = 137;

// keep is where an answer goes that nobody reads.
template <class T>
void keep(const T& answer) {
  asm volatile("" : : "g"(&answer) : "memory");
}

void count(const char* name, const std::function<void()>& work) {
  work();
  CALLGRIND_ZERO_STATS;
  CALLGRIND_TOGGLE_COLLECT;
  work();
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT(name);
}

template <class T>
void count_texts(const char* name, const Texts& texts) {
  count(name, [&] {
    for (const std::string& text : texts) keep(T::parse(text));
  });
}

void count_all_texts() {
  count_texts<SessionId>("session_id/accepted", ids(36, false));
  count_texts<SessionId>("session_id/mixed", ids(36, true));
  count_texts<AddressableId>("addressable_id/accepted", ids(512, false));
  count_texts<CallId>("call_id/accepted", call_ids(32, false));
  count_texts<EnvName>("env_name/accepted", names(32, false));
  count_texts<EnvName>("env_name/mixed", names(32, true));
  count_texts<SessionName>("session_name/accepted", names(32, false));
  count_texts<SandboxPath>("path/ascii", paths(64, false, Script::ascii));
  count_texts<SandboxPath>("path/utf8", paths(64, false, Script::utf8));
  count_texts<SandboxPath>("path/mixed", paths(512, true, Script::utf8));
  count_texts<DomainPattern>("domain/accepted", domains(32, false));
  count_texts<DomainPattern>("domain/mixed", domains(32, true));
  count_texts<Deadline>("deadline/accepted", deadlines(6, false));
  count_texts<Deadline>("deadline/mixed", deadlines(6, true));
  const Texts values = paths(1'024, false, Script::utf8);
  count("env_value/utf8", [&] {
    for (const std::string& text : values) keep(EnvVariable::parse("NAME", text));
  });
}

// ---- Commands. ----

void count_quoting(const char* name, std::string_view alphabet) {
  Numbers numbers;
  std::string word;
  while (word.size() < k_word_size) word += numbers.of(alphabet);
  std::string room(quoted_size(word), '\0');
  count(name, [&] {
    keep(quoted_size(word));
    keep(quote_into(room.data(), word));
  });
}

void count_commands() {
  count_quoting("quote/none", k_id_bytes);
  count_quoting("quote/some", "abcdefghijklmnopqrstuvwxyz'");
  count_quoting("quote/all", "'");

  constexpr std::string_view argv[] = {"bash", "-c", "cd \"$1\" && npm test -- --grep \"it's\"",
                                       "bash", "/work/project"};
  constexpr EnvEntry variables[] = {{"TZ", "UTC"}, {"NODE_ENV", "test"}, {"TOKEN", "it's one"}};
  const CommandRequest request{argv, variables, "/work"};
  const Deadline deadline = Deadline::parse("1.5s").value();
  const auto scheme =
      ReportScheme::sealed(CallId::parse("00112233445566778899aabbccddeeff").value());
  count("command", [&] { keep(Command::parse(request)); });
  const Command command = Command::parse(request).value();
  count("bounded", [&] { keep(bounded_shell(command, deadline, scheme)); });
}

// ---- Reports. ----

void count_report(const std::string& name, const ReportScheme& scheme, const std::string& stream) {
  must(read_report(scheme, k_killed, stream).killed, "a report that should be killed is not", name);
  count((name + "/whole").c_str(), [&] { keep(read_report(scheme, k_killed, stream)); });
  count((name + "/pieces").c_str(), [&] {
    ReportReader reader(scheme);
    for (std::size_t at = 0; at < stream.size(); at += k_piece_size) {
      keep(reader.feed(std::string_view(stream).substr(at, k_piece_size)));
    }
    keep(reader.finish(k_killed));
  });
}

void count_reports() {
  const std::string id = "00112233445566778899aabbccddeeff";
  const std::string secret = "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf";
  const std::string begin = "sandproof1 " + id + ' ';
  // The digests of the secret, and of another.
  const std::string announcement =
      begin + "8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e " +
      "404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\n";
  const auto sealed = ReportScheme::sealed(CallId::parse(id).value());
  Numbers numbers;
  const std::string log = log_text(numbers, k_stream_size);
  std::string near;
  while (near.size() < k_stream_size) near += begin.substr(0, begin.size() - 1) + '.';
  const std::string final_line = begin + "deadline " + secret + '\n';
  count_report("report/sealed/log", sealed, announcement + log + final_line);
  count_report("report/sealed/near", sealed, announcement + near + final_line);
  count_report("report/nonce/log", ReportScheme::nonce(), secret + '\n' + log + secret);
}

// ---- Egress. ----

void count_egress() {
  const Texts names = domains(32, false);
  const std::vector<std::string_view> views(names.begin(), names.begin() + k_rules);
  const DeclaredEgress declared = DeclaredEgress::allow_domains(views).value();
  EgressPolicy policy = created_with(declared).value();
  Numbers numbers;
  numbers.shuffle(policy.host_rules);
  const SandboxRecord record{"team--box-605", "Running", policy, {}, {}};
  const ExecResult result{log_text(numbers, 4'096), "it's \"quoted\"\n", 0};
  const std::string policy_text = encode(policy);
  const std::string record_text = encode(record);
  const std::string result_text = encode(result);
  must(decode_record(record_text) == record, "decoding does not give the record", record_text);
  must(compare(declared, normal_form(record)).holds(), "the policy does not hold", policy_text);

  count("declare", [&] { keep(DeclaredEgress::allow_domains(views)); });
  count("policy/decode", [&] { keep(decode_policy(policy_text)); });
  count("policy/encode", [&] { keep(encode(policy)); });
  count("record/decode", [&] { keep(decode_record(record_text)); });
  count("record/encode", [&] { keep(encode(record)); });
  count("exec_result/decode", [&] { keep(decode_exec_result(result_text)); });
  count("exec_result/encode", [&] { keep(encode(result)); });
  count("compare/shuffled", [&] { keep(compare(declared, normal_form(&policy))); });
  policy.host_rules.back().pattern = "other.example";
  count("compare/differing", [&] { keep(compare(declared, normal_form(&policy))); });
}

}  // namespace

int main() {
  count_all_texts();
  count_commands();
  count_reports();
  count_egress();
}
