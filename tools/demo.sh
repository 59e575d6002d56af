#!/usr/bin/env bash
# Runs the demo scene and leaves surfaces, pictures and a movie.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out/demo}
build/knead run scenes/demo/kneading.toml --out "$out" --overwrite
build/knead surface "$out"
build/knead render "$out"
echo
echo "surfaces  $out/surface/"
echo "pictures  $out/pictures/"
echo "movie     $out/pictures/movie.mp4"
