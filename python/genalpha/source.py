# SPDX-License-Identifier: MIT
"""What a run integrates: a model of the library and the names of what comes out."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._lib import lib
from .options import nearest
from .state import State

STATE_FIELDS = ("t", "q", "v", "vd", "lam", "psi")


class Source:
    """A model and its columns; mechanisms and own equations are two kinds of it."""

    model: Any  # ga_model *
    columns: list[str]  # all names
    default: list[str]  # those of files of results
    usual: list[str]  # those of tables and plots
    number: dict[str, int]  # of each column

    def _measure(self) -> None:
        nq, nv = lib.ga_space_nq(self.model.space), lib.ga_space_nv(self.model.space)
        nlam, npsi = self.model.nlam, self.model.npsi
        self.sizes = {"t": 1, "q": nq, "v": nv, "vd": nv, "lam": nlam, "psi": npsi}
        self.number = {name: i for i, name in enumerate(self.columns)}

    def column_index(self, name: str) -> int:
        """Index of a column; KeyError with the nearest name."""
        try:
            return self.number[name]
        except (KeyError, TypeError):
            raise KeyError(f"there is no column {name!r}{nearest(str(name), self.columns)}") from None

    def compute(self, recorder: Any, names: Sequence[str]) -> "list[np.ndarray[Any, Any]]":
        """Columns over all rows of a recorder."""
        raise NotImplementedError

    def describe(self) -> str:
        """The model as the text of a model file, "" if it is not a mechanism."""
        return ""

    def unit(self, name: str) -> str:
        """The unit of a column, "" if it is not known."""
        return ""

    def column_at(self, state: Any, name: str) -> float:
        """A column at one state."""
        raise NotImplementedError

    def call_event(self, function: Any, state: State) -> Any:
        """The value of an event given as a function."""
        return function(state)

    def take_error(self) -> Any:
        """The exception a callback of the model raised, if there was one."""
        return None
