#!/usr/bin/env python3
"""A run whose process is gone is called that; a checkpoint that cannot be, though its checksum is
right, costs no more than the frames since the one before: killed_and_forged.py KNEAD."""
import random
import re
import signal
import struct
import subprocess
import time

import support
from support import SCENE, KneadTest, command, knead

QUICK = SCENE.replace("frames = 16", "frames = 4").replace("dx = 0.05", "dx = 0.1")
PAGE = 512
ALL = (1 << 64) - 1


def mixed(z):
    z = (z + 0x9e3779b97f4a7c15) & ALL
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & ALL
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & ALL
    return z ^ (z >> 31)


def hash_of(data):
    value = 0
    for at in range(0, len(data), 8):
        value = mixed(value ^ int.from_bytes(data[at:at + 8], "little"))
    return mixed(value ^ len(data))


def sealed(data):
    """The checkpoint with the checksum of what it holds."""
    payload = data[PAGE:]
    lines = re.sub(rb"hash [0-9a-f]+\s*\Z", b"", data[:PAGE])
    lines += b"hash %016x\n" % (hash_of(payload) ^ hash_of(lines))
    return lines.ljust(PAGE - 1) + b"\n" + payload


class Killed(KneadTest):
    def held_while_it_runs(self, process):
        """What is said of a run that is held still, lest it be done before it is looked at."""
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            said = knead("info", self.here / "run").stdout
            if "status" in said:
                return said
            process.send_signal(signal.SIGCONT)  # it has not said so yet
            time.sleep(0.005)
        self.fail("the run was over")

    def test_info_and_resume_say_that_the_process_is_gone(self):
        self.scene.write_text(SCENE)
        self.run_scene("whole")
        for frames_before in (0, 1, 3):
            process = subprocess.Popen(
                command("run", self.scene, "--out", self.here / "run", "--overwrite", "--json"),
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for _ in range(frames_before + 1):
                process.stdout.readline()
            said = self.held_while_it_runs(process)
            self.assertRegex(said, rf"status +running, process {process.pid} on ")
            refused = knead("run", self.scene, "--out", self.here / "run", "--resume")
            self.assertIn(f"process {process.pid} on ", refused.stderr)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
            said = knead("info", self.here / "run").stdout
            self.assertRegex(said, r"status +killed.*--resume")
            done = self.resume("run")
            self.assertIn("was killed", done.stderr)
            self.assertRegex(knead("info", self.here / "run").stdout, r"status +finished")
            self.assert_same_run("whole", "run")

    def test_looking_at_a_run_never_keeps_another_from_starting(self):
        self.scene.write_text(QUICK)
        for _ in range(5):
            runner = subprocess.Popen(
                command("run", self.scene, "--out", self.here / "run", "--overwrite", "--quiet"))
            while runner.poll() is None:
                knead("info", self.here / "run")
                time.sleep(0.01)
            self.assertEqual(runner.returncode, 0)


class Forged(KneadTest):
    def setUp(self):
        super().setUp()
        self.scene.write_text(QUICK)
        self.run_scene("whole", "--frames", 5)
        self.run_scene("run")
        self.files = sorted((self.here / "run/checkpoints").iterdir())
        self.newest = self.files[-1].read_bytes()
        self.assertEqual(sealed(self.newest), self.newest)

    def resume_with(self, data):
        """True where the newest checkpoint was passed over; either way the run is whole."""
        self.run_scene("run", "--overwrite")
        self.files[-1].write_bytes(sealed(data))
        done = self.resume("run", "--frames", 5)
        self.assert_same_run("whole", "run", frames=5)
        return self.files[-1].name in done.stderr

    def test_the_checkpoint_before_is_taken_in_its_place(self):
        particles = int(re.search(rb"particles (\d+)", self.newest).group(1))
        self.assertGreater(particles, 100)
        # numbers that no column may hold, whichever stands there
        found = 0
        wild = struct.pack("<f", float("nan")) * 80
        for place in range(PAGE + 1024, len(self.newest) - 1024, len(self.newest) // 9):
            place -= place % 8
            found += self.resume_with(self.newest[:place] + wild +
                                      self.newest[place + len(wild):])
        self.assertGreater(found, 1)
        # a page that says another frame than the state, and a payload that is none
        self.assertTrue(self.resume_with(self.newest.replace(b"\nframe 4\n", b"\nframe 3\n", 1)))
        self.assertTrue(self.resume_with(self.newest[:PAGE] + bytes(len(self.newest) - PAGE)))

    def test_no_contents_crash_or_stop_it_where_an_older_one_is_there(self):
        draw = random.Random(11)
        for _ in range(12):
            data = bytearray(self.newest)
            for _ in range(draw.choice((1, 6, 60))):
                at = draw.randrange(PAGE, len(data))
                data[at] = draw.randrange(256)
            self.files[-1].write_bytes(sealed(bytes(data)))
            done = knead("run", self.here / "run", "--resume", "--frames", 4)
            self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: numbers as wild as they are
            if done.returncode == 0 and self.files[-1].name in done.stderr:
                self.assertIn("warning", done.stderr)
            self.run_scene("run", "--overwrite")

    def test_where_none_is_left_the_run_stops_with_all_of_them_named(self):
        for file in self.files:
            file.write_bytes(sealed(file.read_bytes()[:PAGE] + b"x" * 5000))
        self.run_files = [f.read_bytes() for f in self.files]
        done = knead("run", self.here / "run", "--resume", "--frames", 5)
        self.assertEqual(done.returncode, 2, done.stderr)
        for file in self.files:
            self.assertIn(file.name, done.stderr)
        self.assertIn("--overwrite", done.stderr)
        self.assertEqual([f.read_bytes() for f in self.files], self.run_files)


if __name__ == "__main__":
    support.main()
