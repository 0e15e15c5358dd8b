# SPDX-License-Identifier: MIT
"""Runs as files of results (HDF5), which the tool reads: genalpha plot, view, export."""
from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from ._lib import Error, encoded, failure, lib, text, version

if TYPE_CHECKING:
    from .run import Run

_lock = threading.Lock()  # the library of results serves one thread at a time
_AT_ONCE = 2_000_000  # numbers


def _library() -> tuple[Any, Any]:
    try:
        from . import _results
    except ImportError:
        raise Error(
            "HDF5 needs the library libgenalpha_results, which was not installed when this package "
            "was built; save as .csv or .npz"
        ) from None
    if not _results.lib.ga_results_available():
        raise Error("this libgenalpha_results was built without HDF5 (Debian: libhdf5-dev)")
    return _results.ffi, _results.lib


def write(run: "Run", path: str, columns: Optional[Sequence[str]]) -> None:
    """All columns of a run, the chosen ones first, with the model, the options and the counts."""
    ffi, results = _library()
    chosen = list(run.table(columns))
    names = chosen + [name for name in run.source.default if name not in chosen]
    keep: list[Any] = []

    def c_text(value: str) -> Any:
        keep.append(ffi.new("char[]", encoded(value)))
        return keep[-1]

    head = ffi.new("ga_results_head *")
    described = ffi.new("ga_results_column[]", len(names))
    for item, name in zip(described, names):
        item.name, item.unit = c_text(name), c_text(run.source.unit(name))
    head.column, head.ncolumn, head.nchosen = described, len(names), len(chosen)
    head.title, head.version = c_text(run.name), c_text("genalpha " + version)
    head.model, head.model_name = c_text(run.model_text), c_text(run.name)
    head.options = c_text(json.dumps(run.options))
    head.contact_size = _longest_contact(run)
    writer, err = ffi.new("ga_results_writer **"), ffi.new("ga_error *")
    with _lock:
        status = results.ga_results_create(encoded(path), head, writer, err)
        if status != lib.GA_OK:
            raise failure(status, text(err.text))
        done = _append(run, names, writer[0], ffi, results)
        if done == lib.GA_OK:
            done = _append_impacts(run, writer[0], ffi, results)
        counts = json.dumps({key: float(value) for key, value in run.stats.items()})
        if done == lib.GA_OK:
            results.ga_results_set_statistics(writer[0], encoded(counts))
        status = results.ga_results_close(writer[0], err)
    if status != lib.GA_OK or done != lib.GA_OK:
        raise failure(status or done, text(err.text))


def _append(run: "Run", names: Sequence[str], writer: Any, ffi: Any, results: Any) -> int:
    table = [run[name] for name in names]
    step = max(_AT_ONCE // len(names), 1)
    for first in range(0, len(run), step):
        rows = np.column_stack([column[first: first + step] for column in table])
        status: int = results.ga_py_append(
            writer, ffi.from_buffer("double[]", np.ascontiguousarray(rows)), len(rows), len(names)
        )
        if status != lib.GA_OK:
            return status
    return int(lib.GA_OK)


def _longest_contact(run: "Run") -> int:
    """Bytes of the longest name of a contact of the model, 0 without contacts."""
    model = run.source.model
    names = [encoded(text(model.contacts[i].name)) for i in range(model.ncontacts)]
    return max((len(name) for name in names), default=0)


def _append_impacts(run: "Run", writer: Any, ffi: Any, results: Any) -> int:
    for c in run.impacts:
        kind, contact = ffi.new("char[]", encoded(c.kind)), ffi.new("char[]", encoded(c.contact))
        one = ffi.new(
            "ga_results_impact *", [c.t, kind, contact, c.un_before, c.un_after, *c.impulse, c.energy]
        )
        status: int = results.ga_results_append_impact(writer, one)
        if status != lib.GA_OK:
            return status
    return int(lib.GA_OK)
