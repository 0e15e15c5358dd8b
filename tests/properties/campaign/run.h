/* SPDX-License-Identifier: MIT */
/* One run of a model, every accepted step judged by the checker. */
#ifndef GA_CAMPAIGN_RUN_H
#define GA_CAMPAIGN_RUN_H

#include "checker.h"
#include "reach.h"

typedef struct hard_outcome {
  ga_status status;
  char text[160];            /* the library's sentence, if it failed */
  long steps;                /* accepted */
  long wrong, gross, strict; /* steps above the bounds of checker.h */
  long reach[REACH_COUNT];   /* those above the first bound, after a start: see reach.h */
  long solvable;             /* of these, their solution rounded once meets it */
  hard_verdict worst;        /* the first wrong step */
  double t_wrong;
  bool wrong_start;        /* the state after the start is wrong, */
  hard_verdict start;      /* for this reason */
  double position;         /* largest |g_i| / (|G| |q|)_i */
  hard_state last, before; /* the last accepted states */
} hard_outcome;

/* Whether the run came to its end and every accepted step is right. */
static inline bool hard_passed(const hard_outcome *o) {
  return o->status == GA_OK && o->wrong == 0;
}

hard_outcome hard_run(const hard_model *m);

/* The model as the library sees it, for any user data; the caller frees the space. */
ga_status hard_open(const hard_model *m, const ga_model_ops *ops, hard_user *user, ga_space **space,
                    ga_model *out);

/* A line that names the model and its settings. */
void hard_describe(const hard_model *m, char *text, size_t room);

#endif
