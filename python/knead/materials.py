"""Materials and the virtual rheometer."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence

from . import _knead
from .run import Array
from .scene import Changes, PathLike


def materials() -> Dict[str, Dict[str, Any]]:
    """The presets: name to parameters, with the keys of a scene's [materials.NAME]."""
    return _knead.presets()


class Curve:
    """What the rheometer measured: curve["shear_rate"], curve["shear_stress"], ..."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.material: str = found["material"]  #: its name
        self.parameters: Dict[str, Any] = found["parameters"]  #: of the material
        self.test: str = found["test"]  #: what it was put through
        self.units: Dict[str, str] = found["units"]  #: by column
        self._columns: Dict[str, Array] = found["columns"]
        self._csv: str = found["csv"]
        self._svg: str = found["svg"]

    @property
    def columns(self) -> List[str]:
        """The names of its columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            raise KeyError(f"there is no column '{name}'; known: {', '.join(self._columns)}")
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def save(self, path: PathLike) -> None:
        """Writes the numbers (.csv) or a plot (.svg)."""
        path = os.fspath(path)
        if not path.endswith((".csv", ".svg")):
            raise ValueError(f"{path}: neither .csv nor .svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._svg if path.endswith(".svg") else self._csv)

    def plot(self, axes: Any = None) -> Any:
        """Draws it with matplotlib, into `axes` where they are given, and returns the axes."""
        try:
            import matplotlib.pyplot as pyplot
        except ImportError as error:
            raise ImportError("plots need matplotlib (Debian package python3-matplotlib); "
                              "curve.save('curve.svg') needs nothing") from error
        rates = self.test in ("steady-shear", "oscillatory")
        across = "strain" if "strain" in self._columns and not rates else self.columns[0]
        if axes is None:
            axes = pyplot.figure().add_subplot()
        for name in self.columns:
            if name == across or name.endswith("rate") or name in ("time", "strain", "frequency"):
                continue
            unit = self.units[name]
            axes.plot(self[across], self[name], label=f"{name} [{unit}]" if unit else name)
        if rates:
            axes.set_xscale("log")
            axes.set_yscale("log")
        unit = self.units[across]
        axes.set_xlabel(f"{across} [{unit}]" if unit else across)
        axes.set_title(f"{self.material}: {self.test}")
        axes.legend()
        return axes

    def _repr_svg_(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<knead.Curve {self.material}, {self.test}, {len(self)} rows>"


def rheometer(material: PathLike, test: str = "", *, rates: Optional[Sequence[float]] = None,
              frequencies: Optional[Sequence[float]] = None, strain: Optional[float] = None,
              duration: Optional[float] = None, pressure: Optional[float] = None,
              set: Changes = None, of_scene: str = "", kind: str = "",
              method: str = "mpm") -> Curve:
    """Puts one point of a material through a test, as `knead rheometer` does.

    material     a preset, or a scene file; then of_scene names one of its materials
    test         steady-shear, start-up, relaxation, uniaxial or oscillatory; pull, shear or compress
                 for sheets and curves
    rates        shear or strain rates [1/s]; frequencies in cycles a second
    strain, duration [s], pressure [Pa]  what the test asks for; None: as usual
    set          changes of parameters, as in {"flow.yield_stress": 50}
    kind         sheet or fibre, for thin materials
    method       whose law: mpm, incremental, embedded or implicit
    """
    changes = [f"{key}={int(value) if isinstance(value, bool) else value}"
               for key, value in (set or {}).items()]
    return Curve(_knead.rheometer(os.fspath(material), of_scene, changes, test, kind, method,
                                  [float(a) for a in rates] if rates is not None else [],
                                  [float(a) for a in frequencies] if frequencies is not None else [],
                                  strain, duration, pressure))
