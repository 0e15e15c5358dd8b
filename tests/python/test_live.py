# SPDX-License-Identifier: MIT
"""A mechanism that is stepped by the program: inputs, columns, states, loops with controllers."""
import gc
import importlib.util
import os
import tracemalloc

import genalpha as ga
import numpy as np
import pytest
from conftest import pendulum


def motor():
    """A pendulum with a motor in its hinge and wind at its tip; 3 angle'' = ..., see `slope`."""
    m = pendulum()
    m.parameter("k", 3)
    m.input("torque")
    m.input("wind", 0.5)
    m.torsion("motor", "pin.angle", law="torque - 0.1*s_dot")
    m.force("gust", "rod", at=[0.5, 0, 0], value=["wind*cos(t)", 0, 0])
    m.sensor("tip", "point", body="rod", at=[0.5, 0, 0])
    return m


J = 2 * 1 / 3 + 2 * 0.01**2 / 4  # about the hinge: m l^2/3 + m r^2/4


def slope(t, y, torque, wind):
    """The same pendulum as an ODE of (angle, rate); the angle counts from x down to -z."""
    angle, rate = y
    gravity = 2 * 9.81 * 0.5 * np.cos(angle)
    return [rate, (gravity + torque - 0.1 * rate - wind * np.cos(t) * np.sin(angle)) / J]


def reference(y, t0, t1, torque, wind):
    scipy = pytest.importorskip("scipy.integrate")
    done = scipy.solve_ivp(slope, (t0, t1), y, "DOP853", args=(torque, wind), rtol=1e-12, atol=1e-13)
    return done.y[:, -1]


NAMES = ["pin.angle", "pin.angle_rate", "rod.ax", "rod.az", "pin.Fx", "pin.Fz"]


# ---- reading and stepping -------------------------------------------------------------------------


def test_reading():
    sim = motor().simulate(h=1e-3)
    assert sim.t == 0 and sim.inputs == {"torque": 0, "wind": 0.5}
    assert sim.step() and sim.step(9) and sim.t == pytest.approx(0.01, abs=1e-15)
    assert sim.run_to(0.0255) and sim.t == 0.0255
    body, tip = sim["rod"], sim["tip"]
    assert body["x"] == sim["rod.x"] and tip["z"] == sim["tip.z"] == sim.state["tip.z"]
    assert tip["z"] == pytest.approx(2 * body["z"])
    assert np.array_equal(sim[["rod.x", "torque"]], [body["x"], 0])
    assert sim.state.q.shape == (1,) and "rod.x" in sim and "rod" not in sim
    assert sim.stats["steps"] == 26 and "Simulation 'pendulum' at t = 0.0255" in repr(sim)


def test_equals_run():
    m = motor()
    run = m.run(t_end=0.3, h=1e-3)
    sim = m.simulate(h=1e-3)
    rows = []
    for _ in range(300):
        sim.step()
        rows.append(sim[NAMES])
    assert np.array_equal(np.array(rows), run[NAMES][1:])


def test_again():
    """States in memory and resets: the same bits, with inputs."""
    m = motor()
    sim, other = m.simulate(h=1e-3), m.simulate(h=1e-3)

    def play(s):
        rows = []
        for i in range(40):
            s.set(torque=[2.0, -3.0][i // 7 % 2], wind=i % 5)
            s.step(3)
            rows.append(s[NAMES])
        return np.array(rows)

    first = play(sim)
    sim.reset()
    assert sim.t == 0 and sim.inputs == {"torque": 0, "wind": 0.5}
    assert np.array_equal(play(sim), first)
    saved = sim.save()
    after = play(sim)
    sim.load(saved)
    assert np.array_equal(play(sim), after)
    other.load(bytearray(saved))
    assert other.t == pytest.approx(0.12) and other.inputs == {"torque": -3, "wind": 4}
    assert np.array_equal(play(other), after)
    sim.set(torque=7)  # set, not stepped yet
    other.load(sim.save())
    sim.step(5), other.step(5)
    assert np.array_equal(sim[NAMES], other[NAMES]) and other.inputs["torque"] == 7


def test_start_elsewhere():
    m = motor()
    rest = m.equilibrium()
    sim = m.simulate(at=rest, t0=2.0)
    assert sim.t == 2 and sim["tip.z"] == rest["tip.z"]
    sim.step(10)
    sim.reset()
    assert sim.t == 2 and sim["tip.z"] == pytest.approx(rest["tip.z"])


def test_events():
    m = motor()
    m.event("down", "pin.angle - 1.5", stop=True)
    sim = m.simulate(h=1e-3, events=[ga.Event(lambda s: s["pin.angle"] - 0.5, name="half")])
    assert not sim.run_to(5)
    assert [e.name for e in sim.events] == ["half", "down"] and sim["pin.angle"] == pytest.approx(1.5)
    assert sim.step(3) and sim["pin.angle"] > 1.5
    sim.reset()
    assert sim.events == []
    with pytest.raises(ga.ArgumentError, match="between two steps"):
        m.simulate(events=ga.Event("pin.angle", action=lambda s: s.v))

    def fails(s):
        raise LookupError("no value")

    with pytest.raises(LookupError, match="no value"):
        m.simulate(events=fails)


# ---- messages -------------------------------------------------------------------------------------


def test_messages():
    m = motor()
    sim = m.simulate(h=1e-3)
    with pytest.raises(KeyError, match="there is no column 'rod.xx'; did you mean 'rod.x"):
        sim["rod.xx"]
    with pytest.raises(ga.ArgumentError, match="there is no input 'torqe'; did you mean 'torque'"):
        sim.set(torqe=1)
    with pytest.raises(ga.ArgumentError, match="'k' is a parameter, .* only inputs can be set: torque, wind"):
        sim.set(k=1)
    with pytest.raises(ga.ArgumentError, match="'torque'.* not a finite number"):
        sim.set(torque=float("nan"))
    with pytest.raises(TypeError):
        sim.set(torque="much")
    with pytest.raises(ga.FileError, match="the state in memory is torn or damaged"):
        sim.load(sim.save()[:-1])
    with pytest.raises(ga.FileError, match="is of another model|has 2 inputs"):
        pendulum().simulate().load(sim.save())
    with pytest.raises(ga.ArgumentError, match="not before"):
        sim.run_to(-1)
    with pytest.raises(ga.ArgumentError, match="unknown option 'hh'"):
        m.simulate(hh=1)
    with pytest.raises(ga.RunError, match="^t = 0.* did not converge"):
        m.simulate(h=0.5, newton_max=1).step()
    with pytest.raises(ga.ArgumentError, match="there is no input 'winde'; did you mean 'wind'"):
        m.run(inputs={"winde": 1})
    with pytest.raises(ga.ArgumentError, match="interpolate = 'cubic'"):
        m.run(inputs={"wind": 1}, interpolate="cubic")
    with pytest.raises(ga.ArgumentError, match="accuracy"):
        m.run(inputs={"wind": 1}, t_end=0.1, accuracy=1e-3)
    with pytest.raises(ga.ArgumentError, match="as many times as values"):
        m.run(inputs={"wind": ([0, 1], [1, 2, 3])})
    with pytest.raises(ga.ArgumentError, match="must rise"):
        m.run(inputs={"wind": ([0, 0], [1, 2])})
    sim.step()
    assert sim.t == 1e-3
    m.torsion("odd", "pin.angle", law="log(1 + torque)")
    sim = m.simulate()
    sim.set(torque=-2)
    with pytest.raises(ga.RunError, match="^start at t = 0: torsion 'odd': its law is not a number.* torque = -2"):
        sim.step()
    sim.set(torque=1)
    assert sim.step()


def test_sampled_states_are_no_inputs():
    m = motor()
    m.state("held", None, value="10*pin.angle", every=0.05)
    sim = m.simulate(h=1e-3)
    assert sim.inputs == {"torque": 0, "wind": 0.5}
    with pytest.raises(ga.ArgumentError, match="there is no input 'held'; only inputs can be set: torque, wind"):
        sim.set(held=1)
    sim.run_to(0.05)
    angle = sim["pin.angle"]
    sim.run_to(0.08)
    assert sim["held"] == 10 * angle


# ---- inputs ---------------------------------------------------------------------------------------


def torques(t):
    """Piecewise constant, with jumps at multiples of 1/16."""
    return [3.0, -5.0, 0.5, 8.0][int(16 * t + 1e-9) % 4]


def stepped(m, h):
    sim = m.simulate(h=h)
    rows = []
    for i in range(16):
        sim.set(torque=torques(i / 16), wind=1)
        sim.run_to((i + 1) / 16)
        rows.append(sim[NAMES])
    return np.array(rows)


def test_set_keeps_order_two():
    """Errors of positions, velocities, accelerations and reactions fall by four."""
    m = motor()
    coarse, fine, exact = (stepped(m, 1 / n) for n in (256, 512, 8192))
    for columns in ([0], [1], [2, 3], [4, 5]):
        ratio = np.max(np.abs(coarse - exact)[:, columns]) / np.max(np.abs(fine - exact)[:, columns])
        assert ratio > 3.5


def test_same_value_costs_nothing():
    m = motor()
    a, b = m.simulate(h=1e-3), m.simulate(h=1e-3)
    for _ in range(50):
        b.set(torque=0, wind=0.5)
        a.step(), b.step()
    assert np.array_equal(a[NAMES], b[NAMES]) and a.stats == b.stats


def test_runs_with_inputs(tmp_path):
    """Samples, arrays, functions and files; held samples equal a loop with set."""
    m = motor()
    t = np.arange(17) / 16
    values = np.array([torques(x) for x in t])
    held = m.run(t_end=1, h=1 / 512, inputs={"torque": (t, values), "wind": 1}, interpolate="hold")
    assert np.max(np.abs(held[NAMES][32::32] - stepped(m, 1 / 512))[:, :2]) < 1e-10
    assert held["torque"][40] == -5 and held["wind"][0] == 1
    y = [0.0, 0.0]
    for i in range(16):
        y = reference(y, i / 16, (i + 1) / 16, torques(i / 16), 1)
    assert np.max(np.abs(held[["pin.angle", "pin.angle_rate"]][-1] - y)) < 2e-4
    line = m.run(t_end=1, h=1e-3, inputs={"torque": np.column_stack([t, values])})
    path = tmp_path / "u.csv"
    np.savetxt(path, np.column_stack([t, values]), header="t,torque [Nm]", delimiter=",", comments="")
    assert np.array_equal(m.run(t_end=1, h=1e-3, inputs=path)["pin.angle"], line["pin.angle"])
    smooth = m.run(t_end=1, h=1e-3, inputs={"torque": lambda s: np.sin(5 * s)}, interpolate="smooth")
    law = pendulum()
    law.torsion("motor", "pin.angle", law="sin(5*t) - 0.1*s_dot")
    law.force("gust", "rod", at=[0.5, 0, 0], value=["0.5*cos(t)", 0, 0])
    assert np.max(np.abs(smooth["pin.angle"] - law.run(t_end=1, h=1e-3)["pin.angle"])) < 1e-6
    t_eval = [0.1, 0.35]
    between = m.run(t_end=1, h=1e-2, t_eval=t_eval, inputs={"torque": ([0, 1], [0, 10])})
    assert np.allclose(between["torque"], [1, 3.5])
    m.save(tmp_path / "m.yaml")
    again = ga.load(tmp_path / "m.yaml", torque=4)
    assert again.simulate().inputs == {"torque": 4, "wind": 0.5}


# ---- loops ----------------------------------------------------------------------------------------


def pid_loop(h):
    """A sampled PID controller, every 10 ms, that lifts the pendulum to -0.5 rad."""
    sim = motor().simulate(h=h)
    integral, rows = 0.0, []
    for i in range(100):
        error = -0.5 - sim["pin.angle"]
        integral += 0.01 * error
        sim.set(torque=-9 + 30 * error + 20 * integral - 6 * sim["pin.angle_rate"])
        sim.run_to((i + 1) / 100)
        rows.append(sim[["pin.angle", "pin.angle_rate"]])
    return np.array(rows)


def test_pid_equals_scipy():
    """The sampled loop, extrapolated from two step sizes, against an ODE solver between the samples."""
    fine = pid_loop(2e-4)
    ours = fine + (fine - pid_loop(4e-4)) / 3
    y, integral, rows = np.zeros(2), 0.0, []
    for i in range(100):
        error = -0.5 - y[0]
        integral += 0.01 * error
        y = reference(y, i / 100, (i + 1) / 100, -9 + 30 * error + 20 * integral - 6 * y[1], 0.5)
        rows.append(y)
    assert np.max(np.abs(ours - np.array(rows))) < 1e-8
    assert abs(ours[-1, 0] + 0.5) < 0.2


FILE = """
genalpha: 1
gravity: [0, 0, -9.81]
parameters: {T: 0.01}
bodies:
  rod: {shape: {rod: {length: 1, radius: 0.01}}, mass: 2, position: [0.5, 0, 0]}
joints:
  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
sensors:
  error: {type: expression, value: "-0.5 - pin.angle"}
states:
  integral: {value: "integral + T*error", every: T}
  torque: {value: "-9 + 30*error + 20*(integral + T*error) - 6*pin.angle_rate", every: T}
forces:
  motor: {type: torsion, coordinate: pin.angle, law: "torque - 0.1*s_dot"}
  gust: {type: force, body: rod, at: [0.5, 0, 0], value: ["0.5*cos(t)", 0, 0]}
run: {t_end: 1}
output: [pin.angle, pin.angle_rate]
"""


def test_three_ways_of_a_pid(tmp_path):
    """A loop in a file, the same one stepped by the program, and an ODE solver between the samples."""
    path = tmp_path / "pid.yaml"
    path.write_text(FILE)
    m = ga.load(path)
    fine, rows = [], []
    for h in (4e-4, 2e-4):
        r = m.run(h=h, t_eval=np.arange(1, 101) / 100)
        fine.append(r[["pin.angle", "pin.angle_rate"]])
        assert np.max(np.abs(fine[-1] - pid_loop(h))) < 1e-11
    y, integral = np.zeros(2), 0.0
    for i in range(100):
        error = -0.5 - y[0]
        integral += 0.01 * error
        y = reference(y, i / 100, (i + 1) / 100, -9 + 30 * error + 20 * integral - 6 * y[1], 0.5)
        rows.append(y)
    assert np.max(np.abs(fine[1] + (fine[1] - fine[0]) / 3 - np.array(rows))) < 1e-8


def test_continuous_pid_equals_scipy():
    """The same controller without sampling: a state of the model, against the ODE of all three."""
    scipy = pytest.importorskip("scipy.integrate")
    m = pendulum()
    m.input("goal", -0.5)
    m.state("integral", "goal - pin.angle")
    m.torsion("motor", "pin.angle", law="-9 + 30*(goal - s) + 20*integral - 6*s_dot - 0.1*s_dot")
    names = ["pin.angle", "pin.angle_rate", "integral"]

    def loop(h):
        sim = m.simulate(h=h)
        sim.run_to(0.5)
        sim.set(goal=0.25)  # the rate of the state jumps
        sim.run_to(1)
        return sim[names]

    fine = loop(2e-4)
    ours = fine + (fine - loop(4e-4)) / 3

    def slope3(t, y, goal):
        effort = -9 + 30 * (goal - y[0]) + 20 * y[2] - 6 * y[1]
        return [*slope(t, y[:2], effort, 0), goal - y[0]]

    y = np.zeros(3)
    for t0, goal in ((0, -0.5), (0.5, 0.25)):
        y = scipy.solve_ivp(slope3, (t0, t0 + 0.5), y, "DOP853", args=(goal,), rtol=1e-12, atol=1e-13).y[:, -1]
    assert np.max(np.abs(ours - y)) < 1e-8


def test_cart_pole(project):
    """The example: the pole comes back, and the motion is that of the nonlinear equations."""
    scipy = pytest.importorskip("scipy.integrate")
    spec = importlib.util.spec_from_file_location(
        "cart_pole", os.path.join(project, "examples", "python", "cart_pole.py"))
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    rows = example.balance()
    assert np.abs(rows[:, 2]).max() > 0.04 and np.abs(rows[-1, 1:]).max() < 1e-4

    def cart(t, y, force):
        s, c = np.sin(y[1]), np.cos(y[1])
        mass = example.MASS * [[1, c], [c, 1]]
        load = [force + 0.1 * s * y[3] ** 2, 0.1 * 9.81 * s]
        return [y[2], y[3], *np.linalg.solve(mass, load)]

    y, k = np.zeros(4), example.gains()
    for i in range(100):
        assert np.abs(rows[i, 1:3] - y[:2]).max() < 2e-7
        force = -4.0 if i < 10 else -float(k @ y)
        y = scipy.solve_ivp(cart, (0, 0.01), y, "DOP853", args=(force,), rtol=1e-11, atol=1e-13).y[:, -1]


def test_memory_does_not_grow():
    sim = motor().simulate(h=1e-3)

    def work(n):
        for i in range(n):
            sim.set(torque=float(i % 3))
            sim.step()
            sim["pin.angle"]

    def pages():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    tracemalloc.start()
    work(2000)
    gc.collect()
    before, resident = tracemalloc.get_traced_memory()[0], pages()
    work(8000)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 1024  # of counters that Python keeps for itself
    assert (pages() - resident) * os.sysconf("SC_PAGE_SIZE") < 200_000


# ---- limits ---------------------------------------------------------------------------------------


def test_limits():
    """Stops from Python, soft and hard: the calls, the keys of joints, and what the file says."""
    def rail(**fields):
        m = ga.Mechanism("rail")
        m.body("cart", mass=2, inertia=[1, 1, 1], velocity=[1, 0, 0])
        m.prismatic("slide", ga.ground, "cart", at=[0, 0, 0], axis=[1, 0, 0], **fields)
        return m

    m = rail()
    m.limit("stop", "slide.position", lower=-0.2, upper=0.1, stiffness=2e4, damping=0)
    r = m.run(t_end=0.3, h=1e-5)
    # it goes in by v sqrt(m/k) and comes back as fast
    assert r["slide.position"].max() == pytest.approx(0.1 + np.sqrt(2 / 2e4), abs=2e-6)
    assert r.final("cart.vx") == pytest.approx(-1, abs=1e-5)
    key = rail(limits={"lower": -0.2, "upper": 0.1, "stiffness": 2e4, "damping": 0})
    assert np.max(np.abs(key.run(t_end=0.3, h=1e-5)["cart.x"] - r["cart.x"])) < 1e-12
    assert ga.Mechanism.parse(m.to_yaml()).run(t_end=0.01).final("cart.x") == pytest.approx(0.01)
    with pytest.raises(ga.FileError, match="limits.stop2: unknown key 'uper'; did you mean 'upper'"):
        m.limit("stop2", "slide.position", uper=1)
    # without a stiffness it is hard: back with half of its speed
    hard = rail()
    hard.limit("stop", "slide.position", lower=-1, upper=0.1, restitution=0.5)
    r = hard.run(t_end=0.3, h=1e-3)
    assert r["slide.position"].max() <= 0.1 + 1e-9
    assert r.final("cart.vx") == pytest.approx(-0.5, abs=1e-9)
    assert r.final("cart.x") == pytest.approx(0, abs=1e-9)
    # m (1 + e) v, and the energy m v^2 (1 - e^2)/2; also at times of one's own
    for r in (r, hard.run(t_end=0.3, h=1e-3, t_eval=[0.05, 0.0995, 0.1005, 0.2])):
        after = r.t > 0.1 + 1e-6
        before = r.t < 0.1 - 1e-6
        assert np.abs(r["stop.impulse"][after] - 3).max() < 1e-9
        assert np.abs(r["energy.impacts"][after] - 0.75).max() < 1e-9
        assert np.abs(r["stop.impulse"][before]).max() == 0
    wrong = rail()
    wrong.limit("stop", "slide.position", lower=1, upper=-1, stiffness=1)
    with pytest.raises(ga.FileError, match="lower|upper"):
        wrong.run(t_end=0.01)
