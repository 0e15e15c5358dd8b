# SPDX-License-Identifier: MIT
"""Mechanisms: loaded from a file or built in code by the same names, checked, saved, run."""
from __future__ import annotations

import copy
import os
import threading
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import document as _document
from ._lib import ArgumentError, FileError, lib, schema
from .built import Built, expression
from .engine import Session
from .events import Event, as_events
from .options import Options, nearest, option_names, without_superseded
from .run import Run, finished

# What `run` of a model file may say besides the options of the library: about rows, which Python
# takes, about files the tool writes, which it passes over, and the rest, which it refuses.
_ROW_OPTIONS = ("t_end", "every", "out_dt", "stop_when")
_TOOL_FILES = ("out", "plot", "final", "columns", "save_state", "checkpoint_every")


class Element:
    """A part of a mechanism; stands for its name wherever a name is expected.

    ``joint["angle"]`` is the name of a coordinate, for drives and columns.
    """

    def __init__(self, name: str):
        self.name = name

    def __getitem__(self, coordinate: str) -> str:
        return f"{self.name}.{coordinate}"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{self.name}>"


ground = Element("ground")
Body = Union[str, Element]


class _Joint:
    """``m.revolute(name, a, b, at=..., axis=...)``: a joint of this type."""

    def __init__(self, type: str):
        self.type = type
        self.__doc__ = f"A joint of type {type}: (name, a, b, **fields); see :meth:`Mechanism.joint`."

    def __get__(self, m: "Mechanism", owner: Any = None) -> Callable[..., Element]:
        if m is None:
            return self  # type: ignore[unreachable]

        def joint(name: str, a: Body, b: Body, **fields: Any) -> Element:
            return m.joint(name, self.type, a, b, **fields)

        joint.__doc__ = self.__doc__
        return joint


class Mechanism:
    """Bodies, joints, drives, couplers, forces and sensors, by the names of a model file.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    gravity : sequence of 3 numbers, optional
    formulation : {"r3so3", "se3"}, optional
        Of rigid bodies.

    Notes
    -----
    Every method takes the keys of its section in a model file as keyword arguments (docs/models.md);
    `in` is written `in_`. Numbers may be texts, which are expressions of parameters, and functions
    of t, s and s_dot are always texts. Bodies are given by name or as what :meth:`body` returned.
    A mechanism is built when it is first used; errors name the path inside it, as those of a file.
    """

    def __init__(
        self, name: str = "mechanism", *, gravity: Optional[Sequence[Any]] = None, formulation: str = ""
    ):
        self._path: Optional[str] = None  # of an unchanged file
        self._text: Optional[str] = None  # unchanged, as it was given
        self._tree: Optional[_document.Document] = {"genalpha": 1, "name": name}
        self._sets: dict[str, Any] = {}
        self._want: list[str] = []
        self._built: Optional[Built] = None
        self._lock = threading.RLock()
        if gravity is not None:
            self._section("gravity", _document.plain(gravity, "gravity"))
        if formulation:
            self._section("formulation", formulation)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"], /, **parameters: Any) -> "Mechanism":
        """A mechanism from a model file; see :func:`load`."""
        m = cls()
        m._path, m._tree, m._sets = os.fspath(path), None, dict(parameters)
        m.built()
        return m

    @classmethod
    def parse(cls, content: str, /, **parameters: Any) -> "Mechanism":
        """A mechanism from the text of a model file."""
        m = cls()
        m._text, m._tree, m._sets = content, None, dict(parameters)
        m.built()
        return m

    # ---- building ----

    def _document(self) -> _document.Document:
        """The tree, to be changed."""
        if self._tree is None:
            self._tree = (_document.read(self._path) if self._path is not None
                          else _document.read_text(self._text or ""))
        return self._tree

    def _section(self, key: str, value: Any) -> None:
        with self._lock:
            self._document()[key] = value
            self._path = self._text = self._built = None

    def _add(self, section: str, name: str, fields: Mapping[str, Any]) -> Element:
        entry = {}
        table = schema()["$defs"][f"{section}_entry"]
        where = f"{section}.{name}"
        for key, value in fields.items():
            key = key.rstrip("_")
            if key not in table["properties"]:
                hint = nearest(key, table["properties"]) or "; known are " + ", ".join(table["properties"])
                raise FileError(f"{where}: unknown key {key!r}{hint}")
            if value is not None:
                entry[key] = _document.plain(value, f"{where}.{key}")
        for key in table["required"]:
            if key not in entry:
                raise FileError(f"{where}: the key {key!r} is missing")
        with self._lock:
            tree = self._document()
            for other in schema()["properties"]:
                entries = tree.get(other)
                if f"{other}_entry" in schema()["$defs"] and entries and name in entries:
                    raise FileError(f"{where}: the name {name!r} is taken, see {other}.{name}")
            self._known_bodies(where, entry, tree)
            tree.setdefault(section, {})[name] = entry
            self._path = self._text = self._built = None
        return Element(name)

    @staticmethod
    def _known_bodies(where: str, entry: Mapping[str, Any], tree: Mapping[str, Any]) -> None:
        bodies = ["ground", *tree.get("bodies", {})]
        named = list(entry.get("between", [])) + ([entry["body"]] if "body" in entry else [])
        if "repeat" in tree:
            return
        for body in named:
            if body not in bodies:
                raise FileError(f"{where}: there is no body {body!r}{nearest(str(body), bodies)}")

    def body(self, name: str, **fields: Any) -> Element:
        """A body: mass, inertia, com, position, orientation, velocity, shape, kind, ..."""
        return self._add("bodies", name, fields)

    def joint(self, name: str, type: str, a: Body, b: Body, **fields: Any) -> Element:
        """A joint of a type between bodies a and b: at, axis, x_axis, length, radius, ..."""
        return self._add("joints", name, {"type": type, "between": [a, b], **fields})

    fixed = _Joint("fixed")
    revolute = _Joint("revolute")
    prismatic = _Joint("prismatic")
    cylindrical = _Joint("cylindrical")
    spherical = _Joint("spherical")
    universal = _Joint("universal")
    planar = _Joint("planar")
    orientation = _Joint("orientation")
    parallel = _Joint("parallel")
    point_on_line = _Joint("point_on_line")
    point_on_plane = _Joint("point_on_plane")
    distance = _Joint("distance")
    rolling_disk = _Joint("rolling_disk")
    rolling_sphere = _Joint("rolling_sphere")
    knife_edge = _Joint("knife_edge")

    def drive(self, name: str, coordinate: str, **fields: Any) -> Element:
        """A coordinate given as a function of time: position="10*t" or rate="10"."""
        return self._add("drives", name, {"coordinate": coordinate, **fields})

    def coupler(self, name: str, **fields: Any) -> Element:
        """A linear relation of coordinates: sum={"b1.angle": 2, "b2.angle": -1}, equals=0."""
        return self._add("couplers", name, fields)

    def force(self, name: str, body: Body, **fields: Any) -> Element:
        """A force at a point of a body: value, at, frame."""
        return self._add("forces", name, {"type": "force", "body": body, **fields})

    def torque(self, name: str, body: Body, **fields: Any) -> Element:
        """A torque on a body: value, frame."""
        return self._add("forces", name, {"type": "torque", "body": body, **fields})

    def spring(self, name: str, a: Body, b: Body, **fields: Any) -> Element:
        """A spring between points of two bodies: at, stiffness, damping, length, law."""
        return self._add("forces", name, {"type": "spring", "between": [a, b], **fields})

    def torsion(self, name: str, coordinate: str, **fields: Any) -> Element:
        """An effort on a coordinate: stiffness, damping, free, law."""
        return self._add("forces", name, {"type": "torsion", "coordinate": coordinate, **fields})

    def bushing(self, name: str, a: Body, b: Body, **fields: Any) -> Element:
        """A compliant joint: at, axis, x_axis, stiffness, damping."""
        return self._add("forces", name, {"type": "bushing", "between": [a, b], **fields})

    def sensor(self, name: str, type: str, **fields: Any) -> Element:
        """Further columns: type "point" (body, at), "distance" (between, at) or "angle"."""
        return self._add("sensors", name, {"type": type, **fields})

    def parameter(self, name: str, value: Any) -> str:
        """A named number that expressions below it may use; returns its name."""
        expression(value, f"parameters.{name}")
        self._section("parameters", {**self._document().get("parameters", {}),
                                     name: _document.plain(value, f"parameters.{name}")})
        return name

    def initial(self, **fields: Any) -> None:
        """Start values: rates={"bearing.angle": 10}, coordinates={...}."""
        self._section("initial", {**self._document().get("initial", {}),
                                  **{k: _document.plain(v, f"initial.{k}") for k, v in fields.items()}})

    def event(self, name: str, when: str, **fields: Any) -> None:
        """An event of the model file: when, rising, falling, stop."""
        entry: dict[str, Any] = {"when": when, **{k: _document.plain(v, name) for k, v in fields.items()}}
        self._section("events", {**self._document().get("events", {}), name: entry})

    def output(self, *columns: str) -> None:
        """The usual columns of tables and plots; coordinates named here exist."""
        self._section("output", list(columns))

    def defaults(self, **options: Any) -> None:
        """Options of :meth:`run` that the file keeps: t_end, h, method, rho, ..."""
        self._section("run", {k: _document.plain(v, f"run.{k}") for k, v in options.items()})

    def repeat(self, index: str, first: Any, last: Any, **sections: Any) -> None:
        """Elements with an index in their names and numbers; see docs/models.md."""
        entry = {"index": index, "from": first, "to": last, **sections}
        self._section("repeat", [*self._document().get("repeat", []),
                                 _document.plain(entry, "repeat")])

    def want(self, *coordinates: str) -> "Mechanism":
        """Make coordinates of joints exist, so that they are columns; returns the mechanism."""
        with self._lock:
            self._want += [str(c) for c in coordinates if str(c) not in self._want]
            self._built = None
        return self

    # ---- what it is ----

    def built(self) -> Built:
        """The mechanism as the library has it; built when something changed."""
        with self._lock:
            if self._built is None:
                self._built = self._make()
            return self._built

    def _make(self) -> Built:
        want = " ".join(self._want)
        if self._path is not None:
            return Built(self._sets, want, path=self._path)
        if self._text is not None:
            return Built(self._sets, want, content=self._text)
        tree = self._document()
        return Built(self._sets, want, content=_document.to_yaml(tree), name=str(tree.get("name", "mechanism")))

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
        """Names of everything a run can tell."""
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
        tree = dict(self._document())
        if self._sets:
            tree["parameters"] = {**tree.get("parameters", {}),
                                  **{k: _document.plain(v, k) for k, v in self._sets.items()}}
        return _document.to_yaml(tree)

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
        **options
            Any option of ``genalpha run``, with _ for -: rtol, newton_tol, start, linsol, ...

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
        given = {k: v for k, v in {"h": h, "method": method, "rho": rho, **options}.items() if v is not None}
        rows = {k: v for k, v in {"t_end": t_end, "every": every, "out_dt": out_dt}.items() if v is not None}
        if t_eval is not None and ("every" in rows or "out_dt" in rows):
            raise ArgumentError("t_eval, every and out_dt all say which rows to keep; give one of them")
        chosen, extra = self._options(built, given, rows)
        settings = Options()
        settings.update(chosen)
        end = float(extra.get("t_end", 1.0))
        if not end > 0:
            raise ArgumentError(f"t_end = {end:g}: must be greater than 0, where the mechanism starts")
        times = t_eval
        if times is None and "out_dt" in extra:
            step = float(extra["out_dt"])
            if not step > 0:
                raise ArgumentError(f"out_dt = {step:g}: must be greater than 0")
            times = np.arange(int(end / step * (1 + 1e-12)) + 1) * step
        happenings = built.events() + as_events(events)
        if "stop_when" in extra:
            happenings.append(Event(str(extra["stop_when"]), 1, True, "stop_when"))
        session = Session(built, settings, happenings)
        m = built.mechanism
        session.go(0.0, lib.ga_mechanism_q0(m), lib.ga_mechanism_v0(m), end, times=times,
                   every=int(extra.get("every", 1)), progress=progress, mechanism=m)
        return finished(built, session, built.name, {**chosen, "t_end": end}, self.to_yaml())

    @staticmethod
    def _options(
        built: Built, given: Mapping[str, Any], rows: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of the library and options about rows: the file's, replaced by those given."""
        library: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for name, value in built.options().items():
            if name in _ROW_OPTIONS:
                extra[name] = value
            elif name in option_names():
                library[name] = value
            elif name not in _TOOL_FILES:
                raise ArgumentError(
                    f"run.{name} of the file is an option that only the tool knows: genalpha run"
                )
        if "stop_when" in given:
            extra["stop_when"] = given["stop_when"]
            given = {k: v for k, v in given.items() if k != "stop_when"}
        return {**without_superseded(library, given), **given}, {**extra, **rows}


def load(path: Union[str, "os.PathLike[str]"], /, **parameters: Any) -> Mechanism:
    """Load a mechanism from a model file.

    Parameters
    ----------
    path : str or path
        The file (docs/models.md).
    **parameters
        Replace parameters of the file in place: numbers, or expressions as texts.

    Returns
    -------
    Mechanism

    Examples
    --------
    >>> m = load("slider-crank.yaml", r=0.3)                                       # doctest: +SKIP
    """
    return Mechanism.load(path, **parameters)
