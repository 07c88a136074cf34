// One operation, started and driven twice with the same arguments, answers and times: through C and
// through C++. Whatever differs is a complaint.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "objects.h"
#include "sandproof/azure_sandbox.h"
#include "twin_words.h"

namespace sandproof::props::c {

using MadeProvider = Made<sandproof_provider, sandproof_provider_free>;
using MadeOperation = Made<sandproof_operation, sandproof_operation_free>;

// Order is what is asked of a provider, with every argument that some verb takes.
struct Order {
  Verb verb = Verb::get;
  std::optional<std::string> session_id = std::string("s1");  // only get_or_create may go without
  std::vector<std::pair<std::string, std::string>> variables = {};
  std::vector<std::string> words = {"make"};
  std::optional<std::string> directory = {};
  std::int64_t deadline = 10'000;
  std::string path = "a";
  std::vector<std::pair<std::string, std::string>> files = {};
  std::array<std::uint8_t, 16> random = {};
};

inline constexpr std::array k_verbs{
    Verb::create, Verb::get,     Verb::get_or_create, Verb::run_command, Verb::read_file,
    Verb::mkdir,  Verb::suspend, Verb::resume,        Verb::write_files, Verb::terminate,
};

// Said is an answer as a transport gives it: a body, or why there is none (a Failed).
struct Failed {
  sandproof_transport_kind kind;
  std::optional<std::int32_t> status = {};
  bool is_delayed = false;
  std::string raw = {};
};
using Said = std::variant<std::string, Failed>;
inline constexpr sandproof_transport_error k_gone{SANDPROOF_TRANSPORT_NOT_FOUND, nullptr, 0, {}};

// ---- C. ----

// make_provider makes the provider of a configuration, without its rule. Nothing that it is given
// is there any longer when it returns.
inline sandproof_status make_provider(const AzureConfig& config, MadeProvider& provider,
                                      sandproof_refusal& refusal,
                                      const sandproof_name_rule* also = nullptr) {
  MadeEgress egress;
  std::vector<std::string> domains;
  for (const DomainPattern& domain : config.egress.domains()) domains.emplace_back(domain.view());
  const auto texts = to_texts(domains);
  sandproof_status status = SANDPROOF_ACCEPTED;
  switch (config.egress.mode()) {
    case EgressMode::allow:
      status = sandproof_egress_allow(&egress.object);
      break;
    case EgressMode::deny:
      status = sandproof_egress_deny(&egress.object);
      break;
    case EgressMode::allow_domains:
      status = sandproof_egress_allow_domains(texts.data(), texts.size(), nullptr, &egress.object,
                                              &refusal);
      break;
  }
  if (status != SANDPROOF_ACCEPTED) return status;
  std::vector<sandproof_tolerance> tolerances;
  for (const Tolerance& each : config.tolerances) {
    tolerances.push_back({to_text(each.pointer), to_text(each.value)});
  }
  const std::string image(config.disk_image.view());
  const std::string cpu(config.cpu.view());
  const std::string memory(config.memory.view());
  const std::string disk(config.disk ? config.disk->view() : "");
  const sandproof_text disk_text = to_text(disk);
  const std::uint32_t idle = config.idle_suspend_seconds.value_or(0);
  const sandproof_provider_config given{
      to_text(image),
      to_text(cpu),
      to_text(memory),
      config.disk ? &disk_text : nullptr,
      egress.object,
      static_cast<sandproof_acceptance>(config.acceptance),
      tolerances.data(),
      tolerances.size(),
      config.idle_suspend_seconds ? &idle : nullptr,
      static_cast<sandproof_family_set>(config.session_rules.set),
      also,
  };
  return sandproof_provider_new(&given, &provider.object, &refusal);
}

// COrder is an order as C gives it.
class COrder {
 public:
  explicit COrder(Order order) : order_(std::move(order)) {
    for (const auto& [name, value] : order_.variables) {
      variables_.push_back({to_text(name), to_text(value)});
    }
    words_ = to_texts(order_.words);
    for (const auto& [path, content] : order_.files) {
      files_.push_back({to_text(path), to_text(content)});
    }
    if (order_.session_id) id_ = to_text(*order_.session_id);
    if (order_.directory) directory_ = to_text(*order_.directory);
    command_ = {words_.data(), words_.size(), variables_.data(), variables_.size(),
                order_.directory ? &directory_ : nullptr};
  }
  COrder(const COrder&) = delete;
  COrder& operator=(const COrder&) = delete;

  sandproof_status start(const sandproof_provider* provider,
                         sandproof_operation** operation) const {
    const sandproof_text path = to_text(order_.path);
    const std::uint8_t* const random = order_.random.data();
    switch (order_.verb) {
      case Verb::create:
        return sandproof_start_create(provider, variables_.data(), variables_.size(), random,
                                      operation);
      case Verb::get:
        return sandproof_start_get(provider, id_, operation);
      case Verb::get_or_create:
        return sandproof_start_get_or_create(provider, order_.session_id ? &id_ : nullptr,
                                             variables_.data(), variables_.size(), random,
                                             operation);
      case Verb::run_command:
        return sandproof_start_run_command(provider, id_, &command_, order_.deadline, random,
                                           operation);
      case Verb::read_file:
        return sandproof_start_read_file(provider, id_, path, operation);
      case Verb::mkdir:
        return sandproof_start_mkdir(provider, id_, path, operation);
      case Verb::write_files:
        return sandproof_start_write_files(provider, id_, files_.data(), files_.size(), operation);
      case Verb::suspend:
        return sandproof_start_suspend(provider, id_, operation);
      case Verb::resume:
        return sandproof_start_resume(provider, id_, operation);
      default:
        return sandproof_start_terminate(provider, id_, operation);
    }
  }

 private:
  Order order_;
  std::vector<sandproof_env_entry> variables_;
  std::vector<sandproof_text> words_;
  std::vector<sandproof_file> files_;
  sandproof_text id_{};
  sandproof_text directory_{};
  sandproof_command command_{};
};

// ---- C++. ----

using AnyVerb = std::variant<Operation<Session>, Operation<std::optional<Session>>,
                             Operation<CommandRun>, Operation<std::string>, Operation<void>>;

inline AnyVerb start_in_cpp(const AzureSandbox& sandbox, const Order& order) {
  const std::string_view id = order.session_id ? *order.session_id : std::string_view();
  std::vector<EnvEntry> variables;
  for (const auto& [name, value] : order.variables) variables.push_back({name, value});
  const std::vector<std::string_view> words(order.words.begin(), order.words.end());
  std::vector<File> files;
  for (const auto& [path, content] : order.files) files.push_back({path, content});
  switch (order.verb) {
    case Verb::create:
      return sandbox.create({variables, {}});
    case Verb::get:
      return sandbox.get(id);
    case Verb::get_or_create:
      return sandbox.get_or_create(order.session_id, {variables, {}});
    case Verb::run_command:
      return sandbox.run_command(
          id, {{words, variables, order.directory}, std::chrono::milliseconds(order.deadline)});
    case Verb::read_file:
      return sandbox.read_file(id, order.path);
    case Verb::mkdir:
      return sandbox.mkdir(id, order.path);
    case Verb::write_files:
      return sandbox.write_files(id, files);
    case Verb::suspend:
      return sandbox.suspend(id);
    case Verb::resume:
      return sandbox.resume(id);
    default:
      return sandbox.terminate(id);
  }
}

// ---- Both. ----

// Twin is the two of them.
class Twin {
 public:
  Twin(AzureConfig config, const Order& order, const sandproof_name_rule* also = nullptr) {
    sandproof_refusal refusal = k_no_refusal;
    MadeProvider provider;
    expect(make_provider(config, provider, refusal, also) == SANDPROOF_ACCEPTED, "provider_new");
    if (!is_sound()) return;
    // The arguments are gone when it has started, and the provider before the first answer.
    expect(COrder(order).start(provider.object, &in_c_.object) == SANDPROOF_ACCEPTED, "start");
    config.random = [this, random = order.random](std::span<std::uint8_t, 16> out) {
      ++draws_;
      std::ranges::copy(random, out.begin());
    };
    config.warn = [this](const Error& error) { warnings_.push_back(error); };
    in_cpp_.emplace(start_in_cpp(AzureSandbox(std::move(config)), order));
    if (is_sound()) look();
  }
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  [[nodiscard]] bool is_sound() const { return complaint_.empty(); }
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

  // request is what both wait for, or nullptr once both have ended.
  [[nodiscard]] const Request* request() { return is_sound() ? cpp().request() : nullptr; }

  [[nodiscard]] sandproof_operation* in_c() { return in_c_.object; }

  // The result, as C says it.
  [[nodiscard]] const std::string& json() const { return json_; }

  // answer gives it to both. A wait takes any answer, and is given an empty one for a failure.
  void answer(const Said& said, std::int64_t sent, std::int64_t answered) {
    const Request waiting = *cpp().request();
    sandproof_status status = SANDPROOF_BAD_CALL;
    if (const auto* const body = std::get_if<std::string>(&said)) {
      status = sandproof_operation_answer(in_c(), to_text(*body), sent, answered);
    } else {
      const Failed& failed = std::get<Failed>(said);
      const sandproof_transport_error error{failed.kind, failed.status ? &*failed.status : nullptr,
                                            failed.is_delayed ? 1 : 0, to_text(failed.raw)};
      status = sandproof_operation_fail(in_c(), &error, sent, answered);
      if (std::holds_alternative<Wait>(waiting)) {
        status = sandproof_operation_answer(in_c(), {nullptr, 0}, sent, answered);
      }
    }
    expect(status == SANDPROOF_ACCEPTED, "answer");
    cpp().sent(Instant(std::chrono::milliseconds(sent)));
    cpp().resume(to_cpp(waiting, said), Instant(std::chrono::milliseconds(answered)));
    if (is_sound()) look();
  }

 private:
  AnyOperation& cpp() {
    return std::visit([](auto& each) -> AnyOperation& { return each; }, *in_cpp_);
  }

  void expect(bool holds, std::string_view what) {
    if (!holds && complaint_.empty()) complaint_ = what;
  }
  void expect_same(std::string_view given, std::string_view wanted, std::string_view what) {
    if (given == wanted || !complaint_.empty()) return;
    complaint_ =
        std::string(what) + ": " + escaped(given, 2'000) + ", not " + escaped(wanted, 2'000);
  }

  static Answer to_cpp(const Request& request, const Said& said) {
    const auto* const failed = std::get_if<Failed>(&said);
    if (failed == nullptr) return read_body(request, std::get<std::string>(said));
    return std::unexpected(
        transport_error(failed->kind, failed->status, failed->is_delayed, failed->raw));
  }

  // look holds the request that waits, or the result, to each other.
  void look() {
    expect(draws_ <= 1, "an operation draws twice");
    const Request* const wanted = cpp().request();
    for (int time = 0; time < 2; ++time) {  // asked for again, it is the same
      sandproof_request request{-7, -7, {}, {}, {}};
      expect(sandproof_operation_get_request(in_c(), &request) == SANDPROOF_ACCEPTED,
             "get_request");
      expect_same(words_of(request), wanted == nullptr ? "ended" : words_of(*wanted), "request");
    }
    if (wanted != nullptr && std::holds_alternative<Wait>(*wanted)) {
      expect(sandproof_operation_fail(in_c(), &k_gone, 0, 0) == SANDPROOF_BAD_CALL, "a wait fails");
    }
    if (wanted == nullptr) {
      look_at_result();
    } else {
      sandproof_result none{};
      expect(sandproof_operation_get_result(in_c(), &none) == SANDPROOF_BAD_CALL, "a result");
      expect(text_of(sandproof_operation_get_json) == "status 5", "a result as JSON");
      expect(text_of(sandproof_operation_explain) == "status 5", "an explanation");
    }
  }

  void look_at_result() {
    expect(sandproof_operation_answer(in_c(), {nullptr, 0}, 0, 0) == SANDPROOF_BAD_CALL,
           "an answer behind the end");
    expect(sandproof_operation_fail(in_c(), &k_gone, 0, 0) == SANDPROOF_BAD_CALL,
           "a failure behind the end");
    sandproof_result result{};
    expect(sandproof_operation_get_result(in_c(), &result) == SANDPROOF_ACCEPTED, "get_result");
    json_ = text_of(sandproof_operation_get_json);
    std::visit(
        [&]<class T>(Operation<T>& operation) {
          const Ended<T> ended(*operation.result());
          expect_same(words_of(result), ended.words(), "result");
          expect_same(json_, ended.json(warnings_), "JSON");
          expect_same(text_of(sandproof_operation_explain), ended.sentence(), "explanation");
        },
        *in_cpp_);
  }

  // text_of is what a call writes, or its status.
  std::string text_of(sandproof_status (*call)(sandproof_operation*, sandproof_buffer*) noexcept) {
    sandproof_buffer buffer{nullptr, 0, 0};
    sandproof_status status = call(in_c(), &buffer);
    std::string room(buffer.size, k_filler);
    buffer = {room.data(), room.size(), 0};
    if (status == SANDPROOF_TOO_SMALL) status = call(in_c(), &buffer);
    return status == SANDPROOF_ACCEPTED ? room : "status " + std::to_string(status);
  }

  int draws_ = 0;
  std::vector<Error> warnings_;
  MadeOperation in_c_;
  std::optional<AnyVerb> in_cpp_;
  std::string complaint_;
  std::string json_;
};

}  // namespace sandproof::props::c
