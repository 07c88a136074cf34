// The one table of variables that a session may not set. Each row says what the variable does to
// the wrapper that holds a command to its deadline, and where that is written.
#include <algorithm>
#include <iterator>

#include "sandproof/environment.h"

namespace sandproof {
namespace {

consteval Family baseline(std::string_view name, std::string_view why, std::string_view source) {
  return {name, false, FamilySet::baseline, why, source};
}
consteval Family strict(std::string_view name, std::string_view why, std::string_view source) {
  return {name, false, FamilySet::strict, why, source};
}
consteval Family below(Family family) {
  family.is_prefix = true;
  return family;
}

// clang-format off
constexpr Family k_families[] = {
    baseline("PATH", "chooses which programs are run as the wrapper's tools", "POSIX XBD 8.3"),
    baseline("IFS", "changes how a shell splits what it expands", "POSIX XCU 2.5.3"),
    baseline("SHELLOPTS", "turns on tracing, monitor mode or noexec in bash", "bash(1) SHELLOPTS"),
    baseline("BASHOPTS", "turns on options of bash", "bash(1) BASHOPTS"),
    below(baseline("LD_", "runs code of its choice in every tool, or none of the tool's", "ld.so(8) ENVIRONMENT")),

    // Shells: what they run, look up or print before and besides the program they are given.
    strict("CDPATH", "changes where cd goes and makes it print", "POSIX XCU cd"),
    strict("ENV", "names a file that a shell runs first", "POSIX XCU 2.5.3"),
    strict("BASH_ENV", "names a file that bash runs first", "bash(1) BASH_ENV"),
    strict("PS4", "is expanded, commands included, for each traced line", "POSIX XCU 2.5.3"),
    strict("BASH_XTRACEFD", "sends traces to another descriptor", "bash(1) BASH_XTRACEFD"),
    strict("BASH_COMPAT", "changes bash's language, and a bad value is a warning on stderr", "bash(1) BASH_COMPAT"),
    strict("BASH_LOADABLES_PATH", "chooses where bash loads builtins from", "bash(1) BASH_LOADABLES_PATH"),
    strict("EXECIGNORE", "hides programs from bash's lookup", "bash(1) EXECIGNORE"),
    strict("GLOBIGNORE", "changes pathname expansion in bash", "bash(1) GLOBIGNORE"),
    strict("FUNCNEST", "bounds function calls in bash and zsh", "bash(1) FUNCNEST"),
    strict("FPATH", "chooses where ksh and zsh load functions from", "ksh(1) FPATH"),
    strict("ZDOTDIR", "chooses the start-up files that zsh runs", "zsh(1) STARTUP/SHUTDOWN FILES"),
    strict("NULLCMD", "is the command that zsh runs for a redirection alone", "zshparam(1) NULLCMD"),
    strict("READNULLCMD", "is the command that zsh runs for an input redirection alone", "zshparam(1) READNULLCMD"),
    strict("MODULE_PATH", "chooses where zsh loads modules from", "zshparam(1) MODULE_PATH"),
    strict("YASH_LOADPATH", "chooses where yash loads scripts from", "yash(1) Variables"),
    strict("EXECSHELL", "is the shell that mksh runs scripts with", "mksh(1) EXECSHELL"),
    strict("SHLVL", "out of range, makes bash warn on stderr", "bash(1) SHLVL"),
    strict("OPTIND", "not a number, ends dash and others at start-up", "POSIX XCU getopts"),
    strict("OPTERR", "is a number to bash and mksh at start-up", "bash(1) OPTERR"),

    // Integer variables that Korn shells evaluate, as arithmetic, when they import them.
    strict("SECONDS", "is evaluated as arithmetic at start-up", "ksh(1) SECONDS"),
    strict("RANDOM", "is evaluated as arithmetic at start-up", "ksh(1) RANDOM"),
    strict("LINENO", "is evaluated as arithmetic at start-up", "ksh(1) LINENO"),
    strict("HISTSIZE", "is evaluated as a number at start-up", "mksh(1) HISTSIZE"),
    strict("TMOUT", "ends a shell that waits, and is evaluated as a number", "mksh(1) TMOUT"),
    strict("ERRNO", "is evaluated as a number at start-up", "ksh(1) Variables"),
    strict("A__z", "gives imported variables attributes in ksh93", "ksh93 sh/init.c, env_import_attributes"),

    // Conformance switches of shells and tools.
    strict("POSIXLY_CORRECT", "switches bash and GNU tools to another mode", "bash(1) POSIXLY_CORRECT"),
    strict("POSIX_PEDANTIC", "switches bash to another mode", "bash variables.c, initialize_shell_variables"),
    strict("POSIX_ME_HARDER", "is an older name of POSIXLY_CORRECT", "GNU Coding Standards, 4.1"),
    strict("_POSIX2_VERSION", "changes what GNU tools accept", "GNU coreutils manual 2.13"),

    // C libraries: what every tool of the wrapper loads or reads.
    strict("GLIBC_TUNABLES", "changes the allocator and the loader of every tool", "glibc manual 39"),
    strict("GCONV_PATH", "loads character set modules as code", "ld.so(8) secure-execution mode"),
    strict("GETCONF_DIR", "chooses programs that getconf runs", "ld.so(8) secure-execution mode"),
    strict("LOCPATH", "chooses where locales are loaded from", "locale(7) LOCPATH"),
    strict("NLSPATH", "chooses where messages are loaded from", "catopen(3)"),
    strict("MUSL_LOCPATH", "chooses where musl loads locales from", "musl libc environment variables"),
    strict("PATH_LOCALE", "chooses where BSD libraries load locales from", "FreeBSD setlocale(3)"),
    strict("TZDIR", "chooses where time zones are loaded from", "tzset(3)"),
    strict("RES_OPTIONS", "changes name lookup", "resolv.conf(5)"),
    strict("LOCALDOMAIN", "changes name lookup", "resolv.conf(5)"),
    strict("HOSTALIASES", "changes name lookup", "hostname(7)"),
    strict("RESOLV_HOST_CONF", "changes name lookup", "ld.so(8) secure-execution mode"),
    strict("NIS_PATH", "changes name lookup", "ld.so(8) secure-execution mode"),
    strict("SHLIB_PATH", "is HP-UX's library path", "HP-UX dld.sl(5)"),
    strict("LIBPATH", "is AIX's library path", "AIX dlopen, LIBPATH"),

    below(strict("BASH_FUNC_", "defines a function in bash, over a tool or a builtin", "CVE-2014-6278, bash 4.3 patch 27")),
    below(strict("__BASH_FUNC", "defines a function in some vendors' bash", "CVE-2014-6278, vendor patches")),
    below(strict("DYLD_", "runs code of its choice in every tool", "macOS dyld(1)")),
    below(strict("_RLD", "runs code of its choice in every tool", "IRIX and Tru64 rld(1)")),
    below(strict("LDR_", "changes AIX's loader", "AIX loader, LDR_CNTRL")),
    below(strict("MALLOC_", "changes the allocator until a tool cannot start", "mallopt(3)")),
};
// clang-format on

}  // namespace

std::span<const Family> families() noexcept { return k_families; }

const Family* find_family(FamilySet set, std::string_view name) noexcept {
  const auto row = std::ranges::find_if(k_families, [set, name](const Family& family) {
    return family.set <= set &&
           (family.is_prefix ? name.starts_with(family.name) : name == family.name);
  });
  return row == std::end(k_families) ? nullptr : &*row;
}

}  // namespace sandproof
