/* SPDX-License-Identifier: MIT */
/* Ctrl-C and SIGTERM end a run after the present step, with its files complete. */
#ifndef TOOL_SIMULATE_INTERRUPT_H
#define TOOL_SIMULATE_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM are only noted; interrupt_came says whether one has come. */
void interrupt_catch(void);
bool interrupt_came(void);

#endif
