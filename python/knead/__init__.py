"""knead: matter that both springs back and flows.

    import knead

    sim = knead.Sim("ball.toml")
    for frame in sim.frames(48):
        print(frame.time, frame.stats["kinetic_energy"])

Lengths are metres, masses kilograms, times seconds, stresses pascals.
"""
from ._knead import __version__
from .errors import Error, InputError, Mistake, RunError
from .materials import Curve, materials, rheometer
from .pictures import Surface, render, surface
from .run import Frame, Run, open
from .scene import Check, Scene
from .sim import Phase, Sim

__all__ = ["Check", "Curve", "Error", "Frame", "InputError", "Mistake", "Phase", "Run", "RunError",
           "Scene", "Sim", "Surface", "__version__", "materials", "open", "render", "rheometer",
           "surface"]
