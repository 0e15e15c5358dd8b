# SPDX-License-Identifier: MIT
"""Pictures, pages and files of a run. What is optional says what it needs."""
from __future__ import annotations

import html as _html
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from . import hdf5
from ._lib import ArgumentError, Error, FileAccessError, lib, text

if TYPE_CHECKING:
    from .run import Run

_PLOT_MAX = 8  # columns of a plot without names
_EMBED_MAX = 1_000_000  # numbers of a run that a notebook shows by itself


def plot(run: "Run", columns: Sequence[str], ax: Any, style: dict[str, Any]) -> Any:
    """Columns over time."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise Error("plot needs matplotlib (Debian: python3-matplotlib)") from None
    names = list(columns) or run.usual_columns[:_PLOT_MAX]
    values = [run[name] for name in names]
    if ax is None:
        _, ax = pyplot.subplots()
    for name, column in zip(names, values):
        ax.plot(run.t, column, label=name, **style)
    ax.set_xlabel("t [s]")
    ax.set_title(run.name)
    ax.grid(True, alpha=0.3)
    ax.legend()
    return ax


def tool() -> str:
    """The command-line tool that came with the library."""
    own = os.path.join(text(lib.ga_py_prefix()), "bin", "genalpha")
    found = own if os.access(own, os.X_OK) else shutil.which("genalpha")
    if not found:
        raise Error("the tool genalpha is not installed beside the library, nor on PATH")
    return found


def save(run: "Run", path: str, columns: Optional[Sequence[str]]) -> None:
    """Write a run by the ending of the name."""
    ending = os.path.splitext(path)[1].lower()
    writer = {".csv": _save_csv, ".npz": _save_npz, ".h5": _save_h5, ".hdf5": _save_h5}.get(ending)
    if writer is None:
        raise ArgumentError(f"'{path}': the name must end with .csv, .npz or .h5")
    try:
        writer(run, path, columns)
    except OSError as error:
        if isinstance(error, Error):
            raise
        raise FileAccessError(f"{path}: cannot be written: {error.strerror}") from None


def _save_csv(run: "Run", path: str, columns: Optional[Sequence[str]]) -> None:
    table = run.table(columns)
    heads = [f'"{name}"' if "," in name else name for name in table]
    np.savetxt(path, np.column_stack(list(table.values())), fmt="%.17g", delimiter=",",
               header=",".join(heads), comments="")


def _save_npz(run: "Run", path: str, columns: Optional[Sequence[str]]) -> None:
    np.savez_compressed(path, **run.table(columns))


def _save_h5(run: "Run", path: str, columns: Optional[Sequence[str]]) -> None:
    hdf5.write(run, path, columns)


def page(run: "Run", path: Optional[str], show: bool) -> str:
    """The page that `genalpha view` makes of the run."""
    import webbrowser

    if path is None:
        handle, path = tempfile.mkstemp(prefix="genalpha-", suffix=".html")
        os.close(handle)
    make_page(run, path)
    if show:
        webbrowser.open("file://" + os.path.abspath(path))
    return path


def make_page(run: "Run", path: str) -> None:
    """Write the page; an Error says why not."""
    if not run.model_text:
        raise Error("only runs of mechanisms have pages: own equations have no bodies to show")
    program = tool()
    with tempfile.TemporaryDirectory(prefix="genalpha-") as directory:
        results = os.path.join(directory, "run.h5")
        hdf5.write(run, results, None)
        # files that the model names, such as meshes, are found from its folder
        folder = getattr(run.source, "folder", "") or None
        done = subprocess.run([program, "view", results, "--out", os.path.abspath(path)], capture_output=True, text=True,
                              cwd=folder)
    if done.returncode != 0:
        raise Error(f"genalpha view made no page: {done.stderr.strip()}")


def html(run: "Run") -> str:
    """A run in a notebook: the end of its usual columns, and the page where there is one."""
    return _summary(run) + _embedded(run)


def _embedded(run: "Run") -> str:
    """The page inside a frame, so that it has nothing to do with the notebook's own."""
    if not run.model_text or not len(run) or len(run) * len(run.source.default) > _EMBED_MAX:
        return ""
    try:
        with tempfile.TemporaryDirectory(prefix="genalpha-") as directory:
            path = os.path.join(directory, "page.html")
            make_page(run, path)
            with open(path, encoding="utf-8") as file:
                content = file.read()
    except Error:
        return ""  # the summary is there
    return (f'<iframe srcdoc="{_html.escape(content, quote=True)}" width="100%" height="520" '
            'style="border:1px solid #ccc"></iframe>')


def _summary(run: "Run") -> str:
    names = run.usual_columns[:_PLOT_MAX]
    rows = "".join(
        f"<tr><td>{_html.escape(name)}</td><td>{run.final(name):.6g}</td></tr>" for name in names
    ) if len(run) else ""
    return f"<p>{_html.escape(repr(run))}</p><table><tr><th>column</th><th>end</th></tr>{rows}</table>"
