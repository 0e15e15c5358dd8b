# SPDX-License-Identifier: MIT
"""What a run gives back: arrays without copies, columns, tables, files, events, options."""
import gc
import os
import subprocess

import genalpha as ga
import numpy as np
import pytest
from conftest import pendulum
from genalpha.view import tool


def test_arrays_are_views_of_the_library():
    r = pendulum(coordinates="absolute").run(t_end=0.1)
    from genalpha._lib import ffi, lib

    address = int(ffi.cast("uintptr_t", lib.ga_recorder_field(r._recorder, 1)))
    assert r.q.ctypes.data == address and not r.q.flags.owndata
    assert r.t.shape == (101,) and r.q.shape == (101, 7) and r.v.shape == (101, 6)
    assert r.lam.shape == (101, 5) and r.psi.shape == (101, 0)
    with pytest.raises(ValueError, match="read-only"):
        r.q[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        r["rod.x"][0] = 1


def test_arrays_outlive_their_run():
    r = pendulum(coordinates="absolute").run(t_end=0.5)
    q, x, expected = r.q, r["rod.x"], r.q.copy()
    row = r.v[3]
    kept = row.copy()
    del r
    gc.collect()
    for _ in range(20):  # reuses freed memory, if there were any
        pendulum().run(t_end=0.5)
    assert np.array_equal(q, expected) and np.array_equal(row, kept)
    assert np.array_equal(x, q[:, 0])


def test_energy_and_closed_form():
    """theta'' = (3 g / 2 l) cos(theta) for a rod that starts horizontally: energy gives the rate."""
    r = pendulum().want("pin.angle").run(t_end=1, h=1e-3)
    angle, rate = r["pin.angle"], r["pin.angle_rate"]
    J = 2 * (3 * 0.01**2 + 1) / 12 + 2 * 0.25
    assert np.max(np.abs(J * rate**2 / 2 - 2 * 9.81 * 0.5 * np.sin(angle))) < 2e-4
    assert np.ptp(r["energy.total"]) < 2e-4


def test_columns_by_name():
    r = pendulum().run(t_end=0.01)
    assert r[["rod.x", "rod.z"]].shape == (11, 2)
    assert "rod.x" in r and "rod.q" not in r and r.columns[0] == "t"
    assert r.final("rod.x") == r["rod.x"][-1]
    with pytest.raises(KeyError, match="did you mean 'rod.x'"):
        r["rd.x"]


def test_rows():
    m = pendulum()
    all_rows = m.run(t_end=0.1)
    some = m.run(t_end=0.1, every=30)
    assert np.array_equal(some.t, all_rows.t[[0, 30, 60, 90, 100]])
    assert np.array_equal(some.q, all_rows.q[[0, 30, 60, 90, 100]])
    times = [0, 0.0105, 0.05, 0.1]
    at = m.run(t_end=0.1, t_eval=times)
    assert np.array_equal(at.t, times) and np.array_equal(at.q[2], all_rows.q[50])
    assert np.max(np.abs(at.q[1] - (all_rows.q[10] + all_rows.q[11]) / 2)) < 1e-5
    for wrong, words in (({"t_eval": [1, 0]}, "ascend"), ({"t_eval": [[0]]}, "a list of times"),
                         ({"every": 0}, "at least 1"), ({"t_eval": [0], "every": 2}, "give one"),
                         ({"out_dt": -1}, "greater than 0"), ({"t_end": 0}, "greater than 0")):
        with pytest.raises(ga.ArgumentError, match=words):
            m.run(**{"t_end": 0.1, **wrong})


def test_options_are_those_of_the_library():
    names = ga.option_names()
    assert {"h", "rho", "method", "newton_tol", "rtol"} <= set(names)
    m = pendulum()
    r = m.run(t_end=0.2, rtol=1e-6, atol=1e-8, h=1e-4)
    assert r.stats["rejected"] >= 0 and r.stats["h_largest"] > r.stats["h_least"]
    assert m.run(t_end=0.01, h_seq="1/3,2/3").stats["steps"] == 20
    assert m.run(t_end=0.01, h_seq=[0.5, 1.5]).stats["steps"] == 10
    for wrong, words in (({"newton_to": 1}, "unknown option 'newton_to'; did you mean 'newton_tol'"),
                         ({"t_nd": 1}, "unknown option 't_nd'; did you mean 't_end'"),
                         ({"method": "stab3"}, "unknown method 'stab3'; did you mean 'stab2'"),
                         ({"h": -1}, "h"), ({"h": "x"}, "h"), ({"h": [1, 2]}, "h"), ({"rho": 2}, "rho"),
                         ({"start": "beste"}, "start"), ({"h": True}, "a number or a word")):
        with pytest.raises(ga.ArgumentError) as info:
            m.run(t_end=0.01, **wrong)
        assert words in str(info.value)


def test_names_of_options_that_are_none():
    """None stands for the default of an option that exists; another name is refused."""
    m = pendulum()
    assert m.run(t_end=0.01, rtol=None, stop_when=None).success
    for run in (lambda **o: m.run(t_end=0.01, **o),
                lambda **o: ga.integrate(lambda t, q: [[1.0]], lambda t, q, v: [0.0], None, [0.0], [1.0], t_end=0.1, **o)):
        with pytest.raises(ga.ArgumentError, match="unknown option 'rtl'; did you mean 'rtol'"):
            run(rtl=None)


def test_times_outside_of_the_run():
    m = pendulum()
    assert len(m.run(t_end=0.1, t_eval=[0, 0.05, 0.1])) == 3
    for times, wrong in (([0, 0.2], "0.2"), ([-0.1, 0.05], "-0.1")):
        with pytest.raises(ga.ArgumentError, match=f"t_eval: {wrong} is outside of the run, from 0 to 0.1"):
            m.run(t_end=0.1, t_eval=times)


def test_start_at_another_time():
    """A run in two pieces: the second starts at the time, q and v where the first ended."""
    m = pendulum()
    m.force("push", "rod", value=[0, 0, "5*sin(3*t)"])
    whole = m.run(t_end=0.4, h=1e-3)
    half = m.run(t_end=0.2, h=1e-3)
    rest = m.run(t_end=0.4, h=1e-3, t0=0.2, at=(half.q[-1], half.v[-1]))
    assert rest.t[0] == 0.2 and rest.t[-1] == 0.4
    assert np.max(np.abs(rest.q[-1] - whole.q[-1])) < 1e-6
    assert list(m.run(t_end=0.3, t0=0.2, out_dt=0.05, at=(half.q[-1], half.v[-1])).t) == pytest.approx([0.2, 0.25, 0.3])
    with pytest.raises(ga.ArgumentError, match="must be greater than 0.5"):
        m.run(t_end=0.4, t0=0.5)


def test_failed_run_carries_what_it_computed():
    m = pendulum()
    m.spring("band", "ground", "rod", at={"ground": [0, 0, -0.5]}, stiffness=1)
    m.event("far", "rod.x", falling=True)
    with pytest.raises(ga.RunError) as info:
        m.run(t_end=10, h=0.15, newton_max=2)
    error = info.value
    assert error.status.startswith("GA_") and "Newton" in str(error)
    assert not error.run.success and error.run.message == str(error) and len(error.run) >= 1


def test_events():
    m = pendulum(coordinates="absolute")
    seen = []

    def low(s):
        seen.append(s)
        return s["rod.x"] - 0.1

    low.direction = -1
    r = m.run(t_end=0.6, events=[low, "rod.x < 0.2", ga.Event("rod.z + 0.4", "falling", name="deep")])
    assert [e.name for e in r.events] == ["deep", "rod.x < 0.2", "low"]
    for event, value in zip(r.events, (0.3, 0.2, 0.1)):
        assert abs(event.q[0] - value) < 1e-9
        assert abs(np.interp(event.t, r.t, r["rod.x"]) - value) < 1e-5
    with pytest.raises(ga.Error, match="valid only during the call"):
        seen[0].q
    with pytest.raises(ga.Error, match="valid only during the call"):
        seen[0]["rod.x"]


def test_events_end_a_run():
    m = pendulum(coordinates="absolute")

    def low(s):
        return s.q[0] - 0.1

    low.terminal = True
    r = m.run(t_end=5, events=low)
    assert r.success and "low" in r.message and abs(r.final("rod.x") - 0.1) < 1e-9
    m.event("stop", "rod.x - 0.3", stop=True)
    r = m.run(t_end=5, events=low)
    assert abs(r.final("rod.x") - 0.3) < 1e-9 and "stop" in r.message
    assert abs(m.run(t_end=5, stop_when="rod.x < 0.4").final("rod.x") - 0.4) < 1e-9


def test_impacts():
    """A ball that loses a fifth of its speed: times of flight in closed form."""
    m = ga.Mechanism("ball", gravity=[0, 0, -9.81])
    m.body("ball", kind="point", mass=1, position=[0, 0, 1])
    floor = ga.Event("ball.z", "falling", name="floor", action=lambda s: -0.8 * s.v)
    r = m.run(t_end=1.6, h=1e-3, events=floor)
    first = np.sqrt(2 / 9.81)
    flight = 2 * 0.8 * first
    assert np.max(np.abs(np.array([e.t for e in r.events]) - [first, first + flight])) < 1e-6
    assert np.min(r["ball.z"]) > -1e-9


def test_wrong_events():
    m = pendulum()
    for wrong, words in ((3, "a list is expected"), ([3], "an expression of columns or a function"),
                         ("rod.q", "rod.q"), ([ga.Event("rod.x")] * 0 + ["rod.x +"], "rod.x +")):
        with pytest.raises(ga.Error) as info:
            m.run(t_end=0.01, events=wrong)
        assert words in str(info.value)
    with pytest.raises(ga.ArgumentError, match="'rising', 'falling' or 'any'"):
        ga.Event("rod.x", "up")
    with pytest.raises(ZeroDivisionError):
        m.run(t_end=0.01, events=lambda s: 1 / 0)
    with pytest.raises(TypeError):
        m.run(t_end=0.01, events=lambda s: "x" + 1)
    with pytest.raises(KeyError, match="rod.x"):
        m.run(t_end=0.01, events=lambda s: s["rad.x"])
    with pytest.raises(ga.Error, match="NaN|nan"):
        m.run(t_end=0.01, events=lambda s: float("nan"))
    with pytest.raises(ga.ArgumentError, match="v: an array of shape"):
        m.run(t_end=1, events=ga.Event("rod.x - 0.4", action=lambda s: [1, 2]))
    with pytest.raises(RuntimeError, match="oh"):
        m.run(t_end=1, events=ga.Event("rod.x - 0.4", action=_raise))


def _raise(s):
    raise RuntimeError("oh")


def test_tables_and_files(tmp_path):
    m = pendulum()
    m.output("rod.x", "rod.z")
    r = m.run(t_end=0.02)
    r.save(tmp_path / "run.csv")
    m.save(tmp_path / "m.yaml")
    out = tmp_path / "tool.csv"
    subprocess.run([tool(), "run", str(tmp_path / "m.yaml"), "--t-end", "0.02", "--out", str(out)],
                   check=True, capture_output=True)
    assert (tmp_path / "run.csv").read_text() == out.read_text()
    r.save(tmp_path / "run.npz", ["rod.z"])
    with np.load(tmp_path / "run.npz") as saved:
        assert list(saved) == ["t", "rod.z"] and np.array_equal(saved["rod.z"], r["rod.z"])
    with pytest.raises(ga.ArgumentError, match="must end with .csv, .npz or .h5"):
        r.save(tmp_path / "run.txt")
    with pytest.raises(OSError, match="cannot be written"):
        r.save(tmp_path / "no" / "run.csv")
    assert "rod.x" in r._repr_html_() and "pendulum" in repr(r)


def test_pandas():
    pytest.importorskip("pandas")
    r = pendulum().run(t_end=0.02)
    frame = r.to_pandas(["rod.x"])
    assert list(frame.columns) == ["rod.x"] and frame.index.name == "t" and len(frame) == 21
    assert np.array_equal(frame["rod.x"].to_numpy(), r["rod.x"])


def test_plot(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    r = pendulum().run(t_end=0.2)
    ax = r.plot("rod.x", "rod.z", color="k")
    assert len(ax.lines) == 2 and np.array_equal(ax.lines[1].get_ydata(), r["rod.z"])
    assert ax.get_legend().get_texts()[0].get_text() == "rod.x"
    ax.figure.savefig(tmp_path / "p.png")
    assert os.path.getsize(tmp_path / "p.png") > 1000
    with pytest.raises(KeyError):
        r.plot("rod.q")


def test_progress(capsys):
    pytest.importorskip("tqdm")
    m = pendulum()
    m.run(t_end=0.01, progress=True)  # too short for a bar
    assert capsys.readouterr().err == ""
    import genalpha.engine as engine

    bar = engine.Bar(True, 0, 2)
    bar._begin -= 1
    bar.show(1.0)
    bar.close()
    assert "50%" in capsys.readouterr().err


def test_parameters_of_the_method():
    p = ga.params(rho=0.8)
    # Chung and Hulbert: alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1)
    assert abs(p.alpha_m - 0.6 / 1.8) < 1e-15 and abs(p.alpha_f - 0.8 / 1.8) < 1e-15
    assert abs(p.gamma - (0.5 + p.alpha_f - p.alpha_m)) < 1e-15
    assert abs(p.beta - (p.gamma + 0.5) ** 2 / 4) < 1e-15
    assert p.order2 and p.zero_stable and abs(p.rho_inf - 0.8) < 1e-12 and p.remarks == ""
    assert abs(p.spectral_radius(1e6) - 0.8) < 1e-4 and abs(p.spectral_radius(1e-3) - 1) < 1e-6
    assert ga.params(alpha=-0.1).alpha_f == 0.1 and ga.params(name="newmark").beta == 0.25
    for wrong in ({"rho": 2}, {"name": "newmarc"}, {"rho": 0.5, "alpha": 0}):
        with pytest.raises(ga.ArgumentError):
            ga.params(**wrong)


def results_or_skip():
    from genalpha import hdf5

    try:
        hdf5._library()
    except ga.Error as error:
        pytest.skip(str(error))


def test_hdf5(tmp_path):
    """The tool exports the file as the CSV of the same run."""
    results_or_skip()
    m = pendulum()
    m.output("rod.x", "energy.total")
    r = m.run(t_end=0.05)
    r.save(tmp_path / "run.h5")
    r.save(tmp_path / "run.csv")
    export = [tool(), "export", str(tmp_path / "run.h5")]
    assert subprocess.run(export, capture_output=True, text=True, check=True).stdout == (tmp_path / "run.csv").read_text()
    text = subprocess.run([*export, "--model"], capture_output=True, text=True)
    if text.returncode == 0:
        assert text.stdout.strip() == m.to_yaml().strip()
    own = ga.integrate(1, lambda t, q, v: -q, None, [1], [0], 0.1)
    own.save(tmp_path / "own.h5")
    with pytest.raises(ga.Error, match="no bodies to show"):
        own.view(show=False)
    with pytest.raises(OSError):
        r.save(tmp_path / "no" / "run.h5")


def test_page_with_a_mesh(tmp_path, monkeypatch):
    """Looks from Python: a mesh is found from the working directory, or from the folder of the file."""
    results_or_skip()
    if "view" not in subprocess.run([tool(), "--help"], capture_output=True, text=True).stdout:
        pytest.skip("the installed tool has no view")
    (tmp_path / "w.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 3 2 1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    m = ga.Mechanism()
    m.body("a", mass=1, inertia=[1, 1, 1], look=[{"mesh": "w.obj", "scale": "1 mm"}, {"sphere": {"radius": 0.1}, "hide": True}])
    (tmp_path / "m.yaml").write_text(m.to_yaml())
    page = tmp_path / "p.html"
    try:
        ga.load(str(tmp_path / "m.yaml")).run(t_end=0.01, h=1e-3).view(str(page), show=False)
    except ga.Error as error:
        pytest.skip(str(error))
    assert '"meshes":[[4,4]]' in page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    m.run(t_end=0.01, h=1e-3).view(str(page), show=False)
    assert '"meshes":[[4,4]]' in page.read_text(encoding="utf-8")


def test_page(tmp_path, models):
    results_or_skip()
    help_text = subprocess.run([tool(), "--help"], capture_output=True, text=True).stdout
    if "view" not in help_text:
        pytest.skip("the tool has no command view")
    r = ga.load(os.path.join(models, "slider-crank.yaml"), torque=2).run(t_end=0.05)
    try:
        path = r.view(str(tmp_path / "page.html"), show=False)
    except ga.Error as error:
        pytest.skip(str(error))
    page = open(path, encoding="utf-8").read()
    assert "<html" in page.lower() and "slider-crank" in page
    shown = r._repr_html_()
    assert "<iframe" in shown and "slider.x" in shown
