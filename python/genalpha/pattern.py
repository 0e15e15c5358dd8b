# SPDX-License-Identifier: MIT
"""Matrices of own equations: full or with a sparse pattern, and how results get into them."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._lib import ArgumentError, ffi


def is_sparse(given: Any) -> bool:
    """A matrix of scipy.sparse?"""
    return hasattr(given, "tocsr")


def real(result: Any, who: str) -> Any:
    """A callback's result as an array of real numbers."""
    try:
        array = np.asarray(result)
    except ValueError as error:
        raise ValueError(f"{who} must return an array of numbers: {error}") from None
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in "biuf":
        what = type(result).__name__ if array.ndim == 0 else f"an array of {array.dtype}"
        raise TypeError(f"{who} must return real numbers, not {what}")
    return array.astype(np.float64)


class Pattern:
    """Where a matrix may have entries; `c` is a ga_csr, or NULL for a full matrix."""

    def __init__(self, name: str, shape: tuple[int, int], given: Any = None):
        self.name, self.shape = name, shape
        self.c: Any = ffi.NULL
        self.size = shape[0] * shape[1]
        self._indices: Optional[tuple[Any, Any]] = None
        if given is None:
            return
        if not is_sparse(given):
            import scipy.sparse

            given = scipy.sparse.csr_matrix(np.asarray(given) != 0)
        csr = given.tocsr().copy()
        csr.sum_duplicates()  # which also sorts the columns
        if csr.shape != shape:
            raise ArgumentError(f"sparsity[{name!r}]: shape {shape} is expected, not {csr.shape}")
        self._ptr = np.ascontiguousarray(csr.indptr, dtype=np.int32)
        self._col = np.ascontiguousarray(csr.indices, dtype=np.int32)
        rows = np.repeat(np.arange(shape[0]), np.diff(self._ptr))
        self._indices = (rows, self._col)
        self.size = len(self._col)
        self.c = ffi.new("ga_csr *")
        self.c.nrow, self.c.ncol = shape
        self.c.ptr = ffi.cast("int *", self._ptr.ctypes.data)
        self.c.col = ffi.cast("int *", self._col.ctypes.data)

    def values(self, result: Any, who: str) -> Any:
        """The numbers of a callback's result in the order of the pattern."""
        if is_sparse(result):
            return self._from_sparse(result, who)
        full = real(result, who)
        if full.shape != self.shape:
            raise ValueError(f"{who} must return an array of shape {self.shape}, not {full.shape}")
        if self._indices is None:
            return full.reshape(-1)
        picked = full[self._indices]
        if np.count_nonzero(full) != np.count_nonzero(picked):
            self._outside(full, who)
        return picked

    def _from_sparse(self, result: Any, who: str) -> Any:
        if result.shape != self.shape:
            raise ValueError(f"{who} must return a matrix of shape {self.shape}, not {result.shape}")
        csr = result.tocsr()
        if self._indices is None:
            return csr.toarray().reshape(-1)
        same = (
            csr.nnz == self.size
            and np.array_equal(csr.indptr, self._ptr)
            and np.array_equal(csr.indices, self._col)
        )
        return csr.data if same else self.values(csr.toarray(), who)

    def _outside(self, full: Any, who: str) -> None:
        rest = full.copy()
        rest[self._indices] = 0
        i, j = (int(k[0]) for k in np.nonzero(rest))
        raise ValueError(
            f"{who}: entry ({i}, {j}) = {full[i, j]:g} lies outside of sparsity[{self.name!r}]"
        )
