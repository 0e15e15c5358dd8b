/* SPDX-License-Identifier: MIT */
/* The beam element of a mechanism: elastic and damping forces (strain.c), inertia and gravity
 * (inertia.c), energies, momenta, columns.
 *
 * All is computed with v = (u, Omega) of SE(3). For nodes on R^3 x SO(3), with v = (x', Omega),
 *
 *   u = R^T x',  u' = R^T x'' - Omega x u,  du = u~ dtheta,  du' = ((R^T x'')~ - Omega~ u~) dtheta,
 *   rows of the force R f_u, and d(R f_u) = R (df_u - f_u~ dtheta). */
#include <string.h>

#include "mechanism/beam/beam.h"

/* An element at the state of a pass. */
typedef struct {
  const ga_beam_data *e;
  const ga_solid *node[2];
  bool turned;       /* nodes are on SE(3) */
  double R[2][9];    /* rotations, if the nodes are not on SE(3) */
  const double *acc; /* given v', NULL: zero */
  ga_beam_motion x;
} beam_at;

/* Set all of *b at the state of the pass, with v' = acc (nv numbers; NULL: zero). */
static void begin(const ga_pass *pass, const ga_element *el, const double *acc, beam_at *b) {
  double p[4], g[3];
  b->e = el->data;
  b->acc = acc;
  ga_plus3(pass->m->gravity, 1, b->e->load, g);
  memset(b->x.v, 0, sizeof b->x.v);
  memset(b->x.vd, 0, sizeof b->x.vd);
  for (int i = 0; i < 2; i++) {
    const ga_solid *node = b->node[i] = &pass->m->bodies.item[el->body[i]];
    const double *quat = pass->q + node->q_at + 3;
    double *v = b->x.v[i], *vd = b->x.vd[i];
    b->turned = node->kind->turn_x;
    ga_quat_unrotate(quat, g, b->x.g[i]);
    if (!b->turned) ga_rotation3(quat, b->R[i]);
    if (!pass->v) continue;
    memcpy(v, pass->v + node->v_at, 6 * sizeof *v);
    if (acc) memcpy(vd, acc + node->v_at, 6 * sizeof *vd);
    if (b->turned) continue;
    ga_quat_unrotate(quat, pass->v + node->v_at, v);
    if (acc) ga_quat_unrotate(quat, acc + node->v_at, vd);
    ga_add_cross3(-1, v + 3, v, vd);
  }
  ga_quat_ldiv(pass->q + b->node[0]->q_at + 3, pass->q + b->node[1]->q_at + 3, p);
  ga_rotation3(p, b->x.Q);
}

/* *s <- the strain there; false if the ends are turned too far */
static bool strain(const ga_pass *pass, const beam_at *b, ga_strain *s) {
  return ga_beam_strain(b->e, pass->q + b->node[0]->q_at, pass->q + b->node[1]->q_at,
                        pass->v ? b->x.v : NULL, s);
}

/* ---- R^3 x SO(3) ---------------------------------------------------------------------------- */

/* Rows of forces: X <- diag(R_A, I, R_B, I) X, n columns */
static void turn_rows(const beam_at *b, int n, double *X) {
  for (int i = 0; i < 2; i++) {
    for (int c = 0; c < n; c++) {
      double y[3], z[3];
      for (int r = 0; r < 3; r++) y[r] = X[(6 * i + r) * n + c];
      ga_times3(b->R[i], y, z);
      for (int r = 0; r < 3; r++) X[(6 * i + r) * n + c] = z[r];
    }
  }
}

/* Columns of displacements: X <- X diag(R_A, I, R_B, I)^T */
static void turn_columns(const beam_at *b, double (*X)[GA_BEAM_NV]) {
  for (int r = 0; r < GA_BEAM_NV; r++) {
    for (int i = 0; i < 2; i++) {
      double y[3];
      ga_times3(b->R[i], X[r] + 6 * i, y); /* the row x^T R^T */
      ga_copy3(y, X[r] + 6 * i);
    }
  }
}

/* X(., column ..) += Y(., from ..) S */
static void add_columns(const double (*Y)[GA_BEAM_NV], int from, const double *S,
                        double (*X)[GA_BEAM_NV], int column) {
  for (int r = 0; r < GA_BEAM_NV; r++) {
    double y[3];
    ga_times_t3(S, Y[r] + from, y);
    ga_plus3(X[r] + column, 1, y, X[r] + column);
  }
}

/* Change K and C of SE(3) to those of R^3 x SO(3); f: the left side with v', as on SE(3). */
static void change_tangents(const beam_at *b, const double *f, double (*K)[GA_BEAM_NV],
                            double (*C)[GA_BEAM_NV]) {
  double M[GA_BEAM_NV][GA_BEAM_NV], S[9], W[9], X[9];
  const double(*mass)[GA_BEAM_NV] = (const double(*)[GA_BEAM_NV])M;
  ga_beam_mass_matrix(b->e, b->x.Q, M);
  for (int i = 0; i < 2; i++) {
    const double *u = b->x.v[i], *w = u + 3;
    double acceleration[3];
    ga_copy3(b->x.vd[i], acceleration); /* R^T x'' = u' + Omega x u */
    ga_add_cross3(1, w, u, acceleration);
    ga_skew3(u, S);
    add_columns((const double(*)[GA_BEAM_NV])C, 6 * i, S, K, 6 * i + 3);
    ga_skew3(acceleration, X);
    ga_skew_skew3(w, u, W);
    for (int n = 0; n < 9; n++) X[n] -= W[n];
    add_columns(mass, 6 * i, X, K, 6 * i + 3);
    ga_skew3(f + 6 * i, X);
    ga_add_block(K, 6 * i, 6 * i + 3, -1, X);
    ga_skew3(w, W);
    for (int n = 0; n < 9; n++) W[n] = -W[n];
    add_columns(mass, 6 * i, W, C, 6 * i);
    add_columns(mass, 6 * i, S, C, 6 * i + 3);
  }
  turn_rows(b, GA_BEAM_NV, K[0]);
  turn_rows(b, GA_BEAM_NV, C[0]);
  turn_columns(b, K);
  turn_columns(b, C);
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* M += mass matrix of the element */
static void add_mass(const ga_pass *pass, const ga_element *el, const beam_at *b) {
  double M[GA_BEAM_NV][GA_BEAM_NV], *val = pass->out->M->val;
  ga_beam_mass_matrix(b->e, b->x.Q, M);
  if (b->e->lumped) {
    for (int r = 0; r < GA_BEAM_NV; r++) val[el->M_at[2 * r + r / 6]] += M[r][r];
    return;
  }
  if (!b->turned) {
    turn_rows(b, GA_BEAM_NV, M[0]);
    turn_columns(b, M);
  }
  for (int r = 0; r < GA_BEAM_NV; r++) {
    for (int side = 0; side < 2; side++) {
      double *row = val + el->M_at[2 * r + side];
      for (int c = 0; c < 6; c++) row[c] += M[r][6 * side + c];
    }
  }
}

/* Mx += M x: the left side of a beam at rest without gravity, with v' = x */
static void add_product(const ga_pass *pass, const beam_at *b) {
  ga_beam_motion at_rest = {.v = {{0}}};
  double f[GA_BEAM_NV];
  memcpy(at_rest.Q, b->x.Q, sizeof at_rest.Q);
  for (int i = 0; i < 2; i++) {
    const double *x = pass->out->x + b->node[i]->v_at;
    memcpy(at_rest.vd[i], x, sizeof at_rest.vd[i]);
    if (!b->turned) ga_times_t3(b->R[i], x, at_rest.vd[i]);
  }
  ga_beam_inertia(b->e, &at_rest, f);
  if (!b->turned) turn_rows(b, 1, f);
  for (int i = 0; i < 2; i++) {
    double *Mx = pass->out->Mx + b->node[i]->v_at;
    for (int k = 0; k < 6; k++) Mx[k] += f[6 * i + k];
  }
}

/* F -= left side at v' = 0; elastic: P^T sigma */
static void add_force(ga_pass *pass, const beam_at *b, const double *elastic) {
  double f[GA_BEAM_NV];
  ga_beam_inertia(b->e, &b->x, f);
  for (int k = 0; k < GA_BEAM_NV; k++) f[k] += elastic[k];
  if (!b->turned) turn_rows(b, 1, f);
  for (int i = 0; i < 2; i++) {
    double *F = pass->out->F + b->node[i]->v_at;
    for (int k = 0; k < 6; k++) F[k] -= f[6 * i + k];
  }
}

/* Kt, Ct += tangents; b has v' of the evaluation */
static void add_tangents(ga_pass *pass, const ga_element *el, const beam_at *b, const ga_strain *s,
                         const double *elastic) {
  double K[GA_BEAM_NV][GA_BEAM_NV], C[GA_BEAM_NV][GA_BEAM_NV], f[GA_BEAM_NV];
  ga_beam_tangents(b->e, s, b->x.v, K, C);
  ga_beam_inertia_tangents(b->e, &b->x, K, C);
  if (!b->turned) {
    ga_beam_inertia(b->e, &b->x, f);
    for (int k = 0; k < GA_BEAM_NV; k++) f[k] += elastic[k];
    change_tangents(b, f, K, C);
  }
  double *Kt = pass->out->Kt->val, *Ct = pass->out->Ct->val;
  for (int r = 0; r < GA_BEAM_NV; r++) {
    for (int block = 0; block < 4; block++) {
      const int at = el->K_at[4 * r + block];
      for (int c = 0; c < 3; c++) {
        Kt[at + c] += K[r][3 * block + c];
        Ct[at + c] += C[r][3 * block + c];
      }
    }
  }
}

/* Adds what the pass asks for. A code > 0 if the ends are turned too far. */
static int beam_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_evaluation *out = pass->out;
  double elastic[GA_BEAM_NV];
  beam_at b;
  ga_strain s;
  if (!out->M && !out->Mx && !out->F && !pass->tangents) return 0;
  begin(pass, el, NULL, &b);
  if (out->M) add_mass(pass, el, &b);
  if (out->Mx) add_product(pass, &b);
  if (!out->F && !pass->tangents) return 0;
  if (!strain(pass, &b, &s)) return ga_element_code(pass, el);
  ga_beam_force(&s, elastic);
  if (out->F) add_force(pass, &b, elastic);
  if (!pass->tangents) return 0;
  begin(pass, el, out->x, &b);
  add_tangents(pass, el, &b, &s, elastic);
  return 0;
}

/* Sets the nonzeros: all blocks, and those of M. */
static void beam_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m;
  s->force = GA_ALL_VARIATIONS;
  s->blocks = GA_ALL_BLOCKS;
  s->mass = ((const ga_beam_data *)el->data)->lumped ? GA_MASS_DIAGONAL : GA_MASS_FULL;
}

/* ---- energies and momenta ------------------------------------------------------------------- */

/* x and x' of the nodes, P = (R_B - R_A) u0 and P', in space axes */
typedef struct {
  double x[2][3], xd[2][3], p[3], pd[3], spin[2][3];
  double rotary; /* sum of w.J w over both nodes */
} centre_line;

static centre_line line_of(ga_pass *pass, const ga_element *el) {
  const ga_beam_data *e = el->data;
  centre_line l = {.rotary = 0};
  for (int i = 0; i < 2; i++) {
    ga_frame f;
    double r[3], Omega[3], JOmega[3];
    ga_pass_frame(pass, el->body[i], &f);
    ga_copy3(f.x, l.x[i]);
    ga_copy3(f.xd, l.xd[i]);
    ga_times3(f.R, e->d0, r);
    ga_plus3(l.p, i ? 1 : -1, r, l.p);
    ga_add_cross3(i ? 1 : -1, f.w, r, l.pd);
    ga_times_t3(f.R, f.w, Omega);
    for (int n = 0; n < 3; n++) JOmega[n] = e->J[n] * Omega[n];
    ga_times3(f.R, JOmega, l.spin[i]);
    l.rotary += ga_dot3(Omega, JOmega);
  }
  return l;
}

/* strain energy, and the potential of gravity and load, -m g.[(x_A + x_B)/2 - P/12]; NaN if the ends
 * are turned too far */
static double beam_energy(ga_pass *pass, const ga_element *el) {
  const ga_beam_data *e = el->data;
  const centre_line l = line_of(pass, el);
  double g[3], weight = 0;
  beam_at b;
  ga_strain s;
  begin(pass, el, NULL, &b);
  if (!strain(pass, &b, &s)) return NAN;
  ga_plus3(pass->m->gravity, 1, e->load, g);
  for (int n = 0; n < 3; n++) {
    weight += g[n] * (0.5 * (l.x[0][n] + l.x[1][n]) - (e->lumped ? 0 : l.p[n] / 12));
  }
  return ga_beam_energy(e, &s) - e->mass * weight;
}

/* *kinetic += kinetic energy, p += momentum, L += angular momentum about the origin: with the centre
 * line of inertia.c, integrals of x' . x', x' and x x x' along the element. */
static void beam_motion(ga_pass *pass, const ga_element *el, double *kinetic, double *p,
                        double *L) {
  const ga_beam_data *e = el->data;
  const centre_line l = line_of(pass, el);
  const double m = e->mass;
  *kinetic += 0.5 * l.rotary;
  for (int i = 0; i < 2; i++) {
    ga_plus3(L, 1, l.spin[i], L);
    ga_plus3(p, m / 2, l.xd[i], p);
    for (int j = 0; j < 2; j++) {
      const double mu = e->lumped ? (i == j ? m / 2 : 0) : (i == j ? m / 3 : m / 6);
      *kinetic += 0.5 * mu * ga_dot3(l.xd[i], l.xd[j]);
      ga_add_cross3(mu, l.x[i], l.xd[j], L);
    }
    if (e->lumped) continue;
    ga_plus3(p, -m / 24, l.pd, p);
    *kinetic -= m / 24 * ga_dot3(l.xd[i], l.pd);
    ga_add_cross3(-m / 24, l.x[i], l.pd, L);
    ga_add_cross3(-m / 24, l.p, l.xd[i], L);
  }
  if (e->lumped) return;
  *kinetic += m / 240 * ga_dot3(l.pd, l.pd);
  ga_add_cross3(m / 120, l.p, l.pd, L);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* wrench on the middle section from the side of B, section axes; NaN if the ends are turned too far */
static void beam_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                        double *values) {
  (void)state;
  beam_at b;
  ga_strain s;
  begin(pass, el, NULL, &b);
  if (strain(pass, &b, &s)) {
    ga_beam_section_wrench(&s, values);
  } else {
    for (int i = 0; i < 6; i++) values[i] = NAN;
  }
}

/* the two nodes are the points */
static void beam_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  (void)m;
  const ga_beam_data *e = el->data;
  g->has[0] = g->has[1] = true;
  g->length = e->h;
  g->radius = e->radius;
}

static const ga_column columns[] = {{".N", "N", NULL},    {".Qy", "N", NULL},
                                    {".Qz", "N", NULL},   {".Mx", "N m", NULL},
                                    {".My", "N m", NULL}, {".Mz", "N m", NULL}};

const ga_element_type ga_element_beam = {
    .name = "beam",
    .what = "beam element",
    .absolute_only = true,
    .trouble =
        "its ends are turned against each other by more than 0.95 pi; use more elements, "
        "or a smaller step",
    .structure = beam_structure,
    .evaluate = beam_evaluate,
    .energy = beam_energy,
    .motion = beam_motion,
    .geometry = beam_geometry,
    .order = GA_ORDER_BEAMS,
    GA_COLUMNS(columns),
    .output = beam_output};
