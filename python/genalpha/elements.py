# SPDX-License-Identifier: MIT
"""Building a mechanism in code: bodies, joints and forces by the names and keys of a model file."""
from __future__ import annotations

import threading
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

from . import document as _document
from ._lib import FileError, schema
from .built import Built, expression
from .options import nearest


class Element:
    """An element of a mechanism; it stands for its name wherever a name is expected.

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


M = TypeVar("M", bound="Description")


class _Joint:
    """``m.revolute(name, a, b, at=..., axis=...)``: a joint of this type."""

    def __init__(self, type: str):
        self.type = type
        self.__doc__ = f"A joint of type {type}: (name, a, b, **fields); see :meth:`Mechanism.joint`."

    def __get__(self, m: "Description", owner: Any = None) -> Callable[..., Element]:
        if m is None:
            return self  # type: ignore[unreachable]

        def joint(name: str, a: Body, b: Body, **fields: Any) -> Element:
            return m.joint(name, self.type, a, b, **fields)

        joint.__doc__ = self.__doc__
        return joint


class Description:
    """The document of a mechanism and the calls that change it; see :class:`Mechanism`."""

    def __init__(
        self, name: str = "mechanism", *, gravity: Optional[Sequence[Any]] = None, formulation: str = "",
        coordinates: str = ""
    ):
        self._path: Optional[str] = None  # of an unchanged file
        self._folder = ""  # of the files that expressions name; "": the working directory
        self._text: Optional[str] = None  # unchanged, as it was given
        self._tree: Optional[_document.Document] = {"genalpha": 1, "name": name}
        self._sets: dict[str, Any] = {}
        self._want: list[str] = []
        self._coordinates = ""  # instead of those of a file
        self._functions: dict[str, Callable[..., float]] = {}
        self._built: Optional[Built] = None
        self._lock = threading.RLock()
        if gravity is not None:
            self._section("gravity", _document.plain(gravity, "gravity"))
        if formulation:
            self._section("formulation", formulation)
        if coordinates:
            self._section("coordinates", coordinates)

    def _read(self, path: Optional[str], given: Optional[str]) -> _document.Document:
        """The tree of a file or a text, with the coordinates that were asked for."""
        tree = _document.read(path) if path is not None else _document.read_text(given or "")
        if self._coordinates:
            tree["coordinates"] = self._coordinates
            tree.get("run", {}).pop("coordinates", None)
        return tree

    def _document(self) -> _document.Document:
        """The tree, to be changed."""
        if self._tree is None:
            self._tree = self._read(self._path, self._text)
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
        if "repeat" in tree or "assemblies" in tree or "include" in tree:
            return
        for body in named:
            if str(body).partition(".")[0] in tree.get("beams", {}) and "." in str(body):
                continue  # a node of a beam
            if body not in bodies:
                raise FileError(f"{where}: there is no body {body!r}{nearest(str(body), bodies)}")

    def body(self, name: str, **fields: Any) -> Element:
        """A body: mass, inertia, com, position, orientation, velocity, shape, kind, ..."""
        return self._add("bodies", name, fields)

    def beam(self, name: str, **fields: Any) -> Element:
        """A flexible body: line, arc or nodes, section or shape and material, damping, load, ...

        Its nodes "NAME.start", "NAME.end", "NAME.n0", .. stand wherever a body may."""
        return self._add("beams", name, fields)

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
    span = _Joint("span")
    point_on_curve = _Joint("point_on_curve")
    rolling_disk = _Joint("rolling_disk")
    rolling_sphere = _Joint("rolling_sphere")
    knife_edge = _Joint("knife_edge")

    def drive(self, name: str, coordinate: str, **fields: Any) -> Element:
        """A coordinate given as a function of time: position="10*t" or rate="10"."""
        return self._add("drives", name, {"coordinate": coordinate, **fields})

    def coupler(self, name: str, **fields: Any) -> Element:
        """A relation of coordinates: sum={"b1.angle": 2, "b2.angle": -1}, equals=0; or, as of a cam,
        sum={"valve.position": 1}, equals="0.01*sin(shaft.angle)"."""
        return self._add("couplers", name, fields)

    def rope(self, name: str, over: Sequence[Any], **fields: Any) -> Element:
        """A rope over points [body, {body: [x, y, z]}, ..]: length, stiffness, damping."""
        return self._add("ropes", name, {"over": over, **fields})

    def limit(self, name: str, coordinate: str, **fields: Any) -> Element:
        """A stop of a coordinate: lower, upper, restitution; a soft one: stiffness, damping."""
        return self._add("limits", name, {"coordinate": coordinate, **fields})

    def contact(self, name: str, a: Body, b: Body, **fields: Any) -> Element:
        """Surfaces of two bodies that touch: plane of a with sphere, disk, box, capsule, points of b, or
        spheres of both; restitution, friction, static_friction; soft: stiffness, damping."""
        return self._add("contacts", name, {"between": [a, b], **fields})

    def contacts(self, name: str, bodies: Sequence[Body], **fields: Any) -> Element:
        """Each of these bodies with each, by their shapes (spheres, boxes): restitution, friction, .."""
        return self._add("contacts", name, {"all": list(bodies), **fields})

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

    def assembly(self, name: str, **fields: Any) -> Element:
        """A sub-assembly: file or template, parameters, position, orientation, velocity, in_; the names
        of what it contains begin with NAME_."""
        return self._add("assemblies", name, fields)

    def backlash(self, name: str, sum: Mapping[str, Any], **fields: Any) -> Element:
        """Play of gears: sum={"a.angle": 1, "b.angle": 3}, gap, stiffness, damping, free."""
        return self._add("forces", name, {"type": "backlash", "sum": sum, **fields})

    def sensor(self, name: str, type: str, **fields: Any) -> Element:
        """Further columns: type "point" (body, at), "distance" (between, at) or "angle"."""
        return self._add("sensors", name, {"type": type, **fields})

    def parameter(self, name: str, value: Any) -> str:
        """A named number that expressions below it may use; returns its name."""
        expression(value, f"parameters.{name}")
        self._section("parameters", {**self._document().get("parameters", {}),
                                     name: _document.plain(value, f"parameters.{name}")})
        return name

    def input(self, name: str, value: Any = 0) -> str:
        """A number that functions use and that is set while a run lasts, `value` at first; returns its name."""
        expression(value, f"inputs.{name}")
        self._section("inputs", {**self._document().get("inputs", {}),
                                 name: _document.plain(value, f"inputs.{name}")})
        return name

    def state(self, name: str, rate: Any = None, **fields: Any) -> str:
        """A state of a controller, z' = rate, an expression that may use it: start, size; or value and every, if it
        is sampled; returns its name."""
        self._add("states", name, {"rate": rate, **fields})
        return name

    def controller(self, name: str, type: str, **fields: Any) -> str:
        """A ready controller, type "pid" or "servo": target, input or coordinate, kp, ki, kd, ..; returns its name."""
        self._add("controllers", name, {"type": type, **fields})
        return name

    def friction(self, name: str, coordinate: str, **fields: Any) -> Element:
        """Dry friction on a coordinate of a joint: friction, static_friction, speed."""
        return self._add("forces", name, {"type": "friction", "coordinate": coordinate, **fields})

    def function(self, name: str, call: Callable[..., float], uses: Sequence[str] = ()) -> dict[str, Any]:
        """A Python function for a law, value or rate: call(variables of the place, then the signals `uses`).

        It is differentiated by differences, and called under Python's lock: one thread at a time. Expressions are
        faster and exact.
        """
        with self._lock:
            self._functions[name] = call
            self._built = None
        return {"function": name, "uses": list(uses)}

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
        """Elements with an index in their names and numbers; see docs/reference/models.md."""
        entry = {"index": index, "from": first, "to": last, **sections}
        self._section("repeat", [*self._document().get("repeat", []),
                                 _document.plain(entry, "repeat")])

    def want(self: M, *coordinates: str) -> M:
        """Make coordinates of joints exist, so that they are columns; returns the mechanism."""
        with self._lock:
            self._want += [str(c) for c in coordinates if str(c) not in self._want]
            self._built = None
        return self
