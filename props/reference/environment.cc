// Variables: names, values, and what a session's environment must not hold.
#include <algorithm>

#include "scanners.h"
#include "utf8.h"

namespace sandproof::reference {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name_byte(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

bool in_refused_family(Families families, std::string_view name) {
  for (const std::string& exact : refused_names(families)) {
    if (name == exact) return true;
  }
  for (const std::string& prefix : refused_prefixes(families)) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// session_value applies the rules for every variable first, then the two that only the strict set
// has.
Answer session_value(Families families, std::string_view name, std::string_view value) {
  if (Answer general = env_value(name, value); !general.accepted) return general;
  if (families == Families::strict) {
    if (name == "COLUMNS" || name == "LINES") {
      const bool digits_only = std::all_of(value.begin(), value.end(), is_digit);
      if (!digits_only || value.empty() || value.size() > 5) return refuse("not_digits");
    }
    if (value.starts_with("() {")) return refuse("function_value");
  }
  return accept(value);
}

ListAnswer refuse_entry(const Answer& answer, std::size_t entry) {
  ListAnswer list;
  list.reason = answer.reason;
  list.offset = answer.offset;
  list.entry = entry;
  return list;
}

}  // namespace

const std::vector<std::string>& refused_names(Families families) {
  static const std::vector<std::string> baseline = {"PATH", "IFS", "SHELLOPTS", "BASHOPTS"};
  static const std::vector<std::string> strict = {
      "PATH",
      "IFS",
      "SHELLOPTS",
      "BASHOPTS",
      "CDPATH",
      "ENV",
      "BASH_ENV",
      "PS4",
      "BASH_XTRACEFD",
      "BASH_COMPAT",
      "BASH_LOADABLES_PATH",
      "EXECIGNORE",
      "GLOBIGNORE",
      "FUNCNEST",
      "FPATH",
      "ZDOTDIR",
      "NULLCMD",
      "READNULLCMD",
      "MODULE_PATH",
      "YASH_LOADPATH",
      "EXECSHELL",
      "SHLVL",
      "OPTIND",
      "OPTERR",
      "SECONDS",
      "RANDOM",
      "LINENO",
      "HISTSIZE",
      "TMOUT",
      "ERRNO",
      "A__z",
      "POSIXLY_CORRECT",
      "POSIX_PEDANTIC",
      "POSIX_ME_HARDER",
      "_POSIX2_VERSION",
      "GLIBC_TUNABLES",
      "GCONV_PATH",
      "GETCONF_DIR",
      "LOCPATH",
      "NLSPATH",
      "MUSL_LOCPATH",
      "PATH_LOCALE",
      "TZDIR",
      "RES_OPTIONS",
      "LOCALDOMAIN",
      "HOSTALIASES",
      "RESOLV_HOST_CONF",
      "NIS_PATH",
      "SHLIB_PATH",
      "LIBPATH",
  };
  return families == Families::baseline ? baseline : strict;
}

const std::vector<std::string>& refused_prefixes(Families families) {
  static const std::vector<std::string> baseline = {"LD_"};
  static const std::vector<std::string> strict = {"LD_",  "BASH_FUNC_", "__BASH_FUNC", "DYLD_",
                                                  "_RLD", "LDR_",       "MALLOC_"};
  return families == Families::baseline ? baseline : strict;
}

Answer env_name(std::string_view text) {
  if (text.empty()) return refuse("empty");
  if (text.size() > 256) return refuse("too_long");
  if (is_digit(text[0])) return refuse("leading_digit", 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_name_byte(text[i])) return refuse("forbidden_byte", i);
  }
  return accept(text);
}

Answer env_value(std::string_view name, std::string_view value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\0') return refuse("nul", i);
  }
  if (const auto ill_formed = first_ill_formed(value)) return refuse("invalid_utf8", *ill_formed);
  if (name.size() + 1 + value.size() > 131'071) return refuse("too_long");
  return accept(value);
}

Answer session_variable(Families families, std::string_view name,
                        std::optional<std::string_view> value) {
  if (Answer named = env_name(name); !named.accepted) return named;
  if (in_refused_family(families, name)) return refuse("refused_family");
  if (value.has_value()) {
    if (Answer valued = session_value(families, name, *value); !valued.accepted) return valued;
  }
  return accept(name);
}

ListAnswer session_environment(Families families,
                               const std::vector<std::pair<std::string, std::string>>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const Answer named = env_name(entries[i].first); !named.accepted)
      return refuse_entry(named, i);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (in_refused_family(families, entries[i].first))
      return refuse_entry(refuse("refused_family"), i);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Answer valued = session_value(families, entries[i].first, entries[i].second);
    if (!valued.accepted) return refuse_entry(valued, i);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (entries[earlier].first == entries[i].first)
        return refuse_entry(refuse("duplicate_name"), i);
    }
  }
  ListAnswer list;
  list.accepted = true;
  return list;
}

}  // namespace sandproof::reference
