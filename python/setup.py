# SPDX-License-Identifier: MIT
"""The version is that of the installed library; everything else stands in pyproject.toml."""
import os
import sys

from setuptools import setup

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ffibuild import has_results, pkg_config  # noqa: E402

modules = ["ffibuild.py:ffi"] + (["ffibuild.py:results"] if has_results() else [])
setup(version=pkg_config("--modversion"), cffi_modules=modules)
