// What must be impossible to write: a strong type that no parse has seen, or a view of the dead.
#include <string>
#include <string_view>
#include <type_traits>

#include "sandproof/azure_sandbox.h"
#include "sandproof/sandproof.hpp"

namespace sandproof {

// A data plane's signature: the only way to an argument of it is a parse.
void read_file(const OwnedSessionId& id, const OwnedSandboxPath& path);

std::string make_text();

void try_it(std::string_view text) {
  const Checked<SessionId> id = SessionId::parse(text);
  const Checked<SandboxPath> path = SandboxPath::parse(text);
  if (id && path) read_file(OwnedSessionId(*id), OwnedSandboxPath(*path));

#if CASE == 1  // error: private|calling a private|no matching
  SessionId made(text);
#endif
#if CASE == 2  // error: no matching|default
  SessionId made;
#endif
#if CASE == 3  // error: delete
  auto dangling = SessionId::parse(make_text());
#endif
#if CASE == 4  // error: private|no matching
  SandboxPath made(text);
#endif
#if CASE == 5  // error: delete
  auto dangling = SandboxPath::parse(make_text());
#endif
#if CASE == 6  // error: convert|conversion|no known|initiali
  read_file(text, OwnedSandboxPath(*path));
#endif
#if CASE == 7  // error: convert|conversion|no known|initiali
  read_file(OwnedSessionId(*id), std::string(text));
#endif
#if CASE == 8  // error: private|no matching
  EnvName made(text);
#endif
#if CASE == 9  // error: delete
  auto dangling = EnvName::parse(make_text());
#endif
#if CASE == 10  // error: private|no matching
  SessionName made(*EnvName::parse(text));
#endif
#if CASE == 11  // error: private|no matching
  Deadline made(std::chrono::milliseconds(5));
#endif
#if CASE == 12  // error: private|no matching|default
  DomainPattern made;
#endif
#if CASE == 13  // error: private|no matching
  DomainPattern made(text);
#endif
#if CASE == 14  // error: private|no matching|convert
  OwnedSessionId made(AddressableId::parse(text).value());
#endif
#if CASE == 15  // error: private|no matching|default
  SecondsText made;
#endif
#if CASE == 16  // error: private|no matching
  DeclaredEgress made(EgressMode::allow_domains);
#endif
#if CASE == 17  // error: private|no matching
  AddressableId made(text);
#endif
#if CASE == 18  // error: delete
  auto dangling = AddressableId::parse(make_text());
#endif
#if CASE == 19  // error: delete
  auto dangling = SessionName::parse(make_text());
#endif
#if CASE == 20  // error: private
  id->text_ = "..";
#endif
#if CASE == 21  // error: private|no matching|default
  CallId made;
#endif
#if CASE == 22  // error: private|no matching
  ReportScheme made(std::nullopt);
#endif
#if CASE == 23  // error: private|no matching|default
  Command made;
#endif
#if CASE == 24  // error: private|no matching
  ShellText made{std::string(text)};
#endif
#if CASE == 25  // error: convert|conversion|no known|invalid initialization
  const std::string_view words[] = {"ls"};
  bounded_shell(words, *Deadline::parse("1s"), ReportScheme::nonce());
#endif
#if CASE == 26  // error: private|no matching|convert
  PlainText made(text);
#endif
#if CASE == 27  // error: convert|conversion|no matching
  ExecBody made(std::string(text), *Deadline::parse("1s"), ReportScheme::nonce());
#endif
#if CASE == 28  // error: convert|conversion|no known|initiali
  GetCall call{text};
#endif
#if CASE == 29  // error: convert|conversion|no matching|initiali
  DeleteCall call{text};
#endif
#if CASE == 30  // error: convert|conversion|no known|initiali
  WriteFileCall call{OwnedSessionId(*id), std::string(text), {}};
#endif
#if CASE == 31  // error: convert|conversion|no viable|could not
  const Literal why = text;
#endif
#if CASE == 32  // error: not a constant|constant expression|no matching|convert|conversion
  const Literal why = text.data();
#endif
#if CASE == 33  // error: private|no matching
  OwnedAddressableId made(text);
#endif
}

}  // namespace sandproof
