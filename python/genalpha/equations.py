# SPDX-License-Identifier: MIT
"""Own equations as callbacks: Python functions of NumPy arrays, or compiled functions.

Arguments reach Python through arrays that the library fills; every call gets copies of its own, so
that a callback may keep them. Results are checked for their shape and copied back.
"""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ._lib import ArgumentError, ffi, lib, view
from .engine import Session, as_vector, failed
from .events import as_events
from .options import given_options, nearest, Options
from .pattern import Pattern, is_sparse, real
from .run import Run, finished
from .source import STATE_FIELDS, Source
from .space import space_of
from .state import State

# Callbacks by name: number, what it depends on, kind of its result.
_CALLBACKS = {
    "mass": (lib.GA_PY_MASS, "q", "M"),
    "force": (lib.GA_PY_FORCE, "qv", "nv"),
    "constraint": (lib.GA_PY_HOLONOMIC, "q", "nlam"),
    "nonholonomic": (lib.GA_PY_NONHOLONOMIC, "qv", "npsi"),
    "constraint_jac": (lib.GA_PY_HOLONOMIC_JAC, "q", "G"),
    "constraint_t": (lib.GA_PY_HOLONOMIC_T, "q", "nlam"),
    "constraint_curv": (lib.GA_PY_HOLONOMIC_CURV, "qv", "G"),
    "constraint_drift": (lib.GA_PY_HOLONOMIC_DRIFT, "qv", "nlam"),
    "nonholonomic_jac": (lib.GA_PY_NONHOLONOMIC_JAC, "qv", "H"),
    "nonholonomic_dq": (lib.GA_PY_NONHOLONOMIC_DQ, "qv", "H"),
    "nonholonomic_drift": (lib.GA_PY_NONHOLONOMIC_DRIFT, "qv", "npsi"),
    "tangents": (lib.GA_PY_FORCE_TANGENTS, "qvx", "K"),
}

_LEAST_ADDRESS = 65536  # smaller whole numbers are numbers


@ffi.def_extern(error=-1, onerror=failed)  # type: ignore[misc]
def ga_py_call(handle: Any, which: int, t: float) -> int:
    ffi.from_handle(handle).calls[which](t)
    return 0


def _address(given: Any) -> int:
    """The address of a compiled function, 0 for a Python function."""
    if isinstance(given, int) and not isinstance(given, bool):
        return given if given >= _LEAST_ADDRESS else 0
    if isinstance(given, ffi.CData):
        return int(ffi.cast("uintptr_t", given))
    if hasattr(given, "argtypes") and hasattr(given, "restype"):  # of ctypes
        return ctypes.cast(given, ctypes.c_void_p).value or 0
    address = getattr(given, "address", None)  # numba.cfunc
    return int(address) if isinstance(address, int) else 0


class Equations(Source):
    """Own equations as a model of the library."""

    def __init__(
        self,
        callbacks: Mapping[str, Any],
        q0: Any,
        v0: Any,
        t0: float,
        space: Any,
        sparsity: Mapping[str, Any],
        rows: tuple[Optional[int], Optional[int]],
        flags: Mapping[str, bool],
        user: Any,
        corners: Any = None,
    ):
        self.space = space_of(space, as_vector(q0, None, "q0").size)
        self.q0 = as_vector(q0, self.space.nq, "q0")
        self.v0 = as_vector(v0, self.space.nv, "v0")
        self.error: Optional[BaseException] = None
        self.calls: list[Any] = [None] * len(_CALLBACKS)
        self._given = dict(callbacks)
        self._constant = self._take_constant_mass()
        self._check_kinds()
        nlam = self._count("constraint", rows[0], t0)
        npsi = self._count("nonholonomic", rows[1], t0)
        self._make_patterns(nlam, npsi, sparsity)
        self._corners = as_vector([] if corners is None else corners, None, "corners")
        self._make_model(nlam, npsi, flags, user)
        self._name_columns(nlam, npsi)
        self._measure()

    def _take_constant_mass(self) -> bool:
        """A mass given as a matrix is a callback that returns it."""
        mass = self._given["mass"]
        if callable(mass) or _address(mass):
            return False
        try:
            matrix = mass if is_sparse(mass) else np.array(mass, dtype=np.float64)
        except (TypeError, ValueError):
            raise ArgumentError("mass: a matrix or a function of (t, q) is expected") from None
        if not is_sparse(matrix) and matrix.ndim < 2:
            matrix = np.diag(np.atleast_1d(matrix))
        self._given["mass"] = lambda t, q: matrix
        return True

    def _check_kinds(self) -> None:
        for name, given in self._given.items():
            if given is not None and not callable(given) and not _address(given):
                raise ArgumentError(
                    f"{name}: a function, or the address of a compiled one, is expected, not "
                    f"{type(given).__name__}"
                )

    def _count(self, name: str, rows: Optional[int], t0: float) -> int:
        """How many rows a constraint has: one call tells, but for compiled ones."""
        function = self._given[name]
        if function is None:
            return 0
        if rows is not None:
            return int(rows)
        if _address(function):
            option = "nlam" if name == "constraint" else "npsi"
            raise ArgumentError(f"{name} is compiled: give the number of its rows, {option}=...")
        state = (self.q0.copy(),) if name == "constraint" else (self.q0.copy(), self.v0.copy())
        result = real(function(t0, *state), name)
        if result.ndim > 1:
            raise ValueError(f"{name} must return a vector, not an array of shape {result.shape}")
        return int(result.size)

    def _make_patterns(self, nlam: int, npsi: int, sparsity: Mapping[str, Any]) -> None:
        nv = self.space.nv
        shapes = {"mass": (nv, nv), "tangents": (nv, nv), "constraint": (nlam, nv),
                  "nonholonomic": (npsi, nv)}
        for name in sparsity:
            if name not in shapes:
                raise ArgumentError(f"sparsity: unknown matrix {name!r}{nearest(name, shapes)}")
        p = {name: Pattern(name, shape, sparsity.get(name)) for name, shape in shapes.items()}
        self._patterns = {"M": p["mass"], "K": p["tangents"], "G": p["constraint"],
                          "H": p["nonholonomic"]}

    def _make_model(self, nlam: int, npsi: int, flags: Mapping[str, bool], user: Any) -> None:
        self._handle = ffi.new_handle(self)
        c = self._c = ffi.new("ga_py_model *")
        sizes = {"nv": self.space.nv, "nlam": nlam, "npsi": npsi}
        self._arrays = {n: np.zeros(max(size, 1)) for n, size in
                        (("q", self.space.nq), ("v", self.space.nv), ("x", self.space.nv),
                         ("lam", nlam), ("psi", npsi), ("out2", self._patterns["K"].size))}
        for name, array in self._arrays.items():
            setattr(c, name, ffi.cast("double *", array.ctypes.data))
        views = {"q": self._arrays["q"][: self.space.nq], "v": self._arrays["v"][: self.space.nv]}
        has = ffi.new("int[]", lib.GA_PY_OPS)
        for name, (which, arguments, kind) in _CALLBACKS.items():
            given = self._given.get(name)
            if given is None:
                continue
            has[which] = 1
            address = _address(given)
            if address:
                c.compiled[which] = ffi.cast("void *", address)
                continue
            size = self._patterns[kind].size if kind in self._patterns else sizes[kind]
            out = np.zeros(max(size, 1))
            self._arrays[name] = out
            c.out[which] = ffi.cast("double *", out.ctypes.data)
            self.calls[which] = self._call(name, given, arguments, kind, out[:size], views, nlam, npsi)
        c.handle = self._handle
        c.user = ffi.NULL if user is None else ffi.cast("void *", _user_address(user))
        self._user = user
        lib.ga_py_model_connect(c, has)
        m = c.model
        m.space, m.nlam, m.npsi = self.space.c, nlam, npsi
        m.pat_M, m.pat_K = self._patterns["M"].c, self._patterns["K"].c
        m.pat_G, m.pat_H = self._patterns["G"].c, self._patterns["H"].c
        m.const_mass = flags["const_mass"] or self._constant
        m.scleronomic = flags["scleronomic"]
        m.corners = ffi.cast("double *", self._corners.ctypes.data)
        m.ncorners = self._corners.size
        self.model = ffi.addressof(c.model)

    def _call(self, name: str, function: Callable[..., Any], arguments: str, kind: str, out: Any,
              views: Mapping[str, Any], nlam: int, npsi: int) -> Callable[[float], None]:
        """What the library calls for one callback: arguments copied in, the result copied out."""
        q, v = views["q"], views["v"]
        shape = out.shape
        if kind in self._patterns:
            values = self._patterns[kind].values
            if arguments == "qvx":
                x, lam, psi = (self._arrays[n][:size] for n, size in
                               (("x", self.space.nv), ("lam", nlam), ("psi", npsi)))
                out2 = self._arrays["out2"][: len(out)]

                def call(t: float) -> None:
                    both = function(t, q.copy(), v.copy(), x.copy(), lam.copy(), psi.copy())
                    if not isinstance(both, (tuple, list)) or len(both) != 2:
                        raise TypeError("tangents must return two matrices, K and C")
                    out[:] = values(both[0], name)
                    out2[:] = values(both[1], name)

            elif arguments == "q":

                def call(t: float) -> None:
                    out[:] = values(function(t, q.copy()), name)

            else:

                def call(t: float) -> None:
                    out[:] = values(function(t, q.copy(), v.copy()), name)

            return call

        def vector(result: Any) -> Any:
            result = real(result, name)
            if result.shape != shape and not (result.shape == () and shape == (1,)):
                raise ValueError(f"{name} must return an array of shape {shape}, not {result.shape}")
            return result

        if arguments == "q":

            def call(t: float) -> None:
                out[:] = vector(function(t, q.copy()))

        else:

            def call(t: float) -> None:
                out[:] = vector(function(t, q.copy(), v.copy()))

        return call

    def _name_columns(self, nlam: int, npsi: int) -> None:
        sizes = (1, self.space.nq, self.space.nv, self.space.nv, nlam, npsi)
        self._where: dict[str, tuple[int, int, int]] = {}
        for number, (field, size) in enumerate(zip(STATE_FIELDS, sizes)):
            for i in range(size):
                name = "t" if field == "t" else f"{field}{i + 1}"
                self._where[name] = (number, i, size)
        self.columns = self.default = list(self._where)
        self.usual = [n for n in self.columns[1:] if not n.startswith("vd")]

    def compute(self, recorder: Any, names: Sequence[str]) -> "list[np.ndarray[Any, Any]]":
        rows = lib.ga_recorder_rows(recorder)
        columns = []
        for name in names:
            number, i, size = self._where[name]
            values = view(lib.ga_recorder_field(recorder, number), (rows, size), recorder)
            columns.append(values[:, i])
        return columns

    def column_at(self, state: Any, name: str) -> float:
        self.column_index(name)
        number, i, _ = self._where[name]
        return float(state.t if number == 0 else getattr(state, STATE_FIELDS[number])[i])

    def call_event(self, function: Any, state: State) -> Any:
        return function(state.t, state.q, state.v)

    def take_error(self) -> Optional[BaseException]:
        error, self.error = self.error, None
        return error


def _user_address(user: Any) -> Any:
    if isinstance(user, np.ndarray):
        return user.ctypes.data
    if isinstance(user, ffi.CData):
        return user
    return int(user)


def integrate(
    mass: Any,
    force: Any,
    constraint: Any = None,
    q0: Any = None,
    v0: Any = None,
    t_end: float = 1.0,
    *,
    t0: float = 0.0,
    h: Optional[float] = None,
    method: Optional[str] = None,
    rho: Optional[float] = None,
    space: Any = None,
    nonholonomic: Any = None,
    constraint_jac: Any = None,
    constraint_t: Any = None,
    constraint_curv: Any = None,
    constraint_drift: Any = None,
    nonholonomic_jac: Any = None,
    nonholonomic_dq: Any = None,
    nonholonomic_drift: Any = None,
    tangents: Any = None,
    sparsity: Optional[Mapping[str, Any]] = None,
    const_mass: bool = False,
    scleronomic: bool = False,
    corners: Any = None,
    nlam: Optional[int] = None,
    npsi: Optional[int] = None,
    user: Any = None,
    events: Any = None,
    every: int = 1,
    t_eval: Any = None,
    progress: Optional[bool] = None,
    name: str = "equations",
    **options: Any,
) -> Run:
    """Integrate M(t,q) v' = F(t,q,v) - G^T lam - H^T psi, g(t,q) = 0, k(t,q,v) = 0.

    Parameters
    ----------
    mass : matrix or callable
        M, nv x nv: a constant matrix (dense, its diagonal, or sparse), or ``mass(t, q)``.
    force : callable
        ``force(t, q, v)``, nv numbers.
    constraint : callable, optional
        ``constraint(t, q)``, the holonomic constraints g.
    q0, v0 : array_like
        Start values.
    t_end : float
        End of the run.
    t0, h, method, rho : optional
        Start, step size, method, spectral radius at infinity.
    space : str, optional
        Configuration space, "R3xSO3", "SE3^2", ...; default: R^n. Rotations are unit quaternions,
        scalar first; velocities are body-fixed (left-trivialised).
    nonholonomic : callable, optional
        ``nonholonomic(t, q, v)``, the constraints k.
    constraint_jac, constraint_t, constraint_curv, constraint_drift : callable, optional
        G = D g of (t, q); g_t of (t, q); D_q(G v + g_t) of (t, q, v); its product with v plus
        G_t v + g_tt of (t, q, v). What is not given is formed by finite differences.
    nonholonomic_jac, nonholonomic_dq, nonholonomic_drift : callable, optional
        H = dk/dv, D_q k, and D_q k v + k_t, of (t, q, v).
    tangents : callable, optional
        ``tangents(t, q, v, x, lam, psi)`` returns K = D_q(M x - F + G^T lam + H^T psi) for given x,
        lam, psi, and C = d/dv(-F + G^T lam + H^T psi).
    sparsity : mapping, optional
        Patterns as sparse matrices: of "mass", "tangents", "constraint", "nonholonomic". Callbacks
        then may return sparse matrices.
    const_mass, scleronomic : bool
        M does not depend on (t, q); g does not depend on t.
    corners : array_like, optional
        Increasing times at which a callback has a jump or a kink, such as a force that is switched
        on; at the time itself it has the values behind it. Automatic steps end there.
    nlam, npsi : int, optional
        Numbers of constraints, needed for compiled ones.
    user : int, cffi pointer or ndarray, optional
        First argument of compiled callbacks.
    events, every, t_eval, progress, **options
        As in :meth:`Mechanism.run`; functions of events get (t, q, v).

    Returns
    -------
    Run
        Columns are called t, q1, ..., v1, ..., vd1, ..., lam1, ..., psi1, ...

    Notes
    -----
    A callback may also be a compiled function: an address, a ctypes function, a cffi pointer or
    numba's cfunc. Its C form is ``int f(void *user, double t, const double *q, [const double *v,]
    double *result)`` with matrices row by row, or in the order of their pattern; for the tangents
    ``int f(user, t, q, v, x, lam, psi, double *K, double *C)``. It returns 0, > 0 if a smaller step
    may help, < 0 if it failed. No Python is then in the loop.

    A callback that raises ends the run; the exception passes through. :class:`SmallerStep` asks for
    a smaller step instead.

    Examples
    --------
    >>> import numpy as np, genalpha as ga
    >>> r = ga.integrate(np.eye(2), lambda t, q, v: [0, -9.81], lambda t, q: [(q @ q - 1) / 2],
    ...                  [1, 0], [0, 0], t_end=1, h=1e-3)
    >>> print(f"{r.q[-1, 0]:.6f} {r.lam[-1, 0]:.4f}")
    -0.986291 4.8564
    """
    if q0 is None or v0 is None:
        raise ArgumentError("q0 and v0, the start values, are needed")
    callbacks = {
        "mass": mass, "force": force, "constraint": constraint, "nonholonomic": nonholonomic,
        "constraint_jac": constraint_jac, "constraint_t": constraint_t,
        "constraint_curv": constraint_curv, "constraint_drift": constraint_drift,
        "nonholonomic_jac": nonholonomic_jac, "nonholonomic_dq": nonholonomic_dq,
        "nonholonomic_drift": nonholonomic_drift, "tangents": tangents,
    }
    flags = {"const_mass": const_mass, "scleronomic": scleronomic}
    equations = Equations(callbacks, q0, v0, t0, space, sparsity or {}, (nlam, npsi), flags, user,
                          corners)
    chosen = given_options({"h": h, "method": method, "rho": rho, **options})
    settings = Options()
    settings.update(chosen, chosen)
    if not t_end > t0:
        raise ArgumentError(f"t_end = {t_end:g}: must be greater than t0 = {t0:g}")
    session = Session(equations, settings, as_events(events))
    first, rate = (ffi.from_buffer("double[]", a) for a in (equations.q0, equations.v0))
    session.go(t0, first, rate, t_end, every=every, times=t_eval, progress=progress)
    return finished(equations, session, name, {**chosen, "t_end": t_end})
