#include "stand_in_service.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sandproof/egress.h"
#include "sandproof/wire.h"

using namespace sandproof;

namespace {

std::string digest(const std::string& secret) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  const std::string line = secret + '\n';
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(line.data()), line.size());
  std::array<char, 2 * hash.size() + 1> hex;
  return sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
}

// ran answers as if a wrapped command had run: with the report that its wrapper would have written.
std::string ran(const std::string& request) {
  const std::string tag = "sandproof1 ";
  const std::string call = tag + request.substr(request.find(tag) + tag.size(), 32) + ' ';
  const std::string kept(32, 'd');
  const std::string shown(32, 'e');
  const std::string announced = call + digest(kept) + ' ' + digest(shown) + '\n';
  return encode(
      ExecResult{"hello\n", announced + "a warning\n" + call + "exit " + shown + '\n', 0});
}

[[noreturn]] void serve(int socket, const std::string& id) {
  std::string received;
  int reads = 0;
  for (std::array<char, 4096> bytes;;) {
    const ssize_t count = recv(socket, bytes.data(), bytes.size(), 0);
    if (count <= 0) _exit(0);
    received.append(bytes.data(), static_cast<std::size_t>(count));
    const auto request = take(received);
    if (!request) continue;
    const bool is_exec = request->contains("/exec");
    if (is_exec) sleep(1);
    // A new sandbox is not running when it is looked at for the first time.
    const bool is_new = id == "new" && request->starts_with("GET") && ++reads < 2;
    const SandboxRecord record{id, is_new || request->starts_with("POST") ? "Creating" : "Running",
                               *created_with(DeclaredEgress::deny()), std::nullopt, std::nullopt};
    const std::string answer = message("200\n" + (is_exec ? ran(*request) : encode(record)));
    if (send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) _exit(1);
  }
}

}  // namespace

std::string message(const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + text;
}

std::optional<std::string> take(std::string& received) {
  std::uint32_t size = 0;
  if (received.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, received.data(), sizeof size);
  if (received.size() - sizeof size < size) return std::nullopt;
  std::string text = received.substr(sizeof size, size);
  received.erase(0, sizeof size + size);
  return text;
}

int connect_to(const std::string& id) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::exit(1);
  if (fork() == 0) {
    close(ends[0]);
    serve(ends[1], id);
  }
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ends[0];
}
