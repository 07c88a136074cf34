#include "causes.h"

#include <algorithm>
#include <vector>

#include "excerpt.h"

namespace sandproof::cli {
namespace {

std::string shown_effect(const Cause& cause, const Style& style) {
  if (cause.lets_out && cause.stops) return style.doubtful("nobody can tell");
  return cause.lets_out ? style.bad("lets out") : style.good("stops");
}

}  // namespace

std::string_view effect(const Cause& cause) noexcept {
  if (cause.lets_out && cause.stops) return "unknown";
  return cause.lets_out ? "lets_out" : "stops";
}

Json as_json(const Cause& cause) {
  return {{"kind", name(cause.kind)},
          {"effect", effect(cause)},
          {"pointer", cause.pointer},
          {"detail", cause.detail}};
}

std::string as_text(std::span<const Cause* const> causes, const Source& source,
                    const Style& style) {
  constexpr std::size_t k_most = 20;
  const auto shown = causes.first(std::min(causes.size(), k_most));
  std::vector<std::string_view> pointers;
  for (const Cause* cause : shown) pointers.emplace_back(cause->pointer);
  const std::vector<Place> places = locate(source.text, pointers);
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    text += place_of(source, places[i], style) + ' ' + shown_effect(*shown[i], style) + ": " +
            shown[i]->detail + " [" + std::string(name(shown[i]->kind)) + "]\n" +
            excerpt(source.text, places[i], style);
  }
  if (causes.size() > shown.size()) {
    text += "and " + std::to_string(causes.size() - shown.size()) + " more: --json has them all\n";
  }
  return text;
}

}  // namespace sandproof::cli
