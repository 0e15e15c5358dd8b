# SPDX-License-Identifier: MIT
"""Every snippet of docs/guide/python.md runs, and prints what stands below it."""
import contextlib
import io
import os
import re
import shutil

import pytest
from genalpha._lib import lib


def snippets(path):
    text = open(path, encoding="utf-8").read()
    blocks = re.findall(r"^```(\w+)( statics)?\n(.*?)^```$", text, re.S | re.M)
    found = []
    for kind, statics, body in blocks:
        if kind == "python":
            found.append([body, None, bool(statics)])
        elif kind == "output":
            found[-1][1] = body
    return [(body, output) for body, output, statics in found if not statics or hasattr(lib, "ga_modes_find")]


def test_snippets(project, models, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(os.path.join(models, "slider-crank.yaml"), tmp_path)
    names = {}
    found = snippets(os.path.join(project, "docs", "guide", "python.md"))
    assert len(found) >= 10
    for code, expected in found:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, "docs/guide/python.md", "exec"), names)
        if expected is not None:
            trim = [line.rstrip() for line in expected.strip("\n").split("\n")]
            assert [line.rstrip() for line in said.getvalue().strip("\n").split("\n")] == trim, code


def test_readme(project, models, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(models, tmp_path / "models")
    found = snippets(os.path.join(project, "README.md"))
    assert len(found) == 1
    for code, _ in found:
        exec(compile(code, "README.md", "exec"), {})


def test_every_public_name_is_in_the_page(project):
    import genalpha as ga

    text = open(os.path.join(project, "docs", "guide", "python.md"), encoding="utf-8").read()
    small = {"Element", "Happened", "Params", "Run", "Space", "Table", "GenalphaWarning", "__version__", "option_names"}
    missing = [name for name in ga.__all__ if name not in small and name not in text]
    assert missing == []


def test_notebook(project, tmp_path, monkeypatch):
    """The notebook runs from the first cell to the last, with the package under test."""
    import genalpha as ga

    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(ga.__file__)))
    nbconvert = pytest.importorskip("nbconvert.preprocessors")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    path = os.path.join(project, "examples", "python", "mechanisms.ipynb")
    notebook = nbformat.read(path, as_version=4)
    runner = nbconvert.ExecutePreprocessor(timeout=300, kernel_name="python3")
    runner.preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    pictures = [out for cell in notebook.cells for out in cell.get("outputs", []) if "image/png" in out.get("data", {})]
    assert len(pictures) >= 4
