# SPDX-License-Identifier: MIT
"""Options of a run by their names, and the parameters of the generalized-alpha family."""
from __future__ import annotations

import difflib
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Iterable, Mapping, Optional

from ._lib import ArgumentError, check, encoded, ffi, lib, text

# Three ways to give the same four numbers: who gives one gives all.
_PARAMETERS = ("rho", "alpha", "params")


@lru_cache(maxsize=None)
def option_names() -> dict[str, str]:
    """All options of the library by name, each with its help text."""
    names: dict[str, str] = {}
    i = 0
    while True:
        row = lib.ga_option_at(i)
        if not row:
            return names
        names[text(row.key).replace("-", "_")] = text(row.help)
        i += 1


@lru_cache(maxsize=None)
def _answers() -> frozenset[str]:
    """Options whose words are no and yes."""
    rows = [lib.ga_option_at(i) for i in range(len(option_names()))]
    return frozenset(text(row.key).replace("-", "_") for row in rows if text(row.argument) == "no|yes")


class GenalphaWarning(UserWarning):
    """What the library warns of."""


def removed_option(name: str) -> str:
    """Why an option of earlier versions is ignored, '' for any other name."""
    sentence = lib.ga_option_removed(name.replace("_", "-").encode())
    return text(sentence) if sentence else ""


# keywords of runs that are no options of the library
_OF_RUNS = ("t0", "t_end", "every", "out_dt", "t_eval", "events", "progress", "at", "stop_when", "inputs",
            "interpolate")


def nearest(word: str, known: Iterable[str]) -> str:
    """'; did you mean ...?' for a mistyped word, or ''."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without those that are None, which stands for the default. Unknown names are refused."""
    for name, value in options.items():
        if value is None and name not in option_names() and name not in _OF_RUNS and not removed_option(name):
            raise ArgumentError(f"unknown option {name!r}{nearest(name, [*option_names(), *_OF_RUNS])}")
    return {name: value for name, value in options.items() if value is not None}


def _option_text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_option_text(item) for item in value)
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        raise ArgumentError(f"a number or a word is expected, not {value!r}")
    return repr(float(value)) if not isinstance(value, int) else str(value)


class Options:
    """A ga_options, with the texts it borrows."""

    def __init__(self) -> None:
        self.c = ffi.new("ga_options *", lib.ga_options_default())
        self._texts: list[Any] = []

    def set(self, name: str, value: Any) -> None:
        """Set one option by the name it has in model files; one of earlier versions is ignored."""
        removed = removed_option(name)
        if removed:
            warnings.warn(removed, GenalphaWarning, stacklevel=4)
            return
        if name not in option_names():
            hint = nearest(name, [*option_names(), *_OF_RUNS])
            raise ArgumentError(f"unknown option {name!r}{hint}")
        if isinstance(value, bool) and name in _answers():
            value = "yes" if value else "no"
        own = ffi.new("char[]", encoded(_option_text(value)))
        self._texts.append(own)
        err = ffi.new("ga_error *")
        check(lib.ga_options_set(self.c, name.replace("_", "-").encode(), own, err), err)

    def update(self, given: Mapping[str, Any], chosen: Iterable[str] = ()) -> None:
        """Set several options; `chosen`: those of the call, not of a file."""
        if "accuracy" in chosen and "h" in chosen:
            raise ArgumentError("accuracy chooses the steps: give it without h")
        self.c.method_chosen = False
        for name, value in given.items():
            self.set(name, value)
        if "method" in chosen:
            self.c.method_chosen = True


# Ways to choose the steps: those of a file are replaced by another one of the call.
_STEPS = ("h", "rtol", "atol", "h_seq")
_ACCURACY = ("accuracy", "accuracy_of", "accuracy_steps")


def without_superseded(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Defaults that the given options leave open."""
    replaced: set[str] = set(given)
    for names, by in ((_PARAMETERS, _PARAMETERS), (_STEPS, ("accuracy",)), (_ACCURACY, _STEPS)):
        if any(name in given for name in by):
            replaced.update(names)
    return {name: value for name, value in defaults.items() if name not in replaced}


@dataclass(frozen=True)
class Params:
    """Parameters of the generalized-alpha family; see :func:`params`."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    b: float
    order2: bool
    zero_stable: bool
    strict_at_inf: bool
    rho_inf: float
    remarks: str

    def _c(self) -> Any:
        return ffi.new("ga_params *", [self.alpha_m, self.alpha_f, self.beta, self.gamma, self.b])

    def spectral_radius(self, omega_h: float) -> float:
        """Largest eigenvalue modulus of one step on q'' + omega^2 q = 0.

        Parameters
        ----------
        omega_h : float
            Frequency times step size.
        """
        return float(lib.ga_params_spectral_radius(self._c(), omega_h))


def params(
    rho: Optional[float] = None, *, alpha: Optional[float] = None, name: Optional[str] = None
) -> Params:
    """Parameters from one number, and what they imply.

    Parameters
    ----------
    rho : float, optional
        Spectral radius at infinite frequency, in [0, 1] (Chung and Hulbert); 0.9 by default.
    alpha : float, optional
        Parameter of Hilber, Hughes and Taylor, in [-1/3, 0].
    name : str, optional
        "newmark", "trapezoidal", "hht" or "chung-hulbert".

    Returns
    -------
    Params
        alpha_m and alpha_f weight the old value; order2, zero_stable and strict_at_inf tell which
        conditions hold, remarks says in words which do not.
    """
    given = [x for x in (rho, alpha, name) if x is not None]
    if len(given) > 1:
        raise ArgumentError("give one of rho, alpha and name")
    options = Options()
    if name is not None:
        options.set("params", name)
    elif alpha is not None:
        options.set("alpha", alpha)
    else:
        options.set("rho", 0.9 if rho is None else rho)
    p = options.c.par
    report = lib.ga_params_check(ffi.addressof(p))
    return Params(
        p.alpha_m, p.alpha_f, p.beta, p.gamma, p.b,
        bool(report.order2), bool(report.zero_stable), bool(report.strict_at_inf),
        report.rho_inf, text(report.text),
    )
