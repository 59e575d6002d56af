#!/usr/bin/env python3
"""Runs the scenes of Jiang 2017 at preview quality and checks what the paper claims of its figures.

    tools/check_jiang.py [FIGURE...] [--knead build/knead] [--out out/figures] [--threads 2]

FIGURE is a number: 1 3 6 9 10 12 13 14 15 18; all without one. A run that is in the folder already is
not repeated. Prints two tables, times and claims, and fails where a claim does not hold.
"""
import math
import sys

import check_figures

SCENES = check_figures.SCENES.parent / "jiang-2017"


def bodies(frame):
    """Positions by body, in order of id."""
    found = {}
    for _, body, *x in sorted(zip(frame["id"], frame["body"], frame["x"], frame["y"], frame["z"])):
        found.setdefault(int(body), []).append(x)
    return [found[b] for b in sorted(found)]


def frames(run):
    return [bodies(run.frame(n)) for n in range(0, len(run.stats), 4)]


def stretch(run):
    return max(run.series("max_edge_stretch"))


def largest(run, bound, of="an edge"):
    return (f"largest stretch of {of}, below {bound:.2f}", round(stretch(run), 2), stretch(run) < bound)


def let_go_and_hit(young_modulus, length, speed, density=2):
    """Stretch at the top of a cloth that hangs over a length: of its weight, twice since it is let go
    at once, and of a blow, v / c, twice since the wave is thrown back."""
    modulus = young_modulus / 4  # the share of the volume that bears stress
    return 1 + 2 * density * 9.8 * length / modulus + 2 * speed * (density / modulus) ** 0.5


def swing(amplitude=0.7, frequency=0.6):
    return 2 * math.pi * amplitude * frequency


def finite(run):
    return all(abs(s["kinetic_energy"]) < 1e30 for s in run.stats)


def least_gap(front, back, cell=0.03):
    """How far in z one layer stays before another, by the means over cells of x and y."""
    def means(layer):
        cells = {}
        for x, y, z in layer:
            cells.setdefault((round(x / cell), round(y / cell)), []).append(z)
        return {key: sum(zs) / len(zs) for key, zs in cells.items()}
    a, b = means(front), means(back)
    return min(a[key] - b[key] for key in a if key in b)


def figure_1(curtains):
    gap = min(min(least_gap(front, middle), least_gap(middle, back))
              for front, middle, back in frames(curtains))
    return [("three curtains stay apart: least distance along z [mm]", round(1000 * gap, 1), gap > 0),
            largest(curtains, let_go_and_hit(400, 0.8, swing()))]


def figure_3(ball):
    lowest = min(min(y for body in f for _, y, _ in body) for f in frames(ball))
    inside = min(min(x * x + (y - 0.5) ** 2 + z * z for x, y, z in f[0]) ** 0.5 for f in frames(ball))
    return [("cloth stays out of the ball: least distance from its surface [mm]",
             round(1000 * (inside - 0.25), 2), inside > 0.249),
            ("and above the ground [mm]", round(1000 * lowest, 2), lowest > -0.001),
            largest(ball, let_go_and_hit(200, 1.3, (2 * 9.8 * 0.01) ** 0.5))]  # falls by 1 cm


def figure_6(bundle):
    def length(s):
        return s["bbox_max"][0] - s["bbox_min"][0]
    longer = length(bundle.stats[-1]) / length(bundle.stats[0])
    last = bundle.stats[-1]
    touching = [last[name] for name in ("apart", "slipping", "inverted")]
    slipping = last["slipping"] / sum(touching)
    return [("the bundle comes apart: its length over that at the start", round(longer, 2), longer > 1.2),
            ("no strand breaks: largest stretch of a segment", round(stretch(bundle), 3),
             stretch(bundle) < 1.06),
            ("strands slide: share of segments that touch others and slip [%]", round(100 * slipping),
             slipping > 0.2)]


def held(run, cloth=0, matter=1):
    """How far above the lowest point of the cloth the lowest of what lies on it is."""
    return min(min(y for _, y, _ in f[matter]) - min(y for _, y, _ in f[cloth]) for f in frames(run))


def figure_9(sand):
    return [("no sand falls through: lowest grain above the lowest point of the cloth [mm]",
             round(1000 * held(sand), 1), held(sand) > 0)]


def figure_18(slime):
    return [("no slime falls through: its lowest point above that of the cloth [mm]",
             round(1000 * held(slime), 1), held(slime) > 0)]


def figure_10(full, lagrangian, rigid, standard):
    def top(run):
        return run.stats[-1]["bbox_max"][1]
    return [("without a mesh fibres fracture: stretch", round(stretch(standard), 1), stretch(standard) > 5),
            ("with one they do not", round(stretch(full), 2), stretch(full) < 2.2),
            ("tops without contact, in full, without return map [m]",
             " ".join(f"{top(r):.3f}" for r in (lagrangian, full, rigid)),
             top(lagrangian) < top(full) < top(rigid))]


def figure_12(*piles):
    heights = [p.stats[-1]["centre_of_mass"][1] for p in piles]
    spread = [p.stats[-1]["bbox_max"][0] - p.stats[-1]["bbox_min"][0] for p in piles]
    return [("piles are higher with larger friction angles (0, 10, 25, 40): mean height [mm]",
             " ".join(f"{1000 * h:.0f}" for h in heights), heights == sorted(heights)),
            ("and narrower: width at 0 and at 40 [m]", f"{spread[0]:.2f} {spread[-1]:.2f}",
             spread[-1] < spread[0])]


def figure_13(hair):
    lowest = min(s["bbox_min"][1] for s in hair.stats)
    return [("hair stays above the ground [mm]", round(1000 * lowest, 2), lowest > -0.001),
            ("no strand breaks: largest stretch", round(stretch(hair), 3), stretch(hair) < 1.2)]


def figure_14(cloth, knit):
    return [largest(cloth, let_go_and_hit(400, 1, swing())), largest(knit, 1.3, "the yarn"),
            ("both stay finite", "yes" if finite(cloth) and finite(knit) else "no",
             finite(cloth) and finite(knit))]


def figure_15(columns, rows):
    """Energy at 50 % strain, while pulled."""
    ratio = (columns.stats[columns.at(0.6)]["elastic_energy"] / rows.stats[rows.at(0.6)]["elastic_energy"])
    return [("stretching along columns costs more than along rows: times", round(ratio, 1), ratio > 10)]


FIGURES = {
    1: (figure_1, ["fig01-three-curtains"]),
    3: (figure_3, ["fig03-cloth-and-ball"]),
    6: (figure_6, ["fig06-tearing-fibres"]),
    9: (figure_9, ["fig09-cloth-and-sand"]),
    10: (figure_10, ["fig10-full", "fig10-lagrangian-only", "fig10-no-plasticity", "fig10-standard-mpm"]),
    12: (figure_12, [f"fig12-friction-{angle}" for angle in (0, 10, 25, 40)]),
    13: (figure_13, ["fig13-hair-tubes"]),
    14: (figure_14, ["fig14-cloth-curtain", "fig14-knit-curtain"]),
    15: (figure_15, ["fig15-pull-along-columns", "fig15-pull-along-rows"]),
    18: (figure_18, ["fig18-cloth-and-slime"]),
}


if __name__ == "__main__":
    sys.exit(check_figures.main(FIGURES, SCENES, __doc__))
