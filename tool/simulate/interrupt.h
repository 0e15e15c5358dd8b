/* SPDX-License-Identifier: MIT */
/* Ctrl-C and SIGTERM end a run in good order: observers ask whether one has come. */
#ifndef TOOL_SIMULATE_INTERRUPT_H
#define TOOL_SIMULATE_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
bool interrupt_came(void);

#endif
