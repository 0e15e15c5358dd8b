# SPDX-License-Identifier: MIT
# genalpha reproduce: claims at small sizes, what is computed again, failures that keep results.
. "$(dirname "$0")/lib.sh"

# claim ITEM TEXT: the row of claims.csv of an item whose claim has the text
claim() { grep "^$1," "$dir/claims.csv" | grep -F -e "$2" | head -n 1; }

# value ITEM TEXT LOW HIGH: our number lies between
value() {
  ours=$(claim "$1" "$2" | cut -d, -f3)
  ok "$1, '$2': $ours is in [$3, $4]" \
    awk -v x="$ours" -v low="$3" -v high="$4" 'BEGIN { exit !(x != "" && x >= low && x <= high) }'
}

# judged ITEM TEXT VERDICT
judged() { ok "$1, '$2' is '$3'" [ "$(claim "$1" "$2" | cut -d, -f2)" = "$3" ]; }

# all figures at small sizes; without gnuplot everything but pictures is there
dir=$work/all
if command -v gnuplot >/dev/null 2>&1; then
  succeeds reproduce --quick --out "$dir"
  ok "no claim is open" out_has ' 0 open'
else
  tool reproduce --quick --out "$dir"
  ok "gnuplot is missing: exit 1" code_is 1
fi
ok "every figure of the list has its table" sh -c "
  '$tool' list figures | sed -n 's/^  \([a-z0-9.-]*\) .*/\1/p' >'$work/names'
  [ \$(wc -l <'$work/names') -ge 65 ] &&
    while read -r name; do [ -s '$dir'/\$name.csv ] || exit 1; done <'$work/names'"
ok "no verdict 'open'" sh -c "! grep -q ',open,' '$dir/claims.csv'"
ok "no number that is none" sh -c "! grep -q -i ',-\{0,1\}\(nan\|inf\),' '$dir/claims.csv'"

# the papers' orders, and known numbers
for item in ab07-fig3 ab07-fig9 jn07-fig5.1 jn07-fig5.2 jn07-fig5.4 jn08-fig1 j11-fig7.1; do
  value $item 'order of' 1.9 2.1
done
value jn07-fig5.3 'order of a' 0.9 1.1
value jn08-fig2 'order of z' 1.9 2.1
value jn08-fig2 'order of λ' 0.9 1.1
value ab07-conditioning 'without scaling' -4.1 -3.9
value ab07-conditioning 'the same with' -0.1 0.1
value ab07-twostep '(18)' 0 1e-13
value ab07-variable 'γ updated in each step' 1.9 2.1
value ab07-variable 'rescaled, h = 0.002' 6.4 6.8
value acb15-fig1 'amplitude' 3.9 4.1
value acb15-fig2 'about 100 steps' 80 120
value acb15-fig2 '[0, t*]' 1.9 2.1
value acb15-fig2 'with the projection' 0.9 1.1
value acb15-starts 'h = 0.002' 250 254
value acb15-drift 'until t = 0.05 s, h = 1e-3 s, index1' 1.27e-3 1.29e-3
value acb15-cure 'both projections' 0 1e-12
value acb15-nullspace 'decay per step' 0.69 0.71
value jn08-theorem1 'ρ∞ = 0.9' 0.89 0.91
value j11-theorem6.1 'in a, ρ∞ = 0.2' 0.32 0.34
value j11-theorem4.1 'local order of z' 1.9 2.1
value jn08-theorem1 'a of the pendulum, ρ∞ = 0.2' 0.33 0.34
value j11-lemma5.1 '(5.1)' 0 1e-12
value j11-theorem5.2 'P Δa = O(h): order of the remainder of Δy' 3.9 4.1
value j11-theorem5.2 'Q Δa = O(h): order of the remainder of Δψ' 0.9 1.1
value j11-theorem3.1 'goes with' 0 1e-3
value jn07-theorem4.1 '1 − 2b' 0 1e-3
value jn07-theorem4.3 'local order of z for a0 − a(t0 + αh) = O(h²)' 2.9 3.1
value jn07-theorem4.4 'Δa = O(h): order of the remainder of P Δz' 2.9 3.1
value jn07-theorem4.5 'error of a' 1.9 2.1
value jn07-ode 'order of a, without' 0.9 1.1
value jn07-identities 'Lobatto IIIA and IIIB' 0 1e-12
value jn07-identities 'trapezoidal rule:' 0 1e-14
value jn08-notation '(5)' 1.9 2.1
value jn08-notation 'coefficient of h' -0.34 -0.33
value jn08-alpham 'let go at rest' 1.9 2.1
value ab07-truncation '(27), difference quotients' 2.95 3.05
value ab07-newton 'residuals of 1e-9' -2.15 -1.85
value ab07-lemma3 'off the constraints' -2.05 -1.95
value acb15-mstar 'has the solution' 0 1e-12
value acb15-index 'M = 0' 2 2
value acb15-lemma1 '(13)' 0 1e-10
value acb15-stab2 'error of λ' 1.9 2.1
value acb15-rheonomic 'perturbed starting' 1.9 2.1
value acb15-rheonomic 'consistent starting' 0.9 1.1

# where the papers err, the difference is found and agrees with the correction
judged acb15-sign 'B v_n over' differs
judged acb15-starts 'sign printed' differs
judged j11-energy 'as printed' differs
judged j11-energy 'with the term' reproduced
judged jn08-remark 'order of y without' differs
judged jn08-remark 'order of y with them' reproduced
judged jn08-alpham 'of λ, test problem' differs
judged jn08-alpham 'let go at rest' reproduced

# what the text of a paper has lost is no difference, a bound is not broken by what is smaller, and
# what no paper says is ours
judged ab07-lemma2 'as the text we have reads' holds
judged jn08-theorem1 'test problem, ρ∞ = 0.2: decay' reproduced
judged j11-equal-rates 'order of ψ' holds
ok "additions and claims of the papers are told apart" sh -c "
  grep -q '^j11-equal-rates,.*,addition,' '$dir/claims.csv' &&
    grep -q '^ab07-fig3,.*,paper,' '$dir/claims.csv' &&
    ! grep ',holds,' '$dir/claims.csv' | grep -v -q ',addition,'"

# the page: one file, nothing loaded from elsewhere, all pictures in it
page=$dir/index.html
ok "the page has the counts" grep -q 'reproduced</b>' "$page"
ok "every claim has a row" [ "$(grep -c 'data-name=verdict' "$page")" -eq \
  "$(($(wc -l <"$dir/claims.csv") - 1))" ]
ok "nothing is loaded" sh -c "! grep -q -E 'src=\"?(http|[a-z0-9-]+\.svg)|<script|<link' '$page'"
ok "misprints are there" grep -q 'ACB15 (8)' "$page"
ok "every evidence is there" sh -c "
  grep -o 'href=#[a-z0-9.-]*' '$page' | sort -u | sed 's/href=#//' >'$work/targets'
  while read -r id; do grep -q \"id=\$id>\" '$page' || exit 1; done <'$work/targets'"
if command -v gnuplot >/dev/null 2>&1; then
  ok "all pictures are in it" [ "$(grep -c 'src="data:image/svg' "$page")" -eq \
    "$(wc -l <"$work/names")" ]

  # a second run computes nothing; what is gone or changed comes back
  succeeds reproduce --quick --out "$dir"
  ok "all is up to date" out_has '^0 computed, 0 drawn anew'
  cp "$dir/ab07-roots.csv" "$work/roots.csv"
  rm "$dir/ab07-roots.svg"
  echo 1 >>"$dir/j11-theorem4.1.csv"
  rm "$dir/.genalpha/ab07-twostep"
  succeeds reproduce --quick --out "$dir"
  ok "two computed, one drawn" out_has '^2 computed, 1 drawn anew'
  ok "the picture is back" [ -s "$dir/ab07-roots.svg" ]
  ok "its numbers were left alone" cmp -s "$dir/ab07-roots.csv" "$work/roots.csv"
  ok "the table is whole again" [ "$(tail -n 1 "$dir/j11-theorem4.1.csv")" != 1 ]
  succeeds reproduce ab07-roots --again --quick --out "$dir"
  ok "computed although up to date" out_has '^1 computed'
  # numbers of another build are computed anew, or marked if they are not asked for
  sed -i 's/^program .*/program 1/' "$dir/.genalpha/ab07-roots" "$dir/.genalpha/ab07-twostep"
  succeeds reproduce ab07-roots --quick --out "$dir"
  ok "another build: computed" out_has '^1 computed, 0 drawn anew, 0 up to date'
  ok "the other one is marked" grep -q 'from another build' "$page"
  # a verdict follows from the numbers: change ours, and the claim is open
  cp "$dir/.genalpha/ab07-lemma1" "$work/lemma1"
  sed -i '0,/^ours .*/s//ours 7/' "$dir/.genalpha/ab07-lemma1"
  tool reproduce ab07-lemma1 --quick --out "$dir"
  ok "an open claim: exit 1, not $code" code_is 1
  ok "it is counted" out_has ' 1 open'
  cp "$work/lemma1" "$dir/.genalpha/ab07-lemma1"
  # other sizes are other numbers
  succeeds reproduce ab07-roots --out "$dir"
  ok "full size is computed" out_has '^1 computed'
fi

# wrong words and places
refused 2 "did you mean 'ab07-fig3'" reproduce ab07-fg3
refused 2 'unknown figure' reproduce nothing-like-it
ok "where to look" err_has 'genalpha list figures'
refused 2 "jobs '0'" reproduce --jobs 0
: >"$work/file"
refused 1 "cannot write to the directory '$work/file'" reproduce ab07-roots --out "$work/file"
refused 1 "cannot write to the directory" reproduce ab07-roots --out /dev/null/x

# no gnuplot: tables, page, and a message
dir=$work/bare
mkdir "$work/bin"
code=0
PATH=$work/bin "$tool" reproduce ab07-roots --quick --out "$dir" >"$work/out" 2>"$work/err" || code=$?
ok "no gnuplot: exit 1, not $code" code_is 1
ok "it is told" err_has 'gnuplot is not installed'
ok "the table is there" [ -s "$dir/ab07-roots.csv" ]
ok "the page is there" grep -q 'No picture' "$dir/index.html"

# a picture that cannot be written: the others are kept
if command -v gnuplot >/dev/null 2>&1; then
  dir=$work/partial
  mkdir -p "$dir/ab07-roots.svg"
  tool reproduce ab07-roots ab07-twostep --quick --out "$dir"
  ok "exit 1, not $code" code_is 1
  ok "the file is named" err_has 'ab07-roots.svg'
  ok "the other is there" [ -s "$dir/ab07-twostep.svg" ]
  ok "the page is there" [ -s "$dir/index.html" ]
fi

# interrupted: what is done is kept, nothing half-done counts
dir=$work/stopped
code=0
timeout -s TERM 1 "$tool" reproduce ab07-roots ab07-fig9 --jobs 1 --out "$dir" >"$work/out" \
  2>"$work/err" || code=$?
ok "interrupted, or done within a second: $code" [ "$code" -eq 124 -o "$code" -eq 0 ]
if [ "$code" -eq 124 ]; then
  ok "it is told" err_has 'interrupted, . of 2 done'
  ok "no record of what was not computed" [ ! -e "$dir/.genalpha/ab07-fig9" ]
fi
ok "the page is there" [ -s "$dir/index.html" ]

finish
