# shellcheck shell=bash
# lib.sh: what the scripts share. It is sourced, never run.
#
# Commands in this directory have no suffix; helpers have one. Everything built goes below build/,
# one directory a configuration:
#
#   build/tool        the command-line tool, and what counts instructions, release, g++
#   build/test-gcc    the tests, g++
#   build/test-clang  the tests, clang 19 with ASan and UBSan
#   build/test-integer, build/test-thread   those with other sanitizers
#   build/analyze, build/analyze-gcc        what analyzers read
#   build/fuzz        the fuzzers, clang 19 with ASan and UBSan
#   build/fuzz-planted the fuzzers of a copy with a planted bug
#   build/coverage    the fuzzers' replays, clang 19 with coverage
#   build/attacks     a copy of the sources without its gates, and what is built of it
#   build/bench       the benchmarks, release, g++
#   build/mutate      what became of each mutant, and what a run works with

scripts=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
root=${scripts%/*}
me=$(readlink -f -- "$0")
me=scripts/${me##*/}
export PYTHONDONTWRITEBYTECODE=1

# say TEXT...: one line on standard error, which is where all progress goes.
say() { printf '%s: %s\n' "$me" "$*" >&2; }

# die TEXT...: says TEXT and ends with status 2 (usage, or something missing on this machine).
die() {
  say "$@"
  exit 2
}

# usage_error TEXT...: dies, naming --help.
usage_error() { die "$* (see $me --help)"; }

# is_count TEXT: a positive decimal number of at most six digits.
is_count() { [[ $1 =~ ^[1-9][0-9]{0,5}$ ]]; }

# show_latest: copies lines from standard input to one terminal line on standard error.
show_latest() {
  local line columns
  columns=$(stty size <&2 2>/dev/null) || columns='24 80'
  columns=${columns#* }
  [[ $columns -gt 10 ]] || columns=80
  while IFS= read -r line; do
    line=${line//[^[:print:]]/ }
    printf '\r\033[K  %s' "${line:0:columns-4}" >&2
  done
  printf '\r\033[K' >&2
}

# run_logged LOG COMMAND...: runs COMMAND with its output in LOG; a terminal shows the latest line.
# On failure prints the part of LOG that tells why and returns the command's status.
run_logged() {
  local log=$1 status=0
  shift
  mkdir -p -- "${log%/*}"
  if [[ -t 2 ]]; then
    "$@" </dev/null 2>&1 | tee -- "$log" | show_latest || status=${PIPESTATUS[0]}
  else
    "$@" </dev/null >"$log" 2>&1 || status=$?
  fi
  [[ $status -eq 0 ]] && return
  say "failed (status $status): $*"
  if grep '^FAILED:' -- "$log" | grep -qv '^FAILED: build.ninja'; then
    sed -n '/^FAILED:/,$p' -- "$log" | sed -n 1,80p >&2
  else
    tail -n 40 -- "$log" >&2
  fi
  say "the whole log: $log"
  return "$status"
}

# lock NAME: until unlock or the end, no other script configures or builds build/NAME.
lock() {
  mkdir -p -- "$root/build"
  exec {lock_fd}>"$root/build/$1.lock"
  flock --nonblock "$lock_fd" && return
  say "waiting: another script is working in build/$1"
  flock "$lock_fd"
}

unlock() { exec {lock_fd}>&-; }

# configure NAME gcc|clang MESON-ARGUMENT...: configures build/NAME, once; again when the arguments
# or the repository's place changed. A directory somebody configured by hand is left as it is.
# SANDPROOF_WERROR=1 makes warnings errors there, for good: it never goes back by itself, so that
# builds with and without it do not undo each other.
configure() {
  local name=$1 compiler=$2 dir=$root/build/$1
  local cc=gcc cxx=g++ stamp=$dir/.configured wanted
  shift 2
  if [[ $compiler == clang ]]; then
    cc=clang-19 cxx=clang++-19
  fi
  wanted="$root $cxx $*"
  if [[ ! -f $dir/build.ninja || (-f $stamp && $(<"$stamp") != "$wanted") ]]; then
    say "configuring build/$name ($cxx)"
    rm -rf -- "$dir"
    CC=$cc CXX=$cxx run_logged "$root/build/$name.configure.log" \
      meson setup "$@" "$dir" "$root" || return
    printf '%s' "$wanted" >"$stamp"
  fi
  if [[ ${SANDPROOF_WERROR:-} == 1 && ! -f $dir/.werror ]]; then
    run_logged "$root/build/$name.configure.log" meson configure "$dir" -Dwerror=true || return
    touch -- "$dir/.werror"
  fi
}

# configure_tests gcc|clang: the tests, in build/test-gcc or build/test-clang, which several scripts
# build. With -O1 they compile sooner, and run nearly as fast; the sanitizers lose nothing by it.
configure_tests() {
  local options=(-Doptimization=1)
  if [[ $1 == gcc ]]; then
    options+=(-Ddebug=false)
  else
    options+=('-Db_sanitize=address,undefined' -Db_lundef=false)
  fi
  configure "test-$1" "$1" "${options[@]}"
}

# build NAME TARGET...: brings build/NAME up to date; says nothing when there is nothing to do.
build() {
  local name=$1 started=$SECONDS
  shift
  [[ $(ninja -C "$root/build/$name" -n "$@" 2>&1) == *'ninja: no work to do.'* ]] && return
  say "building build/$name"
  run_logged "$root/build/$name.log" ninja -C "$root/build/$name" -j "$(nproc)" "$@" || return
  say "built build/$name in $((SECONDS - started)) s"
}

# configure_tool: build/tool, which has what people link.
configure_tool() { configure tool gcc -Dtests=false --buildtype=release; }

# list NAME KIND: what build/NAME holds, one a line, as Meson knows it (see meson_info.py) once it has
# read the meson.build files as they are now.
list() {
  run_logged "$root/build/$1.configure.log" ninja -C "$root/build/$1" build.ninja || return
  python3 "$scripts/meson_info.py" "$root/build/$1" "$2"
}

# choose SUFFIX LIST-NAME ARGUMENT...: prints those paths of the array LIST-NAME whose last part is an
# ARGUMENT, with or without SUFFIX; all of them when there is no ARGUMENT. Fails for an unknown one.
choose() {
  local suffix=$1 argument path
  local -n known=$2
  shift 2
  [[ $# -gt 0 ]] || set -- "${known[@]##*/}"
  for argument in "$@"; do
    argument=${argument%"$suffix"}$suffix
    for path in "${known[@]}"; do
      [[ ${path##*/} == "$argument" ]] && printf '%s\n' "$path" && continue 2
    done
    say "no target $argument; there are: ${known[*]##*/}"
    return 2
  done
}

# source_files PATTERN...: the tracked and the new, not ignored, files of the working tree that
# match, relative to the root, each followed by NUL.
source_files() {
  local file
  while IFS= read -r -d '' file; do
    [[ -f $root/$file || -L $root/$file ]] && printf '%s\0' "$file"
  done < <(git -C "$root" ls-files -z --cached --others --exclude-standard --deduplicate -- "$@")
}

# copy_sources DIRECTORY PATTERN...: copies the files that source_files names into DIRECTORY.
copy_sources() {
  source_files "${@:2}" | tar -C "$root" --null --files-from=- --create | tar -C "$1" --extract
}

# build_tests TARGET...: brings what is named of the tests with g++ up to date, or dies.
build_tests() {
  lock test-gcc
  configure_tests gcc || die "the tests could not be configured"
  build test-gcc "$@" || die "the tests could not be built"
  unlock
}

# check TITLE COMMAND...: counts whether COMMAND succeeds; the end of what it says is shown if not.
passed=0 failed=0 skipped=0
check() {
  local title=$1 output
  shift
  if output=$("$@" 2>&1 </dev/null); then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  echo "FAILED  $title"
  tail -n 60 <<<"$output" | sed 's/^/    /'
}

# counted: prints the line that says what check() counted, and ends with status 1 if anything failed.
counted() {
  printf '%d passed, %d failed' "$passed" "$failed"
  [[ $skipped -eq 0 ]] || printf ', %d skipped' "$skipped"
  echo
  [[ $failed -eq 0 ]]
  exit
}

# sanitizer_environment: makes every sanitizer finding fatal and readable.
sanitizer_environment() {
  local symbolizer
  symbolizer=$(command -v llvm-symbolizer-19) && export ASAN_SYMBOLIZER_PATH=$symbolizer \
    UBSAN_SYMBOLIZER_PATH=$symbolizer
  export ASAN_OPTIONS=${ASAN_OPTIONS:-halt_on_error=1:detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1}
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
}
