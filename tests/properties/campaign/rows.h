/* SPDX-License-Identifier: MIT */
/* The constraint rows of model.h in the precision REAL; included after formulas.h, once for each
 * precision, without an include guard. */

/* R by rows of a unit quaternion (w, x) */
static inline void rotation(const REAL *w, REAL R[9]) {
  const REAL *x = w + 1;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    R[4 * a] = 1 - 2 * (x[b] * x[b] + x[c] * x[c]);
    R[3 * a + b] = 2 * (x[a] * x[b] - w[0] * x[c]);
    R[3 * a + c] = 2 * (x[a] * x[c] + w[0] * x[b]);
  }
}

/* The values of all rows: g of the holonomic ones, k = H v of the skates. G and H are by rows, one
 * below the other; gt is the partial time derivative of g. */
typedef struct row_values {
  REAL value[HARD_ROWS], gt[HARD_ROWS];
  REAL G[HARD_ROWS * HARD_NV];
} row_values;

static inline void distance_of(const hard_row *row, const REAL *q, REAL d[2]) {
  for (int a = 0; a < 2; a++) {
    d[a] = q[row->i + a] - (row->j < 0 ? (REAL)row->p[2 + a] : q[row->j + a]);
  }
}

static inline REAL row_distance(const hard_row *row, const REAL *q, REAL *G) {
  REAL d[2];
  distance_of(row, q, d);
  for (int a = 0; a < 2; a++) {
    G[row->i + a] = row->p[0] * d[a];
    if (row->j >= 0) G[row->j + a] = -row->p[0] * d[a];
  }
  return row->p[0] * (d[0] * d[0] + d[1] * d[1] - row->p[1]) / 2;
}

/* g = x_k - (R X)_k, G = (e_k, row k of R X~) */
static inline REAL row_ball(const hard_model *m, const hard_row *row, const REAL *q, REAL *G) {
  REAL R[9], *turn = G + m->n_flat + 3 * row->j;
  rotation(q + m->n_flat + 4 * row->j, R);
  const REAL *r = R + 3 * row->k;
  const double *X = row->p;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    turn[a] = r[b] * X[c] - r[c] * X[b];
  }
  G[row->i + row->k] = 1;
  return q[row->i + row->k] - r[0] * X[0] - r[1] * X[1] - r[2] * X[2];
}

static inline REAL row_value(const hard_model *m, const hard_row *row, REAL t, const REAL *q,
                             const REAL *v, REAL *G, REAL *gt) {
  const double *p = row->p;
  int i = row->i, j = row->j;
  switch (row->kind) {
    case ROW_DISTANCE:
      return row_distance(row, q, G);
    case ROW_LINEAR:
      G[i] = p[0];
      G[j] = -p[0] * p[1];
      return p[0] * (q[i] - p[1] * q[j] - p[2]);
    case ROW_DRIVEN:
      G[i] = p[0];
      *gt = -p[0] * p[1] * p[2] * cos(p[2] * t);
      return p[0] * (q[i] - p[1] * sin(p[2] * t) - p[3]);
    case ROW_CRANK_X:
      G[i] = 1;
      G[j] = p[0] * sin(q[j]);
      return q[i] - p[0] * cos(q[j]) - p[1];
    case ROW_CRANK_Y:
      G[i] = 1;
      G[j] = -p[0] * cos(q[j]);
      return q[i] - p[0] * sin(q[j]) - p[1];
    case ROW_BALL:
      return row_ball(m, row, q, G);
    case ROW_SKATE:
      G[i] = -sin(q[row->k]);
      G[j] = cos(q[row->k]);
      return v ? G[i] * v[i] + G[j] * v[j] : 0;
    default:
      return 0;
  }
}

static inline void all_rows(const hard_model *m, REAL t, const REAL *q, const REAL *v,
                            row_values *out) {
  int nv = hard_nv(m);
  memset(out, 0, sizeof *out);
  for (int n = 0; n < m->n_lam + m->n_psi; n++) {
    out->value[n] = row_value(m, &m->row[n], t, q, v, out->G + n * nv, &out->gt[n]);
  }
}

/* K += D_q(row of G^T times its multiplier); of a ball joint's component k with the multiplier s,
 * the rotational rows are -X x (R^T s e_k), their derivative is -X~ (R^T s e_k)~. */
static inline void add_row_tangent(const hard_model *m, const hard_row *row, const REAL *q, REAL s,
                                   REAL *K) {
  int nv = hard_nv(m), i = row->i, j = row->j, k = row->k;
  if (row->kind == ROW_DISTANCE) {
    for (int a = 0; a < 2; a++) {
      K[(i + a) * nv + i + a] += row->p[0] * s;
      if (j < 0) continue;
      K[(j + a) * nv + j + a] += row->p[0] * s;
      K[(i + a) * nv + j + a] -= row->p[0] * s;
      K[(j + a) * nv + i + a] -= row->p[0] * s;
    }
  }
  if (row->kind == ROW_CRANK_X) K[j * nv + j] += row->p[0] * cos(q[j]) * s;
  if (row->kind == ROW_CRANK_Y) K[j * nv + j] += row->p[0] * sin(q[j]) * s;
  if (row->kind == ROW_SKATE) {
    K[i * nv + k] -= cos(q[k]) * s;
    K[j * nv + k] -= sin(q[k]) * s;
  }
  if (row->kind == ROW_BALL) {
    REAL R[9], X[3], f[3], dot = 0;
    int at = m->n_flat + 3 * j;
    rotation(q + m->n_flat + 4 * j, R);
    for (int a = 0; a < 3; a++) {
      X[a] = row->p[a];
      f[a] = s * R[3 * k + a];
      dot += X[a] * f[a];
    }
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        K[(at + a) * nv + at + b] += (a == b ? dot : 0) - f[a] * X[b];
      }
    }
  }
}

static inline void add_rows_tangent(const hard_model *m, const REAL *q, const REAL *lam,
                                    const REAL *psi, REAL *K) {
  for (int n = 0; n < m->n_lam + m->n_psi; n++) {
    add_row_tangent(m, &m->row[n], q, n < m->n_lam ? lam[n] : psi[n - m->n_lam], K);
  }
}

/* The sum of the magnitudes of the constants in a row: what it is rounded by besides q. */
static inline REAL row_constant(const hard_row *row) {
  const double *p = row->p;
  switch (row->kind) {
    case ROW_DISTANCE:
      return fabs((REAL)p[0]) *
             (fabs((REAL)p[1]) + (row->j < 0 ? (REAL)p[2] * p[2] + (REAL)p[3] * p[3] : 0));
    case ROW_LINEAR:
      return fabs((REAL)p[0] * p[2]);
    case ROW_DRIVEN:
      return fabs((REAL)p[0]) * (fabs((REAL)p[1]) + fabs((REAL)p[3]));
    case ROW_CRANK_X:
    case ROW_CRANK_Y:
      return fabs((REAL)p[0]) + fabs((REAL)p[1]);
    default:
      return 0;
  }
}

/* Z = D_q(G v) of one row; K with the multiplier 1 has D_q of the row of G */
static inline void rate_tangent(const hard_model *m, const hard_row *row, const REAL *q,
                                const REAL *v, REAL *Z) {
  int nv = hard_nv(m);
  REAL K[HARD_NV * HARD_NV] = {0};
  add_row_tangent(m, row, q, 1, K);
  for (int j = 0; j < nv; j++) {
    Z[j] = 0;
    for (int i = 0; i < nv; i++) Z[j] += K[i * nv + j] * v[i];
  }
}
