#!/usr/bin/env python3
"""Runs the scenes of Yue 2015 at preview quality and checks what the paper claims of its figures.

    tools/check_figures.py [FIGURE...] [--knead build/knead] [--out out/figures] [--threads 2]

FIGURE is a number: 1 3 6 7 8 10 11 12 13 14; all without one. A run that is in the folder already is
not repeated. Prints two tables, times and claims, and fails where a claim does not hold. All figures
take about a quarter of an hour on two cores.
"""
import argparse
import json
import math
import pathlib
import resource
import struct
import subprocess
import sys

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "yue-2015"
# What differs from the first figure by its title alone is not run again.
SAME_AS_FIGURE_1 = {"fig03-herschel-bulkley", "fig08-sticky-removal"}
FORMATS = {"float": "f", "int": "i", "uchar": "B", "double": "d"}


def read_frame(path):
    """The columns of a frame, by name."""
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    rows, names, layout = 0, [], "<"
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[:2] == ["element", "vertex"]:
            rows = int(words[2])
        elif words[0] == "element":
            break  # faces and segments
        elif words[0] == "property":
            names.append(words[2])
            layout += FORMATS[words[1]]
    table = struct.iter_unpack(layout, data[end : end + rows * struct.calcsize(layout)])
    return dict(zip(names, zip(*table) if rows else [()] * len(names)))


def points(frame):
    return list(zip(frame["x"], frame["y"], frame["z"]))


def parts(frame, dx, least):
    """Lists of rows: particles hang together where their cells of 0.6 dx touch. Without small ones."""
    cells = {}
    for row, x in enumerate(points(frame)):
        cells.setdefault(tuple(math.floor(a / (0.6 * dx)) for a in x), []).append(row)
    found = []
    while cells:
        cell, rows = cells.popitem()
        part, todo = list(rows), [cell]
        while todo:
            i, j, k = todo.pop()
            for n in range(27):
                other = (i + n // 9 - 1, j + n // 3 % 3 - 1, k + n % 3 - 1)
                if other in cells:
                    part += cells.pop(other)
                    todo.append(other)
        if len(part) >= least * len(frame["x"]):
            found.append(part)
    return found


class Run:
    """One scene's finished run."""

    def __init__(self, options, scene, scenes=SCENES):
        scene = "fig01-shaving-cream" if scene in SAME_AS_FIGURE_1 else scene
        self.scene = scene
        self.folder = options.out / scene
        time_file = self.folder / "cpu_seconds.txt"
        if not time_file.exists():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [options.knead, "run", scenes / f"{scene}.toml", "--set", "quality=preview", "--quiet",
                 "--out", self.folder, "--threads", str(options.threads)], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            time_file.write_text(str(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        self.cpu_seconds = float(time_file.read_text())
        stats = subprocess.run([options.knead, "stats", self.folder, "--json"], check=True,
                               capture_output=True, text=True)
        self.stats = json.loads(stats.stdout)

    def series(self, name, axis=None):
        return [s[name] if axis is None else s[name][axis] for s in self.stats]

    def at(self, seconds):
        """The number of the frame nearest to a time."""
        return min(range(len(self.stats)), key=lambda f: abs(self.stats[f]["time"] - seconds))

    def frame(self, number):
        return read_frame(sorted((self.folder / "frames").glob("*.ply"))[number])

    def removed_share(self):
        return self.stats[-1].get("removed_mass", 0) / self.stats[0]["mass"]

    def volume_strays(self):
        """Largest relative change of volume a mass."""
        matter = [s for s in self.stats if s["mass"] > 0]
        first = matter[0]["volume"] / matter[0]["mass"]
        return max(abs(s["volume"] / s["mass"] / first - 1) for s in matter)


# Each figure: its runs in order -> a list of (what the paper says, the number, whether it holds).


def figure_1(cream):
    end = cream.frame(-1)
    whole = parts(end, 0.006, 0.05)
    top = [max(end["y"][row] for row in part) for part in whole]
    return [
        ("the thread tears: parts at the end, of 5 % and more", len(whole), len(whole) >= 2),
        ("one of them lies on the ground: lowest top [m]", round(min(top), 3), min(top) < 0.1),
        ("mass removed < 0.28 % [%]", round(100 * cream.removed_share(), 3),
         cream.removed_share() < 0.0028),
        ("volume strays < 2.7 % [%]", round(100 * cream.volume_strays(), 2),
         cream.volume_strays() < 0.027),
    ]


def figure_3(perfect, bingham, herschel):
    def sag(run):
        y = run.series("centre_of_mass", 1)
        return 1e3 * (y[0] - y[run.at(0.4)])

    drops = [round(sag(run), 2) for run in (perfect, bingham, herschel)]
    return [("perfectly plastic foam flows at once, Herschel-Bulkley foam first vibrates: sunk by 0.4 s "
             "[mm]", " / ".join(map(str, drops)), drops[0] > 3 * drops[2])]


def figure_6(on, off):
    def largest_void(run):
        """From points about the axis in the middle of the neck to the next particle, in r = dx / 2."""
        dx, near = 0.004, []
        frame = run.frame(-1)
        for x in points(frame):
            if abs(x[0]) < 2 * dx and abs(x[2]) < 2 * dx and abs(x[1] - 0.08) < 0.02:
                near.append(x)
        largest = 0
        for k in range(61):
            for n in range(9):
                at = (0.5 * dx * (n // 3 - 1), 0.08 + (k - 30) * 0.0005, 0.5 * dx * (n % 3 - 1))
                largest = max(largest, min(math.dist(at, x) for x in near))
        return largest / (dx / 2)

    with_, without = largest_void(on), largest_void(off)
    return [("resampling leaves no void: farthest next particle [r]", round(with_, 2), with_ < 1),
            ("without it there is one [r]", round(without, 2), without > 1)]


def figure_7(on, off):
    def largest_gap(run, number):
        """Between one particle's height and the next one's, in dx; the grid reaches over 2."""
        y = sorted(run.frame(number)["y"])
        return max(b - a for a, b in zip(y, y[1:])) / 0.006

    def parts_in(run):
        """The first frame in which the thread is in two parts that no grid node joins."""
        return next((n for n in range(run.at(1.5), len(run.stats)) if largest_gap(run, n) > 2), None)

    torn, later = parts_in(on), parts_in(off)
    if torn is None:
        return [("with tearing the thread breaks", "never", False)]
    gap = largest_gap(off, torn)
    held = (off.stats[-1 if later is None else later]["time"] - on.stats[torn]["time"]) * 1e3
    with_, without = largest_gap(on, -1), largest_gap(off, -1)
    return [("with tearing the thread breaks: at [s]", round(on.stats[torn]["time"], 3), True),
            ("without tearing it does not: longest stretch without foam then [dx]", round(gap, 2),
             gap < 2),
            ("but holds longer, by [ms]", round(held, 1), held > 0),
            ("and leaves tendrils: that stretch is shorter at the end by [dx]",
             round(with_ - without, 1), with_ - without > 2)]


def figure_8(brittle, sticky, removal):
    def torn(run):
        return 100 * sum(s["weak"] / s["particles"] for s in run.stats) / len(run.stats)

    return [("slow healing leaves more torn: mean over the run, brittle and sticky [%]",
             f"{torn(brittle):.2f} / {torn(sticky):.2f}", torn(brittle) > 2 * torn(sticky)),
            ("removal takes < 0.28 % of the mass [%]", round(100 * removal.removed_share(), 3),
             0 < removal.removed_share() < 0.0028)]


def figure_10(smore):
    dx, face = 0.0036, 0.0325  # the upper cracker's lower face while it is down

    def in_hole(x):
        return x[1] > face and math.hypot(abs(x[0]) - 0.013, abs(x[2]) - 0.013) < 0.0065

    oozed = [x for x in points(smore.frame(smore.at(0.45))) if in_hole(x)]
    rise = max((x[1] for x in oozed), default=face) - face
    y = sorted(smore.frame(-1)["y"])
    gap, peak, row = max((b - a, a, row) for row, (a, b) in enumerate(zip(y, y[1:])))
    left = 100 * (1 - (row + 1) / len(y))
    return [("it oozes into the holes of the cracker, 8 mm thick: up to [mm]", round(1e3 * rise, 1),
             rise > 0.004),
            ("lifted, it tears: longest stretch without foam [dx]", round(gap / dx, 1), gap > 2 * dx),
            ("peaks are left below, higher than it was squeezed to by [dx]",
             round((peak - face) / dx, 1), peak > face + 2 * dx),
            ("and a part on the cracker [%]", round(left, 2), left > 0.1)]


def bare_share(frame, inside, shell):
    """How much of a body is farther from the axis than any of its shell at that height and angle."""
    radius = [math.hypot(x, z) for x, z in zip(frame["x"], frame["z"])]
    place = [(math.floor(20 * math.atan2(z, x) / math.pi), math.floor(y / 0.0045))
             for x, y, z in points(frame)]
    cover = {}
    for r, at, body in zip(radius, place, frame["body"]):
        if body == shell:
            cover[at] = max(cover.get(at, 0), r)
    rows = zip(radius, place, frame["body"])
    bare = [r > cover.get(at, 0) for r, at, body in rows if body == inside]
    return sum(bare) / len(bare)


def figure_11(toasted):
    """Times at which 2 % of the shell has torn, at which the inside is wider than at first by 1.11
    (squeezed evenly to 0.81 of its height, where |dev C_p| is 0.5: the plates alone tell when), at
    which it has widened by a quarter of what it will, and at which half a per cent of it has come
    through the shell."""
    ever_torn, torn, width, bare = set(), [], [], []
    for number in range(len(toasted.stats)):
        frame = toasted.frame(number)
        body = frame["body"]
        ever_torn |= {i for i, w, b in zip(frame["id"], frame["weak"], body) if b == 1 and w}
        inside = [x * x + z * z for x, z, b in zip(frame["x"], frame["z"], body) if b == 0]
        torn.append(len(ever_torn) / body.count(1))
        width.append(math.sqrt(sum(inside) / len(inside)))
        bare.append(bare_share(frame, 0, 1))
    cracked = first_time(toasted, torn, 0.02)
    squeezed = first_time(toasted, width, 1.11 * width[0])
    out = first_time(toasted, bare, 0.005)
    quarter = first_time(toasted, width, 0.75 * width[0] + 0.25 * width[-1])
    return [("the shell cracks before the inside has flowed far: at [s]",
             f"{cracked:.3f} / {squeezed:.3f}", cracked < squeezed),
            ("and well before it has done a quarter of its flowing: at [s]",
             f"{cracked:.3f} / {quarter:.3f}", 1.5 * cracked < quarter),
            ("and long before it flows out: at [s]", f"{cracked:.3f} / {out:.3f}", 2 * cracked < out < 1)]


def first_time(run, values, limit):
    """When a series reaches a limit, between frames by a straight line."""
    time = run.series("time")
    for k in range(1, len(values)):
        if values[k] >= limit:
            share = (limit - values[k - 1]) / (values[k] - values[k - 1])
            return time[k - 1] + share * (time[k] - time[k - 1])
    return math.inf


def figure_12(pie):
    def share(frame, wanted):
        rows = zip(points(frame), zip(frame["vx"], frame["vy"], frame["vz"]))
        return 100 * sum(wanted(x, math.hypot(*v)) for x, v in rows) / len(frame["x"])

    stuck = share(pie.frame(-1), lambda x, speed: x[1] > 0.05 and x[2] > 0 and speed < 0.25)
    torn = max(s["weak"] / s["particles"] for s in pie.stats)
    past = share(pie.frame(pie.at(0.07)), lambda x, speed: x[2] < -0.03 and speed > 2.5)
    return [("chunks stick to the face: at rest there at the end [%]", round(stuck, 1), stuck > 10),
            ("others fly past it: with half of their speed after 0.07 s [%]", round(past, 1), past > 2),
            ("it tears: largest torn share [%]",
             round(100 * torn, 1), torn > 0.005)]


def rebound(run):
    """How far the centre of mass rises again after its first low point [mm]."""
    y = run.series("centre_of_mass", 1)
    low = next((k for k in range(1, len(y) - 1) if y[k] <= y[k + 1] + 1e-5), len(y) - 1)
    return 1e3 * (max(y[low:]) - y[low])


def figure_13(oobleck_ball, plastic_ball, oobleck_penguin, plastic_penguin):
    claims = []
    for name, oobleck, plastic in (("ball", oobleck_ball, plastic_ball),
                                   ("penguin", oobleck_penguin, plastic_penguin)):
        up = [round(rebound(run), 1) for run in (oobleck, plastic)]
        height = [s["bbox_max"][1] - s["bbox_min"][1] for s in oobleck.stats]
        left = round(height[-1] / height[0], 2)
        claims += [(f"{name}: oobleck bounces, viscoplastic matter hardly: rise [mm]",
                    f"{up[0]} / {up[1]}", up[0] > 2 * up[1] + 1),
                   (f"{name}: then it flows: height left, of 1", left, left < 0.8)]
    return claims


def figure_14(pachinko):
    rising = 0
    for number in range(len(pachinko.stats)):
        frame = pachinko.frame(number)
        up = sum(v > 0.2 for v in frame["vy"]) / max(1, len(frame["vy"]))
        rising = max(rising, up)
    end = pachinko.frame(-1)
    ground = sum(y < 0.02 for y in end["y"]) / len(end["y"])
    return [("penguins bounce off pins: largest share rising at 0.2 m/s [%]", round(100 * rising, 1),
             rising > 0.02),
            ("and flow on the ground: lower than 20 mm at the end [%]", round(100 * ground, 1),
             ground > 0.02)]


FIGURES = {
    1: (figure_1, ["fig01-shaving-cream"]),
    3: (figure_3, ["fig03-perfect-plasticity", "fig03-bingham", "fig03-herschel-bulkley"]),
    6: (figure_6, ["fig06-resampling-on", "fig06-resampling-off"]),
    7: (figure_7, ["fig07-tearing-on", "fig07-tearing-off"]),
    8: (figure_8, ["fig08-brittle", "fig08-sticky", "fig08-sticky-removal"]),
    10: (figure_10, ["fig10-smore"]),
    11: (figure_11, ["fig11-toasted-smore"]),
    12: (figure_12, ["fig12-pie"]),
    13: (figure_13, ["fig13-oobleck-sphere", "fig13-viscoplastic-sphere", "fig13-oobleck-penguin",
                     "fig13-viscoplastic-penguin"]),
    14: (figure_14, ["fig14-pachinko"]),
}


def main(figures=FIGURES, scenes=SCENES, about=__doc__):
    parse = argparse.ArgumentParser(description=about.split("\n")[0])
    parse.add_argument("figures", nargs="*", type=int, help="all without one")
    parse.add_argument("--knead", default="build/knead")
    parse.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/figures"))
    parse.add_argument("--threads", type=int, default=2)
    options = parse.parse_args()
    unknown = set(options.figures) - set(figures)
    if unknown:
        parse.error(f"no such figure: {sorted(unknown)}")
    times, claims, failed = {}, [], 0
    for number in options.figures or figures:
        check, names = figures[number]
        runs = [Run(options, name, scenes) for name in names]
        times |= {r.scene: f"| `{r.scene}` | {r.stats[0]['particles']:,} - {r.stats[-1]['particles']:,} | "
                  f"{len(r.stats) - 1} | {r.cpu_seconds:.0f} |" for r in runs}
        for claim, value, holds in check(*runs):
            claims.append(f"| {number} | {claim} | {value} | {'holds' if holds else 'FAILS'} |")
            failed += not holds
    print("| scene, preview | particles | frames | CPU seconds |\n| --- | --- | --- | --- |")
    print("\n".join(times.values()))
    print("\n| figure | claim | measured | |\n| --- | --- | --- | --- |")
    print("\n".join(claims))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
