#!/usr/bin/env python3
"""The program as it is built where there is no CUDA compiler: without_gpu.py build/knead-without-gpu"""
import support
from support import KneadTest, knead


class WithoutGpu(KneadTest):
    def test_the_processor_does_all_and_the_gpu_is_said_to_be_missing(self):
        self.assertNotIn("cpu, cuda", knead("doctor").stdout)
        done = self.run_scene("run", "--frames", 1, "--backend", "cuda", code=2)
        self.assertRegex(done.stderr, "there is no GPU to run on: .*without CUDA")
        self.assertFalse((self.here / "run").exists())
        self.run_scene("run", "--frames", 1)


if __name__ == "__main__":
    support.main()
