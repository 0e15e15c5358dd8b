# SPDX-License-Identifier: MIT
"""Events: where a function of the state changes its sign, and what happened there."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Optional, Union

import numpy as np

from ._lib import ArgumentError

Function = Callable[..., Any]
_DIRECTIONS = {0: 0, 1: 1, -1: -1, "any": 0, "rising": 1, "falling": -1}


@dataclass
class Event:
    """Where something changes its sign during a run.

    Parameters
    ----------
    when : str or callable
        An expression of columns, as in a model file ("ball.z", "ball.z < 0.1"), or a function: of
        a :class:`State` for mechanisms, of (t, q, v) for own equations.
    direction : {0, 1, -1, "any", "rising", "falling"}
        Which changes count. An expression with < or > counts where it begins to hold.
    stop : bool
        The run ends there.
    name : str
        For :attr:`Run.events`; by default the expression or the name of the function.
    action : callable, optional
        Called where the event is, with the arguments of `when` as a function would get; it returns
        the new velocities, or (q, v), with which the run goes on: an impact. The run then does not
        end there.
    """

    when: Union[str, Function]
    direction: Union[int, str, None] = None
    stop: bool = False
    name: str = ""
    action: Optional[Function] = None
    tol: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.when, str) and not callable(self.when):
            raise ArgumentError(
                "an event is an expression of columns or a function, not "
                f"{type(self.when).__name__}"
            )
        if self.direction is None:
            holds = isinstance(self.when, str) and any(c in self.when for c in "<>")
            self.direction = 1 if holds else getattr(self.when, "direction", 0)
        if self.direction not in _DIRECTIONS:
            raise ArgumentError(
                f"direction {self.direction!r}: 'rising', 'falling' or 'any' is expected"
            )
        self.direction = _DIRECTIONS[self.direction]
        self.stop = self.stop or bool(getattr(self.when, "terminal", False))
        if not self.name:
            own = getattr(self.when, "__name__", "event")
            self.name = self.when if isinstance(self.when, str) else own


@dataclass(frozen=True)
class Happened:
    """An event that was met: its name, its time, the sign it went to, the state there."""

    name: str
    t: float
    sign: int
    q: "np.ndarray[Any, Any]" = field(repr=False)
    v: "np.ndarray[Any, Any]" = field(repr=False)


@dataclass(frozen=True)
class Change:
    """One contact in a change of contacts, as a line of ``genalpha run --impacts``.

    Attributes
    ----------
    t : float
        Its time.
    kind : str
        hit, stop, slide, lift or jam.
    contact : str
        Its name: ``feet.3``, ``knee.upper``.
    before, after : int
        States: 0 open, 1 slip or closed, 2 stick.
    un_before, un_after : float
        Rates of the gap.
    impulse : tuple of float
        Normal, and along both tangents.
    energy : float
        Kinetic energy that the whole impact lost, in its first contact; 0 in the others.
    """

    t: float
    kind: str
    contact: str
    before: int
    after: int
    un_before: float
    un_after: float
    impulse: tuple[float, float, float]
    energy: float


def as_events(given: Any) -> list[Event]:
    """What users write for `events`: one or several of functions, expressions, events."""
    if given is None:
        return []
    if isinstance(given, (str, Event)) or callable(given):
        given = [given]
    if not isinstance(given, Iterable):
        raise ArgumentError(f"events: a list is expected, not {type(given).__name__}")
    return [item if isinstance(item, Event) else Event(item) for item in given]
