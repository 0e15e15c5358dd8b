# SPDX-License-Identifier: MIT
"""mechanism.py FILE TIMES: loads a mechanism, runs it TIMES times, for counts of instructions."""
import sys

import genalpha as ga

m = ga.load(sys.argv[1])
m.run(t_end=0.01)
for _ in range(int(sys.argv[2])):
    m.run()
