# SPDX-License-Identifier: MIT
"""What a run gives back: arrays over the library's memory, columns by name, tables, pictures."""
from __future__ import annotations

import os
import warnings
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import view as _view
from ._lib import Error, failure, lib, view
from .engine import Session, succeeded
from .options import GenalphaWarning
from .source import STATE_FIELDS, Source

Array = Any  # numpy.ndarray; its generic form differs between versions of NumPy


class Run:
    """The result of a run.

    Attributes
    ----------
    t : ndarray, shape (n,)
        Times of the rows.
    q, v, vd, lam, psi : ndarray, shape (n, ...)
        Configurations, velocities, their derivatives, multipliers of holonomic and nonholonomic
        constraints, row by row. The arrays are views of the library's memory, read-only; they keep
        it alive.
    success : bool
        The run came to its end, or to an event that ends it.
    message : str
        Why it ended earlier; empty if it did not.
    events : list of Happened
        Events met, in order of time.
    impacts : list of Change
        Changes of contacts: impacts, and where a contact stops, slides or lifts.
    accuracy : Accuracy or None
        With ``accuracy=``: what was asked for, reached or not, estimates, order, method, text.
    stats : dict
        Counters of the integrator: steps, newton_its, matrices, max_g and others.
    name : str
        Name of the mechanism.
    options : dict
        The options the run was made with.

    ``run["crank.x"]`` is a column, ``run[["crank.x", "crank.y"]]`` a table of two.
    """

    def __init__(self, source: Source, session: Session, name: str, options: dict[str, Any]):
        self.source = source
        self._recorder = session.recorder
        self._cache: dict[str, Array] = {}
        self.success = succeeded(session.status)
        self.message = session.message
        self.events = list(session.happened)
        self.impacts = list(session.impacts)
        self.stats = session.stats
        self.accuracy = session.accuracy
        self.name = name
        self.options = options
        rows = lib.ga_recorder_rows(self._recorder)
        for number, field in enumerate(STATE_FIELDS):
            pointer = lib.ga_recorder_field(self._recorder, number)
            shape = (rows,) if field == "t" else (rows, source.sizes[field])
            setattr(self, field, view(pointer, shape, self._recorder))

    t: Array
    q: Array
    v: Array
    vd: Array
    lam: Array
    psi: Array

    @property
    def model_text(self) -> str:
        """The mechanism as a model file; empty for own equations."""
        return self.source.describe()

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self.source.columns)

    @property
    def usual_columns(self) -> list[str]:
        """Names of the columns that tables and plots have by default."""
        return list(self.source.usual)

    def __len__(self) -> int:
        return len(self.t)

    def __contains__(self, name: object) -> bool:
        return name in self.source.columns

    def __getitem__(self, name: Union[str, Sequence[str]]) -> Array:
        if isinstance(name, str):
            return self._columns([name])[0]
        return np.column_stack(self._columns(list(name)))

    def _columns(self, names: Sequence[str]) -> list[Array]:
        for name in names:
            self.source.column_index(name)
        new = [name for name in dict.fromkeys(names) if name not in self._cache]
        if new:
            # the columns of the usual table are asked for together: one pass gives them all
            if not self._cache and len(self.source.usual) * len(self) < 5_000_000:
                new = list(dict.fromkeys(new + self.source.usual))
            for name, column in zip(new, self.source.compute(self._recorder, new)):
                column.flags.writeable = False
                self._cache[name] = column
        return [self._cache[name] for name in names]

    def final(self, name: str) -> float:
        """A column at the end of the run."""
        return float(self[name][-1])

    def table(self, columns: Optional[Sequence[str]] = None) -> dict[str, Array]:
        """Columns by name, `t` first.

        Parameters
        ----------
        columns : sequence of str, optional
            Default: the usual ones, those of `output` in a model file.
        """
        names = list(self.source.usual if columns is None else columns)
        names = ["t"] + [name for name in names if name != "t"]
        return dict(zip(names, self._columns(names)))

    def to_pandas(self, columns: Optional[Sequence[str]] = None) -> Any:
        """The table as a pandas.DataFrame with t as index."""
        try:
            import pandas
        except ImportError:
            raise Error("to_pandas needs pandas (Debian: python3-pandas)") from None
        return pandas.DataFrame(self.table(columns)).set_index("t")

    def plot(self, *columns: str, ax: Any = None, **style: Any) -> Any:
        """Draw columns over time with matplotlib.

        Parameters
        ----------
        *columns : str
            Names; none: those of `output`, at most eight.
        ax : matplotlib axes, optional
        **style
            Passed on to matplotlib's ``plot``.

        Returns
        -------
        matplotlib axes
        """
        return _view.plot(self, columns, ax, style)

    def save(self, path: Union[str, "os.PathLike[str]"], columns: Optional[Sequence[str]] = None) -> None:
        """Write the run to a file: CSV, NumPy's .npz, or HDF5 (.h5), by the ending of its name."""
        _view.save(self, os.fspath(path), columns)

    def view(self, path: Optional[str] = None, show: bool = True) -> str:
        """The animated page of the run; opens it in a browser.

        Parameters
        ----------
        path : str, optional
            Where to write the page; default: a temporary file.
        show : bool
            Open it.

        Returns
        -------
        str
            The path of the page.
        """
        return _view.page(self, path, show)

    def __repr__(self) -> str:
        what = "" if self.success else f", {self.message}"
        end = f"t = {self.t[0]:g} .. {self.t[-1]:g}" if len(self) else "no rows"
        return f"<Run {self.name!r}: {len(self)} rows, {end}, {self.stats.get('steps', 0)} steps{what}>"

    def _repr_html_(self) -> str:
        return _view.html(self)


def finished(source: Source, session: Session, name: str, options: dict[str, Any]) -> Run:
    """The result of a session, or the exception that carries it."""
    run = Run(source, session, name, options)
    if run.success:
        return run
    if session.status == lib.GA_STOPPED:
        when = f"at t = {run.t[-1]:.6g}" if len(run) else "before its first step"
        warnings.warn(f"the run was {run.message or 'stopped'} {when}", GenalphaWarning, stacklevel=3)
        return run
    raise failure(session.status, run.message, run)
