#!/usr/bin/env python3
"""The installed library serves a program of somebody else's: installed.py BUILD SOURCE."""
import pathlib
import subprocess
import sys
import tempfile

build, source = map(pathlib.Path, sys.argv[1:])


def do(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    here = pathlib.Path(folder)
    do("cmake", "--install", build, "--prefix", here / "prefix")
    for name in ("hello", "new_material"):
        do("cmake", "-S", source / "examples" / name, "-B", here / name, "-G", "Ninja",
           "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={here / 'prefix'}")
        do("cmake", "--build", here / name)
    said = do(here / "hello/hello").splitlines()
    paint = do(here / "new_material/new_material").splitlines()
    version = do(here / "prefix/bin/knead", "--version")

assert len(said) == 12 and said[0].startswith("frame 1: "), said
assert version.startswith("knead "), version
# It falls freely, then the floor compresses it.
energy = [float(line.split()[4]) for line in said]
assert energy[0] == 0 and energy[-1] > 1, energy

# Its flow curve is that of the closed form, and it has come down.
for line in paint[:3]:
    measured, exact = float(line.split()[2]), float(line.split()[6])
    assert abs(measured / exact - 1) < 0.02, line
assert 20 < float(paint[3].split()[-2]) < 90, paint[3]
