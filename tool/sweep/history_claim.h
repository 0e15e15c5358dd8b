/* SPDX-License-Identifier: MIT */
/* Which sweep a file of histories belongs to, while that sweep has not ended. */
#ifndef TOOL_SWEEP_HISTORY_CLAIM_H
#define TOOL_SWEEP_HISTORY_CLAIM_H

#include "tool.h"

/* The file HISTORY.owner: it holds the path of the table of the sweep, and is locked while the sweep
 * runs. A sweep that was stopped leaves it, as it leaves its journal. */
typedef struct history_claim {
  char *path;
  int fd; /* -1: not open */
} history_claim;

/* Claim the file `history` (NULL: nothing to do) for the sweep into the table `out`. False after a
 * message if another sweep that has not ended writes to it. */
bool history_claim_open(history_claim *c, const char *history, const char *out);
/* Give the claim back; forget: the sweep has ended, the file is removed. */
void history_claim_close(history_claim *c, bool forget);

#endif
