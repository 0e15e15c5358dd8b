# SPDX-License-Identifier: MIT
"""A pole on a cart, kept upright by a program: the force on the cart is set every 10 ms.

The controller is a linear feedback of position, speed, angle and rate, computed from the linearized
mechanism; it knows nothing of the nonlinear one that it steps.

    python cart_pole.py
"""
import genalpha as ga
import numpy as np


def cart_pole():
    """A cart of 1 kg on a rail along x, a pole of 0.2 kg and 1 m upright on it; `force` acts on the cart."""
    m = ga.Mechanism("cart-pole", gravity=[0, 0, -9.81])
    m.input("force")
    cart = m.body("cart", mass=1, inertia=[0.1, 0.1, 0.1], look={"box": [0.3, 0.2, 0.1]})
    pole = m.body("pole", mass=0.2, shape={"rod": {"length": 1, "radius": "10 mm"}}, position=[0, 0, 0.5],
                  orientation={"axis": [0, 1, 0], "angle": "-90 deg"})
    m.prismatic("rail", ga.ground, cart, at=[0, 0, 0], axis=[1, 0, 0])
    m.revolute("hinge", cart, pole, at=[0, 0, 0], axis=[0, 1, 0])
    m.torsion("push", "rail.position", law="force")
    m.want("hinge.angle")
    return m


# MASS (x'', angle'') = (force, 0) + (0, STIFF angle), linearized about the upright pole
M, MP, L, G = 1.0, 0.2, 1.0, 9.81  # cart, pole, its length, gravity
MASS = np.array([[M + MP, MP * L / 2], [MP * L / 2, MP * L**2 / 3 + MP * 0.01**2 / 4]])
STIFF = MP * G * L / 2


def gains():
    """Feedback that puts the poles of the linearized motion at -3, -3.5, -4, -4.5 (Ackermann's formula)."""
    inverse = np.linalg.inv(MASS)
    a = np.zeros((4, 4))
    a[:2, 2:] = np.eye(2)
    a[2:, 1] = inverse @ [0, STIFF]
    b = np.zeros(4)
    b[2:] = inverse[:, 0]
    reach = np.column_stack([np.linalg.matrix_power(a, k) @ b for k in range(4)])
    wanted = np.eye(4)
    for pole in (-3, -3.5, -4, -4.5):
        wanted = wanted @ (a - pole * np.eye(4))
    return np.linalg.solve(reach.T, [0, 0, 0, 1]) @ wanted


def balance(seconds=6.0, period=0.01, push=4.0):
    """Step the mechanism under control; rows of t, position, angle from upright, force."""
    sim = cart_pole().simulate(h=1e-3)
    k, rows = gains(), []
    pushed = round(0.1 / period)  # for 0.1 s the cart is pushed to the left, so that the pole tilts
    for i in range(int(round(seconds / period))):
        state = [sim["rail.position"], sim["hinge.angle"], sim["rail.position_rate"], sim["hinge.angle_rate"]]
        force = -push if i < pushed else -float(k @ state)
        sim.set(force=force)
        sim.run_to((i + 1) * period)
        rows.append([sim.t, state[0], state[1], force])
    return np.array(rows)


if __name__ == "__main__":
    rows = balance()
    for t, x, angle, force in rows[::50]:
        print(f"t = {t:4.2f} s   x = {x:8.4f} m   angle = {np.degrees(angle):8.3f} deg   force = {force:8.3f} N")
