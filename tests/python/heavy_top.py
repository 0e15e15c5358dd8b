# SPDX-License-Identifier: MIT
"""The heavy top on R^3 x SO(3) in NumPy: -x + R X = 0, derivatives as in problems/heavy_top.c.

    G = (-I, -R X~),  Z = (0, -R (Omega x X)~),  drift = R (Omega x (Omega x X))
    K = X~ (R^T lam)~ and C = Omega~ J - (J Omega)~ in the rows and columns of Omega
"""
import numpy as np

m, J = 15.0, np.array([0.234375, 0.46875, 0.234375])
X, gravity = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, -9.81])
M = np.diag([m, m, m, *J])
Omega0 = np.array([0.0, 150.0, -4.61538])
q0 = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0])
v0 = np.concatenate([np.cross(Omega0, X), Omega0])
start = {"q0": q0, "v0": v0, "space": "R3xSO3"}


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(p):
    s = skew(p[1:])
    return np.eye(3) + 2 * p[0] * s + 2 * s @ s


def mass(t, q):
    return M


def force(t, q, v):
    Omega = v[3:]
    return np.concatenate([m * gravity, np.cross(J * Omega, Omega)])


def constraint(t, q):
    return -q[:3] + rotation(q[3:]) @ X


def constraint_jac(t, q):
    return np.hstack([-np.eye(3), -rotation(q[3:]) @ skew(X)])


def constraint_curv(t, q, v):
    return np.hstack([np.zeros((3, 3)), -rotation(q[3:]) @ skew(np.cross(v[3:], X))])


def constraint_drift(t, q, v):
    return rotation(q[3:]) @ np.cross(v[3:], np.cross(v[3:], X))


def tangents(t, q, v, x, lam, psi):
    K, C = np.zeros((6, 6)), np.zeros((6, 6))
    K[3:, 3:] = skew(X) @ skew(rotation(q[3:]).T @ lam)
    C[3:, 3:] = skew(v[3:]) * J - skew(J * v[3:])
    return K, C


derivatives = {
    "constraint_jac": constraint_jac,
    "constraint_curv": constraint_curv,
    "constraint_drift": constraint_drift,
    "tangents": tangents,
}
