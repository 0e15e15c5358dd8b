# SPDX-License-Identifier: MIT
"""The compiled library: its exceptions, its texts, its arrays."""
from __future__ import annotations

import atexit
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._genalpha import ffi as ffi
from ._genalpha import lib as lib

if TYPE_CHECKING:
    from .run import Run

# Runs of other threads end after their step when the interpreter goes.
atexit.register(lib.ga_py_end)


class Error(Exception):
    """What the library refuses or cannot do, in its own words.

    Attributes
    ----------
    status : str
        Name of the library's status, for example ``"GA_RETRY_NEWTON"``.
    run : Run or None
        What had been computed when a run failed.
    """

    def __init__(self, message: str, status: str = "", run: Optional["Run"] = None):
        super().__init__(message)
        self.status = status
        self.run = run


class ArgumentError(Error, ValueError):
    """An argument, an option or a name that is not allowed."""


class FileError(Error, ValueError):
    """A model file, or a mechanism built in code, that is wrong."""


class FileAccessError(Error, OSError):
    """A file that cannot be read or written."""


class OutOfMemory(Error, MemoryError):
    """The library could not allocate memory."""


class RunError(Error, ArithmeticError):
    """A run that ended before its end; its attribute `run` has what was computed."""


_KINDS: dict[int, type[Error]] = {
    lib.GA_ERR_ARG: ArgumentError,
    lib.GA_ERR_METHOD: ArgumentError,
    lib.GA_ERR_BACKEND: ArgumentError,
    lib.GA_ERR_MEM: OutOfMemory,
    lib.GA_ERR_IO: FileAccessError,
    lib.GA_ERR_FILE: FileError,
}


def text(pointer: Any) -> str:
    """A C string as Python's."""
    return str(ffi.string(pointer).decode("utf-8", "replace")) if pointer else ""


def failure(status: int, message: str = "", run: Optional["Run"] = None) -> Error:
    """The exception that stands for a status."""
    kind = _KINDS.get(status, RunError if run is not None or status > 0 else Error)
    name = text(lib.ga_status_name(status))
    return kind(message or text(lib.ga_status_text(status)), name, run)


def check(status: int, err: Any = None) -> None:
    """Raise what a call of the library reported."""
    if status != lib.GA_OK:
        raise failure(status, text(err.text) if err is not None else "")


def encoded(value: str) -> bytes:
    """A text for the library, which ends its texts with a zero byte."""
    raw = value.encode("utf-8")
    if b"\0" in raw:
        raise ArgumentError(f"the text {value!r} has a zero byte inside")
    return raw


class _View:
    """Memory of the library as NumPy sees it; `owner` keeps it alive."""

    def __init__(self, pointer: Any, shape: tuple[int, ...], owner: Any):
        self.owner = owner
        address = int(ffi.cast("uintptr_t", pointer))
        self.__array_interface__ = {
            "shape": shape,
            "typestr": np.dtype(np.float64).str,
            "data": (address, True),
            "version": 3,
        }


def view(pointer: Any, shape: tuple[int, ...], owner: Any) -> "np.ndarray[Any, Any]":
    """A read-only array over memory of the library, without a copy."""
    if 0 in shape or not pointer:
        return np.zeros(shape)
    return np.asarray(_View(pointer, shape, owner))


def own_text(pointer: Any) -> str:
    """A text that the library made for us, released."""
    try:
        return text(pointer)
    finally:
        lib.ga_py_free(pointer)


@lru_cache(maxsize=None)
def schema() -> Any:
    """JSON Schema of model files, from the library's own tables."""
    return json.loads(own_text(lib.ga_py_schema()))


version = text(lib.ga_version())
