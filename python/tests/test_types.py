"""The type annotations of the package and of its examples hold, and the stubs say what is there."""
import inspect
import os
import subprocess
import sys

import knead
from conftest import PACKAGE, ROOT


def check(*words):
    env = {**os.environ, "MYPYPATH": str(PACKAGE)}
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, env=env,
                          cwd=PACKAGE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_finds_nothing_in_the_package_and_the_examples(tmp_path):
    examples = sorted(map(str, (ROOT / "examples").glob("*.py")))
    assert examples
    files = sorted(map(str, (PACKAGE / "knead").glob("*.py*")))
    check("mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path),
          *(f for f in files if f.endswith(".pyi") or not f + "i" in files), *examples)


def test_the_stubs_name_what_the_compiled_part_has(tmp_path):
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nignore_missing_imports = True\n")
    allowed = tmp_path / "allowed"  # metaclass and bare constructors of pybind11's classes
    allowed.write_text(r"knead\._knead\.[A-Za-z]+(\.__init__)?" + "\n")
    check("mypy.stubtest", "knead._knead", "--mypy-config-file", str(settings),
          "--allowlist", str(allowed), "--ignore-unused-allowlist")


def test_everything_public_has_a_docstring():
    for name in knead.__all__:
        thing = getattr(knead, name)
        if name.startswith("__"):
            continue
        assert inspect.getdoc(thing), name
        for attribute, member in vars(thing).items() if inspect.isclass(thing) else ():
            if not attribute.startswith("_") and (callable(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{name}.{attribute}"
