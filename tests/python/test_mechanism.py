# SPDX-License-Identifier: MIT
"""Mechanisms from files and in code: the same names, the same errors, the same file back."""
import os

import genalpha as ga
import numpy as np
import pytest
from conftest import pendulum


def test_load_with_parameters(models):
    path = os.path.join(models, "pendulum.yaml")
    m = ga.load(path, l=2, th0="45 deg")
    assert m.parameters["l"] == 2 and abs(m.parameters["th0"] - np.pi / 4) < 1e-15
    assert ga.load(path).parameters["l"] == 1
    assert m.with_parameters(l=3).parameters["l"] == 3 and m.parameters["l"] == 2
    assert m.name == "pendulum" and "rod" in m.description


def test_built_in_code_equals_text():
    """A slider-crank by calls, with every kind of value, against its text: the same bits."""
    m = ga.Mechanism("crank", gravity=np.array([0, 0, -9.81]))
    r = m.parameter("r", 0.2)
    m.parameter("l", "2.5*r")
    crank = m.body("crank", mass=1, inertia=[1e-4, "r^2/12", "r^2/12"], position=["r/2", 0, 0])
    rod = m.body("rod", shape={"rod": {"length": "l", "radius": "10 mm"}}, mass=1, position=["r + l/2", 0, 0])
    slider = m.body("slider", mass=np.float64(1), inertia=(1e-3, 1e-3, 1e-3), position=["r + l", 0, 0])
    bearing = m.revolute("bearing", ga.ground, crank, at=[0, 0, 0], axis=[0, -1, 0])
    m.spherical("pin", crank, rod, at={crank: [f"{r}/2", 0, 0], "rod": ["-l/2", 0, 0]})
    m.universal("cross", slider, rod, at={rod: ["l/2", 0, 0]}, axis=[0, 0, 1], x_axis=[0, 1, 0])
    m.prismatic("guide", "ground", slider, at=[0, 0, 0], axis=[1, 0, 0])
    m.spring("load", ga.ground, slider, at={"ground": [2, 0, 0]}, stiffness=100, damping=1)
    m.drive("motor", bearing["angle"], position="5*t^2 + step(t, 0, 0, 0.1, 1)")
    m.sensor("tip", "point", body=rod, at=["l/2", 0, 0])
    m.initial(rates={"bearing.angle": 0})
    m.body("base", kind="point", mass=1, in_="ground")
    m.output("slider.x", "bearing.angle", "motor.effort", "tip.x")
    m.defaults(h=2e-3, t_end=0.1)
    text = """
genalpha: 1
name: crank
gravity: [0, 0, -9.81]
parameters: {r: 0.2, l: 2.5*r}
bodies:
  crank: {mass: 1, inertia: [1e-4, r^2/12, r^2/12], position: [r/2, 0, 0]}
  rod: {shape: {rod: {length: l, radius: 10 mm}}, mass: 1, position: [r + l/2, 0, 0]}
  slider: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [r + l, 0, 0]}
  base: {kind: point, mass: 1, in: ground}
joints:
  bearing: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, -1, 0]}
  pin: {type: spherical, between: [crank, rod], at: {crank: [r/2, 0, 0], rod: [-l/2, 0, 0]}}
  cross: {type: universal, between: [slider, rod], at: {rod: [l/2, 0, 0]}, axis: [0, 0, 1], x_axis: [0, 1, 0]}
  guide: {type: prismatic, between: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0]}
forces: {load: {type: spring, between: [ground, slider], at: {ground: [2, 0, 0]}, stiffness: 100, damping: 1}}
drives: {motor: {coordinate: bearing.angle, position: "5*t^2 + step(t, 0, 0, 0.1, 1)"}}
sensors: {tip: {type: point, body: rod, at: [l/2, 0, 0]}}
initial: {rates: {bearing.angle: 0}}
run: {h: 2e-3, t_end: 0.1}
output: [slider.x, bearing.angle, motor.effort, tip.x]
"""
    m2 = ga.Mechanism.parse(text)
    a, b = m.run(), m2.run()
    assert len(a) == 51 and list(a.table()) == ["t", "slider.x", "bearing.angle", "motor.effort", "tip.x"]
    for column in a.table():
        assert np.array_equal(a[column], b[column]), column


def test_every_type_of_joint_has_a_method():
    from genalpha._lib import schema

    for kind in schema()["$defs"]["joint_type"]["enum"]:
        assert callable(getattr(ga.Mechanism("m"), kind)), kind
    for kind in schema()["$defs"]["force_type"]["enum"]:
        assert callable(getattr(ga.Mechanism("m"), kind)), kind


def test_all_models_survive_save(models, tmp_path):
    """Load, save, load: the same document and the same start values."""
    names = [n for n in sorted(os.listdir(models)) if n.endswith(".yaml")]
    assert len(names) >= 15
    for name in names:
        m = ga.load(os.path.join(models, name))
        m.save(tmp_path / name)
        again = ga.load(tmp_path / name)
        assert again.columns == m.columns
        assert again.to_yaml() == m.to_yaml()
        assert again.parameters == m.parameters


def test_texts_survive_save(tmp_path):
    m = pendulum("a, {b}: #c 'd' \"e\" – ü")
    m._section("description", "- starts like a list\nand has lines: 1")
    m.save(tmp_path / "m.yaml")
    again = ga.load(tmp_path / "m.yaml")
    assert again.name == m.name and again.description == "- starts like a list\nand has lines: 1"


def test_wanted_coordinates():
    m = pendulum()
    with pytest.raises(KeyError, match="want\\('pin.angle'\\)"):
        m.run(t_end=0.01)["pin.angle"]
    r = m.want("pin.angle").run(t_end=0.5)
    w = r["rod.wy"]
    assert abs(r["pin.angle_rate"][-1] - w[-1]) < 1e-12
    # the angle is the integral of its rate
    assert abs(np.trapz(w, r.t) - r["pin.angle"][-1]) < 1e-6


def test_coordinates_of_a_file(models, tmp_path):
    path = os.path.join(models, "pendulum.yaml")
    runs = {c: ga.load(path, coordinates=c).run(t_end=0.1, h=1e-3) for c in ("absolute", "joint")}
    assert runs["joint"].q.shape[1] == 1 and runs["absolute"].q.shape[1] > 6
    assert ga.load(path).run(t_end=0.01).q.shape[1] == 1
    m = ga.load(path, coordinates="absolute")
    m.save(tmp_path / "m.yaml")
    m.torsion("brake", "pin.angle", damping=1)
    for kept in (m, ga.load(tmp_path / "m.yaml")):  # also of what was extended or saved
        assert kept.run(t_end=0.01).q.shape[1] > 6
    with pytest.raises(ga.FileError, match="coordinates 'joints': must be absolute, joint or auto"):
        ga.load(path, coordinates="joints")


def test_loaded_may_be_extended(models):
    m = ga.load(os.path.join(models, "pendulum.yaml"))
    before = m.run(t_end=0.1).final("energy.total")
    m.torsion("brake", "pin.angle", damping=0.5)
    assert m.run(t_end=0.1).final("energy.total") < before - 1e-3


@pytest.mark.parametrize("call, words", [
    (lambda m: m.body("a", mas=1), "bodies.a: unknown key 'mas'; did you mean 'mass'"),
    (lambda m: m.body("rod", mass=1), "bodies.rod: the name 'rod' is taken, see bodies.rod"),
    (lambda m: m.revolute("x", "rod", "rodd"), "joints.x: there is no body 'rodd'; did you mean 'rod'"),
    (lambda m: m.force("f", "rad", value=[1, 2, 3]), "forces.f: there is no body 'rad'"),
    (lambda m: m.body("a", mass=object()), "bodies.a.mass: a number, a text"),
    (lambda m: m.coupler("c"), "couplers.c: the key 'sum' is missing"),
    (lambda m: (m.body("a", mass=-1), m.run()), "bodies.a: body 'a': mass -1 is negative"),
    (lambda m: (m.joint("j", "revolut", "rod", "ground"), m.run()), "joints.j"),
    (lambda m: (m.body("a", mass="2*x"), m.run()), "bodies.a.mass"),
    (lambda m: (m.body("9a", mass=1), m.run()), "bodies.9a"),
    (lambda m: (m.output("rod.q"), m.run()), "output: there is no column 'rod.q'"),
])
def test_wrong_elements(call, words):
    with pytest.raises(ga.Error) as info:
        call(pendulum())
    assert words in str(info.value)
    assert not str(info.value).startswith("pendulum")


def test_wrong_files(tmp_path, models):
    with pytest.raises(OSError, match="no-such.yaml: cannot be read"):
        ga.load("no-such.yaml")
    (tmp_path / "bad.yaml").write_text("genalpha: 1\nbodies:\n  b: {mass: 1 +}\n")
    with pytest.raises(ga.FileError, match=r"bad.yaml:3:\d+: bodies.b.mass"):
        ga.load(tmp_path / "bad.yaml")
    with pytest.raises(ga.FileError, match="text:2:9: bodies: "):
        ga.Mechanism.parse("genalpha: 1\nbodies: [1]")
    with pytest.raises(ga.FileError, match="there is no parameter 'll'"):
        ga.load(os.path.join(models, "pendulum.yaml"), ll=2)
    with pytest.raises(ga.ArgumentError, match="l: a number or an expression"):
        ga.load(os.path.join(models, "pendulum.yaml"), l=[1, 2])
    with pytest.raises(ga.ArgumentError, match="zero byte"):
        ga.load("a\0b")


def test_run_refuses_what_only_the_tool_knows():
    m = pendulum()
    m.defaults(extrapolate=2)
    with pytest.raises(ga.ArgumentError, match="run.extrapolate of the file"):
        m.run()


def test_warnings_of_the_library():
    with pytest.warns(ga.GenalphaWarning):
        _bad_inertia()


def test_option_of_earlier_versions_is_ignored():
    m = pendulum()
    plain = m.run(t_end=0.01)
    with pytest.warns(ga.GenalphaWarning, match="option 'system' is gone"):
        given = m.run(t_end=0.01, system="split")
    m.defaults(system="full")
    with pytest.warns(ga.GenalphaWarning, match="option 'system' is gone"):
        from_file = m.run(t_end=0.01)
    for run in (given, from_file):
        assert (run.q == plain.q).all()


def _bad_inertia():
    m = ga.Mechanism("m")
    m.body("b", mass=1, inertia=[1, 1, 3])
    m.run(t_end=0.01)
