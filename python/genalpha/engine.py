# SPDX-License-Identifier: MIT
"""One run: the integrator, the recorder of its states, its events, progress and Ctrl-C.

The library runs without the interpreter's lock. It calls Python for callbacks and events written in
Python, and ten times a second to let Ctrl-C and a progress bar in.
"""
from __future__ import annotations

import math
import sys
import threading
import time
import warnings
from typing import Any, Optional, Sequence

import numpy as np

from ._lib import ArgumentError, encoded, failure, ffi, lib, text
from .accuracy import Accuracy, solve
from .events import Change, Event, Happened
from .inputs import Input
from .options import GenalphaWarning, Options
from .source import Source
from .state import State

_ROOM_MAX = 1_000_000  # rows reserved ahead; more grow on the way
_TICK = 0.1  # seconds


class _Thread(threading.local):
    """What a thread's runs obey: they end when `cancel` is set."""

    cancel: Optional[threading.Event] = None


thread = _Thread()


class SmallerStep(Exception):
    """Raise it in a callback that cannot be evaluated there: a smaller step may help."""


# ---- calls from the library ---------------------------------------------------------------------


def failed(kind: Any, error: BaseException, trace: Any) -> int:
    """An exception on the way from Python back to the library: keep it, end the run."""
    if isinstance(error, SmallerStep):
        return 1
    session = ffi.from_handle(trace.tb_frame.f_locals["handle"])
    if session.error is None:
        session.error = error.with_traceback(trace.tb_next)
    return -1


def failed_event(kind: Any, error: BaseException, trace: Any) -> float:
    failed(kind, error, trace)
    return math.nan


@ffi.def_extern(error=-1, onerror=failed)  # type: ignore[misc]
def ga_py_tick(handle: Any, t: float, steps: int) -> int:
    session: Session = ffi.from_handle(handle)
    session.show(t)
    return 0


@ffi.def_extern(error=math.nan, onerror=failed_event)  # type: ignore[misc]
def ga_py_event(handle: Any, which: int, pointer: Any) -> float:
    session: Session = ffi.from_handle(handle)
    state = State(session.source, pointer)
    value = session.source.call_event(session.events[which].when, state)
    state.end()
    return float(value)


@ffi.def_extern(error=-1, onerror=failed)  # type: ignore[misc]
def ga_py_event_found(handle: Any, which: int, sign: int, pointer: Any) -> int:
    session: Session = ffi.from_handle(handle)
    state = State(session.source, pointer)
    session.happened.append(
        Happened(session.events[which].name, state.t, sign, state.q, state.v)
    )
    session.last_event = which
    return 0


@ffi.def_extern(onerror=failed)  # type: ignore[misc]
def ga_py_change(handle: Any, c: Any) -> None:
    session: Session = ffi.from_handle(handle)
    name = text(session.source.model.contacts[c.contact].name)
    session.impacts.append(
        Change(c.t, text(lib.ga_contact_kind_name(c.kind)), name, c.before, c.after, c.un_before,
               c.un_after, (c.impulse_n, c.impulse_t1, c.impulse_t2), c.energy)
    )


@ffi.def_extern()  # type: ignore[misc]
def ga_py_log(handle: Any, level: int, message: Any) -> None:
    log: list[str] = ffi.from_handle(handle)
    if level == lib.GA_LOG_WARNING:
        log.append(text(message))


def emit(log: list[str], level: int = 3) -> None:
    """Warnings of the library as Python's."""
    messages, log[:] = list(log), []
    for message in messages:
        warnings.warn(message, GenalphaWarning, stacklevel=level)


# ---- progress -----------------------------------------------------------------------------------


class Bar:
    """A tqdm bar over simulated time, if tqdm is there; it appears when a run takes a while."""

    def __init__(self, wanted: Optional[bool], t0: float, t_end: float):
        self._span = (t0, t_end)
        self._shown: Any = None
        self._make: Any = None
        self._begin = time.monotonic()
        if wanted is None:
            wanted = sys.stderr is not None and sys.stderr.isatty()
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._make = tqdm

    def show(self, t: float) -> None:
        if self._make is None or (self._shown is None and time.monotonic() - self._begin < 0.5):
            return
        if self._shown is None:
            form = "{l_bar}{bar}| {n:.4g}/{total:.4g} s [{elapsed}<{remaining}]"
            self._shown = self._make(total=self._span[1] - self._span[0], bar_format=form)
        self._shown.n = t - self._span[0]
        self._shown.refresh()

    def close(self) -> None:
        if self._shown is not None:
            self._shown.close()


# ---- one run ------------------------------------------------------------------------------------


class Session:
    """A run in the making; :meth:`go` does it, then `recorder` and the other attributes have the result."""

    def __init__(self, source: Source, options: Options, events: Sequence[Event]):
        self.source = source
        self.options = options
        self.events = list(events)
        self.happened: list[Happened] = []
        self.impacts: list[Change] = []
        self.error: Optional[BaseException] = None
        self.last_event = -1
        self.log: list[str] = []
        self.status: int = lib.GA_OK
        self.message = ""
        self.stats: dict[str, Any] = {}
        self.accuracy: Optional[Accuracy] = None
        self._bar = Bar(False, 0, 1)
        self._watches: list[Any] = []
        self._links: list[Any] = []
        self._handle = ffi.new_handle(self)
        self.log_handle = ffi.new_handle(self.log)
        recorder = ffi.new("ga_recorder **")
        if lib.ga_recorder_new(source.model, recorder) != lib.GA_OK:
            raise failure(lib.GA_ERR_MEM)
        self.recorder = ffi.gc(recorder[0], lib.ga_recorder_free)

    def show(self, t: float) -> None:
        """Called from the library ten times a second; what it raises ends the run."""
        if thread.cancel is not None and thread.cancel.is_set():
            raise KeyboardInterrupt
        self._bar.show(t)

    def go(
        self,
        t0: float,
        q0: Any,
        v0: Any,
        t_end: float,
        *,
        every: int = 1,
        times: Any = None,
        progress: Optional[bool] = None,
        mechanism: Any = None,
        inputs: Sequence[Input] = (),
        interpolation: int = 0,
    ) -> None:
        """Run from (t0, q0, v0) to t_end; raises what callbacks raised, not what the run met."""
        self.options.c.log = lib.ga_py_log
        self.options.c.log_context = self.log_handle
        if self.options.c.accuracy > 0:
            if inputs:
                raise ArgumentError("inputs do not go together with an accuracy: their jumps belong to a single run")
            self._bar = Bar(progress, t0, t_end)
            try:
                solve(self, t0, q0, v0, t_end, every, times, mechanism)
            finally:
                self._close()
            return
        out, err = ffi.new("ga_integrator **"), ffi.new("ga_error *")
        status = lib.ga_integrator_new(self.source.model, self.options.c, out, err)
        if status != lib.GA_OK:
            raise failure(status, text(err.text))
        it = out[0]
        try:
            emit(self.log, 4)
            self._choose_rows(it, t0, t_end, every, times)
            self.add_events(it, mechanism, lib.ga_py_add_event)
            for item in inputs:
                item.apply(it, interpolation)
            self._bar = Bar(progress, t0, t_end)
            self._run(it, t0, q0, v0, t_end)
            emit(self.log, 4)
            if times is None:
                lib.ga_recorder_add(self.recorder, lib.ga_integrator_state(it))
            self.add_stats(lib.ga_integrator_stats(it))
        finally:
            lib.ga_integrator_free(it)
            self._close()

    def add_stats(self, stats: Any) -> None:
        """Counters add up over the solutions of a run, extremes are joined."""
        for name, kind in ffi.typeof(stats[0]).fields:
            value = getattr(stats, name)
            old = self.stats.get(name, 0)
            self.stats[name] = old + value if kind.type.cname == "long" else max(old, value)

    def _close(self) -> None:
        """Release what events needed; raise what callbacks raised."""
        for watch in self._watches:
            lib.ga_watch_free(watch)
        self._watches.clear()
        self._bar.close()
        error, self.error = self.error or self.source.take_error(), None
        if isinstance(error, KeyboardInterrupt):
            self.status, self.message = lib.GA_STOPPED, "interrupted"
        elif error is not None:
            raise error

    def _choose_rows(self, it: Any, t0: float, t_end: float, every: int, times: Any) -> None:
        if times is not None:
            array = np.ascontiguousarray(times, dtype=np.float64)
            if array.ndim != 1:
                raise ArgumentError("t_eval: a list of times is expected")
            status = lib.ga_recorder_times(
                self.recorder, it, ffi.from_buffer("double[]", array), len(array)
            )
            if status == lib.GA_ERR_ARG:
                raise ArgumentError("t_eval: the times must ascend and be finite")
            if status != lib.GA_OK:
                raise failure(status)
            slack = 1e-12 * max(abs(t0), abs(t_end))  # of times that were computed
            outside = array[(array < t0 - slack) | (array > t_end + slack)]
            if len(outside):
                raise ArgumentError(f"t_eval: {outside[0]:g} is outside of the run, from {t0:g} to {t_end:g}")
            return
        if lib.ga_recorder_every(self.recorder, every) != lib.GA_OK:
            raise ArgumentError(f"every = {every}: must be at least 1")
        o = self.options.c
        if o.rtol == 0 and o.atol == 0 and o.h > 0:
            rows = min((t_end - t0) / o.h / every + 3, _ROOM_MAX)
            if lib.ga_recorder_reserve(self.recorder, int(max(rows, 1))) != lib.GA_OK:
                raise failure(lib.GA_ERR_MEM)

    def add_events(self, to: Any, mechanism: Any, add: Any) -> None:
        """Add all events to an integrator or a solution."""
        for number, event in enumerate(self.events):
            link = ffi.new("ga_py_event_link *")
            link.handle, link.which = self._handle, number
            self._links.append(link)
            if isinstance(event.when, str):
                if mechanism is None:
                    raise ArgumentError(
                        f"the event {event.when!r} is an expression of columns, which only "
                        "mechanisms have; own equations take functions of (t, q, v)"
                    )
                watch, err = ffi.new("ga_watch **"), ffi.new("ga_error *")
                status = lib.ga_watch_new(
                    mechanism, encoded(event.when), event.direction, event.stop, watch, err
                )
                if status != lib.GA_OK:
                    raise failure(status, f"event {event.name!r}: {text(err.text)}")
                self._watches.append(watch[0])
                link.inner = lib.ga_watch_event(watch[0])
            ends = event.stop or event.action is not None
            status = add(to, link, event.direction, ends, event.tol)
            if status != lib.GA_OK:
                raise failure(status)

    def watch(self) -> Any:
        """What observers get as their context: it ticks now and then."""
        self._watch = ffi.new("ga_py_watch *")
        self._watch.recorder, self._watch.handle = self.recorder, self._handle
        self._watch.interval = _TICK
        return self._watch

    def _run(self, it: Any, t0: float, q0: Any, v0: Any, t_end: float) -> None:
        lib.ga_integrator_observe(it, ffi.addressof(lib, "ga_py_observe"), self.watch())
        if self.source.model.ncontacts > 0:
            lib.ga_integrator_observe_contacts(it, lib.ga_py_change, self._handle)
        status = lib.ga_integrator_start(it, t0, q0, v0)
        if status == lib.GA_OK:
            status = lib.ga_integrator_run(it, t_end)
        while status == lib.GA_EVENT and self.act(
            lib.ga_integrator_event(it), lib.ga_integrator_state(it)
        ):
            status = self._restart(it)
            if status == lib.GA_OK:
                status = lib.ga_integrator_run(it, t_end)
        self.end(status, text(lib.ga_integrator_error(it).text), lib.ga_integrator_state(it).t)

    def end(self, status: int, reason: str, t: Optional[float] = None) -> None:
        """Note how the run ended."""
        self.status = status
        if status == lib.GA_EVENT:
            self.message = f"stopped by the event {self.events[self.last_event].name!r}"
        elif status == lib.GA_STOPPED and lib.ga_recorder_status(self.recorder) != lib.GA_OK:
            self.status = lib.ga_recorder_status(self.recorder)
            self.message = text(lib.ga_status_text(self.status))
        elif status != lib.GA_OK:
            reason = reason or text(lib.ga_status_text(status))
            at = "" if t is None or reason.startswith("t = ") else f"t = {t:.10g}: "
            self.message = at + reason

    def act(self, which: int, pointer: Any) -> bool:
        """Does the run go on after the event it ended at?"""
        event = self.events[which]
        if event.action is None or event.stop or self.error is not None:
            return False
        state = State(self.source, pointer)
        self._new = self.source.call_event(event.action, state)
        state.end()
        return True

    def _held(self, otherwise: tuple[Any, Any]) -> list[Any]:
        """q and v after an action, as pointers; `otherwise` where it left one as it is."""
        q, v = self._new if isinstance(self._new, tuple) else (None, self._new)
        self._kept = [self._vector(q, "q"), self._vector(v, "v")]
        return [
            other if a is None else ffi.from_buffer("double[]", a)
            for a, other in zip(self._kept, otherwise)
        ]

    def _restart(self, it: Any) -> int:
        return int(lib.ga_integrator_restart(it, *self._held((ffi.NULL, ffi.NULL))))

    def new_start(self, state: Any) -> tuple[Any, Any]:
        """q and v with which a solution goes on after an action."""
        q, v = self._held((state.q, state.v))
        return q, v

    def _vector(self, given: Any, field: str) -> Any:
        return None if given is None else as_vector(given, self.source.sizes[field], field)


def as_vector(given: Any, size: Optional[int], name: str) -> "np.ndarray[Any, Any]":
    """A contiguous array of so many numbers; size None: of any length."""
    try:
        array = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: a list of numbers is expected ({error})") from None
    if size is None and array.ndim < 2:
        return np.atleast_1d(array)
    if array.shape != (size,):
        raise ArgumentError(f"{name}: an array of shape ({size},) is expected, not {array.shape}")
    return array


def succeeded(status: int) -> bool:
    """Did a run end where it should, or at an event that ends it?"""
    return status in (lib.GA_OK, lib.GA_EVENT)
