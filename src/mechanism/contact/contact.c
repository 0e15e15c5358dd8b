/* SPDX-License-Identifier: MIT */
/* A contact point as an element: one holonomic row, the gap, and a slip for each tangent. A run turns
 * the rows on and off; here they are always there. The force on B is N n + f_1 t_1 + f_2 t_2, with
 * N = -lam and f = -psi. */
#include "mechanism/contact/contact.h"
#include "mechanism/joint/joint.h"

/* *at <- the contact at the state of the pass; false where a disk lies flat. */
bool ga_contact_here(ga_pass *pass, const ga_element *el, ga_touch_point *at) {
  const ga_contact_data *data = el->data;
  const ga_frame *a, *b;
  ga_pass_frames(pass, el, &a, &b);
  return ga_contact_at(&data->shape, a, b, at);
}

/* Blocks of the tangent: normals on A depend on A alone, others on both bodies. */
static void contact_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m;
  const ga_contact_data *data = el->data;
  const bool plane = data->shape.kind == GA_SURFACES_PLANE || data->shape.kind == GA_SURFACES_DISK;
  for (int i = 0; i < el->nlam + el->npsi; i++) s->touches[i] = GA_ALL_VARIATIONS;
  s->blocks = plane ? GA_PLANE_BLOCKS : GA_ALL_BLOCKS;
}

/* True for one of many contacts whose surfaces are far apart: its gap is a lower bound then,
 * constant, and all its derivatives and slips are zero, so that its rows are. */
static bool is_far(ga_pass *pass, const ga_element *el) {
  const ga_contact_data *data = el->data;
  const ga_evaluation *out = pass->out;
  const ga_frame *a, *b;
  double gap;
  if (!data->sparse) return false;
  ga_pass_frames(pass, el, &a, &b);
  if (!ga_contact_far(&data->shape, a, b, &gap)) return false;
  if (el->nlam && out->g) out->g[el->lam_at] = gap;
  if (el->nlam && out->drift) out->drift[el->lam_at] = 0;
  for (int i = 0; i < el->npsi; i++) {
    if (out->k) out->k[el->psi_at + i] = 0;
    if (out->k_drift) out->k_drift[el->psi_at + i] = 0;
  }
  return true;
}

/* Writes gap and slips, and the tangent of their forces. A code > 0 where a disk lies flat. */
static int contact_evaluate(ga_pass *pass, const ga_element *el) {
  ga_touch_point at;
  if (!pass->holonomic && !pass->nonholonomic && !pass->tangents) return 0;
  if (is_far(pass, el)) return 0;
  if (!ga_contact_here(pass, el, &at)) return ga_element_code(pass, el);
  for (int i = 0; i < 1 + el->npsi; i++) {
    ga_row row;
    if (!(i == 0 ? pass->holonomic : pass->nonholonomic)) continue;
    ga_contact_row(&at, i, &row);
    ga_pass_row(pass, el, i, &row);
  }
  if (!pass->tangents || !el->blocks) return 0;
  ga_moving T = {{0}, {{0}}};
  ga_tangent t;
  ga_moving_add(*ga_pass_lam(pass, el), NULL, &at.t[0], &T);
  for (int i = 0; i < el->npsi; i++)
    ga_moving_add(ga_pass_psi(pass, el)[i], NULL, &at.t[1 + i], &T);
  ga_tangent_clear(&t, /* by velocities: */ false);
  ga_touch_tangent(&at.pair, &at.c, &T, &t);
  ga_pass_tangent(pass, el, &t);
  return 0;
}

/* points and radius for pictures and sizes */
static void contact_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  (void)m;
  const ga_contact_data *data = el->data;
  g->type = "contact";
  g->radius = data->shape.radius[1];
  for (int side = 0; side < 2; side++) {
    g->has[side] = true;
    ga_copy3(data->foot[side], g->s[side]);
  }
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Writes the columns of one point: gap n fx fy fz slip state impulse Fx Fy Fz, in the plane without z;
 * NaN where a disk lies flat. */
static void contact_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  ga_contact_values own;
  ga_contact_report(pass, state, el, &own);
  ga_contact_put(&own, ((const ga_contact_data *)el->data)->shape.planar, values);
}

#define NAMES_SPACE(p)                                                                \
  {p "gap", "m", NULL}, {p "n", "N", NULL}, {p "fx", "N", NULL}, {p "fy", "N", NULL}, \
      {p "fz", "N", NULL}, {p "slip", "m/s", NULL}, {p "state", "1", NULL},           \
      {p "impulse", "N s", NULL}, {p "Fx", "N", NULL}, {p "Fy", "N", NULL}, {         \
    p "Fz", "N", NULL                                                                 \
  }
#define NAMES_PLANE(p)                                                                \
  {p "gap", "m", NULL}, {p "n", "N", NULL}, {p "fx", "N", NULL}, {p "fy", "N", NULL}, \
      {p "slip", "m/s", NULL}, {p "state", "1", NULL}, {p "impulse", "N s", NULL},    \
      {p "Fx", "N", NULL}, {                                                          \
    p "Fy", "N", NULL                                                                 \
  }
const ga_column ga_contact_names[] = {NAMES_SPACE(".")};
const ga_column ga_contact_names_planar[] = {NAMES_PLANE(".")};

const ga_element_type ga_element_contact = {.what = "contact",
                                            .order = GA_ORDER_FORCES,
                                            .trouble = "the disk lies flat on its plane",
                                            .structure = contact_structure,
                                            .evaluate = contact_evaluate,
                                            .geometry = contact_geometry,
                                            .columns = ga_contact_names,
                                            .nextra = 11,
                                            .output = contact_output};
const ga_element_type ga_element_contact_planar = {.what = "contact",
                                                   .order = GA_ORDER_FORCES,
                                                   .structure = contact_structure,
                                                   .evaluate = contact_evaluate,
                                                   .geometry = contact_geometry,
                                                   .columns = ga_contact_names_planar,
                                                   .nextra = 9,
                                                   .output = contact_output};

/* ---- soft contacts -------------------------------------------------------------------------- */

/* Rows of a soft contact: g' and the slips, all with J and Z. Returns their number. */
static int soft_rows(const ga_contact_data *data, const ga_touch_point *at, ga_row rows[3]) {
  const int n = data->friction == 0 ? 1 : data->shape.planar ? 2 : 3;
  for (int i = 0; i < n; i++) ga_touch_row(&at->pair, &at->c, &at->t[i], &rows[i]);
  return n;
}

/* phi <- (N, f_1, f_2): N = max(0, -(k g + c g')) where g < 0, f = -mu N k_T/max(|k_T|, speed). rows:
 * g' and k_T. */
static void soft_force(const ga_contact_data *data, double g, int n, const ga_row *rows,
                       double *phi) {
  double square = 0;
  phi[0] = g < 0 ? fmax(0, -(data->stiffness * g + data->damping * rows[0].value)) : 0;
  for (int i = 1; i < n; i++) square += rows[i].value * rows[i].value;
  const double speed = fmax(sqrt(square), data->slip_speed);
  for (int i = 1; i < n; i++) phi[i] = -data->friction * phi[0] * rows[i].value / speed;
}

void ga_soft_contact_force(const ga_contact_data *data, const ga_touch_point *at, double *phi) {
  ga_row rows[3];
  const int n = soft_rows(data, at, rows);
  phi[0] = phi[1] = phi[2] = 0;
  soft_force(data, at->g, n, rows, phi);
}

/* by_q, by_v <- derivatives of phi_i by the frames and by their velocities. */
static void soft_derivative(const ga_contact_data *data, int n, const ga_row *rows,
                            const double *phi, int i, double *by_q, double *by_v) {
  double square = 0;
  for (int k = 1; k < n; k++) square += rows[k].value * rows[k].value;
  const double size = sqrt(square), speed = fmax(size, data->slip_speed);
  const bool fast = size > data->slip_speed;
  for (int j = 0; j < GA_PAIR; j++) {
    const double dN_q = -data->stiffness * rows[0].J[j] - data->damping * rows[0].Z[j];
    const double dN_v = -data->damping * rows[0].J[j];
    by_q[j] = dN_q, by_v[j] = dN_v;
    if (i == 0) continue;
    double grow_q = 0, grow_v = 0; /* of log |k| */
    for (int k = 1; fast && k < n; k++) {
      grow_q += rows[k].value * rows[k].Z[j] / square;
      grow_v += rows[k].value * rows[k].J[j] / square;
    }
    const double mu = data->friction / speed, x = rows[i].value;
    by_q[j] = -mu * (dN_q * x + phi[0] * (rows[i].Z[j] - x * grow_q));
    by_v[j] = -mu * (dN_v * x + phi[0] * (rows[i].J[j] - x * grow_v));
  }
}

/* Adds the force to F, and its tangents to Kt and Ct. */
static int soft_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_contact_data *data = el->data;
  ga_touch_point at;
  ga_row rows[3];
  double phi[3], f[GA_PAIR] = {0};
  if (!pass->out->F && !pass->tangents) return 0;
  if (is_far(pass, el)) return 0;
  if (!ga_contact_here(pass, el, &at)) return ga_element_code(pass, el);
  const int n = soft_rows(data, &at, rows);
  soft_force(data, at.g, n, rows, phi);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < GA_PAIR; j++) f[j] += phi[i] * rows[i].J[j];
  }
  if (pass->out->F) ga_pass_force(pass, el, f);
  if (!pass->tangents || !(phi[0] > 0)) return 0;
  ga_moving T = {{0}, {{0}}};
  ga_tangent t;
  ga_tangent_clear(&t, /* by velocities: */ true);
  for (int i = 0; i < n; i++) ga_moving_add(-phi[i], NULL, &at.t[i], &T);
  ga_touch_tangent(&at.pair, &at.c, &T, &t);
  for (int i = 0; i < n; i++) {
    double by_q[GA_PAIR], by_v[GA_PAIR];
    soft_derivative(data, n, rows, phi, i, by_q, by_v);
    ga_tangent_outer(-1, rows[i].J, by_q, &t);
    for (int r = 0; r < GA_PAIR; r++) {
      for (int c = 0; c < GA_PAIR; c++) t.B[r][c] -= rows[i].J[r] * by_v[c];
    }
  }
  ga_pass_tangent(pass, el, &t);
  return 0;
}

/* k g^2/2 where it is pressed */
static double soft_energy(ga_pass *pass, const ga_element *el) {
  const ga_contact_data *data = el->data;
  ga_touch_point at;
  if (!ga_contact_here(pass, el, &at) || !(at.g < 0)) return 0;
  return 0.5 * data->stiffness * at.g * at.g;
}

/* a force between both bodies, with all tangents */
static void soft_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->force = GA_ALL_VARIATIONS;
  s->blocks = GA_ALL_BLOCKS;
}

const ga_element_type ga_element_soft_contact = {.what = "contact",
                                                 .order = GA_ORDER_FORCES,
                                                 .trouble = "the disk lies flat on its plane",
                                                 .structure = soft_structure,
                                                 .evaluate = soft_evaluate,
                                                 .energy = soft_energy,
                                                 .geometry = contact_geometry,
                                                 .columns = ga_contact_names,
                                                 .nextra = 11,
                                                 .output = contact_output};
const ga_element_type ga_element_soft_contact_planar = {.what = "contact",
                                                        .order = GA_ORDER_FORCES,
                                                        .structure = soft_structure,
                                                        .evaluate = soft_evaluate,
                                                        .energy = soft_energy,
                                                        .geometry = contact_geometry,
                                                        .columns = ga_contact_names_planar,
                                                        .nextra = 9,
                                                        .output = contact_output};
