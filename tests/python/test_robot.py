# SPDX-License-Identifier: MIT
"""Robots in URDF: the same mechanism as by the tool, and the options of import."""
import os
import subprocess

import numpy as np
import pytest

import genalpha as ga

MODELS = os.path.join(os.environ["GENALPHA_PROJECT"], "models")
ARM = os.path.join(MODELS, "arm.urdf")
TOOL = os.environ["GENALPHA_TOOL"]

if "URDF not built in" in subprocess.run([TOOL, "--version"], capture_output=True, text=True).stdout:
    pytest.skip("built without libexpat", allow_module_level=True)


def test_load_takes_a_robot(tmp_path):
    path = tmp_path / "arm.yaml"
    subprocess.run([TOOL, "import", ARM, "--out", path], check=True, capture_output=True)
    direct, written = ga.load(ARM), ga.load(path)
    assert direct.name == "arm with a gripper"
    a, b = direct.run(t_end=0.02, h=1e-3), written.run(t_end=0.02, h=1e-3)
    assert np.array_equal(a.q, b.q) and np.array_equal(a.lam, b.lam)
    again = ga.Mechanism.parse(direct.to_yaml()).run(t_end=0.02, h=1e-3)
    assert np.array_equal(a.q, again.q)
    assert abs(a.final("shoulder.angle")) > 1e-4


def test_options_of_import():
    m = ga.import_robot(ARM, coordinates={"elbow": 0.5}, rates={"elbow": -1, "swivel": 2}, limits=True)
    assert m.report[0].startswith("arm.urdf: 6 bodies, 6 joints, 1 coupler")
    assert not any("limits" in line for line in m.report)
    r = m.run(t_end=1e-3, h=1e-3)
    assert abs(r["elbow.angle"][0] - 0.5) < 1e-12
    assert abs(r["elbow.angle_rate"][0] + 1) < 1e-12
    assert abs(r["swivel.angle_rate"][0] - 2) < 1e-12
    free = ga.import_robot(ARM, gravity=[0, 0, -1], friction=False)
    assert any("2 frictions" in line for line in free.report)


def test_errors():
    with pytest.raises(ga.FileError, match="there is no joint 'elbwo'; did you mean 'elbow'"):
        ga.import_robot(ARM, coordinates={"elbwo": 1})
    with pytest.raises(ga.ArgumentError, match="'fixed' or 'floating'"):
        ga.import_robot(ARM, base="flying")
    with pytest.raises(ga.FileError, match="has no use for this limit"):
        ga.import_robot(ARM, strict=True)
    with pytest.raises(ga.FileAccessError):
        ga.load("nothing.urdf")


def test_warnings(tmp_path):
    path = tmp_path / "odd.urdf"
    path.write_text(
        "<robot name='odd'><link name='base'/><link name='a'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='3'/></inertial></link>"
        "<joint name='j' type='continuous'><parent link='base'/><child link='a'/></joint></robot>"
    )
    with pytest.warns(ga.GenalphaWarning, match="larger than the sum of the other two"):
        ga.import_robot(path)
    with pytest.warns(ga.GenalphaWarning, match="larger than the sum of the other two") as said:
        ga.load(path)
    assert len(said) == 1
