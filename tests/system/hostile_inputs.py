#!/usr/bin/env python3
"""Inputs that block, swell or lie are refused in seconds, with a name: hostile_inputs.py KNEAD."""
import json
import os
import random
import re
import resource
import struct
import subprocess

import support
from support import SCENE, KneadTest, command

QUICK = SCENE.replace("frames = 16", "frames = 2").replace("dx = 0.05", "dx = 0.1")
SECONDS = 60
MEMORY = 6 << 30  # of address space


def limited(*arguments, memory=MEMORY):
    """The program with a limit on time and memory; what it said."""
    return subprocess.run(
        command(*arguments), capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))


def place_of(column, frame):
    """Where the first particle's number of that column stands in a frame's bytes."""
    sizes = {"double": 8, "float": 4, "int": 4, "uchar": 1, "short": 2}
    place = frame.index(b"end_header\n") + 11
    for kind, name in re.findall(r"property (\w+) (\w+)", frame[:place].decode()):
        if name == column:
            return place
        place += sizes[kind]
    raise KeyError(column)


class Hostile(KneadTest):
    def setUp(self):
        super().setUp()
        self.scene.write_text(QUICK)

    def refused(self, *arguments, name=None, memory=MEMORY):
        """Exit code 2 and one message; it names the file."""
        done = limited(*arguments, memory=memory)
        said = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, 2, f"{arguments}: {said}")
        self.assertNotIn(b"\x1b", done.stdout + done.stderr)
        if name:
            self.assertIn(name, said)
        return said

    def run_folder(self):
        done = limited("run", self.scene, "--out", self.here / "run", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.here / "run"

    def odd_files(self, name):
        """A file of that name, one after the other, as none should be."""
        path = self.here / name
        path.parent.mkdir(exist_ok=True)

        def clear():
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)

        clear()
        for make in (lambda: os.mkfifo(path), lambda: path.symlink_to("/dev/zero"),
                     lambda: path.symlink_to(path), lambda: path.mkdir(),
                     lambda: path.touch() or os.truncate(path, 1 << 42)):
            make()
            yield path
            clear()


class Files(Hostile):
    def test_no_scene_blocks_or_swells(self):
        for path in self.odd_files("odd.toml"):
            for order in ("check", "info"):
                self.refused(order, path, name="odd.toml")
            if not path.is_dir():
                self.refused("run", path, "--out", self.here / "out", name="odd.toml")

    def test_no_base_scene_blocks_or_swells(self):
        for path in self.odd_files("base.toml"):
            self.scene.write_text(f'extends = "{path.name}"\n')
            for order in ("check", "info"):
                self.refused(order, self.scene, name="base.toml")
            self.refused("run", self.scene, "--out", self.here / "out", name="base.toml")

    def test_no_mesh_blocks_or_swells(self):
        for ending in ("obj", "ply", "stl"):
            for path in self.odd_files("odd." + ending):
                for place in ("[[bodies]]\nmaterial = \"jelly\"", "[[colliders]]"):
                    self.scene.write_text(
                        QUICK + f'\n{place}\nshape = {{mesh = {{file = "{path.name}"}}}}\n')
                    self.refused("check", self.scene, name=path.name)
                    self.refused("run", self.scene, "--out", self.here / "out", name=path.name)

    def test_no_frame_blocks_or_swells(self):
        folder = self.run_folder()
        for path in self.odd_files("run/frames/frame_00001.ply"):
            for order in (("surface", folder, "--quiet"), ("render", folder, "--no-movie"),
                          ("export", folder, "--format", "ply")):
                self.refused(*order, name="frame_00001.ply")
            if not path.is_dir():
                self.refused("info", path, name="frame_00001.ply")

    def test_no_checkpoint_statistics_or_report_blocks_or_swells(self):
        folder = self.run_folder()
        last = sorted((folder / "checkpoints").glob("*.h5"))
        for path in last[1:]:
            path.unlink()
        kept = last[0].read_bytes()
        for path in self.odd_files(f"run/checkpoints/{last[0].name}"):
            self.refused("run", folder, "--resume", "--frames", 3)
            if not path.is_dir():
                self.refused("info", path, name=path.name)
        last[0].write_bytes(kept)
        kept = (folder / "stats.csv").read_bytes()
        for path in self.odd_files("run/stats.csv"):
            self.refused("stats", folder, name="stats.csv")
            self.assertIn(limited("info", folder).returncode, (0, 2))
        (folder / "stats.csv").write_bytes(kept)
        for path in self.odd_files("run/run.json"):
            self.assertIn(limited("info", folder).returncode, (0, 2))


class Contents(Hostile):
    def test_a_damaged_report_is_named(self):
        folder = self.run_folder()
        for text in ("{", "", "[]", "null", '{"status": "done"', "\xff"):
            (folder / "run.json").write_text(text, encoding="latin-1")
            self.refused("info", folder, name="run.json")
        for value in (1, None, [], {}, "x", 1e400):
            report = {name: value for name in
                      ("status", "error", "knead", "backend", "threads", "precision", "seed",
                       "wall_seconds")}
            (folder / "run.json").write_text(json.dumps(report))
            self.assertIn(limited("info", folder).returncode, (0, 2))

    def test_positions_far_away_are_named_by_render(self):
        folder = self.run_folder()
        frame = folder / "frames/frame_00001.ply"
        whole = frame.read_bytes()
        at = place_of("x", whole)
        for far in (1e18, -3e30, float("inf"), float("nan")):
            frame.write_bytes(whole[:at] + struct.pack("<f", far) + whole[at + 4:])
            self.refused("render", folder, "--no-movie", "--mode", "points", "--width", 32,
                         "--height", 32, "--samples", 1, name="frame_00001.ply")
            self.refused("surface", folder, "--quiet", name="frame_00001.ply")

    def test_a_camera_far_away_is_named(self):
        folder = self.run_folder()
        picture = ("render", folder, "--no-movie", "--frames", 1, "--mode", "points", "--width", 32,
                   "--height", 32, "--samples", 1)
        for far in ("1e30,0,0", "nan,0,0", "0,inf,0", "0,0,-1e200"):
            self.refused(*picture, f"--camera-position={far}", name="the camera's position")
            self.refused(*picture, f"--camera-target={far}", name="the camera's target")
        self.refused(*picture, "--set", "camera.position=[1e30,0,0]", name="the camera's position")
        self.assertEqual(limited(*picture, "--camera-position=0,0,1e8").returncode, 0)

    def test_no_method_takes_what_is_faster_than_any_step(self):
        for method in ("mpm", "incremental", "embedded", "implicit"):
            for speed in ("bodies.ball.velocity=[0,-1e8,0]", "bodies.block.velocity=[1e8,0,0]",
                          "bodies.block.angular_velocity=[0,2e9,0]"):
                change = ("--set", f"solver.method={method}", "--set", speed)
                said = self.refused("check", self.scene, *change, name="velocity")
                self.assertRegex(said, r"no step can follow.*\n.*allowed: up to")
                self.refused("run", self.scene, "--out", self.here / "fast", *change,
                             name="velocity")
                self.assertFalse((self.here / "fast").exists())

    def test_a_particle_with_a_tiny_radius_costs_nothing(self):
        folder = self.run_folder()
        frame = folder / "frames/frame_00001.ply"
        whole = frame.read_bytes()
        at = place_of("pscale", whole)
        for share in (0.02, 1e-3, 1e-9):
            radius = struct.unpack_from("<f", whole, at)[0] * share
            frame.write_bytes(whole[:at] + struct.pack("<f", radius) + whole[at + 4:])
            done = limited("surface", folder, "--quiet", "--frames", 1, memory=2 << 30)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_damaged_vdb_is_answered(self):
        folder = self.run_folder()
        done = limited("export", folder, "--format", "vdb", "--frames", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = next(folder.rglob("*.vdb"))
        whole = path.read_bytes()
        draw = random.Random(7)
        for _ in range(25):
            bytes_ = bytearray(whole)
            for _ in range(draw.choice((1, 4, 30))):
                bytes_[draw.randrange(len(bytes_))] = draw.randrange(256)
            if draw.random() < 0.3:
                del bytes_[draw.randrange(len(bytes_)):]
            path.write_bytes(bytes_)
            done = limited("info", path)
            self.assertIn(done.returncode, (0, 2), done.stderr)

    def test_a_vertex_far_away_is_named(self):
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        for far in (1e11, 1e20, 3e38):
            corners[3] = (0, 0, far)
            data = bytes(80) + struct.pack("<I", 4)
            for face in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)):
                data += struct.pack("<3f", 0, 0, 0)
                data += b"".join(struct.pack("<3f", *corners[i]) for i in face) + bytes(2)
            (self.here / "far.stl").write_bytes(data)
            for more in ("", ", size = 1.0", ", repair = true", ", size = 1e-3", ", voxel = 1e8"):
                self.scene.write_text(
                    QUICK + f'\n[[bodies]]\nmaterial = "jelly"\n'
                    f'shape = {{mesh = {{file = "far.stl"{more}}}}}\n')
                self.refused("check", self.scene, name="far.stl")

    def test_no_name_reaches_the_terminal_raw(self):
        odd = "a\\u001b[31mred\\u0007\\u009bZ\\u202e\\nb"
        self.scene.write_text(QUICK.replace('title = "small"', f'title = "{odd}"'))
        folder = self.here / "run"
        for order in (("check", self.scene), ("info", self.scene),
                      ("run", self.scene, "--out", folder), ("info", folder)):
            done = limited(*order)
            self.assertEqual(done.returncode, 0, done.stderr)
            for bad in (b"\x1b", b"\x07", "\u009b".encode(), "\u202e".encode()):
                self.assertNotIn(bad, done.stdout + done.stderr, order)
        self.no_escape_from_a_run_of(odd)
        broken = self.here / "a\x1b[31m.toml"
        broken.write_text("x = \x1b[1m\n")
        self.refused("check", broken)
        self.refused("info", broken)


    def no_escape_from_a_run_of(self, title):
        """Folders and headings steer no terminal either."""
        odd = self.here / "b\x1b[31m\u202e"
        odd.mkdir()
        scene = odd / "s\x1b[32m.toml"
        scene.write_text(QUICK.replace('title = "small"', f'title = "{title}"'))
        run = odd / "out"
        orders = [("run", scene, "--out", run), ("surface", run), ("info", run),
                  ("render", run, "--width", 16, "--height", 16, "--samples", 1), ("stats", run),
                  *[("export", run, "--format", f) for f in ("ply", "vdb", "vtk", "gltf")],
                  ("run", scene, "--out", run), ("run", run, "--resume", "--set", "solver.dx=1"),
                  ("check", "--json", scene), ("help", "\x1b[31m"), ("\x1b[31m",),
                  ("run", "--\x1b[31m"), ("completion", "\x1b[31m"), ("surface", odd),
                  ("rheometer", "clay", "--plot", odd / "a.svg", "--csv", odd / "a.csv")]
        for order in orders:
            done = limited(*order)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            for bad in (b"\x1b", b"\x07", "\u009b".encode(), "\u202e".encode()):
                self.assertNotIn(bad, done.stdout + done.stderr, order)
        stats = run / "stats.csv"
        for name in ("\x1b[31m", "\x9b\x1b", "\u202e"):
            stats.write_text(stats.read_text().replace("elastic_energy", name, 1))
            for order in (("stats", run), ("stats", run, "--csv"), ("stats", run, "--json")):
                done = limited(*order)
                self.assertEqual(done.returncode, 0, done.stderr)
                for bad in (b"\x1b", "\u202e".encode()):
                    self.assertNotIn(bad, done.stdout, order)


class Limits(Hostile):
    def test_too_little_address_space_is_told(self):
        for megabytes in (60, 100, 140, 150, 160, 170, 180, 190, 200, 220, 260, 320, 400):
            done = limited("check", self.scene, memory=megabytes << 20)
            self.assertIn(done.returncode, (0, 1, 2, 127), (megabytes, done.stderr))
            if done.returncode != 0:
                self.assertIn(b"memory" if done.returncode != 127 else b"libraries", done.stderr)
        self.assertEqual(done.returncode, 0)


class Cost(Hostile):
    def test_a_scene_larger_than_the_machine_is_refused_with_the_dx_that_fits(self):
        for method in ("mpm", "incremental", "embedded"):
            said = self.refused("check", self.scene, "--set", "solver.dx=0.0004", "--set",
                                f"solver.method={method}", memory=3 << 30)
            fits = re.search(r"solver\.dx of at least (\S+) m", said)
            self.assertTrue(fits, said)
            self.refused("run", self.scene, "--out", self.here / "out", "--set",
                         "solver.dx=0.0004", "--set", f"solver.method={method}", memory=3 << 30)
            self.assertFalse((self.here / "out/frames").exists())
            done = limited("check", self.scene, "--set", f"solver.dx={fits.group(1)}", "--set",
                           f"solver.method={method}", memory=3 << 30)
            self.assertEqual(done.returncode, 0, done.stderr)
        for dx in ("1e-5", "1e-9", "1e-100"):
            said = self.refused("check", self.scene, "--set", f"solver.dx={dx}")
            self.assertNotIn("inf m", said)

    def test_a_million_frames_get_a_warning_with_the_disk_they_take(self):
        done = limited("check", self.scene, "--set", "time.frames=1000000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr.decode(), r"1000000 frames take about \d+")

    def test_bodies_far_apart_cost_what_they_hold(self):
        self.scene.write_text(QUICK + '\n[[bodies]]\nmaterial = "jelly"\nshape = {union = ['
                              '{sphere = {center = [500, 9, 0], radius = 0.2}}, '
                              '{sphere = {center = [-300, 800, 700], radius = 0.2}}]}\n')
        self.assertEqual(limited("check", self.scene).returncode, 0)
        self.assertEqual(limited("run", self.scene, "--out", self.here / "far").returncode, 0)


if __name__ == "__main__":
    support.main()
