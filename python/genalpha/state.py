# SPDX-License-Identifier: MIT
"""One state of a run, as callbacks of events see it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._lib import Error, ffi

if TYPE_CHECKING:
    from .source import Source

Array = "np.ndarray[Any, Any]"


class State:
    """The state at one time; valid during the call that got it.

    Attributes
    ----------
    t : float
        Time.
    q, v, vd, lam, psi : ndarray
        Copies of the configuration, velocities, their derivatives and the multipliers.

    ``state["crank.x"]`` is a column of the mechanism.
    """

    def __init__(self, source: "Source", pointer: Any):
        self._source = source
        self._pointer = pointer
        self.t: float = pointer.t

    def _part(self, name: str) -> Any:
        if self._pointer is None:
            raise Error("a state is valid only during the call that got it; keep copies of its arrays")
        pointer = getattr(self._pointer, name)
        size = self._source.sizes[name]
        if not pointer or size == 0:
            return np.zeros(size)
        return np.frombuffer(ffi.buffer(pointer, 8 * size), dtype=np.float64).copy()

    @property
    def q(self) -> Any:
        return self._part("q")

    @property
    def v(self) -> Any:
        return self._part("v")

    @property
    def vd(self) -> Any:
        return self._part("vd")

    @property
    def lam(self) -> Any:
        return self._part("lam")

    @property
    def psi(self) -> Any:
        return self._part("psi")

    def __getitem__(self, name: str) -> float:
        if self._pointer is None:
            raise Error("a state is valid only during the call that got it; keep copies of its arrays")
        return self._source.column_at(self._pointer, name)

    def end(self) -> None:
        """The library's memory goes away."""
        self._pointer = None
