#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the virtual environment $1 with the package of python/ for the library whose genalpha.pc is
# in $2. PYTHON is the interpreter, Debian's own unless set; exit 77 if it lacks what is needed.
# The environment sees the system's packages, so nothing is downloaded.
set -eu
venv=$1
pkgconfig=$(cd "$2" && pwd)
tree=$(cd "$(dirname "$0")/.." && pwd)
needed='import importlib.util, os, sys, sysconfig
names = "cffi", "numpy", "pip", "setuptools", "venv", "wheel"
header = os.path.join(sysconfig.get_config_var("INCLUDEPY"), "Python.h")
sys.exit(not (all(map(importlib.util.find_spec, names)) and os.path.exists(header)))'

for candidate in ${PYTHON:-/usr/bin/python3 python3}; do
  if command -v "$candidate" >/dev/null && "$candidate" -c "$needed" 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "${python:-}" ]; then
  echo "python.sh: no Python with cffi, numpy, pip, setuptools, venv, wheel and its headers here;" \
    "./bootstrap python installs them" >&2
  exit 77
fi

# pip builds beside the sources: in a copy, so that the tree stays as it is
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/python"
(cd "$tree/python" && tar -cf - --exclude=build --exclude='*.egg-info' --exclude=__pycache__ .) |
  tar -xf - -C "$copy/python"
"$python" -m venv --clear --system-site-packages "$venv"
PKG_CONFIG_PATH=$pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} "$venv/bin/python" -m pip install \
  --quiet --disable-pip-version-check --no-build-isolation --no-index "$copy/python"
