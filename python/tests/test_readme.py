"""What the README and the examples say is what happens."""
import os
import re
import subprocess
import sys

import pytest
from conftest import PACKAGE, PROGRAM, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the README's scene, coarser and shorter."""
    [scene] = [b for b in blocks("toml") if "[solver]" in b]
    assert "dx = 0.02" in scene and "frames = 48" in scene
    scene = scene.replace("dx = 0.02", "dx = 0.06").replace("frames = 48", "frames = 3")
    scene += "\n[picture]\nwidth = 160\nheight = 90\n"
    (tmp_path / "ball.toml").write_text(scene, encoding="utf-8")
    (tmp_path / "build").mkdir()
    (tmp_path / "build/knead").symlink_to(PROGRAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return tmp_path


def test_the_readmes_commands_work(here):
    commands = [line for block in blocks("sh") for line in block.splitlines()
                if line.startswith("build/knead") and " view " not in line]
    assert len(commands) >= 7
    for command in commands:
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_the_readmes_python_works(here):
    snippets = blocks("python")
    assert snippets
    names = {}
    for snippet in snippets:
        exec(compile(snippet, "README.md", "exec"), names)


@pytest.mark.parametrize("example", ["hello.py", "wedge.py"])
def test_the_examples_work(here, example):
    words = ["--quick"] if example == "wedge.py" else []
    done = subprocess.run([sys.executable, "-B", ROOT / "examples" / example, *words], cwd=here, text=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
