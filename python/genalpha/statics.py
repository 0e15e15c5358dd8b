# SPDX-License-Identifier: MIT
"""What is asked of a mechanism before it runs: start values, equilibrium, frequencies, a check."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._lib import Error, check, ffi, lib, text
from .table import Table
from .view import tool

if TYPE_CHECKING:
    from .built import Built
    from .mechanism import Mechanism

Array = Any  # numpy.ndarray; its generic form differs between versions of NumPy


def need(function: str, what: str) -> None:
    """Not every build of the library has everything."""
    if not hasattr(lib, function):
        raise Error(f"this version of the library, {text(lib.ga_version())}, has no {what}")


def pointer(array: Array) -> Any:
    """A NumPy array as C sees it; the array must outlive the use."""
    return ffi.cast("double *", array.ctypes.data)


@dataclass(frozen=True)
class Equilibrium:
    """A configuration in which a mechanism stays at rest; a start for :meth:`Mechanism.run`.

    Attributes
    ----------
    t : float
        Time for which it holds.
    q, lam, psi : ndarray
        The configuration, and the reactions there.
    unbalanced : float
        Largest force left, relative to the forces that act.
    iterations, relaxations : int
        Damped Newton steps, steps of dynamic relaxation.

    ``equilibrium["rod.z"]`` is a column.
    """

    t: float
    q: Array
    lam: Array
    psi: Array
    unbalanced: float
    iterations: int
    relaxations: int
    _built: "Built" = field(repr=False)

    @property
    def v(self) -> Array:
        """Velocities: none."""
        return np.zeros(self._built.sizes["v"])

    def __getitem__(self, name: str) -> float:
        rest = np.zeros(self._built.sizes["v"] + 1)
        state = ffi.new("ga_state *")
        state.t, state.q = self.t, pointer(self.q)
        state.v = state.vd = state.a = pointer(rest)
        state.lam, state.psi = pointer(self.lam), pointer(self.psi)
        return self._built.column_at(state, name)


def equilibrium(built: "Built", t: float) -> Equilibrium:
    """Downhill from the start values; see :meth:`Mechanism.equilibrium`."""
    need("ga_mechanism_equilibrium", "equilibrium")
    sizes = built.sizes
    q = np.frombuffer(ffi.buffer(lib.ga_mechanism_q0(built.mechanism), 8 * sizes["q"])).copy()
    lam, psi = np.zeros(sizes["lam"] + 1), np.zeros(sizes["psi"] + 1)
    found, err = ffi.new("ga_equilibrium *"), ffi.new("ga_error *")
    found.lam, found.psi = pointer(lam), pointer(psi)
    check(lib.ga_mechanism_equilibrium(built.mechanism, t, pointer(q), found, err), err)
    return Equilibrium(t, q, lam[: sizes["lam"]], psi[: sizes["psi"]], found.unbalanced,
                       found.iterations, found.relaxations, built)


@dataclass(frozen=True)
class Modes:
    """Eigenvalues s of small motions y = Re(shape e^(s t)), the slowest first.

    Attributes
    ----------
    s : ndarray of complex
        Of a pair of conjugates the one with a positive imaginary part.
    shapes : ndarray of complex, shape (count, nv)
        Changes of the configuration, rotations in space axes; the largest component is 1.
    freedom : int
        Independent changes that the constraints allow.
    unstable : bool
        Some grow.
    turning : bool
        They are those seen from axes that turn with the bodies: about a steady rotation.
    """

    s: Array
    shapes: Array = field(repr=False)
    freedom: int
    unstable: bool
    turning: bool = False

    @property
    def frequencies(self) -> Array:
        """Of the vibrations, in Hz: Im s / 2 pi, damped, as `genalpha modes` prints them."""
        return self.s.imag[self.s.imag > 0] / (2 * np.pi)

    @property
    def damping(self) -> Array:
        """Damping ratios of the vibrations, -Re s / |s|."""
        s = self.s[self.s.imag > 0]
        return -s.real / np.abs(s)

    def table(self) -> Table:
        """Eigenvalues, frequencies in Hz and damping ratios."""
        size = np.abs(self.s)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(size > 0, -self.s.real / size, np.nan)
        vibrates = self.s.imag > 0
        return Table({"re": self.s.real, "im": self.s.imag,
                      "hertz": np.where(vibrates, self.s.imag / (2 * np.pi), np.nan),
                      "damping": np.where(vibrates, ratio, np.nan)})


def modes(built: "Built", t: float, q: Array, v: Array, count: Optional[int], frozen: bool) -> Modes:
    """Linearised about a state; see :meth:`Mechanism.modes`."""
    need("ga_modes_find", "modes")
    nv = built.sizes["v"]
    out, err = ffi.new("ga_linearization **"), ffi.new("ga_error *")
    check(lib.ga_linearization_new(built.model, t, pointer(q), pointer(v), frozen, out, err), err)
    try:
        room = 2 * nv if count is None else int(count)
        numbers = [np.zeros(max(room, 1)) for _ in range(2)]
        shapes = [np.zeros((max(room, 1), nv)) for _ in range(2)]
        c = ffi.new("ga_modes *")
        c.room, c.few = room, count is not None and nv > 1000
        c.re, c.im = map(pointer, numbers)
        c.shape_re, c.shape_im = map(pointer, shapes)
        check(lib.ga_modes_find(out[0], c, err), err)
    finally:
        lib.ga_linearization_free(out[0])
    s = (numbers[0] + 1j * numbers[1])[: c.count]
    return Modes(s, (shapes[0] + 1j * shapes[1])[: c.count], c.freedom, bool(c.unstable), bool(c.turning))


def moved(built: "Built") -> Table:
    """How far the assembly moved each body."""
    count = lib.ga_mechanism_bodies(built.mechanism)
    names = [text(lib.ga_mechanism_body_name(built.mechanism, i)) for i in range(count)]
    both = np.zeros((count, 2))
    for i in range(count):
        lib.ga_mechanism_moved(built.mechanism, i, pointer(both[i]))
    return Table({"body": names, "moved": both[:, 0], "turned": both[:, 1]})


def report(m: "Mechanism") -> dict[str, Any]:
    """What `genalpha check --json` says about a mechanism."""
    with tempfile.TemporaryDirectory(prefix="genalpha-") as directory:
        path = os.path.join(directory, "mechanism.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(m.to_yaml())
        done = subprocess.run([tool(), "check", path, "--json"], capture_output=True, text=True)
    if "unknown command" in done.stderr:
        raise Error(f"this version of the tool, {text(lib.ga_version())}, has no command check")
    try:
        found: dict[str, Any] = json.loads(done.stdout)
        return found
    except ValueError:
        raise Error(done.stderr.strip().replace(path, "the mechanism")) from None
