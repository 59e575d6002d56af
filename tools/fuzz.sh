#!/bin/sh
# Builds the fuzz targets with clang and runs each for some seconds, a minute unless told:
# tools/fuzz.sh [SECONDS] [TARGET]... New inputs stay in build/fuzz; findings are named crash-*.
set -eu
seconds=${1:-60}
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] && shift
targets=${*:-scene override mesh frame surface statistics checkpoint}
[ -f "$root/build/fuzz/build.ninja" ] || cmake --preset fuzz -S "$root" -DKNEAD_CUDA=OFF >/dev/null
# shellcheck disable=SC2046,SC2086
cmake --build "$root/build/fuzz" --target $(printf 'fuzz_%s ' $targets)
# libFuzzer's own bookkeeping (which seed deserves how much time) takes more than half of a run of the scene
# target, and stack traces of every allocation much of the rest: without them one run was four times as fast (docs/log/fuzzing.md).
export ASAN_OPTIONS="malloc_context_size=1:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
for target in $targets; do
    found="$root/build/fuzz/corpus_$target"
    mkdir -p "$found"
    echo "fuzz_$target for $seconds s"
    "$root/build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 \
        -rss_limit_mb=4096 -entropic=0 -print_final_stats=1 -verbosity=0 "-artifact_prefix=$found/crash-" \
        "$found" "$root/tests/fuzz/corpus/$target"
done
