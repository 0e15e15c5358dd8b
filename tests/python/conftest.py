# SPDX-License-Identifier: MIT
"""Shared by the tests of the Python package: where the models and the tool are."""
import csv
import io
import os
import subprocess

import genalpha as ga
import numpy as np
import pytest
from genalpha.view import tool

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def models():
    """The model files installed beside the library."""
    return os.path.join(os.path.dirname(os.path.dirname(tool())), "share", "genalpha", "models")


@pytest.fixture(scope="session")
def project():
    """The source tree: documentation and notebooks, never the package."""
    return os.environ.get("GENALPHA_PROJECT", os.path.dirname(os.path.dirname(HERE)))


def tool_csv(*words):
    """Columns of a run of the tool, by name."""
    done = subprocess.run([tool(), "run", *words, "--out", "-"], capture_output=True, text=True, check=True)
    rows = list(csv.reader(io.StringIO(done.stdout)))
    values = np.array([[float(x) for x in row] for row in rows[1:]])
    return {name: values[:, i] for i, name in enumerate(rows[0])}


def pendulum(name="pendulum", coordinates="auto", **fields):
    """A rod on a hinge about y. `auto` takes joint coordinates: q is the angle."""
    m = ga.Mechanism(name, gravity=[0, 0, -9.81], coordinates=coordinates)
    rod = m.body("rod", mass=2, shape={"rod": {"length": 1, "radius": "10 mm"}}, position=[0.5, 0, 0], **fields)
    m.revolute("pin", ga.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    return m
