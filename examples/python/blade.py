# SPDX-License-Identifier: MIT
"""A blade of a rotor, a flexible beam: how it sags, how it vibrates, and that turning makes it stiffer.

At rest the numbers are those of textbooks: a sag of rhoA g L^4/(8 EI), angular frequencies of 3.516 and 22.03
times UNIT = sqrt(EI/(rhoA L^4)). Turning raises the first frequency across the plane of rotation: to 5.585 UNIT at
4 UNIT, to 9.257 UNIT at 8 UNIT (Wright, Smith, Thresher, Wang 1982).

    python blade.py
"""
import genalpha as ga
import numpy as np

LENGTH, EI, RHO_A = 5.0, 8000.0, 2.0  # m, N m^2, kg/m
UNIT = np.sqrt(EI / (RHO_A * LENGTH**4))  # rad/s


def blade(speed=0.0, nudge=0.0, gravity=9.81):
    """A blade of 12 elements along x on a hub that turns about z with `speed` (rad/s). `nudge` is a force along z on
    its tip for the first 0.05 s."""
    m = ga.Mechanism("blade", gravity=[0, 0, -gravity])
    hub = m.body("hub", mass=1, inertia=[1, 1, 1], angular_velocity=[0, 0, speed])
    m.beam("blade", line={"from": [0, 0, 0], "to": [LENGTH, 0, 0], "elements": 12}, y_axis=[0, 1, 0],
           section={"EA": 4e6, "GA": [1e6, 1e6], "GJ": 4e3, "EI": [EI, 10 * EI], "rhoA": RHO_A,
                    "rhoI": [0.02, 0.002, 0.018]},
           damping=[0.01, 0.01, 0.01, 0, 0, 0], angular_velocity=[0, 0, speed])
    m.revolute("bearing", ga.ground, hub, axis=[0, 0, 1])
    m.fixed("root", hub, "blade.start")
    m.drive("motor", "bearing.angle", position=f"{speed}*t")
    m.force("nudge", "blade.end", value=[0, 0, f"{nudge}*step(t, 0, 1, 0.05, 0)"])
    return m


def first_frequency(r, column="blade.end.z"):
    """Frequency of the free vibration in a run, from the times at which it passes its mean upwards."""
    t, x = r.t[r.t > 0.2], r[column][r.t > 0.2]
    x = x - x.mean()
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    passes = t[up] - x[up] * (t[up + 1] - t[up]) / (x[up + 1] - x[up])
    return (len(passes) - 1) / (passes[-1] - passes[0])


def sag():
    """How far the tip of the blade at rest is below the hub, in m."""
    return -blade().equilibrium()["blade.end.z"]


def frequencies():
    """The two lowest frequencies across, without weight, in Hz; bending in the plane comes between them."""
    return blade(gravity=0).modes().frequencies[[0, 2]]


def turning_frequency(speed):
    """The first frequency across of the blade that turns with `speed` (rad/s), in Hz."""
    return first_frequency(blade(speed, nudge=20, gravity=0).run(t_end=6, h=2e-3, rho=0.9))


if __name__ == "__main__":
    print(f"sag {1e3 * sag():.2f} mm, of a thin beam {1e3 * RHO_A * 9.81 * LENGTH**4 / (8 * EI):.2f} mm")
    for found, factor in zip(frequencies(), (3.516, 22.03)):
        print(f"at rest {found:.3f} Hz, of a thin beam {factor * UNIT / (2 * np.pi):.3f} Hz")
    for speed, factor in ((4 * UNIT, 5.585), (8 * UNIT, 9.257)):
        print(f"at {speed:.2f} rad/s {turning_frequency(speed):.3f} Hz, of a thin beam {factor * UNIT / (2 * np.pi):.3f} Hz")
