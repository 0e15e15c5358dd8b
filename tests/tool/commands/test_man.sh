# SPDX-License-Identifier: MIT
# The man page names every command, option, method, problem and solver; groff has no warning.
. "$(dirname "$0")/lib.sh"
root=$(dirname "$0")/../../..
page=$work/genalpha.1

ok "the page is made" sh "$root/tools/man_page.sh" "$tool" "$root/docs/reference/genalpha.1.in" "$page"

# page_has WORD: in bold, as the page prints words to be typed
page_has() { sed 's/\\-/-/g' "$page" | grep -q -F -e "\\fB$1\\fR"; }

for command in run sweep converge check equilibrium modes plot export view reproduce list params; do
  ok "page has $command" page_has $command
  "$tool" $command --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' >"$work/options"
  ok "$command has options" [ -s "$work/options" ]
  while read -r option; do ok "page has $option" page_has "$option"; done <"$work/options"
done
"$tool" list | sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p' >"$work/names"
ok "names are listed" [ -s "$work/names" ]
"$tool" list figures | sed -n 's/^  \([a-z][a-z0-9.-]*\) .*/\1/p' >>"$work/names"
while read -r name; do ok "page has $name" page_has "$name"; done <"$work/names"
tool --version
ok "page has the version" grep -q -F "\"$(head -n 1 "$work/out")\"" "$page"

if command -v groff >/dev/null 2>&1; then
  groff -man -ww -Kutf8 -Tutf8 -P-cbou "$page" >"$work/out" 2>"$work/err"
  ok "groff has no warning" err_empty
  ok "groff prints text" out_has 'EXIT STATUS'
fi

finish
