# SPDX-License-Identifier: MIT
"""A run of a given accuracy: the search for it, the rows of its result, what is known of its error."""
from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Optional

import numpy as np

from ._lib import ArgumentError, failure, ffi, lib, text
from .options import GenalphaWarning

if TYPE_CHECKING:
    from .engine import Session

_CURVE = 200  # rows at least, so that curves are smooth


@dataclass(frozen=True)
class Accuracy:
    """What is known about the error of a run that was made with ``accuracy=``.

    Attributes
    ----------
    asked : float
        The accuracy asked for.
    reached : bool
        The estimated error is at most that.
    verdict : str
        "reached", or why not: "kink", "sensitive", "rounding", "budget", "branch".
    error : float
        The estimated error, the largest of the variables that were asked for.
    estimates : dict
        By variable: q, v, and vd, lam if they were asked for.
    order, method, runs, steps : int, str
        How the result was computed; steps is the sum over all runs.
    t_kink : float
        Verdict "kink": about where it is.
    text : str
        All of it in a sentence.
    """

    asked: float
    reached: bool
    verdict: str
    error: float
    estimates: dict[str, float]
    order: int
    method: str
    runs: int
    steps: int
    t_kink: float
    text: str

    def __str__(self) -> str:
        return self.text


def _of(solution: Any) -> Accuracy:
    a = lib.ga_solution_accuracy(solution)
    estimates = {name: getattr(a.estimate, name) for name in ("q", "v", "vd", "lam")}
    return Accuracy(
        a.asked, a.verdict == lib.GA_VERDICT_REACHED, text(lib.ga_verdict_word(a.verdict)), a.error,
        {name: value for name, value in estimates.items() if not np.isnan(value)},
        a.order, text(a.method), a.runs, a.steps, a.t_kink, text(a.text),
    )


def _states(solution: Any, every: int) -> Iterator[Any]:
    """The states to keep: every N-th of the nodes, and of states between them if they are few."""
    nodes = lib.ga_solution_nodes(solution)
    each = max(1, -(-_CURVE // max(nodes - 1, 1)))
    row, last = 0, None
    for i in range(nodes):
        node = lib.ga_solution_node(solution, i)
        if last is not None and node.t == last:
            continue
        for k in range(1, each if last is not None else 1):
            row += 1
            if row % every == 0:
                yield lib.ga_solution_at(solution, last + (node.t - last) * k / each)
        row += last is not None
        if row % every == 0 or i == nodes - 1:
            yield lib.ga_solution_node(solution, i)
        last = node.t


def _keep(session: "Session", state: Any) -> None:
    status = lib.ga_recorder_add(session.recorder, ffi.new("ga_state *", state))
    if status != lib.GA_OK:
        raise failure(status)


def _keep_times(session: "Session", solution: Any, times: Any, begin: float) -> None:
    end = lib.ga_solution_end(solution).t
    slack = 1e-12 * max(abs(begin), abs(end))
    for t in times:
        if begin - slack <= t <= end + slack:
            _keep(session, lib.ga_solution_at(solution, min(max(t, begin), end)))


def _times(given: Any, t0: float, t_end: float) -> Any:
    if given is None:
        return None
    times = np.ascontiguousarray(given, dtype=np.float64)
    if times.ndim != 1 or not np.all(np.isfinite(times)) or np.any(np.diff(times) < 0):
        raise ArgumentError("t_eval: the times must ascend and be finite")
    slack = 1e-12 * max(abs(t0), abs(t_end))
    outside = times[(times < t0 - slack) | (times > t_end + slack)]
    if len(outside):
        raise ArgumentError(f"t_eval: {outside[0]:g} is outside of the run, from {t0:g} to {t_end:g}")
    return times


def solve(
    session: "Session", t0: float, q0: Any, v0: Any, t_end: float, every: int, given: Any,
    mechanism: Any,
) -> None:
    """Solve from (t0, q0, v0) to t_end with the accuracy of the options; after an event with an action
    solve again from there. The worst of these solutions tells the accuracy."""
    if every < 1:
        raise ArgumentError(f"every = {every}: must be at least 1")
    times = _times(given, t0, t_end)
    out, err = ffi.new("ga_solution **"), ffi.new("ga_error *")
    status = lib.ga_solution_new(session.source.model, session.options.c, out, err)
    if status != lib.GA_OK:
        raise failure(status, text(err.text))
    solution = ffi.gc(out[0], lib.ga_solution_free)
    worst: Optional[Accuracy] = None
    try:
        session.add_events(solution, mechanism, lib.ga_py_add_solution_event)
        watch = session.watch()
        lib.ga_solution_stop_when(solution, ffi.addressof(lib, "ga_py_stop"), watch)
        # one thread: Ctrl-C comes to the caller's, and callbacks in Python share their arrays
        lib.ga_solution_set_threads(solution, 1)
        while True:
            status = lib.ga_solution_solve(solution, t0, q0, v0, t_end)
            session.add_stats(lib.ga_solution_stats(solution))
            if status not in (lib.GA_OK, lib.GA_EVENT):
                session.end(status, text(lib.ga_solution_error(solution).text))
                return
            now = _of(solution)
            worst = now if worst is None or not now.error <= worst.error else worst
            if times is None:
                for state in _states(solution, every):
                    _keep(session, state)
            else:
                _keep_times(session, solution, times, t0)
            end = lib.ga_solution_end(solution)
            which = lib.ga_solution_event(solution)
            if status != lib.GA_EVENT or not session.act(which, ffi.new("ga_state *", end)):
                session.end(status, "")
                return
            t0, (q0, v0) = end.t, session.new_start(end)
    finally:
        session.accuracy = worst
        if worst is not None and not worst.reached:
            warnings.warn(worst.text, GenalphaWarning, stacklevel=5)
