# SPDX-License-Identifier: MIT
"""Inputs of a run: constants, samples over the time, functions of it, or a CSV file."""
from __future__ import annotations

import os
import warnings
from typing import Any, Mapping, Optional, Union

import numpy as np

from ._lib import ArgumentError, check, encoded, failure, ffi, lib, text
from .options import GenalphaWarning, nearest

Array = "np.ndarray[Any, Any]"
Given = Union[None, str, "os.PathLike[str]", Mapping[str, Any]]

KINDS = {"hold": lib.GA_INPUT_HOLD, "linear": lib.GA_INPUT_LINEAR, "smooth": lib.GA_INPUT_SMOOTH}


class Input:
    """What one input does during a run: a constant, or values at times."""

    def __init__(self, number: int, constant: float = 0.0, t: Any = None, values: Any = None):
        self.number = number
        self.constant = constant
        self.t = t
        self.values = values

    def apply(self, it: Any, kind: int) -> None:
        """Set the input of an integrator."""
        if self.t is None:
            status = lib.ga_integrator_set_input(it, self.number, self.constant)
        else:
            status = lib.ga_integrator_set_input_table(
                it, self.number, kind, len(self.t),
                ffi.from_buffer("double[]", self.t), ffi.from_buffer("double[]", self.values),
            )
        if status != lib.GA_OK:
            raise failure(status, text(lib.ga_integrator_error(it).text))


def kind_of(word: Optional[str]) -> int:
    """The library's number of an interpolation."""
    if word is None:
        return int(lib.GA_INPUT_LINEAR)
    if word not in KINDS:
        raise ArgumentError(f"interpolate = {word!r}: 'hold', 'linear' or 'smooth' is expected")
    return int(KINDS[word])


def unknown_input(name: str, inputs: Mapping[str, int]) -> ArgumentError:
    """There is no input of this name; what there is."""
    has = f"; it has {', '.join(inputs)}" if inputs else "; this mechanism has none"
    return ArgumentError(f"there is no input {name!r}{nearest(name, inputs) or has}")


def read_inputs(given: Given, names: Mapping[str, int], t0: float, t_end: float, h: float) -> list[Input]:
    """The inputs of a run; functions are sampled at every step."""
    if given is None:
        return []
    if isinstance(given, (str, os.PathLike)):
        return _from_file(os.fspath(given), names)
    if not isinstance(given, Mapping):
        raise ArgumentError("inputs: a dictionary {name: number, (times, values) or function of t}, or a CSV file")
    found = []
    for name, value in given.items():
        if name not in names:
            raise unknown_input(name, names)
        found.append(_one(names[name], name, value, t0, t_end, h))
    return found


def _one(number: int, name: str, value: Any, t0: float, t_end: float, h: float) -> Input:
    if callable(value):
        count = max(int(np.ceil((t_end - t0) / h * (1 - 1e-12))), 1)
        times = np.append(t0 + h * np.arange(count), t_end)
        value = times, [value(t) for t in times.tolist()]
    try:
        if np.ndim(value) == 0:
            return Input(number, float(value))
    except (TypeError, ValueError):
        pass
    columns: Any
    try:
        columns = value if isinstance(value, tuple) else np.asarray(value, dtype=np.float64).T
        t, values = (np.array(column, dtype=np.float64, order="C") for column in columns)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"inputs: {name} is a number, (times, values), an array of two columns, or a function of t"
        ) from None
    if t.ndim != 1 or t.shape != values.shape:
        raise ArgumentError(f"inputs: {name} needs as many times as values, not {t.shape} and {values.shape}")
    return Input(number, 0.0, t, values)


def _from_file(path: str, names: Mapping[str, int]) -> list[Input]:
    """Columns of a CSV file that have the names of inputs, over the first column."""
    out, err = ffi.new("ga_csv **"), ffi.new("ga_error *")
    check(lib.ga_csv_load(encoded(path), out, err), err)
    csv = ffi.gc(out[0], lib.ga_csv_free)
    rows = lib.ga_csv_rows(csv)

    def column(number: int, rising: bool) -> Any:
        values = np.empty(rows)
        check(lib.ga_csv_numbers(csv, number, rising, ffi.from_buffer("double[]", values), err), err)
        return values

    t, found, number = column(0, True), [], 1
    while lib.ga_csv_name(csv, number):
        head = text(lib.ga_csv_name(csv, number))
        name = head if head in names else head.split("[")[0].split("(")[0].strip()
        if name in names:
            found.append(Input(names[name], 0.0, t, column(number, False)))
        else:
            warnings.warn(f"{path}: column {head!r} is not used, there is no input of this name"
                          f"{nearest(head, names)}", GenalphaWarning, stacklevel=5)
        number += 1
    if not found:
        raise ArgumentError(f"{path}: no column has the name of an input; the first column is the time")
    return found
