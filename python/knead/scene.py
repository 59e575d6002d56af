"""Scenes: from a file, a text or a dict."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

from . import _knead
from .errors import Mistake

PathLike = Union[str, "os.PathLike[str]"]
Changes = Optional[Mapping[str, Any]]


class Check(NamedTuple):
    """What a look at a scene found."""

    warnings: List[Mistake]
    particles: Dict[str, int]  #: of each body
    memory: int  #: that a run takes, about [bytes]
    disk: int  #: that its frames take, about [bytes]


class Scene:
    """A scene with all defaults filled in.

    `scene` is a scene file, or a dict with the same keys (docs/scene.md). `set` changes values, as
    in {"solver.dx": 0.01, "quality": "preview"}. InputError names every mistake with its place.
    """

    def __init__(self, scene: Union[PathLike, Mapping[str, Any]], *, set: Changes = None) -> None:
        if isinstance(scene, Mapping):
            self._core = _knead.scene_of_dict(dict(scene), os.getcwd(), set)
        else:
            self._core = _knead.scene_of_file(os.fspath(scene), set)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: PathLike = ".",
                  set: Changes = None) -> Scene:
        """A scene from a dict with the keys of a scene file; meshes are looked for in `folder`."""
        return cls._of(_knead.scene_of_dict(dict(values), os.fspath(folder), set))

    @classmethod
    def from_text(cls, text: str, *, set: Changes = None) -> Scene:
        """A scene from the text of a scene file (TOML)."""
        return cls._of(_knead.scene_of_text(text, set))

    @classmethod
    def _of(cls, core: _knead.Scene) -> Scene:
        scene = cls.__new__(cls)
        scene._core = core
        return scene

    def check(self) -> Check:
        """Opens meshes and fills bodies with particles; InputError where the scene cannot run."""
        found = self._core.check()
        return Check([Mistake(*m) for m in found["warnings"]], found["particles"],
                     found["memory"], found["disk"])

    def to_toml(self) -> str:
        """The scene as a scene file, with all defaults written out."""
        return self._core.to_toml()

    @property
    def title(self) -> str:
        """The scene's title."""
        return self._core.title

    @property
    def file(self) -> str:
        """The scene file; "" where there is none."""
        return self._core.file

    @property
    def frames(self) -> int:
        """The last frame; frame 0 is the start."""
        return self._core.frames

    @property
    def frame_rate(self) -> float:
        """Frames a second of the scene's time."""
        return self._core.frame_rate

    def __repr__(self) -> str:
        return f"<knead.Scene {self.title or self.file or 'from a dict'!r}, {self.frames} frames>"


def scene_of(scene: Union[Scene, PathLike, Mapping[str, Any]], changes: Changes) -> Scene:
    """A scene from whatever stands for one."""
    if not isinstance(scene, Scene):
        return Scene(scene, set=changes)
    if changes:
        raise ValueError("this scene is read already; give set= to Scene(...)")
    return scene
