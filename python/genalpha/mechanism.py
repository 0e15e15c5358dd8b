# SPDX-License-Identifier: MIT
"""Mechanisms: loaded from a file or built in code by the same names, checked, saved, run."""
from __future__ import annotations

import copy
import os
import threading
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import document as _document
from . import statics
from ._lib import ArgumentError, Error, ffi, lib
from .built import Built
from .elements import Description
from .engine import Session, as_vector
from .events import Event, as_events
from .inputs import Given, kind_of, read_inputs
from .options import given_options, option_names, Options, removed_option, without_superseded
from .run import Run, finished
from .simulation import Simulation
from .table import Table

# What `run` of a model file may say besides the options of the library: about rows, which Python
# takes, about files the tool writes, which it passes over, and the rest, which it refuses.
_ROW_OPTIONS = ("t_end", "every", "out_dt", "stop_when", "input", "interpolate")
_TOOL_FILES = ("out", "plot", "final", "columns", "save_state", "checkpoint_every")


class Mechanism(Description):
    """Bodies, joints, drives, couplers, forces and sensors, by the names of a model file.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    gravity : sequence of 3 numbers, optional
    formulation : {"r3so3", "se3"}, optional
        Of rigid bodies.
    coordinates : {"absolute", "joint", "auto"}, optional
        What the unknowns are: places of bodies, or coordinates of the joints of a spanning tree.

    Notes
    -----
    Every method takes the keys of its section in a model file as keyword arguments (docs/reference/models.md);
    `in` is written `in_`. Numbers may be texts, which are expressions of parameters, and functions
    of t, s and s_dot are always texts. Bodies are given by name or as what :meth:`body` returned.
    A mechanism is built when it is first used; errors name the path inside it, as those of a file.
    """

    report: Sequence[str] = ()  # of import_robot: what was decided and left out
    _libraries = False  # the file may load shared objects

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"], /, *, libraries: bool = False, coordinates: str = "",
             **parameters: Any) -> "Mechanism":
        """A mechanism from a model file; see :func:`load`."""
        m = cls()
        m._libraries, m._coordinates = bool(libraries), coordinates
        m._path, m._tree, m._sets = os.fspath(path), None, dict(parameters)
        m._folder = os.path.dirname(m._path)
        m._try()
        return m

    @classmethod
    def parse(cls, content: str, /, **parameters: Any) -> "Mechanism":
        """A mechanism from the text of a model file."""
        m = cls()
        m._text, m._tree, m._sets = content, None, dict(parameters)
        m._try()
        return m

    def _try(self) -> None:
        """Tell what is wrong with a file, but for start values that :meth:`assemble` can mend."""
        try:
            self.built()
        except Error as error:
            if error.status != "GA_ERR_INITIAL":
                raise

    # ---- what it is ----

    def built(self) -> Built:
        """The mechanism as the library has it; built when something changed."""
        with self._lock:
            if self._built is None:
                self._built = self._make()
            return self._built

    def _make(self) -> Built:
        want, sets, path, given = " ".join(self._want), dict(self._sets), self._path, self._text

        def later() -> str:
            return _document.to_yaml(_document.replaced(self._read(path, given), sets))

        if path is not None:
            return Built(sets, want, later, path=path, functions=self._functions, libraries=self._libraries,
                         coordinates=self._coordinates)
        if given is not None:
            return Built(sets, want, later, content=given, functions=self._functions)
        tree = self._document()
        described = self.to_yaml()
        return Built(sets, want, lambda: described, content=_document.to_yaml(tree), name=str(tree.get("name", "mechanism")),
                     folder=self._folder, functions=self._functions)

    @property
    def name(self) -> str:
        """Its name, or that of its file."""
        return self.built().name

    @property
    def description(self) -> str:
        """What the file says about it."""
        return self.built().description

    @property
    def parameters(self) -> dict[str, float]:
        """Its parameters and their values."""
        return self.built().parameters()

    @property
    def columns(self) -> list[str]:
        """Names of all columns of a run."""
        return list(self.built().columns)

    @property
    def model(self) -> Any:
        """The ga_model of the library, for cffi."""
        return self.built().model

    def with_parameters(self, /, **parameters: Any) -> "Mechanism":
        """The same mechanism with other parameters."""
        other = copy.copy(self)
        other._tree = copy.deepcopy(self._tree)
        other._sets = {**self._sets, **parameters}
        other._want = list(self._want)
        other._lock = threading.RLock()
        other._built = None
        return other

    def to_yaml(self) -> str:
        """The mechanism as the text of a model file."""
        return _document.to_yaml(_document.replaced(self._document(), self._sets))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write a model file that :func:`load` and the tool read."""
        self.built()
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_yaml())

    def __repr__(self) -> str:
        if self._tree is None:
            return f"<Mechanism from {self._path or 'a text'!r}>"
        tree = self._tree
        count = [f"{len(tree[s])} {s}" for s in ("bodies", "joints", "forces") if tree.get(s)]
        return f"<Mechanism {tree.get('name', self._path)!r}: {', '.join(count) or 'empty'}>"

    # ---- before it runs ----

    def check(self) -> dict[str, Any]:
        """What `genalpha check` says about it: degrees of freedom, redundancy, what looks wrong."""
        return statics.report(self)

    def assemble(self, **initial: Any) -> Table:
        """Make start values fit: bodies are moved as little as possible until all joints close.

        Parameters
        ----------
        **initial
            As :meth:`initial`: rates, coordinates, fix=[bodies that stay].

        Returns
        -------
        Table
            How far each body was moved and turned.
        """
        statics.need("ga_mechanism_set_assemble", "assembly")
        self.initial(assemble=True, **initial)
        return statics.moved(self.built())

    def equilibrium(self, t: float = 0.0) -> statics.Equilibrium:
        """A configuration in which it stays at rest, sought downhill from the start values.

        Returns
        -------
        Equilibrium
            Columns by name, and a start for :meth:`run`: ``m.run(at=m.equilibrium())``.
        """
        return statics.equilibrium(self.built(), t)

    def modes(self, at: Any = None, *, t: float = 0.0, count: Optional[int] = None,
              frozen: bool = False) -> statics.Modes:
        """Frequencies, damping and shapes of small motions.

        Parameters
        ----------
        at : Equilibrium or (q, v), optional
            Where; default: the start values.
        t : float
            Time, for what depends on it.
        count : int, optional
            Only the slowest; for large models.
        frozen : bool
            Also about a state whose linearization is not constant in time.

        Returns
        -------
        Modes
        """
        built = self.built()
        q, v = self._start(built, at)
        return statics.modes(built, t, q, v, count, frozen)

    @staticmethod
    def _start(built: Built, given: Any) -> tuple[Any, Any]:
        """Start values: the mechanism's own, or those of an equilibrium, a state or a pair (q, v)."""
        nq, nv = built.sizes["q"], built.sizes["v"]
        if given is None:
            own = lib.ga_mechanism_q0(built.mechanism), lib.ga_mechanism_v0(built.mechanism)
            q, v = (np.frombuffer(ffi.buffer(p, 8 * n)).copy() for p, n in zip(own, (nq, nv)))
            return q, v
        try:
            q, v = given if isinstance(given, tuple) else (given.q, given.v)
        except (AttributeError, ValueError):
            raise ArgumentError("at: an equilibrium or a pair (q, v) is expected") from None
        return as_vector(q, nq, "q"), as_vector(v, nv, "v")

    # ---- runs ----

    def run(
        self,
        t_end: Optional[float] = None,
        h: Optional[float] = None,
        *,
        method: Optional[str] = None,
        rho: Optional[float] = None,
        events: Any = None,
        every: Optional[int] = None,
        t_eval: Any = None,
        out_dt: Optional[float] = None,
        progress: Optional[bool] = None,
        at: Any = None,
        t0: Optional[float] = None,
        inputs: Given = None,
        interpolate: Optional[str] = None,
        **options: Any,
    ) -> Run:
        """Simulate.

        Parameters
        ----------
        t_end : float, optional
            End of the run; default: that of the file, else 1.
        h : float, optional
            Step size; default: that of the file, else 1e-3.
        method, rho : optional
            Method and spectral radius at infinity; default "stab2" and 0.9.
        events : function, str, Event or list of them, optional
            Besides those of the file. Functions get a :class:`State`.
        every : int, optional
            Keep every N-th step, and the last.
        t_eval : sequence of float, optional
            Keep the states at these times instead, by dense output.
        out_dt : float, optional
            The same at equal distances of time.
        progress : bool, optional
            Show a tqdm bar; default: if standard error is a terminal.
        at : Equilibrium or (q, v), optional
            Other start values.
        t0 : float, optional
            Time of the start; default: that of the equilibrium `at`, else 0. Drives and forces are functions of
            this time, so that start values must fit the drives at t0.
        inputs : dict or path of a CSV file, optional
            What inputs do: a number, ``(times, values)``, an array of two columns, or a function of t, which is
            sampled at every step. Of a file the first column is the time, the others have the names of inputs.
        interpolate : {"linear", "hold", "smooth"}, optional
            Inputs between their samples. Where a held value jumps, a step ends and the run restarts, so that order
            2 is kept.
        **options
            Any option of ``genalpha run``, with _ for -: accuracy, rtol, newton_tol, linsol, ...

        Returns
        -------
        Run
            After Ctrl-C what was computed until then, with a warning.

        Raises
        ------
        RunError
            The run failed; its attribute `run` has what was computed.
        """
        built = self.built()
        given = given_options({"h": h, "method": method, "rho": rho, **options})
        rows = {k: v for k, v in {"t_end": t_end, "every": every, "out_dt": out_dt}.items() if v is not None}
        if t_eval is not None and ("every" in rows or "out_dt" in rows):
            raise ArgumentError("t_eval, every and out_dt all say which rows to keep; give one of them")
        chosen, extra = self._options(built, given, rows)
        settings = Options()
        settings.update(chosen, given)
        begin = float(getattr(at, "t", 0.0) if t0 is None else t0)
        end = float(extra.get("t_end", begin + 1.0))
        if not (np.isfinite(begin) and end > begin):
            raise ArgumentError(f"t_end = {end:g}: must be greater than {begin:g}, where the mechanism starts")
        times = t_eval
        if times is None and "out_dt" in extra:
            step = float(extra["out_dt"])
            if not step > 0:
                raise ArgumentError(f"out_dt = {step:g}: must be greater than 0")
            times = begin + np.arange(int((end - begin) / step * (1 + 1e-12)) + 1) * step
        happenings = built.events() + as_events(events)
        if "stop_when" in extra:
            happenings.append(Event(str(extra["stop_when"]), 1, True, "stop_when"))
        session = Session(built, settings, happenings)
        q0, v0 = self._start(built, at)
        given_inputs = extra.get("input") if inputs is None else inputs
        courses = read_inputs(given_inputs, built.inputs(), begin, end, float(settings.c.h))
        session.go(begin, statics.pointer(q0), statics.pointer(v0), end, times=times,
                   every=int(extra.get("every", 1)), progress=progress, mechanism=built.mechanism,
                   inputs=courses, interpolation=kind_of(interpolate or extra.get("interpolate")))
        return finished(built, session, built.name, {**chosen, "t_end": end})

    def simulate(
        self,
        h: Optional[float] = None,
        *,
        method: Optional[str] = None,
        rho: Optional[float] = None,
        events: Any = None,
        at: Any = None,
        t0: Optional[float] = None,
        **options: Any,
    ) -> Simulation:
        """A simulation that is stepped by the program: ``sim.set(u=1)``, ``sim.step()``, ``sim["pin.angle"]``.

        Parameters
        ----------
        h, method, rho, events, at, t0, **options
            As in :meth:`run`. An event with `stop` ends a call of ``step`` or ``run_to``; events with an `action` are
            for :meth:`run`.

        Returns
        -------
        Simulation
        """
        built = self.built()
        chosen, _ = self._options(built, given_options({"h": h, "method": method, "rho": rho, **options}), {})
        settings = Options()
        settings.update(chosen)
        happenings = built.events() + as_events(events)
        if any(event.action is not None for event in happenings):
            raise ArgumentError("events with an action are for run(); here, act between two steps")
        q0, v0 = self._start(built, at)
        begin = float(getattr(at, "t", 0.0) if t0 is None else t0)
        return Simulation(built, settings, happenings, begin, q0, v0)

    @staticmethod
    def _options(
        built: Built, given: Mapping[str, Any], rows: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of the library and options about rows: the file's, replaced by those given."""
        # what the tool does for mechanisms
        library: dict[str, Any] = {"redundant": "allow"} if "redundant" in option_names() else {}
        extra: dict[str, Any] = {}
        for name, value in built.options().items():
            if name in _ROW_OPTIONS:
                extra[name] = value
            elif name in option_names() or removed_option(name):
                library[name] = value
            elif name not in _TOOL_FILES:
                raise ArgumentError(
                    f"run.{name} of the file is an option that only the tool knows: genalpha run"
                )
        if "stop_when" in given:
            extra["stop_when"] = given["stop_when"]
            given = {k: v for k, v in given.items() if k != "stop_when"}
        return {**without_superseded(library, given), **given}, {**extra, **rows}


def load(path: Union[str, "os.PathLike[str]"], /, *, libraries: bool = False, coordinates: str = "",
         **parameters: Any) -> Mechanism:
    """Load a mechanism from a model file, or a robot from URDF.

    Parameters
    ----------
    path : str or path
        The file (docs/reference/models.md, docs/reference/import.md).
    libraries : bool
        Let the section `functions` of the file load shared objects, which may do anything.
    coordinates : {"absolute", "joint", "auto"}, optional
        What the unknowns are, instead of the key `coordinates` of the file.
    **parameters
        New values of parameters of the file: numbers, or expressions as texts.

    Returns
    -------
    Mechanism

    Examples
    --------
    >>> m = load("slider-crank.yaml", r=0.3)                                       # doctest: +SKIP
    """
    return Mechanism.load(path, libraries=libraries, coordinates=coordinates, **parameters)
