# SPDX-License-Identifier: MIT
# Doxygen's filter of the public headers, whose comments are plain: turns them into its own kind.
#   the second comment of a file      documents the file
#   /* ... */ before a declaration    documents it and all that follow it up to a blank line or
#                                     another comment; before a #define X_LIST also the declaration
#                                     after that, if it has none
#   declaration; /* ... */            documents that declaration, all members of "double t, h;"
#   lines of a comment set in         are kept as they are
#   X_LIST(ITEM, ...) in a body       is expanded, the last string of an entry documents it;
#                                     the macros ITEM, which are undefined again, are left out
# A .c file is an example: a page of its own that shows it.

FILENAME ~ /\.c$/ {
  sub(/.*\//, "", FILENAME)
  print "/** @example " FILENAME " */"
  exit
}
{ line[NR] = $0 }
/^#undef / { undefined[$2] = 1 }

END {
  # from 2: the licence line is no documentation
  for (i = 2; i <= NR; i++) {
    if (line[i] ~ /^ *\/\*/) i = comment(i)
    else if (line[i] ~ /^#define /) i = macro(i)
    else if (line[i] ~ /^#undef /) print ""
    else if (line[i] ~ /^ *[A-Z_]+_LIST\(/) list(line[i])
    else if (line[i] ~ /^ *$/) blank()
    else i = declared(i)
  }
}

# text that Doxygen prints as it stands
function plain(text) {
  gsub(/[\\@<>#%&*]/, "\\\\&", text)
  gsub(/--/, "\\--", text)
  # two or three dots would end the first sentence
  gsub(/\.\.\.?/, "…", text)
  return text
}

# a comment that begins on line i; its last line
function comment(i,    first, text, set_in, verbatim, ends) {
  first = i
  indent = match(line[i], /[^ ]/)
  doc = ""
  for (;; i++) {
    text = line[i]
    ends = sub(/ *\*\/ *$/, "", text) # first: it may stand alone
    sub(/^ *\/?\* ?/, "", text)
    set_in = text ~ /^ / || (verbatim && text == "" && line[i + 1] ~ /^ *\*  /)
    if (set_in != verbatim) doc = doc (set_in ? "\n@verbatim\n" : "@endverbatim\n")
    verbatim = set_in
    doc = doc (set_in ? text : plain(text)) "\n"
    if (ends) break
  }
  if (verbatim) doc = doc "@endverbatim\n"
  pending = 0
  if (first == 2) {
    print "/** @file\n" doc "*/"
    doc = ""
  } else if (line[i + 1] ~ /^ *$/) {
    doc = ""
  }
  return i
}

function blank() {
  if (!pending) doc = ""
  print ""
}

# the declaration on line i, with a comment behind it that may go on in the next lines; its last line
function declared(i,    text, more) {
  text = line[i]
  while (text ~ /[;,] *\/\*/ && text !~ /\*\/ *$/ && i < NR) {
    more = line[++i]
    sub(/^ *\*? */, "", more)
    text = text " " more
  }
  declaration(text)
  return i
}

# "T a, *b;" declares two members: each gets the text
function several(code, before, behind,    type, part, n, k) {
  if (code !~ /^ *(const )?[A-Za-z_0-9]+ \**[A-Za-z_0-9]+(\[[^]]*\])*(, *\**[A-Za-z_0-9]+(\[[^]]*\])*)+; *$/) return 0
  match(code, /^ *(const )?[A-Za-z_0-9]+ /)
  type = substr(code, 1, RLENGTH)
  code = substr(code, RLENGTH + 1)
  sub(/; *$/, "", code)
  n = split(code, part, /, */)
  for (k = 1; k <= n; k++) print before type part[k] ";" behind
  return 1
}

function declaration(text,    at, behind) {
  at = index(text, "/*")
  if (at && sub(/ *\*\/ *$/, "", text)) {
    behind = "/**< " plain(substr(text, at + 3)) " */"
    text = substr(text, 1, at - 1)
    if (several(text, "", behind)) return
    text = text behind
  } else if (doc && !pending && match(text, /[^ ]/) == indent && several(text, "/** " doc "*/\n", "")) {
    return
  } else if (doc && text ~ /^ *[A-Za-z]/ && match(text, /[^ ]/) == indent) {
    print "/** " doc "*/"
    if (pending) doc = ""
    pending = 0
  }
  print text
}

# a #define that begins on line i; its last line
function macro(i,    first, text, name, at) {
  first = i
  text = line[i]
  while (sub(/ *\\$/, " ", text)) text = text line[++i]
  sub(/^#define /, "", text)
  match(text, /^[A-Za-z_0-9]+/)
  name = substr(text, 1, RLENGTH)
  if (substr(text, RLENGTH + 1, 1) == "(") {
    at = index(text, ")")
    formals[name] = substr(text, RLENGTH + 2, at - RLENGTH - 2)
    body[name] = substr(text, at + 1)
  }
  if (name in undefined) return i
  if (doc) print "/** " doc "*/"
  pending = name ~ /_LIST$/
  for (; first <= i; first++) print line[first]
  return i
}

# arguments of "NAME(a, b, ...)" into part[1..]; their number. Commas in strings do not separate.
function arguments(text, part,    n, c, k, quoted) {
  text = substr(text, index(text, "(") + 1)
  n = 1
  part[1] = ""
  for (k = 1; k <= length(text); k++) {
    c = substr(text, k, 1)
    if (c == "\"") quoted = !quoted
    if (c == ")" && !quoted) break
    if (c == "," && !quoted) part[++n] = ""
    else part[n] = part[n] c
  }
  rest = substr(text, k + 1)
  for (k = 1; k <= n; k++) gsub(/^ +| +$/, "", part[k])
  return n
}

# X_LIST(ITEM, ...): one declaration for each entry of X_LIST
function list(text,    name, actual, formal, item, n, k) {
  match(text, /[A-Z_]+/)
  name = substr(text, RSTART, RLENGTH)
  arguments(text, actual)
  n = split(formals[name], formal, /, */)
  for (k = 1; k <= n; k++) item[formal[k]] = actual[k]
  rest = body[name]
  while (match(rest, /[A-Z_]+\(/)) {
    rest = substr(rest, RSTART)
    entry(item[substr(rest, 1, RLENGTH - 1)], rest)
  }
}

# one entry: the body of macro ITEM with the entry's arguments
function entry(macro_name, text,    value, formal, n, k, code, help) {
  arguments(text, value)
  code = body[macro_name]
  n = split(formals[macro_name], formal, /, */)
  for (k = 1; k <= n; k++) {
    if (value[k] ~ /^"/) {
      help = substr(value[k], 2, length(value[k]) - 2)
      gsub(/" +"/, "", help) # strings side by side are one
    }
    code = replaced(code, formal[k], value[k])
  }
  print code " /**< " plain(help) " */"
}

# text with the identifier name replaced by value
function replaced(text, name, value,    out) {
  while (match(text, /[A-Za-z_0-9]+/)) {
    out = out substr(text, 1, RSTART - 1)
    out = out (substr(text, RSTART, RLENGTH) == name ? value : substr(text, RSTART, RLENGTH))
    text = substr(text, RSTART + RLENGTH)
  }
  return out text
}
