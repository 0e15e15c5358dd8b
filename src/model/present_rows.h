/* SPDX-License-Identifier: MIT */
/* A model with some of its contacts: those that are present. The rows of the others, which are open and
 * far from closing, are left out of g, k and all matrices, so that they cost nothing there. A model
 * whose rows wait (crowd.h) makes it itself; any other evaluates all rows, from which they are copied.
 *
 * Numbers of rows and contacts are those of the whole model, or those of the present ones, in the
 * same order. */
#ifndef GA_SRC_PRESENT_ROWS_H
#define GA_SRC_PRESENT_ROWS_H

#include "base/base.h"
#include "model/adapter.h"
#include "model/crowd.h"

typedef struct ga_present_rows {
  const ga_model *whole;
  ga_model model;     /* with what is present; functions and user are those of the whole */
  bool *on;           /* ncontacts of the whole: present */
  int *place;         /* the same: number among the present ones, -1: absent */
  int *contact;       /* numbers in the whole model of what is present: contacts, */
  int *lam, *psi;     /* rows of g, rows of k */
  ga_contact *of;     /* the present contacts, with their rows */
  const char **names; /* of their rows, of g, then of k */
  /* work: an evaluation of the whole model */
  ga_csr G, H, Z, Y;
  double *g, *gt, *drift, *k, *k_drift, *mult_lam, *mult_psi;
} ga_present_rows;

/* Allocate what does not change, all contacts absent; the caller sets `on` and calls `lay_out`. */
void ga_present_rows_init(ga_present_rows *p, const ga_model *whole, ga_arena *arena);
/* Form `model` for the contacts that are on; its patterns come from the arena. */
void ga_present_rows_lay_out(ga_present_rows *p, ga_arena *arena);
/* ga_adapter_zero and ga_adapter_ask of p->model. */
int ga_present_rows_ask(ga_present_rows *p, unsigned pass, bool alone, double t, const double *q,
                        const double *v, const ga_evaluation *ask, const char **who);
/* whole[row of the whole model] <- x, of the present rows; others stay. And back. */
void ga_present_rows_spread(int n, const int *row, const double *x, double *whole);
void ga_present_rows_gather(int n, const int *row, const double *whole, double *x);

#endif
