// Whole operations, answered at once: what the provider adds to a call that crosses a network; and
// the decisions alone that one command takes.
//
//   decisions/SCHEME         id, command, bounded text and report of one command, without a
//   provider run_command/POLICY       from the arguments to the result, with typed answers at hand
//   run_command_wire/POLICY  the same, and the answers decoded from the service's JSON, the bodies
//                            encoded to it
//   create/POLICY            create, one read, the result
//
// POLICY is allow, deny, or the number of declared domains. The counter `allocations` is what one
// operation allocates, its answers included.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "contest.h"
#include "numbers.h"
#include "reference/report_streams.h"
#include "sandproof/azure_sandbox.h"
#include "sandproof/deadline_report.h"
#include "sandproof/session_id.h"

namespace {
std::size_t allocations = 0;
}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace sandproof;
using namespace sandproof::bench;

constexpr std::string_view k_id = "team--box-605";
constexpr std::string_view k_call_id = "07070707070707070707070707070707";
const reference::Secrets k_secrets{"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                                   "e0e1e2e3e4e5e6e7e8e9eaebecedeeef"};

constexpr std::string_view k_argv[] = {"python3", "/work/app.py", "--name", "it's one"};
constexpr EnvEntry k_variables[] = {{"TZ", "UTC"}};
constexpr CommandRequest k_command{k_argv, k_variables, "/work"};

// Service is one sandbox, and everything that it would answer.
struct Service {
  explicit Service(const DeclaredEgress& egress)
      : provider({.disk_image = PlainText::parse("ubuntu").value(),
                  .cpu = PlainText::parse("1000m").value(),
                  .memory = PlainText::parse("2048Mi").value(),
                  .egress = egress,
                  .random =
                      [](std::span<std::uint8_t, 16> bytes) {
                        std::ranges::fill(bytes, std::uint8_t{7});
                      }}),
        record{std::string(k_id), "Running", Absent{}, {}, {}},
        result{"out\n", {}, 0} {
    if (auto policy = created_with(egress)) record.policy = *policy;
    const std::string id(k_call_id);
    result.standard_error = reference::announcement_line(id, k_secrets) + "err\n" +
                            reference::final_line(id, "exit", k_secrets.exit);
    record_json = encode(record);
    result_json = encode(result);
  }

  AzureSandbox provider;
  SandboxRecord record;
  ExecResult result;
  std::string record_json;
  std::string result_json;
};

Service service_of(const std::string& policy) {
  if (policy == "allow") return Service(DeclaredEgress::allow());
  if (policy == "deny") return Service(DeclaredEgress::deny());
  std::vector<std::string> names;
  for (int i = 0; i < std::stoi(policy); ++i) names.push_back("host-" + std::to_string(i) + ".com");
  const std::vector<std::string_view> views(names.begin(), names.end());
  return Service(DeclaredEgress::allow_domains(views).value());
}

// Typed answers with what is at hand; Wire decodes it, and encodes the request's body.
struct Typed {
  const Service& service;
  Answer operator()(const GetCall&) const { return service.record; }
  Answer operator()(const CreateCall&) const { return service.record; }
  Answer operator()(const ExecCall&) const { return service.result; }
  template <class Call>
  Answer operator()(const Call&) const {
    return Accepted{};
  }
};

struct Wire {
  const Service& service;
  Answer operator()(const GetCall&) const { return decode_record(service.record_json).value(); }
  Answer operator()(const ExecCall& call) const {
    benchmark::DoNotOptimize(encode(call.body));
    return decode_exec_result(service.result_json).value();
  }
  template <class Call>
  Answer operator()(const Call&) const {
    return Accepted{};
  }
};

template <class Driver, class T>
Result<T> drive(Operation<T> operation, const Driver& driver) {
  Instant now{};
  while (const Request* request = operation.request()) {
    now += std::chrono::milliseconds(5);
    operation.resume(std::visit(driver, *request), now);
  }
  return std::move(*operation.result());
}

template <class Driver>
Result<CommandRun> run_once(const Service& service) {
  return drive(service.provider.run_command(k_id, {k_command, std::chrono::seconds(30)}),
               Driver{service});
}

// counted times one thing, and counts what it allocates.
template <class Once>
Contest counted(Once once) {
  const std::size_t before = allocations;
  must(once(), "an operation failed", "");
  const auto count = static_cast<double>(allocations - before);
  return {1,
          0,
          {{"sandproof", [once] { benchmark::DoNotOptimize(once()); }}},
          {{"allocations", count}}};
}

bool decide(const ReportScheme& scheme, std::string_view standard_error) {
  const auto id = SessionId::parse(k_id);
  const auto command = Command::parse(k_command);
  const auto deadline = Deadline::parse("30s");
  if (!id || !command || !deadline) return false;
  benchmark::DoNotOptimize(bounded_shell(*command, *deadline, scheme));
  return read_report(scheme, 137, standard_error).killed;
}

void add_all() {
  const ReportScheme sealed = ReportScheme::sealed(CallId::parse(k_call_id).value());
  const std::string sealed_error = reference::announcement_line(k_call_id, k_secrets) + "err\n" +
                                   reference::final_line(k_call_id, "deadline", k_secrets.deadline);
  const std::string nonce_error = k_secrets.deadline + "\nerr\n" + k_secrets.deadline;
  add_contest("decisions/sealed",
              [=] { return counted([=] { return decide(sealed, sealed_error); }); });
  add_contest("decisions/nonce",
              [=] { return counted([=] { return decide(ReportScheme::nonce(), nonce_error); }); });
  for (const char* const policy : {"allow", "deny", "10", "100"}) {
    const auto add = [policy](const std::string& name, auto once) {
      add_contest(name + '/' + policy, [=] {
        const auto service = std::make_shared<const Service>(service_of(policy));
        return counted([=] { return once(*service); });
      });
    };
    add("run_command", [](const Service& service) {
      const auto run = run_once<Typed>(service);
      return run && run->end == 0 && run->frames.size() == 2;
    });
    add("run_command_wire", [](const Service& service) {
      const auto run = run_once<Wire>(service);
      return run && run->end == 0 && run->frames.size() == 2;
    });
    add("create", [](const Service& service) {
      return drive(service.provider.create({}), Typed{service}).has_value();
    });
  }
}

}  // namespace

int main(int count, char** arguments) {
  add_all();
  return run(count, arguments);
}
