// A stand-in for a sandbox service: child processes that answer, and run nothing.
#pragma once

#include <optional>
#include <string>

// A message on the wire is four bytes of length and a text.
std::string message(const std::string& text);

// take gives the first whole message of what was received.
std::optional<std::string> take(std::string& received);

// connect_to starts a service that has one sandbox, and gives a non-blocking socket to it. The
// sandbox "new" is still being created when it is looked at for the first time. A command takes a
// second, prints "hello", and a warning on standard error.
int connect_to(const std::string& id);
