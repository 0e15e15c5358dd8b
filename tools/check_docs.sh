#!/bin/sh
# SPDX-License-Identifier: MIT
# The HTML reference in directory $1: every header's page tells what the header tells, options and
# callbacks have their whole texts, and no link leads nowhere.
set -eu
cd "$(dirname "$0")/.."
html=$1
bad=0

# told PAGE TEXT: the page has the text, markup aside
told() { sed 's/<[^>]*>//g' "$1" | grep -q -F -e "$2"; }

for header in include/genalpha/*.h; do
  page=$html/$(basename "$header" .h | sed 's/_/__/g')_8h.html
  sentence=$(sed -n '2s|^/\* \([^.]*\).*|\1|p' "$header")
  if [ -z "$sentence" ] || ! told "$page" "$sentence"; then
    echo "$page lacks the text of $header: '$sentence'" >&2
    bad=1
  fi
done

# every option and callback has its whole text: strings in parts are joined, dots end nothing
options=$html/structga__options.html
callbacks=$html/structga__model__ops.html
for text in 'relative to the largest values so far; if rtol and atol are 0, all steps have size h' '2h/3, h/3, …' \
  'the size of step n (0, 1, … since the start), which begins at t.'; do
  if ! told "$options" "$text"; then
    echo "$options lacks '$text'" >&2
    bad=1
  fi
done
# of "double *lam, *psi;" each has the text
state=$html/structga__state.html
if [ "$(sed 's/<[^>]*>//g' "$state" | grep -c 'multipliers of the holonomic and the nonholonomic')" -lt 4 ]; then
  echo "$state: lam and psi lack their text" >&2
  bad=1
fi
for text in 'M(t,q), nv x nv' 'F(t,q,v), nv numbers'; do
  if ! told "$callbacks" "$text"; then
    echo "$callbacks lacks '$text'" >&2
    bad=1
  fi
done

# all pages are in one directory; links to the web and to scripts have a colon
links=$(cat "$html"/*.html | grep -o '\(href\|src\)="[^"]*' | sed -e 's/.*="//' -e 's/#.*//' |
  grep -v : | sort -u)
for target in $links; do
  if [ ! -e "$html/$target" ]; then
    echo "$html: a link leads to $target, which is not there" >&2
    bad=1
  fi
done
exit $bad
