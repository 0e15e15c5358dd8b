# SPDX-License-Identifier: MIT
"""The same mechanism with the same options gives the same bits as the tool."""
import json
import os
import subprocess

import genalpha as ga
import heavy_top
import numpy as np
import pytest
from conftest import tool_csv
from genalpha.view import tool

CASES = [
    ("slider-crank", [], {}),
    ("governor", ["--t-end", "0.2"], {"t_end": 0.2}),
    ("rolling-disk", ["--t-end", "0.3", "--method", "index3"], {"t_end": 0.3, "method": "index3"}),
    ("heavy-top", ["--rtol", "1e-5", "--t-end", "0.1"], {"rtol": 1e-5, "t_end": 0.1}),
    ("four-bar", ["--h", "3e-3", "--rho", "0.6"], {"h": 3e-3, "rho": 0.6}),
    ("gear-pair", ["--params", "newmark", "--t-end", "0.1"], {"params": "newmark", "t_end": 0.1}),
    ("cart", ["--every", "7", "--t-end", "1"], {"every": 7, "t_end": 1}),
    ("chain", ["--set", "N=20", "--t-end", "0.05"], {"t_end": 0.05, "parameters": {"N": 20}}),
    ("stewart", ["--out-dt", "0.003", "--t-end", "0.1"], {"out_dt": 0.003, "t_end": 0.1}),
]


@pytest.mark.parametrize("name, words, options", CASES, ids=[case[0] for case in CASES])
def test_columns(models, name, words, options):
    path = os.path.join(models, name + ".yaml")
    expected = tool_csv(path, *words)
    options = dict(options)
    r = ga.load(path, **options.pop("parameters", {})).run(**options)
    assert list(r.table()) == list(expected)
    for column, values in expected.items():
        assert np.array_equal(r[column], values), column


@pytest.mark.parametrize("name", ["slider-crank", "andrews", "governor", "chain", "stewart"])
def test_saved_mechanism(models, tmp_path, name):
    """What `save` writes gives the tool the same bits, also with other parameters."""
    path = os.path.join(models, name + ".yaml")
    m = ga.load(path)
    m.save(tmp_path / "saved.yaml")
    a = tool_csv(path, "--t-end", "0.004")
    b = tool_csv(str(tmp_path / "saved.yaml"), "--t-end", "0.004")
    assert list(a) == list(b) and all(np.array_equal(a[c], b[c]) for c in a)


def tool_final(*words):
    done = subprocess.run([tool(), "run", *words, "--final"], capture_output=True, check=True)
    return json.loads(done.stdout)


def test_heavy_top_in_python():
    """Pure Python callbacks with their derivatives: 1e-12 of the size of each field."""
    end = tool_final("heavy-top", "--t-end", "0.3")
    r = ga.integrate(heavy_top.mass, heavy_top.force, heavy_top.constraint, t_end=0.3, h=1e-3,
                     const_mass=True, scleronomic=True, **heavy_top.start, **heavy_top.derivatives)
    assert r.stats["steps"] == end["stats"]["steps"] == 300
    for field, name in (("q", "q"), ("v", "v"), ("vd", "vd"), ("lam", "lam")):
        expected = np.array(end[name])
        error = np.max(np.abs(getattr(r, field)[-1] - expected)) / np.max(np.abs(expected))
        assert error < 1e-12, (field, error)


def test_heavy_top_without_derivatives():
    end = tool_final("heavy-top", "--t-end", "0.05")
    r = ga.integrate(heavy_top.M, heavy_top.force, heavy_top.constraint, t_end=0.05, **heavy_top.start)
    assert np.max(np.abs(r.q[-1] - end["q"])) < 1e-9
    assert np.max(np.abs(r.lam[-1] - end["lam"])) < 1e-5


def test_heavy_top_as_mechanism(models):
    """The mechanism and the equations written by hand are the same system."""
    with open(os.path.join(models, "heavy-top.yaml"), encoding="utf-8") as file:
        a = ga.Mechanism.parse("coordinates: absolute\n" + file.read()).run(t_end=0.2)
    b = ga.integrate(heavy_top.M, heavy_top.force, heavy_top.constraint, t_end=0.2,
                     **heavy_top.start, **heavy_top.derivatives)
    assert np.max(np.abs(a[["top.x", "top.y", "top.z"]] - b.q[:, :3])) < 1e-3
