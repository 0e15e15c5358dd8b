# SPDX-License-Identifier: MIT
"""What is installed: outside of the sources, typed, documented, with the library's own names."""
import importlib.metadata
import inspect
import os
import subprocess
import sys

import genalpha as ga
import pytest
from genalpha.view import tool


def test_installed_files(project):
    where = os.path.dirname(os.path.abspath(ga.__file__))
    assert not where.startswith(os.path.join(os.path.abspath(project), "python"))
    assert "site-packages" in where
    files = os.listdir(where)
    assert "py.typed" in files and any(name.startswith("_genalpha.") and name.endswith(".so") for name in files)


def test_library_is_the_installed_one():
    """The library is found by the path kept in the extension, without LD_LIBRARY_PATH."""
    from genalpha import _genalpha

    assert "LD_LIBRARY_PATH" not in os.environ or not os.environ["LD_LIBRARY_PATH"]
    maps = open("/proc/self/maps").read()
    loaded = {line.split()[-1] for line in maps.splitlines() if "libgenalpha.so" in line}
    assert len(loaded) == 1
    if "GENALPHA_TOOL" in os.environ:
        tree = os.path.dirname(os.path.dirname(os.path.realpath(os.environ["GENALPHA_TOOL"])))
        assert os.path.realpath(loaded.pop()).startswith(tree + os.sep)
        assert os.path.realpath(tool()) == os.path.realpath(os.environ["GENALPHA_TOOL"])
    assert _genalpha.lib.GA_OK == 0


def test_version():
    said = subprocess.run([tool(), "--version"], capture_output=True, text=True, check=True).stdout
    assert said.split()[1] == ga.__version__ == importlib.metadata.version("genalpha")


def test_types():
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--no-warn-unused-ignores",
                           "--cache-dir", os.devnull, "-p", "genalpha"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def public():
    for name in ga.__all__:
        thing = getattr(ga, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield name, thing
        if inspect.isclass(thing) and thing.__module__.startswith("genalpha"):
            for key, member in vars(thing).items():
                if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                    yield f"{name}.{key}", member


def test_docstrings():
    """Everything public is documented; functions with several arguments in NumPy's style."""
    small = {"State"}  # the class documents its fields
    seen = 0
    for name, thing in public():
        if name.split(".")[0] in small:
            continue
        text = inspect.getdoc(thing)
        assert text and text.split("\n")[0].rstrip()[-1] in ".:;,)>", name
        seen += 1
    assert seen > 50
    for function in (ga.integrate, ga.converge, ga.sweep, ga.params, ga.load, ga.Mechanism.run, ga.Run.plot):
        text = inspect.getdoc(function)
        assert "Parameters\n----------" in text and "Returns\n-------" in text, function
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name not in ("self", "name"):
                assert parameter.name in text, (function, parameter.name)


def test_doctests():
    import doctest

    import genalpha.equations
    import genalpha.mechanism

    for module in (ga, genalpha.equations, genalpha.mechanism):
        assert doctest.testmod(module).failed == 0
