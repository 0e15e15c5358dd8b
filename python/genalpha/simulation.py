# SPDX-License-Identifier: MIT
"""A mechanism that a program steps: inputs are set, steps are made, columns are read."""
from __future__ import annotations

from typing import Any, Sequence, Union, overload

import numpy as np

from ._lib import ArgumentError, Error, failure, ffi, lib, text
from .built import Built
from .engine import Session, as_vector, emit
from .events import Event, Happened
from .options import Options, nearest
from .state import State

Array = "np.ndarray[Any, Any]"
_SLICE = 0.1  # seconds in the library before Ctrl-C is looked at

_step = lib.ga_integrator_step


class Simulation:
    """A simulation that stands at a time and goes on when it is told to.

    Made by :meth:`Mechanism.simulate`. ``sim["pin.angle"]`` is a column at the present state, ``sim["rod"]`` all
    columns of a body, joint or sensor as a dictionary, ``sim[["rod.x", "rod.z"]]`` an array.

    Attributes
    ----------
    events : list of Happened
        Events met so far.
    """

    def __init__(self, built: Built, options: Options, events: Sequence[Event], t0: float, q0: Any, v0: Any):
        self._built = built
        self._session = Session(built, options, events)
        self._log = self._session.log
        options.c.log = lib.ga_py_log
        options.c.log_context = self._session.log_handle
        out, err = ffi.new("ga_simulation **"), ffi.new("ga_error *")
        status = lib.ga_simulation_new(built.mechanism, options.c, out, err)
        if status != lib.GA_OK:
            raise failure(status, text(err.text))
        self._sim = ffi.gc(out[0], lib.ga_simulation_free)
        self._it = lib.ga_simulation_integrator(self._sim)
        self._state = lib.ga_integrator_state(self._it)
        self._value = ffi.new("double *")
        self._inputs = built.inputs()
        try:
            self._session.add_events(self._it, built.mechanism, lib.ga_py_add_event)
        except Error:
            self._take_error()  # what an event raised says more
            raise
        self._start = (t0, as_vector(q0, built.sizes["q"], "q"), as_vector(v0, built.sizes["v"], "v"))
        self._check(lib.ga_simulation_start(self._sim, t0, *map(_pointer, self._start[1:])))
        emit(self._log, 4)

    # ---- what happens ----

    def set(self, /, **inputs: float) -> None:
        """Set inputs by name: ``sim.set(torque=2.5)``.

        A value that changes restarts the motion at the next step and keeps order 2, at the cost of one to two steps;
        the same value again costs nothing.
        """
        for name, value in inputs.items():
            number = self._inputs.get(name)
            if number is None:
                raise self._unknown_input(name)
            status = lib.ga_integrator_set_input(self._it, number, value)
            if status:
                self._check(status)

    def step(self, n: int = 1) -> bool:
        """Make `n` steps.

        Returns
        -------
        bool
            False if an event that stops a run ended it before; see :attr:`events`.
        """
        if n == 1:
            status = _step(self._it)
            return True if not status and not self._log else self._done(status)
        return self._advance(n, float("inf"))

    def run_to(self, t: float) -> bool:
        """Step until the time `t` is met exactly; what is left is shared between the last two steps."""
        return self._advance(-1, float(t))

    def _advance(self, n: int, t: float) -> bool:
        left = ffi.new("long *", n)
        while True:
            status = lib.ga_py_advance(self._it, left, t, _SLICE)
            if status != lib.GA_STOPPED:
                return self._done(status)

    def reset(self) -> None:
        """Back to the start, inputs included; everything goes on, bit by bit, as at first."""
        self._session.happened.clear()
        self._check(lib.ga_simulation_reset(self._sim))

    def save(self) -> bytes:
        """The present state as bytes, which :meth:`load` takes; also of another simulation of this mechanism."""
        size = ffi.new("size_t *")
        self._check(lib.ga_integrator_save_memory(self._it, ffi.NULL, size))
        room = bytearray(size[0])
        self._check(lib.ga_integrator_save_memory(self._it, ffi.from_buffer(room), size))
        return bytes(room)

    def load(self, state: Union[bytes, bytearray, memoryview]) -> None:
        """Go back, or on, to a saved state; from there on the run is the same bit by bit."""
        self._check(lib.ga_integrator_load_memory(self._it, ffi.from_buffer(state), len(state)))

    # ---- what is there ----

    @property
    def t(self) -> float:
        """The time."""
        return float(self._state.t)

    @property
    def state(self) -> State:
        """The present state: t, q, v, vd, lam, psi as copies, columns by name; valid until the next step."""
        self._apply()
        return State(self._built, self._state)

    @property
    def inputs(self) -> dict[str, float]:
        """The inputs and their present values."""
        return {name: float(self._state.u[i]) for name, i in self._inputs.items()}

    @property
    def events(self) -> list[Happened]:
        """Events met since the start."""
        return self._session.happened

    @property
    def stats(self) -> dict[str, Any]:
        """Counters of the integrator: steps, newton_its, matrices, max_g and others."""
        stats = lib.ga_integrator_stats(self._it)
        return {name: getattr(stats, name) for name, _ in ffi.typeof(stats[0]).fields}

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self._built.columns)

    @overload
    def __getitem__(self, name: str) -> Any: ...

    @overload
    def __getitem__(self, name: Sequence[str]) -> "np.ndarray[Any, Any]": ...

    def __getitem__(self, name: Union[str, Sequence[str]]) -> Any:
        if not isinstance(name, str):
            return np.array([self._column(self._built.column_index(item)) for item in name])
        number = self._built.number.get(name)
        if number is not None:
            return self._column(number)
        own = self._built.columns_of(name)
        if own:
            return {end: self._column(i) for end, i in own.items()}
        return self._column(self._built.column_index(name))  # which says what is wrong

    def __contains__(self, name: object) -> bool:
        return name in self._built.number

    def __repr__(self) -> str:
        return f"<Simulation {self._built.name!r} at t = {self.t:g}>"

    def _column(self, number: int) -> float:
        status = lib.ga_simulation_column(self._sim, number, self._value)
        if status:
            self._check(status)
        return float(self._value[0])

    # ---- failures ----

    def _apply(self) -> None:
        self._check(lib.ga_integrator_apply_inputs(self._it))

    def _done(self, status: int) -> bool:
        if self._log:
            emit(self._log, 4)
        if status == lib.GA_EVENT:
            self._take_error()
            return False
        self._check(status)
        return True

    def _take_error(self) -> None:
        error, self._session.error = self._session.error, None
        if error is not None:
            raise error

    def _check(self, status: int) -> None:
        if status == lib.GA_OK:
            return
        self._take_error()
        of_simulation, of_integrator = lib.ga_simulation_error(self._sim), lib.ga_integrator_error(self._it)
        said = of_integrator if of_integrator.code == status else of_simulation
        message = text(said.text)
        if status > 0 and "t = " not in message[:20]:
            message = f"t = {self.t:.10g}: {message}"
        raise failure(status, message)

    def _unknown_input(self, name: str) -> Error:
        has = f": {', '.join(self._inputs)}" if self._inputs else "; this mechanism has none"
        if name in self._built.parameters():
            return ArgumentError(
                f"{name!r} is a parameter, which is fixed when the mechanism is built; only inputs can be set{has}. "
                f"with_parameters({name}=...) makes another mechanism"
            )
        near = nearest(name, self._inputs)
        return ArgumentError(f"there is no input {name!r}{near or '; only inputs can be set' + has}")


def _pointer(array: Any) -> Any:
    return ffi.from_buffer("double[]", array)
