#!/usr/bin/env python3
"""Sheets and curves that cannot be are refused, small ones and large: hostile_thin.py KNEAD."""
import resource
import struct
import subprocess

import support
from support import KneadTest, command

SHEETS = """
[solver]
dx = 0.02
[time]
frames = 1
frame_rate = 60
[materials.cloth]
density = 2
elastic = {law = "thin", young_modulus = 400, poisson_ratio = 0.3}
thin = {compression = 800, stretch = 300, shear = 200}
[[bodies]]
material = "cloth"
thin = {FORM}
"""
SMALL = "sheet = {corner = [0, 0, 0], along = [0.2, 0, 0], across = [0, 0, 0.2]}"
SECONDS = 60
MEMORY = 4 << 30  # of address space


class Thin(KneadTest):
    def ask(self, form, order="check"):
        self.scene.write_text(SHEETS.replace("FORM", form))
        more = ["--out", self.here / "out", "--overwrite"] if order == "run" else []
        return subprocess.run(
            command(order, self.scene, *more), capture_output=True, timeout=SECONDS, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))

    def refused(self, form, *words):
        for order in ("check", "run"):
            done = self.ask(form, order)
            self.assertEqual(done.returncode, 2, f"{form}: {done.stderr}")
            for word in words:
                self.assertIn(word, done.stderr, form)
            self.assertFalse((self.here / "out").exists(), form)

    def mesh(self, name, text, kind="mesh", more=""):
        """What is said of a file with these contents."""
        data = text if isinstance(text, bytes) else text.encode()
        (self.here / name).write_bytes(data)
        return f'{kind} = {{file = "{name}"{more}}}'


class Generators(Thin):
    def test_more_than_the_machine_holds_is_refused_before_it_is_made(self):
        for form in ("knit = {rows = 100000, columns = 10000}",
                     "knit = {rows = 1000, columns = 1000, plies = 64, samples = 1000}",
                     "hair_tube = {root = [0, 0, 0], axis = [0, 1, 0], inner = 0.1, outer = 0.2, "
                     "strands = 10000000, segments = 100000}",
                     "bundle = {start = [0, 0, 0], axis = [0, 1, 0], radius = 0.1, strand = 0.1, "
                     "strands = 10000000, segments = 1000}"):
            self.refused(form, "of memory", "make it smaller")
        for form in ("sheet = {corner = [0, 0, 0], along = [1e6, 0, 0], across = [0, 0, 1e6]}",
                     "sheet = {corner = [0, 0, 0], along = [1e5, 0, 0], across = [0, 0, 30]}",
                     "carpet = {corner = [0, 0, 0], along = [100, 0, 0], across = [0, 0, 100], "
                     "spacing = 1e-7, length = 0.1}",
                     "curtain = {corner = [0, 0, 0], width = 1, height = 1, folds = 10000, "
                     "depth = 1e6}"):
            self.refused(form, "of memory", "solver.dx of at least")
        self.refused("pile = {layers = 100000, fibres = 100000, length = 1}", "of memory")
        for edge in (1e-6, 1e-150, 1e-300):
            self.refused(SMALL + f", edge = {edge}", "of memory")

    def test_numbers_that_make_nothing_together_are_named(self):
        for along in ("[0, 0, 0]", "[0, 0, 3]", "[1e-12, 0, 5]"):
            self.refused(f"sheet = {{corner = [0, 0, 0], along = {along}, across = [0, 0, 1]}}",
                         "sheet.across")
            self.refused(f"carpet = {{corner = [0, 0, 0], along = {along}, across = [0, 0, 1], "
                         "spacing = 0.05, length = 0.1}", "carpet.across")
        self.refused("knit = {rows = 8, columns = 8, samples = 11}", "knit.samples", "12")
        ring = "hair_tube = {{root = [0, 0, 0], axis = {}, inner = 0.3, outer = {}}}"
        self.refused(ring.format("[0, 1, 0]", 0.2), "hair_tube.outer")
        self.refused(ring.format("[0, 0, 0]", 0.4), "hair_tube.axis")
        self.refused("bundle = {start = [0, 0, 0], axis = [0, 0, 0], radius = 0.1, strand = 0.1}",
                     "bundle.axis")

    def test_what_the_grid_cannot_number_is_refused(self):
        for where in (1e7, 1e20, 1e29):
            self.refused(SMALL + f", translate = [0, {where}, 0]", "move it")
        self.refused("knit = {rows = 8, columns = 8, yarn = 1e-30}", "an edge is")
        self.refused("knit = {rows = 8, columns = 8, yarn = 1e28}", "move it")
        self.refused("sheet = {corner = [50000, 0, 0], along = [0.1, 0, 0], across = [0, 0, 0.1]}",
                     "an edge is")


class Files(Thin):
    POINTS = "v 0 0 0\nv 0.02 0 0\nv 0 0.02 0\n"

    def test_lines_that_lead_nowhere_are_named(self):
        for lines in ("l 1 2 4", "l 0 1", "l -4 1", "l 99999999999999999999 1", "l nan 1", "l 1",
                      "l", "l \x1b[31m 2", "l 1 1 2 3", "l 1 2"):
            form = self.mesh("odd.obj", self.POINTS + lines + "\n", "curves")
            self.refused(form, "thin")
            self.assertNotIn("\x1b", self.ask(form).stderr)
        for lines in ("l 1 1 1", "l 1"):
            self.refused(self.mesh("odd.obj", self.POINTS + lines + "\n", "curves",
                                   ", repair = true"), "thin")

    def test_faces_without_area_and_points_far_away_are_named(self):
        flat = "v 0 0 0\nv 0.02 0 0\nv 0.04 0 0\nf 1 2 3\n"
        one = "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n"
        for text in (flat, one, self.POINTS + "f 1 2 2\n"):
            for more in ("", ", repair = true"):
                self.refused(self.mesh("odd.obj", text, more=more), "thin")
        for far in ("1e9", "1e30", "3e38", "1e300", "inf", "nan"):
            self.refused(self.mesh("far.obj", f"v 0 0 0\nv {far} 0 0\nv 0 0.02 0\nf 1 2 3\n"))
            self.refused(self.mesh("far.obj", f"v 0 0 0\nv {far} 0 0\nl 1 2\n", "curves"))
        small = self.mesh("small.obj", "v 0 0 0\nv 1e-40 0 0\nl 1 2\n", "curves")
        self.refused(small, "edge")

    def test_counts_that_lie_cost_nothing(self):
        head = ("ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\n"
                "property float y\nproperty float z\nelement face {}\n"
                "property list uchar int vertex_indices\nend_header\n")
        corners = struct.pack("<9f", 0, 0, 0, 0.02, 0, 0, 0, 0.02, 0)
        face = struct.pack("<B3i", 3, 0, 1, 2)
        for vertices, faces, more in ((1 << 40, 1, face), (3, 1 << 40, face), (3, 1, face[:-1]),
                                      (3, 1, struct.pack("<B3i", 3, 0, 1, 3)),
                                      (3, 1, struct.pack("<B3i", 3, 0, 1, -1)),
                                      (3, 1, struct.pack("<B3i", 200, 0, 1, 2))):
            data = head.format(vertices, faces).encode() + corners + more
            self.refused(self.mesh("odd.ply", data), "thin")
        for count in (2, 1 << 20, 0xffffffff):
            data = bytes(80) + struct.pack("<I", count) + struct.pack(
                "<12f", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0) + bytes(2)
            self.refused(self.mesh("odd.stl", data), "thin")

    def test_repairs_and_open_seams_are_told(self):
        seam = "v 0 0 0\nv 0.02 0 0\nv 0 0.02 0\nv 0.02 0.02 0\nv 0.02 0 0\nv 0 0.02 0\nf 1 2 3\nf 5 4 6\n"
        for more, words in (("", "2 vertices stand where another one does"),
                            (", repair = true", "repaired: welded 2 vertices")):
            done = self.ask(self.mesh("seam.obj", seam, more=more))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(words, done.stdout + done.stderr)
        twice = "v 0 0 0\nv 0.02 0 0\nv 0 0.02 0\nf 1 2 3\nf 2 1 3\n"
        self.refused(self.mesh("twice.obj", twice), "triangle 2", "was there before")

    def test_many_elements_at_one_vertex_take_no_longer_than_others(self):
        rim = "".join(f"v {0.02 + 1e-3 * (i % 7)} {0.01 * i} 0\n" for i in range(50000))
        star = "v 0 0 0\n" + rim + "".join(f"l 1 {i + 2}\n" for i in range(50000))
        self.assertEqual(self.ask(self.mesh("star.obj", star, "curves")).returncode, 0)
        fan = "v 0 0 0\n" + rim + "".join(f"f 1 {i + 2} {i + 3}\n" for i in range(49999))
        self.assertIn(self.ask(self.mesh("fan.obj", fan)).returncode, (0, 2))


if __name__ == "__main__":
    support.main()
