# SPDX-License-Identifier: MIT
"""Functions of the state and controllers from Python."""
import math

import pytest

import genalpha


def arm():
    m = genalpha.Mechanism("arm", gravity=[0, -9.81, 0])
    m.body("arm", kind="planar", mass=2, inertia=0.5, position=[0.25, 0])
    m.revolute("pin", "ground", "arm", at=[0, 0])
    return m


def test_pid_and_python_function():
    """The same loop as a ready controller, of states, and with a law in Python."""
    one = arm()
    c = one.controller("c", "pid", target="0.5*t", input="pin.angle", kp=60, ki=40)
    one.torsion("motor", "pin.angle", law=c)
    two = arm()
    two.state("z", "40*(0.5*t - pin.angle)")
    two.torsion("motor", "pin.angle", law="60*(0.5*t - s) + z")
    three = arm()
    three.state("z", "40*(0.5*t - pin.angle)")
    law = three.function("law", lambda s, s_dot, t, z: 60 * (0.5 * t - s) + z, uses=["z"])
    three.torsion("motor", "pin.angle", law=law)
    angles = [m.run(h=1e-3, t_end=0.5)["pin.angle"][-1] for m in (one, two, three)]
    assert angles[0] == pytest.approx(angles[1], abs=1e-11)
    assert angles[0] == pytest.approx(angles[2], abs=1e-10)


def test_sampled():
    m = arm()
    m.state("u", value="sin(t)", every=0.1)
    r = m.run(h=0.05, t_end=0.25)
    assert r["u"][-1] == pytest.approx(math.sin(0.2), abs=1e-15)


def test_function_that_raises():
    m = arm()
    law = m.function("law", lambda s, s_dot, t: 1 / 0)
    m.torsion("motor", "pin.angle", law=law)
    with pytest.raises(genalpha.Error):
        m.run(h=1e-3, t_end=0.1)
