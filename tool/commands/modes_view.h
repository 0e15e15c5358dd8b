/* SPDX-License-Identifier: MIT */
/* Mode shapes that move, as a page. */
#ifndef TOOL_COMMANDS_MODES_VIEW_H
#define TOOL_COMMANDS_MODES_VIEW_H

#include "source/mechanism_state.h"

/* Write a page that shows the first modes, at most `most` of them, about the state p. Returns
 * ARGS_GO_ON, or the exit code after a message. */
int modes_view(const mechanism_state *p, const ga_modes *modes, int most, const char *path);

#endif
