#!/usr/bin/env python3
"""A scene is right, and its coarsest variant runs for two frames: one_scene.py KNEAD SCENE."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib


def variants(path):
    """Names of the quality tables of a scene, of the scenes it extends too."""
    scene = tomllib.loads(path.read_text())
    names = set(scene.get("quality", {}))
    if "extends" in scene:
        names |= variants(path.parent / scene["extends"])
    return names


def knead(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: exit {done.returncode}\n"
                 + done.stdout + done.stderr)
    return done.stdout


program, scene = sys.argv[1], pathlib.Path(sys.argv[2])
knead("check", scene)

options = ["--frames", 2, "--quiet"]
if "preview" in variants(scene):
    options += ["--set", "quality=preview"]
if "KNEAD_SANITIZED" in os.environ:  # slow: a few substeps
    options += ["--set", "time.frame_rate=1000"]
with tempfile.TemporaryDirectory() as folder:
    knead("run", scene, "--out", f"{folder}/run", *options)
    rows = json.loads(knead("stats", f"{folder}/run", "--json"))

assert [row["frame"] for row in rows] == [0, 1, 2], rows
if rows[0]["particles"] > 0:
    mass = rows[-1]["mass"] - rows[-1].get("mass_in", 0) + rows[-1].get("mass_out", 0)
    assert abs(mass / rows[0]["mass"] - 1) < 3e-3, (rows[0]["mass"], mass)
