#include "comparison_input.h"

#include <string>
#include <utility>
#include <variant>

#include "sandproof/wire.h"

namespace sandproof::cli {
namespace {

// read_tolerance splits at the `=` behind which a JSON value stands: a pointer may hold one, too.
// There is at most one such place, because JSON has `=` in strings only.
std::expected<Tolerance, Complaint> read_tolerance(std::string_view text) {
  if (!text.starts_with('/')) {
    return complain("--tolerate " + escaped(text) + ": give POINTER=JSON, as in /bypass=[]");
  }
  for (std::size_t at = text.rfind('='); at != text.npos; at = text.rfind('=', at - 1)) {
    auto value = canonical_json(text.substr(at + 1));
    if (value) return Tolerance{std::string(text.substr(0, at)), *std::move(value)};
  }
  return complain("--tolerate " + escaped(text) + ": no JSON after '=': write POINTER=JSON");
}

}  // namespace

std::expected<Tolerances, Complaint> read_tolerances(const Arguments& arguments) {
  Tolerances tolerances;
  for (const std::string_view text : arguments.values(k_tolerate)) {
    auto tolerance = read_tolerance(text);
    if (!tolerance) return std::unexpected(std::move(tolerance).error());
    tolerances.push_back(*std::move(tolerance));
  }
  return tolerances;
}

std::expected<Declared, Complaint> read_declared(std::string_view given) {
  constexpr std::string_view k_allow_list = "allow:";
  if (given == "allow") return Declared{DeclaredEgress::allow(), {}};
  if (given == "deny") return Declared{DeclaredEgress::deny(), {}};
  if (given.starts_with(k_allow_list)) {
    return Declared{read_domain_list(given.substr(k_allow_list.size())), {}};
  }
  if (given == "-") return complain("--declared reads no standard input: give a file");
  auto source = read_source(given);
  if (!source) {
    return complain(
        "--declared: " + source.error().message + "; it is none of allow, deny, allow:HOST,HOST",
        false);
  }
  Declaration declaration = read_declaration(source->text);
  return Declared{std::move(declaration), *std::move(source)};
}

Outcome judge(const Declaration& declaration, const Effective& effective,
              const Tolerances& tolerances) {
  if (const auto* problem = std::get_if<Problem>(&declaration)) return *problem;
  if (const auto unread = problem_of(effective)) return *unread;
  if (const auto* refused = std::get_if<Refused>(&declaration)) return *refused;
  const auto& declared = std::get<DeclaredEgress>(declaration);
  return Compared{declared.mode(), compare(declared, normal_form(*effective), tolerances)};
}

}  // namespace sandproof::cli
