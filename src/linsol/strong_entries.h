/* SPDX-License-Identifier: MIT */
/* Private: the strong entries of a matrix, in block triangular form, each block with a solver of
 * its own. */
#ifndef GA_SRC_STRONG_H
#define GA_SRC_STRONG_H

#include "base/csr.h"
#include "linsol/registry.h"
#include "linsol/scaling.h"

enum { GA_STRONG_BLOCKS = 8 };

/* A block on the diagonal: columns in increasing order, row p is the partner of column p. */
typedef struct ga_strong_block {
  int n;
  int *cols;
  ga_csr D;
  int *from; /* entries of A that D has */
  ga_linsol ls;
} ga_strong_block;

typedef struct ga_strong {
  ga_csr A;        /* pattern of the whole matrix; values are given when they are needed */
  ga_arena arena;  /* what does not depend on the choice of strong entries */
  ga_arena choice; /* what depends on it */
  ga_scale scale;
  double *scaled;
  bool *kept;     /* entries that are strong, or were so when blocks were chosen before */
  int *row_of;    /* the row that is the partner of a column */
  int *column_of; /* the column that is the partner of a row */
  int *block_of;  /* the block of a column */
  int *place;     /* the place of a column in its block */
  double *work;   /* n numbers */
  int nblock;
  ga_strong_block block[GA_STRONG_BLOCKS];
  ga_csr rest; /* strong entries below the blocks, by rows */
  int *rest_from;
  int entries; /* number of strong ones */
  double time; /* predicted for factors and solves of all blocks, in ns */
  double fill; /* predicted entries of their factors */
} ga_strong;

/* Carve the arrays for a pattern; arena.failed tells. */
void ga_strong_init(ga_strong *s, const ga_csr *A);
void ga_strong_free(ga_strong *s);
/* No blocks any more; forget: nor is any entry known as strong. */
void ga_strong_close(ga_strong *s, bool forget);

/* Choose strong entries for these values, and blocks; their solvers are chosen, not opened. Entries
 * of R A C below `weak` are weak, unless the pattern has no diagonal entry in their row or column:
 * those are constraints, whose dependencies must stay visible. layout may be NULL. */
ga_status ga_strong_choose(ga_strong *s, const ga_csr *A, const ga_linsol_layout *layout,
                           double weak);
/* Analyze all blocks. */
ga_status ga_strong_open(ga_strong *s);
/* Factor them for new values. */
ga_status ga_strong_factor(ga_strong *s, const ga_csr *A);
/* c = P^-1 r or P^-T r, with P the strong part; r is destroyed. */
ga_status ga_strong_solve(ga_strong *s, bool transposed, double *r, double *c);

long ga_strong_repivots(const ga_strong *s);

#endif
