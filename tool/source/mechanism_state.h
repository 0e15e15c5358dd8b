/* SPDX-License-Identifier: MIT */
/* A mechanism of a model file at a state: where check, equilibrium and modes look. */
#ifndef TOOL_SOURCE_MECHANISM_STATE_H
#define TOOL_SOURCE_MECHANISM_STATE_H

#include "args/problem_args.h"
#include "output/output.h"

typedef struct place {
  ga_problem *problem;
  const ga_file *file;
  const ga_mechanism *mechanism;
  int nq, nv, nlam, npsi;
  double t;
  double *q, *v, *vd, *lam, *psi; /* owned */
} place;

/* Reads the file the operand names. ARGS_GO_ON, or the exit code after a message. */
int place_open(place *p, const problem_args *given, args *a);
void place_close(place *p);

/* To the state that `at` says: a time, by a run; a file of a saved state; "equilibrium", sought
 * from the start; NULL: the start itself. */
int place_go(place *p, const args *a, const char *at);
/* To an equilibrium from where it is; e may be NULL. */
int place_rest(place *p, ga_equilibrium *e);

/* Save the state so that `run --from-state` with the same options goes on from it. */
int place_save(const place *p, const args *a, const char *path);

ga_state place_state(const place *p);

#define PLACE_SET(settings, place)                                                   \
  {                                                                                  \
    "set", "NAME=VALUE",                                                             \
        "a parameter of the model file, in place of its value there; once for each", \
        file_read_set, offsetof(settings, place.sets), 0, 0                          \
  }

#endif
