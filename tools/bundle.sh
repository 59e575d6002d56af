#!/usr/bin/env bash
# Gathers the program, its tests and every library they need in one folder that runs on a machine
# where nothing is installed: tools/bundle.sh [FOLDER]. Programs find their libraries in lib/ beside
# them; the scenes come along.
set -euo pipefail
cd "$(dirname "$0")/.."
to=${1:-out/bundle}
programs=(build/knead)
[ -x build/tests/test_backends_gpu ] && programs+=(build/tests/test_backends_gpu)
rm -rf "$to"
mkdir -p "$to/lib"
cp "${programs[@]}" "$to"
cp -r scenes "$to"
# Everything but the C library and the driver, which belong to the machine.
ldd "${programs[@]}" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    grep -vE '/(libc|libm|libdl|librt|libpthread|ld-linux-x86-64|libcuda)\.so' |
    xargs -I{} cp -L {} "$to/lib"
for program in "${programs[@]}"; do
    patchelf --set-rpath '$ORIGIN/lib' --force-rpath "$to/$(basename "$program")"
done
for library in "$to"/lib/*; do patchelf --set-rpath '$ORIGIN' "$library"; done
if command -v strip > /dev/null; then strip "$to"/lib/* "$to"/knead; fi
du -sh "$to"
