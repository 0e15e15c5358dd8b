# SPDX-License-Identifier: MIT
"""Start values that fit, equilibrium, frequencies; where the library has them."""
import importlib.util
import os

import genalpha as ga
import numpy as np
import pytest
from conftest import pendulum
from genalpha._lib import lib

needs = pytest.mark.skipif(not hasattr(lib, "ga_modes_find"), reason="the library has no statics")


@needs
def test_assembly():
    """A rod placed 5 mm off its hinge is moved there; the given rate stays."""
    m = ga.Mechanism("pendulum", gravity=[0, 0, -9.81])
    rod = m.body("rod", mass=2, inertia=[0.01, 0.2, 0.2], position=[0.505, 0, 0.002])
    m.revolute("pin", ga.ground, rod, at={"ground": [0, 0, 0], "rod": [-0.5, 0, 0]}, axis=[0, 1, 0])
    with pytest.raises(ga.Error, match="pin"):
        m.run(t_end=0.01)
    table = m.assemble(rates={"pin.angle": 3})
    assert list(table["body"]) == ["rod"] and 0.004 < table["moved"][0] < 0.007
    r = m.run(t_end=0.01)
    assert abs(np.hypot(r["rod.x"][0], r["rod.z"][0]) - 0.5) < 1e-12 and abs(r["rod.wy"][0] - 3) < 1e-9


@needs
def test_loaded_and_assembled(tmp_path):
    (tmp_path / "m.yaml").write_text(
        "genalpha: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], position: [1.01, 0, 0]}}\n"
        "joints: {j: {type: spherical, between: [ground, b], at: {ground: [0, 0, 0], b: [-1, 0, 0]}}}\n")
    m = ga.load(tmp_path / "m.yaml")
    with pytest.raises(ga.Error, match="j"):
        m.run()
    m.assemble()
    assert m.run(t_end=0.01).final("b.x") == pytest.approx(1.0, abs=1e-9)


@needs
def test_equilibrium_and_modes():
    """A rod hangs; about that it swings with omega^2 = m g s / J, s = 1/2, J about the hinge."""
    m = pendulum(coordinates="absolute")
    e = m.equilibrium()
    assert abs(e["rod.z"] + 0.5) < 1e-9 and e.unbalanced < 1e-8
    assert abs(np.hypot(e["pin.fx"], e["pin.fy"]) - 2 * 9.81) < 1e-6
    modes = m.modes(at=e)
    J = 2 * (3 * 0.01**2 + 1) / 12 + 2 * 0.25
    assert modes.freedom == 1 and not modes.unstable
    assert modes.frequencies == pytest.approx([np.sqrt(2 * 9.81 * 0.5 / J) / (2 * np.pi)], rel=1e-7)
    assert abs(modes.damping[0]) < 1e-8 and modes.shapes.shape[1] == 6 and "hertz" in repr(modes.table())
    r = m.run(t_end=0.5, at=e)
    assert np.max(np.abs(r["rod.x"])) < 1e-6
    with pytest.raises(ga.Error):  # the horizontal rod is not at rest
        m.modes()


@needs
def test_damped_frequency():
    """Frequencies are those of the damped vibration, Im s / 2 pi, as `genalpha modes` prints them."""
    m = ga.Mechanism("oscillator")
    b = m.body("b", mass=2, inertia=[1, 1, 1])
    m.prismatic("g", ga.ground, b, at=[0, 0, 0], axis=[1, 0, 0])
    m.torsion("k", coordinate="g.position", stiffness=50, damping=4)
    modes = m.modes()
    s = -1 + 1j * np.sqrt(25 - 1)  # 2 s^2 + 4 s + 50 = 0
    assert modes.s == pytest.approx([s], rel=1e-9)
    assert modes.frequencies == pytest.approx([s.imag / (2 * np.pi)], rel=1e-9)
    assert modes.table()["hertz"] == pytest.approx([s.imag / (2 * np.pi)], rel=1e-9)
    assert modes.damping == pytest.approx([0.2], rel=1e-9)


@needs
def test_redundant_mechanism():
    """A rod on two hinges: the library keeps independent rows, as it does for the tool."""
    m = pendulum(coordinates="absolute")
    m.revolute("second", "ground", "rod", at=[0, 0.1, 0], axis=[0, 1, 0])
    assert abs(m.run(t_end=0.3).final("rod.x") - pendulum(coordinates="absolute").run(t_end=0.3).final("rod.x")) < 1e-8


def test_other_start():
    m = pendulum()
    first = m.run(t_end=0.2)
    second = m.run(t_end=0.2, at=(first.q[100], first.v[100]))
    # the same motion, up to the start of the history: h^2
    assert np.max(np.abs(second["rod.x"][:100] - first["rod.x"][100:200])) < 1e-5
    with pytest.raises(ga.ArgumentError, match="q: an array of shape"):
        m.run(at=([1, 2], [3]))
    with pytest.raises(ga.ArgumentError, match="an equilibrium or a pair"):
        m.run(at="rest")


@pytest.mark.skipif(hasattr(lib, "ga_modes_find"), reason="the library has statics")
def test_what_is_missing_is_said():
    m = pendulum()
    for call, words in ((m.assemble, "assembly"), (m.equilibrium, "equilibrium"), (m.modes, "modes")):
        with pytest.raises(ga.Error, match=f"has no {words}"):
            call()


def test_check():
    m = pendulum()
    try:
        found = m.check()
    except ga.Error as error:
        assert "has no command check" in str(error)
    else:
        assert isinstance(found, dict) and found


@needs
def test_blade(project):
    """The example: sag and frequencies of a beam that is thin, at rest and turning, but for shear and rotary inertia."""
    spec = importlib.util.spec_from_file_location("blade", os.path.join(project, "examples", "python", "blade.py"))
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    thin = example.RHO_A * 9.81 * example.LENGTH**4 / (8 * example.EI)
    assert example.sag() == pytest.approx(thin, rel=2e-4)
    hertz = example.UNIT / (2 * np.pi)
    assert example.frequencies() == pytest.approx([3.51602 * hertz, 22.0345 * hertz], rel=3e-3)
    assert example.turning_frequency(4 * example.UNIT) == pytest.approx(5.5850 * hertz, rel=3e-3)
    assert example.turning_frequency(8 * example.UNIT) == pytest.approx(9.2568 * hertz, rel=3e-3)
