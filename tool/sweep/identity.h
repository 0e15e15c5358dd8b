/* SPDX-License-Identifier: MIT */
/* Which sweep it is, as a JSON object: what tells a sweep from others, and files of results how
 * their numbers were made. */
#ifndef CLI_SWEEP_ABOUT_H
#define CLI_SWEEP_ABOUT_H

#include "args/run_settings.h"
#include "sweep/one_run.h"

typedef struct sweep_about {
  const sweep_plan *plan;
  const sweep_shape *shape;
  bool file; /* the operand is a file, whose contents count */
} sweep_about;

/* One key in a line; for json_text. */
void sweep_about_put(FILE *to, const void *sweep_about);

#endif
