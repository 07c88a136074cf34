#!/bin/bash -eu
# ClusterFuzzLite copies this to $SRC and runs it in the directory of the sources.
exec bash -eu scripts/oss-fuzz/build.sh
