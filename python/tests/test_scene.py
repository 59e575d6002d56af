"""Scenes from files, texts and dicts, and what is said of mistakes in them."""
import pickle

import knead
import numpy as np
import pytest


def test_a_dict_and_a_text_are_the_same_scene(values, text):
    assert knead.Scene.from_dict(values).to_toml() == knead.Scene.from_text(text).to_toml()


def test_numbers_of_numpy_and_paths_stand_for_plain_ones(values):
    plain = knead.Scene.from_dict(values).to_toml()
    values["solver"]["dx"] = np.float64(0.04)
    values["time"]["frames"] = np.int32(6)
    values["bodies"][0]["shape"]["sphere"]["center"] = np.array([0, 0.3, 0])
    assert knead.Scene.from_dict(values).to_toml() == plain


def test_set_changes_values(ball):
    scene = knead.Scene(ball, set={"solver.dx": 0.03, "bodies.ball.velocity": [0, -2, 0],
                                   "time.frames": 3, "bodies.ball.material": "dough"})
    assert scene.frames == 3
    assert "dx = 0.03" in scene.to_toml()
    assert "[0.0, -2.0, 0.0]" in scene.to_toml()


def test_a_mistake_in_a_file_has_its_line_and_a_remedy(ball):
    ball.write_text(ball.read_text().replace('"jelly"', '"jely"'))
    with pytest.raises(knead.InputError) as caught:
        knead.Scene(ball)
    error = caught.value
    assert error.place.startswith(f"{ball}:10:")
    assert "jelly" in error.remedy
    assert error.mistakes[0].line == 10
    assert isinstance(error, (ValueError, knead.Error))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_mistakes_in_a_dict_are_all_named_by_where_they_stand(values):
    values["bodies"][0]["material"] = "jely"
    values["solver"]["dxx"] = 1
    values["time"]["frames"] = "many"
    with pytest.raises(knead.InputError) as caught:
        knead.Scene.from_dict(values)
    places = {m.place for m in caught.value.mistakes}
    assert {"bodies[0].material", "solver.dxx", "time.frames"} <= places


def test_what_no_scene_can_hold_is_refused_by_name(values):
    values["bodies"][0]["velocity"] = {1, 2, 3}
    with pytest.raises(knead.InputError, match=r"bodies\[0\].velocity: a set cannot stand"):
        knead.Scene.from_dict(values)
    values["bodies"][0]["velocity"] = [0, 2 ** 70, 0]
    with pytest.raises(knead.InputError, match=r"bodies\[0\].velocity\[1\]: .* too large"):
        knead.Scene.from_dict(values)
    nested = {}
    for _ in range(1000):
        nested = {"a": nested}
    with pytest.raises(knead.InputError, match="nested too deeply"):
        knead.Scene.from_dict(nested)


def test_check_counts_particles_and_finds_what_cannot_run(values, ball):
    found = knead.Scene(ball).check()
    assert found.particles["ball"] > 500
    assert found.memory > 0 and found.disk > 0
    values["bodies"][0]["shape"] = {"mesh": {"file": "nowhere.obj"}}
    with pytest.raises(knead.InputError, match="nowhere.obj"):
        knead.Scene.from_dict(values).check()


def test_a_missing_file_is_an_input_error():
    with pytest.raises(knead.InputError, match="nowhere.toml"):
        knead.Scene("nowhere.toml")
