"""What the tests of the module share: small scenes, and the package as it was built."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(os.environ.get("KNEAD_PACKAGE", ROOT / "build/python"))
PROGRAM = pathlib.Path(os.environ.get("KNEAD_PROGRAM", ROOT / "build/knead"))
sys.path.insert(0, str(PACKAGE))

FREE_BALL = """\
[solver]
dx = 0.04
[time]
frames = 6
frame_rate = 60
[[bodies]]
name = "ball"
material = "jelly"
shape = {sphere = {center = [0, 0.3, 0], radius = 0.12}}
"""
BALL = """
title = "A jelly ball"
""" + FREE_BALL + """\
velocity = [0, -1, 0]
[[colliders]]
name = "floor"
shape = {plane = {normal = [0, 1, 0]}}
"""


@pytest.fixture
def ball(tmp_path):
    """A scene file."""
    path = tmp_path / "ball.toml"
    path.write_text(BALL)
    return path


@pytest.fixture
def text():
    """The same scene as a text, without a title and a floor."""
    return FREE_BALL


@pytest.fixture
def values():
    """As a dict."""
    return {"solver": {"dx": 0.04}, "time": {"frames": 6, "frame_rate": 60},
            "bodies": [{"name": "ball", "material": "jelly",
                        "shape": {"sphere": {"center": [0, 0.3, 0], "radius": 0.12}}}]}
