#!/usr/bin/env bash
# clang-tidy over our own sources, as errors. It reads headers its own way, so it gets a configuration
# without precompiled ones.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset lint >/dev/null
find src cli -name '*.cpp' | sort |
    xargs -P "$(nproc)" -n 1 clang-tidy -p build/lint --quiet --extra-arg=-Wno-unknown-warning-option \
        --extra-arg=-Wno-missing-braces
