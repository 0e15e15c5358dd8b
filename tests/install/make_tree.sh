# SPDX-License-Identifier: MIT
# Installs the build directory $2 by the cmake $1 and moves the result to $3, as nothing in it may
# know where it was installed.
set -eu
rm -rf "$3" "$3.made"
"$1" --install "$2" --prefix "$3.made"
mv "$3.made" "$3"
