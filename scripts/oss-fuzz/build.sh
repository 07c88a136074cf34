#!/bin/bash -eu
# Builds every fuzz target into $OUT, with its seeds, dictionary and options, as OSS-Fuzz and
# ClusterFuzzLite ask for it: $CC, $CXX, $CFLAGS, $CXXFLAGS and $LIB_FUZZING_ENGINE say how,
# $SRC, $WORK and $OUT where. It is run in the directory of the sources. scripts/oss-fuzz/check runs
# it without their images.

source=$PWD
build=$WORK/sandproof
deps=$WORK/deps
[[ -f $source/fuzz/meson.build ]] || {
  echo "build.sh: $source is not the directory of the sources" >&2
  exit 1
}
rm -rf -- "$build" "$deps"

# The libraries that the targets link are built from $SRC where their sources are there: $OUT is moved
# to machines that do not have them, the C++ library here may be another than the one that a package
# was built with, and MSan must have compiled all that writes to memory. The engine is to be guided by
# the branches of sandproof alone, so they get no coverage flags.
without_coverage() {
  local flags=$1
  echo "${flags//${COVERAGE_FLAGS:-'no such flag'}/}"
}

if [[ -d $SRC/libsodium ]]; then
  mkdir -p -- "$deps/build/libsodium"
  cp -R -- "$SRC/libsodium/." "$deps/build/libsodium"
  (
    cd -- "$deps/build/libsodium"
    [[ -x configure ]] || ./autogen.sh -s
    CFLAGS=$(without_coverage "$CFLAGS") ./configure --quiet --prefix="$deps" --libdir="$deps/lib" \
      --enable-static --disable-shared --disable-asm
    make --quiet -j"$(nproc)" install
  )
fi

# describe NAME LIBS: the package NAME, whose headers are in $deps/include, for pkg-config.
describe() {
  mkdir -p -- "$deps/lib/pkgconfig"
  cat >"$deps/lib/pkgconfig/$1.pc" <<END
Name: $1
Description: built from \$SRC
Version: 0
Cflags: -I$deps/include
Libs: $2
END
}

if [[ -d $SRC/re2 ]]; then
  mkdir -p -- "$deps/build" "$deps/include/re2" "$deps/lib"
  cp -R -- "$SRC/re2" "$deps/build/re2"
  (
    cd -- "$deps/build/re2"
    make --quiet -j"$(nproc)" CXX="$CXX" CXXFLAGS="$(without_coverage "$CXXFLAGS") -pthread" obj/libre2.a
    cp -- obj/libre2.a "$deps/lib/"
    cp -- re2/*.h "$deps/include/re2/"
  )
  describe re2 "-L$deps/lib -lre2 -pthread"
fi

if [[ -d $SRC/json ]]; then
  mkdir -p -- "$deps/include"
  cp -R -- "$SRC/json/include/nlohmann" "$deps/include/"
  describe nlohmann_json ''
fi
export PKG_CONFIG_PATH=$deps/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}

# A system's own libraries are not MSan's: the seams that fuzz/msan_seams.cc puts before them need
# them to be shared.
static=true
[[ ${SANITIZER:-} != memory || -d $SRC/re2 ]] || static=false

meson setup --buildtype=plain -Dprefer_static="$static" -Db_lundef=false -Dtests=false -Dfuzzers=true \
  -Dfuzz_guidance= -Dfuzz_engine="${LIB_FUZZING_ENGINE// /,}" "$build" "$source"
mapfile -t targets < <(python3 "$source/scripts/meson_info.py" "$build" fuzzers)
ninja -C "$build" "${targets[@]}"

for target in "${targets[@]}"; do
  name=${target##*/}
  parts=$source/fuzz/${name%_fuzzer}
  cp -- "$build/$target" "$OUT/$name"
  cp -- "$parts.dict" "$OUT/$name.dict"
  cp -- "$parts.options" "$OUT/$name.options"
  rm -f -- "$OUT/${name}_seed_corpus.zip"
  zip --quiet --junk-paths -X "$OUT/${name}_seed_corpus.zip" "$source/corpus/$name"/*
done
