"""Surfaces and pictures of frames."""
from __future__ import annotations

import os
import tempfile
from typing import Optional, Sequence, Tuple, Union

from . import _knead
from .run import Array, Frame, Run
from .scene import PathLike


class Surface:
    """Closed triangle meshes around the bodies of a frame."""

    def __init__(self, core: _knead.Surface) -> None:
        self._core = core

    @property
    def positions(self) -> Array:
        """Of the vertices, (n, 3) [m]."""
        return self._core.positions()

    @property
    def normals(self) -> Array:
        """Outward unit normals of the vertices, (n, 3)."""
        return self._core.normals()

    @property
    def faces(self) -> Array:
        """The vertices of each triangle, (m, 3), counter-clockwise seen from outside."""
        return self._core.faces()

    @property
    def body(self) -> Array:
        """The body of each vertex."""
        return self._core.body()

    def __getitem__(self, column: str) -> Array:
        """A column that was carried over from the particles: vx, vy, vz, and those asked for."""
        return self._core.column(column)

    def save(self, path: PathLike) -> None:
        """Writes it as PLY."""
        self._core.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"<knead.Surface of frame {self._core.frame}, {len(self.faces)} triangles>"


def surface(frame: Frame, *, voxel: float = 0.0, smooth: int = 12, adaptivity: float = 0.0,
            together: bool = False, columns: Sequence[str] = ()) -> Surface:
    """The surface of a frame, as `knead surface` makes it.

    voxel       edge of a voxel [m]; 0: half a spacing
    smooth      passes of smoothing
    adaptivity  0 to 1: larger triangles on flat parts
    together    one surface over all bodies, not one around each
    columns     particle columns to carry to the vertices, besides the velocity
    """
    return Surface(_knead.skin(frame._core, voxel, smooth, adaptivity, together, list(columns)))


def render(frame: Union[Frame, Run], path: Optional[PathLike] = None, *, mode: str = "auto",
           color_by: str = "", range: Optional[Tuple[float, float]] = None, width: int = 0,
           height: int = 0, samples: int = 0,
           camera_position: Optional[Tuple[float, float, float]] = None,
           camera_target: Optional[Tuple[float, float, float]] = None) -> Array:
    """A picture of a frame, or of a run's last, (height, width, 3) bytes; with `path` a PNG, too.

    mode      surface, points, or auto: surfaces where `knead surface` has made them
    color_by  a column, or speed; `range` has the ends of its colours
    samples   rays a pixel
    Sizes, samples and cameras that are not given are the scene's.
    """
    if mode not in ("auto", "surface", "points"):
        raise ValueError(f"there is no mode '{mode}'; auto, surface or points")
    if range is not None and not color_by:
        raise ValueError("range has no meaning without color_by")
    if isinstance(frame, Run):
        frame = frame.frames[-1]
    if frame.file and os.path.exists(frame.file):
        pixels = _draw(frame.folder, frame.file, mode, color_by, range, width, height, samples,
                       camera_position, camera_target)
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = _store(frame, folder)
            pixels = _draw(folder, file, mode, color_by, range, width, height, samples,
                           camera_position, camera_target)
    if path is not None:
        _knead.save_png(os.fspath(path), pixels)
    return pixels


def _store(frame: Frame, folder: str) -> str:
    """A frame of a Sim as the only one of a run."""
    os.mkdir(os.path.join(folder, "frames"))
    file = os.path.join(folder, "frames", f"frame_{frame.number:05d}.ply")
    frame.save(file)
    if frame._scene is not None:
        with open(os.path.join(folder, "scene.toml"), "w", encoding="utf-8") as scene:
            scene.write(frame._scene.to_toml())
    return file


def _draw(folder: str, file: str, mode: str, color_by: str, range: Optional[Tuple[float, float]],
          width: int, height: int, samples: int,
          camera_position: Optional[Tuple[float, float, float]],
          camera_target: Optional[Tuple[float, float, float]]) -> Array:
    skinned = os.path.exists(os.path.join(folder, "surface", os.path.basename(file).replace(
        "frame_", "surface_")))
    if mode == "surface" and not skinned:
        raise ValueError(f"this frame has no surface; run: knead surface {folder}")
    if mode == "auto" and not skinned:
        mode = "points"
    return _knead.draw(folder, file, mode, color_by, range, width, height, samples,
                       camera_position, camera_target)
