/* SPDX-License-Identifier: MIT */
/* Linear equations in long double: A x = b by elimination with partial pivoting, after rows and
 * columns are scaled by powers of two. Rows keep the range of their entries, so that banded
 * matrices cost no more than their band. */
#ifndef GA_CAMPAIGN_LU_H
#define GA_CAMPAIGN_LU_H

#include <stdbool.h>

typedef struct hard_lu {
  int n, room;
  long double *A;         /* n x n by rows: the factors of the scaled matrix */
  int *pivot, *last;      /* the row exchanged with row c; the end of the entries of a row */
  long double *row, *col; /* the scales */
} hard_lu;

/* Make room for n unknowns; A is zero afterwards. False without memory. */
bool hard_lu_open(hard_lu *lu, int n);
void hard_lu_close(hard_lu *lu);
/* Replace A by its factors; false if it is singular. */
bool hard_lu_factor(hard_lu *lu);
/* b <- A^-1 b */
void hard_lu_solve(const hard_lu *lu, long double *b);

#endif
