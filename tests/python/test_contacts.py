# SPDX-License-Identifier: MIT
"""Contacts: changes, states in the rows, equilibrium, all pairs of bodies."""
import math
import subprocess

import genalpha as ga
import numpy as np
import pytest
from genalpha.view import tool


def ball(restitution):
    m = ga.Mechanism(gravity=[0, 0, -9.81])
    b = m.body("ball", kind="point", mass=1, position=[0, 0, 1])
    m.contact("floor", ga.ground, b, restitution=restitution)
    return m


def test_changes_and_states():
    r = ball(0.8).run(t_end=1, h=0.01)
    speed = math.sqrt(2 * 9.81)
    assert [c.kind for c in r.impacts] == ["hit"]
    hit = r.impacts[0]
    assert hit.contact == "floor" and abs(hit.t - speed / 9.81) < 1e-9
    assert abs(hit.un_before + speed) < 1e-9 and abs(hit.un_after - 0.8 * speed) < 1e-9
    assert abs(hit.impulse[0] - 1.8 * speed) < 1e-9 and hit.before == hit.after == 0
    assert abs(hit.energy - 9.81 * (1 - 0.64)) < 1e-9
    impulse = r["floor.impulse"]
    assert np.all(impulse[r.t < hit.t] == 0) and abs(impulse[-1] - 1.8 * speed) < 1e-9


def test_rest():
    r = ball(0).run(t_end=1, h=0.01)
    after = r.t > 0.46
    assert np.all(r["floor.state"][after] == 1) and np.all(np.abs(r["floor.n"][after] - 9.81) < 1e-9)
    e = ball(0).equilibrium()
    assert abs(e["ball.z"]) < 1e-9 and abs(e["floor.n"] - 9.81) < 1e-9


def test_without_contacts():
    m = ga.Mechanism()
    m.body("ball", kind="point", mass=1, velocity=[1, 0, 0])
    assert m.run(t_end=0.1).impacts == []


def test_all_pairs():
    m = ga.Mechanism()
    balls = [
        m.body(f"b{i}", shape={"sphere": {"radius": 0.1}}, mass=1, position=[0.5 * i, 0, 0],
               velocity=[1.0 if i == 0 else 0.0, 0, 0])
        for i in range(3)
    ]
    m.contacts("row", balls, restitution=1)
    r = m.run(t_end=1, h=0.01)
    assert [c.contact for c in r.impacts] == ["row.b0_b1", "row.b1_b2"]
    assert np.allclose([r[f"b{i}.vx"][-1] for i in range(3)], [0, 0, 1], atol=1e-9)


def test_changes_in_a_file_of_results(tmp_path):
    r = ball(0.8).run(t_end=1, h=0.01)
    try:
        r.save(tmp_path / "ball.h5")
    except ga.Error as error:
        pytest.skip(str(error))
    export = [tool(), "export", str(tmp_path / "ball.h5"), "--impacts"]
    lines = subprocess.run(export, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) == 2 and lines[1].split(",")[1:3] == ["hit", "floor"]
    assert float(lines[1].split(",")[0]) == r.impacts[0].t
