/* SPDX-License-Identifier: MIT */
/* Sparse matrix by compressed rows: the one matrix format of the library.
 *
 * The entries of row i are val[ptr[i]] .. val[ptr[i+1]-1], their columns col[...] strictly
 * increasing inside a row. A full pattern makes val a plain row-major array: entry (i,j) is
 * val[i * ncol + j]. A pattern handed over by a user may have val == NULL. */
#ifndef GA_CSR_H
#define GA_CSR_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ga_csr {
  int nrow, ncol; /* rows and columns */
  int *ptr;       /* nrow + 1: where the rows begin in col and val */
  int *col;       /* ptr[nrow]: the columns of the entries */
  double *val;    /* ptr[nrow]: their values */
} ga_csr;

#ifdef __cplusplus
}
#endif
#endif
