"""Runs on disk and their frames."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union, overload

import numpy as np
import numpy.typing as npt

from . import _knead
from .errors import InputError
from .scene import PathLike, Scene

Array = npt.NDArray[Any]


def grouped(columns: Mapping[str, Any]) -> Dict[str, Any]:
    """name_x, name_y and name_z as one array, `name`; the rest as it is."""
    out: Dict[str, Any] = {}
    for name, value in columns.items():
        stem = name[:-2]
        if name[-2:] in ("_x", "_y", "_z") and {stem + "_x", stem + "_y", stem + "_z"} <= columns.keys():
            if name.endswith("_x"):
                out[stem] = np.stack([columns[stem + end] for end in ("_x", "_y", "_z")], axis=-1)
        else:
            out[name] = value
    return out


class Frame:
    """The particles at one moment.

    frame["x"] is an array with a row a particle, by id: x (positions), v (velocities), mass, ...;
    `columns` has the names. Vectors have the shape (n, 3).
    """

    def __init__(self, core: Optional[_knead.Frame], *, file: str = "", folder: str = "",
                 stats: Optional[Mapping[str, Any]] = None, scene: Optional[Scene] = None) -> None:
        self._loaded = core
        self._stats = stats
        self._scene = scene
        self.file = file  #: where it is stored; "" for a frame of a Sim
        self.folder = folder  #: of its run; "" for a frame of a Sim

    @property
    def _core(self) -> _knead.Frame:
        if self._loaded is None:
            self._loaded = _knead.read_frame(self.file)
        return self._loaded

    @property
    def number(self) -> int:
        """Which frame it is; 0 is the start."""
        return self._core.number

    @property
    def time(self) -> float:
        """Of the scene [s]."""
        return self._core.time

    @property
    def stats(self) -> Mapping[str, Any]:
        """Conserved and derived quantities, as `knead stats` prints them: momentum, energies, ..."""
        if self._stats is None:
            table = _knead.stats_in(self.folder)
            rows = np.flatnonzero(table["frame"] == self.number)
            if rows.size == 0:
                raise InputError([(os.path.join(self.folder, "stats.csv"), 0, 0,
                                   f"there is no row of frame {self.number}", "")])
            self._stats = grouped({name: column[rows[-1]] for name, column in table.items()})
        return self._stats

    @property
    def columns(self) -> List[str]:
        """The names of its columns."""
        return self._core.columns()

    @property
    def triangles(self) -> Array:
        """Rows of the corners of the sheets' triangles, (m, 3)."""
        return self._core.triangles()

    @property
    def segments(self) -> Array:
        """Rows of the ends of the curves' segments, (m, 2)."""
        return self._core.segments()

    def __getitem__(self, name: str) -> Array:
        return self._core.column(name)

    def __len__(self) -> int:
        return len(self._core)

    def save(self, path: PathLike) -> None:
        """Writes it as a frame file (PLY)."""
        self._core.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"<knead.Frame {self.number} at {self.time:.4g} s, {len(self)} particles>"


class Frames(Sequence[Frame]):
    """The frames of a run, each read when it is looked at."""

    def __init__(self, folder: str, files: List[str]) -> None:
        self._folder = folder
        self._files = files

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, index: int) -> Frame: ...

    @overload
    def __getitem__(self, index: slice) -> Frames: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Frame, Frames]:
        if isinstance(index, slice):
            return Frames(self._folder, self._files[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} frames, 0 to {len(self) - 1}")
        return Frame(None, file=self._files[index], folder=self._folder)

    def __iter__(self) -> Iterator[Frame]:
        return (self[i] for i in range(len(self)))


class Run:
    """A run on disk, finished or not."""

    def __init__(self, folder: PathLike) -> None:
        self.folder = os.fspath(folder)  #: where it is
        _knead.frames_in(self.folder)

    @property
    def frames(self) -> Frames:
        """The frames that are there by now: run.frames[10], run.frames[-1]."""
        return Frames(self.folder, _knead.frames_in(self.folder))

    @property
    def stats(self) -> Dict[str, Array]:
        """Time series, a row a frame: run.stats["time"], run.stats["momentum"], ..."""
        return grouped(_knead.stats_in(self.folder))

    @property
    def scene(self) -> Scene:
        """The scene that it runs."""
        return Scene(os.path.join(self.folder, "scene.toml"))

    @property
    def report(self) -> Dict[str, Any]:
        """run.json: how it was made and how it goes."""
        try:
            with io_open(os.path.join(self.folder, "run.json"), encoding="utf-8") as file:
                report = json.load(file)
        except (OSError, ValueError):
            return {}
        return report if isinstance(report, dict) else {}

    @property
    def status(self) -> str:
        """starting, running, stopped, finished, failed or killed."""
        return _knead.status_of(self.folder)

    def __repr__(self) -> str:
        return f"<knead.Run {self.folder!r}, {len(self.frames)} frames, {self.status}>"


io_open = open


def open(folder: PathLike) -> Run:  # noqa: A001 - knead.open is its name
    """Opens a run's folder."""
    return Run(folder)
