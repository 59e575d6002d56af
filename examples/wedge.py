"""How far toothpaste slumps: ten yield stresses, one run each, and a plot (wedge.py [--quick])."""
import sys

import knead
import matplotlib.pyplot as plt
import numpy as np

quick = "--quick" in sys.argv
scene = {
    "solver": {"dx": 0.02 if quick else 0.01}, "time": {"frame_rate": 30, "frames": 2 if quick else 15},
    "materials": {"paste": {"preset": "toothpaste"}},
    "bodies": [{"material": "paste", "shape": {"cylinder": {"from": [0, 0, 0], "to": [0, 0.1, 0], "radius": 0.04}}}],
    "colliders": [{"shape": {"plane": {"normal": [0, 1, 0]}}, "contact": "sticky"}],
}
stresses = np.geomspace(50, 2000, 3 if quick else 10)  # [Pa]
slumps = []
for stress in stresses:
    sim = knead.Sim(scene, set={"materials.paste.flow.yield_stress": stress})
    height = np.ptp(sim["x"][:, 1])
    sim.run()
    slumps.append(height - np.ptp(sim["x"][:, 1]))
    print(f"{stress:6.0f} Pa: {1000 * slumps[-1]:5.1f} mm")
plt.semilogx(stresses, 1000 * np.array(slumps), "o-")
plt.xlabel("yield stress [Pa]")
plt.ylabel("slump [mm]")
plt.savefig("wedge.png")
