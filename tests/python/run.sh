# SPDX-License-Identifier: MIT
# The package in a fresh virtual environment, for the library and the tool of an installed tree:
# sh run.sh TREE/bin/genalpha LIBDIR, then pytest from a directory outside of the sources.
set -eu
tool=$1
libdir=$2
here=$(cd "$(dirname "$0")" && pwd)
project=$(dirname "$(dirname "$here")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh "$project/tools/python.sh" "$work/venv" "$libdir/pkgconfig" || exit $?
"$work/venv/bin/python" -c 'import pytest' 2>/dev/null || {
  echo "skipped: no pytest (Debian: python3-pytest)"
  exit 77
}
cp -r "$here" "$work/tests"
rm -rf "$work/tests/__pycache__"
cd "$work/tests"
GENALPHA_PROJECT=$project GENALPHA_TOOL=$tool MPLBACKEND=Agg PYTHONDONTWRITEBYTECODE=1 \
  "$work/venv/bin/python" -m pytest -q -p no:cacheprovider -W error::DeprecationWarning:genalpha .
