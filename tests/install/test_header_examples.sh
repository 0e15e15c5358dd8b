# SPDX-License-Identifier: MIT
# The examples in the comments of the public headers compile without a warning, and those that need
# no other library run. An example is a block of lines that are indented by five spaces and contain a
# semicolon (formulas have none). A line "..." stands for code of the reader. If the example begins
# with "static", the lines before "..." are a function; the others are the body of a function with the
# variables of header_examples/example.h.
. "$(dirname "$0")/lib.sh"
around=$here/header_examples
public=$here/../../include

# extract HEADER: its examples as $work/NAME_1.c, $work/NAME_2.c, .. for NAME.h
extract() {
  name=${1##*/}
  awk -v stem="$work/${name%.h}" '
    function finish(  i, file, in_body) {
      if (lines && code) {
        file = stem "_" ++count ".c"
        print "#include \"example.h\"" >file
        in_body = line[1] !~ /^static/
        if (in_body) print "void example(void) {" >file
        for (i = 1; i <= lines; i++) {
          if (line[i] !~ /^ *\.\.\.$/) print line[i] >file
          else if (!in_body) { print "void example(void) {" >file; in_body = 1 }
        }
        print "}" >file
        close(file)
      }
      lines = code = 0
    }
    /^ \*     [^ ]/ || (lines && /^ \*      /) { line[++lines] = substr($0, 8); if (/;( *\/\/.*)?$/) code = 1; next }
    { finish() }
    END { finish() }' "$1"
}

# compiled FILE: to an object
compiled() {
  # word splitting of the flags is wanted
  # shellcheck disable=SC2086
  "$CC" $CFLAGS -std=c11 -Wall -Wextra -Werror -I"$public" -I"$around" -c "$1" -o "${1%.c}.o" \
    >"$work/out" 2>"$work/err"
}

# runs NAME [PATTERN [ARGUMENT]]: the compiled example NAME succeeds and prints the pattern
runs() {
  # shellcheck disable=SC2046,SC2086
  does "$CC" $CFLAGS "$work/$1.o" "$work/main.o" $("$PKG_CONFIG" --libs genalpha) -o "$work/$1"
  does env LD_LIBRARY_PATH="$LIBDIR" "$work/$1" ${3-}
  [ -z "${2-}" ] || ok "$1 prints $2" out_has "$2"
}

for header in "$public"/genalpha/*.h; do extract "$header"; done
count=0
for example in "$work"/ga_*.c; do
  ok "compiles: $(basename "$example")" compiled "$example"
  count=$((count + 1))
done
ok "$count examples, at least 10" [ "$count" -ge 10 ]

cp "$around/main.c" "$work/main.c"
ok "the program around them compiles" compiled "$work/main.c"
runs ga_integrator_1 'q = 10$'
runs ga_mechanism_1
runs ga_events_1 't = 1.5$' integrator
runs ga_recorder_1 'q after the first step: 0.001$' integrator
runs ga_extrapolate_1 'q = 1, error about'
runs ga_helpers_1
runs ga_partition_1
runs ga_linsol_1 '1 null pivot'

# a wrong example would be seen: a missing argument, a variable that nobody declares
sed 's/ga_mechanism_build(m, 0, /ga_mechanism_build(m, /' "$work/ga_mechanism_1.c" >"$work/wrong_1.c"
sed 's/&options/\&settings/' "$work/ga_mechanism_1.c" >"$work/wrong_2.c"
for wrong in "$work/wrong_1.c" "$work/wrong_2.c"; do
  ok "a wrong example differs" sh -c "! cmp -s '$work/ga_mechanism_1.c' '$wrong'"
  code=0
  compiled "$wrong" || code=1
  ok "a wrong example does not compile" code_is 1
done

finish
