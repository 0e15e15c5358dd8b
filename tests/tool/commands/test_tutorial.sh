# SPDX-License-Identifier: MIT
# The tutorial, from its first line to its last: files written, commands run; and the tables of
# docs/reference/models.md, which are those of the reader.
. "$(dirname "$0")/lib.sh"
docs=$(cd "$(dirname "$0")/../../../docs" && pwd)
command -v gnuplot >/dev/null 2>&1 || { echo "skipped: no gnuplot" && exit 77; }
absolute=$(cd "$(dirname "$tool")" && pwd)/$(basename "$tool")
cd "$work" || exit 1

# step_NN.yaml NAME or step_NN.sh [fails]: the fenced blocks, in order
awk '/^```(yaml|sh)/ { n++; kind = substr($1, 4); name = $2
       file = sprintf("step_%02d.%s", n, kind); print file, name; next }
     /^```/ { file = "" }
     file { print > file }' "$docs/guide/tutorial.md" >steps
ok "the tutorial has steps" [ "$(grep -c . steps)" -ge 10 ]
while read -r file name; do
  case $file in
    *.yaml) cp "$file" "$name" ;;
    *.sh)
      while read -r line; do
        code=0
        sh -c "$(echo "$line" | sed "s#^genalpha #'$absolute' #")" >out 2>err </dev/null || code=$?
        if [ "$name" = fails ]; then
          ok "refused: $line" code_is 1
          ok "the message of the tutorial" grep -q -F "$(cat err)" "$docs/guide/tutorial.md"
        else
          ok "runs: $line" code_is 0
        fi
      done <"$file"
      ;;
  esac
done <steps
ok "a picture" grep -q '</svg>' crank.svg
ok "another" grep -q '</svg>' effort.svg

sed -n '/^<!-- tables -->/,/^<!-- end of tables -->/p' "$docs/reference/models.md" | sed '1,2d;$d' |
  sed '$d' >in_docs
"$absolute" schema --tables >of_tool
ok "tables of docs/reference/models.md are those of the tool" cmp -s in_docs of_tool
finish
