# shellcheck shell=bash
# steps.sh: how .ci/run and .ci/long run their steps. It is sourced, after `limit` was set: the minutes
# that all steps together may take.

cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." || exit
log=$(mktemp) || exit
passed=0 failed=0 skipped=0 step='the start' pid=''

finish() {
  local status=$?
  rm -f -- "$log"
  if [[ $status -ne 0 ]]; then
    [[ $failed -gt 0 ]] || failed=1
    echo
    echo "CI FAILED at: $step"
  fi
  printf '\n%d passed, %d failed' "$passed" "$failed"
  [[ $skipped -eq 0 ]] || printf ', %d skipped' "$skipped"
  printf '\n'
  exit "$status"
}
trap finish EXIT
trap '[[ -z $pid ]] || kill "$pid"; echo "stopped by a signal"; exit 143' INT TERM HUP

# step TITLE COMMAND...: runs COMMAND within the time left, adds up what it counted, ends CI when it
# fails. The output goes through a file: a process left over by COMMAND cannot hold CI up.
step() {
  step=$1
  local started=$SECONDS left=$((limit * 60 - SECONDS)) status=0 line
  shift
  printf '\n=== %s (after %d min %02d s) ===\n' "$step" $((SECONDS / 60)) $((SECONDS % 60))
  [[ $left -gt 0 ]] || { echo "no time is left: the limit is $limit minutes" && exit 1; }
  : >"$log"
  timeout --kill-after=20 "$left" "$@" </dev/null >"$log" 2>&1 &
  pid=$!
  tail --lines=+1 --follow --sleep-interval=0.2 --pid="$pid" -- "$log" 2>/dev/null &
  wait "$pid" || status=$?
  pid=''
  wait
  line=$(tail -n 1 -- "$log")
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
  fi
  echo "--- $step: $((SECONDS - started)) s, status $status"
  if [[ $status -eq 124 || $status -eq 137 ]]; then
    echo "it was still running when the $limit minutes were over, or was killed"
  fi
  [[ $status -eq 0 ]] || exit "$status"
}

# counted_step TITLE COMMAND...: a step whose last line counts: without one, or with nothing that passed,
# nothing was tried.
counted_step() {
  local before=$passed
  step "$@"
  [[ $failed -eq 0 ]] || { echo "its status is 0, and it counts failures" && exit 1; }
  [[ $passed -gt $before ]] || { echo 'its last line counts nothing that passed' && exit 1; }
}
