/* SPDX-License-Identifier: MIT */
/* Joints that restrict velocities: rolling disk, rolling sphere, knife edge.
 *
 * A force T at a point y = p_b + c, opposite on A at the same point, does work on
 *   U = x_b' + omega_b x (r_b + c) - x_a' - omega_a x (e + c),   e = p_b - x_a,
 * so that k = t.U for a direction t has H = (-t, -(e + c) x t, t, (r_b + c) x t).
 *
 * Rolling: n, t_1, t_2 are the axes z, x, y of A's joint frame; p_b is the centre and a the axis of
 * the disk. With nu = n.a and sigma = sqrt(1 - nu^2) the contact is at
 *   c = -r (n - nu a)/sigma   (sphere: c = -r n),     g = n.d - r sigma   (sphere: n.d - r).
 * Knife edge: c = 0, and t is fixed on B. */
#include "mechanism/joint/joint.h"

#include <string.h>

/* ---- a force at a moving point -------------------------------------------------------------- */

/* The contact point y = p_b + c: c, its derivatives in dc = Ca dphi_a + Cb dphi_b (by rows), and
 * whether directions ride on (turn with) A (0) or B (1). */
typedef struct {
  double c[3], Ca[9], Cb[9];
  int rides;
} touch;

/* U = velocity of B's material point at the contact y relative to that of A, space axes */
static void slip_velocity(const ga_pair *p, const touch *at, double *U) {
  double w[3];
  ga_copy3(p->ed, U);
  ga_add_cross3(-1, p->a->w, p->e, U);
  ga_plus3(p->b->w, -1, p->a->w, w);
  ga_add_cross3(1, w, at->c, U);
}

/* Row k = t.U: value, H (row->J) and, in row->Z, its derivative by the configuration
 * dk = dt.U + (t x omega_b).dr_b - (t x omega_a).de + (t x w).dc,  w = omega_b - omega_a */
static void slip_row(const ga_pair *p, const touch *at, const double *t, ga_row *row) {
  double U[3], arm_a[3], arm_b[3], w[3], tw[3], ta[3], by_c[3];
  slip_velocity(p, at, U);
  ga_plus3(p->e, 1, at->c, arm_a);
  ga_plus3(p->rb, 1, at->c, arm_b);
  ga_plus3(p->b->w, -1, p->a->w, w);
  ga_cross3(t, w, tw);
  ga_cross3(t, p->a->w, ta);
  row->value = ga_dot3(t, U);
  memset(row->J, 0, sizeof row->J);
  memset(row->Z, 0, sizeof row->Z);
  for (int i = 0; i < 3; i++) {
    row->J[GA_XA + i] = -t[i], row->J[GA_XB + i] = t[i];
    row->Z[GA_XA + i] = ta[i], row->Z[GA_XB + i] = -ta[i];
  }
  ga_add_cross3(-1, arm_a, t, row->J + GA_PA);
  ga_add_cross3(1, arm_b, t, row->J + GA_PB);
  ga_add_cross3(1, p->rb, tw, row->Z + GA_PB);
  ga_add_cross3(1, t, U, row->Z + (at->rides ? GA_PB : GA_PA));
  ga_times_t3(at->Ca, tw, by_c);
  ga_plus3(row->Z + GA_PA, 1, by_c, row->Z + GA_PA);
  ga_times_t3(at->Cb, tw, by_c);
  ga_plus3(row->Z + GA_PB, 1, by_c, row->Z + GA_PB);
}

/* Adds the force f = (-T, -(e + c) x T, T, (r_b + c) x T) to t->f and its derivative to t->A, which
 * the caller has cleared. T turns with the body it rides on: dT = -T~ dphi. */
static void slip_tangent(const ga_pair *p, const touch *at, const double *T, ga_tangent *t) {
  double arm_a[3], arm_b[3], S[9], X[9];
  const int rides = at->rides ? GA_PB : GA_PA;
  ga_plus3(p->e, 1, at->c, arm_a);
  ga_plus3(p->rb, 1, at->c, arm_b);
  ga_plus3(t->f + GA_XA, -1, T, t->f + GA_XA);
  ga_plus3(t->f + GA_XB, 1, T, t->f + GA_XB);
  ga_add_cross3(-1, arm_a, T, t->f + GA_PA);
  ga_add_cross3(1, arm_b, T, t->f + GA_PB);
  ga_skew3(T, S);
  ga_add_block(t->A, GA_XA, rides, 1, S);
  ga_add_block(t->A, GA_XB, rides, -1, S);
  ga_skew_skew3(arm_a, T, X);
  ga_add_block(t->A, GA_PA, rides, 1, X);
  ga_skew_skew3(arm_b, T, X);
  ga_add_block(t->A, GA_PB, rides, -1, X);
  /* T x de and -T x dr_b */
  ga_add_block(t->A, GA_PA, GA_XB, 1, S);
  ga_add_block(t->A, GA_PA, GA_XA, -1, S);
  ga_skew_skew3(T, p->rb, X);
  ga_add_block(t->A, GA_PA, GA_PB, -1, X);
  ga_add_block(t->A, GA_PB, GA_PB, 1, X);
  /* T x dc on A, -T x dc on B */
  ga_product3(S, at->Ca, X);
  ga_add_block(t->A, GA_PA, GA_PA, 1, X);
  ga_add_block(t->A, GA_PB, GA_PA, -1, X);
  ga_product3(S, at->Cb, X);
  ga_add_block(t->A, GA_PA, GA_PB, 1, X);
  ga_add_block(t->A, GA_PB, GA_PB, -1, X);
}

/* ---- rolling -------------------------------------------------------------------------------- */

/* A contact: n the normal of the plane, a the axis of the disk, nu = n.a, sigma = |n x a|, r the
 * radius; at: the contact point. */
typedef struct {
  ga_pair pair;
  touch at;
  bool disk; /* false: a sphere */
  double n[3], a[3], nu, sigma, r;
} rolling;

/* Sets c->at (but for rides) for a disk: the contact c = -r m and its derivatives Ca, Cb. Needs n,
 * a, nu, sigma > 0 and r of c.
 * dc = -(r/sigma)(I - m m^T)(dn - nu da - a dnu),  m = (n - nu a)/sigma, dnu = a.dn + n.da */
static void disk_contact(rolling *c) {
  double m[3], by_n[9], by_a[9], S[9];
  for (int i = 0; i < 3; i++) {
    m[i] = (c->n[i] - c->nu * c->a[i]) / c->sigma;
    c->at.c[i] = -c->r * m[i];
  }
  const double s = -c->r / c->sigma;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double across = (i == j) - m[i] * m[j];
      /* (I - m m^T) a = a */
      by_n[3 * i + j] = s * (across - c->a[i] * c->a[j]);
      by_a[3 * i + j] = s * (-c->nu * across - c->a[i] * c->n[j]);
    }
  }
  /* dn = -n~ dphi_a, da = -a~ dphi_b */
  ga_skew3(c->n, S);
  ga_product3(by_n, S, c->at.Ca);
  ga_skew3(c->a, S);
  ga_product3(by_a, S, c->at.Cb);
  for (int i = 0; i < 9; i++) c->at.Ca[i] = -c->at.Ca[i], c->at.Cb[i] = -c->at.Cb[i];
}

/* Fills c with the contact geometry at the state of the pass; false if the disk lies flat, because
 * then every point of its rim touches: only pair, n, a, nu, sigma, r are set. */
static bool rolling_at(ga_pass *pass, const ga_element *el, rolling *c) {
  const ga_joint_data *joint = el->data;
  ga_joint_pair(pass, el, joint, &c->pair);
  c->r = joint->radius;
  c->disk = joint->type->uses & GA_JOINT_AXIS;
  ga_column3(c->pair.Ua, 2, c->n);
  ga_column3(c->pair.Ub, 2, c->a);
  c->nu = ga_dot3(c->n, c->a);
  memset(&c->at, 0, sizeof c->at);
  if (c->disk) {
    /* |n x a| keeps its digits where nu is near 1 */
    double across[3];
    ga_cross3(c->n, c->a, across);
    c->sigma = ga_norm3(across);
    if (!(c->sigma > 1e-4)) return false; /* flat: less than 1e-4 rad */
    disk_contact(c);
    return true;
  }
  double S[9];
  ga_skew3(c->n, S);
  for (int i = 0; i < 9; i++) c->at.Ca[i] = c->r * S[i];
  for (int i = 0; i < 3; i++) c->at.c[i] = -c->r * c->n[i];
  return true;
}

/* Sets row (value, J and, if the pair is curved, Z) of the contact: g = n.d - r sigma(nu), with
 * sigma' = -nu/sigma, sigma'' = -1/sigma^3; sphere: g = n.d - r. */
static void contact_row(const rolling *c, ga_row *row) {
  ga_row_plane(&c->pair, c->n, row);
  if (!c->disk) {
    row->value -= c->r;
    return;
  }
  ga_row dot;
  double w[3];
  ga_row_dot(&c->pair, c->n, c->a, &dot);
  ga_plus3(c->pair.a->w, -1, c->pair.b->w, w);
  const double rate = ga_dot3(dot.J + GA_PA, w), s = c->r * c->nu / c->sigma;
  const double bend = c->r / (c->sigma * c->sigma * c->sigma);
  row->value -= c->r * c->sigma;
  for (int i = 0; i < GA_PAIR; i++) {
    row->J[i] += s * dot.J[i];
    if (c->pair.curved) row->Z[i] += s * dot.Z[i] + bend * rate * dot.J[i];
  }
}

/* Adds the tangent of G^T lam + H^T psi to Kt: the normal force lam n, the friction force T = psi_0
 * t_1 + psi_1 t_2 and, for a disk, the curvature of sigma(nu). */
static void rolling_tangent(ga_pass *pass, const ga_element *el, const rolling *c) {
  const double lam = *ga_pass_lam(pass, el), *psi = ga_pass_psi(pass, el);
  double normal[3], T[3], t1[3], t2[3];
  ga_tangent t;
  ga_tangent_clear(&t, /* by velocities: */ false);
  ga_column3(c->pair.Ua, 0, t1);
  ga_column3(c->pair.Ua, 1, t2);
  for (int i = 0; i < 3; i++) {
    normal[i] = lam * c->n[i];
    T[i] = psi[0] * t1[i] + psi[1] * t2[i];
  }
  ga_tangent_plane(&c->pair, normal, &t);
  slip_tangent(&c->pair, &c->at, T, &t);
  if (c->disk) {
    ga_row dot;
    double S[9], n[3];
    const double s = lam * c->r * c->nu / c->sigma;
    ga_row_dot(&c->pair, c->n, c->a, &dot);
    ga_dot_bend(c->n, c->a, S);
    for (int i = 0; i < 9; i++) S[i] *= s;
    for (int i = 0; i < 3; i++) n[i] = s * dot.J[GA_PA + i];
    ga_tangent_dot(S, n, &t);
    ga_tangent_outer(lam * c->r / (c->sigma * c->sigma * c->sigma), dot.J, dot.J, &t);
  }
  ga_pass_tangent(pass, el, &t);
}

/* Sets the nonzeros of a rolling joint: one holonomic and two nonholonomic rows, which depend on
 * both frames, and the blocks of Kt. */
static void rolling_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  for (int i = 0; i < 3; i++) s->touches[i] = GA_ALL_VARIATIONS;
  s->blocks = GA_PLANE_BLOCKS;
}

/* Writes the contact row g and the two rows of slip k, and the tangent of their forces. Returns a
 * code > 0 where the disk lies flat. */
static int rolling_evaluate(ga_pass *pass, const ga_element *el) {
  rolling c;
  ga_row row;
  if (!pass->holonomic && !pass->nonholonomic && !pass->tangents) return 0;
  if (!rolling_at(pass, el, &c)) return ga_element_code(pass, el);
  if (pass->holonomic) {
    contact_row(&c, &row);
    ga_pass_row(pass, el, 0, &row);
  }
  for (int i = 0; pass->nonholonomic && i < 2; i++) {
    double t[3];
    ga_column3(c.pair.Ua, i, t);
    slip_row(&c.pair, &c.at, t, &row);
    ga_pass_row(pass, el, 1 + i, &row);
  }
  if (pass->tangents) rolling_tangent(pass, el, &c);
  return 0;
}

/* Writes 9 values: the wrench on B in joint axes of A (6 numbers), then the force on B in space
 * axes; NaN if the disk lies flat. */
static void rolling_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  const double *psi = state->psi + el->psi_at;
  rolling c;
  ga_row row;
  double f[GA_PAIR] = {0};
  if (!rolling_at(pass, el, &c)) {
    for (int i = 0; i < 9; i++) values[i] = NAN;
    return;
  }
  for (int i = 0; i < 3; i++) {
    double t[3];
    if (i == 0) {
      contact_row(&c, &row);
    } else {
      ga_column3(c.pair.Ua, i - 1, t);
      slip_row(&c.pair, &c.at, t, &row);
    }
    const double weight = i == 0 ? state->lam[el->lam_at] : psi[i - 1];
    for (int k = 0; k < GA_PAIR; k++) f[k] += weight * row.J[k];
  }
  ga_wrench_columns(&c.pair, f, values);
  for (int i = 0; i < 3; i++) values[6 + i] = -f[GA_XB + i];
}

static const ga_column wrench_columns[] = {
    {".fx", "N", NULL},   {".fy", "N", NULL},   {".fz", "N", NULL},
    {".mx", "N m", NULL}, {".my", "N m", NULL}, {".mz", "N m", NULL},
    {".Fx", "N", NULL},   {".Fy", "N", NULL},   {".Fz", "N", NULL}};

const ga_element_type ga_element_rolling = {.what = "joint",
                                            .order = GA_ORDER_JOINTS,
                                            .trouble = "the disk lies flat on its plane",
                                            .structure = rolling_structure,
                                            .evaluate = rolling_evaluate,
                                            .geometry = ga_joint_geometry,
                                            .columns = wrench_columns,
                                            .ncolumn = 6,
                                            .nextra = 3,
                                            .output = rolling_output};

/* ---- knife edge ----------------------------------------------------------------------------- */

/* Sets the nonzeros of a knife edge: one nonholonomic row, which depends on both frames, and the
 * blocks of Kt for a direction that is fixed on B. */
static void knife_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->touches[0] = GA_ALL_VARIATIONS;
  s->blocks = GA_BLOCK_BIT(0, 3) | GA_BLOCK_BIT(2, 3) | GA_BLOCK_BIT(1, 0) | GA_BLOCK_BIT(1, 2) |
              GA_BLOCK_BIT(1, 3) | GA_BLOCK_BIT(3, 3);
}

/* Writes the row k = e.U, with e the z axis of B's joint frame, and adds the tangent of psi k to
 * Kt. Returns 0. */
static int knife_evaluate(ga_pass *pass, const ga_element *el) {
  const touch at = {.rides = 1};
  ga_pair p;
  double e[3];
  if (!pass->nonholonomic && !pass->tangents) return 0;
  ga_joint_pair(pass, el, el->data, &p);
  ga_column3(p.Ub, 2, e);
  if (pass->nonholonomic) {
    ga_row row;
    slip_row(&p, &at, e, &row);
    ga_pass_row(pass, el, 0, &row);
  }
  if (pass->tangents) {
    const double psi = *ga_pass_psi(pass, el), T[3] = {psi * e[0], psi * e[1], psi * e[2]};
    ga_tangent t;
    ga_tangent_clear(&t, /* by velocities: */ false);
    slip_tangent(&p, &at, T, &t);
    ga_pass_tangent(pass, el, &t);
  }
  return 0;
}

/* the force on B along its direction e: -psi */
static void knife_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  (void)pass;
  values[0] = -state->psi[el->psi_at];
}

static const ga_column knife_columns[] = {{".f", "N", NULL}};

const ga_element_type ga_element_knife_edge = {.what = "joint",
                                               .order = GA_ORDER_JOINTS,
                                               .structure = knife_structure,
                                               .evaluate = knife_evaluate,
                                               .geometry = ga_joint_geometry,
                                               GA_COLUMNS(knife_columns),
                                               .output = knife_output};
