/* SPDX-License-Identifier: MIT */
/* Joints that restrict velocities: rolling disk, rolling sphere, knife edge. Their rows are those of
 * forces at the point y = p_b + c (contact/touch.h): k = t.U, and g' = n.U.
 *
 * Rolling: n, t_1, t_2 are the axes z, x, y of A's joint frame; p_b is the centre and a the axis of
 * the disk. With nu = n.a and sigma = sqrt(1 - nu^2) the contact is at
 *   c = -r (n - nu a)/sigma   (sphere: c = -r n),     g = n.d - r sigma   (sphere: n.d - r).
 * Knife edge: c = 0, and t is fixed on B. */
#include "mechanism/contact/geometry.h"
#include "mechanism/joint/joint.h"

/* ---- rolling -------------------------------------------------------------------------------- */

/* A contact: t the directions n, t_1, t_2, fixed on A; at: the contact point; g the gap. */
typedef struct {
  ga_pair pair;
  ga_moving at, t[3];
  double g;
} rolling;

/* Fills c with the contact geometry at the state of the pass; false if the disk lies flat, because
 * then every point of its rim touches. */
static bool rolling_at(ga_pass *pass, const ga_element *el, rolling *c) {
  const ga_joint_data *joint = el->data;
  double axis[3];
  ga_joint_pair(pass, el, joint, &c->pair);
  for (int i = 0; i < 3; i++) {
    ga_column3(c->pair.Ua, i == 0 ? 2 : i - 1, axis);
    ga_moving_on(0, axis, &c->t[i]);
  }
  const bool disk = joint->type->uses & GA_JOINT_AXIS;
  ga_column3(c->pair.Ub, 2, axis);
  c->g = ga_dot3(c->t[0].t, c->pair.d);
  if (!disk) {
    c->at = (ga_moving){{0}, {{0}}};
    ga_moving_add(-joint->radius, NULL, &c->t[0], &c->at);
    c->g -= joint->radius;
    return true;
  }
  double sigma;
  static const double FLAT = 1e-4; /* rad */
  if (!ga_disk_contact(c->t[0].t, axis, joint->radius, FLAT, &sigma, &c->at)) return false;
  c->g -= joint->radius * sigma;
  return true;
}

/* Sets row i: the gap, then the slips. */
static void rolling_row(const rolling *c, int i, ga_row *row) {
  ga_touch_row(&c->pair, &c->at, &c->t[i], row);
  if (i == 0) row->value = c->g;
}

/* Adds the tangent of G^T lam + H^T psi to Kt: the force T = lam n + psi_0 t_1 + psi_1 t_2. */
static void rolling_tangent(ga_pass *pass, const ga_element *el, const rolling *c) {
  const double lam = *ga_pass_lam(pass, el), *psi = ga_pass_psi(pass, el);
  ga_moving T = {{0}, {{0}}};
  ga_tangent t;
  ga_tangent_clear(&t, /* by velocities: */ false);
  for (int i = 0; i < 3; i++) ga_moving_add(i == 0 ? lam : psi[i - 1], NULL, &c->t[i], &T);
  ga_touch_tangent(&c->pair, &c->at, &T, &t);
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
  for (int i = 0; i < 3; i++) {
    if (!(i == 0 ? pass->holonomic : pass->nonholonomic)) continue;
    rolling_row(&c, i, &row);
    ga_pass_row(pass, el, i, &row);
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
    rolling_row(&c, i, &row);
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
  const ga_moving at = {{0}, {{0}}}; /* the joint point itself */
  ga_moving edge;
  ga_pair p;
  double e[3];
  if (!pass->nonholonomic && !pass->tangents) return 0;
  ga_joint_pair(pass, el, el->data, &p);
  ga_column3(p.Ub, 2, e);
  ga_moving_on(1, e, &edge);
  if (pass->nonholonomic) {
    ga_row row;
    ga_touch_row(&p, &at, &edge, &row);
    ga_pass_row(pass, el, 0, &row);
  }
  if (pass->tangents) {
    ga_moving T = {{0}, {{0}}};
    ga_tangent t;
    ga_tangent_clear(&t, /* by velocities: */ false);
    ga_moving_add(*ga_pass_psi(pass, el), NULL, &edge, &T);
    ga_touch_tangent(&p, &at, &T, &t);
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
