# SPDX-License-Identifier: MIT
"""Many runs: convergence over the step size, sweeps over parameters."""
from __future__ import annotations

import itertools
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union, cast

import numpy as np

from . import engine
from ._lib import ArgumentError, Error
from .mechanism import Mechanism
from .options import nearest, option_names, removed_option
from .run import Run
from .table import Table

_VARIABLES = ("q", "v", "vd", "lam", "psi")


def converge(
    what: Union[Mechanism, Callable[[float], Run]],
    h: float = 1e-3,
    levels: int = 4,
    *,
    norm: str = "end",
    **options: Any,
) -> Table:
    """Errors and orders over the step sizes h, h/2, h/4, ...

    Parameters
    ----------
    what : Mechanism or callable
        A mechanism, or a function of the step size that returns a run.
    h : float
        The largest step size.
    levels : int
        How many step sizes.
    norm : {"end", "max"}
        Errors at the end, or the largest over the steps of the first level.
    **options
        Of the runs of a mechanism.

    Returns
    -------
    Table
        Columns h, steps, q, v, vd, lam, psi (largest error of a component) and order_q, ...: log2
        of the last level's error over this one's. Variables a model lacks are left out.

    Notes
    -----
    The reference is extrapolated from two runs with h / 2^levels and h / 2^(levels+1): where the
    method has order 2, its error has order 4.
    """
    if norm not in ("end", "max"):
        raise ArgumentError(f"norm {norm!r}: 'end' or 'max' is expected")
    if levels < 1:
        raise ArgumentError(f"levels = {levels}: must be at least 1")
    run = _runner(what, options)
    runs = [run(h / 2**i) for i in range(levels + 2)]
    for i, one in enumerate(runs):
        if (len(one) - 1) != (len(runs[0]) - 1) * 2**i:
            raise ArgumentError(
                f"h = {h:g} does not divide the interval, or a run keeps not every step: "
                f"{len(runs[0]) - 1} steps with h, {len(one) - 1} with h/{2**i}"
            )
    columns: dict[str, Any] = {
        "h": [h / 2**i for i in range(levels)],
        "steps": [len(one) - 1 for one in runs[:levels]],
    }
    errors = {name: _errors(runs, levels, name, norm) for name in _VARIABLES
              if getattr(runs[0], name).shape[1] > 0}
    columns.update(errors)
    for name, error in errors.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            columns[f"order_{name}"] = np.r_[np.nan, np.log2(error[:-1] / error[1:])]
    return Table(columns)


def _runner(what: Any, options: dict[str, Any]) -> Callable[[float], Run]:
    if isinstance(what, Mechanism):
        m: Mechanism = what
        return lambda h: m.run(h=h, **options)
    if not callable(what):
        raise ArgumentError("a mechanism or a function of the step size is expected")
    if options:
        raise ArgumentError(f"unknown argument {next(iter(options))!r}: the function has the options")
    return cast(Callable[[float], Run], what)


def _errors(runs: Sequence[Run], levels: int, name: str, norm: str) -> Any:
    """Largest difference to (4 x_{h/2} - x_h) / 3, at the end or at the steps of the first level."""

    def at(i: int) -> Any:
        values = getattr(runs[i], name)
        return values[-1:] if norm == "end" else values[:: 2**i]

    reference = (4 * at(levels + 1) - at(levels)) / 3
    return np.array([np.max(np.abs(at(i) - reference)) for i in range(levels)])


def sweep(
    m: Mechanism,
    parameters: Optional[Mapping[str, Any]] = None,
    /,
    *,
    workers: Optional[int] = None,
    outputs: Optional[Sequence[str]] = None,
    measure: Optional[Callable[[Run], Mapping[str, Any]]] = None,
    **keywords: Any,
) -> Table:
    """Run a mechanism for all combinations of parameters, several at a time.

    Parameters
    ----------
    m : Mechanism
    parameters : mapping, optional
        Parameters of the mechanism and their values, as keywords give them too.
    workers : int, optional
        Runs at the same time, in threads; default: the number of processors.
    outputs : sequence of str, optional
        Columns whose end values become columns of the table; default: the usual ones.
    measure : callable, optional
        A function of a run that returns a dictionary of numbers instead.
    **keywords
        A parameter of the mechanism: its value or values. Everything else: options of
        :meth:`Mechanism.run`.

    Returns
    -------
    Table
        A row for each combination, the last parameter fastest: parameters, numbers, and `error`,
        which is empty or says why there are none.
    """
    known = m.parameters
    grid = dict(parameters or {})
    options = {}
    for name, value in keywords.items():
        if name in known:
            grid[name] = value
        else:
            options[name] = value
    for name in grid:
        if name not in known:
            raise ArgumentError(f"{m.name} has no parameter {name!r}{nearest(name, known)}")
    _check_options(options, known)
    names = list(grid)
    axes = [list(v) if isinstance(v, Iterable) and not isinstance(v, str) else [v] for v in grid.values()]
    points = [dict(zip(names, point)) for point in itertools.product(*axes)]
    rows = _run_all(m, points, options, outputs, measure, workers or os.cpu_count() or 1)
    heads = list(dict.fromkeys(key for row in rows for key in row if key != "error"))
    columns = {key: [row.get(key, np.nan) for row in rows] for key in heads}
    return Table({**columns, "error": [row["error"] for row in rows]})


def _check_options(options: Mapping[str, Any], known: Mapping[str, float]) -> None:
    """A mistyped parameter is reported once, not in every row."""
    import inspect

    allowed = set(option_names()) | set(inspect.signature(Mechanism.run).parameters) | {"stop_when"}
    for name in options:
        if name not in allowed and not removed_option(name):
            hint = nearest(name, [*known, *allowed])
            raise ArgumentError(f"{name!r} is neither a parameter nor an option of a run{hint}")


def _run_all(
    m: Mechanism,
    points: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
    outputs: Optional[Sequence[str]],
    measure: Optional[Callable[[Run], Mapping[str, Any]]],
    workers: int,
) -> list[dict[str, Any]]:
    cancel = threading.Event()

    def one(point: Mapping[str, Any]) -> dict[str, Any]:
        engine.thread.cancel = cancel
        row: dict[str, Any] = {**point, "error": ""}
        try:
            run = m.with_parameters(**point).run(**{"progress": False, **options})  # type: ignore[arg-type]
            chosen = run.usual_columns if outputs is None else outputs
            row.update(measure(run) if measure else {name: run.final(name) for name in chosen})
        except Error as error:
            row["error"] = str(error)
        finally:
            engine.thread.cancel = None
        return row

    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(one, point) for point in points]
        try:
            return [future.result() for future in futures]
        except BaseException:
            cancel.set()
            for future in futures:
                future.cancel()
            raise
