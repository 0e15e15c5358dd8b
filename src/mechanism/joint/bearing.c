/* SPDX-License-Identifier: MIT */
/* Joints with dry friction, whose normal force is the joint's own constraint force.
 *
 * s are the slip velocities at the surface of the bearing, k of them, with rows J: s = J v:
 *
 *   revolute      r u.(omega_b - omega_a)             u: the axis, on A
 *   prismatic     (a.d)'                              a: the axis, on A
 *   cylindrical   both
 *   spherical     r (omega_b - omega_a)
 *
 * N = |lam| over the rows that hold the points together: the size of the constraint force, which
 * does not depend on the configuration because these rows are along orthonormal axes. The friction
 * is
 *
 *   f = -N sum_j Phi_j J_j,   Phi = mu(|s|) tanh(|s|/w) s/|s|,   mu(x) = mu + (mu_s - mu) exp(-(x/10 w)^2),
 *
 * Coulomb's law made smooth over the speed w: below w the joint creeps. As N = sum_i lam_i
 * dN/dlam_i, the reaction of the joint is R = -sum_i lam_i J'_i with J'_i = J_i + (dN/dlam_i) sum_j
 * Phi_j J_j, and J'_i is the row of -dR/dlam_i (ga_model.h). */
#include <string.h>

#include "mechanism/joint/joint.h"

/* Slips of a joint at a state. */
typedef struct {
  int n;
  ga_row row[3];     /* value, J, and Z */
  double axis[3][3]; /* u or a */
  bool slides[3];    /* a translation */
  double along[3];   /* Phi */
  double by, bend;   /* dPhi_j/ds_k = by (j = k) + bend s_j s_k */
  double size;       /* |s| */
} slips;

/* *row <- r u.(omega_b - omega_a), u fixed on A, or in space */
static void turning_row(const ga_pair *p, double r, const double *u, bool on_a, ga_row *row) {
  double w[3];
  ga_plus3(p->b->w, -1, p->a->w, w);
  memset(row, 0, sizeof *row);
  row->value = r * ga_dot3(u, w);
  for (int i = 0; i < 3; i++) row->J[GA_PA + i] = -r * u[i], row->J[GA_PB + i] = r * u[i];
  if (on_a) ga_add_cross3(r, u, w, row->Z + GA_PA);
}

/* *row <- (a.d)', a fixed on A */
static void sliding_row(const ga_pair *p, const double *a, ga_row *row) {
  ga_row_plane(p, a, row);
  row->value = 0;
  for (int i = 0; i < 3; i++) {
    row->value += row->J[GA_XA + i] * p->a->xd[i] + row->J[GA_PA + i] * p->a->w[i] +
                  row->J[GA_XB + i] * p->b->xd[i] + row->J[GA_PB + i] * p->b->w[i];
  }
}

/* Sets Phi and its derivative for s->size. */
static void set_law(const ga_joint_friction *law, slips *s) {
  static const double SMALL = 1e-3; /* of w: below it the series is exact to rounding */
  const double x = s->size, w = law->speed, z = x / w;
  const double more = law->static_coulomb > law->coulomb ? law->static_coulomb - law->coulomb : 0;
  const double near = more * exp(-z * z / 100), mu = law->coulomb + near;
  /* T = tanh(x/w)/x, and T'/x */
  const double T = z < SMALL ? (1 - z * z / 3) / w : tanh(z) / x;
  const double slope = 1 / (w * cosh(fmin(z, 300)) * cosh(fmin(z, 300)));
  const double bend = z < SMALL ? (-2. / 3 + 8 * z * z / 15) / (w * w * w) : (slope - T) / (x * x);
  s->by = mu * T;
  s->bend = mu * bend - near * T / (50 * w * w);
  for (int j = 0; j < s->n; j++) s->along[j] = s->by * s->row[j].value;
}

/* *s <- the slips of a joint whose points and axes are p, with second derivatives. */
static void set_slips(const ga_joint_data *joint, const ga_pair *p, slips *s) {
  const unsigned kind = joint->type->bearing;
  double z[3] = {0, 0, 1};
  memset(s, 0, sizeof *s);
  const bool planar = joint->rows == &joint->type->plane;
  if (!planar || kind & GA_BEARING_SLIDES) ga_column3(p->Ua, 2, z);
  for (int i = 0; kind & GA_BEARING_BALL && i < 3; i++) {
    s->axis[i][i] = 1;
    turning_row(p, joint->friction.radius, s->axis[i], false, &s->row[i]);
    s->n++;
  }
  if (kind & GA_BEARING_TURNS) {
    ga_copy3(z, s->axis[s->n]);
    turning_row(p, joint->friction.radius, z, true, &s->row[s->n++]);
  }
  if (kind & GA_BEARING_SLIDES) {
    ga_copy3(z, s->axis[s->n]);
    s->slides[s->n] = true;
    sliding_row(p, z, &s->row[s->n++]);
  }
  double square = 0;
  for (int j = 0; j < s->n; j++) square += s->row[j].value * s->row[j].value;
  s->size = sqrt(square);
  set_law(&joint->friction, s);
}

/* Does row i of the joint hold its points together? */
static bool carries(const ga_joint_data *joint, int i) {
  const ga_primitive *primitive = joint->rows->row[i].primitive;
  return primitive == &ga_primitive_coincide || primitive == &ga_primitive_plane;
}

/* N */
static double normal_force(const ga_joint_data *joint, const double *lam) {
  double square = 0;
  for (int i = 0; i < joint->rows->count; i++) {
    if (carries(joint, i)) square += lam[i] * lam[i];
  }
  return sqrt(square);
}

/* R and L of row i, whose J is in *row: with J' in place of J. */
static void put_reaction(ga_pass *pass, const ga_element *el, int i, const slips *s, double N,
                         const ga_row *row) {
  const ga_joint_data *joint = el->data;
  const ga_evaluation *out = pass->out, react = {.R = out->R, .L = out->L, .lam = out->lam};
  const double share = N > 0 && carries(joint, i) ? out->lam[el->lam_at + i] / N : 0;
  ga_row turned = *row;
  for (int j = 0; j < s->n; j++) {
    for (int k = 0; k < GA_PAIR; k++) turned.J[k] += share * s->along[j] * s->row[j].J[k];
  }
  pass->out = &react;
  ga_pass_row(pass, el, i, &turned);
  pass->out = out;
}

/* Adds the derivatives of -f to Kt and Ct. */
static void put_tangent(ga_pass *pass, const ga_element *el, const ga_pair *p, const slips *s,
                        double N) {
  ga_tangent t;
  double S[9];
  ga_tangent_clear(&t, /* by velocities: */ true);
  for (int j = 0; j < s->n; j++) {
    double force[3];
    const double c = N * s->along[j];
    for (int i = 0; i < 3; i++) force[i] = c * s->axis[j][i];
    if (s->slides[j]) {
      ga_tangent_plane(p, force, &t);
    } else {
      for (int k = 0; k < GA_PAIR; k++) t.f[k] += c * s->row[j].J[k];
      const bool ball = ((const ga_joint_data *)el->data)->type->bearing & GA_BEARING_BALL;
      ga_skew3(s->axis[j], S);
      const double turn = ball ? 0 : c * ((const ga_joint_data *)el->data)->friction.radius;
      ga_add_block(t.A, GA_PA, GA_PA, turn, S); /* du = dphi_a x u */
      ga_add_block(t.A, GA_PB, GA_PA, -turn, S);
    }
    for (int k = 0; k < s->n; k++) {
      const double d = N * (s->by * (j == k) + s->bend * s->row[j].value * s->row[k].value);
      ga_tangent_outer(d, s->row[j].J, s->row[k].Z, &t);
      for (int a = 0; a < GA_PAIR; a++) {
        for (int b = 0; b < GA_PAIR; b++) t.B[a][b] += d * s->row[j].J[a] * s->row[k].J[b];
      }
    }
  }
  ga_pass_tangent(pass, el, &t);
}

/* Rows and tangent of the joint, then its friction. */
static int bearing_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_joint_data *joint = el->data;
  const ga_evaluation *out = pass->out;
  ga_evaluation rows = *out;
  const ga_frame *a, *b;
  ga_pair p;
  slips s;
  rows.R = NULL, rows.L = NULL;
  pass->out = &rows;
  const int code = ga_joint_evaluate(pass, el);
  pass->out = out;
  if (code != 0 || (!out->R && !out->L && !pass->tangents)) return code;
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(&p, /* curved: */ true, a, b, joint->side[0].s, joint->side[1].s);
  ga_pair_axes(&p, joint->side[0].E, joint->side[1].E);
  set_slips(joint, &p, &s);
  const double N = normal_force(joint, out->lam + el->lam_at);
  for (int i = 0; (out->R || out->L) && i < joint->rows->count; i++) {
    const ga_primitive_row *spec = &joint->rows->row[i];
    ga_row row;
    spec->primitive->row(&p, joint, spec, &row);
    put_reaction(pass, el, i, &s, N, &row);
  }
  if (pass->tangents) put_tangent(pass, el, &p, &s, N);
  return 0;
}

/* the rows of the joint, and all blocks of a force between both bodies */
static void bearing_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  ga_joint_structure(m, el, s);
  s->force = GA_ALL_VARIATIONS;
  s->blocks = GA_ALL_BLOCKS;
}

/* the columns of the joint, size of its friction and of the slip, then the force in space */
static void bearing_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  const ga_joint_data *joint = el->data;
  const ga_frame *a, *b;
  ga_pair p;
  slips s;
  double square = 0;
  ga_joint_output(pass, state, el, values);
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(&p, true, a, b, joint->side[0].s, joint->side[1].s);
  ga_pair_axes(&p, joint->side[0].E, joint->side[1].E);
  set_slips(joint, &p, &s);
  for (int j = 0; j < s.n; j++) square += s.along[j] * s.along[j];
  values[6] = normal_force(joint, state->lam + el->lam_at) * sqrt(square);
  values[7] = s.size;
}

static const ga_column bearing_columns[] = {
    {".fx", "N", NULL},   {".fy", "N", NULL},   {".fz", "N", NULL},       {".mx", "N m", NULL},
    {".my", "N m", NULL}, {".mz", "N m", NULL}, {".friction", "N", NULL}, {".slip", "m/s", NULL},
    {".Fx", "N", NULL},   {".Fy", "N", NULL},   {".Fz", "N", NULL}};

const ga_element_type ga_element_bearing = {.what = "joint",
                                            .order = GA_ORDER_JOINTS,
                                            .absolute_only = true,
                                            .structure = bearing_structure,
                                            .evaluate = bearing_evaluate,
                                            .geometry = ga_joint_geometry,
                                            .columns = bearing_columns,
                                            .ncolumn = 8,
                                            .nextra = 3,
                                            .output = bearing_output};

/* ---- descriptions --------------------------------------------------------------------------- */

ga_status ga_bearing_check(const ga_sides *sides, const ga_joint_type *type, ga_joint_friction *law,
                           ga_error *err) {
  const char *owner = sides->owner;
  const double numbers[] = {law->coulomb, law->static_coulomb, law->radius, law->speed};
  if (!ga_finite(4, numbers) || law->coulomb < 0 || law->radius < 0 || law->speed < 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: the numbers of its friction must not be negative", owner);
  }
  if (law->coulomb == 0) {
    if (law->static_coulomb == 0 && law->radius == 0 && law->speed == 0) return GA_OK;
    return ga_fail(err, GA_ERR_ARG, "%s: its friction needs coulomb, a coefficient above 0", owner);
  }
  if (!type->bearing) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: type '%s' has no friction by its own force; revolute, prismatic, "
                   "cylindrical and spherical have",
                   owner, type->name);
  }
  const bool turns = type->bearing & (GA_BEARING_TURNS | GA_BEARING_BALL);
  if (turns != (law->radius > 0)) {
    return ga_fail(err, GA_ERR_ARG, "%s: friction of type '%s' %s radius", owner, type->name,
                   turns ? "needs a" : "has no");
  }
  for (int side = 0; side < 2; side++) {
    if (!sides->body[side]->kind->point) continue;
    return ga_fail(err, GA_ERR_ARG, "%s: '%s' is a point and does not turn: no friction", owner,
                   sides->body[side]->name);
  }
  if (law->static_coulomb != 0 && law->static_coulomb < law->coulomb) {
    return ga_fail(err, GA_ERR_ARG, "%s: static_coulomb %g is less than coulomb %g", owner,
                   law->static_coulomb, law->coulomb);
  }
  if (law->speed == 0) law->speed = 1e-3;
  return GA_OK;
}
