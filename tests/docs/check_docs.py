#!/usr/bin/env python3
"""What the manual names exists: links and their headings, sources and folders, tests, scenes.

docs/log/ is history, so there only links count.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "knead"
FOLDERS = sorted(p.name for p in SOURCES.iterdir() if p.is_dir())


def anchors(page):
    """The headings of a page as links write them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in heads}


def broken_links(page, text):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", text):
        if target.startswith("http"):
            continue
        there = page.parent / target if target else page
        if not there.exists():
            yield f"no file {target}"
        elif anchor and anchor not in anchors(there):
            yield f"no heading #{anchor} in {target or page.name}"


def missing_paths(text):
    """Sources are named with or without their ending, and with * for several."""
    names = "|".join(FOLDERS + ["tools", "tests", "scenes", "cli", "bench", "examples", "python"])
    for path in sorted(set(re.findall(rf"`((?:{names})/[\w/.*-]+)`", text))):
        if not any(list(base.glob(path.rstrip("/*") + "*")) for base in (SOURCES, ROOT)):
            yield f"no {path}"


def missing_tests(text, tests):
    """`Suite.Name`, `Suite.BeginningOfTheName...`, `BeginningOfTheName...`"""
    for name in sorted(set(re.findall(r"`(?:[A-Z]\w+\.)?([A-Z][A-Za-z]{7,})\.\.\.`", text))):
        if name not in tests:
            yield f"no test {name}..."


def missing_scenes(page, text):
    folder = ROOT / "scenes" / page.stem
    if not folder.is_dir():
        return
    for scene in sorted(set(re.findall(r"`(fig\d\d-[\w-]+)`", text))):
        if not (folder / f"{scene}.toml").exists():
            yield f"no scene {scene}"


def main():
    tests = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "tests").rglob("*.cpp"))
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    mistakes = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found = list(broken_links(page, text))
        if "log" not in page.relative_to(ROOT).parts:
            found += [*missing_paths(text), *missing_tests(text, tests), *missing_scenes(page, text)]
        mistakes += [f"{page.relative_to(ROOT)}: {m}" for m in found]

    # The check itself must be able to fail.
    probe = ROOT / "docs" / "papers" / "yue-2015.md"
    assert list(broken_links(probe, "[a](../nowhere.md)")), "a broken link went unseen"
    assert list(broken_links(probe, "[a](../performance.md#nowhere)")), "a heading went unseen"
    assert list(missing_paths("`mpm/nowhere.cpp`")), "a missing source went unseen"
    assert list(missing_tests("`Foam.NoSuchTestAnywhere...`", tests)), "a missing test went unseen"
    assert list(missing_scenes(probe, "`fig99-nothing`")), "a missing scene went unseen"

    print("\n".join(mistakes) or f"{len(pages)} pages, all that they name exists")
    return 1 if mistakes else 0


sys.exit(main())
