#!/usr/bin/env python3
"""Every command's help, exit codes and output: command_line.py KNEAD."""
import json
import math
import os
import re
import subprocess

import support
from support import KneadTest, knead

COMMANDS = ["run", "check", "info", "stats", "materials", "rheometer", "surface", "render",
            "export", "view", "bench", "doctor", "completion"]
# What design promises for each frame of `knead stats --json`.
KEYS = {"frame", "time", "particles", "mass", "volume", "momentum", "angular_momentum",
        "kinetic_energy", "elastic_energy", "centre_of_mass", "bbox_min", "bbox_max", "max_speed",
        "substeps", "seconds"}
VECTORS = {"momentum", "angular_momentum", "centre_of_mass", "bbox_min", "bbox_max"}


class Help(KneadTest):
    def test_every_command_is_listed_and_explains_itself(self):
        listed = knead("help")
        self.assertEqual(listed.returncode, 0)
        for name in COMMANDS:
            self.assertRegex(listed.stdout, rf"\n  {name} +\w")
            for words in (["help", name], [name, "--help"], [name, "-h"]):
                shown = knead(*words)
                self.assertEqual(shown.returncode, 0, shown.stderr)
                self.assertIn(f"Usage: knead {name}", shown.stdout)
                self.assertIn("Examples:", shown.stdout)

    def test_version(self):
        self.assertRegex(knead("--version").stdout, r"^knead \d+\.\d+\.\d+\n$")

    def test_wrong_usage_gives_two_and_a_hint(self):
        for words in ([], ["runn"], ["run"], ["run", "--no-such"], ["help", "nothing"],
                      ["stats"], ["run", "a.toml", "--frames", "many"],
                      ["run", "a.toml", "--backend", "abacus"]):
            done = knead(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("knead", done.stderr + done.stdout)


class Completion(KneadTest):
    def offered(self, *words):
        """What bash offers for the last of the words after knead."""
        line = " ".join(f"'{w}'" for w in ("knead", *words))
        script = (f"source <('{support.KNEAD}' completion bash); COMP_WORDS=({line}); "
                  f"COMP_CWORD={len(words)}; _knead; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-c", script], cwd=self.here, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_commands_and_options_are_those_of_the_help(self):
        self.assertEqual(set(self.offered("")), {*COMMANDS, "help", "--help", "--version"})
        self.assertEqual(self.offered("rh"), ["rheometer"])
        self.assertEqual(set(self.offered("help", "")), {*COMMANDS, "help"})
        for name in COMMANDS:
            shown = knead(name, "--help").stdout
            options = self.offered(name, "--")
            self.assertIn("--help", options)
            for option in options:
                self.assertIn(option, shown)
            for option in re.findall(r"^  .*?(--[a-z-]+)", shown.split("Options:")[1], re.M):
                self.assertIn(option, options)

    def test_values_are_offered_where_they_are_known(self):
        (self.here / "out").mkdir()
        self.assertEqual(self.offered("run", "small.toml", "--backend", ""), ["cpu", "cuda"])
        self.assertEqual(self.offered("run", "-j", ""), [])
        self.assertEqual(set(self.offered("run", "")), {"small.toml", "out"})
        self.assertEqual(self.offered("run", "small.toml", "-o", ""), ["out"])
        self.assertEqual(self.offered("stats", ""), ["out"])
        self.assertEqual(self.offered("rheometer", "shaving"), ["shaving-cream"])
        self.assertEqual(self.offered("materials", "shaving"), ["shaving-cream"])
        self.assertEqual(self.offered("completion", ""), ["bash"])
        self.assertEqual(knead("completion", "abacus").returncode, 2)


class Rheometer(KneadTest):
    def test_it_drives_the_law_of_the_grid_and_that_of_the_point_methods(self):
        test = ["rheometer", "pie", "--test", "relaxation", "--csv", "-"]
        lines = [knead(*test, "--method", method).stdout.splitlines()
                 for method in ("mpm", "incremental", "embedded")]
        self.assertEqual(lines[1], lines[2])
        self.assertEqual(len(lines[0]), len(lines[1]))
        for grid, points in zip(lines[0][1:], lines[1][1:]):
            for a, b in zip(grid.split(","), points.split(",")):
                self.assertAlmostEqual(float(a), float(b), places=4)

    def test_it_takes_a_scenes_material_and_prints_units(self):
        test = ["--test", "relaxation", "--set", "density=900"]
        scene = knead("rheometer", self.scene, *test, "--material", "clay", cwd=self.here)
        self.assertEqual(scene.returncode, 0, scene.stderr)
        units = scene.stdout.splitlines()[1].split()
        self.assertEqual(units, ["s", "Pa", "Pa"])
        self.assertTrue((self.here / "clay-relaxation.csv").exists())
        said = knead("rheometer", self.scene, "--csv", "-").stderr
        self.assertIn("--material", said)
        self.assertIn("clay", said)
        self.assertEqual(knead("rheometer", "dough", "--material", "clay").returncode, 2)

    def test_it_says_what_the_point_methods_cannot_take(self):
        tried = knead("rheometer", "sand", "--method", "incremental", "--csv", "-")
        self.assertEqual(tried.returncode, 2)
        self.assertIn("point methods cannot take this material", tried.stderr)


class Run(KneadTest):
    def test_an_existing_run_is_not_overwritten_unasked(self):
        self.run_scene("run", "--frames", 1)
        before = (self.here / "run/stats.csv").read_bytes()
        said = self.run_scene("run", "--frames", 1, code=2).stderr
        self.assertIn("--resume", said)
        self.assertIn("--overwrite", said)
        self.assertEqual(before, (self.here / "run/stats.csv").read_bytes())
        (self.here / "run/notes.txt").write_text("mine")
        self.run_scene("run", "--frames", 2, "--overwrite")
        self.assertTrue((self.here / "run/frames/frame_00002.ply").exists())
        self.assertEqual((self.here / "run/notes.txt").read_text(), "mine")

    def test_the_default_folder_is_named_for_the_scene(self):
        done = knead("run", self.scene, "--frames", 1, "--quiet", cwd=self.here)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertTrue((self.here / "out/small/frames/frame_00001.ply").exists())

    def test_it_says_what_it_will_cost(self):
        said = self.run_scene("run", "--frames", 2).stdout
        for word in ("particles", "steps of", "a frame", "memory", "left", "frame 2/2", "done"):
            self.assertIn(word, said)

    def test_the_disk_it_says_is_what_it_takes(self):
        strand = support.ROOT / "tests/scenes/strand.toml"
        lone = self.scene.read_text()
        scenes = {method: lone.replace("[solver]", f'[solver]\nmethod = "{method}"')
                  for method in ("mpm", "incremental", "embedded", "implicit")}
        scenes["stream"] = strand.read_text().replace("frames = 10", "frames = 40").replace(
            "stop = 0.17, ", "").split("[[sinks]]")[0]
        for name, text in scenes.items():
            self.scene.write_text(text)
            fine = ("--set", "solver.dx=0.04" if name != "stream" else "solver.dx=0.012")
            said = json.loads(knead("check", self.scene, "--json", *fine).stdout)["disk_bytes"]
            self.run_scene(name, "--quiet", *fine)
            takes = sum(p.stat().st_size for p in (self.here / name).rglob("*") if p.is_file())
            self.assertTrue(0.75 < said / takes < 1.3, (name, said, takes))

    def test_no_frames_are_the_start_alone(self):
        self.run_scene("run", "--frames", 0)
        self.assertEqual([p.name for p in (self.here / "run/frames").iterdir()],
                         ["frame_00000.ply"])

    def test_a_refusal_to_resume_names_the_keys_that_changed(self):
        self.run_scene("run", "--frames", 1)
        self.scene.write_text(self.scene.read_text() + """
            [[bodies]]
            name = "late"
            material = "clay"
            shape = {sphere = {center = [0.4, 0.5, 0], radius = 0.05}}""")
        said = self.run_scene("run", "--resume", "--set", "bodies.ball.velocity=[0,-1,0]", "--set",
                              "gravity=[0,-3,0]", "--set", "title='other'", code=2).stderr
        for word in ("bodies.ball.velocity ([", ", now [0", "bodies.late (new)",
                     "gravity ([0.0, -9.81, 0.0], now [0.0, -3.0, 0.0])"):
            self.assertIn(word, said)
        self.assertNotIn("title", said)
        self.assertNotIn("block", said)

    def test_json_is_one_object_a_frame(self):
        lines = self.run_scene("run", "--frames", 2, "--json").stdout.splitlines()
        frames = [json.loads(line) for line in lines]
        self.assertEqual([f["frame"] for f in frames], [0, 1, 2])
        self.assertTrue(KEYS <= set(frames[0]), KEYS - set(frames[0]))

    def test_the_resolved_scene_is_kept_and_runs_to_the_same_bytes(self):
        self.run_scene("first", "--frames", 3, "--set", "gravity=[0, -3, 0]")
        done = knead("run", self.here / "first/scene.toml", "--out", self.here / "second")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_run("first", "second", frames=3)

    def test_wrong_input_gives_two(self):
        for words in (["--threads", "-1"], ["--frames", "-2"], ["--set", "solver.dx=-1"], ["--set", "nonsense"],
                      ["--resume", "--overwrite"]):
            self.run_scene("run", *words, code=2)
        for path in ("none.toml", self.here):
            self.assertEqual(knead("run", path).returncode, 2)

    def test_the_cuda_backend_runs_or_says_why_not(self):
        works = "cpu, cuda" in knead("doctor").stdout
        done = self.run_scene("run", "--frames", 1, "--backend", "cuda", code=0 if works else 2)
        if not works:
            self.assertRegex(done.stderr, r"there is no GPU to run on: \w")
            self.assertIn("--backend cpu", done.stderr)
            self.assertFalse((self.here / "run").exists())
        done = self.run_scene("fine", "--frames", 1, "--backend", "cuda", "--set",
                              'solver.precision="double"', code=2)
        self.assertIn("--backend cpu", done.stderr)

    def test_mistakes_of_scene_and_meshes_are_named_together(self):
        (self.here / "torn.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n")
        self.scene.write_text(support.SCENE.replace(
            "shape = {box = {center = [0, 0.2, 0], size = [0.2, 0.2, 0.2]}}",
            'shape = {mesh = {file = "torn.obj"}}'))
        said = self.run_scene("run", "--set", "solver.dx=-1", code=2).stderr
        self.assertIn("solver.dx", said)
        self.assertIn("torn.obj:4", said)

    def test_a_step_that_is_too_small_fails_with_one(self):
        said = self.run_scene("run", "--set", "time.min_dt=0.5", code=1).stderr
        self.assertIn("min_dt", said)


class Look(KneadTest):
    def test_statistics_are_complete_and_plausible(self):
        self.run_scene("run", "--frames", 3)
        done = knead("stats", self.here / "run", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        frames = json.loads(done.stdout)
        self.assertEqual([f["frame"] for f in frames], [0, 1, 2, 3])
        for frame in frames:
            self.assertTrue(KEYS <= set(frame), KEYS - set(frame))
            for key in VECTORS:
                self.assertEqual(len(frame[key]), 3)
            self.assertAlmostEqual(frame["time"], frame["frame"] / 60, delta=1e-15)
            self.assertEqual(frame["mass"], frames[0]["mass"])
        # Before anything touches anything, gravity alone changes the momentum.
        change = frames[1]["momentum"][1] - frames[0]["momentum"][1]
        fall = -9.81 * frames[0]["mass"] / 60
        self.assertTrue(math.isclose(change, fall, rel_tol=1e-3), (change, fall))
        self.assertEqual(frames[0]["substeps"], 0)
        self.assertGreater(frames[1]["substeps"], 0)

        rows = knead("stats", self.here / "run", "--csv").stdout
        self.assertEqual(rows, (self.here / "run/stats.csv").read_text())
        self.assertIn("kinetic_energy", knead("stats", self.here / "run").stdout)
        self.assertEqual(knead("stats", self.here).returncode, 2)

    def test_info_knows_runs_scenes_and_files(self):
        self.run_scene("run", "--frames", 1)
        checkpoint = sorted((self.here / "run/checkpoints").iterdir())[-1]
        for path, words in ((self.here / "run", ["finished", "0 to 1", "checkpoint", "particles"]),
                            (self.scene, ["ball", "block", "clay", "floor"]),
                            (self.here / "run/frames/frame_00001.ply", ["vertex", "pscale"]),
                            (checkpoint, ["frame", "single"])):
            done = knead("info", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            for word in words:
                self.assertIn(word, done.stdout)
        self.assertEqual(knead("info", self.here / "nothing").returncode, 2)
        self.assertEqual(knead("info", self.here).returncode, 2)

    def test_colliders_are_exported_where_the_frame_has_them(self):
        self.scene.write_text(support.POINTS.replace("METHOD", "embedded"))
        self.run_scene("run", "--frames", 6, "--threads", 1)
        heights = []
        for frame in (0, 6):
            header = (self.here / f"run/frames/frame_{frame:05}.ply").read_bytes()
            words = header.split(b"comment collider block ")[1].split()
            heights.append(float(words[1]))
            self.assertNotIn(b"comment collider ground", header)
        self.assertLess(heights[1], heights[0] - 1e-3)  # the block falls on the bar

        done = knead("export", self.here / "run", "--format", "ply", "--what", "colliders")
        self.assertEqual(done.returncode, 0, done.stderr)
        for frame, height in zip((0, 6), heights):
            file = self.here / f"run/export/ply/colliders_{frame:05}.ply"
            said = knead("info", file).stdout
            lowest, highest = next(line.split()[2:4] for line in said.splitlines()
                                   if line.startswith("  y "))
            self.assertAlmostEqual(float(lowest), height - 0.05, delta=2e-3)
            self.assertAlmostEqual(float(highest), height + 0.05, delta=2e-3)
        self.assertEqual(knead("export", self.here / "run", "--format", "vdb", "--what",
                               "colliders").returncode, 2)

    def test_pictures_show_a_pushed_collider_where_it_is(self):
        self.scene.write_text(support.POINTS.replace("METHOD", "embedded"))
        self.run_scene("run", "--frames", 6, "--threads", 1)
        frame = self.here / "run/frames/frame_00006.ply"
        picture = self.here / "run/pictures/picture_00006.png"
        shown = []
        for height in (None, b"9"):
            if height:  # the same frame with the block far above
                before, after = frame.read_bytes().split(b"comment collider block ")
                x, _, rest = after.split(b" ", 2)
                frame.write_bytes(before + b"comment collider block " + x + b" 9 " + rest)
            done = knead("render", self.here / "run", "--frames", 6, "--width", 64, "--height", 48,
                         "--samples", 1, "--mode", "points")
            self.assertEqual(done.returncode, 0, done.stderr)
            shown.append(picture.read_bytes())
        self.assertNotEqual(shown[0], shown[1])

    def test_a_picture_does_not_depend_on_which_others_are_made(self):
        self.run_scene("run", "--frames", 4)
        pictures = self.here / "run/pictures"
        how = ["--width", 64, "--height", 48, "--samples", 1, "--color-by", "speed", "--no-movie"]
        shown = []
        for frames in ("all", "2", "2:4:2"):
            done = knead("render", self.here / "run", "--frames", frames, *how)
            self.assertEqual(done.returncode, 0, done.stderr)
            shown.append((pictures / "picture_00002.png").read_bytes())
        self.assertEqual(shown[0], shown[1])
        self.assertEqual(shown[0], shown[2])
        kept = json.loads((pictures / "survey.json").read_text())
        self.assertEqual(sorted(kept["speed"]), [f"frame_{k:05}.ply" for k in range(5)])

    def test_frames_are_ranges_lists_and_steps(self):
        self.run_scene("run", "--frames", 6)
        for frames, numbers in (("2", [2]), ("1-3", [1, 2, 3]), ("1-6x2", [1, 3, 5]),
                                ("0,4-5", [0, 4, 5]), ("5-", [5, 6]), ("-1", [0, 1]),
                                ("0:6:3", [0, 3, 6]), ("1,3-5x2,5", [1, 3, 5])):
            out = self.here / f"to{frames.replace(':', '_')}"
            done = knead("export", self.here / "run", "--format", "ply", "--frames", frames,
                         "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(p.name for p in out.iterdir()),
                             [f"points_{n:05}.ply" for n in numbers], frames)
        for frames in ("3-1", "a", "1-2-3-4", ",", "1x2", "9"):
            done = knead("export", self.here / "run", "--format", "ply", "--frames", frames)
            self.assertEqual(done.returncode, 2, frames)

    def test_what_is_there_is_made_once(self):
        self.run_scene("run", "--frames", 2)
        run = self.here / "run"
        made = {"surface": ["surface", run], "pictures":
                ["render", run, "--width", 32, "--height", 24, "--samples", 1, "--no-movie"],
                "export/vtk": ["export", run, "--format", "vtk"]}
        for folder, words in made.items():
            self.assertEqual(knead(*words, "--frames", "0-1").returncode, 0)
            first = {p: p.stat().st_mtime_ns for p in (run / folder).glob("*_0000*")}
            self.assertEqual(len(first), 2)
            done = knead(*words, "--missing")
            self.assertEqual(done.returncode, 0, done.stderr)
            for path, written in first.items():
                self.assertEqual(path.stat().st_mtime_ns, written)
            self.assertEqual(len(list((run / folder).glob("*_00002*"))), 1)
            # A frame that was written again has nothing yet.
            again = max(first)
            os.utime(run / "frames/frame_00001.ply")
            knead(*words, "--missing")
            self.assertGreater(again.stat().st_mtime_ns, first[again])
        self.assertEqual((run / "export/vtk/points.pvd").read_text().count("<DataSet"), 3)

    def test_surfaces_of_an_earlier_run_are_told(self):
        self.run_scene("run", "--frames", 2)
        run = self.here / "run"
        picture = ("render", run, "--width", 16, "--height", 16, "--samples", 1, "--no-movie")
        exported = ("export", run, "--format", "gltf", "--what", "surface")
        self.assertEqual(knead("surface", run).returncode, 0)
        for command in (picture, exported):
            self.assertNotIn("older", knead(*command).stderr)
        self.run_scene("run", "--overwrite", "--frames", 2, "--set", "gravity=[0, 3, 0]")
        for command in (picture, exported):
            said = knead(*command).stderr
            self.assertIn("surface_00000.ply and 2 more are older than the frames", said)
            self.assertIn("--missing", said)
        self.assertEqual(knead("surface", run, "--missing").returncode, 0)
        for command in (picture, exported):
            self.assertNotIn("older", knead(*command).stderr)

    def test_a_carried_mesh_comes_from_the_first_frame_of_the_run(self):
        self.run_scene("run", "--frames", 3)
        surface = self.here / "run/surface/surface_00003.ply"
        shown = []
        for frames in ("all", "3"):
            done = knead("surface", self.here / "run", "--carry", "displacements", "--frames", frames)
            self.assertEqual(done.returncode, 0, done.stderr)
            shown.append(surface.read_bytes())
        self.assertEqual(shown[0], shown[1])

    def test_nothing_empty_is_written_in_silence(self):
        self.run_scene("run", "--frames", 0)
        frame = self.here / "run/frames/frame_00000.ply"
        lines = frame.read_bytes().split(b"end_header")[0].decode()
        frame.write_text(re.sub(r"element vertex \d+", "element vertex 0", lines) + "end_header\n")
        for words in (["surface"], ["export", "--format", "ply"], ["export", "--format", "vdb"]):
            done = knead(words[0], self.here / "run", *words[1:])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("empty", done.stderr)

    def test_columns_of_the_table_stand_apart(self):
        self.run_scene("run", "--frames", 1)
        lines = [line.split() for line in knead("stats", self.here / "run").stdout.splitlines()]
        self.assertGreaterEqual(len(lines[0]), 11)
        for line in lines:
            self.assertEqual(len(line), len(lines[0]), line)

    def test_scenes_of_older_runs_are_still_read(self):
        self.run_scene("run", "--frames", 1)
        scene = self.here / "run/scene.toml"
        old = scene.read_text().replace("[solver]\n", "[solver]\ndeterministic = true\n", 1)
        scene.write_text(old)
        done = knead("export", self.here / "run", "--format", "ply")
        self.assertEqual(done.returncode, 0, done.stderr)
        scene.write_text(old.replace("deterministic = true", "deterministic = false"))
        done = knead("export", self.here / "run", "--format", "ply")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_doctor_reports(self):
        done = knead("doctor")
        self.assertEqual(done.returncode, 0)
        for word in ("threads", "instructions", "libraries", "GPU", "movies"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    support.main()
