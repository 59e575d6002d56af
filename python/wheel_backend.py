"""Builds a wheel of the package with CMake, for pip (PEP 517). Needs nothing but Python and CMake.

The folder build/ is used where it holds a configuration for this Python, else one beside it.
KNEAD_BUILD names another one.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def get_requires_for_build_wheel(config_settings=None):
    return []


def _version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(knead VERSION ([0-9.]+)", text).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _is_for_us(folder):
    """Whether what is built there is for this Python."""
    try:
        text = (folder / "build.ninja").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "_knead" + sysconfig.get_config_var("EXT_SUFFIX") in text


def _built_package():
    """The folder of the package, after building it."""
    folder = pathlib.Path(os.environ.get("KNEAD_BUILD", ROOT / "build"))
    if not _is_for_us(folder):
        if "KNEAD_BUILD" not in os.environ and folder.joinpath("CMakeCache.txt").exists():
            folder = ROOT / "build" / f"wheel-{sysconfig.get_config_var('SOABI')}"
        subprocess.run(["cmake", "--preset", "release", "-B", folder, "-DKNEAD_PYTHON=ON",
                        f"-DPython3_EXECUTABLE={sys.executable}"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", folder, "-j", str(os.cpu_count()), "--target", "python"],
                   cwd=ROOT, check=True)
    return folder / "python" / "knead"


def _metadata():
    return {"METADATA": "Metadata-Version: 2.1\nName: knead\n"
                        f"Version: {_version()}\n"
                        "Summary: Animates matter that both springs back and flows\n"
                        "License: Apache-2.0\nRequires-Python: >=3.9\n",
            "WHEEL": "Wheel-Version: 1.0\nGenerator: knead\nRoot-Is-Purelib: false\n"
                     f"Tag: {_tag()}\n",
            "LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8")}


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"knead-{_version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / name
    folder.mkdir()
    for file, text in _metadata().items():
        (folder / file).write_text(text, encoding="utf-8")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = _built_package()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    files = {f"knead/{p.name}": p.read_bytes() for p in sorted(package.iterdir())
             if p.suffix in (".py", ".pyi") or p.name in ("py.typed", "_knead" + suffix)}
    info = f"knead-{_version()}.dist-info"
    files.update({f"{info}/{name}": text.encode() for name, text in _metadata().items()})
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"knead-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel
