# Holds one command to a deadline inside a sandbox and reports on standard error.
#
# This is the program a reviewer reads. bounded.py makes the text that is sent from it:
#
#   - a line that begins with `#` is dropped; so is an empty line;
#   - `#@ sealed`, `#@ nonce`, `#@ fraction` begin a part that only that scheme (or a deadline
#     with a fraction) takes; `#@ all` ends it;
#   - leading blanks go, the lines are joined by one space (so each line carries its own `;`);
#   - the whole is put into `sh -c '...' sh`, in front of the command's quoted words.
#
# No single quote may stand in a program line: none is then left to escape.
#
#   @TAG@       the report's tag                @CALL_ID@  32 lower-case hex digits
#   @DEADLINE@  seconds, such as 30 or 1.500
#
# Rules the lines below keep, all of them measured (props/shells/README.md says where):
#
#   - once the command has started: builtins, and `sleep`; nothing that a stranger's program
#     could stand in for, and no secret in any argument vector;
#   - `case` for every test ([ is a file on PATH in yash), `echo` for every output (printf is a
#     file in mksh), no here-documents (they are temporary files);
#   - names begin with sp_, so that none is a name a shell reserves (status, stop, r, ...).

# --- a known state -------------------------------------------------------------------------------

# Job control would give the command a process group of its own; setsid would then fork, and the
# remembered pid would be the wrong one. Asked first, because posh ends at a plain `set +m`.
case $- in *m*) set +m;; esac;
# Tracing would print the secrets; an allexport from the image's own SHELLOPTS would hand them to
# the command; errexit would end the wrapper at the command's first non-zero status.
case $- in *[aeuvx]*) set +aeuvx;; esac;
# An inherited variable stays exported when it is assigned: the command would find the secrets in
# its environment.
unset sp_ready sp_tool sp_d sp_e sp_dh sp_eh sp_n sp_c sp_pid sp_killer sp_stop sp_sleeper sp_slept sp_hit sp_tries sp_end sp_again sp_left;
# bash imports functions from the environment, and a function comes before a builtin that is not a
# special one, and before every file.
unset -f command echo kill wait sleep setsid od tr sha256sum;

# --- what it needs, or nothing starts ---------------------------------------------------------------

# 126 and, sealed, a line that says what was missing: the claim that nothing was started.
#@ sealed
sp_refuse() { echo "@TAG@ @CALL_ID@ refused $1" >&2; exit 126; };
#@ nonce
sp_refuse() { echo "a command cannot be bounded here: $1" >&2; exit 126; };
#@ all
# An external kill (posh) takes -12345 for an option, and procps kills every process it can see.
case $(command -v kill) in kill) ;; *) sp_refuse kill;; esac;
#@ sealed
for sp_tool in setsid od tr sleep sha256sum; do
#@ nonce
for sp_tool in setsid od tr sleep; do
#@ all
  command -v "$sp_tool" >/dev/null 2>&1 || sp_refuse "$sp_tool";
done;
#@ fraction
# Not every sleep takes a fraction; one that does not would end at once, and so would the command.
# exec: the file that will be used, and not ksh93's builtin.
(exec sleep 0.001) 2>/dev/null || sp_refuse sleep;
#@ all
# The killer tells the wrapper that it is ready by SIGUSR1, and is told to stop by it. A signal that
# was ignored or blocked when the shell started cannot be trapped: find out now, not at the end.
trap "sp_ready=y" USR1;
kill -USR1 $$;
case $sp_ready in y) ;; *) sp_refuse trap;; esac;
sp_ready=;

# --- the secrets ------------------------------------------------------------------------------------

# Sixteen random bytes as 32 lower-case hex digits.
sp_draw() { od -An -v -tx1 -N16 /dev/urandom 2>/dev/null | tr -cd 0123456789abcdef; };
# sp_hex LENGTH VALUE TOOL: the digits spelled out, since a range follows the locale.
sp_hex() { case ${#2}:$2 in "$1":*[!0123456789abcdef]*) ;; "$1":*) return;; esac; sp_refuse "$3"; };
sp_d=$(sp_draw);
sp_hex 32 "$sp_d" /dev/urandom;
sp_e=$(sp_draw);
sp_hex 32 "$sp_e" /dev/urandom;
# Whatever answers the same twice is not random.
case $sp_d in "$sp_e") sp_refuse /dev/urandom;; esac;
#@ sealed
# What is announced are digests: who reads them back cannot write the secrets. echo is a builtin in
# every shell that comes this far, so the secrets are in no argument vector.
sp_dh=$(echo "$sp_d" | sha256sum);
sp_dh=${sp_dh%% *};
sp_hex 64 "$sp_dh" sha256sum;
sp_eh=$(echo "$sp_e" | sha256sum);
sp_eh=${sp_eh%% *};
sp_hex 64 "$sp_eh" sha256sum;
# A command whose announcement cannot be written is not started.
echo "@TAG@ @CALL_ID@ $sp_dh $sp_eh" >&2 || exit 126;
#@ nonce
# How this shell writes a line without its newline: echo -n, or a \c at the end.
case $(echo -n) in -n) sp_n=; sp_c="\c";; *) sp_n=-n; sp_c=;; esac;
# A command whose announcement cannot be written is not started.
echo "$sp_d" >&2 || exit 126;
#@ all

# --- the command ------------------------------------------------------------------------------------

# In its own session, so that its whole group can be killed. -- because the caller's first word may
# look like an option of setsid. "$@" re-parses nothing. exec, because yash otherwise keeps a process
# of its own in front of a command with a redirection, and $! is that one.
exec setsid -- "$@" </dev/null & sp_pid=$!;
# A fork that failed leaves no pid, or 0; `kill -KILL -0` and `-1` are everybody.
case $sp_pid in ""|0*|1|*[!0123456789]*) exit 126;; esac;

# --- the killer -------------------------------------------------------------------------------------

(
  # Holds none of the command's pipes open. Not behind the closing parenthesis: yash would then keep
  # a process in between, and the stop would go to that one.
  exec </dev/null >/dev/null;
  # The trap names the sleeper by a variable that is emptied before the trap is set: $! still holds
  # the command's pid here.
  sp_stop=;
  sp_sleeper=;
  sp_on_stop() { sp_stop=y; case $sp_sleeper in ?*) kill -KILL "$sp_sleeper" 2>/dev/null;; esac; };
  trap sp_on_stop USR1;
  # A child, so that it can be ended. exec: as above, and
  # ksh93's own sleep reads its number in the session's locale.
  exec sleep @DEADLINE@ 2>/dev/null & sp_sleeper=$!;
  # A stop that came between the two halves of the line above found no name to kill.
  case $sp_stop in y) kill -KILL "$sp_sleeper" 2>/dev/null;; esac;
  # The trap is set and the sleeper has a name: from now on a stop ends the sleeper.
  kill -USR1 $$;
  wait "$sp_sleeper" 2>/dev/null;
  sp_slept=$?;
  # Past the sleep a stop is ignored: a report is never cut off.
  trap "" USR1;
  # Stopped while asleep: the command has been reaped. 77 is the one status that says so.
  case $sp_stop in y) wait "$sp_sleeper" 2>/dev/null; exit 77;; esac;
  # The group; where there is none yet (the child has not reached setsid), the pid, then the group
  # again, because the child may have got there between the two.
  sp_hit=;
  kill -KILL -"$sp_pid" 2>/dev/null && sp_hit=y || {
    kill -KILL "$sp_pid" 2>/dev/null && sp_hit=y;
    kill -KILL -"$sp_pid" 2>/dev/null && sp_hit=y;
  };
  # Reported only when a kill was delivered, and only by a sleeper that ended by itself.
#@ sealed
  case $sp_slept$sp_hit in 0y) echo "@TAG@ @CALL_ID@ deadline $sp_d" >&2;; esac;
#@ nonce
  case $sp_slept$sp_hit in 0y) echo $sp_n "$sp_d$sp_c" >&2;; esac;
#@ all
  exit 0
) & sp_killer=$!;
# A fork that failed leaves $! as it was: then nobody would end the command.
case $sp_killer in
  "$sp_pid"|""|0*|1|*[!0123456789]*) kill -KILL -"$sp_pid" 2>/dev/null; kill -KILL "$sp_pid" 2>/dev/null; exit 126;;
esac;

# --- the end ----------------------------------------------------------------------------------------

# Wait until the killer has said that its trap is set: a stop that overtakes the trap kills it
# untrapped. Builtins while that is likely to be soon, then at most five times a second's sleep:
# somebody may have killed it before it could say so.
sp_tries=0;
while :; do
  case $sp_ready:$sp_tries in y:*|:3005) break;; :3???) sleep 1;; esac;
  sp_tries=$((sp_tries+1));
done;
# From here on a SIGUSR1 of somebody's interrupts no wait.
trap "" USR1;
wait "$sp_pid" 2>/dev/null;
sp_end=$?;
# zsh waits for the end, but then answers one by one what it was told on the way: stopped (147 to 150),
# continued (255), ended. Ask on while the answer may be one of those; 127 is: no more.
sp_tries=0;
while :; do
  case $sp_end:$sp_tries in *:999) break;; 14[789]:*|150:*|255:*) ;; *) break;; esac;
  wait "$sp_pid" 2>/dev/null;
  sp_again=$?;
  case $sp_again in 127) break;; esac;
  sp_end=$sp_again;
  sp_tries=$((sp_tries+1));
done;
# Stop the killer, and tell it again until it is gone: ksh93 and zsh look for what came, then begin to
# wait, and a signal between the two does not end the wait. SIGCONT, because somebody may have
# stopped it. Where a shell keeps it until it is waited for, it is told 20 times.
sp_tries=0;
while :; do
  case $sp_tries in
    20000) break;;
    0|*000) kill -USR1 "$sp_killer" 2>/dev/null || break; kill -CONT "$sp_killer" 2>/dev/null;;
  esac;
  sp_tries=$((sp_tries+1));
done;
wait "$sp_killer" 2>/dev/null;
sp_left=$?;
#@ sealed
# Only a killer that left in its own way lets the wrapper attest: never both final lines.
case $sp_left in 77) echo "@TAG@ @CALL_ID@ exit $sp_e" >&2;; esac;
#@ all
# ksh93 spells a signal 256+n and yash 384+n: both become 128+n.
sp_end=$((sp_end>255?sp_end-128:sp_end));
sp_end=$((sp_end>255?sp_end-128:sp_end));
exit "$sp_end"
