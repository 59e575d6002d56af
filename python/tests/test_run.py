"""Runs on disk, surfaces and pictures, the rheometer."""
import knead
import numpy as np
import pytest


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    from conftest import BALL
    out = tmp_path_factory.mktemp("run") / "ball"
    knead.Sim(knead.Scene.from_text(BALL), out=out).run(3)
    return knead.open(out)


def test_a_run_has_frames_statistics_and_its_scene(run):
    assert len(run.frames) == 4 and run.frames[-1].number == 3
    frame = run.frames[2]
    assert frame["x"].shape == frame["v"].shape == (len(frame), 3)
    assert frame["mass"].sum() == pytest.approx(frame.stats["mass"], rel=1e-5)
    assert {"x", "v", "id", "body", "mass"} <= set(frame.columns) and "y" not in frame.columns
    assert [f.number for f in run.frames[1:3]] == [1, 2]
    assert np.allclose(run.stats["time"], np.arange(4) / 60)
    assert run.stats["momentum"].shape == (4, 3)
    assert run.scene.title == "A jelly ball"
    assert run.report["particles"] == len(frame)
    for name in ("y", "vx", "nothing"):
        with pytest.raises(KeyError):
            frame[name]
    with pytest.raises(IndexError, match="4 frames"):
        run.frames[4]


def test_no_run_is_an_input_error(tmp_path):
    with pytest.raises(knead.InputError, match="no run in this folder") as caught:
        knead.open(tmp_path)
    assert caught.value.place == str(tmp_path) and "knead.Sim" in caught.value.remedy


def test_a_surface_is_closed_and_has_the_balls_volume(run, tmp_path):
    surface = knead.surface(run.frames[0], columns=["mass"])
    x, faces = surface.positions, surface.faces
    a, b, c = (x[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", np.cross(a, b), c) / 6
    assert volume == pytest.approx(4 / 3 * np.pi * 0.12 ** 3, rel=0.1)
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    assert len(surface["vy"]) == len(surface["mass"]) == len(x) == len(surface.normals)
    surface.save(tmp_path / "ball.ply")
    assert (tmp_path / "ball.ply").stat().st_size > 1000
    with pytest.raises(ValueError, match="smooth"):
        knead.surface(run.frames[0], smooth=-1)


def test_pictures_of_frames_on_disk_and_in_memory(run, tmp_path):
    file = tmp_path / "ball.png"
    pixels = knead.render(run.frames[2], file, width=96, height=64, samples=4)
    assert pixels.shape == (64, 96, 3) and pixels.dtype == np.uint8
    assert file.read_bytes().startswith(b"\x89PNG")
    assert pixels.reshape(-1, 3).std(axis=0).max() > 5, "nothing is seen"
    sim = knead.Sim(run.scene)
    frame = list(sim.frames(2))[-1]
    drawn = knead.render(frame, width=96, height=64, samples=4, color_by="speed", range=(0, 2))
    assert drawn.shape == (64, 96, 3)
    with pytest.raises(ValueError, match="no surface"):
        knead.render(run.frames[2], mode="surface")
    with pytest.raises(ValueError, match="no mode"):
        knead.render(run, mode="lines")


def test_the_rheometer_measures_presets_and_changes_of_them(tmp_path):
    curve = knead.rheometer("toothpaste", rates=[1e-2, 1, 100])
    assert curve.test == "steady-shear" and list(curve["shear_rate"]) == [1e-2, 1, 100]
    assert (np.diff(curve["shear_stress"]) > 0).all()
    assert curve.units["shear_stress"] == "Pa"
    stronger = knead.rheometer("toothpaste", rates=[1e-2],
                               set={"flow.yield_stress": 2 * curve.parameters["flow.yield_stress"]})
    assert stronger["shear_stress"][0] > 1.5 * curve["shear_stress"][0]
    for name in ("curve.svg", "curve.csv"):
        curve.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 50
    with pytest.raises(knead.InputError, match="toothpaste") as caught:
        knead.rheometer("toothpast")
    assert "did you mean" in caught.value.remedy
    with pytest.raises(knead.InputError, match="no test"):
        knead.rheometer("dough", "steady")
    with pytest.raises(knead.InputError, match="above 0"):
        knead.rheometer("dough", rates=[0])
    assert knead.materials()["dough"]["density"] > 0
    # what a preset is made of can be given back, numbers, switches and words
    for name, parameters in knead.materials().items():
        if parameters["elastic.law"] != "thin":
            knead.rheometer(name, "relaxation", duration=0.1, set=parameters)


def test_a_curve_plots_itself():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = knead.rheometer("toothpaste", rates=[0.1, 1]).plot()
    assert axes.get_xscale() == "log" and len(axes.lines) == 2
