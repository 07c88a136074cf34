// Two operations at once, driven by one poll() loop over non-blocking sockets.
//
// An operation has no threads, no sockets and no clock. It shows a request; whoever drives it sends
// that, and gives back the answer and the time. Here a request becomes a message, a wait becomes
// the timeout of poll(), and a bound that has passed becomes an answer, too. Nothing else is
// needed.
//
// The service is a stand-in (stand_in_service.h): a child process behind a socket. A request is
// "METHOD PATH\n" and a body, a response "STATUS\n" and a body.
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "sandproof/azure_sandbox.h"
#include "stand_in_service.h"

using namespace sandproof;
using namespace std::chrono_literals;

// ---- Requests and answers. ----

// Wire writes each request. Ids, paths and bodies have been parsed long before they come here.
struct Wire {
  static std::string sandbox(std::string_view id) { return "/sandboxes/" + std::string(id); }

  std::string operator()(const Wait&) const { return {}; }
  std::string operator()(const CreateCall& call) const {
    return "POST /sandboxes\n" + encode(call.body);
  }
  std::string operator()(const GetCall& call) const { return "GET " + sandbox(call.id.view()); }
  std::string operator()(const DeleteCall& call) const {
    return "DELETE " + sandbox(call.id.view());
  }
  std::string operator()(const ExecCall& call) const {
    return "POST " + sandbox(call.id.view()) + "/exec\n" + encode(call.body);
  }
  template <class Other>  // a transport in earnest writes all ten
  std::string operator()(const Other& call) const {
    return "POST " + sandbox(call.id.view());
  }
};

// AnswerTo reads a response as the answer to a request of this kind.
struct AnswerTo {
  std::string_view response;

  template <class Call>
  Answer operator()(const Call&) const {
    const int status = std::atoi(std::string(response.substr(0, 3)).c_str());
    const std::string_view body = response.substr(std::min<std::size_t>(4, response.size()));
    if (status == 404) return std::unexpected(TransportError::not_found());
    if (status / 100 != 2) {
      return std::unexpected(TransportError::http_status(status, std::string(body)));
    }
    using Body = typename Call::Body;
    if constexpr (std::is_same_v<Body, SandboxRecord>) return decoded(decode_record(body));
    if constexpr (std::is_same_v<Body, ExecResult>) return decoded(decode_exec_result(body));
    if constexpr (std::is_same_v<Body, FileContent>) return FileContent{std::string(body)};
    return Accepted{};
  }

  template <class Body>
  static Answer decoded(Decoded<Body> body) {
    if (!body) return std::unexpected(body.error());
    return *std::move(body);
  }
};

// ---- The loop. ----

Instant now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now());
}

// Conversation is one operation and its connection.
class Conversation {
 public:
  Conversation(std::string name, AnyOperation& operation, int socket)
      : name_(std::move(name)), operation_(operation), socket_(socket) {
    ask();
  }

  bool has_ended() const { return operation_.request() == nullptr; }
  bool is_waiting() const { return std::holds_alternative<Wait>(*operation_.request()); }
  Instant due() const { return due_; }
  pollfd wanted() const {
    const int events = POLLIN | (unsent_.empty() ? 0 : POLLOUT);
    return {has_ended() || is_waiting() ? -1 : socket_, static_cast<short>(events), 0};
  }

  // go_on does what can be done without waiting.
  void go_on(const pollfd& ready) {
    if (has_ended()) return;
    if ((ready.revents & POLLOUT) != 0) {
      const ssize_t sent = send(socket_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
    }
    if ((ready.revents & ~POLLOUT) != 0) {
      std::array<char, 4096> bytes;
      const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
      if (count == 0 || (count < 0 && errno != EAGAIN)) {
        return resume(std::unexpected(TransportError::unavailable("the connection was lost")));
      }
      if (count > 0) received_.append(bytes.data(), static_cast<std::size_t>(count));
      if (const auto response = take(received_)) {
        say("answered " + response->substr(0, 3));
        return resume(std::visit(AnswerTo{*response}, *operation_.request()));
      }
    }
    if (now() < due_) return;
    if (is_waiting()) return resume(Accepted{});
    // A late answer must not be taken for the next one's.
    shutdown(socket_, SHUT_RDWR);
    resume(std::unexpected(TransportError::timed_out()));
  }

 private:
  // ask starts on the operation's request.
  void ask() {
    if (has_ended()) return;
    const Request& request = *operation_.request();
    const auto bound = bound_of(request);
    due_ = now() + bound;
    const std::string text = std::visit(Wire{}, request);
    if (text.empty()) return say("waits for " + std::to_string(bound / 1s) + " s");
    say("asks " + text.substr(0, text.find('\n')));
    unsent_ = message(text);
    operation_.sent(now());
  }

  void resume(Answer answer) {
    operation_.resume(std::move(answer), now());
    ask();
  }

  void say(const std::string& what) const { std::printf("%s %s\n", name_.c_str(), what.c_str()); }

  std::string name_;
  AnyOperation& operation_;
  int socket_;
  Instant due_{};
  std::string unsent_;
  std::string received_;
};

void drive(std::array<Conversation, 2>& both) {
  while (!both[0].has_ended() || !both[1].has_ended()) {
    std::array<pollfd, 2> waited{both[0].wanted(), both[1].wanted()};
    Instant due = Instant::max();
    for (const Conversation& each : both) {
      if (!each.has_ended()) due = std::min(due, each.due());
    }
    const auto left = std::max(due - now(), 0ms);
    poll(waited.data(), waited.size(), static_cast<int>(left.count()));
    for (std::size_t i = 0; i < both.size(); ++i) both[i].go_on(waited[i]);
  }
}

int main() {
  std::random_device random;
  const AzureSandbox provider({.disk_image = PlainText::parse("ubuntu").value(),
                               .cpu = PlainText::parse("1000m").value(),
                               .memory = PlainText::parse("2048Mi").value(),
                               .egress = DeclaredEgress::deny(),
                               .random = [&](std::span<std::uint8_t, 16> bytes) {
                                 std::ranges::generate(bytes, std::ref(random));
                               }});
  const std::array<std::string_view, 2> argv{"echo", "hello"};
  Operation<Session> create = provider.create({});
  Operation<CommandRun> run = provider.run_command("old", {{argv, {}, {}}, 30s});
  std::array<Conversation, 2> both{Conversation("create", create, connect_to("new")),
                                   Conversation("run", run, connect_to("old"))};
  drive(both);

  const Result<Session>& session = *create.result();
  const Result<CommandRun>& ran = *run.result();
  if (!session || !ran || !ran->end) {
    std::puts(!session ? session.error().text().c_str() : "the command did not run to its end");
    return 1;
  }
  std::printf("create ended: session %s is %s\n", std::string(session->id.view()).c_str(),
              std::string(name(session->state)).c_str());
  for (const CommandRun::Frame& frame : ran->frames) {
    std::printf("run ended: stream %d: %s", static_cast<int>(frame.stream), frame.data.c_str());
  }
  std::printf("run ended: exit code %d\n", *ran->end);
}
