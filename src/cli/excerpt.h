// The line of a document that a message is about, with a mark below it.
#pragma once

#include <string>
#include <string_view>

#include "locate.h"
#include "style.h"

namespace sandproof::cli {

// shown_name is how a document is called: its path, escaped where that needs it.
[[nodiscard]] std::string shown_name(const Source& source);

// place_of gives file, line and column, as compilers write them.
[[nodiscard]] std::string place_of(const Source& source, const Place& place, const Style& style);

// excerpt gives two lines of printable ASCII: as much of the line on both sides of the place as has
// room, and a caret under the first byte with a tilde under each further one. Bytes that are not
// printable stand as \xHH, tabs as spaces; what was cut is an ellipsis.
[[nodiscard]] std::string excerpt(std::string_view text, const Place& place, const Style& style);

// plain gives foreign text as it is where that is printable ASCII without spaces, else escaped.
[[nodiscard]] std::string plain(std::string_view text);

}  // namespace sandproof::cli
