"""`pip wheel .` works offline, in a virtual environment that sees the system's packages."""
import os
import pathlib
import subprocess
import sys

from conftest import PACKAGE, ROOT


def do(*words, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_a_wheel_is_built_and_installed_offline(tmp_path, ball):
    do(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "env")
    python = tmp_path / "env/bin/python"
    offline = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
               "PIP_CACHE_DIR": str(tmp_path / "cache"), "KNEAD_BUILD": str(PACKAGE.parent)}
    offline.pop("PYTHONPATH", None)
    do(python, "-m", "pip", "wheel", ".", "-w", tmp_path / "wheels", cwd=ROOT, env=offline)
    [wheel] = (tmp_path / "wheels").iterdir()
    assert wheel.name.startswith("knead-") and wheel.suffix == ".whl"
    do(python, "-m", "pip", "install", wheel, env=offline)
    said = do(python, "-c", "import sys, knead; sim = knead.Sim(sys.argv[1]); list(sim.frames(1));"
                            "print(sim.frame, knead.__file__)", ball, cwd=tmp_path, env=offline)
    frame, where = said.split()
    assert frame == "1" and pathlib.Path(where).is_relative_to(tmp_path / "env")
