/* SPDX-License-Identifier: MIT */
/* Which sweep it is, as a JSON object: what tells a sweep from others, and files of results how
 * their numbers were made. */
#ifndef TOOL_SWEEP_IDENTITY_H
#define TOOL_SWEEP_IDENTITY_H

#include "args/run_settings.h"
#include "sweep/one_run.h"

typedef struct sweep_identity {
  const sweep_plan *plan;
  const sweep_shape *shape;
  bool file; /* the operand is a file, whose contents count */
} sweep_identity;

/* One key in a line; for json_text. */
void sweep_identity_write(FILE *to, const void *sweep_identity);

#endif
