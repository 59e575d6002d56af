#!/usr/bin/env python3
"""The same bytes for any thread count, and after any kill: run_and_resume.py KNEAD."""
import os
import random
import signal
import subprocess
import time

import support
from support import CLOTH, FOAM, POINT_METHODS, POINTS, THIN, KneadTest, command, knead, stats_without_time


KILLS_OF_CLOTH = int(os.environ.get("KILLS_OF_CLOTH", 2))


class Determinism(KneadTest):
    def test_thread_counts_give_the_same_bytes(self):
        self.run_scene("one", "--threads", 1)
        self.run_scene("two", "--threads", 2)
        self.run_scene("three", "--threads", 3)
        self.assert_same_run("one", "two")
        self.assert_same_run("one", "three")

    def test_double_precision_cubic_flip_does_too(self):
        how = ["--set", "solver.precision='double'", "--set", "solver.kernel='cubic'",
               "--set", "solver.transfer='flip'", "--frames", 4]
        self.run_scene("one", "--threads", 1, *how)
        self.run_scene("two", "--threads", 2, *how)
        self.assert_same_run("one", "two", frames=4)


    def test_particles_that_come_and_go_do_too(self):
        self.scene.write_text(FOAM)
        self.run_scene("one", "--threads", 1)
        self.run_scene("two", "--threads", 2)
        self.assert_same_run("one", "two")
        rows = stats_without_time(self.here / "one")
        last = dict(zip(rows[0], rows[-1]))
        self.assertGreater(int(last["particles"]), int(rows[1][rows[0].index("particles")]))
        self.assertGreater(float(last["removed"]), 0)
        self.assertGreater(float(last["inserted"]), 0)


    def test_cloth_and_hair_under_foam_that_tears_do_too(self):
        self.scene.write_text(CLOTH)
        self.run_scene("one", "--threads", 1)
        self.run_scene("two", "--threads", 2)
        self.assert_same_run("one", "two")
        rows = stats_without_time(self.here / "one")
        last = dict(zip(rows[0], rows[-1]))
        self.assertGreater(float(last["inserted"]), 0)
        self.assertLess(float(last["min_r33"]), 1)
        # what splits, merges and comes beside it leaves every triangle and segment as it was
        counts = [knead("info", self.here / "one/frames" / name).stdout.split()
                  for name in sorted(p.name for p in (self.here / "one/frames").iterdir())]
        def number_before(words, what):
            at = next(i for i, word in enumerate(words) if word.startswith(what))
            return words[at - 1]
        for what in ("triangle", "segment"):
            self.assertEqual(len({number_before(words, what) for words in counts}), 1)

    def test_point_methods_do_too(self):
        for method, text in POINT_METHODS.items():
            with self.subTest(method=method):
                self.scene.write_text(text)
                self.run_scene(method + "1", "--threads", 1)
                self.run_scene(method + "2", "--threads", 2)
                self.assert_same_run(method + "1", method + "2")


class Resume(KneadTest):
    def start(self, folder, *arguments):
        return subprocess.Popen(
            command("run", self.scene, "--out", self.here / folder, "--resume", *arguments),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_kills_at_ten_random_moments_leave_the_same_bytes(self):
        self.kill_and_compare(10)

    def test_kills_of_the_embedded_method_leave_the_same_bytes(self):
        self.scene.write_text(POINTS.replace("METHOD", "embedded"))
        self.kill_and_compare(4)
        rows = stats_without_time(self.here / "whole")
        last = dict(zip(rows[0], rows[-1]))
        self.assertGreater(float(last["embeddings"]), 0)
        self.assertGreater(float(last["links_changed"]), 0)

    def test_kills_of_the_implicit_method_leave_the_same_bytes(self):
        self.scene.write_text(POINT_METHODS["implicit-lazy"])
        self.kill_and_compare(4)

    def test_kills_of_cloth_and_hair_leave_the_same_bytes(self):
        self.scene.write_text(CLOTH)
        self.kill_and_compare(4)

    def test_kills_of_implicit_steps_on_the_grid_leave_the_same_bytes(self):
        self.scene.write_text(THIN.replace("[solver]\n", '[solver]\nintegrator = "implicit"\n'))
        self.kill_and_compare(4)

    def test_kills_with_cloth_knit_and_sand_leave_the_same_bytes(self):
        self.scene.write_text(THIN)
        self.kill_and_compare(KILLS_OF_CLOTH)
        rows = stats_without_time(self.here / "whole")
        last = dict(zip(rows[0], rows[-1]))
        self.assertLess(float(last["min_r33"]), 1)
        self.run_scene("two", "--threads", 2)
        self.assert_same_run("whole", "two")

    def kill_and_compare(self, wanted):
        began = time.monotonic()
        self.run_scene("whole")
        length = time.monotonic() - began
        moments = random.Random(7)
        kills = 0
        while kills < wanted:
            process = self.start("killed")
            try:
                process.wait(moments.uniform(0, 0.3 * length))
                # It was done before the kill came: on with another run.
                self.assertEqual(process.returncode, 0)
                self.assert_same_run("whole", "killed")
                knead("run", self.scene, "--out", self.here / "killed", "--overwrite", "--frames",
                      1)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
        # Whatever the last kill left, even nothing at all, the same command brings it to the end.
        done = knead("run", self.scene, "--out", self.here / "killed", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_run("whole", "killed")

    def stop_with(self, what):
        """Stops a run in the middle of its third frame and returns what it said."""
        process = subprocess.Popen(
            command("run", self.scene, "--out", self.here / "stopped", "--json", "--overwrite"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3):
            process.stdout.readline()
        process.send_signal(what)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, said)
        self.assertIn("--resume", said)
        return said

    def test_control_c_and_terminate_stop_cleanly_and_resume_to_the_same_bytes(self):
        self.run_scene("whole")
        for what in (signal.SIGINT, signal.SIGTERM):
            self.stop_with(what)
            report = (self.here / "stopped/run.json").read_text()
            self.assertIn('"stopped"', report)
            self.resume("stopped")
            self.assert_same_run("whole", "stopped")

    def test_particles_that_come_and_go_resume_to_the_same_bytes(self):
        self.scene.write_text(FOAM)
        self.run_scene("whole")
        self.run_scene("parts", "--frames", 3)
        for frames in (7, 12, 16):
            self.resume("parts", "--frames", frames)
        self.assert_same_run("whole", "parts")
        self.stop_with(signal.SIGINT)
        self.resume("stopped")
        self.assert_same_run("whole", "stopped")

    def test_point_methods_resume_to_the_same_bytes(self):
        for method, text in POINT_METHODS.items():
            with self.subTest(method=method):
                self.scene.write_text(text)
                self.run_scene(method)
                self.run_scene(method + "-parts", "--frames", 3)
                for frames in (7, 12, 16):
                    self.resume(method + "-parts", "--frames", frames)
                self.assert_same_run(method, method + "-parts")
                process = self.start(method + "-killed")
                while not list((self.here / (method + "-killed")).glob("checkpoints/*.h5")):
                    time.sleep(0.02)
                process.kill()
                process.wait()
                done = knead("run", self.scene, "--out", self.here / (method + "-killed"),
                             "--resume")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_same_run(method, method + "-killed")
                self.stop_with(signal.SIGINT)
                self.resume("stopped")
                self.assert_same_run(method, "stopped")

    def test_matter_that_keeps_its_start_resumes_to_the_same_bytes(self):
        springy = [line for line in POINTS.splitlines() if not line.startswith("flow.")]
        self.scene.write_text("\n".join(springy).replace("METHOD", "incremental"))
        self.run_scene("whole")
        self.assertIn('memory = "start"', (self.here / "whole/scene.toml").read_text())
        self.run_scene("parts", "--frames", 3, "--threads", 1)
        for frames in (7, 12, 16):
            self.resume("parts", "--frames", frames)
        self.assert_same_run("whole", "parts")

    def test_a_damaged_checkpoint_falls_back_to_the_one_before(self):
        self.run_scene("whole")
        self.run_scene("hurt", "--frames", 8)
        newest = sorted((self.here / "hurt/checkpoints").iterdir())[-1]
        newest.write_bytes(newest.read_bytes()[:-1000])
        said = self.resume("hurt", "--frames", 16).stderr
        self.assertIn(newest.name, said)
        self.assert_same_run("whole", "hurt")

    def test_without_any_good_checkpoint_it_says_what_to_do(self):
        self.run_scene("hurt", "--frames", 2)
        for file in (self.here / "hurt/checkpoints").iterdir():
            file.write_bytes(b"knead checkpoint 1" + bytes(600))
        done = knead("run", self.here / "hurt", "--resume", "--frames", 3)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--overwrite", done.stderr)

    def test_another_scene_is_not_resumed(self):
        self.run_scene("run", "--frames", 2)
        said = self.run_scene("run", "--resume", "--set", "gravity=[0, -5, 0]", code=2).stderr
        self.assertIn("another scene", said)
        self.assertIn("--overwrite", said)

    def test_a_mesh_that_changed_since_is_not_resumed(self):
        corners = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
        faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"

        def write_block(height):
            (self.here / "block.obj").write_text(
                "".join(f"v {0.3 * x} {height * y} {0.3 * z}\n" for x, y, z in corners) + faces)

        self.scene.write_text(support.SCENE.replace(
            "shape = {sphere = {center = [0.05, 0.5, 0], radius = 0.14}}",
            'shape = {mesh = {file = "block.obj", center = [0, 0.6, 0]}}'))
        write_block(0.3)
        self.run_scene("run", "--frames", 2)
        write_block(0.2)
        said = self.run_scene("run", "--resume", "--frames", 3, code=2).stderr
        self.assertIn("mesh file has changed", said)
        write_block(0.3)
        self.run_scene("run", "--resume", "--frames", 3)

    def test_two_runs_do_not_share_a_folder(self):
        process = self.start("shared", "--frames", 500)
        while not list((self.here / "shared").glob("run.json")):
            time.sleep(0.02)
        try:
            said = self.run_scene("shared", "--resume", code=1).stderr
            self.assertIn("another run", said)
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    support.main()
