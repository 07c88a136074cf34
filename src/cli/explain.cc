// `egress explain`: what does a policy let out, in words?
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "commands.h"
#include "egress_input.h"
#include "excerpt.h"
#include "json.h"
#include "sandproof/egress_openings.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

std::string help() {
  return R"(Usage: %t egress explain --effective FILE [OPTION...]

Says in words what an egress policy lets out: each host, or all hosts below a
name, with the place that lets it out; and what else may let anything out.

Options:
  --effective FILE
                   what the service reports: a policy, a sandbox's record, or
                   null for no policy, as JSON; - is standard input
  --json           print one JSON object
  --color WHEN     auto (on a terminal, the default), always or never
  --help, -h       print this

Verdicts: nothing gets out; hosts, only those that are named; anything may get
out.

Exit status: 0 it was explained, 2 wrong usage or input that cannot be read.

Examples:
  %t egress explain --effective policy.json
  %t egress explain --json --effective -
)";
}

enum class Extent : std::uint8_t { nothing, hosts, anything };

struct Words {
  std::string_view name;
  std::string_view sentence;
};

// In the order of Extent.
constexpr std::array<Words, 3> k_extents{{
    {"nothing", "Nothing gets out."},
    {"hosts", "These hosts get out, or may, and no others:"},
    {"anything", "Anything may get out:"},
}};

Extent extent(const std::vector<Opening>& all) {
  if (all.empty()) return Extent::nothing;
  const bool any = std::ranges::find(all, k_every_host, &Opening::pattern) != all.end();
  return any ? Extent::anything : Extent::hosts;
}

Json as_json(const std::vector<Opening>& all) {
  Json list = Json::array();
  for (const Opening& each : all) {
    list.push_back({{"kind", name(each.kind)},
                    {"pattern", each.pattern},
                    {"certain", each.certain},
                    {"pointer", each.pointer},
                    {"detail", each.detail}});
  }
  return {{"verdict", k_extents[static_cast<std::size_t>(extent(all))].name},
          {"openings", std::move(list)}};
}

bool is_wildcard(const Opening& opening) { return opening.pattern.starts_with("*."); }

std::string hosts_of(const Opening& opening) {
  if (opening.pattern == k_every_host) return "any host";
  return is_wildcard(opening) ? "hosts below " + opening.pattern.substr(2) : opening.pattern;
}

std::string as_text(const std::vector<Opening>& all, const Source& source, const Style& style) {
  constexpr std::size_t k_max_width = 40;
  constexpr std::string_view k_sure = "gets out";
  constexpr std::string_view k_unsure = "may get out";
  std::vector<std::string_view> pointers;
  std::size_t width = 0;
  for (const Opening& each : all) {
    pointers.emplace_back(each.pointer);
    if (const std::size_t size = hosts_of(each).size(); size <= k_max_width) {
      width = std::max(width, size);
    }
  }
  const std::vector<Place> places = locate(source.text, pointers);
  const Words& words = k_extents[static_cast<std::size_t>(extent(all))];
  std::string text = style.strong(words.sentence) + '\n';
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string hosts = hosts_of(all[i]);
    text += "  " + hosts + std::string(width - std::min(width, hosts.size()) + 2, ' ');
    text += all[i].certain ? style.bad(k_sure) + std::string(k_unsure.size() - k_sure.size(), ' ')
                           : style.doubtful(k_unsure);
    text += "  " + place_of(source, places[i], style) + ' ' + all[i].detail;
    if (all[i].kind == CauseKind::allow && !all[i].certain) text += ", which something may stop";
    text += '\n';
  }
  if (std::ranges::any_of(all, is_wildcard)) {
    text +=
        "Services differ in whether \"below\" is one label or more, and in whether it includes "
        "the\n"
        "name itself: ask about one host with 'why'.\n";
  }
  return text;
}

Result run(const Arguments& arguments, Output& output) {
  if (!arguments.words().empty()) {
    return complain("unexpected " + escaped(arguments.words().front()) + ": give --effective FILE");
  }
  return about_effective(arguments, output, [&](const Asked& asked) {
    const std::vector<Opening> all = openings(normal_form(asked.document));
    output.write(asked.json ? json_line(as_json(all)) : as_text(all, asked.source, asked.style));
    return k_exit_accepted;
  });
}

}  // namespace

constexpr Command k_egress_explain_command{
    "egress explain",
    "say in words what an egress policy lets out",
    "egress explain --effective policy.json",
    k_about_options,
    help,
    run,
};

}  // namespace sandproof::cli
