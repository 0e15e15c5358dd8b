# SPDX-License-Identifier: MIT
# The module of the solver mumps: the installed tool finds it wherever the tree is, and without it
# says so; auto then does without it.
. "$(dirname "$0")/lib.sh"

"$tool" list solvers | grep -q '^  mumps' || skip "built without MUMPS"

net="run net --size 12 --t-end 0.003"
succeeds $net --linsol mumps
ok "mumps was used" out_has 'linear  *mumps$'
succeeds $net
ok "auto knows it" out_has 'linear  *weak-entries (.*whole by mumps [0-9.e+]*)'

# a copy of the tool alone, called by its name only
mkdir -p "$work/bin"
cp "$tool" "$work/bin"
PATH="$work/bin:$PATH" tool=genalpha
refused 2 'module libgenalpha_mumps.so is not installed' $net --linsol mumps
succeeds $net
ok "auto does without it" out_has 'linear  *weak-entries (.*whole by klu [0-9.e+]*)'
finish
