# SPDX-License-Identifier: MIT
"""The version is that of the installed library; everything else stands in pyproject.toml."""
import os
import sys

from setuptools import setup

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ffibuild import pkg_config  # noqa: E402

setup(version=pkg_config("--modversion"), cffi_modules=["ffibuild.py:ffi"])
