#!/usr/bin/env python3
"""What a new user meets in the first hour: first_hour.py KNEAD [TEST]."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

KNEAD = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = {"cm/s": 0.01, "cm": 0.01, "mm": 0.001, "kPa": 1000, "Pa": 1, "kg/m3": 1, "m/s": 1, "m": 1}

BALL = """
[solver]
dx = 0.03
[time]
frames = 12
[materials.soft]
density = 1000
elastic = {law = "fixed-corotated", young_modulus = 50, poisson_ratio = 0.4}
[[bodies]]
name = "ball"
material = "soft"
shape = {sphere = {center = [0, 0.11, 0], radius = 0.1}}
[[colliders]]
shape = {plane = {}}
"""


def knead(*arguments):
    return subprocess.run([KNEAD, *map(str, arguments)], capture_output=True, text=True)


def without_units(text):
    """Every quantity as the plain SI number that is nearest to it."""
    def plain(match):
        number, unit = match.group(1), match.group(2)
        scale = {0.01: "e-2", 0.001: "e-3", 1000: "e3", 1: ""}[UNITS[unit]]
        return repr(float(number + scale))
    return re.sub(r'"(-?[0-9.]+) ([a-zA-Z/0-9]+)"', plain, text)


class FirstHour(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def frames(self, scene, name, *more):
        out = self.folder / name
        done = knead("run", scene, "--out", out, "--quiet", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [path.read_bytes() for path in sorted((out / "frames").iterdir())]

    def test_numbers_with_units_and_without_give_the_same_bytes(self):
        for name in ("toothpaste", "marshmallow", "sand-on-jelly"):
            text = (ROOT / f"scenes/demo/{name}.toml").read_text()
            plain = without_units(text)
            self.assertIn('"2.4 mm"' if name == "toothpaste" else " mm\"", text)
            self.assertNotRegex(plain, r'"-?[0-9.]+ ')
            more = ("--set", "quality=preview", "--frames", "1")
            with_units = self.frames(self.write("units.toml", text), name + "1", *more)
            without = self.frames(self.write("plain.toml", plain), name + "2", *more)
            self.assertEqual(len(with_units), 2)
            self.assertTrue(with_units == without, name)

    def test_pa_for_kpa_is_asked_for_before_and_told_while_it_runs(self):
        scene = self.write("ball.toml", BALL)
        checked = knead("check", scene)
        self.assertEqual(checked.returncode, 0)
        self.assertIn("was kPa meant?", checked.stderr)
        ran = knead("run", scene, "--out", self.folder / "run")
        self.assertIn("times its volume at rest", ran.stderr)
        self.assertEqual(ran.stderr.count("times its volume at rest"), 1)
        firm = knead("check", scene, "--set", "materials.soft.elastic.young_modulus=50 kPa")
        self.assertNotIn("kPa", firm.stderr)

    def test_check_says_what_limits_steps_and_what_they_cost(self):
        scene = ROOT / "scenes/demo/kneading.toml"
        quick = knead("check", scene, "--set", "solver.dx=0.016")
        self.assertRegex(quick.stdout, r"steps +[0-9.e-]+ s, about \d+ a frame, limited by stiffness of \w+")
        self.assertRegex(quick.stdout, r"a fourth of .* takes [0-9.]+ times fewer")
        self.assertNotIn("cost ", quick.stdout)
        cost = knead("check", scene, "--set", "solver.dx=0.016", "--cost")
        self.assertRegex(cost.stdout, r"cost +.* a frame and .* in all on \d+ threads")

    def test_the_cost_is_said_where_nothing_limits_the_first_steps(self):
        still = self.write("still.toml", BALL.replace("dx = 0.03", 'dx = 0.03\nintegrator = "implicit"'))
        said = knead("check", still, "--cost", "--set", "time.frames=2").stdout
        self.assertRegex(said, r"steps +[0-9.e-]+ s, about 1 a frame, limited by the frames at the start")
        self.assertRegex(said, r"cost +\d+ steps")

    def test_what_will_come_is_said_before(self):
        said = knead("check", ROOT / "tests/scenes/strand.toml").stdout
        self.assertRegex(said, r"strand: about \d+ particles to come of paste")
        self.assertRegex(said, r"0 particles at the start, about \d+ to come")
        self.assertIn("sink      drain", said)

    def test_frames_without_matter_are_written_everywhere_with_a_word(self):
        scene = ROOT / "tests/scenes/strand.toml"
        run = self.folder / "run"
        self.assertEqual(knead("run", scene, "--out", run, "--frames", "1", "--quiet").returncode, 0)
        surface = knead("surface", run)
        self.assertEqual(surface.returncode, 0, surface.stderr)
        self.assertIn("the surface of frame 0 is empty", surface.stderr)
        for kind in ("ply", "gltf", "vdb", "vtk"):
            for what in ("points", "surface"):
                done = knead("export", run, "--format", kind, "--what", what)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("is empty", done.stderr, (kind, what))


if __name__ == "__main__":
    unittest.main()
