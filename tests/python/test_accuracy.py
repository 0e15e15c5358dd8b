# SPDX-License-Identifier: MIT
"""Runs of a given accuracy: achieved errors, what they say, warnings, events."""
import math
import warnings

import genalpha as ga
import numpy as np
import pytest


def pendulum(coordinates="auto"):
    m = ga.Mechanism("pendulum", gravity=[0, 0, -9.81], coordinates=coordinates)
    rod = m.body("rod", mass=2, shape={"rod": {"length": 1, "radius": 0.01}}, position=[0.5, 0, 0])
    m.revolute("pin", ga.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    return m


def oscillator(**options):
    return ga.integrate(
        lambda t, q: np.eye(1), lambda t, q, v: -q, q0=[1.0], v0=[0.0], const_mass=True, **options
    )


def test_achieved():
    for accuracy in (1e-3, 1e-6, 1e-9):
        r = oscillator(t_end=10, accuracy=accuracy)
        assert r.accuracy.reached and r.accuracy.error <= accuracy == r.accuracy.asked
        assert np.abs(r.q[:, 0] - np.cos(r.t)).max() <= 2 * accuracy
        assert np.abs(r.v[:, 0] + np.sin(r.t)).max() <= 2 * accuracy
        assert len(r) >= 200 and r.t[-1] == 10


def test_what_it_says():
    r = pendulum("absolute").run(t_end=1, accuracy=1e-6, accuracy_of="q,v,lam")
    a = r.accuracy
    assert a.verdict == "reached" and a.method == "index3" and 2 <= a.order <= 6
    assert set(a.estimates) == {"q", "v", "lam"} and max(a.estimates.values()) == a.error
    assert a.steps == r.stats["steps"] and str(a) == a.text and "1e-06 asked" in a.text
    fine = pendulum().run(t_end=1, accuracy=1e-9)
    assert abs(r["rod.z"][-1] - fine["rod.z"][-1]) < 1e-6
    assert pendulum().run(t_end=0.1, h=1e-2).accuracy is None
    assert pendulum().run(t_end=0.1, accuracy=1e-4, method="stab2").accuracy.method == "stab2"


def test_rows():
    times = [0, 0.123, 0.5, 1]
    r = pendulum().run(t_end=1, accuracy=1e-8, t_eval=times)
    assert list(r.t) == times
    r = pendulum().run(t_end=1, accuracy=1e-8, out_dt=0.25)
    assert np.allclose(r.t, [0, 0.25, 0.5, 0.75, 1])
    few = pendulum().run(t_end=1, accuracy=1e-4, every=10)
    assert len(few) < 60 and few.t[-1] == 1


def test_not_reached():
    def force(t, q, v):
        return -q + (1.0 if t > math.pi else 0.0)

    with pytest.warns(ga.GenalphaWarning, match="NOT reached"):
        r = ga.integrate(lambda t, q: np.eye(1), force, q0=[0.5], v0=[0.0], t_end=10, accuracy=1e-9,
                         const_mass=True, accuracy_steps=1e5)
    assert r.success and not r.accuracy.reached and r.accuracy.error > 1e-9
    assert abs(r.accuracy.t_kink - math.pi) < 0.3


def test_refused():
    with pytest.raises(ga.ArgumentError, match="without h"):
        pendulum().run(t_end=1, accuracy=1e-4, h=1e-3)
    with pytest.raises(ga.ArgumentError, match="rtol"):
        pendulum().run(t_end=1, accuracy=1e-4, rtol=1e-3)


def test_impacts():
    """A ball that keeps 0.8 of its speed: the second impact is at t1 + 1.6 t1."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        r = ga.integrate(
            lambda t, q: np.eye(1), lambda t, q, v: [-10.0], q0=[5.0], v0=[0.0], const_mass=True,
            events=ga.Event(lambda t, q, v: q[0], direction=-1, action=lambda t, q, v: -0.8 * v),
            t_end=3.5, accuracy=1e-8,
        )
    assert np.allclose([e.t for e in r.events], [1, 2.6], atol=1e-6)
    stop = pendulum().run(t_end=5, accuracy=1e-8, events="rod.x < 0", stop_when="rod.x < 0")
    assert abs(stop["rod.x"][-1]) < 1e-8
