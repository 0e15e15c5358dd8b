#!/bin/sh
# SPDX-License-Identifier: MIT
# A page for every mechanism of models/, with a still picture where chromium is installed, and an
# index of them. usage: gallery.sh TOOL DIRECTORY
set -eu
tool=$1
directory=$2
models=$(dirname "$0")/../models
# where in the run the still is taken, in percent, if not at 35
still_at='rolling-disk=20 pendulum=20 stewart=60 gear-train=10'
mkdir -p "$directory"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || echo "gallery: no stills, as chromium is not installed (Debian: chromium)"

plain() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }

# still NAME: a picture of the page, drawn by the processor
still() {
  at=35
  for entry in $still_at; do
    [ "${entry%%=*}" != "$1" ] || at=${entry#*=}
  done
  # a browser that fails leaves no picture: the page is listed without one
  "$chromium" --headless=new --use-angle=swiftshader --enable-unsafe-swiftshader --no-sandbox \
    --hide-scrollbars --window-size=640,440 --virtual-time-budget=4000 \
    --screenshot="$directory/$1.png" \
    "file://$(cd "$directory" && pwd)/$1.html#bare=1&theme=light&t=$at%25" >/dev/null 2>&1 || true
  [ -s "$directory/$1.png" ] || echo "gallery: no still of $1"
}

{
  cat <<'HTML'
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>genalpha: mechanisms</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 24px auto; max-width: 1100px; padding: 0 16px; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 18px; padding: 0; list-style: none; }
li { border: 1px solid #8886; border-radius: 8px; overflow: hidden; }
li img { display: block; width: 100%; height: auto; }
li a { color: inherit; text-decoration: none; display: block; }
li a:hover, li a:focus-visible { outline: 2px solid #1f6feb; }
li div { padding: 8px 12px; }
</style></head><body>
<h1>Mechanisms in motion</h1>
<p>Each picture opens a page of its own: turn it, play it, plot any column. They work without network.</p>
<ul>
HTML
  for model in "$models"/*.yaml "$models"/*.urdf; do
    name=$(basename "$model" | sed 's/\.[a-z]*$//')
    if ! text=$("$tool" run "$model" --out-page "$directory/$name.html" 2>"$directory/log"); then
      cat "$directory/log" >&2
      continue
    fi
    [ -z "$chromium" ] || still "$name" >&2
    about=$(printf '%s\n' "$text" | sed -n '1s/^[^:]*: //p' | plain)
    echo "<li><a href=\"$name.html\">"
    [ ! -s "$directory/$name.png" ] ||
      echo "<img src=\"$name.png\" width=\"640\" height=\"440\" alt=\"$name\" loading=\"lazy\">"
    echo "<div><b>$name</b><br>$about</div></a></li>"
  done
  echo '</ul></body></html>'
} >"$directory/index.html"
rm -f "$directory/log"
echo "gallery: $directory/index.html"
