#!/usr/bin/env python3
"""Includes between the folders of src/knead point one way, and heavy headers stay in sources."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

BASICS = ["base", "math", "parallel"]
MATTER = ["materials", "geometry", "particles"]
METHODS = ["cuda", "scenery", "points", "mpm"]
# folder -> the folders it may include, itself aside
MAY_INCLUDE = {
    "base": [],
    "math": ["base"],
    "parallel": ["base", "math"],
    "cuda": BASICS,
    "materials": BASICS,
    "geometry": BASICS,
    "particles": BASICS + ["materials"],
    "scenery": BASICS + MATTER,
    "points": BASICS + MATTER + ["cuda", "scenery"],
    "mpm": BASICS + MATTER + ["cuda", "scenery"],
    "io": BASICS + ["geometry", "particles"],
    "surface": BASICS + ["geometry", "particles", "io"],
    "render": BASICS + ["geometry", "particles", "io"],
    "sim": BASICS + MATTER + METHODS + ["io"],
    "scene": BASICS + MATTER + METHODS + ["io", "sim"],
    "picture": BASICS + MATTER + METHODS + ["io", "sim", "scene", "surface", "render"],
    "view": BASICS + MATTER + METHODS + ["io", "sim", "scene", "surface", "render", "picture"],
}
# Headers too slow to read more than once or twice; a private header that serves its own folder's
# sources may be named here.
HEAVY = re.compile(r"<(openvdb/|embree3/|hdf5|H5|toml\+\+/|CLI/|nlohmann/|tiny_gltf|httplib)")
PRIVATE = {"src/knead/io/vdb_grid.h"}


def mistakes_of(path, text):
    """The wrong includes of one file."""
    relative = path.relative_to(ROOT)
    folder = relative.parts[2] if relative.parts[0] == "src" else None
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{relative}:{number}"
        ours = re.match(r'\s*#\s*include\s+["<]knead/([^/]+)/', line)
        if ours and folder:
            target = ours.group(1)
            if target != folder and target not in MAY_INCLUDE[folder]:
                found.append(f"{where}: {folder} must not include {target}")
        if line.lstrip().startswith("#") and "include" in line and HEAVY.search(line):
            if path.suffix == ".h" and str(relative) not in PRIVATE:
                found.append(f"{where}: a heavy header in a header: {line.strip()}")
    return found


def main():
    files = [p for part in ("src/knead", "cli", "python") for p in sorted((ROOT / part).rglob("*"))
             if p.suffix in (".h", ".cpp", ".cu")]
    mistakes = []
    for path in files:
        folder = path.relative_to(ROOT).parts[2] if path.is_relative_to(ROOT / "src") else path.parts[len(ROOT.parts)]
        if folder not in ("cli", "python") and folder not in MAY_INCLUDE:
            mistakes.append(f"{path.relative_to(ROOT)}: the folder {folder} has no place yet")
            continue
        mistakes += mistakes_of(path, path.read_text(encoding="utf-8"))

    # The check itself must be able to fail.
    probe = ROOT / "src/knead/math/probe.h"
    assert mistakes_of(probe, '#include "knead/sim/run.h"\n'), "an upward include went unseen"
    assert mistakes_of(probe, "#include <openvdb/openvdb.h>\n"), "a heavy header went unseen"
    assert not mistakes_of(probe, '#include "knead/base/error.h"\n')
    assert len(files) > 50, "the sources were not found"

    print("\n".join(mistakes) or f"{len(files)} files, every arrow points down")
    return 1 if mistakes else 0


sys.exit(main())
