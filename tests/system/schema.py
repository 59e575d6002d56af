#!/usr/bin/env python3
"""The JSON Schema that knead prints takes every scene there is, and no scene with a mistake in its keys.

schema.py KNEAD [TEST]. What it knows of JSON Schema is what the schema uses."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

KNEAD = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads(subprocess.run([KNEAD, "check", "--schema"], capture_output=True, text=True, check=True).stdout)

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}


def is_type(value, name):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "number":
        return number
    if name == "integer":
        return number and float(value).is_integer()
    return isinstance(value, TYPES[name])


def bounds(value, schema):
    return [f"{value} breaks {key} {schema[key]}"
            for key, holds in (("minimum", lambda a, b: a >= b), ("maximum", lambda a, b: a <= b),
                               ("exclusiveMinimum", lambda a, b: a > b), ("exclusiveMaximum", lambda a, b: a < b))
            if key in schema and not holds(value, schema[key])]


def mistakes(value, schema, path="scene"):
    """What a value breaks, as texts."""
    known = {"$schema", "$comment", "$defs", "$ref", "title", "description", "type", "properties",
             "additionalProperties", "required", "items", "minItems", "maxItems", "anyOf", "enum", "pattern",
             "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    assert not set(schema) - known, set(schema) - known
    found = []
    if "$ref" in schema:
        found += mistakes(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], path)
    if "anyOf" in schema and all(mistakes(value, one, path) for one in schema["anyOf"]):
        found += [f"{path}: none of the ways fits"] + mistakes(value, schema["anyOf"][0], path)
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value} is none of {schema['enum']}")
    if "type" in schema and not is_type(value, schema["type"]):
        return found + [f"{path}: {value} is no {schema['type']}"]
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{path}: {value} is not like {schema['pattern']}")
    if is_type(value, "number"):
        found += [f"{path}: {what}" for what in bounds(value, schema)]
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{path}: {len(value)} items")
        for i, item in enumerate(value):
            found += mistakes(item, schema.get("items", {}), f"{path}[{i}]")
    if isinstance(value, dict):
        found += [f"{path}: no {name}" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            if inner is False:
                found.append(f"{path}: unknown key {name}")
            else:
                found += mistakes(item, inner or {}, f"{path}.{name}")
    return found


class Schema(unittest.TestCase):
    def test_takes_every_scene(self):
        scenes = sorted(ROOT.glob("scenes/**/*.toml")) + sorted(ROOT.glob("tests/scenes/*.toml"))
        self.assertGreater(len(scenes), 90)
        for path in scenes:
            with self.subTest(scene=path.name):
                self.assertEqual(mistakes(tomllib.loads(path.read_text()), SCHEMA), [])

    def test_takes_a_scene_with_every_default_written_out(self):
        # As it stands in a run's folder.
        for name in ("tests/scenes/strand.toml", "tests/scenes/foam.toml", "scenes/demo/kneading.toml"):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([KNEAD, "run", ROOT / name, "--out", folder + "/run", "--frames", "0", "--quiet"],
                               check=True, capture_output=True)
                scene = tomllib.loads(pathlib.Path(folder, "run", "scene.toml").read_text())
                self.assertEqual(mistakes(scene, SCHEMA), [])

    def test_refuses_what_check_refuses(self):
        good = tomllib.loads((ROOT / "tests/scenes/strand.toml").read_text())
        self.assertEqual(mistakes(good, SCHEMA), [])

        def broken(change):
            scene = json.loads(json.dumps(good))
            change(scene)
            return mistakes(scene, SCHEMA)

        self.assertTrue(broken(lambda s: s["solver"].update(dxx=1)))
        self.assertTrue(broken(lambda s: s["solver"].update(dx=-1)))
        self.assertTrue(broken(lambda s: s["solver"].update(kernel="cubik")))
        self.assertTrue(broken(lambda s: s["bodies"][0].pop("material")))
        self.assertTrue(broken(lambda s: s["bodies"][0]["stream"].update(speed=True)))
        self.assertTrue(broken(lambda s: s["bodies"][0]["shape"].update(cylindre={})))
        self.assertTrue(broken(lambda s: s["materials"]["paste"]["flow"].update(rule="von mises")))
        self.assertTrue(broken(lambda s: s["colliders"][0].update(motion={"velocity": [1, 2]})))
        self.assertTrue(broken(lambda s: s.pop("bodies")))


if __name__ == "__main__":
    unittest.main()
