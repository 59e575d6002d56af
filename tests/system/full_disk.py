#!/usr/bin/env python3
"""A full disk stops a run with a clear word and costs nothing but time: full_disk.py KNEAD.

Where a small file system can be mounted, it is one; elsewhere a limit on file size makes the same
system calls fail.
"""
import os
import pathlib
import resource
import subprocess

import support
from support import KneadTest, knead


def mount(folder, size):
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
                          capture_output=True)
    return done.returncode == 0


class FullDisk(KneadTest):
    def assert_recovers(self, folder):
        leftovers = [str(p) for p in (self.here / folder).rglob("*.part")]
        self.assertEqual(leftovers, [])

    def test_a_limit_on_file_size_is_reported_and_overcome(self):
        self.run_scene("whole")
        self.run_scene("full", "--frames", 5)

        def no_large_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        done = knead("run", self.here / "full", "--resume", "--frames", 16,
                     preexec_fn=no_large_files)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for word in ("File too large", "checkpoint is frame 5", "--resume"):
            self.assertIn(word, done.stderr)
        self.assert_recovers("full")
        self.resume("full", "--frames", 16)
        self.assert_same_run("whole", "full")

    def test_a_full_file_system_is_reported_and_overcome(self):
        small = self.here / "small"
        if os.geteuid() != 0 or not mount(small, "1m"):
            self.skipTest("no permission to mount a small file system")
        try:
            self.run_scene("whole")
            done = self.run_scene("small/run", code=1)
            self.assertIn("No space left on device", done.stderr)
            self.assertIn("--resume", done.stderr)
            self.assert_recovers("small/run")
            subprocess.run(["mount", "-o", "remount,size=64m", str(small)], check=True)
            done = knead("run", self.scene, "--out", small / "run", "--resume")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same_run("whole", pathlib.Path("small/run"))
        finally:
            subprocess.run(["umount", str(small)], check=False)

    def test_a_folder_that_cannot_be_written_is_named(self):
        done = knead("run", self.scene, "--out", "/proc/knead", "--frames", 1)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("/proc/knead", done.stderr)


if __name__ == "__main__":
    support.main()
