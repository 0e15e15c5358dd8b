# SPDX-License-Identifier: MIT
"""No crash and no leak: Ctrl-C, interpreters that go, forks, many runs. Each in a process."""
import signal
import subprocess
import sys
import textwrap
import time

import pytest

PENDULUM = """
import os, signal, sys, threading, time, gc, resource
import numpy as np
import genalpha as ga
m = ga.Mechanism("pendulum", gravity=[0, 0, -9.81])
rod = m.body("rod", mass=2, inertia=[0.1, 0.2, 0.2], position=[0.5, 0, 0])
m.revolute("pin", ga.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
"""


def python(code, **keywords):
    """Run code in a fresh interpreter; its output."""
    return subprocess.run([sys.executable, "-X", "faulthandler", "-c", PENDULUM + textwrap.dedent(code)],
                          capture_output=True, text=True, timeout=240, **keywords)


def lines(code):
    done = python(code)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


def interrupted(code):
    """The same, with Ctrl-C when it says `go`."""
    process = subprocess.Popen([sys.executable, "-c", PENDULUM + textwrap.dedent(code)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n", process.stderr.read()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_interrupt_keeps_what_was_computed():
    code, out, err = interrupted("""
        print("go", flush=True)
        r = m.run(t_end=1e5, h=1e-3, every=10)
        print(r.success, r.message, 0 < r.t[-1] < 1e5, len(r) > 10, r.q.shape[1])
    """)
    assert code == 0, err
    assert out == "False interrupted True True 1\n"
    assert "interrupted at t = " in err and "Traceback" not in err


def test_interrupt_in_a_python_callback():
    code, out, err = interrupted("""
        print("go", flush=True)
        r = ga.integrate(np.eye(1), lambda t, q, v: -q, None, [1.0], [0.0], 1e5)
        print(r.message, 0 < r.t[-1] < 1e5)
    """)
    assert code == 0, err
    assert out == "interrupted True\n"


def test_interrupt_of_a_sweep():
    code, out, err = interrupted("""
        m.parameter("k", 1)
        print("go", flush=True)
        ga.sweep(m, k=[1, 2, 3, 4], workers=2, t_end=1e5, every=100)
    """)
    assert code != 0 and "KeyboardInterrupt" in err


@pytest.mark.parametrize("what", [
    "m.run(t_end=1e5, every=100)",
    "ga.integrate(np.eye(1), lambda t, q, v: -q, None, [1.0], [0.0], 1e5, every=100)",
    "m.run(t_end=1e5, every=100, events=lambda s: s['rod.x'])",
])
def test_interpreter_exit_during_a_run(what):
    done = python(f"""
        thread = threading.Thread(target=lambda: {what}, daemon=True)
        thread.start()
        time.sleep(0.5)
        print("end")
    """)
    assert done.returncode == 0 and done.stdout == "end\n", done.stderr
    assert "Fatal" not in done.stderr


def test_exit_inside_a_callback():
    done = python("""
        ga.integrate(np.eye(1), lambda t, q, v: sys.exit(3) if t > 0.01 else -q, None, [1.0], [0.0], 1)
    """)
    assert done.returncode == 3, done.stderr


def test_fork():
    """A child may use what its parent had, run, and leave; so may a child forked during a run."""
    out = lines("""
        before = m.run(t_end=0.1)
        def child():
            pid = os.fork()
            if pid == 0:
                same = np.array_equal(m.run(t_end=0.1).q, before.q)
                os._exit(0 if same else 1)
            return os.waitpid(pid, 0)[1]
        print(child())
        stop = threading.Event()
        thread = threading.Thread(target=lambda: m.run(t_end=20, every=100))
        thread.start()
        print(child(), child())
        thread.join()
    """)
    assert out[:2] == ["0", "0 0"]


def test_callbacks_that_run_themselves():
    """A run inside a callback of a run."""
    out = lines("""
        def force(t, q, v):
            inner = ga.integrate(np.eye(1), lambda t, q, v: -q, None, q, v, 0.002)
            return -inner.q[0]
        r = ga.integrate(np.eye(1), force, None, [1.0], [0.0], 0.1)
        print(abs(r.q[-1, 0] - np.cos(0.1)) < 1e-6)
    """)
    assert out[0] == "True"


def test_objects_in_any_order():
    out = lines("""
        r = m.run(t_end=0.1)
        q = r.q
        del m, r
        gc.collect()
        print(q.sum() != 0)
        e = None
        try:
            ga.integrate(np.eye(1), lambda t, q, v: 1 / 0, None, [1.0], [0.0], 1)
        except ZeroDivisionError as error:
            e = error
        del e
        gc.collect()
        print(gc.garbage)
    """)
    assert out[:2] == ["True", "[]"]


def test_memory_is_flat():
    """10,000 runs of mechanisms, equations, failures and exceptions: less than 200 bytes each."""
    out = lines("""
        def memory():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()
        def fails(t, q, v):
            raise ValueError("no")
        def once(i):
            kind = i % 10
            if kind < 6:
                r = m.run(t_end=0.01, h=1e-3)
                if kind == 0:
                    r["rod.x"], r.table()
            elif kind == 6:
                ga.integrate(np.eye(1), lambda t, q, v: -q, None, [1.0], [0.0], 0.01)
            elif kind == 7:
                try:
                    ga.integrate(np.eye(1), fails, None, [1.0], [0.0], 0.01)
                except ValueError:
                    pass
            elif kind == 8:
                m.run(t_end=0.01, events=[lambda s: s.q[0], "rod.x"])
            else:
                try:
                    m.with_parameters().run(method="none")
                except ga.Error:
                    pass
        for i in range(2000):
            once(i)
        before = memory()
        for i in range(10000):
            once(i)
        print(memory() - before)
    """)
    assert int(out[0]) < 2_000_000, out[0]


def test_python_without_extras():
    """Only cffi and NumPy are needed; what needs more says so."""
    out = lines("""
        for name in ("pandas", "matplotlib", "tqdm", "tqdm.auto", "scipy", "scipy.sparse"):
            sys.modules[name] = None
        r = m.run(t_end=0.01, progress=True)
        for call in (r.to_pandas, r.plot, ga.Table({}).to_pandas):
            try:
                call()
            except ga.Error as error:
                print(error)
    """)
    assert "pandas (Debian: python3-pandas)" in out[0] and "python3-matplotlib" in out[1]


def test_nothing_is_printed():
    done = python("m.run(t_end=0.1)")
    assert (done.stdout, done.stderr) == ("", "")

