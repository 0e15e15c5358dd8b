# SPDX-License-Identifier: MIT
"""A mechanism as the library has it, made from a model file or its text."""
from __future__ import annotations

import json
import os
import re
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ._lib import ArgumentError, encoded, failure, ffi, lib, text
from .engine import emit
from .events import Event
from .source import Source


def _value_function(call: Callable[..., float]) -> Any:
    """A Python function as the library calls it; what it raises becomes not a number, which ends a run."""
    def value(context: Any, n: int, x: Any) -> float:
        return float(call(*(x[i] for i in range(n))))
    return ffi.callback("double(void *, int, const double *)", value, error=float("nan"))


class Built(Source):
    """A mechanism as the library has it: constant, shared by any number of runs and threads."""

    def __init__(self, sets: Mapping[str, Any], want: str, describe: Callable[[], str], *,
                 path: Optional[str] = None, content: str = "", name: Optional[str] = None, folder: str = "",
                 functions: Optional[Mapping[str, Callable[..., float]]] = None, libraries: bool = False,
                 coordinates: str = ""):
        """From a file, from a text, or from the text of what was built in code, which has a name."""
        self._describe = describe
        self.folder = folder or os.path.dirname(path or "")  # of the files that the model names
        log: list[str] = []
        handle = ffi.new_handle(log)
        texts = [(ffi.new("char[]", encoded(k)), ffi.new("char[]", encoded(expression(v, k))))
                 for k, v in sets.items()]
        pairs = ffi.new("ga_file_set[]", [[k, v] for k, v in texts])
        wanted = ffi.new("char[]", encoded(want))
        options = ffi.new("ga_file_options *")
        options.set, options.nset = pairs, len(texts)
        options.want = wanted if want else ffi.NULL
        where = ffi.new("char[]", encoded(folder))
        options.folder = where if folder else ffi.NULL
        options.log, options.log_context = lib.ga_py_log, handle
        self._functions = [(ffi.new("char[]", encoded(k)), _value_function(f)) for k, f in (functions or {}).items()]
        given = ffi.new("ga_file_function[]", [{"name": k, "value": f} for k, f in self._functions])
        options.functions, options.nfunctions = given, len(self._functions)
        options.libraries = libraries
        chosen = ffi.new("char[]", encoded(coordinates))
        options.coordinates = chosen if coordinates else ffi.NULL
        out, err = ffi.new("ga_file **"), ffi.new("ga_error *")
        if path is not None:
            status = lib.ga_file_load(encoded(path), options, out, err)
        else:
            raw = content.encode("utf-8")
            status = lib.ga_file_parse(encoded(name or "text"), raw, len(raw), options, out, err)
        if status != lib.GA_OK:
            message = text(err.text)
            if name is not None:  # lines of a text that nobody has seen
                message = re.sub("^" + re.escape(name) + r"(:\d+:\d+)?: ", "", message)
            raise failure(status if status != lib.GA_ERR_ARG else lib.GA_ERR_FILE, message)
        self.file = ffi.gc(out[0], lib.ga_file_free)
        emit(log, 6)
        self.mechanism = lib.ga_file_mechanism(self.file)
        self.model = lib.ga_mechanism_model(self.mechanism)
        count = lib.ga_mechanism_columns(self.mechanism)
        self.columns = [text(lib.ga_mechanism_column_name(self.mechanism, i)) for i in range(count)]
        self.name = text(lib.ga_file_name(self.file))
        self.description = text(lib.ga_file_description(self.file))
        self._measure()
        usual = _all(lambda i: lib.ga_file_output(self.file, i), lambda i: bool(i < 0))
        self.default = self.columns[: lib.ga_mechanism_default_columns(self.mechanism)]
        self.usual = [self.columns[i] for i in usual] or self.default[1:]

    def options(self) -> dict[str, str]:
        """The section `run` of the file."""
        key, value, line = ffi.new("char **"), ffi.new("char **"), ffi.new("int *")
        options, i = {}, 0
        while lib.ga_file_option(self.file, i, ffi.cast("const char **", key),
                                 ffi.cast("const char **", value), line):
            options[text(key[0]).replace("-", "_")] = text(value[0])
            i += 1
        return options

    def parameters(self) -> dict[str, float]:
        """The section `parameters`, evaluated."""
        name, value = ffi.new("const char **"), ffi.new("double *")
        parameters, i = {}, 0
        while lib.ga_file_parameter(self.file, i, name, value):
            parameters[text(name[0])] = value[0]
            i += 1
        return parameters

    def inputs(self) -> dict[str, int]:
        """Inputs that can be set, and their numbers; sampled states are set by the mechanism."""
        return {text(self.model.input_names[i]): i for i in range(self.model.ninput)
                if not lib.ga_mechanism_input_sampled(self.mechanism, i)}

    def columns_of(self, owner: str) -> dict[str, int]:
        """The columns of a body, joint or sensor: their endings and numbers."""
        begin = owner + "."
        return {name[len(begin):]: i for i, name in enumerate(self.columns) if name.startswith(begin)}

    def events(self) -> list[Event]:
        """The section `events`."""
        c = ffi.new("ga_file_event *")
        events: list[Event] = []
        while lib.ga_file_event_at(self.file, len(events), c):
            events.append(Event(text(c.when), int(c.direction), bool(c.stop), text(c.name)))
        return events

    def compute(self, recorder: Any, names: Sequence[str]) -> "list[np.ndarray[Any, Any]]":
        rows = lib.ga_recorder_rows(recorder)
        arrays = [np.empty(rows) for _ in names]
        indices = ffi.new("int[]", [self.column_index(name) for name in names])
        out = ffi.new("double *[]", [ffi.cast("double *", a.ctypes.data) for a in arrays])
        status = lib.ga_py_columns(self.mechanism, recorder, indices, len(names), out)
        if status != lib.GA_OK:
            raise failure(status)
        return arrays

    def tables(self) -> dict[str, str]:
        """The CSV files that expressions read: names and paths."""
        name, path = ffi.new("const char **"), ffi.new("const char **")
        tables: dict[str, str] = {}
        while lib.ga_file_table(self.file, len(tables), name, path):
            tables[text(name[0])] = text(path[0])
        return tables

    def describe(self) -> str:
        """The model file, with the CSV files that it reads."""
        described = self._describe()
        tables = self.tables()
        if tables and "\nfiles:" not in described:
            described += "files:\n"
            for name, path in tables.items():
                with open(path, encoding="utf-8") as file:
                    described += f"  {json.dumps(name)}: {json.dumps(file.read())}\n"
        return described

    def unit(self, name: str) -> str:
        return text(lib.ga_mechanism_column_unit(self.mechanism, self.column_index(name)))

    def column_at(self, state: Any, name: str) -> float:
        values = ffi.new("double[]", len(self.columns))
        lib.ga_mechanism_outputs(self.mechanism, state, values)
        return float(values[self.column_index(name)])

    def column_index(self, name: str) -> int:
        try:
            return super().column_index(name)
        except KeyError as error:
            if isinstance(name, str) and re.search(r"\.(angle|position|x|y)(_[ab])?(_rate)?$", name):
                said = str(error.args[0])
                between = " If" if said.endswith("?") else "; if"
                hint = f"{said}{between} it is a coordinate of a joint, ask for it: want({name!r})"
                raise KeyError(hint) from None
            raise


def _all(item: Callable[[int], Any], past: Callable[[Any], bool]) -> list[Any]:
    found: list[Any] = []
    while not past(item(len(found))):
        found.append(item(len(found)))
    return found


def expression(value: Any, name: str) -> str:
    if isinstance(value, str):
        return value
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: a number or an expression is expected, not {value!r}") from None
