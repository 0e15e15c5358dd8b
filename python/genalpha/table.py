# SPDX-License-Identifier: MIT
"""A small table: named columns of equal length."""
from __future__ import annotations

import html as _html
from typing import Any, Iterator, Mapping

import numpy as np

from ._lib import Error
from .options import nearest


class Table:
    """Columns by name: ``table["r"]`` is an array, ``table.rows()`` gives dictionaries.

    Parameters
    ----------
    columns : mapping
        Arrays of equal length.
    """

    def __init__(self, columns: Mapping[str, Any]):
        self._columns = {name: np.asarray(values) for name, values in columns.items()}

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    def __len__(self) -> int:
        return max((len(values) for values in self._columns.values()), default=0)

    def __getitem__(self, name: str) -> Any:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}{nearest(str(name), self._columns)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dictionary for each row."""
        for i in range(len(self)):
            yield {name: values[i] for name, values in self._columns.items()}

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError:
            raise Error("to_pandas needs pandas (Debian: python3-pandas)") from None
        return pandas.DataFrame(self._columns)

    def _texts(self) -> list[list[str]]:
        return [[_cell(value) for value in row.values()] for row in self.rows()]

    def __repr__(self) -> str:
        lines = [self.columns, *self._texts()]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.columns))]
        return "\n".join("  ".join(c.rjust(w) for c, w in zip(line, widths)) for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{_html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_html.escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self._texts()
        )
        return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.6g}"
    return str(value)
