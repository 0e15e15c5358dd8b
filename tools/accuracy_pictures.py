# SPDX-License-Identifier: MIT
"""The pictures of docs/guide/accuracy.md, with the Python package:

    build/python/venv/bin/python tools/accuracy_pictures.py docs/images
"""
import os
import sys
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import genalpha as ga

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMES = ["four-bar", "slider-crank-3d", "governor", "heavy-top", "andrews", "chain", "cart"]
ASKED = [10.0**-k for k in range(2, 10)]


def error(run, reference):
    """Largest difference of positions and velocities, each relative to its largest value."""
    worst = 0.0
    for a, b in ((run.q, reference.q), (run.v, reference.v)):
        size = np.abs(b).max(axis=0)
        size = np.maximum(size, 1e-3 * size.max())
        worst = max(worst, (np.abs(a - b) / size).max())
    return worst


def measure(name):
    """Accuracies asked for, errors achieved, steps taken."""
    m = ga.load(os.path.join(HERE, "models", name + ".yaml"))
    end = {"andrews": 0.03}.get(name, 1.0)
    times = np.linspace(0, end, 33)
    reference = m.run(t_end=end, t_eval=times, accuracy=1e-11, method="stab2", rho=0.7)
    runs = [m.run(t_end=end, t_eval=times, accuracy=a) for a in ASKED]
    return [error(r, reference) for r in runs], [r.accuracy.steps for r in runs]


def finish(path, axes):
    axes.grid(True, alpha=0.3)
    axes.figure.tight_layout()
    axes.figure.savefig(path, metadata={"Date": None})  # the same bytes each time
    plt.close(axes.figure)


def pictures(directory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = {name: measure(name) for name in NAMES}
    plt.rcParams["svg.hashsalt"] = "genalpha"
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for name, (errors, _) in data.items():
        axes.loglog(ASKED, errors, "o-", label=name, ms=4, lw=1)
    axes.loglog(ASKED, ASKED, "k--", lw=1, label="error = accuracy")
    axes.set_xlabel("accuracy asked for")
    axes.set_ylabel("error achieved")
    axes.invert_xaxis()
    axes.legend(fontsize=8)
    finish(os.path.join(directory, "accuracy-achieved.svg"), axes)

    figure, axes = plt.subplots(figsize=(7, 4.5))
    for name, (_, steps) in data.items():
        axes.loglog(ASKED, steps, "o-", label=name, ms=4, lw=1)
    first = data[NAMES[0]][1][0]
    axes.loglog(ASKED, [first * (ASKED[0] / a) ** 0.5 for a in ASKED], "k--", lw=1, label="order 2")
    axes.set_xlabel("accuracy asked for")
    axes.set_ylabel("steps in all runs, the pilot included")
    axes.invert_xaxis()
    axes.set_ylim(top=1e5)
    axes.legend(fontsize=8)
    finish(os.path.join(directory, "accuracy-cost.svg"), axes)

    def switched(t, q, v):
        return -q + (1.0 if t > np.pi else 0.0)

    def smooth(t, q, v):
        return -q + 0.5 * (1 + np.tanh(4 * (t - np.pi)))

    figure, axes = plt.subplots(figsize=(7, 4.5))
    for force, label, style in ((smooth, "smooth switch", "-"), (switched, "sudden switch", "-")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            r = ga.integrate(lambda t, q: np.eye(1), force, q0=[0.5], v0=[0.0], t_end=10, const_mass=True,
                             accuracy=1e-9, accuracy_steps=1e5)
        a = r.accuracy
        said = f"{label}: {'reached' if a.reached else 'NOT reached, about'} {a.error:.1e}, {a.steps} steps"
        axes.plot(r.t, r.q[:, 0], style, label=said)
        if not a.reached:
            axes.axvline(a.t_kink, color="k", ls=":", label=f"kink near t = {a.t_kink:.3g}")
    axes.set_xlabel("t in s")
    axes.set_ylabel("q")
    axes.legend(fontsize=8, loc="upper right")
    axes.set_ylim(top=3)
    finish(os.path.join(directory, "accuracy-kink.svg"), axes)


if __name__ == "__main__":
    pictures(sys.argv[1] if len(sys.argv) > 1 else ".")
