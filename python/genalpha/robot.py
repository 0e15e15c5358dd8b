# SPDX-License-Identifier: MIT
"""Robots that others described, as mechanisms."""
from __future__ import annotations

import os
import warnings
from typing import Any, Mapping, Optional, Sequence, Union

from ._lib import ArgumentError, encoded, failure, ffi, lib, text
from .mechanism import Mechanism
from .options import GenalphaWarning


def import_robot(
    path: Union[str, "os.PathLike[str]"],
    /,
    *,
    base: str = "fixed",
    coordinates: Mapping[str, float] = {},
    rates: Mapping[str, float] = {},
    friction: Union[bool, float] = True,
    limits: Union[bool, float] = False,
    gravity: Optional[Sequence[float]] = None,
    strict: bool = False,
    keep_fixed: bool = False,
    repair_inertia: bool = False,
) -> Mechanism:
    """A mechanism from the file of a robot (URDF), as ``genalpha import`` makes it.

    Parameters
    ----------
    path : str or path
        The file. :func:`load` takes it, too, if no option is needed.
    base : {"fixed", "floating"}
        The root link is the ground, or a free body.
    coordinates, rates : mapping
        Start values of joints by their names in the file, in rad or m.
    friction : bool or float
        Coulomb friction f as -f tanh(rate/friction), 0.01 for True; False: none.
    limits : bool or float
        Limits as soft stops, of this stiffness; True: by the joint's effort.
    gravity : sequence of 3 numbers, optional
    strict : bool
        What would be left out or warned about is an error.
    keep_fixed, repair_inertia : bool
        As the options of ``genalpha import`` (docs/reference/import.md).

    Returns
    -------
    Mechanism
        Its attribute `report` has the lines that the command prints.
    """
    if base not in ("fixed", "floating"):
        raise ArgumentError(f"base: 'fixed' or 'floating' is expected, not {base!r}")
    names = sorted({*coordinates, *rates})
    keep: list[Any] = [ffi.new("char[]", encoded(name)) for name in names]
    start = ffi.new("ga_import_start[]", max(len(names), 1))
    for s, name, own in zip(start, names, keep):
        s.joint = own
        for given, x in ((s.value, coordinates.get(name)), (s.rate, rates.get(name))):
            given.given, given.value = x is not None, float(x or 0)
    options = ffi.new("ga_import_options *")
    options.floating = base == "floating"
    options.start, options.nstart = start, len(names)
    options.ignore_friction = friction is False
    options.friction_rate = 0.0 if isinstance(friction, bool) else float(friction)
    options.stops = limits is not False
    options.stop_stiffness = 0.0 if isinstance(limits, bool) else float(limits)
    for i, x in enumerate([] if gravity is None else gravity):
        options.gravity[i].value, options.gravity[i].given = float(x), True
    options.strict, options.keep_fixed, options.repair_inertia = strict, keep_fixed, repair_inertia
    out, err = ffi.new("ga_imported **"), ffi.new("ga_error *")
    status = lib.ga_import(encoded(os.fspath(path)), options, out, err)
    if status != lib.GA_OK:
        raise failure(status, text(err.text))
    robot = ffi.gc(out[0], lib.ga_imported_free)
    level = ffi.new("ga_log_level *")
    report: list[str] = []
    while True:
        line = lib.ga_imported_report(robot, len(report), level)
        if not line:
            break
        report.append(text(line))
        if level[0] == lib.GA_LOG_WARNING:
            warnings.warn(report[-1], GenalphaWarning, stacklevel=2)
    m = Mechanism.parse(text(lib.ga_imported_model(robot)))
    m.report = report
    return m
