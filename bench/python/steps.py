# SPDX-License-Identifier: MIT
"""steps.py FILE HOW TIMES: a simulation of 1000 steps TIMES times, for counts of instructions.

HOW is "each", a call of step() for each of them, or "all", one call for the 1000.
"""
import sys

import genalpha as ga

sim = ga.load(sys.argv[1]).simulate(h=1e-4)
sim.step(10)
for _ in range(int(sys.argv[3])):
    if sys.argv[2] == "all":
        sim.step(1000)
    else:
        for _ in range(1000):
            sim.step()
