# SPDX-License-Identifier: MIT
# Help, lists, parameters; wrong commands, options, names and numbers.
. "$(dirname "$0")/lib.sh"

# what must work
succeeds --help
ok "help names run" out_has ' run '
succeeds --version
ok "version" out_has '^genalpha [0-9][0-9]*\.[0-9]'
ok "capabilities" out_has 'dense'
succeeds list
for name in stab2 index3 soi2 nonhol2 hht index2 index1 heavy-top heavy-top-se3 slider-crank andrews andrews-absolute \
  pendulum-spring chain net lattice rolling-disk rolling-disk-printed jay-nonholonomic \
  jay-negrut-hht jay-negrut-soi2 rheonomic oscillator dense; do
  ok "list has $name" out_has "^  $name  *[^ ]"
done
succeeds list methods
ok "variants of hht" out_has 'variants (--variant NAME): 3.4 (default), 3.5, mid'
ok "of no other method" [ "$(grep -c 'variants (' "$work/out")" -eq 1 ]
ok "methods only" out_has stab2
ok "no problems among the methods" sh -c "! grep -q andrews '$work/out'"
succeeds list solvers
succeeds list problems
succeeds help run
succeeds params
ok "rho 0.9 by default" out_has 'alpha_m  *0.42105263'
ok "radius at 1e8" out_has '1e+08  0.90000000'
succeeds params --rho 0
ok "radius 0 at infinity" out_has '1e+08  0.0000'
succeeds params --alpha -0.1
succeeds params --params 0,0,0.25,0.5
succeeds params --params=newmark
ok "condition fails for Newmark" out_has 'fails  (23)'
succeeds params --params 0.1,0.2,0.3,0.4
ok "order condition" out_has 'fails  (20)'

# every option of the help text is accepted with a sensible value
values='h 0.1 t-end 0.2 size 1 omega 2 out - every 2 plot FILE rho 0.5 alpha -0.1 b 0.1
  params newmark method stab2 linsol dense start plain initial check initial-tol 1e-8
  variant mid mass-at previous rescale none system full redundant allow
  newton-tol 1e-10 newton-max 30 matrix-every 1 project-at 0.1 project plain
  save-state STATE from-state SAVED checkpoint-every 0.05 project-every 2
  guess-multipliers 1 extrapolate 2 threads 2
  extrapolate-steps harmonic extrapolate-multipliers consistent
  set l=1 out-page PAGE stop-when t>0.1 petsc -ksp_view
  h-seq 1/3,2/3 rtol 1e-3 atol 1e-4 h-min 1e-9 h-max 0.1 cut-at-corners yes
  contact step rest-time 1e-3 coordinates absolute impacts IMPACTS
  accuracy 1e-3 accuracy-of q,v,vd accuracy-steps 1e5 out-dt 0.03
  input u.csv interpolate hold'
succeeds run oscillator --h 0.01 --t-end 0.1 --save-state "$work/saved"
"$tool" run --help >"$work/help"
sed -n 's/^  --\([a-z-]*\) \{1,\}\([^ ].*\)*$/\1/p' "$work/help" >"$work/keys"
ok "help lists options" [ "$(wc -l <"$work/keys")" -ge 20 ]
while read -r key; do
  case $key in
    help | final | columns | view | libraries) set -- "--$key" ;;
    *)
      value=$(echo $values | tr ' ' '\n' | grep -A1 -x -e "$key" | tail -n 1)
      ok "a value for --$key is in this test's list" [ -n "$value" ]
      case $value in
        FILE) value="$work/plot.svg" ;;
        IMPACTS) value="$work/impacts.csv" ;;
        STATE) value="$work/state" ;;
        SAVED) value="$work/saved" ;;
      esac
      set -- "--$key" "$value"
      ;;
  esac
  case $key in
    # the oscillator has none, is no model file, and is not shared out
    size | guess-multipliers | set | columns | view | out-page | stop-when | petsc | input) expected=2 ;;
    impacts) expected=1 ;; # nor contacts
    *) expected=0 ;;
  esac
  [ "$key" != out-dt ] || set -- --out "$work/rows.csv" "$@"
  [ "$key" != checkpoint-every ] || set -- --save-state "$work/state" "$@"
  case $key in threads | extrapolate-*) set -- --extrapolate 1 "$@" ;; esac
  [ "$key" = t-end ] || set -- --t-end 0.2 "$@"
  # options of some methods alone
  case $key in
    variant) set -- --method hht "$@" ;;
    mass-at) set -- --method soi2 "$@" ;;
  esac
  [ "$key" = accuracy ] || set -- --h 0.01 "$@" # an accuracy chooses the steps
  tool run oscillator "$@"
  ok "help lists --$key, exit $expected, not $code" code_is $expected
  ok "--$key is not unknown" sh -c "! grep -q 'unknown option' '$work/err'"
done <"$work/keys"

# commands and options
refused 2 'command is missing'
refused 2 "did you mean 'run'" rnu
refused 2 "did you mean 'params'" param
refused 2 "did you mean 'converge'" convrge
refused 2 'allowed: run, sweep, converge, check, equilibrium, modes, import, plot, export, view, reproduce, list, params, schema' frobnicate
refused 2 "did you mean '--version'" --verson
refused 2 "did you mean 'methods'" list method
refused 2 'unexpected argument' list methods problems
refused 2 "did you mean '--method'" run heavy-top --metod stab2
refused 2 "did you mean '--newton-tol'" run heavy-top --newton-tl=1
refused 2 "did you mean '--h'" run heavy-top -h 0.1
refused 2 "unknown option '--xyzzy'" run heavy-top --xyzzy
refused 2 "unknown option" params --out x

# an option of earlier versions is ignored with one sentence, with any value, wherever it stands
gone="genalpha: warning: option 'system' is gone: systems are always solved as a whole; it is ignored"
says_gone() { [ "$(cat "$work/err")" = "$gone" ]; }
tool run heavy-top --method soi2 --t-end 0.01 --final
cp "$work/out" "$work/whole"
for words in '--system split' '--system=full' '--system=' '--system'; do
  # shellcheck disable=SC2086 # two words
  tool run heavy-top --method soi2 --t-end 0.01 $words --final
  ok "exit 0: $words" code_is 0
  ok "one sentence: $words" says_gone
  ok "the same run: $words" cmp -s "$work/out" "$work/whole"
done
refused 2 "unknown option '--system'" params --system split
cat >"$work/old.yaml" <<'END'
genalpha: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {j: {type: spherical, between: [ground, b]}}
run: {method: soi2, system: split, t_end: 0.01}
END
for command in run check; do
  tool $command "$work/old.yaml"
  ok "exit 0: $command old.yaml" code_is 0
  ok "one sentence: $command old.yaml" says_gone
done

refused 2 'needs a value: --h' run heavy-top --h
refused 2 'needs a value: --out' run heavy-top --out --final
refused 2 'takes no value' run heavy-top --final=3
refused 2 'PROBLEM is missing' run
refused 2 'unexpected argument' run heavy-top andrews
refused 2 'give only one' run heavy-top --rho 0.5 --alpha -0.1
refused 2 'give only one' params --params newmark --rho 0.5

# names
refused 2 "did you mean 'heavy-top'" run heavy-tpo
refused 2 'oscillator' run nothing-like-it
refused 2 "stab2" run oscillator --method stap2
refused 2 "dense" run oscillator --linsol dence
refused 2 'best|plain|shifted|perturbed|implicit' run oscillator --start plane
refused 2 'plain|keep-order' run oscillator --project no
refused 2 'newmark' run oscillator --params nemark

# what is no problem may be meant as a file
refused 2 'A model file ends in .yaml, .yml or .json' run "trajectory.csv"
refused 2 "'heavy-top' is neither a model file (NAME.yaml) nor results" view heavy-top
cat >"$work/plain.yaml" <<END
genalpha: 1
parameters: {r: 1, ab: 2}
bodies:
  ball: {kind: point, mass: r}
END
succeeds run "$work/plain.yaml" --t-end 0.01
ok "no description, no colon" out_has '^plain.yaml$\|^plain$'
ok "values have units" out_has '^    ball.vz  *[-0-9.e]* m/s$'
refused 1 "there is no parameter 'x'; it has r, ab\$" run "$work/plain.yaml" --set x=3
refused 1 "parameters.r, set to 'abc': unknown name 'abc'" run "$work/plain.yaml" --set r=abc
refused 1 "parameters.r, set to '1 kg': .*SI units are left out" run "$work/plain.yaml" --set 'r=1 kg'
sed '$arun: {method: rk4}' "$work/plain.yaml" >"$work/rk4.yaml"
refused 2 "unknown method 'rk4'; allowed: stab2, index3" run "$work/rk4.yaml"
ok "where" err_has 'rk4.yaml, line 5: run.method'
refused 2 'a comparison is needed, such as "ball.z < 0"' run "$work/plain.yaml" --stop-when ball.z
for name in a.svg a.html a.yaml a.xlsx; do
  refused 2 'the name of a FILE.csv|FILE.h5 is wanted' run "$work/plain.yaml" --out "$work/$name"
done
refused 2 'the name of a PAGE.html is wanted' run "$work/plain.yaml" --out-page "$work/a.png"
refused 2 'the name of a PAGE.html is wanted' view "$work/plain.yaml" --out "$work/a.png"
succeeds run "$work/plain.yaml" --t-end 0.01 --out "$work/a.dat"

# methods, variants and options that do not go together
refused 2 "has no variant 'mdi'; allowed: 3.4, 3.5, mid," run rheonomic --method hht --variant mdi
refused 2 "'stab2' has no variants" run rheonomic --variant mid
refused 2 'b = 0.5.*variant 3.4 needs b < 1/2' run rheonomic --method hht --b 0.5
refused 2 'variant mid allows b = 0' run rheonomic --method hht --variant mid --b 0.1
refused 2 "no rows for nonholonomic.*first: 'psi1'.*--variant index2" run rolling-disk --method hht
refused 2 "no rows for holonomic.*take one of: stab2," run heavy-top --method nonhol2
refused 2 'mass-at = previous.*soi2, nonhol2' run rheonomic --mass-at previous
refused 2 'rescale = gamma.*use a,v' run rheonomic --method soi2 --rescale gamma
refused 2 'evaluated|previous' run rheonomic --method soi2 --mass-at before
refused 2 'a,v|a|v|gamma|none' run rheonomic --rescale all
refused 2 'beta = 0 (St.*rmer).*take beta > 0' run rheonomic --method index3 --params 0,0,0,0.5
refused 1 "failed at the start at t = 0: method 'hht': the mass matrix is singular, velocity v\[8\] ('x5_dot')" \
  run slider-crank --method hht
ok "what to do" err_has 'take a method that needs none'

# numbers
for bad in abc '' 1e 0x 1,5 nan inf -inf '1 2' 1e999; do
  refused 2 'h = ' run oscillator --h "$bad"
  refused 2 'is not a number' run oscillator --t-end "$bad"
  refused 2 'rho = ' run oscillator --rho "$bad"
done
refused 2 'h = ' run oscillator --h 0
refused 2 'h = ' run oscillator --h -1
refused 2 '0 <= rho <= 1' run oscillator --rho 1.5
refused 2 '1/3' run oscillator --alpha 0.2
refused 2 'four numbers' run oscillator --params 1,2,3
refused 2 'four numbers' run oscillator --params 1,2,3,4,5
for bad in 0 -3 1.5 x '' 99999999999999999999; do
  refused 2 "every '$bad'" run oscillator --every "$bad"
  refused 2 "size '$bad'" run oscillator --size "$bad"
done
for bad in '' , 1, 1/0 0 -1 x 1/3,x 1001; do
  refused 2 'h-seq = .*fractions of h' run oscillator --h-seq "$bad"
done
refused 2 'rtol = .*or 0' run oscillator --rtol -1
refused 2 'rtol = 1e-30 is out of range: it must be greater than 1e-16' run oscillator --rtol 1e-30
refused 2 'h-min = .*h-max' run oscillator --rtol 1e-3 --h-min 2 --h-max 1
refused 2 'given.*automatic' run oscillator --rtol 1e-3 --h-seq 1/3,2/3
refused 2 'problems with a size: chain, net, lattice' run oscillator --size 3
refused 2 '1 to 1000000 rods' run chain --size 1000001
succeeds run chain --size 3 --t-end 0.1
refused 2 'omega' run oscillator --omega 0
refused 2 'omega' run heavy-top --omega 3
refused 2 'greater than 0' run oscillator --t-end 0
refused 2 'must be greater' run oscillator --t-end -1
refused 2 'project-at' run oscillator --t-end 1 --project-at 2
refused 2 'project-at' run oscillator --project-at 0
for command in run converge; do
  guess="$command jay-negrut-soi2 --guess-multipliers"
  for bad in a a,1 1, ,1 1,,1 1,1x 1,nan '1 1'; do refused 2 'is not a number' $guess "$bad"; done
  refused 2 'is empty' $guess ''
  for bad in 1 1,1,1; do refused 2 "has 2 multipliers, lam, psi, not" $guess $bad; done
  refused 2 '20 multipliers, lam_x1, .*, \.\.\., not 1$' $command chain --guess-multipliers 1
  refused 2 "has no multipliers" $command oscillator --guess-multipliers 1
  refused 2 'project-at' $command oscillator --t-end 1 --project-at 2
done
refused 2 'cannot both' run oscillator --final --out -
refused 2 '\.svg or \.png' run oscillator --plot picture.pdf

finish
