#!/usr/bin/env python3
"""Matter that tears, is split and merged, removed and emitted beside cloth and strands leaves them whole:
beside_cloth.py KNEAD."""
import struct

import support
from support import CLOTH, KneadTest, stats_without_time

FRAMES = 16
SAND = """
[materials.grains]
density = 1500
elastic = {law = "hencky", young_modulus = 1e5, poisson_ratio = 0.3}
flow = {rule = "drucker-prager", friction_angle = 35}
[[bodies]]
name = "grains"
material = "grains"
velocity = [0, -2, 0]
shape = {box = {center = [0.12, 0.09, 0.1], size = [0.08, 0.05, 0.08]}}
"""
SIZES = {"double": "d", "float": "f", "int": "i", "uint": "I", "uchar": "B", "short": "h"}


def read(path):
    """Rows of vertices by name, and the corners of faces and segments, in ids of vertices."""
    data = path.read_bytes()
    start = data.index(b"end_header\n") + 11
    elements = []
    for line in data[:start].decode().splitlines():
        words = line.split()
        if words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property":
            elements[-1][2].append(words[1:])
    tables = {}
    for name, rows, columns in elements:
        layout, names = "<", []
        for c in columns:
            if c[0] != "list":
                layout, names = layout + SIZES[c[0]], names + [c[1]]
                continue
            n = 3 if c[3] == "vertex_indices" else 6  # else texcoord
            layout += SIZES[c[1]] + str(n) + SIZES[c[2]]
            names += ["n_" + c[3]] + [f"{c[3]}{k}" for k in range(n)]
        end = start + rows * struct.calcsize(layout)
        tables[name] = [dict(zip(names, row)) for row in struct.iter_unpack(layout, data[start:end])]
        start = end
    points = tables["vertex"]
    faces = [tuple(points[f[f"vertex_indices{k}"]]["id"] for k in range(3)) for f in tables["face"]]
    edges = [tuple(points[e[k]]["id"] for k in ("vertex1", "vertex2")) for e in tables["edge"]]
    corners = {i for element in faces + edges for i in element}
    return faces, edges, {p["id"]: p["mass"] for p in points if p["id"] in corners}


class BesideCloth(KneadTest):
    def test_topology_and_masses_stay(self):
        self.scene.write_text(CLOTH.replace("[[colliders]]", SAND + "[[colliders]]", 1)
                              .replace("center = [0, 0.25, 0]", "center = [0, 0.32, 0]")
                              .replace("resampling_interval = 0.02", "resampling_interval = 0.002")
                              .replace("resampling_strain = 0.05", "resampling_strain = 0.005"))
        self.run_scene("out")
        head, *rows = stats_without_time(self.here / "out")
        first, last = dict(zip(head, rows[0])), dict(zip(head, rows[-1]))
        # all of it did happen
        for what in ("weak", "inserted"):
            self.assertGreater(float(last[what]), 0, f"nothing is {what}")
        copies = int(last["particles"]) - int(first["particles"])
        self.assertGreater(copies, int(last["inserted"]), "nothing was emitted")
        frames = [read(self.here / "out" / "frames" / f"frame_{n:05}.ply") for n in range(FRAMES + 1)]
        faces, edges, masses = frames[0]
        self.assertGreater(len(faces), 100)
        self.assertGreater(len(edges), 20)
        for n, frame in enumerate(frames):
            self.assertEqual(frame[0], faces, f"faces of frame {n}")
            self.assertEqual(frame[1], edges, f"segments of frame {n}")
            self.assertEqual(frame[2], masses, f"masses in frame {n}")
        self.assertLess(float(last["max_edge_stretch"]), 3)


if __name__ == "__main__":
    support.main()
