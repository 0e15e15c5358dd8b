/* SPDX-License-Identifier: MIT */
/* Joints: rows of primitives between two joint frames. The tables in joint_types.c list the rows
 * of each type; nothing here knows the name of a joint.
 *
 *   coincide        g = d_k             d = p_b - p_a, a component in space axes
 *   plane           g = a.d             a an axis of A
 *   perpendicular   g = a.b             a an axis of A, b one of B
 *   distance        g = (|d|^2 - l^2)/(2 l)
 *
 * Three rows d_k = 0 are the rows a.d = 0 for the axes of A, turned by an orthogonal matrix: they
 * have the same solutions, also discrete ones, and forces. But they touch one component of x, their
 * G does not depend on d, and their tangent has the two blocks (phi, phi) only: the matrices of
 * a chain are half as large. Columns are in the axes of A in any case. */
#include "mechanism/joint/joint.h"

#include <string.h>

/* ---- primitives ----------------------------------------------------------------------------- */

/* S = b~ a~, which the tangent of a row a.b needs */
void ga_dot_bend(const double *a, const double *b, double *S) {
  ga_skew_skew3(b, a, S);
}

/* g = d_k, k = spec->a */
static void coincide_row(const ga_pair *p, const ga_joint_data *joint, const ga_primitive_row *spec,
                         ga_row *row) {
  (void)joint;
  ga_row_point(p, spec->a, row);
}

/* adds lam to component k of the force between the points */
static void coincide_weigh(const ga_pair *p, const ga_joint_data *joint,
                           const ga_primitive_row *spec, double lam, ga_weights *sum) {
  (void)p, (void)joint;
  sum->phi[spec->a] += lam;
}

/* g = a.d */
static void plane_row(const ga_pair *p, const ga_joint_data *joint, const ga_primitive_row *spec,
                      ga_row *row) {
  (void)joint;
  double a[3];
  ga_column3(p->Ua, spec->a, a);
  ga_row_plane(p, a, row);
}

/* adds lam a */
static void plane_weigh(const ga_pair *p, const ga_joint_data *joint, const ga_primitive_row *spec,
                        double lam, ga_weights *sum) {
  (void)joint;
  double a[3];
  ga_column3(p->Ua, spec->a, a);
  ga_plus3(sum->plane, lam, a, sum->plane);
}

/* g = a.b */
static void perpendicular_row(const ga_pair *p, const ga_joint_data *joint,
                              const ga_primitive_row *spec, ga_row *row) {
  (void)joint;
  double a[3], b[3];
  ga_column3(p->Ua, spec->a, a);
  ga_column3(p->Ub, spec->b, b);
  ga_row_dot(p, a, b, row);
}

/* adds lam b~ a~ and lam a x b */
static void perpendicular_weigh(const ga_pair *p, const ga_joint_data *joint,
                                const ga_primitive_row *spec, double lam, ga_weights *sum) {
  (void)joint;
  double a[3], b[3], S[9];
  ga_column3(p->Ua, spec->a, a);
  ga_column3(p->Ub, spec->b, b);
  ga_dot_bend(a, b, S);
  for (int i = 0; i < 9; i++) sum->S[i] += lam * S[i];
  ga_add_cross3(lam, a, b, sum->n);
}

/* g = (|d|^2 - l^2)/(2 l) */
static void distance_row(const ga_pair *p, const ga_joint_data *joint, const ga_primitive_row *spec,
                         ga_row *row) {
  (void)spec;
  ga_row_distance(p, joint->length, row);
}

/* adds the force lam d/l and its derivative lam/l I by d */
static void distance_weigh(const ga_pair *p, const ga_joint_data *joint,
                           const ga_primitive_row *spec, double lam, ga_weights *sum) {
  (void)spec;
  ga_plus3(sum->phi, lam / joint->length, p->d, sum->phi);
  sum->by_d += lam / joint->length;
}

const ga_primitive ga_primitive_coincide = {.name = "coincide",
                                            .touches = GA_ALL_VARIATIONS,
                                            .blocks = GA_BLOCK_BIT(1, 1) | GA_BLOCK_BIT(3, 3),
                                            .component = true,
                                            .row = coincide_row,
                                            .weigh = coincide_weigh};
const ga_primitive ga_primitive_plane = {.name = "in_plane",
                                         .touches = GA_ALL_VARIATIONS,
                                         .blocks = GA_PLANE_BLOCKS,
                                         .axes = true,
                                         .row = plane_row,
                                         .weigh = plane_weigh};
const ga_primitive ga_primitive_perpendicular = {.name = "perpendicular",
                                                 .touches = GA_DOT_VARIATIONS,
                                                 .blocks = GA_DOT_BLOCKS,
                                                 .axes = true,
                                                 .row = perpendicular_row,
                                                 .weigh = perpendicular_weigh};
const ga_primitive ga_primitive_distance = {.name = "distance",
                                            .touches = GA_ALL_VARIATIONS,
                                            .blocks = GA_ALL_BLOCKS,
                                            .row = distance_row,
                                            .weigh = distance_weigh};

/* ---- the element ---------------------------------------------------------------------------- */

/* p = points and axes of the joint at the state of the pass, with second derivatives if it asks for
 * them */
void ga_joint_pair(ga_pass *pass, const ga_element *el, const ga_joint_data *joint, ga_pair *p) {
  const ga_frame *a, *b;
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(p, pass->curved, a, b, joint->side[0].s, joint->side[1].s);
  ga_pair_axes(p, joint->side[0].E, joint->side[1].E);
}

/* Sets the nonzeros of a joint: what each row depends on, and the blocks of Kt that the multipliers
 * fill. */
void ga_joint_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m;
  const ga_row_list *rows = ((const ga_joint_data *)el->data)->rows;
  for (int i = 0; i < rows->count; i++) {
    s->touches[i] = rows->row[i].primitive->touches;
    s->blocks |= rows->row[i].primitive->blocks;
    if (rows->row[i].primitive->component) s->axis[i] = 1 + rows->row[i].a;
  }
}

/* sets the rows of a joint (a table that is borrowed), and the flags whether they use joint axes
 * and points */
void ga_joint_set_rows(ga_joint_data *joint, const ga_row_list *rows) {
  joint->rows = rows;
  joint->axes = joint->points = false;
  for (int i = 0; i < rows->count; i++) {
    joint->axes = joint->axes || rows->row[i].primitive->axes;
    joint->points = joint->points || !rows->row[i].primitive->axes;
  }
}

/* Adds D(G^T lam) by the configuration to Kt. The contributions of all rows are summed first,
 * because the tangent is linear in the multipliers. */
static void put_tangent(ga_pass *pass, const ga_element *el, const ga_joint_data *joint,
                        const ga_pair *p) {
  const double *lam = ga_pass_lam(pass, el);
  ga_weights sum = {{0}, {0}, {0}, {0}, 0};
  ga_tangent t;
  for (int i = 0; i < joint->rows->count; i++) {
    const ga_primitive_row *spec = &joint->rows->row[i];
    spec->primitive->weigh(p, joint, spec, lam[i], &sum);
  }
  if (!joint->axes && joint->length == 0) {
    ga_pass_point_tangent(pass, el, sum.phi, p);
    return;
  }
  ga_tangent_clear(&t, /* by velocities: */ false);
  if (joint->axes) {
    ga_tangent_plane(p, sum.plane, &t);
    ga_tangent_dot(sum.S, sum.n, &t);
  }
  if (joint->points) {
    const double by_d[9] = {sum.by_d, 0, 0, 0, sum.by_d, 0, 0, 0, sum.by_d};
    ga_tangent_points(p, sum.phi, joint->length > 0 ? by_d : NULL, NULL, &t);
  }
  ga_pass_tangent(pass, el, &t);
}

/* Writes the holonomic rows of the joint, and adds the tangent of G^T lam to Kt if tangents are
 * wanted. Returns 0: a joint is defined everywhere. */
int ga_joint_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_joint_data *joint = el->data;
  const bool tangents = pass->tangents && el->blocks;
  ga_pair p;
  if (!pass->holonomic && !tangents) return 0;
  const ga_frame *a, *b;
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(&p, pass->curved, a, b, joint->side[0].s, joint->side[1].s);
  if (joint->axes) ga_pair_axes(&p, joint->side[0].E, joint->side[1].E);
  for (int i = 0; pass->holonomic && i < joint->rows->count; i++) {
    const ga_primitive_row *spec = &joint->rows->row[i];
    if (spec->primitive->component) {
      ga_pass_point_row(pass, el, i, spec->a, &p);
      continue;
    }
    ga_row row;
    spec->primitive->row(&p, joint, spec, &row);
    ga_pass_row(pass, el, i, &row);
  }
  if (tangents) put_tangent(pass, el, joint, &p);
  return 0;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* values = force (3) and moment about p_a (3) that the joint exerts on B, in the joint axes of A. f
 * = G^T lam + H^T psi stands on the left side of the equations, hence the minus. */
void ga_wrench_columns(const ga_pair *p, const double *f, double *values) {
  double force[3], moment[3], arm[3];
  for (int i = 0; i < 3; i++) {
    force[i] = -f[GA_XB + i];
    moment[i] = -f[GA_PB + i];
    arm[i] = p->d[i] - p->rb[i]; /* x_b - p_a */
  }
  ga_add_cross3(1, arm, force, moment);
  ga_times_t3(p->Ua, force, values);
  ga_times_t3(p->Ua, moment, values + 3);
}

/* Writes the wrench of the joint on B in joint axes of A (fx .. mz), then the force in space axes.
 * The latter goes behind the usual columns, ncolumn numbers later. */
void ga_joint_output(ga_pass *pass, const ga_state *state, const ga_element *el, double *values) {
  const ga_joint_data *joint = el->data;
  double f[GA_PAIR] = {0};
  ga_pair p;
  ga_joint_pair(pass, el, joint, &p);
  for (int i = 0; i < joint->rows->count; i++) {
    const ga_primitive_row *spec = &joint->rows->row[i];
    ga_row row;
    spec->primitive->row(&p, joint, spec, &row);
    for (int k = 0; k < GA_PAIR; k++) f[k] += state->lam[el->lam_at + i] * row.J[k];
  }
  ga_wrench_columns(&p, f, values);
  values += el->type->ncolumn;
  for (int i = 0; i < 3; i++) values[i] = -f[GA_XB + i];
}

/* as ga_joint_output, with the tension of the rod in column 6 */
static void output_distance(ga_pass *pass, const ga_state *state, const ga_element *el,
                            double *values) {
  ga_joint_output(pass, state, el, values);
  values[6] = state->lam[el->lam_at];
}

/* copies points, axes, length and radius of a joint for pictures */
void ga_joint_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  (void)m;
  const ga_joint_data *data = el->data;
  g->type = data->type->name;
  g->length = data->length;
  g->radius = data->radius;
  for (int side = 0; side < 2; side++) {
    g->has[side] = true;
    ga_copy3(data->side[side].s, g->s[side]);
    g->E[side] = data->side[side].E;
  }
}

const ga_column ga_joint_columns[] = {
    {".fx", "N", NULL},   {".fy", "N", NULL},   {".fz", "N", NULL},
    {".mx", "N m", NULL}, {".my", "N m", NULL}, {".mz", "N m", NULL},
    {".Fx", "N", NULL},   {".Fy", "N", NULL},   {".Fz", "N", NULL}};
static const ga_column distance_columns[] = {
    {".fx", "N", NULL},   {".fy", "N", NULL},   {".fz", "N", NULL},      {".mx", "N m", NULL},
    {".my", "N m", NULL}, {".mz", "N m", NULL}, {".tension", "N", NULL}, {".Fx", "N", NULL},
    {".Fy", "N", NULL},   {".Fz", "N", NULL}};

const ga_element_type ga_element_joint = {.what = "joint",
                                          .order = GA_ORDER_JOINTS,
                                          .structure = ga_joint_structure,
                                          .evaluate = ga_joint_evaluate,
                                          .geometry = ga_joint_geometry,
                                          .columns = ga_joint_columns,
                                          .ncolumn = 6,
                                          .nextra = 3,
                                          .output = ga_joint_output};
const ga_element_type ga_element_distance = {.what = "joint",
                                             .order = GA_ORDER_JOINTS,
                                             .structure = ga_joint_structure,
                                             .evaluate = ga_joint_evaluate,
                                             .geometry = ga_joint_geometry,
                                             .columns = distance_columns,
                                             .ncolumn = 7,
                                             .nextra = 3,
                                             .output = output_distance};

/* no rows; its coordinate ties the points, if something uses it */
const ga_element_type ga_element_span = {.what = "joint",
                                         .order = GA_ORDER_JOINTS,
                                         .structure = ga_joint_structure,
                                         .evaluate = ga_joint_evaluate,
                                         .geometry = ga_joint_geometry,
                                         .output = ga_joint_output};
