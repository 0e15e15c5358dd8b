# SPDX-License-Identifier: MIT
# Doxygen's filter of Markdown files: links to headers and examples lead to their pages, where they
# have any; a link to another directory or source file becomes plain text.
s#](\(\.\./\)*include/genalpha/*)#](files.html)#g
s#](\(\.\./\)*include/genalpha/\([a-z_]*\.h\))#](@ref \2)#g
s#](\(\.\./\)*examples/*)#](examples.html)#g
s#](\(\.\./\)*examples/\([a-z_]*\.c\))#](@ref \2)#g
s#\[\([^]]*\)\](\(\.\./\)*\(examples\|models\|src\|tests\|tool\|tools\|python\|problems\|papers\|results\|parallel\|bench\)\(/[^)]*\)\{0,1\})#\1#g
# pictures are found by IMAGE_PATH
s#](\(\.\./\)*images/#](#g
