"""What the system tests share: a small scene, the built program, and how to compare two runs.

Each script is called with the path of the program: run_and_resume.py KNEAD.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

KNEAD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Two materials, a floor and a moving paddle: about 1,500 particles, a second or so of computing.
SCENE = (ROOT / "tests/scenes/solids.toml").read_text()

# Particles that come and go: emitted, torn, removed, split and merged.
FOAM = (ROOT / "tests/scenes/foam.toml").read_text()

# The same above a cloth that is held at its corners and twisted, and strands that bend.
CLOTH = FOAM.replace('[[bodies]]', """[materials.cloth]
density = 100
elastic = {law = "thin", young_modulus = 2e4, poisson_ratio = 0.3}
thin = {compression = 1e5, stretch = 2e4, shear = 1e3, friction_angle = 20, sheet_bending = 1e-3, fibre_bending = 1e-4}

[[bodies]]
name = "cloth"
material = "cloth"
thin = {sheet = {corner = [-0.2, 0.02, 0.2], along = [0.4, 0, 0], across = [0, 0, -0.4]}}

[[bodies]]
name = "hair"
material = "cloth"
thin = {pile = {center = [0, 0.17, 0], length = 0.3, layers = 2, fibres = 2}}

[[grips]]
body = "cloth"
group = "corners"
motion = {angular_velocity = [0, 2, 0], oscillation = {amplitude = [0, 0.01, 0], frequency = 5}}
release = 0.15

[[bodies]]""", 1).replace('center = [0, 0.08, 0]', 'center = [0, 0.1, 0]')


# Cloth, knitting and sand on one grid.
THIN = """
title = "thin"
[solver]
dx = 0.02
[time]
frame_rate = 60
frames = 16
[output]
checkpoint_seconds = 0
[materials.cloth]
density = 2
elastic = {law = "thin", young_modulus = 200, poisson_ratio = 0.3}
thin = {compression = 4000}
[materials.wool]
density = 4
elastic = {law = "thin", young_modulus = 500, poisson_ratio = 0.3}
thin = {stretch = 500, shear = 500, friction_angle = 20, damping = 1}
[materials.grains]
density = 2.2
elastic = {law = "hencky", young_modulus = 350, poisson_ratio = 0.3}
flow = {rule = "drucker-prager", friction_angle = 35}
[[bodies]]
name = "cloth"
material = "cloth"
thin = {sheet = {corner = [-0.2, 0, 0.2], along = [0.4, 0, 0], across = [0, 0, -0.4]}}
[[bodies]]
name = "swatch"
material = "wool"
velocity = [0, -1, 0]
thin = {knit = {rows = 2, columns = 2, yarn = 0.022, samples = 32}, rotate = [90, 0, 0], translate = [0, 0.07, 0]}
[[bodies]]
name = "grains"
material = "grains"
velocity = [0, -1, 0]
shape = {box = {center = [0, 0.2, 0], size = [0.14, 0.08, 0.14]}}
[[grips]]
body = "cloth"
group = "border"
"""

# A bar of points held at one end, clay that falls on it, and a block with a mass on top.
POINTS = """
title = "points"
[solver]
method = "METHOD"
dx = 0.04
[solver.METHOD]
viscosity = 20
[time]
frame_rate = 60
frames = 16
[output]
checkpoint_seconds = 0
[materials.clay]
density = 1000
elastic.law = "corotated-linear"
elastic.young_modulus = 1e5
elastic.poisson_ratio = 0.3
flow.rule = "creep"
flow.yield_stress = 300
flow.creep_rate = 0.05
flow.creep_interval = 5e-4
[[bodies]]
name = "bar"
material = "clay"
jitter = 0.05
shape = {box = {center = [0, 0.06, 0], size = [0.28, 0.1, 0.12]}}
[[colliders]]
name = "ground"
shape = {plane = {point = [0, 0, 0], normal = [0, 1, 0]}}
friction = 0.5
[[colliders]]
name = "block"
shape = {box = {center = [0.05, 0.2, 0], size = [0.16, 0.1, 0.16]}}
pushed = {mass = 2, guide = [0, 1, 0]}
[[grips]]
name = "end"
shape = {box = {center = [-0.12, 0.06, 0], size = [0.06, 0.2, 0.2]}}
motion = {angular_velocity = [4, 0, 0]}
release = 0.15
"""

# The same bar with every point method, by name.
POINT_METHODS = {
    "incremental": POINTS.replace("METHOD", "incremental"),
    "embedded": POINTS.replace("METHOD", "embedded"),
    "implicit": POINTS.replace("METHOD", "implicit").replace("viscosity = 20", ""),
    "implicit-lazy": POINTS.replace("METHOD", "implicit").replace(
        "viscosity = 20", 'rest_update = "lazy"\npreconditioner = "two-level"\nguess = "last-force"'),
    "implicit-twin": POINTS.replace("METHOD", "implicit").replace(
        "viscosity = 20", 'integrator = "explicit"'),
}


def command(*arguments):
    return [str(KNEAD), *map(str, arguments)]


def knead(*arguments, cwd=None, **options):
    return subprocess.run(command(*arguments), cwd=cwd, capture_output=True, text=True,
                          timeout=300, **options)


def stats_without_time(folder):
    with open(folder / "stats.csv", newline="") as file:
        rows = list(csv.reader(file))
    drop = rows[0].index("seconds")
    return [row[:drop] + row[drop + 1:] for row in rows]


class KneadTest(unittest.TestCase):
    """A fresh folder with the scene in it for each test."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.here = pathlib.Path(self.place.name)
        self.scene = self.here / "small.toml"
        self.scene.write_text(SCENE)

    def run_scene(self, name, *arguments, code=0, **options):
        """Runs the scene into the folder `name` and returns what came of it."""
        done = knead("run", self.scene, "--out", self.here / name, *arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def resume(self, name, *arguments):
        done = knead("run", self.here / name, "--resume", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def assert_same_run(self, a, b, frames=16):
        a, b = self.here / a, self.here / b
        for number in range(frames + 1):
            file = f"frames/frame_{number:05}.ply"
            self.assertEqual((a / file).read_bytes() == (b / file).read_bytes(), True, file)
        self.assertEqual(stats_without_time(a), stats_without_time(b))
        self.assertEqual(len(stats_without_time(a)), frames + 2)
        self.assertEqual([str(p) for p in b.rglob("*.part")], [])


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
