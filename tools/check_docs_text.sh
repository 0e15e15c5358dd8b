#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the texts of the project without building anything; prints each fault as FILE:LINE: what.
#   columns   lines of documents have at most 120 columns; rows of tables with more than eight cells, and those
#             that programs write into docs/data, cannot be broken and may be longer
#   tables    all rows of a table have the same number of cells (a | inside a cell is written \|)
#   links     every relative link of a Markdown file, and its anchor, lead somewhere
#   paths     every path such as docs/guide/view.md or src/step/newton.c that a text or a source names exists
#   names     every newton.c or ga_model.h that docs/internals, docs/reference or a README names exists
#   symbols   every ga_integrator_new or GA_PETSC that a document names is in a source
#   install   what the install rules, the man page and the Python package name is there
# Usage: tools/check_docs_text.sh
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# all files of the project, without what is built
find . \( -name .git -o -path ./build -o -path ./out -o -path ./python/build -o -name __pycache__ -o -name '*.egg-info' \) \
  -prune -o -type f -print |
  sed 's#^\./##' | sort >"$work/files"
grep '\.md$' "$work/files" >"$work/pages"
sed 's#.*/##' "$work/files" | sort -u >"$work/names"
: >"$work/faults"

# columns: characters, not bytes, so the continuation bytes of UTF-8 go first
{ cat "$work/pages" && grep '^docs/.*\.in$' "$work/files"; } | while read -r page; do
  tr -d '\200-\277' <"$page" | awk -v page="$page" '
    /^\|/ && (page ~ /^docs\/data\// || split($0, cell, "|") > 10) { next }
    length > 120 { printf "%s:%d: %d columns, at most 120 allowed\n", page, NR, length }'
done >>"$work/faults"

# tables
while read -r page; do
  awk -v page="$page" '/^```/ { code = !code } code || !/^\|/ { cells = 0; next }
    { gsub(/\\\|/, ""); n = gsub(/\|/, "|") }
    cells && n != cells { printf "%s:%d: a row of %d cells in a table of %d\n", page, NR, n - 1, cells - 1 }
    !cells { cells = n }' "$page"
done <"$work/pages" >>"$work/faults"

# anchors PAGE: those that a Markdown reader gives to its headings
anchors() {
  awk '/^```/ { code = !code } !code && /^#+ / {
    sub(/^#+ /, ""); $0 = tolower($0); gsub(/[^a-z0-9_ \200-\377-]/, ""); gsub(/ /, "-"); print }' "$1"
}

# links: "LINE TARGET" of every link outside of code
while read -r page; do
  awk '/^```/ { code = !code } code || /^    / { next }
    { gsub(/`[^`]*`/, "")
      while (match($0, /\]\([^) ]*\)/)) {
        print NR, substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
      } }' "$page" >"$work/links"
  while read -r line target; do
    case $target in *:*) continue ;; esac
    file=${target%%#*}
    anchor=${target#"$file"}
    if [ -n "$file" ]; then file=$(dirname "$page")/$file; else file=$page; fi
    if [ ! -e "$file" ]; then
      echo "$page:$line: the link '$target' leads nowhere"
    elif [ -n "$anchor" ] && ! anchors "$file" | grep -q -x -F -e "${anchor#?}"; then
      echo "$page:$line: '$file' has no heading '$anchor'"
    fi
  done <"$work/links"
done <"$work/pages" >>"$work/faults"

# paths from the top directory; the changelog names files that have gone, some tests make files of their own
rooms='bench|cmake|docs|examples|include|models|papers|parallel|problems|python|results|src|tests|tool|tools'
endings='awk|bash|c|cmake|css|h|html|in|ipynb|js|map|md|py|pyi|sed|sh|svg|yaml'
grep -E '\.(c|h|sh|py|pyi|md|in|cmake|js|awk|sed|bash|txt)$|^(Makefile|bootstrap|\.ci/run)$' "$work/files" |
  grep -v -x -E 'CHANGELOG\.md' | xargs grep -n -o -E "(^|[^A-Za-z0-9_./}-])($rooms)/[A-Za-z0-9_./-]*\.($endings)\b" |
  sed -E "s#^([^:]*:[0-9]*:)[^A-Za-z]?#\1 #" >"$work/paths"
while read -r where path; do
  case $path in *NAME* | models/x.yaml) continue ;; esac
  if [ ! -e "$path" ]; then echo "$where '$path' does not exist"; fi
done <"$work/paths" >>"$work/faults"

# names of files without a directory
grep -E '^docs/(internals|reference)/.*\.md$|README\.md$|^CONTRIBUTING\.md$' "$work/pages" |
  xargs grep -n -o -E '(^|[^A-Za-z0-9_./*-])[a-z][a-z0-9_]+\.(c|h|sh|py|cmake)\b' |
  sed -E 's#^([^:]*:[0-9]*:)[^a-z]?#\1 #' >"$work/mentioned"
while read -r where name; do
  case $name in mpi.h | stdio.h | main.c) continue ;; esac
  if ! grep -q -x -F -e "$name" "$work/names"; then echo "$where no file is called '$name'"; fi
done <"$work/mentioned" >>"$work/faults"

# symbols of C and options of CMake
grep -E '\.([ch]|cmake|py|in)$|CMakeLists.txt$' "$work/files" | xargs cat | grep -o -E '\b(ga|GA)_[A-Za-z0-9_]+' | sort -u >"$work/symbols"
grep -v -x -F 'CHANGELOG.md' "$work/pages" | xargs grep -n -o -E '\b(ga|GA)_[A-Za-z0-9_]*[A-Za-z0-9]\b' |
  sed -E 's#^([^:]*:[0-9]*:)#\1 #' >"$work/mentioned_symbols"
while read -r where symbol; do
  if ! grep -q -x -F -e "$symbol" "$work/symbols"; then echo "$where no source has '$symbol'"; fi
done <"$work/mentioned_symbols" >>"$work/faults"

# install rules name files and directories that are there
sed -n 's/^ *install(\(FILES\|DIRECTORY\|PROGRAMS\) \(.*\)/\2/p' cmake/install.cmake | tr ' ' '\n' |
  sed '/^[A-Z_]*$/d;/[${}()"*]/d' | grep -E '[a-z]' | while read -r path; do
  if [ "$path" != genalpha ] && [ ! -e "$path" ]; then echo "cmake/install.cmake: '$path' does not exist"; fi
done >>"$work/faults"

# every mark of the man page is one that tools/man_page.sh fills in
grep -n -o -E '@[A-Z]+( [a-z]+)?@' docs/reference/genalpha.1.in | while IFS=: read -r line mark; do
  word=${mark%% *}
  if ! grep -q -F -e "${word%@}" tools/man_page.sh; then
    echo "docs/reference/genalpha.1.in:$line: tools/man_page.sh does not know $mark"
  fi
done >>"$work/faults"

# the Python package: all of its files are modules or package data, and what the manifest names is there
data=$(sed -n 's/^genalpha = \[\(.*\)\]$/\1/p' python/pyproject.toml | tr -d '",')
for file in python/genalpha/*; do
  base=$(basename "$file")
  matched=no
  set -f
  for pattern in '*.py' __pycache__ $data; do
    # shellcheck disable=SC2254
    case $base in $pattern) matched=yes ;; esac
  done
  set +f
  if [ $matched = no ]; then echo "python/pyproject.toml: '$base' is neither a module nor package data"; fi
done >>"$work/faults"
for file in $(sed -n 's/^include //p' python/MANIFEST.in) $(sed -n 's/^readme = "\(.*\)"/\1/p' python/pyproject.toml); do
  if [ ! -e "python/$file" ]; then echo "python/MANIFEST.in or pyproject.toml: '$file' does not exist"; fi
done >>"$work/faults"

if [ -s "$work/faults" ]; then
  cat "$work/faults" >&2
  exit 1
fi
echo "check_docs_text: $(wc -l <"$work/pages") pages, $(wc -l <"$work/paths") paths, $(wc -l <"$work/mentioned") names of files"
