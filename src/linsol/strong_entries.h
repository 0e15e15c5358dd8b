/* SPDX-License-Identifier: MIT */
/* Private: the strong entries of a matrix, in block triangular form, each block with a solver of
 * its own. */
#ifndef GA_SRC_STRONG_ENTRIES_H
#define GA_SRC_STRONG_ENTRIES_H

#include "base/csr.h"
#include "linsol/registry.h"
#include "linsol/scaling.h"

enum { GA_STRONG_ENTRIES_BLOCKS = 8 };

/* A block on the diagonal: columns in increasing order, row p is the partner of column p. */
typedef struct ga_strong_entries_block {
  int n;
  int *cols;    /* n numbers: columns of A */
  ga_csr D;     /* the block, n x n */
  int *from;    /* slot in A of each entry of D */
  ga_linsol ls; /* its solver */
} ga_strong_entries_block;

typedef struct ga_strong_entries {
  ga_csr A;         /* pattern of the whole matrix; choose and factor get the values */
  ga_arena arena;   /* arrays that do not depend on the choice of strong entries */
  ga_arena choice;  /* arrays that depend on it */
  ga_scaling scale; /* R and C */
  double *scaled;   /* values of R A C, when entries are chosen */
  bool *kept;       /* for each entry of A: it is strong, or was strong in an earlier choice */
  int *row_of;      /* for each column: the row that is its partner */
  int *column_of;   /* for each row: the column that is its partner */
  int *block_of;    /* for each column: its block */
  int *index_of;    /* for each column: its index in its block */
  double *work;     /* n numbers */
  int nblock;
  ga_strong_entries_block block[GA_STRONG_ENTRIES_BLOCKS];
  ga_csr rest;              /* strong entries below the blocks, by rows of A */
  int *rest_from;           /* slot in A of each entry of rest */
  int entries;              /* number of strong entries */
  ga_linsol_work work_of_P; /* predicted work to factor all blocks, and to solve with them once */
} ga_strong_entries;

/* Allocate the arrays for a pattern; arena.failed is set if memory runs out. */
void ga_strong_entries_init(ga_strong_entries *s, const ga_csr *A, const ga_linsol_layout *layout);
void ga_strong_entries_free(ga_strong_entries *s);
/* Close all blocks. forget: no entry counts as strong from an earlier choice either. */
void ga_strong_entries_close(ga_strong_entries *s, bool forget);

/* Choose strong entries for these values, the blocks, and a solver for each block (not opened yet).
 * Entries of R A C below `weak` are weak. Exception: if the pattern lacks the diagonal entry of a
 * row or column, all its entries are strong. Such rows are constraints, and the factorization must
 * see whether they depend on each other. layout may be NULL. */
ga_status ga_strong_entries_choose(ga_strong_entries *s, const ga_csr *A,
                                   const ga_linsol_layout *layout, double weak);
/* Analyze all blocks. */
ga_status ga_strong_entries_open(ga_strong_entries *s);
/* Factor all blocks for new values. */
ga_status ga_strong_entries_factor(ga_strong_entries *s, const ga_csr *A);
/* c = P^-1 r or P^-T r, with P the strong entries; r is destroyed. */
ga_status ga_strong_entries_solve(ga_strong_entries *s, bool transposed, double *r, double *c);

long ga_strong_entries_repivots(const ga_strong_entries *s);

#endif
