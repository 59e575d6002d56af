#!/usr/bin/env python3
"""Hands broken scenes and meshes to the built program: broken_scenes.py KNEAD.

Each must give exit code 2 and a message that names the file and line; none may crash or take long.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent / "broken"


def defects():
    for line in (HERE / "defects.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        fields = line.split(" >> ")
        shift = fields.pop(0) if len(fields) == 4 else "0"
        find, replace, word = fields
        yield find, replace.replace("\\n", "\n"), word, None if shift == "any" else int(shift)


def broken_scenes(folder):
    """Pairs of a scene file and what the answer to it must hold."""
    good = (HERE / "good.toml").read_text()
    for number, (find, replace, word, shift) in enumerate(defects()):
        scene = folder / f"scene{number}.toml"
        scene.write_text(good.replace(find, replace, 1))
        line = good[: good.index(find)].count("\n") + 1
        yield scene, [f"{scene}:{line + shift}:" if shift is not None else f"{scene}:", word]
    for mesh in sorted((HERE / "meshes").iterdir()):
        scene = folder / f"mesh_{mesh.name}.toml"
        scene.write_text(f'[solver]\ndx = 0.1\n[[bodies]]\nmaterial = "clay"\n'
                         f'shape = {{mesh = {{file = "{mesh}"}}}}\n')
        yield scene, [str(mesh), f"{scene}:5:"]
    for number, data in enumerate([b"", b"\0" * 999, b"\xff\xfe\0", b"\x89PNG\r\n", b"{}", b"["]):
        scene = folder / f"odd{number}.toml"
        scene.write_bytes(data)
        yield scene, [str(scene)]
    yield folder, [str(folder), "folder"]
    yield folder / "missing.toml", ["missing.toml", "no such file"]


def check(knead, scene, *options):
    return subprocess.run([knead, "check", str(scene), *options], capture_output=True, timeout=60)


def main(knead):
    failures = []
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for scene, words in broken_scenes(folder):
            answer = check(knead, scene)
            text = answer.stderr.decode(errors="replace")
            count += 1
            if answer.returncode != 2 or any(word not in text for word in words):
                failures.append(f"{scene.name}: exit code {answer.returncode}, wanted {words}\n{text}")
        scene = folder / "scene0.toml"
        report = json.loads(check(knead, scene, "--json").stdout)
        if report["ok"] or report["mistakes"][0]["line"] != 2:
            failures.append(f"--json says {report}")
        good = check(knead, HERE / "good.toml")
        if good.returncode != 0 or b"ball" not in good.stdout:
            failures.append(f"the good scene: {good}")
    print("\n".join(failures))
    print(f"{count} broken scenes and meshes, {len(failures)} not answered as they should be")
    return 1 if failures or count < 200 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
