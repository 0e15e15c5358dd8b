/* SPDX-License-Identifier: MIT */
/* A linear solver for matrices whose leading block is not formed.
 *
 *     [ A  B ] [ x ]   [ b ]        A: n x n, by functions that factor it and solve with it
 *     [ C  D ] [ y ] = [ c ]        B, C, D: in the matrix that is given, which is empty at A
 *
 * By the Schur complement S = D - C A^-1 B, dense:  S y = c - C A^-1 b,  x = A^-1 (b - B y). One
 * solve with A for each column of B, once per factorization. */
#ifndef GA_SRC_BORDERED_H
#define GA_SRC_BORDERED_H

#include "linsol/registry.h"

/* The leading block: the context of a ga_linsol with the functions of ga_linsol_bordered. */
typedef struct ga_leading {
  int n;
  void *user;
  /* factor A; GA_RETRY_SINGULAR: a pivot vanishes. trouble: what is wrong, for messages */
  ga_status (*factor)(void *user, char *trouble, size_t room);
  /* b <- A^-1 b */
  ga_status (*solve)(void *user, double *b);
  /* Optional: add to column j of B what the matrix does not have. */
  ga_status (*add_column)(void *user, int j, double *b);
} ga_leading;

extern const ga_linsol_ops ga_linsol_bordered;

#endif
