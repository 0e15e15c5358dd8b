# SPDX-License-Identifier: MIT
"""callbacks.py WHAT TIMES: the heavy top in Python callbacks, for counts of instructions.

WHAT is "run", which integrates 100 steps TIMES times, or "replay", which makes the same calls of the
callbacks with the same arguments, TIMES times, and nothing else.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["GENALPHA_PROJECT"], "tests", "python"))
import genalpha as ga  # noqa: E402
import heavy_top  # noqa: E402

names = ["force", "constraint", *heavy_top.derivatives]
functions = {name: getattr(heavy_top, name) for name in names}
calls = []


def recorded(function):
    """The same function, which also appends each call to `calls`."""

    def call(*arguments):
        calls.append((function, arguments))
        return function(*arguments)

    return call


def run(callbacks):
    """100 steps of the heavy top with these callbacks."""
    ga.integrate(heavy_top.M, **callbacks, **heavy_top.start, t_end=0.1, h=1e-3, scleronomic=True)


run({name: recorded(function) for name, function in functions.items()})
for _ in range(int(sys.argv[2])):
    if sys.argv[1] == "run":
        run(functions)
    else:
        for function, arguments in calls:
            function(*arguments)
