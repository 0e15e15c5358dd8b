# SPDX-License-Identifier: MIT
"""Configuration spaces by name: "R3xSO3", "SE3^4", "R2 x SO(3)"."""
from __future__ import annotations

import re
from typing import Any

from ._lib import ArgumentError, check, ffi, lib

_FACTOR = re.compile(r"(?:R\^?(?P<n>\d+)|(?P<group>SO|SE)\(?3\)?(?:\^(?P<copies>\d+))?)$")


class Space:
    """A product of groups: R^n, SO(3) (unit quaternions) and SE(3).

    Parameters
    ----------
    name : str
        Factors joined by x: "R3xSO3", "SE3^4", "R7".

    Attributes
    ----------
    nq, nv : int
        How many numbers a configuration and a velocity have.
    """

    def __init__(self, name: str):
        out = ffi.new("ga_space **")
        check(lib.ga_space_new(out))
        self.c = ffi.gc(out[0], lib.ga_space_free)
        self.name = name
        for factor in re.split(r"[x×*]", name.replace(" ", "")):
            match = _FACTOR.match(factor)
            if not match:
                raise ArgumentError(
                    f"space {name!r}: {factor!r} is not a group; known are Rn (R3), SO3, SE3, and "
                    "products of them: 'R3xSO3', 'SE3^4'"
                )
            n = int(match["n"] or match["copies"] or 1)
            group = lib.ga_py_group((match["group"] or "R").encode())
            if n > 0:
                check(lib.ga_space_add(self.c, group, n, ffi.NULL, ffi.NULL))
        self.nq: int = lib.ga_space_nq(self.c)
        self.nv: int = lib.ga_space_nv(self.c)
        if self.nv == 0:
            raise ArgumentError(f"space {name!r} has no dimension")

    def __repr__(self) -> str:
        return f"<Space {self.name}: nq = {self.nq}, nv = {self.nv}>"


def space_of(given: Any, nq: int) -> Space:
    """The space of a problem: by name, or R^nq."""
    if given is None:
        return Space(f"R{nq}")
    return given if isinstance(given, Space) else Space(str(given))
