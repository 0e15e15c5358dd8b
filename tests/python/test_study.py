# SPDX-License-Identifier: MIT
"""Convergence and sweeps."""
import os
import threading

import genalpha as ga
import heavy_top
import numpy as np
import pytest
from conftest import pendulum


def test_orders_are_two():
    m = pendulum(coordinates="absolute")
    for norm in ("end", "max"):
        table = ga.converge(m, h=4e-3, levels=3, t_end=0.4, norm=norm)
        assert list(table["steps"]) == [100, 200, 400] and np.allclose(table["h"], [4e-3, 2e-3, 1e-3])
        for variable in ("q", "v", "vd", "lam"):
            assert np.all(np.abs(table["order_" + variable][1:] - 2) < 0.02), (norm, variable)
        assert "psi" not in table and np.isnan(table["order_q"][0])


def test_errors_are_errors():
    """Against a run far finer than the study, not only against itself."""
    m = pendulum()
    fine = m.run(t_end=0.4, h=1e-5).q[-1]
    table = ga.converge(m, h=4e-3, levels=2, t_end=0.4)
    for h, error in zip(table["h"], table["q"]):
        exact = np.max(np.abs(m.run(t_end=0.4, h=h).q[-1] - fine))
        assert abs(error / exact - 1) < 1e-3


def test_order_of_own_equations():
    table = ga.converge(lambda h: ga.integrate(heavy_top.M, heavy_top.force, heavy_top.constraint, t_end=0.02,
                                               h=h, **heavy_top.start, **heavy_top.derivatives), h=1e-3, levels=2)
    assert abs(table["order_q"][-1] - 2) < 0.1 and abs(table["order_v"][-1] - 2) < 0.1


def test_wrong_studies():
    m = pendulum()
    for call, words in ((lambda: ga.converge(m, norm="l2"), "'end' or 'max'"),
                        (lambda: ga.converge(m, levels=0), "at least 1"),
                        (lambda: ga.converge(3), "a mechanism or a function"),
                        (lambda: ga.converge(m, h=0.03, levels=2, t_end=0.1), "does not divide")):
        with pytest.raises(ga.ArgumentError, match=words):
            call()


def test_sweep(models):
    m = ga.load(os.path.join(models, "pendulum.yaml"))
    table = ga.sweep(m, l=np.linspace(0.5, 2, 3), th0=[0.1, 0.2], workers=2, t_end=0.3, h=2e-3,
                     outputs=["pin.angle", "rod.z"])
    assert table.columns == ["l", "th0", "pin.angle", "rod.z", "error"] and len(table) == 6
    for row in table.rows():
        alone = ga.load(os.path.join(models, "pendulum.yaml"), l=row["l"], th0=row["th0"]).run(0.3, 2e-3)
        assert row["rod.z"] == alone.final("rod.z") and row["pin.angle"] == alone.final("pin.angle")
    assert m.parameters["l"] == 1
    one = ga.sweep(m, {"l": 2}, t_end=0.1, measure=lambda r: {"lowest": r["rod.z"].min()})
    assert one.columns == ["l", "lowest", "error"] and len(one) == 1
    assert "lowest" in repr(one) and "<table>" in one._repr_html_()


def test_sweep_tells_what_failed(models):
    m = ga.load(os.path.join(models, "pendulum.yaml"))
    table = ga.sweep(m, m=[1, -1], t_end=0.01, outputs=["rod.x"])
    assert table["error"][0] == "" and "negative" in table["error"][1]
    assert np.isnan(table["rod.x"][1])
    with pytest.raises(ga.ArgumentError, match="'ll' is neither a parameter nor an option of a run"):
        ga.sweep(m, ll=[1])
    with pytest.raises(ga.ArgumentError, match="has no parameter 'k'"):
        ga.sweep(m, {"k": 1})
    with pytest.raises(ZeroDivisionError):
        ga.sweep(m, l=[1, 2], t_end=0.01, measure=lambda r: 1 / 0)


def test_lock_of_the_interpreter_is_released():
    """While a run is under way another thread counts; with the lock held it could not."""
    m = pendulum()
    done, counts = threading.Event(), []

    def run():
        m.run(t_end=5, h=1e-4, every=1000)
        done.set()

    worker = threading.Thread(target=run)
    worker.start()
    count = 0
    while not done.is_set():
        count += 1
    worker.join()
    counts.append(count)
    assert counts[0] > 10000


def test_two_threads_give_the_same_bits():
    m = pendulum()
    expected = m.run(t_end=0.5).q.copy()
    results = [None] * 4

    def run(i):
        for _ in range(5):
            results[i] = m.run(t_end=0.5, events=lambda s: s["rod.x"]).q

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(q, expected) for q in results)
