#!/bin/sh
# private_engine.sh OUTPUT COMPILER...: libFuzzer as one object with a libstdc++ of its own, of which
# the target that it is linked to sees nothing.
#
# Debian's libFuzzer shares libstdc++ with the target. Its archive comes first at the link and has
# functions of libstdc++'s headers in it, compiled without a sanitizer: the target would run those in
# place of its own copies, and what goes wrong in them, or is written by them, would not be seen. The
# other way round, libFuzzer would run the target's, and MSan would report what it does itself.
set -eu

output=$1
shift

archive=$("$@" -print-file-name="libclang_rt.fuzzer-$(uname -m).a")
standard=$("$@" -print-file-name=libstdc++.a)
for file in "$archive" "$standard"; do
  [ -f "$file" ] || { echo "$* has no $file" >&2 && exit 1; }
done
ld -r --force-group-allocation --whole-archive "$archive" --no-whole-archive "$standard" -o "$output.all"
objcopy --wildcard --keep-global-symbol=main --keep-global-symbol='LLVM*' \
  --keep-global-symbol='__libfuzzer_*' --keep-global-symbol='__sancov_*' \
  --keep-global-symbol='__sanitizer_*' "$output.all" "$output"
rm -- "$output.all"
