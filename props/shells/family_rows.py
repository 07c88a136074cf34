"""What each refused session variable does to the wrapper, and who says so where nothing shows.

A row has trials that must show it here, or a source, or both. `tried` are further trials, of a long
run only: there to find out whether a row that is only cited shows after all.
"""
from typing import NamedTuple

from scenario import BOUND_SHELLS, SHELLS

EVIL = "@EVIL@"  # a directory of fake tools, functions and start-up files
BARE = "@BARE@"  # a directory without od and sha256sum
SYSTEM = "@PATH@"  # the image's own PATH
CODE = "a[$(echo evil >&2)]"
NUMBERS = ("zz", "1+", CODE, "99999999999999999999", "-1", "0", "1")
FUNCTION = "() { builtin echo evil >&2; }"

# A shell that is not told to be sh: called by its own name.
OWN_NAME = {"bash-bash": "bash", "zsh-zsh": "zsh"}
ZSHES = ("zsh", "zsh-zsh")
BASHES = ("bash", "bash-bash")
EVERY = (*BOUND_SHELLS, *OWN_NAME)


class Trial(NamedTuple):
    shells: tuple
    value: str
    beside: dict = {}  # further variables, set in the run that it is compared with as well


class Row(NamedTuple):
    name: str
    source: str = ""
    shows: Trial | None = None
    tried: tuple = ()


def numbers(shells=EVERY):
    return tuple(Trial(shells, value) for value in NUMBERS)


def shown(name, shell, value, beside=None, tried=(), source=""):
    return Row(name, source, Trial((shell,), value, beside or {}), tuple(tried))


def cited(name, source, *tried):
    return Row(name, source, None, tried)


ROWS = [
    shown("PATH", "dash", EVIL, tried=[Trial(EVERY, EVIL)]),
    cited("IFS", "POSIX XCU 2.5.3: a shell may take IFS from the environment",
          Trial(EVERY, "0123456789abcdef")),
    shown("SHELLOPTS", "bash", "noexec", tried=[Trial(("bash",), "xtrace")]),
    shown("BASHOPTS", "bash", "extdebug"),
    shown("LD_PRELOAD", "dash", "/nonexistent.so", tried=[Trial(EVERY, "/nonexistent.so")]),
    shown("LD_TRACE_LOADED_OBJECTS", "dash", "1", tried=[Trial(EVERY, "1")]),
    shown("LD_SHOW_AUXV", "dash", "1", tried=[Trial(EVERY, "1")]),

    cited("CDPATH", "POSIX XCU cd: searched, and the directory printed", Trial(EVERY, EVIL)),
    cited("ENV", "POSIX XCU 2.5.3; ksh88 and pdksh read it in shells that are not interactive, too",
          Trial((*SHELLS, *OWN_NAME), EVIL + "/startup")),
    shown("BASH_ENV", "bash-bash", EVIL + "/startup", tried=[Trial(("bash",), EVIL + "/startup")]),
    cited("PS4", "POSIX XCU 2.5.3, bash(1) PS4: expanded before each traced line; bash takes none "
          "from the environment as root",
          Trial(EVERY, "$(echo evil >&2)", {"SHELLOPTS": "xtrace"})),
    shown("BASH_XTRACEFD", "bash", "1", {"SHELLOPTS": "xtrace"}),
    shown("BASH_COMPAT", "bash", "zz"),
    cited("BASH_LOADABLES_PATH", "bash(1): where enable -f finds builtins", Trial(BASHES, EVIL)),
    cited("EXECIGNORE", "bash(1): programs that a search for commands passes over",
          Trial(BASHES, "*"), Trial(BASHES, "*/setsid:*/od")),
    cited("GLOBIGNORE", "bash(1): also turns dotglob on", Trial(BASHES, "*")),
    shown("FUNCNEST", "zsh", "0", tried=[Trial(EVERY, value) for value in ("0", "1", "-1", "zz")]),
    shown("FPATH", "ksh93", EVIL + "/functions", {"PATH": BARE},
          [Trial(("ksh93", "mksh", *ZSHES, "yash"), EVIL + "/functions")]),
    shown("ZDOTDIR", "zsh-zsh", EVIL, tried=[Trial(("zsh",), EVIL)]),
    cited("NULLCMD", "zshparam(1): run where a redirection has no command", Trial(ZSHES, "echo")),
    cited("READNULLCMD", "zshparam(1): run where an input redirection has no command",
          Trial(ZSHES, "echo")),
    cited("MODULE_PATH", "zshparam(1): where binary modules are loaded from", Trial(ZSHES, EVIL)),
    cited("YASH_LOADPATH", "yash(1): where `.` finds scripts", Trial(("yash",), EVIL)),
    shown("EXECSHELL", "mksh", EVIL + "/execshell", {"PATH": f"{EVIL}/scripts:{SYSTEM}"}),
    shown("SHLVL", "bash", "9999", tried=numbers()),
    shown("OPTIND", "dash", "zz", tried=numbers()),
    cited("OPTERR", "bash(1): whether getopts prints messages", *numbers()),

    shown("SECONDS", "mksh", "zz", tried=numbers()),
    cited("RANDOM", "bash(1), mksh(1): seeds the generator; in ksh88 an integer of the shell",
          *numbers()),
    shown("LINENO", "mksh", "zz", tried=numbers()),
    shown("HISTSIZE", "mksh", "zz", tried=numbers()),
    shown("TMOUT", "mksh", "zz", tried=numbers()),
    cited("ERRNO", "zshparam(1), ksh88: an integer of the shell", *numbers()),
    cited("A__z", "ksh93 source, sh/init.c: attributes of exported variables travel in it",
          *numbers(), Trial(("ksh93",), "*"), Trial(("ksh93",), "*evil")),

    cited("POSIXLY_CORRECT", "bash(1), getopt(3)", Trial(EVERY, "1")),
    cited("POSIX_PEDANTIC", "bash source, shell.c and variables.c: as POSIXLY_CORRECT",
          Trial(EVERY, "1")),
    cited("POSIX_ME_HARDER", "GNU Coding Standards, 4.1: an older name of POSIXLY_CORRECT; popt "
          "reads both", Trial(EVERY, "1")),
    cited("_POSIX2_VERSION", "coreutils manual, Standards conformance",
          Trial(EVERY, "199209"), Trial(EVERY, "zz")),

    shown("GLIBC_TUNABLES", "dash",
          "glibc.malloc.arena_max=1:glibc.malloc.top_pad=4611686018427387904",
          tried=[Trial(EVERY, "glibc.malloc.check=3")], source="glibc manual, Tunables"),
    cited("GCONV_PATH", "glibc manual: where iconv loads modules from",
          Trial(EVERY, EVIL, {"LC_ALL": "zz_ZZ.X"})),
    cited("GETCONF_DIR", "ld.so(8): where getconf finds what it executes", Trial(EVERY, EVIL)),
    cited("LOCPATH", "locale(7), glibc manual", Trial(EVERY, EVIL, {"LC_ALL": "zz_ZZ"})),
    cited("NLSPATH", "catopen(3)", Trial(EVERY, EVIL + "/%N", {"LC_ALL": "C.UTF-8"})),
    cited("MUSL_LOCPATH", "musl manual, environment variables",
          Trial(EVERY, EVIL, {"LC_ALL": "zz"})),
    cited("PATH_LOCALE", "FreeBSD setlocale(3)", Trial(EVERY, EVIL, {"LC_ALL": "zz"})),
    cited("TZDIR", "tzset(3)", Trial(EVERY, EVIL, {"TZ": "Zz"})),
    cited("RES_OPTIONS", "resolv.conf(5)", Trial(EVERY, "zz")),
    cited("LOCALDOMAIN", "resolv.conf(5)", Trial(EVERY, "zz")),
    cited("HOSTALIASES", "hostname(7)", Trial(EVERY, EVIL + "/aliases")),
    cited("RESOLV_HOST_CONF", "ld.so(8), host.conf(5)", Trial(EVERY, EVIL + "/hosts")),
    cited("NIS_PATH", "ld.so(8)", Trial(EVERY, "zz")),
    cited("SHLIB_PATH", "HP-UX dld.sl(5): as LD_LIBRARY_PATH", Trial(EVERY, EVIL)),
    cited("LIBPATH", "AIX ld(1): as LD_LIBRARY_PATH", Trial(EVERY, EVIL)),

    shown("BASH_FUNC_unset%%", "bash-bash", FUNCTION, tried=[Trial(("bash",), FUNCTION)],
          source="a bash that is not in POSIX mode runs `unset` itself from a function"),
    cited("BASH_FUNC_od%%", "bash(1): a function in front of od. The wrapper unsets it; drive.py "
          "--mutants, `functions not unset`, shows it run", Trial(BASHES, FUNCTION)),
    cited("__BASH_FUNC<od>()", "Apple's bash 3.2 after CVE-2014-6271: the prefix of its exported "
          "functions", Trial(BASHES, FUNCTION)),
    cited("DYLD_INSERT_LIBRARIES", "macOS dyld(1)", Trial(EVERY, "/nonexistent.dylib")),
    cited("_RLD_LIST", "IRIX rld(1), Tru64 loader(5)", Trial(EVERY, "/nonexistent.so")),
    cited("LDR_PRELOAD", "AIX ld(1)", Trial(EVERY, "/nonexistent.so")),
    cited("LDR_CNTRL", "AIX ld(1)", Trial(EVERY, "MAXDATA=0")),
    shown("MALLOC_TOP_PAD_", "dash", "99999999999999", tried=[Trial(EVERY, "99999999999999")]),
    cited("MALLOC_ARENA_MAX", "mallopt(3)", Trial(EVERY, "zz")),
]

# Names that are refused with some values only: (row, the reason that the tool gives for the value).
VALUES = [
    (shown("COLUMNS", "mksh", "zz", tried=numbers()), "not_digits"),
    (shown("LINES", "mksh", "zz", tried=numbers()), "not_digits"),
    (cited("X", "a value that begins with `() {`: CVE-2014-6271, bash before 4.3 patch 25",
           Trial(EVERY, "() { :; }; echo evil >&2")), "function_value"),
]
