# SPDX-License-Identifier: MIT
"""Generalized-alpha time integration of constrained mechanical systems.

>>> import genalpha as ga
>>> m = ga.Mechanism("pendulum", gravity=[0, 0, -9.81])
>>> rod = m.body("rod", mass=2, shape={"rod": {"length": 1, "radius": 0.01}}, position=[0.5, 0, 0])
>>> pin = m.revolute("pin", ga.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
>>> r = m.run(t_end=1, h=1e-3)
>>> len(r["rod.z"])
1001
"""
from ._lib import ArgumentError, Error, FileAccessError, FileError, OutOfMemory, RunError
from ._lib import version as __version__
from .accuracy import Accuracy
from .elements import Element, ground
from .engine import SmallerStep
from .equations import integrate
from .events import Change, Event, Happened
from .mechanism import Mechanism, load
from .options import GenalphaWarning, Params, option_names, params
from .robot import import_robot
from .run import Run
from .simulation import Simulation
from .space import Space
from .state import State
from .statics import Equilibrium, Modes
from .study import converge, sweep
from .table import Table

__all__ = [
    "Accuracy",
    "ArgumentError",
    "Element",
    "Equilibrium",
    "Error",
    "Event",
    "FileAccessError",
    "FileError",
    "GenalphaWarning",
    "Happened",
    "Change",
    "Mechanism",
    "Modes",
    "OutOfMemory",
    "Params",
    "Run",
    "RunError",
    "Simulation",
    "SmallerStep",
    "Space",
    "State",
    "Table",
    "converge",
    "ground",
    "import_robot",
    "integrate",
    "load",
    "option_names",
    "params",
    "sweep",
    "__version__",
]
