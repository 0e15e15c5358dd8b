#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of a step with every linear solver, and how far "auto" is from the best.

Every line is a problem and a method. Two runs of N and 2 N steps under callgrind give the
instructions of a step: (I(2N) - I(N))/N, without start and analysis. A line is good if auto takes
at most LIMIT times the instructions of the best solver. Systems of at most ROWS rows are left out,
"dense" above DENSE rows, and "mumps" below MUMPS rows, where its calls alone take more instructions
than all other solvers (0.8 million for 12 rows).

usage: measure.py TOOL [--only REGEX] [--methods index3,stab2] [--solvers auto,klu,...] [--jobs N]
The exit status is 1 if a line is above LIMIT.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

LIMIT = 1.15
ROWS = 10
DENSE = 400
MUMPS = 150
HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "..", "models")
SOLVERS = ["dense", "klu", "mumps", "weak-entries", "auto"]


def cases(tool):
    """(label, arguments of `genalpha run`) of every problem, model and chain."""
    listed = subprocess.run([tool, "list"], capture_output=True, text=True, check=True).stdout
    part = listed.split("problems (", 1)[1].split("\n\n", 1)[0]
    found = [(name, [name]) for name in re.findall(r"^  (\S+)", part, re.M)]
    found += [("chain %d" % n, ["chain", "--size", str(n)]) for n in (100, 1000)]
    found += [("net %d" % n, ["net", "--size", str(n)]) for n in (8, 16)]
    found += [("lattice %d" % n, ["lattice", "--size", str(n)]) for n in (4, 6)]
    for path in sorted(glob.glob(os.path.join(MODELS, "*.yaml"))):
        found.append((os.path.basename(path), [path]))
    for name in ("hinges", "balls"):
        path = os.path.join(HERE, name + ".yaml")
        found += [("%s %d" % (name, n), [path, "--set", "N=%d" % n]) for n in (10, 100, 1000)]
    found.append(("sprung_stewart", [os.path.join(HERE, "sprung_stewart.yaml")]))
    return found


def final(tool, args):
    """The JSON of `genalpha run --final`, None if the run fails."""
    run = subprocess.run([tool, "run", *args, "--final"], capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else None


def span(h, steps):
    """Options for so many steps of size h."""
    return ["--h", repr(h), "--t-end", repr(h * steps)]


def count(tool, args):
    """Instructions of a run, by callgrind."""
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + os.path.join(scratch, "out"),
             tool, "run", *args], capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    return int(found.group(1)) if run.returncode == 0 and found else None


def per_step(tool, args, h, steps):
    """Instructions of a step; None if a run fails."""
    once = count(tool, args + span(h, steps))
    twice = count(tool, args + span(h, 2 * steps)) if once else None
    return (twice - once) / steps if twice else None


def measure(tool, label, args, method, solvers):
    """One line of the table: a dictionary, or None if the system is small or cannot be run."""
    args = args + ["--method", method]
    first = final(tool, args + ["--t-end", "1e-6"])
    if first is None:
        return None
    h = first["step_sizes"].get("h") or 1e-3
    run = final(tool, args + span(h, 2))
    rows = 0 if run is None else len(run["v"]) + len(run["lam"]) * (2 if method == "stab2" else 1)
    rows += 0 if run is None else len(run["psi"])
    if rows <= ROWS:
        return None
    steps = 60 if rows < 100 else 30 if rows < 400 else 12 if rows < 3000 else 6
    run = final(tool, args + span(h, 2 * steps))
    if run is None:
        return None
    line = {"case": label, "method": method, "rows": rows, "why": run["linsol"]["why"],
            "chosen": run["linsol"]["name"],
            "matrices": run["stats"]["matrices"] / run["stats"]["steps"],
            "iterations": run["stats"]["newton_its"] / run["stats"]["steps"]}
    for solver in solvers:
        if (solver == "dense" and rows > DENSE) or (solver == "mumps" and rows < MUMPS):
            continue
        line[solver] = per_step(tool, args + ["--linsol", solver], h, steps)
    return line


def show(line, solvers):
    """Print a line; returns auto over the best of the others."""
    others = [s for s in solvers if s != "auto" and line.get(s)]
    best = min(others, key=lambda s: line[s]) if others else None
    ratio = line["auto"] / line[best] if best and line.get("auto") else float("nan")
    cells = ["%.0f" % (line[s] / 1e3) if line.get(s) else "-" for s in solvers]
    print("| %s | %s | %d | %.2f | %.2f | %s | %s | %s | %.3f%s |" % (
        line["case"], line["method"], line["rows"], line["matrices"], line["iterations"],
        " | ".join(cells), best, line["chosen"], ratio, " **" if ratio > LIMIT else ""), flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    parser.add_argument("--methods", default="index3,stab2")
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", help="also write all numbers to this file")
    options = parser.parse_args()
    solvers = options.solvers.split(",")
    todo = [(label, args, method) for label, args in cases(options.tool)
            if re.search(options.only, label) for method in options.methods.split(",")]
    print("thousand instructions of a step\n")
    print("| case | method | rows | matrices | iterations | %s | best | auto takes | auto/best |"
          % " | ".join(solvers))
    print("|---" * (8 + len(solvers)) + "|")
    lines, worst = [], 0.0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(measure, options.tool, *job, solvers) for job in todo]
        for job in jobs:
            line = job.result()
            if line:
                lines.append(line)
                worst = max(worst, show(line, solvers))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(lines, file, indent=1)
    print("\nlargest auto/best: %.3f (limit %.2f)" % (worst, LIMIT))
    return worst > LIMIT


if __name__ == "__main__":
    sys.exit(main())
