# SPDX-License-Identifier: MIT
"""Own equations: spaces, constraints of both kinds, sparse patterns, compiled callbacks, errors."""
import ctypes
import os
import subprocess

import genalpha as ga
import heavy_top
import numpy as np
import pytest

g = 9.81


def free_fall(**keywords):
    return ga.integrate(2.0, lambda t, q, v: -2 * g, None, [1.0], [3.0], 0.5, **keywords)


def test_without_constraints():
    """Constant acceleration is integrated exactly; masses as number, diagonal, matrix, function."""
    for mass in (2, 2.0, [2], [[2]], np.array([[2.0]]), lambda t, q: np.array([[2.0]])):
        r = ga.integrate(mass, lambda t, q, v: -2 * g, None, [1.0], [3.0], 0.5)
        assert abs(r.q[-1, 0] - (1 + 1.5 - g / 8)) < 1e-12 and abs(r.v[-1, 0] - (3 - g / 2)) < 1e-12
    assert r.columns == ["t", "q1", "v1", "vd1"] and r["vd1"][-1] == pytest.approx(-g)


def test_pendulum_in_a_plane():
    r = ga.integrate(np.eye(2), lambda t, q, v: [0, -g], lambda t, q: [(q @ q - 1) / 2], [1, 0], [0, 0], t_end=1)
    assert abs(r.q[-1] - [-0.986291, -0.165016]).max() < 1e-6 and abs(r.lam[-1, 0] - 4.8564) < 1e-3
    # lam is the tension: v^2/l - g y/l for l = 1
    assert np.max(np.abs(r.lam[:, 0] - (np.sum(r.v**2, axis=1) - g * r.q[:, 1]))) < 1e-3


def test_spaces():
    for name, nq, nv in (("R3xSO3", 7, 6), ("R^3 x SO(3)", 7, 6), ("SE3", 7, 6), ("SE3^4", 28, 24),
                         ("SO3", 4, 3), ("R2×SO3^2×R1", 11, 9)):
        space = ga.Space(name)
        assert (space.nq, space.nv) == (nq, nv)
    for name in ("R", "SU2", "", "R3xx", "SO3^x", "R0"):
        with pytest.raises(ga.ArgumentError, match="space"):
            ga.Space(name)


def test_rotation_about_a_fixed_axis():
    """A free body turns uniformly about a principal axis: the quaternion in closed form."""
    J = np.array([1.0, 2.0, 3.0])
    r = ga.integrate(J, lambda t, q, v: np.cross(J * v, v), None, [1, 0, 0, 0], [0, 0, 2.0], 1.0, space="SO3")
    assert np.max(np.abs(r.q[-1] - [np.cos(1), 0, 0, np.sin(1)])) < 1e-10


def test_nonholonomic():
    """A knife edge on an inclined plane (Chaplygin sleigh without offset): closed form."""
    slope, rate = 1.5, 2.0
    M = np.eye(3)

    def edge(t, q, v):
        return [np.sin(q[2]) * v[0] - np.cos(q[2]) * v[1]]

    r = ga.integrate(M, lambda t, q, v: [slope, 0, 0], None, [0, 0, 0], [0, 0, rate], 1.0, nonholonomic=edge)
    th = rate * r.t
    speed = slope / rate * np.sin(th)
    assert np.max(np.abs(r.v[:, 0] - speed * np.cos(th))) < 1e-5
    assert np.max(np.abs(r.q[:, 0] - slope / (2 * rate**2) * np.sin(th) ** 2)) < 1e-5
    assert r.psi.shape == (1001, 1) and "psi1" in r


def chain(n):
    """n masses on massless rods, all coordinates Cartesian: constraint k couples masses k-1, k."""
    def constraint(t, q):
        p = np.vstack([[0, 0], q.reshape(n, 2)])
        d = np.diff(p, axis=0)
        return (np.sum(d * d, axis=1) - 1) / 2

    def jacobian(t, q):
        p = np.vstack([[0, 0], q.reshape(n, 2)])
        d = np.diff(p, axis=0)
        G = np.zeros((n, 2 * n))
        for k in range(n):
            G[k, 2 * k: 2 * k + 2] = d[k]
            if k:
                G[k, 2 * k - 2: 2 * k] = -d[k]
        return G

    q0 = np.column_stack([np.arange(1, n + 1), np.zeros(n)]).ravel()
    return constraint, jacobian, q0, lambda t, q, v: np.tile([0, -g], n)


def test_sparse_patterns():
    sparse = pytest.importorskip("scipy.sparse")
    n = 12
    constraint, jacobian, q0, force = chain(n)
    M = np.eye(2 * n)
    # the tangents touch the neighbours
    K = sparse.csr_matrix(np.kron(np.eye(n, k=-1) + np.eye(n) + np.eye(n, k=1), np.ones((2, 2))))
    sparsity = {"mass": sparse.eye(2 * n), "constraint": sparse.csr_matrix(jacobian(0, q0 + 0.1 * np.arange(2 * n) + 0.1)),
                "tangents": K}
    dense = ga.integrate(M, force, constraint, q0, 0 * q0, 0.05, constraint_jac=jacobian)
    for jac in (jacobian, lambda t, q: sparse.csr_matrix(jacobian(t, q)), lambda t, q: sparse.coo_matrix(jacobian(t, q))):
        for mass in (M, sparse.eye(2 * n), lambda t, q: sparse.eye(2 * n)):
            r = ga.integrate(mass, force, constraint, q0, 0 * q0, 0.05, constraint_jac=jac, sparsity=sparsity,
                             linsol="klu")
            assert np.max(np.abs(r.q - dense.q)) < 1e-9
    weak = [ga.integrate(M, force, constraint, q0, 0 * q0, 0.05, constraint_jac=jacobian, sparsity=sparsity, linsol=name)
            for name in ("weak-entries", "sweep")]  # its old name
    assert np.array_equal(weak[0].q, weak[1].q) and np.max(np.abs(weak[0].q - dense.q)) < 1e-9
    with pytest.raises(ValueError, match=r"constraint_jac: entry \(0, 2\) = 1 lies outside of sparsity"):
        ga.integrate(M, force, constraint, q0, 0 * q0, 0.05, sparsity=sparsity,
                     constraint_jac=lambda t, q: jacobian(t, q) + np.eye(n, 2 * n, 2))
    with pytest.raises(ga.ArgumentError, match="unknown matrix 'masss'; did you mean 'mass'"):
        ga.integrate(M, force, constraint, q0, 0 * q0, 0.05, sparsity={"masss": M})
    with pytest.raises(ga.ArgumentError, match=r"sparsity\['mass'\]: shape"):
        ga.integrate(M, force, constraint, q0, 0 * q0, 0.05, sparsity={"mass": np.eye(3)})


C_SOURCE = """
int mass(void *user, double t, const double *q, double *M) { M[0] = M[3] = 1; return 0; }
int force(void *user, double t, const double *q, const double *v, double *F)
{ F[0] = 0; F[1] = -*(double *)user; return 0; }
int rod(void *user, double t, const double *q, double *g)
{ g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2; return 0; }
int jac(void *user, double t, const double *q, double *G) { G[0] = q[0]; G[1] = q[1]; return 0; }
int broken(void *user, double t, const double *q, double *g) { return -7; }
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    directory = tmp_path_factory.mktemp("c")
    (directory / "f.c").write_text(C_SOURCE)
    path = directory / "f.so"
    done = subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", "-o", str(path), str(directory / "f.c")])
    if done.returncode:
        pytest.skip("no C compiler")
    return ctypes.CDLL(str(path))


def python_pendulum(**keywords):
    return ga.integrate(np.eye(2), lambda t, q, v: [0, -g], lambda t, q: [(q @ q - 1) / 2], [1, 0], [0, 0], t_end=0.2,
                        constraint_jac=lambda t, q: q[None, :], **keywords)


def test_compiled_callbacks(compiled):
    """The same numbers from ctypes functions, from addresses, from both together."""
    expected = python_pendulum()
    user = np.array([g])
    for convert in (lambda f: f, lambda f: ctypes.cast(f, ctypes.c_void_p).value):
        mass, force, rod, jac = (convert(getattr(compiled, name)) for name in ("mass", "force", "rod", "jac"))
        r = ga.integrate(mass, force, rod, [1, 0], [0, 0], 0.2, constraint_jac=jac, nlam=1, user=user)
        assert np.max(np.abs(r.q - expected.q)) < 1e-11
    mixed = ga.integrate(np.eye(2), compiled.force, lambda t, q: [(q @ q - 1) / 2], [1, 0], [0, 0], 0.2,
                         constraint_jac=compiled.jac, user=user)
    assert np.max(np.abs(mixed.q - expected.q)) < 1e-11
    with pytest.raises(ga.ArgumentError, match="give the number of its rows, nlam"):
        ga.integrate(np.eye(2), compiled.force, compiled.rod, [1, 0], [0, 0], 0.2, user=user)
    with pytest.raises(ga.Error):
        ga.integrate(np.eye(2), compiled.force, compiled.broken, [1, 0], [0, 0], 0.2, nlam=1, user=user)


def test_cffi_callbacks(compiled):
    import cffi

    ffi = cffi.FFI()
    ffi.cdef("int rod(void *user, double t, const double *q, double *g);")
    library = ffi.dlopen(compiled._name)
    r = ga.integrate(np.eye(2), lambda t, q, v: [0, -g], ffi.addressof(library, "rod"), [1, 0], [0, 0], 0.2, nlam=1)
    assert np.max(np.abs(r.q - python_pendulum().q)) < 1e-8


def test_numba_callbacks():
    numba = pytest.importorskip("numba")
    from numba import types

    pointer = types.CPointer(types.double)

    @numba.cfunc(types.intc(types.voidptr, types.double, pointer, pointer, pointer))
    def force(user, t, q, v, F):
        F[0] = 0.0
        F[1] = -9.81
        return 0

    r = ga.integrate(np.eye(2), force, lambda t, q: [(q @ q - 1) / 2], [1, 0], [0, 0], 0.2)
    assert np.max(np.abs(r.q - python_pendulum().q)) < 1e-8


def test_exceptions_pass_through():
    calls = []

    def force(t, q, v):
        calls.append(t)
        if t > 0.05:
            raise LookupError("too late")
        return [0, -g]

    with pytest.raises(LookupError, match="too late") as info:
        ga.integrate(np.eye(2), force, None, [1, 0], [0, 0], 1.0)
    assert info.traceback[-1].name == "force" and calls[-1] > 0.05
    assert info.traceback[0].path.name == "test_equations.py"


def test_exceptions_in_every_callback():
    names = ["mass", "force", "constraint", *heavy_top.derivatives]
    for broken in names:
        callbacks = {name: getattr(heavy_top, name) for name in names}

        def fail(*arguments, broken=broken):
            raise RuntimeError(broken)

        callbacks[broken] = fail
        with pytest.raises(RuntimeError, match=broken):
            ga.integrate(**callbacks, **heavy_top.start, t_end=0.01)


def test_wrong_results():
    """Wrong shapes and types of every callback are exceptions that name it."""
    names = ["mass", "force", "constraint", *heavy_top.derivatives]
    for name in names:
        for wrong in (None, "x", [1, 2], np.zeros((2, 2)), {}, [[1], [2, 3]], np.zeros(0), 1j * np.ones(6)):
            callbacks = {other: getattr(heavy_top, other) for other in names}
            count = [0]
            right = callbacks[name]

            def broken(*arguments, wrong=wrong, right=right, count=count):
                count[0] += 1
                return right(*arguments) if count[0] < 3 else wrong

            callbacks[name] = broken
            with pytest.raises((TypeError, ValueError), match=name):
                ga.integrate(**callbacks, **heavy_top.start, t_end=0.05)
    with pytest.raises(ValueError, match=r"force must return an array of shape \(6,\), not \(3,\)"):
        ga.integrate(heavy_top.M, lambda t, q, v: [1, 2, 3], heavy_top.constraint, **heavy_top.start)


def test_wrong_arguments():
    M, F, G = np.eye(2), lambda t, q, v: [0, 0], lambda t, q: [q[0]]
    for call, words in (
        (lambda: ga.integrate(M, F, G), "q0 and v0"),
        (lambda: ga.integrate(M, F, G, [1, 2], [1]), "v0: an array of shape (2,) is expected, not (1,)"),
        (lambda: ga.integrate(M, F, G, ["a", 2], [1, 2]), "q0"),
        (lambda: ga.integrate(M, 3, G, [1, 2], [1, 2]), "force: a function"),
        (lambda: ga.integrate("M", F, G, [1, 2], [1, 2]), "mass: a matrix"),
        (lambda: ga.integrate(M, None, G, [1, 2], [1, 2]), "force"),
        (lambda: ga.integrate(M, F, None, [1, 2], [1, 2], -1), "t_end"),
        (lambda: ga.integrate(M, F, G, [1, 2], [1, 2]), "start"),
        (lambda: ga.integrate(M, F, None, [1, 2], [1, 2], space="R3xSO3"), "q0"),
        (lambda: ga.integrate(M, F, None, [1, 2], [1, 2], methd="stab2"), "did you mean 'method'"),
        (lambda: ga.integrate(M, F, None, [1, 2], [1, 2], events="q1"), "which only mechanisms have"),
    ):
        with pytest.raises((ValueError, ga.Error)) as info:
            call()
        assert words in str(info.value), str(info.value)


def test_nan_and_smaller_steps():
    with pytest.raises(ga.Error, match="callback 'force' wrote nan to entry 0"):
        ga.integrate(np.eye(1), lambda t, q, v: [np.nan if t > 0.1 else 0.0], None, [1], [1], 1.0)

    def walled(t, q, v):
        if q[0] > 1.0:
            raise ga.SmallerStep
        return [0.0]

    with pytest.raises(ga.RunError) as info:
        ga.integrate(np.eye(1), walled, None, [0.0], [1.0], 2.0, rtol=1e-4, h_min=1e-6)
    assert 0.99 < info.value.run.q[-1, 0] <= 1.0


def test_arguments_may_be_kept():
    kept = []

    def force(t, q, v):
        kept.append((t, q, v))
        q[0] = 99  # its own
        return [0, -g]

    r = ga.integrate(np.eye(2), force, None, [1, 0], [0, 1], 0.01)
    assert all(v[1] != 99 for _, _, v in kept) and r.q[-1, 0] == 1
    assert len({id(q) for _, q, _ in kept}) == len(kept)
    assert kept[0][2][1] != kept[-1][2][1]


def test_impacts():
    r = ga.integrate(1, lambda t, q, v: -g, None, [1.0], [0.0], 0.8,
                     events=ga.Event(lambda t, q, v: q[0], "falling", action=lambda t, q, v: (q, -v)))
    assert abs(r.events[0].t - np.sqrt(2 / g)) < 1e-9
    assert np.ptp(r.v[:, 0] ** 2 / 2 + g * r.q[:, 0]) < 1e-6


def test_corners():
    """A force that is on for 20 ms, 5 s after the start: found by its corners, by steps of both kinds."""
    def force(t, q, v):
        return (50 if 5 <= t < 5.02 else 0) - 100 * q[0]

    def run(**keywords):
        return ga.integrate(1.0, force, None, [0.0], [0.0], 6.0, corners=[5, 5.02], **keywords)

    # x'' + 100 x = f: x = 0.5 (cos(10 (t - 5.02)) - cos(10 (t - 5)))
    exact = 0.5 * (np.cos(9.8) - np.cos(10))
    for keywords in ({"rtol": 1e-6}, {"rtol": 1e-6, "h_max": np.inf}, {"h": 0.003, "cut_at_corners": True}):
        r = run(**keywords)
        assert abs(r.q[-1, 0] - exact) < 2e-3 * 0.1
        assert 5 in r.t and 5.02 in r.t
    with pytest.warns(ga.GenalphaWarning, match="jumps at t = 5"):
        run(h=0.003)
    assert np.max(np.diff(run(rtol=1e-3).t)) <= 0.06 + 1e-12
    with pytest.raises(ga.ArgumentError, match="corners"):
        ga.integrate(1.0, force, None, [0.0], [0.0], corners=[1, 0.5])
