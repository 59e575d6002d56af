"""Runs in this process: frames, columns, folders, callbacks, threads, Ctrl-C."""
import gc
import json
import signal
import subprocess
import sys
import threading
import time
import warnings

import knead
import numpy as np
import pytest
from conftest import PACKAGE, PROGRAM


def falling(values, **changes):
    return knead.Sim(values, set=changes or None)


def test_a_free_fall_is_one(values):
    sim = falling(values)
    times, heights = [], []
    for frame in sim.frames():
        times.append(frame.time)
        heights.append(frame.stats["centre_of_mass"][1])
    # h = h0 - g t^2 / 2; symplectic Euler is late by g t dt / 2
    assert len(times) == 6
    assert np.allclose(heights, 0.3 - 9.81 / 2 * np.square(times), atol=9.81 * times[-1] * sim.dt)


def test_frames_are_those_of_the_command(ball, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    knead.Sim(ball, out=ours).run()
    subprocess.run([PROGRAM, "run", ball, "--out", theirs, "--quiet"], check=True)
    a, b = knead.open(ours), knead.open(theirs)
    assert len(a.frames) == len(b.frames) == 7
    for left, right in zip(a.frames, b.frames):
        with open(left.file, "rb") as l, open(right.file, "rb") as r:
            assert l.read() == r.read()
    assert np.array_equal(a.stats["kinetic_energy"], b.stats["kinetic_energy"])
    assert a.status == "finished" and "scripted" not in a.report


def test_without_a_folder_nothing_is_written_and_the_numbers_are_the_same(ball, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    frames = list(knead.Sim(ball).frames(2))
    assert sorted(tmp_path.rglob("*")) == before
    knead.Sim(ball, out="kept").run(2)
    kept = knead.open("kept")
    for frame in frames:
        there = kept.frames[frame.number]
        for name in frame.columns:
            assert np.array_equal(frame[name], there[name]), name
        assert frame.stats["kinetic_energy"] == there.stats["kinetic_energy"]


def test_columns_are_copies_in_the_order_of_ids(ball):
    sim = knead.Sim(ball)
    sim.step()
    assert np.array_equal(sim["id"], np.arange(len(sim)))
    x = sim["x"]
    assert x.shape == (len(sim), 3) and x.dtype == np.float64
    assert sim["stress"].shape == (len(sim), 3, 3)
    assert np.array_equal(sim["stress"], sim["stress"].transpose(0, 2, 1))
    x[:] = 0
    assert sim["x"].any()
    with pytest.raises(KeyError, match="mass"):
        sim["mas"]


def test_steps_and_frames_go_on_from_one_another(ball):
    whole = list(knead.Sim(ball).frames(4))[-1]
    sim = knead.Sim(ball)
    assert sim.step() > 0 and sim.substeps == 1
    pieces = list(sim.frames(2)) + list(sim.frames(2))
    assert [f.number for f in pieces] == [1, 2, 3, 4]
    assert np.array_equal(pieces[-1]["x"], whole["x"])


def test_velocities_are_set_by_whole_arrays(values):
    sim = falling(values, gravity=[0, 0, 0])
    v = np.zeros((len(sim), 3))
    v[:, 0] = 2
    sim["v"] = v
    assert np.array_equal(sim["v"], v)
    list(sim.frames(3))
    assert sim.stats["centre_of_mass"][0] == pytest.approx(2 * sim.time, rel=1e-5)


def test_a_force_acts_until_it_ends(values):
    sim = falling(values, gravity=[0, 0, 0])
    mass = sim["mass"]
    sim["force"] = np.outer(mass, [0, 0, 3])  # 3 m/s2
    list(sim.frames(3))
    end = sim.time
    assert sim.stats["momentum"][2] == pytest.approx(3 * end * mass.sum(), rel=1e-4)
    sim["force"] = None
    list(sim.frames(3))
    assert sim.stats["momentum"][2] == pytest.approx(3 * end * mass.sum(), rel=1e-4)


def test_cloth_takes_forces_and_velocities_whole():
    sim = knead.Sim({"solver": {"dx": 0.04}, "gravity": [0, 0, 0], "time": {"frames": 2},
                     "bodies": [{"material": "cotton", "thin": {"sheet": {"corner": [0, 0, 0], "along": [0.4, 0, 0],
                                                                 "across": [0, 0, 0.4]}}}]})
    total = sim.stats["mass"]
    sim["v"] = np.tile([1.0, 0, 0], (len(sim), 1))
    assert sim.stats["momentum"][0] == pytest.approx(total, rel=1e-5)
    sim["force"] = np.tile([0, 1.0, 0], (len(sim), 1))
    list(sim.frames(1))
    assert sim.stats["momentum"][1] == pytest.approx(len(sim) * sim.time, rel=1e-3)


@pytest.mark.parametrize("bad, kind", [
    (np.zeros((3, 3)), ValueError), (np.zeros(30), ValueError), ("fast", TypeError),
    (np.zeros((1, 3), complex), TypeError), (np.array([[0, 0, np.nan]]), ValueError), ([[1], [1, 2]], ValueError)])
def test_a_wrong_array_changes_nothing(ball, bad, kind):
    sim = knead.Sim(ball)
    if isinstance(bad, np.ndarray) and len(bad) == 1:
        bad = np.repeat(bad, len(sim), axis=0)
    before = sim["v"]
    for name in ("v", "force"):
        with pytest.raises(kind):
            sim[name] = bad
    assert np.array_equal(sim["v"], before) and not sim["force"].any()
    with pytest.raises(KeyError, match="cannot be set"):
        sim["mass"] = before


def test_a_scripted_run_says_so_and_goes_on_saying_so(ball, tmp_path):
    out = tmp_path / "run"
    with knead.Sim(ball, out=out) as sim:
        list(sim.frames(1))
        assert len(knead.open(out).frames) == 2
        sim["v"] = -sim["v"]
        list(sim.frames(1))
    run = knead.open(out)
    assert run.report["scripted"] is True and run.status == "stopped"
    # frame 1 is as it was before it was turned round
    assert run.frames[1]["v"][:, 1].mean() < 0 < run.frames[2]["v"][:, 1].mean()
    subprocess.run([PROGRAM, "run", out, "--resume", "--quiet"], check=True)
    assert run.report["scripted"] is True and run.status == "finished"


def test_a_run_in_a_folder_is_gone_on_with_or_replaced(ball, tmp_path):
    out = tmp_path / "run"
    knead.Sim(ball, out=out).run(2)
    with pytest.raises(knead.InputError, match="already"):
        knead.Sim(ball, out=out)
    sim = knead.Sim(ball, out=out, resume=True)
    assert sim.frame == 2
    sim.run()
    whole = tmp_path / "whole"
    knead.Sim(ball, out=whole).run()
    assert (out / "frames/frame_00006.ply").read_bytes() == (whole / "frames/frame_00006.ply").read_bytes()
    del sim
    assert knead.Sim(ball, out=out, overwrite=True).frame == 0


def test_callbacks_see_every_substep_and_may_change_velocities(ball):
    sim = knead.Sim(ball)
    seen, frames = [], []

    def slow_down(s):
        assert s is sim
        seen.append(s.time)
        s["v"] = 0.5 * s["v"]

    sim.run(2, on_frame=frames.append, on_substep=slow_down)
    assert len(seen) == sim.substeps and seen == sorted(seen)
    assert [f.number for f in frames] == [1, 2]
    assert sim.stats["max_speed"] < 0.2


def test_an_exception_in_a_callback_comes_out_and_the_sim_goes_on(ball):
    sim = knead.Sim(ball)

    def fail(_):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        sim.run(1, on_substep=fail)
    sim.run(1)
    assert sim.frame == 1


def test_a_callback_cannot_step_its_own_sim(ball):
    sim = knead.Sim(ball)
    with pytest.raises(RuntimeError, match="callback"):
        sim.run(1, on_substep=lambda s: s.step())


def test_two_sims_in_two_threads_give_what_each_gives_alone(ball):
    alone = [list(knead.Sim(ball, set={"solver.dx": dx}).frames(3))[-1]["x"] for dx in (0.04, 0.03)]
    together = {}

    def work(k, dx):
        together[k] = list(knead.Sim(ball, set={"solver.dx": dx}, threads=1 + k).frames(3))[-1]["x"]

    threads = [threading.Thread(target=work, args=a) for a in enumerate((0.04, 0.03))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, x in enumerate(alone):
        assert np.array_equal(together[k], x)


def test_the_lock_is_free_while_knead_works(ball):
    sim = knead.Sim(ball, set={"solver.dx": 0.02})
    counted, done = 0, threading.Event()
    thread = threading.Thread(target=lambda: (sim.run(2), done.set()))
    thread.start()
    while not done.wait(0.0005):
        counted += 1
        if counted == 5 and not done.is_set():
            try:
                sim.step()
            except RuntimeError as error:
                assert "thread" in str(error) or "stepped already" in str(error)
    thread.join()
    assert counted > 5 and sim.frame >= 2


def test_ctrl_c_stops_cleanly_and_the_run_goes_on_to_the_same_bytes(ball, tmp_path):
    out = tmp_path / "run"
    sim = knead.Sim(ball, out=out)

    def interrupt(s):
        if s.substeps == 25:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sim.run(on_substep=interrupt)
        time.sleep(0)
    assert knead.open(out).status == "stopped"
    sim.close()
    subprocess.run([PROGRAM, "run", out, "--resume", "--quiet"], check=True)
    whole = tmp_path / "whole"
    knead.Sim(ball, out=whole).run()
    assert (out / "frames/frame_00006.ply").read_bytes() == (whole / "frames/frame_00006.ply").read_bytes()


def test_ctrl_c_reaches_a_run_without_callbacks(tmp_path, ball):
    script = ("import sys, knead\n"
              "sim = knead.Sim(sys.argv[1], set={'solver.dx': 0.015}, out=sys.argv[2])\n"
              "print('on', flush=True)\n"
              "sim.run(100000)\n")
    out = tmp_path / "run"
    child = subprocess.Popen([sys.executable, "-c", script, ball, out], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, env={"PYTHONPATH": str(PACKAGE)})
    assert child.stdout.readline() == "on\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert json.loads((out / "run.json").read_text())["status"] == "stopped"


def test_a_failing_run_is_a_run_error_and_stays_one(values):
    sim = falling(values, **{"time.min_dt": 1e-4, "time.max_dt": 5e-4})
    v = sim["v"]
    v[:, 0] = 1e4  # needs steps below the least
    sim["v"] = v
    with pytest.raises(knead.RunError, match="time.min_dt"):
        sim.step()
    with pytest.raises(knead.RunError, match="has failed before"):
        sim.step()


def test_a_closed_sim_can_be_read_and_leaves_its_folder_to_others(ball, tmp_path):
    out = tmp_path / "run"
    with knead.Sim(ball, out=out) as sim:
        sim.step()
        with pytest.raises(knead.RunError, match="another run"):
            knead.Sim(ball, out=out, resume=True)
    assert sim["x"].shape == (len(sim), 3)
    with pytest.raises(ValueError, match="closed"):
        sim.step()
    sim.close()
    assert knead.Sim(ball, out=out, resume=True).substeps == 1


def test_arguments_that_make_no_sense_are_refused(ball, tmp_path):
    for bad in ({"threads": -1}, {"resume": True}, {"out": ""},
                {"out": tmp_path / "a", "resume": True, "overwrite": True}):
        with pytest.raises(ValueError):
            knead.Sim(ball, **bad)
    with pytest.raises(ValueError, match="negative"):
        knead.Sim(ball).frames(-1)
    with pytest.raises(ValueError, match="read already"):
        knead.Sim(knead.Scene(ball), set={"solver.dx": 1})


def test_a_sim_that_is_dropped_leaves_a_run_that_goes_on(ball, tmp_path):
    out = tmp_path / "run"
    sim = knead.Sim(ball, out=out)
    for _ in range(30):
        sim.step()
    del sim
    gc.collect()
    assert knead.open(out).status == "stopped"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = knead.Sim(ball, out=out, resume=True)
    assert sim.substeps == 30
