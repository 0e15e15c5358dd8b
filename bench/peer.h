/* SPDX-License-Identifier: MIT */
/* A problem in the form the peer solves: the stabilized index-2 equations of Gear, Gupta and
 * Leimkuhler in y = (q, v, mu, lam),
 *
 *     q' = K(q) (v - G^T mu)        K = I on R^n, p' = p o (0, Omega)/2 for a quaternion
 *     M v' = F - G^T lam
 *     0 = g,   0 = G v
 *
 * with the callbacks of the same model and its exact Jacobian (but for D(G^T mu): mu is zero up to
 * the error of the integration). */
#ifndef GA_BENCH_PEER_H
#define GA_BENCH_PEER_H

#include <stdint.h>

#include "bench.h"

enum { PEER_TERMS = 16 };

/* A source matrix at a block of the Jacobian, transposed or not: J[map[e]] += coef * src.val[e]. */
typedef struct peer_term {
  const ga_csr *src;
  int row, col;
  bool transpose;
  size_t *map;
} peer_term;

typedef struct peer {
  const bench_problem *b;
  const ga_model *model;
  int nq, nv, nlam, n;
  bool mass_known;
  ga_csr M, G, Kt, Ct, Z;
  ga_csr Gq, Zq, Ktq; /* derivatives by the numbers q: G K^+ and so on; on R^n G itself */
  ga_csr GK;          /* G K^T */
  ga_csr Iqq, Iqv;    /* d(q' - K w)/dq' and dq, and -K */
  double *F, *w;
  int nterm;
  peer_term term[PEER_TERMS];
  /* the Jacobian by columns; dense: col_ptr is NULL and entry (i,j) is at j n + i */
  int64_t nnz, *col_ptr, *row;
} peer;

peer *peer_new(const bench_problem *b, bool sparse);
void peer_free(peer *p);
/* consistent y, y' at the start; nonzero if genalpha could not find them */
int peer_start(const peer *p, double *y, double *yd);
int peer_residual(peer *p, double t, const double *y, const double *yd, double *r);
/* dr/dy + cj dr/dy' added to the zeroed values J */
int peer_jacobian(peer *p, double t, double cj, const double *y, const double *yd, double *J);

#endif
