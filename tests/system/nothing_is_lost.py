#!/usr/bin/env python3
"""A person's files survive whatever is asked of the program: nothing_is_lost.py KNEAD."""
import fcntl
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time

import support
from support import SCENE, KneadTest, command, knead

# A few frames of a few hundred particles.
QUICK = SCENE.replace("frames = 16", "frames = 4").replace("dx = 0.05", "dx = 0.1")


TETRAHEDRON = b"""ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 1 2 3
3 2 0 3
"""


def contents(folder):
    """Every file below the folder with its bytes, links by what they say; not who wrote there last."""
    return {str(p.relative_to(folder)): os.readlink(p) if p.is_symlink() else p.read_bytes()
            for p in sorted(folder.rglob("*"))
            if (p.is_symlink() or p.is_file()) and p.name != ".lock"}


def leftovers(folder):
    return [str(p) for p in folder.rglob(".knead-*")] + [str(p) for p in folder.rglob("*.part")]


class Quick(KneadTest):
    def setUp(self):
        super().setUp()
        self.scene.write_text(QUICK)

    def foreign(self, folder, names):
        """Files of a person's own in the folder; returns what they hold."""
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine: " + name)
        return {name: (folder / name).read_bytes() for name in names}

    def assert_kept(self, folder, mine):
        for name, data in mine.items():
            self.assertEqual((folder / name).read_bytes(), data, name)


class OwnFiles(Quick):
    NAMES = ["frames/my_model.ply", "frames/frame_1.ply", "frames/frame_000001.ply",
             "frames/frame_00001.ply.part", "frames/frame_00001.ply.bak", "frames/Frame_00001.ply",
             "frames/frame_00001_old.ply", "frames/sub/frame_00001.ply", "frames/.knead.part",
             "frames/.knead-notes.part", "checkpoints/my_data.h5", "checkpoints/checkpoint_1.h5",
             "checkpoints/checkpoint_00001.h5.part", "checkpoints/frame_00001.ply", "a.part",
             "run.json.part", "notes.h5", "frame_00001.ply", "scene.toml.bak", "stats.csv.old"]

    def test_only_names_that_a_run_writes_are_touched(self):
        folder = self.here / "run"
        mine = self.foreign(folder, self.NAMES)
        self.run_scene("run")
        self.assert_kept(folder, mine)
        self.run_scene("run", "--overwrite")
        self.assert_kept(folder, mine)
        self.run_scene("run", "--resume", "--frames", 5)
        self.assert_kept(folder, mine)
        self.assertEqual(sorted(p.name for p in (folder / "frames").glob("frame_0000?.ply")),
                         [f"frame_{k:05}.ply" for k in range(6)])

    def test_a_run_never_replaces_its_own_scene(self):
        for name in ("p", "odd 'name' $x;é"):
            folder = self.here / name
            folder.mkdir()
            scene = folder / "scene.toml"
            scene.write_text("# by hand\n" + QUICK)
            before = contents(folder)
            link = self.here / "link.toml"
            link.unlink(missing_ok=True)
            link.symlink_to(scene)
            for words in (["scene.toml", "--out", "."], ["scene.toml", "--out", ".", "--resume"],
                          ["scene.toml", "--out", ".", "--overwrite"],
                          [scene, "--out", folder, "--overwrite"],
                          ["../link.toml", "--out", ".", "--overwrite"],
                          [".", "--resume", "--frames", 3], [folder, "--resume", "--frames", 2]):
                done = knead("run", *words, cwd=folder)
                self.assertEqual(done.returncode, 2, (words, done.stderr))
                self.assertIn("--out", done.stderr)
                self.assertEqual(contents(folder), before, words)

    def test_scenes_that_it_extends_and_meshes_are_inputs_too(self):
        folder = self.here / "p"
        folder.mkdir()
        (folder / "scene.toml").write_text(QUICK)
        (folder / "variant.toml").write_text('extends = "scene.toml"\ntime.frames = 2\n')
        before = contents(folder)
        for words in (["--overwrite"], ["--resume"], []):
            done = knead("run", folder / "variant.toml", "--out", folder, *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(contents(folder), before)

    def test_meshes_of_every_region_are_inputs(self):
        shape = 'shape = {mesh = {file = "run/frames/frame_00001.ply"}}'
        thin = ('material = "wool-yarn"\nthin = {knit = {center = [0, 9, 0], around = '
                '{mesh = {file = "run/frames/frame_00001.ply"}}}}')
        regions = {"grip": "[[grips]]\n" + shape, "sink": "[[sinks]]\n" + shape,
                   "collider": "[[colliders]]\n" + shape,
                   "body": '[[bodies]]\nmaterial = "jelly"\n' + shape,
                   "knit": "[[bodies]]\n" + thin}
        mesh = self.here / "run/frames/frame_00001.ply"
        mesh.parent.mkdir(parents=True)
        for region, text in regions.items():
            mesh.write_bytes(TETRAHEDRON)
            self.scene.write_text(QUICK + "\n" + text)
            done = self.run_scene("run", "--overwrite", code=2)
            self.assertIn("would replace", done.stderr, region)
            self.assertEqual(mesh.read_bytes(), TETRAHEDRON)

    def test_a_mesh_of_a_region_that_changed_since_is_not_resumed(self):
        mesh = self.here / "drain.ply"
        mesh.write_bytes(TETRAHEDRON)
        self.scene.write_text(QUICK + '\n[[sinks]]\nshape = {mesh = {file = "drain.ply"}, '
                              'translate = [3, 0, 0]}\n')
        self.run_scene("run", "--frames", 1)
        mesh.write_bytes(TETRAHEDRON.replace(b"0 0 1\n", b"0 0 2\n"))
        self.run_scene("run", "--resume", code=2)

    def test_a_scene_of_ones_own_is_not_taken_for_a_run(self):
        folder = self.here / "p"
        folder.mkdir()
        (folder / "scene.toml").write_text("# by hand\n" + QUICK.replace('"small"', '"mine"'))
        before = contents(folder)
        for words in (["--resume"], []):
            done = knead("run", self.scene, "--out", folder, *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--overwrite", done.stderr)
            self.assertEqual(contents(folder), before)

    def test_a_link_at_a_runs_name_keeps_what_it_leads_to(self):
        target = self.here / "target"
        target.write_text("mine")
        folder = self.here / "run"
        (folder / "frames").mkdir(parents=True)
        for name in ("stats.csv", "run.json", "scene.toml", "frames/frame_00001.ply"):
            (folder / name).symlink_to(target)
        self.run_scene("run", code=2)
        self.run_scene("run", "--overwrite")
        self.assertEqual(target.read_text(), "mine")
        self.assertEqual(len((folder / "stats.csv").read_text().splitlines()), 6)
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / ".lock").symlink_to(self.here / "nowhere")
        self.run_scene("run", code=1)
        self.assertFalse((self.here / "nowhere").exists())

    def test_a_wrong_scene_leaves_no_folder_behind(self):
        # its body is outside of nothing: only building it shows that it is empty
        self.scene.write_text(QUICK.replace("radius = 0.14", "radius = 1e-7"))
        done = knead("run", self.scene, "--out", self.here / "a/b/c")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.here / "a").exists())


class Resume(Quick):
    def test_frames_without_a_checkpoint_are_not_deleted(self):
        self.run_scene("run")
        for file in (self.here / "run/checkpoints").iterdir():
            file.unlink()
        before = contents(self.here / "run")
        for words in (["--resume"], ["--resume", "--frames", 9]):
            done = self.run_scene("run", *words, code=2)
            self.assertIn("--overwrite", done.stderr)
            self.assertEqual(contents(self.here / "run"), before)
        self.run_scene("run", "--overwrite")

    def test_files_that_no_run_wrote_are_not_taken_for_one(self):
        mine = self.foreign(self.here / "run", ["frames/frame_00000.ply"])
        self.run_scene("run", "--resume", code=2)
        self.run_scene("run", code=2)
        self.assert_kept(self.here / "run", mine)

    def test_missing_frames_and_rows_are_noticed(self):
        self.run_scene("whole")
        self.run_scene("hurt")
        hurt = self.here / "hurt"
        rows = (hurt / "stats.csv").read_text().splitlines(keepends=True)

        def refused():
            before = contents(hurt)
            done = knead("run", hurt, "--resume", "--frames", 6)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("missing", done.stderr)
            self.assertIn("--overwrite", done.stderr)
            self.assertEqual(contents(hurt), before)

        for number in (0, 1, 2):
            frame = hurt / f"frames/frame_{number:05}.ply"
            kept = frame.read_bytes()
            frame.unlink()
            refused()
            for size in (0, len(kept) // 2, len(kept) - 1):
                frame.write_bytes(kept[:size])
                refused()
            frame.write_bytes(kept)
            (hurt / "stats.csv").write_text("".join(rows[:number + 1] + rows[number + 2:]))
            refused()
            spoilt = rows[number + 1].replace(".", "x", 1)
            (hurt / "stats.csv").write_text("".join(rows[:number + 1] + [spoilt] +
                                                    rows[number + 2:]))
            refused()
        (hurt / "stats.csv").unlink()
        refused()

    def test_what_the_checkpoint_before_the_last_still_leads_to_is_made_again(self):
        self.run_scene("whole")
        for part in ("stats.csv", "frames/frame_00004.ply"):
            self.run_scene("hurt", "--overwrite")
            file = self.here / "hurt" / part
            if part == "stats.csv":
                file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
            else:
                file.unlink()
            done = self.resume("hurt")
            self.assertIn("frame 4", done.stderr)
            self.assert_same_run("whole", "hurt", frames=4)

    def test_an_overwrite_that_was_stopped_half_way_can_be_gone_on_with(self):
        self.run_scene("whole", "--set", "gravity=[0, -3, 0]")
        self.run_scene("run")
        run = self.here / "run"
        # as if it had been killed after the first file was cleared away
        shutil.copy(self.here / "whole/scene.toml", run / "scene.toml")
        report = (run / "run.json").read_text()
        (run / "run.json").write_text(report.replace('"finished"', '"starting"'))
        for file in (run / "checkpoints").iterdir():
            file.unlink()
        done = knead("run", self.scene, "--out", run, "--resume", "--set", "gravity=[0, -3, 0]")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_run("whole", "run", frames=4)


class TwoAtOnce(Quick):
    def test_a_second_run_never_clears_the_first(self):
        whole = self.run_scene("whole") and contents(self.here / "whole/frames")
        for words in ([], ["--resume"], ["--overwrite"]):
            with self.subTest(words=words):
                both = [subprocess.Popen(command("run", self.scene, "--out", self.here / "shared",
                                                 *words), stderr=subprocess.PIPE, text=True,
                                         stdout=subprocess.DEVNULL) for _ in range(4)]
                said = [p.communicate(timeout=60)[1] for p in both]
                codes = sorted(p.returncode for p in both)
                self.assertEqual(codes[0], 0, said)
                self.assertTrue(set(codes) <= {0, 1, 2}, said)
                self.assertEqual(contents(self.here / "shared/frames"), whole)
                if not words:
                    self.assertEqual(codes.count(0), 1, said)
                shutil.rmtree(self.here / "shared")

    def test_the_check_holds_when_the_first_ends_before_the_second_is_built(self):
        # the second still builds its scene while the first runs from start to end
        slow = self.here / "slow.toml"
        slow.write_text(QUICK.replace("dx = 0.1", "dx = 0.02").replace("frames = 4", "frames = 1"))
        second = subprocess.Popen(command("run", slow, "--out", self.here / "shared"),
                                  stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)
        first = knead("run", self.scene, "--out", self.here / "shared")
        said = second.communicate(timeout=60)[1]
        self.assertEqual({first.returncode == 0, second.returncode == 0}, {True, False}, said)

    def test_parallel_commands_of_one_run_neither_fail_nor_mix(self):
        self.run_scene("run")
        run = self.here / "run"
        words = [["surface", run], ["render", run, "--mode", "points", "--width", 32, "--height",
                                    24, "--samples", 1],
                 *[["export", run, "--format", f] for f in ("ply", "vdb", "gltf", "vtk")]]
        for line in words:
            self.assertEqual(knead(*line).returncode, 0)
        once = contents(run)
        processes = [subprocess.Popen(command(*line), stderr=subprocess.PIPE, text=True,
                                      stdout=subprocess.DEVNULL) for line in words * 2]
        for process in processes:
            said = process.communicate(timeout=120)[1]
            self.assertEqual(process.returncode, 0, said)
        self.assertEqual(contents(run), once)


class FullDisk(Quick):
    """Every command that writes, with every limit on file size up to what it needs."""

    def writers(self, run):
        yield "export", [["export", run, "--format", f, "--what", w]
                         for f in ("ply", "vdb", "gltf", "vtk") for w in ("points", "surface")]
        yield "pictures", [["render", run, "--mode", "points", "--width", 64, "--height", 48,
                            "--samples", 1]]
        yield "surface", [["surface", run]]

    def test_what_is_there_under_its_name_is_whole(self):
        self.run_scene("run", "--frames", 2)
        run = self.here / "run"
        for folder, lines in self.writers(run):
            for line in lines:
                shutil.rmtree(run / folder, ignore_errors=True)
                self.assertEqual(knead(*line).returncode, 0)
                whole = contents(run / folder)
                largest = max(map(len, whole.values()))
                for limit in (0, 1, largest // 3, largest - 1):
                    shutil.rmtree(run / folder)
                    done = knead(*line, preexec_fn=lambda: resource.setrlimit(
                        resource.RLIMIT_FSIZE, (limit, limit)))
                    self.assertEqual(done.returncode, 1, (line, limit, done.stderr))
                    self.assertIn("cannot be", done.stderr)
                    for name, data in contents(run / folder).items():
                        self.assertEqual(data, whole[name], (line, limit, name))
                self.assertEqual(knead(*line).returncode, 0)
                self.assertEqual(contents(run / folder), whole)
        self.assertEqual(leftovers(self.here), [])

    def test_the_rheometer_is_as_careful(self):
        csv = self.here / "a.csv"
        words = ["rheometer", "clay", "--csv", csv, "--plot", self.here / "a.svg"]
        self.assertEqual(knead(*words).returncode, 0)
        before = csv.read_bytes()
        done = knead(*words, "--rates", "1,2,3,4,5,6,7,8", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (40, 40)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(csv.read_bytes(), before)
        self.assertEqual(leftovers(self.here), [])
        self.assertEqual(knead(*words[:2], "--csv", "/dev/full").returncode, 1)
        self.assertEqual(knead(*words[:2], "--csv", "/dev/null", "--plot", "/dev/null").returncode,
                         0)
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_links_at_other_programs_temporary_names_are_left_alone(self):
        self.run_scene("run", "--frames", 1)
        target = self.here / "target"
        target.write_text("mine")
        out = self.here / "run/export/vdb"
        out.mkdir(parents=True)
        names = ["points_00000.vdb.part", "points_00000.vdb.draft.vdb", "points_00001.vdb",
                 ".knead-host-1-0.part"]
        for name in names:
            (out / name).symlink_to(target)
        self.assertEqual(knead("export", self.here / "run", "--format", "vdb").returncode, 0)
        self.assertEqual(target.read_text(), "mine")
        self.assertTrue((out / names[0]).is_symlink())
        self.assertFalse((out / names[2]).is_symlink())

    def test_what_a_killed_command_left_goes_and_what_is_being_written_stays(self):
        self.run_scene("run", "--frames", 1)
        out = self.here / "run/surface"
        out.mkdir()
        (out / ".knead-host-123-0.part").write_text("half")
        with open(out / ".knead-host-124-0.part", "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.assertEqual(knead("surface", self.here / "run").returncode, 0)
            self.assertEqual([p.name for p in out.glob(".knead*")], [".knead-host-124-0.part"])


class Signals(KneadTest):
    def start(self, **options):
        self.process = subprocess.Popen(
            command("run", self.scene, "--out", self.here / "run", "--overwrite", "--json"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        for _ in range(3):
            self.process.stdout.readline()
        return self.process

    def assert_stopped_and_resumes(self, said):
        self.assertEqual(self.process.returncode, 75, said)
        self.assertIn("--resume", said)
        self.assertIn('"stopped"', (self.here / "run/run.json").read_text())
        self.resume("run")
        self.assert_same_run("whole", "run")

    def test_every_polite_signal_leaves_a_checkpoint(self):
        self.scene.write_text(SCENE.replace("checkpoint_seconds = 0", "checkpoint_seconds = 1000"))
        self.run_scene("whole")
        for what in (signal.SIGHUP, signal.SIGXCPU, signal.SIGTERM, signal.SIGINT):
            process = self.start()
            process.send_signal(what)
            if what == signal.SIGHUP:  # a terminal that closes may say so more than once
                process.send_signal(what)
            self.assert_stopped_and_resumes(process.communicate(timeout=60)[1])

    def test_a_reader_that_leaves_ends_the_run_with_a_checkpoint(self):
        self.scene.write_text(SCENE.replace("checkpoint_seconds = 0", "checkpoint_seconds = 1000"))
        self.run_scene("whole")
        process = self.start()
        process.stdout.close()
        with process.stderr:
            said = process.stderr.read()
        process.wait(60)
        self.assert_stopped_and_resumes(said)

    def test_nohup_is_respected(self):
        self.run_scene("whole")
        process = self.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assert_same_run("whole", "run")

    def test_a_terminated_export_leaves_nothing_half_written(self):
        self.run_scene("run", "--frames", 6)
        for moment in (0.05, 0.1, 0.2):
            process = subprocess.Popen(command("export", self.here / "run", "--format", "vdb"),
                                       stdout=subprocess.DEVNULL)
            time.sleep(moment)
            process.terminate()
            process.wait(60)
            self.assertEqual(leftovers(self.here), [])


class Streams(Quick):
    def test_a_full_device_is_an_error_for_every_command(self):
        self.run_scene("run", "--frames", 1)
        run = self.here / "run"
        for line in (["stats", run], ["stats", run, "--csv"], ["stats", run, "--json"],
                     ["info", run], ["info", self.scene], ["check", self.scene],
                     ["check", "--keys"], ["materials"], ["materials", "clay"], ["help"],
                     ["--version"], ["run", "--help"], ["doctor"], ["completion", "bash"],
                     ["rheometer", "clay", "--json"], ["surface", run],
                     ["export", run, "--format", "ply"],
                     ["render", run, "--width", 16, "--height", 16, "--samples", 1],
                     ["run", self.scene, "--out", run, "--overwrite"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run(command(*line), stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=60, cwd=self.here)
            self.assertEqual(done.returncode, 1, line)
            self.assertIn("No space left on device", done.stderr, line)
        # The run itself went on to its end.
        self.assertIn('"finished"', (run / "run.json").read_text())

    def test_closed_streams_land_in_no_file(self):
        for closed in ((1,), (0, 1), (0, 1, 2), (2,)):
            def shut():
                for number in closed:
                    os.close(number)
            folder = self.here / f"run{len(closed)}{closed[0]}"
            done = subprocess.run(command("run", self.scene, "--out", folder), preexec_fn=shut,
                                  timeout=60, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex((folder / ".lock").read_text(), r"\Aprocess \d+ on .*\n\Z")
            self.run_scene("whole", "--overwrite")
            self.assert_same_run("whole", folder.name, frames=4)

    def test_a_full_error_stream_does_not_end_a_run(self):
        self.run_scene("whole")
        self.run_scene("run", "--frames", 3)
        newest = sorted((self.here / "run/checkpoints").iterdir())[-1]
        newest.write_bytes(newest.read_bytes()[:-10])  # worth a warning
        with open("/dev/full", "w") as full:
            done = subprocess.run(command("run", self.here / "run", "--resume", "--frames", 4),
                                  stderr=full, stdout=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assert_same_run("whole", "run", frames=4)


class Memory(Quick):
    def test_running_out_of_memory_is_reported_and_overcome(self):
        self.scene.write_text(support.SCENE.replace("frames = 16", "frames = 400")
                              .replace("checkpoint_seconds = 0", "checkpoint_seconds = 1000"))
        process = subprocess.Popen(
            command("run", self.scene, "--out", self.here / "run", "--json", "--threads", 1),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4):
            process.stdout.readline()
        # what it holds by now is all it gets
        held = int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[0])
        limit = (held - 20) * resource.getpagesize()
        resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, limit))
        said = process.communicate(timeout=120)[1]
        if process.returncode == 0:
            self.skipTest("it never asked for more memory")
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("out of memory", said)
        self.assertIn("--resume", said)
        self.assertIn('"failed"', (self.here / "run/run.json").read_text())
        self.resume("run", "--frames", 16)


if __name__ == "__main__":
    support.main()
