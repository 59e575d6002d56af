"""Every scene below scenes/ is right, and its coarsest variant runs for two frames."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

KNEAD = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = sorted((ROOT / "scenes").rglob("*.toml"))


def variants(path):
    """Names of the quality tables of a scene, of the scenes it extends too."""
    scene = tomllib.loads(path.read_text())
    names = set(scene.get("quality", {}))
    if "extends" in scene:
        names |= variants(path.parent / scene["extends"])
    return names


class EveryScene(unittest.TestCase):
    def test_is_right(self):
        self.assertGreater(len(SCENES), 0)
        for path in SCENES:
            with self.subTest(scene=path.name):
                done = subprocess.run([KNEAD, "check", path], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_runs_for_two_frames_and_stays_finite(self):
        for path in SCENES:
            with self.subTest(scene=path.name), tempfile.TemporaryDirectory() as folder:
                command = [KNEAD, "run", path, "--out", folder + "/run", "--frames", "2", "--quiet"]
                if "preview" in variants(path):
                    command += ["--set", "quality=preview"]
                if "KNEAD_SANITIZED" in os.environ:  # slow: a few substeps of each
                    command += ["--set", "time.frame_rate=1000"]
                done = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                stats = subprocess.run([KNEAD, "stats", folder + "/run", "--json"],
                                       capture_output=True, text=True, check=True)
                rows = json.loads(stats.stdout)
                self.assertEqual([row["frame"] for row in rows], [0, 1, 2])
                if rows[0]["particles"] > 0:
                    self.assertAlmostEqual(rows[-1]["mass"] / rows[0]["mass"], 1, delta=3e-3)


if __name__ == "__main__":
    unittest.main()
