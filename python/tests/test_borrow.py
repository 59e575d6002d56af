"""Views of the particles' memory."""
import gc

import knead
import numpy as np
import pytest


def test_planes_are_the_memory_itself(ball):
    sim = knead.Sim(ball)
    sim.step()
    with sim.borrow() as phases:
        [phase] = phases
        assert phase.material == "jelly" and phase.kind == "volume" and len(phase) == len(sim)
        x, again = phase["x"], phase["x"]
        assert len(x) == 3 and len(phase["mass"]) == 1 and len(phase["C"]) == 9
        assert all(np.shares_memory(a, b) for a, b in zip(x, again))
        order = np.argsort(phase["id"][0])
        assert np.array_equal(np.stack(x, axis=1)[order], sim["x"])
        with pytest.raises(ValueError, match="read-only"):
            x[0][0] = 1
        with pytest.raises(ValueError):
            x[0].flags.writeable = True
        with pytest.raises(KeyError, match="known|mean"):
            phase["no_such"]


def test_a_step_while_a_view_lives_is_a_buffer_error(ball):
    sim = knead.Sim(ball)
    with sim.borrow() as phases:
        with pytest.raises(BufferError):
            sim.step()
        kept = phases[0]["v"][1][::2]  # a view of a view
    with pytest.raises(BufferError, match="copy"):
        sim.step()
    with pytest.raises(BufferError):
        sim.run(1)
    before = kept.copy()
    assert sim.substeps == 0 and np.array_equal(before, kept)
    del kept
    gc.collect()
    assert sim.step() > 0
    with pytest.raises(ValueError, match="has ended"):
        phases[0]["v"]


def test_a_view_outlives_its_sim(ball):
    sim = knead.Sim(ball)
    with sim.borrow() as phases:
        x = phases[0]["x"][1]
    expected = x.copy()
    del sim, phases
    gc.collect()
    assert np.array_equal(x, expected)


def test_a_view_that_a_callback_keeps_stops_the_run(ball):
    sim, kept = knead.Sim(ball), []

    def keep(s):
        with s.borrow() as phases:
            kept.append(phases[0]["x"][0])

    with pytest.raises(BufferError):
        sim.run(1, on_substep=keep)
    assert sim.substeps == 1


def test_velocities_are_written_in_place(ball, tmp_path):
    sim = knead.Sim(ball, out=tmp_path / "run")
    sim.step()
    with sim.borrow(write=True) as phases:
        vx, vy, vz = phases[0]["v"]
        vx[:] = 0.25
        del vx, vy, vz
        with pytest.raises(ValueError):
            phases[0]["mass"][0][:] = 1
    assert (sim["v"][:, 0] == 0.25).all()
    list(sim.frames(1))
    sim.close()
    assert knead.open(tmp_path / "run").report["scripted"] is True


def test_resampling_moves_rows_and_a_new_borrow_sees_them():
    sim = knead.Sim({
        "solver": {"dx": 0.05, "resampling": True}, "time": {"frames": 8, "frame_rate": 30},
        "bodies": [{"material": "shaving-cream", "velocity": [0, -3, 0],
                    "shape": {"box": {"center": [0, 0.35, 0], "size": [0.3, 0.6, 0.3]}}}],
        "colliders": [{"shape": {"plane": {"normal": [0, 1, 0]}}, "contact": "sticky"}]})
    count, ids = len(sim), set(sim["id"])
    with sim.borrow() as phases:
        sizes = [len(p["x"][0]) for p in phases]
    assert sum(sizes) == count
    sim.run()
    assert set(sim["id"]) != ids, "nothing was inserted or merged"
    with sim.borrow() as phases:
        assert sum(len(p["x"][0]) for p in phases) == len(sim)
        everywhere = np.concatenate([p["id"][0] for p in phases])
    assert np.array_equal(np.sort(everywhere), sim["id"])
