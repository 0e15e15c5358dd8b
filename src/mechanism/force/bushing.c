/* SPDX-License-Identifier: MIT */
/* Bushing: an elastic and damped joint with six directions.
 *
 *   delta = (U_a^T d, rho),  rho the rotation vector of U_a^T U_b,   w = K delta + C delta'
 *   f = D^T w on the left side, D the derivative of delta (6 x 12):
 *     rows of the translation are a.d for the axes a of A (frame_pair.c);
 *     rho = A(rho) U_b^T (dphi_b - dphi_a), A = T^-1 of SO(3)
 *   plain tangent  D^T (K D + C E) + w.(dD),   E the plain derivative of delta' = D (x', omega),
 *   by velocities  D^T C D
 *
 * With g(n) = d(A^T n)/drho (src/lie/inverse_tangent.c) the derivative of A(rho) y is -g(y) at
 * -rho. */
#include <string.h>

#include "mechanism/force/force.h"
#include "mechanism/signal/signal.h"

typedef struct bushing_data {
  ga_joint_frame side[2];
  double K[36], C[36]; /* stiffness and damping, by rows */
  bool damped;         /* C is not zero */
} bushing_data;

/* a bushing at a state; the letters are those of the head of this file */
typedef struct {
  ga_pair pair;
  ga_log_coefficients log;
  double rho[3], A[9]; /* A(rho) */
  double AU[9];        /* A U_b^T */
  double D[6][GA_PAIR], E[6][GA_PAIR];
  double delta[6], rate[6], w[6]; /* deformation, its rate, wrench */
  double turning[3];              /* omega_b - omega_a */
} bushing;

/* Sets rho, A, A U_b^T and the rotational rows of D from the axes in b->pair; the other rows of D
 * become zero. False if the sides are turned by more than 0.95 pi, because rho jumps at pi: then
 * only rho is set. */
static bool rotation_rows(bushing *b) {
  double Q[9], p[4], Ut[9];
  ga_product_t3(b->pair.Ua, b->pair.Ub, Q);
  ga_quat_of_matrix(Q, p);
  ga_quat_log(p, b->rho);
  const double x = ga_dot3(b->rho, b->rho);
  if (!(x < 0.95 * 0.95 * 9.8696044010893586)) return false; /* (0.95 pi)^2 */
  ga_log_coefficients_at(b->rho, &b->log);
  ga_so3_inverse_tangent(&b->log, b->rho, b->A);
  for (int i = 0; i < 3; i++) ga_column3(b->pair.Ub, i, Ut + 3 * i);
  ga_product3(b->A, Ut, b->AU);
  memset(b->D, 0, sizeof b->D);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      b->D[3 + i][GA_PA + j] = -b->AU[3 * i + j];
      b->D[3 + i][GA_PB + j] = b->AU[3 * i + j];
    }
  }
  return true;
}

/* Sets b->E, the derivative of delta' by the frames, for the rotation (translation: zero). Needs
 * rotation_rows and turning (w below, not the wrench):
 *   -g(y)(-rho) drho + A d(U_b^T w),  w = omega_b - omega_a, y = U_b^T w, d(U_b^T w) = U_b^T w~
 *   dphi_b */
static void rotation_curvature(bushing *b) {
  double y[3], minus[3], g[9], X[9], S[9];
  ga_times_t3(b->pair.Ub, b->turning, y);
  for (int i = 0; i < 3; i++) minus[i] = -b->rho[i];
  ga_so3_gradient(&b->log, minus, y, g);
  ga_product3(g, b->AU, X);
  memset(b->E, 0, sizeof b->E);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      b->E[3 + i][GA_PA + j] = X[3 * i + j];
      b->E[3 + i][GA_PB + j] = -X[3 * i + j];
    }
  }
  ga_skew3(b->turning, S);
  ga_product3(b->AU, S, X);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) b->E[3 + i][GA_PB + j] += X[3 * i + j];
  }
}

/* time derivative of a row: its 12 numbers times (x_a', omega_a, x_b', omega_b) */
static double rate_of_row(const double *row, const ga_pair *p) {
  return ga_dot3(row + GA_XA, p->a->xd) + ga_dot3(row + GA_PA, p->a->w) +
         ga_dot3(row + GA_XB, p->b->xd) + ga_dot3(row + GA_PB, p->b->w);
}

/* Fills b for these frames: delta, D, delta', the wrench w = K delta + C delta', and E if tangents
 * are wanted (else E is not set). False if the sides are turned too far: then only pair, turning and
 * rho are set. */
static bool bushing_between(const bushing_data *data, const ga_frame *fa, const ga_frame *fb,
                            bool tangents, bushing *b) {
  ga_pair_points(&b->pair, tangents, fa, fb, data->side[0].s, data->side[1].s);
  ga_pair_axes(&b->pair, data->side[0].E, data->side[1].E);
  ga_plus3(fb->w, -1, fa->w, b->turning);
  if (!rotation_rows(b)) return false;
  if (tangents) rotation_curvature(b);
  for (int i = 0; i < 3; i++) {
    double a[3];
    ga_row row;
    ga_column3(b->pair.Ua, i, a);
    ga_row_plane(&b->pair, a, &row);
    b->delta[i] = row.value;
    b->delta[3 + i] = b->rho[i];
    memcpy(b->D[i], row.J, sizeof row.J);
    if (tangents) memcpy(b->E[i], row.Z, sizeof row.Z);
  }
  for (int i = 0; i < 6; i++) b->rate[i] = rate_of_row(b->D[i], &b->pair);
  for (int i = 0; i < 6; i++) {
    b->w[i] = 0;
    for (int j = 0; j < 6; j++) {
      b->w[i] += data->K[6 * i + j] * b->delta[j] + data->C[6 * i + j] * b->rate[j];
    }
  }
  return true;
}

/* bushing_between at the state of the pass */
static bool bushing_at(ga_pass *pass, const ga_element *el, bool tangents, bushing *b) {
  const ga_frame *fa, *fb;
  ga_pass_frames(pass, el, &fa, &fb);
  return bushing_between(el->data, fa, fb, tangents, b);
}

/* f = D^T w, GA_PAIR numbers, overwritten */
static void force_covector(const bushing *b, double *f) {
  for (int k = 0; k < GA_PAIR; k++) {
    f[k] = 0;
    for (int i = 0; i < 6; i++) f[k] += b->D[i][k] * b->w[i];
  }
}

/* M += D^T X Y, with X 6 x 6 by rows and Y, like D, 6 x 12 */
static void add_product(const bushing *b, const double *X, const double (*Y)[GA_PAIR],
                        double (*M)[GA_PAIR]) {
  for (int j = 0; j < GA_PAIR; j++) {
    for (int i = 0; i < 6; i++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += X[6 * i + k] * Y[k][j];
      for (int r = 0; r < GA_PAIR; r++) M[r][j] += b->D[i][r] * sum;
    }
  }
}

/* Adds w.(dD) to t->A. Translation: as for rows a.d. Rotation: mu = U_b A^T w_rho on B, -mu on A,
 * with dmu = dphi_b x mu + U_b g(w_rho) drho. t->f stays. */
static void add_geometric_stiffness(const bushing *b, ga_tangent *t) {
  double a[3], mu[3], n[9], S[9], X[9], Y[9], f[GA_PAIR];
  memcpy(f, t->f, sizeof f);
  ga_times3(b->pair.Ua, b->w, a);
  ga_tangent_plane(&b->pair, a, t);
  memcpy(t->f, f, sizeof f); /* counted already */
  ga_times_t3(b->AU, b->w + 3, mu);
  ga_so3_gradient(&b->log, b->rho, b->w + 3, n);
  ga_product3(b->pair.Ub, n, X);
  ga_product3(X, b->AU, Y);
  ga_add_block(t->A, GA_PB, GA_PB, 1, Y);
  ga_add_block(t->A, GA_PB, GA_PA, -1, Y);
  ga_add_block(t->A, GA_PA, GA_PB, -1, Y);
  ga_add_block(t->A, GA_PA, GA_PA, 1, Y);
  ga_skew3(mu, S);
  ga_add_block(t->A, GA_PB, GA_PB, -1, S);
  ga_add_block(t->A, GA_PA, GA_PB, 1, S);
}

/* *t <- f = D^T w and its tangents D^T (K D + C E) + w.(dD) and D^T C D; b has tangents */
static void bushing_tangent(const bushing_data *data, const bushing *b, const double *f,
                            ga_tangent *t) {
  ga_tangent_clear(t, data->damped);
  memcpy(t->f, f, sizeof t->f);
  add_product(b, data->K, (const double(*)[GA_PAIR])b->D, t->A);
  if (data->damped) {
    add_product(b, data->C, (const double(*)[GA_PAIR])b->E, t->A);
    add_product(b, data->C, (const double(*)[GA_PAIR])b->D, t->B);
  }
  add_geometric_stiffness(b, t);
}

/* F -= D^T w; the tangents D^T (K D + C E) + w.(dD) and D^T C D go to Kt and Ct. Returns a code > 0
 * if the sides are turned too far. */
static int bushing_evaluate(ga_pass *pass, const ga_element *el) {
  const bushing_data *data = el->data;
  bushing b;
  double f[GA_PAIR];
  if (!pass->out->F && !pass->tangents) return 0;
  if (!bushing_at(pass, el, pass->tangents, &b)) return ga_element_code(pass, el);
  force_covector(&b, f);
  if (pass->out->F) {
    double force[GA_PAIR];
    for (int i = 0; i < GA_PAIR; i++) force[i] = -f[i];
    ga_pass_force(pass, el, force);
  }
  if (!pass->tangents) return 0;
  ga_tangent t;
  bushing_tangent(data, &b, f, &t);
  ga_pass_tangent(pass, el, &t);
  return 0;
}

/* Sets the nonzeros: the force depends on both frames and fills all blocks of Kt and Ct. */
static void bushing_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->force = GA_ALL_VARIATIONS;
  s->blocks = GA_ALL_BLOCKS;
}

/* delta^T K delta/2; NaN if the sides are turned too far */
static double bushing_energy(ga_pass *pass, const ga_element *el) {
  const bushing_data *data = el->data;
  bushing b;
  double sum = 0;
  if (!bushing_at(pass, el, /* tangents: */ false, &b)) return NAN;
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) sum += 0.5 * b.delta[i] * data->K[6 * i + j] * b.delta[j];
  }
  return sum;
}

/* writes the wrench on B in joint axes of A, 6 numbers; NaN if the sides are turned too far */
static void bushing_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  (void)state;
  bushing b;
  double f[GA_PAIR];
  if (!bushing_at(pass, el, /* tangents: */ false, &b)) {
    for (int i = 0; i < 6; i++) values[i] = NAN;
    return;
  }
  force_covector(&b, f);
  ga_wrench_columns(&b.pair, f, values);
}

/* -w.delta'; NaN if the sides are turned too far */
static double bushing_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  (void)state;
  bushing b;
  double power = 0;
  if (!bushing_at(pass, el, /* tangents: */ false, &b)) return NAN;
  for (int i = 0; i < 6; i++) power -= b.w[i] * b.rate[i];
  return power;
}

/* ---- signals -------------------------------------------------------------------------------- */

enum { WRENCH_POWER = 6 }; /* component of measure_wrench */

/* out[0..5] <- the columns: force and moment about p_a on B in joint axes of A, with derivatives from
 * the tangent; out[6] <- the power -w.delta', with dw = (K D + C E) and C D, ddelta' = E and D. NaN if
 * the sides are turned too far. */
static void measure_wrench(const ga_measure_point *p, ga_dual *out) {
  const bushing_data *data = p->data;
  bushing b;
  double f[GA_PAIR];
  ga_tangent t;
  ga_dual wrench[2][3], end[2][3], speed[3], arm[3], moment[3], axis[3];
  for (int i = 0; i <= WRENCH_POWER; i++) out[i] = (ga_dual){.n = p->n, .f = NAN};
  if (!bushing_between(data, p->frame[0], p->frame[1], p->n > 0, &b)) return;
  force_covector(&b, f);
  if (p->n) bushing_tangent(data, &b, f, &t);
  for (int i = 0; i < 6; i++) {
    const int row = i < 3 ? GA_XB + i : GA_PB + i - 3;
    ga_dual *x = &wrench[i / 3][i % 3];
    *x = (ga_dual){.n = p->n, .f = -f[row]};
    for (int k = 0; k < GA_PAIR && p->n; k++) {
      x->d[k] = -t.A[row][k];
      if (data->damped) x->d[GA_DUAL_RATES + k] = -t.B[row][k];
    }
  }
  /* x_b - p_a */
  ga_dual_point(p->frame[0], 0, p->n, data->side[0].s, end[0], speed);
  ga_dual_centre(p->frame[1], 1, p->n, end[1]);
  for (int i = 0; i < 3; i++) arm[i] = ga_dual_plus(&end[1][i], -1, &end[0][i]);
  ga_dual_cross(arm, wrench[0], moment);
  for (int i = 0; i < 3; i++) moment[i] = ga_dual_plus(&moment[i], 1, &wrench[1][i]);
  for (int i = 0; i < 3; i++) {
    double e[3];
    ga_column3(data->side[0].E, i, e);
    ga_dual_fixed(p->frame[0], 0, p->n, e, axis);
    out[i] = ga_dual_dot(axis, wrench[0]);
    out[3 + i] = ga_dual_dot(axis, moment);
  }
  ga_dual *power = &out[WRENCH_POWER];
  power->f = 0;
  for (int i = 0; i < 6; i++) power->f -= b.w[i] * b.rate[i];
  for (int k = 0; k < GA_PAIR && p->n; k++) {
    for (int i = 0; i < 6; i++) {
      double by_q = 0, by_v = 0;
      for (int j = 0; j < 6; j++) {
        by_q += data->K[6 * i + j] * b.D[j][k] + data->C[6 * i + j] * b.E[j][k];
        by_v += data->C[6 * i + j] * b.D[j][k];
      }
      power->d[k] -= by_q * b.rate[i] + b.w[i] * b.E[i][k];
      power->d[GA_DUAL_RATES + k] -= by_v * b.rate[i] + b.w[i] * b.D[i][k];
    }
  }
}

/* the columns and the power as measures */
static bool bushing_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  (void)m;
  *signal = (ga_signal){.kind = GA_SIGNAL_MEASURE,
                        .body = {el->body[0], el->body[1]},
                        .measure = measure_wrench,
                        .data = el->data,
                        .component = column == GA_POWER ? WRENCH_POWER : column};
  return column < 6;
}

/* ---- description ---------------------------------------------------------------------------- */

/* Fills bodies of el and its data (zero before) from the description. GA_ERR_ARG unless both bodies
 * are rigid, all numbers are finite and K is symmetric. */
static ga_status bushing_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                                  ga_element *el, void *out, ga_error *err) {
  bushing_data *data = out;
  ga_sides sides = {.owner = owner};
  double s[2][3], E[2][9];
  ga_status status = ga_sides_of(m, force->between, el->body, &sides, err);
  if (status == GA_OK && (sides.body[0]->kind->planar || sides.body[1]->kind->planar ||
                          sides.body[0]->kind->point || sides.body[1]->kind->point)) {
    status = ga_fail(err, GA_ERR_ARG, "%s: a bushing is between rigid bodies", owner);
  }
  if (status == GA_OK) status = ga_locate_point(&sides, "at", &force->at, s, err);
  if (status == GA_OK) {
    status = ga_locate_axes(&sides, false, &force->axis, &force->x_axis, E, err);
  }
  if (status != GA_OK) return status;
  for (int side = 0; side < 2; side++) {
    ga_copy3(s[side], data->side[side].s);
    memcpy(data->side[side].E, E[side], sizeof E[side]);
  }
  if (force->K) memcpy(data->K, force->K, sizeof data->K);
  if (force->C) memcpy(data->C, force->C, sizeof data->C);
  if (!ga_finite(36, data->K) || !ga_finite(36, data->C)) {
    return ga_fail(err, GA_ERR_ARG, "%s has a number that is not finite", owner);
  }
  for (int i = 0; i < 36; i++) {
    data->damped = data->damped || data->C[i] != 0;
    const double other = data->K[6 * (i % 6) + i / 6];
    if (fabs(data->K[i] - other) > 1e-9 * (fabs(data->K[i]) + fabs(other))) {
      return ga_fail(err, GA_ERR_ARG, "%s: the stiffness K is not symmetric at row %d, column %d",
                     owner, i / 6 + 1, i % 6 + 1);
    }
  }
  return GA_OK;
}

/* copies points and axes for pictures */
static void bushing_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  (void)m;
  const bushing_data *data = el->data;
  for (int side = 0; side < 2; side++) {
    g->has[side] = true;
    ga_copy3(data->side[side].s, g->s[side]);
    g->E[side] = data->side[side].E;
  }
}

static const ga_column columns[] = {{".fx", "N", NULL},   {".fy", "N", NULL},
                                    {".fz", "N", NULL},   {".mx", "N m", NULL},
                                    {".my", "N m", NULL}, {".mz", "N m", NULL}};

const ga_force_type ga_force_bushing = {
    .element = {.name = "bushing",
                .what = "bushing",
                .trouble = "its sides are turned by nearly half a turn against each other",
                .structure = bushing_structure,
                .evaluate = bushing_evaluate,
                .energy = bushing_energy,
                .geometry = bushing_geometry,
                .order = GA_ORDER_FORCES,
                GA_COLUMNS(columns),
                .output = bushing_output,
                .signal = bushing_signal,
                .power = bushing_power},
    .summary = "elastic joint in six directions",
    .uses = GA_FORCE_HAS_BETWEEN | GA_FORCE_HAS_AT | GA_FORCE_HAS_AXIS | GA_FORCE_HAS_X_AXIS |
            GA_FORCE_HAS_STIFFNESS | GA_FORCE_HAS_DAMPING,
    .needs = GA_FORCE_HAS_BETWEEN,
    .at_help = "as of a joint",
    .matrices = true,
    .size = sizeof(bushing_data),
    .describe = bushing_describe};
