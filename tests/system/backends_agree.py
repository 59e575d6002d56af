"""Scenes as people run them, with --backend cuda on the emulated device and on the CPU: the statistics
agree. KNEAD_FRAMES=N runs N frames each at the scene's own frame rate: python3
tests/system/backends_agree.py build/knead-emulated
"""
import csv
import os
import unittest

import support
from support import KneadTest, knead

# Beside the CPU's, up to a share of the column's largest number.
SHARES = {"particles": 0, "mass": 1e-9, "kinetic_energy": 1e-3, "elastic_energy": 1e-3, "momentum_x": 1e-3,
          "momentum_y": 1e-3, "momentum_z": 1e-3, "centre_of_mass_x": 1e-5, "centre_of_mass_y": 1e-5,
          "centre_of_mass_z": 1e-5, "bbox_min_x": 1e-3, "bbox_min_y": 1e-3, "bbox_min_z": 1e-3,
          "bbox_max_x": 1e-3, "bbox_max_y": 1e-3, "bbox_max_z": 1e-3, "max_speed": 1e-3, "weak": 1e-2,
          "removed": 1e-2}
# What a column is measured by beside its own largest number: sums along one axis may be nearly zero.
SCALES = [["momentum_x", "momentum_y", "momentum_z"],
          ["centre_of_mass_x", "centre_of_mass_y", "centre_of_mass_z"],
          ["bbox_min_x", "bbox_min_y", "bbox_min_z", "bbox_max_x", "bbox_max_y", "bbox_max_z"]]
FRAMES = int(os.environ.get("KNEAD_FRAMES", 0))


def statistics(folder):
    with open(folder / "stats.csv", newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def scale(rows, name):
    group = next((g for g in SCALES if name in g), [name])
    return max(abs(row[n]) for row in rows for n in group)


class BackendsAgree(KneadTest):
    def compare(self, scene, frame_rate, *settings):
        path = support.ROOT / "scenes" / scene
        runs = []
        for backend in ("cpu", "cuda"):
            out = self.here / backend
            arguments = ["run", path, "--backend", backend, "--out", out, "--frames", FRAMES or 1, *settings]
            if not FRAMES:
                arguments += ["--set", f"time.frame_rate={frame_rate}"]
            done = knead(*arguments)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            runs.append(statistics(out))
        on_cpu, on_gpu = runs
        self.assertEqual(len(on_cpu), len(on_gpu))
        self.assertGreater(on_cpu[-1]["substeps"], 5)
        for name, share in SHARES.items():
            if name not in on_cpu[0]:
                continue
            for a, b in zip(on_cpu, on_gpu):
                self.assertAlmostEqual(a[name], b[name], delta=share * scale(on_cpu, name) + 1e-12,
                                       msg=f"{scene}: {name} at frame {a['frame']:.0f}")

    def test_demo(self):
        self.compare("demo/kneading.toml", 200)

    def test_bingham(self):
        self.compare("yue-2015/fig03-bingham.toml", 120, "--set", "quality=preview")

    def test_sticky_with_removal(self):
        self.compare("yue-2015/fig08-sticky-removal.toml", 120, "--set", "quality=preview")


if __name__ == "__main__":
    support.main()
