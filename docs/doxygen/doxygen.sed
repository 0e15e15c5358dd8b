# SPDX-License-Identifier: MIT
# Doxygen's filter of Markdown files: links to headers and examples lead to their pages, where they
# have any.
s#](include/genalpha/*)#](files.html)#g
s#](\(\.\./\)\{0,1\}include/genalpha/\([a-z_]*\.h\))#](@ref \2)#g
s#](examples/*)#](examples.html)#g
s#](\(\.\./\)\{0,1\}examples/\([a-z_]*\.c\))#](@ref \2)#g
s#\[\([^]]*\)\](\(\.\./\)\{0,1\}examples/[a-z_./]*)#\1#g
