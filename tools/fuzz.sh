#!/bin/sh
# Builds the fuzz targets with clang and runs each for some seconds: tools/fuzz.sh [SECONDS]
set -eu
seconds=${1:-60}
root=$(cd "$(dirname "$0")/.." && pwd)
cmake --preset fuzz -S "$root" >/dev/null
cmake --build "$root/build/fuzz" --target fuzz_scene fuzz_mesh
for target in scene mesh; do
    found="$root/build/fuzz/corpus_$target"
    mkdir -p "$found"
    echo "fuzz_$target for $seconds s"
    "$root/build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 \
        -rss_limit_mb=4096 -print_final_stats=1 "-artifact_prefix=$found/crash-" \
        "$found" "$root/tests/fuzz/corpus/$target"
done
