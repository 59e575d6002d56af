#!/usr/bin/env python3
"""Runs scenes of Jones 2014 and checks what the paper says of its figures 6 and 7 (previews) and 9 (full).

    tools/check_jones.py [FIGURE...] [--knead build/knead] [--out out/jones] [--threads 2]

A run that is in the folder already is not repeated. Prints a table; fails where a claim does not hold.
A few minutes on two cores.
"""
import argparse
import json
import math
import pathlib
import struct
import subprocess
import sys

from check_figures import points, read_frame

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "jones-2014"


class Run:
    def __init__(self, options, scene, preview):
        self.knead, self.folder = options.knead, options.out / scene
        if not (self.folder / "done").exists():
            size = ["--set", "quality=preview"] if preview else []
            subprocess.run([options.knead, "run", SCENES / f"{scene}.toml", "--quiet", "--out", self.folder,
                            "--threads", str(options.threads)] + size, check=True)
            (self.folder / "done").touch()
        stats = subprocess.run([options.knead, "stats", self.folder, "--json"], check=True,
                               capture_output=True, text=True)
        self.stats = json.loads(stats.stdout)

    def frame(self, number):
        return read_frame(sorted((self.folder / "frames").glob("*.ply"))[number])

    def skins(self, space, every):
        """Volumes of the skins of every so many frames, by the number of the frame."""
        for old in (self.folder / "surface").glob("*.ply"):
            old.unlink()
        subprocess.run([self.knead, "surface", self.folder, "--space", space, "--quiet", "--frames",
                        f"0:{len(self.stats)}:{every}"], check=True, capture_output=True)
        files = sorted((self.folder / "surface").glob("*.ply"))
        return {every * k: mesh_volume(path) for k, path in enumerate(files)}


def mesh_volume(path):
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    header = data[:end].decode()
    count = {w[1]: int(w[2]) for w in map(str.split, header.splitlines()) if w[0] == "element"}
    vertex = header.split("element vertex")[1].split("element face")[0]
    types = [line.split()[1] for line in vertex.splitlines() if line.startswith("property")]
    layout = "<" + "".join({"float": "f", "int": "i", "uchar": "B", "double": "d"}[t] for t in types)
    faces = end + count["vertex"] * struct.calcsize(layout)
    corners = [row[:3] for row in struct.iter_unpack(layout, data[end:faces])]
    total = 0
    for _, i, j, k in struct.iter_unpack("<Biii", data[faces:faces + 13 * count["face"]]):
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[i], corners[j], corners[k]
        total += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    return total / 6


def inverse(m):
    (a, b, c), (d, e, f), (g, h, i) = m
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return [[(e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det],
            [(f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det],
            [(d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det]]


def product(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(3)) for c in range(3)] for r in range(3)]


def moments(pairs):
    return [[sum(a[r] * b[c] for a, b in pairs) for c in range(3)] for r in range(3)]


def squared_distance(a, b):
    return sum((a[r][c] - b[r][c]) ** 2 for r in range(3) for c in range(3))


def minus(a, b):
    return [p - q for p, q in zip(a, b)]


def deformations(run):
    """Of every particle that is still there: vectors to those that were near, at first, in the world
    and in embedded space."""
    first, last = run.frame(0), run.frame(-1)
    row = {name: k for k, name in enumerate(last["id"])}
    x, e = points(last), list(zip(last["e_x"], last["e_y"], last["e_z"]))
    kept = [(at, x[row[name]], e[row[name]]) for name, at in zip(first["id"], points(first)) if name in row]
    reach = 2.2 * 2 * sorted(first["pscale"])[len(first["id"]) // 2]
    cells = {}
    for p in kept:
        cells.setdefault(tuple(math.floor(a / reach) for a in p[0]), []).append(p)
    for p in kept:
        i, j, k = (math.floor(a / reach) for a in p[0])
        near = [q for n in range(27) for q in cells.get((i + n // 9 - 1, j + n // 3 % 3 - 1, k + n % 3 - 1), ())
                if 0 < math.dist(q[0], p[0]) < reach]
        if len(near) >= 12:
            yield [[minus(q[s], p[s]) for q in near] for s in range(3)]


def captured(run):
    """What embedded space shows of the deformation in the world, rotations apart: 1 less the share of
    the strain G^T G - 1 that it misses."""
    one = [[float(r == c) for c in range(3)] for r in range(3)]
    missed = strain = 0
    for start, world, embedded in deformations(run):
        back = inverse(moments(list(zip(start, start))))
        metric = []
        for now in (world, embedded):
            map_ = product(moments(list(zip(now, start))), back)
            metric.append(product([list(c) for c in zip(*map_)], map_))
        missed += squared_distance(metric[1], metric[0])
        strain += squared_distance(metric[0], one)
    return 1 - missed / strain


def bunny(run):
    share = captured(run)
    volume = [s["volume"] / run.stats[0]["volume"] for s in run.stats]
    return [("embedded space captures the plastic deformation: share of the strain", round(share, 3),
             share > 0.5),
            ("volume, least and most", f"{min(volume):.3f} / {max(volume):.3f}",
             min(volume) > 0.97 and max(volume) < 1.03)]


def bar(run):
    claims = []
    for space in ("world", "embedded"):
        skins = run.skins(space, 3)
        off = [run.stats[n]["volume"] / run.stats[0]["volume"] / (v / skins[0]) - 1 for n, v in skins.items()]
        worst = max(map(abs, off))
        claims.append((f"the estimate tracks the volume of the {space} skin: largest difference [%]",
                       round(100 * worst, 1), worst < 0.03))
    return claims


FIGURES = {6: (bunny, "fig06-bunny-on-bar", True), 7: (bunny, "fig07-bunny-on-spheres", True),
           9: (bar, "fig09-volume", False)}


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("figures", nargs="*", type=int, help="6, 7 or 9; all without one")
    parse.add_argument("--knead", default="build/knead")
    parse.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/jones"))
    parse.add_argument("--threads", type=int, default=2)
    options = parse.parse_args()
    failed = 0
    print("| figure | claim | measured | |\n| --- | --- | --- | --- |")
    for number in options.figures or FIGURES:
        check, *scene = FIGURES[number]
        for claim, value, holds in check(Run(options, *scene)):
            print(f"| {number} | {claim} | {value} | {'holds' if holds else 'FAILS'} |", flush=True)
            failed += not holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
