"""Simulations that run in this process."""
from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import _knead
from .errors import Mistake
from .run import Array, Frame, grouped
from .scene import Changes, PathLike, Scene, scene_of


class Phase:
    """The particles of one material, as they lie in memory; see Sim.borrow."""

    def __init__(self, core: _knead.Phase) -> None:
        self._core = core

    @property
    def material(self) -> str:
        """The name of the material."""
        return self._core.material

    @property
    def kind(self) -> str:
        """volume, vertices or elements."""
        return self._core.kind

    @property
    def columns(self) -> List[str]:
        """The names of its columns."""
        return self._core.columns

    def __len__(self) -> int:
        return len(self._core)

    def __getitem__(self, name: str) -> Tuple[Array, ...]:
        """The planes of a column, each an array with one number a particle: one plane for a number,
        3 for a vector, 6 for a symmetric matrix (xx yy zz xy xz yz), 9 for a matrix (row by row).
        """
        return self._core.planes(name)

    def __repr__(self) -> str:
        return f"<knead.Phase of {self.material}, {len(self)} {self.kind}>"


class Sim:
    """A scene that runs in this process.

    scene    a scene file, a Scene, or a dict with a scene's keys
    set      changes to the scene, as in {"solver.dx": 0.01}
    out      the folder where frames, statistics and checkpoints go; None: nothing is written
    threads  how many to use; 0: all cores. The results do not depend on it.
    resume, overwrite  what to do where `out` holds a run already: go on with it, or replace it

    sim["x"] is a copy of a column, with a row a particle in the order of their ids; `columns` has the
    names. sim["v"] = array sets all velocities, sim["force"] = array the forces [N] that act until
    others are set; None ends them.
    """

    def __init__(self, scene: Union[Scene, PathLike, Mapping[str, Any]], *, set: Changes = None,
                 out: Optional[PathLike] = None, threads: int = 0, resume: bool = False,
                 overwrite: bool = False) -> None:
        if resume and overwrite:
            raise ValueError("resume and overwrite cannot go together; choose one")
        if (resume or overwrite) and out is None:
            raise ValueError("resume and overwrite are for a run in a folder; give out=")
        self.scene = scene_of(scene, set)  #: what runs
        self.folder = "" if out is None else os.fspath(out)  #: "": nothing is written
        if out is not None and not self.folder:
            raise ValueError("out names no folder; None writes nothing")
        existing = "resume" if resume else "overwrite" if overwrite else "refuse"
        self._core = _knead.Sim(self.scene._core, self.folder, existing, threads)
        self._force: Optional[Array] = None
        for found in self._core.warnings():
            warnings.warn(str(Mistake(*found)), RuntimeWarning, stacklevel=2)
        self._tell()

    # Where it stands

    @property
    def time(self) -> float:
        """Of the scene [s]."""
        return self._core.time

    @property
    def dt(self) -> float:
        """The length of the last substep [s]; 0 before the first."""
        return self._core.dt

    @property
    def frame(self) -> int:
        """Frames completed."""
        return self._core.frame

    @property
    def substeps(self) -> int:
        """Substeps since the start."""
        return self._core.substeps

    @property
    def stats(self) -> Mapping[str, Any]:
        """Conserved and derived quantities of this moment."""
        return grouped(self._core.stats())

    @property
    def columns(self) -> List[str]:
        """The names of the columns that some particle has."""
        return self._core.columns()

    def __len__(self) -> int:
        return self._core.particles

    def current_frame(self) -> Frame:
        """The particles of this moment, as a frame."""
        return Frame(self._core.current_frame(), stats=self.stats, scene=self.scene)

    # Going on

    def step(self) -> float:
        """Takes a substep and returns its length [s]."""
        self._advance(False, None)
        return self._core.dt

    def frames(self, count: Optional[int] = None) -> Iterator[Frame]:
        """The next `count` frames, as they come; None: those up to the scene's last."""
        return self._frames(count, None)

    def run(self, frames: Optional[int] = None, *,
            on_frame: Optional[Callable[[Frame], object]] = None,
            on_substep: Optional[Callable[[Sim], object]] = None) -> None:
        """Runs the next `frames` frames; None: to the scene's last.

        on_frame(frame) is called after every frame, on_substep(sim) after every substep, where it may
        read columns, set velocities and forces. A frame that fails is taken again from its start
        with half the step, callbacks and all. An exception in one of them ends the run.
        """
        for frame in self._frames(frames, on_substep):
            if on_frame is not None:
                on_frame(frame)

    def _frames(self, count: Optional[int],
                on_substep: Optional[Callable[[Sim], object]]) -> Iterator[Frame]:
        if count is not None and count < 0:
            raise ValueError(f"count is {count}; it must not be negative")
        last = self.scene.frames if count is None else self.frame + count
        return self._frames_to(max(last, self.frame), on_substep)

    def _frames_to(self, last: int, on_substep: Optional[Callable[[Sim], object]]) -> Iterator[Frame]:
        self._core.set_last_frame(last)
        call = None if on_substep is None else lambda: on_substep(self)
        while self.frame < last:
            while not self._advance(True, call):
                pass
            if self.frame == last:
                self._core.conclude() if last >= self.scene.frames else self._core.write_frames()
            yield Frame(self._core.current_frame(), stats=grouped(self._core.last_stats()),
                        scene=self.scene, file=self._file_of_frame(), folder=self.folder)

    def _file_of_frame(self) -> str:
        if not self.folder:
            return ""
        return os.path.join(self.folder, "frames", f"frame_{self.frame:05d}.ply")

    # Ctrl-C and exceptions of callbacks leave a folder that can be gone on with.
    def _advance(self, whole_frame: bool, on_substep: Optional[Callable[[], object]]) -> bool:
        try:
            return self._core.advance(whole_frame, on_substep)
        except (KeyboardInterrupt, SystemExit):
            self._core.stop()
            raise
        finally:
            self._tell()

    def _tell(self) -> None:
        for text in self._core.take_troubles():
            warnings.warn(text, RuntimeWarning, stacklevel=3)

    def close(self) -> None:
        """Writes what is not written yet and leaves the folder to others. Particles can still be read."""
        self._core.close()

    def __enter__(self) -> Sim:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    # Particles

    def __getitem__(self, name: str) -> Array:
        if name == "force":
            return np.zeros((len(self), 3)) if self._force is None else self._force.copy()
        return self._core.column(name)

    def __setitem__(self, name: str, values: Optional[npt.ArrayLike]) -> None:
        if name == "v":
            self._core.set_velocities(values)
        elif name == "force":
            self._core.set_forces(values)
            self._force = None if values is None else np.array(values, dtype=float)
        else:
            raise KeyError(f"column '{name}' cannot be set; v and force can")

    @contextmanager
    def borrow(self, *, write: bool = False) -> Iterator[List[Phase]]:
        """The phases as they lie in memory, without a copy: phase["x"] has a view of each plane.

        Rows stand in no order that lasts; phase["id"] names them. With `write` the planes of v can
        be written to. A step while a view lives raises BufferError.
        """
        borrowed = self._core.borrow(write)
        try:
            yield [Phase(core) for core in borrowed.phases()]
        finally:
            borrowed.end()

    def __repr__(self) -> str:
        return f"<knead.Sim {self.scene.title!r} at {self.time:.4g} s, frame {self.frame}>"
