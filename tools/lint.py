#!/usr/bin/env python3
"""clang-tidy over our own sources, as errors: lint.py [FILE...].

A file that was clean is not looked at again until it, or a header of ours that it reads, changes.
clang-tidy reads headers its own way, so it gets a configuration without precompiled ones.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLEAN = ROOT / "build/lint/clean"
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.M)
# What GCC alone understands.
OF_GCC = re.compile(r" -(m(move|store)-max=|fno-(tree-(tail-merge|pre|loop-im|sink)|ipa-icf|crossjumping|code-hoisting|store-merging))\S*")
TIDY = ["clang-tidy", "-p", "build/lint", "--quiet", "--extra-arg=-Wno-unknown-warning-option",
        "--extra-arg=-Wno-missing-braces"]


def text_of(path, seen):
    """The text of a file and of all headers of ours below it, each once."""
    if path in seen or not path.is_file():
        return b""
    seen.add(path)
    text = path.read_bytes()
    for name in INCLUDE.findall(text):
        for folder in (ROOT / "src", path.parent, ROOT / "bench", ROOT / "tests"):
            text += text_of((folder / name.decode()).resolve(), seen)
    return text


def check(path):
    key = hashlib.sha256((ROOT / ".clang-tidy").read_bytes() + text_of(path, set())).hexdigest()
    if (CLEAN / key).exists():
        return ""
    done = subprocess.run([*TIDY, path], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stdout + done.stderr
    (CLEAN / key).write_text(str(path))
    return ""


def compiled_sources():
    """Our sources that the build compiles: the library, the program, benchmarks and tests."""
    commands = json.loads((ROOT / "build/lint/compile_commands.json").read_text())
    files = {pathlib.Path(command["file"]) for command in commands}
    return sorted(f for f in files if f.suffix == ".cpp" and f.is_relative_to(ROOT)
                  and not f.is_relative_to(ROOT / "build"))


def main(names):
    subprocess.run(["cmake", "--preset", "lint"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    CLEAN.mkdir(exist_ok=True)
    commands = ROOT / "build/lint/compile_commands.json"
    commands.write_text(OF_GCC.sub("", commands.read_text()))
    files = [pathlib.Path(n).resolve() for n in names] or compiled_sources()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [finding for finding in pool.map(check, files) if finding]
    print("\n".join(findings), end="")
    print(f"clang-tidy: {len(files)} files, {len(findings)} with findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
