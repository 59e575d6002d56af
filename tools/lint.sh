#!/usr/bin/env bash
# clang-tidy over our own sources, as errors; needs a configured build/.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/compile_commands.json ] || cmake --preset release >/dev/null
find src cli -name '*.cpp' | sort |
    xargs -P "$(nproc)" -n 1 clang-tidy -p build --quiet --extra-arg=-Wno-unknown-warning-option \
        --extra-arg=-Wno-missing-braces
