/* SPDX-License-Identifier: MIT */
/* A point on a curve: the point of B is at c(s) in the joint axes of A, s an unknown of its own.
 *
 *   g_k = a_k.d - c_k(s)                 k: the axes of A; d = p_b - p_a
 *   dg_k/ds = -c_k',   Z by s = -c_k'' s',   drift -c_k'' s'^2 besides that of a_k.d
 *   Kt by (s, s) = -sum lam_k c_k''
 *
 * Frames and s enter separately, so there are no mixed terms. The force of the curve is normal to
 * it: the balance of s, which has no mass, says sum lam_k c_k' = 0. */
#include <math.h>

#include "mechanism/joint/joint.h"

const ga_variable ga_of_curve[] = {{"s", false}, {NULL, false}};

/* c[k] = c_k(s) and two derivatives, of the joint's rows; 0, or the code of an author's function. */
static int curve_at(const ga_joint_data *joint, double s, double (*c)[3]) {
  int code = 0;
  for (int k = 0; k < joint->rows->count && code == 0; k++) {
    code = ga_law_jet(&joint->curve[k], &s, 0, c[k]);
  }
  return code;
}

/* Sets the nonzeros: those of the rows, and the parameter. */
static void curve_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  ga_joint_structure(m, el, s);
  s->coordinates = true;
  s->coordinate_block = true;
}

/* Writes the rows and adds the tangents. Returns 0, or a code where the curve cannot be evaluated. */
static int curve_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_joint_data *joint = el->data;
  const ga_evaluation *out = pass->out;
  const ga_angle *s = &pass->m->coordinates.item[el->coordinate[0]];
  double c[3][3];
  if (!pass->holonomic && !pass->tangents) return 0;
  const int code = curve_at(joint, pass->q[s->q_at], c);
  if (code != 0) return ga_function_code(pass, el, code);
  ga_joint_evaluate(pass, el);
  const double rate = pass->v ? pass->v[s->v_at] : 0;
  double bend = 0;
  for (int k = 0; k < el->nlam; k++) {
    if (pass->tangents) bend -= ga_pass_lam(pass, el)[k] * c[k][2];
    if (!pass->holonomic) continue;
    if (out->g) out->g[el->lam_at + k] -= c[k][0];
    if (out->Z) out->Z->val[el->coordinate_at[k]] = -c[k][2] * rate;
    if (out->drift) out->drift[el->lam_at + k] -= c[k][2] * rate * rate;
    ga_pass_row_coordinate(pass, el, k, 0, -c[k][1]);
  }
  if (pass->tangents) out->Kt->val[el->coordinate_at[el->nlam]] += bend;
  return 0;
}

/* the i-th function of the curve at the present s */
static bool curve_function(ga_pass *pass, const ga_element *el, int i, ga_call *call) {
  const ga_joint_data *joint = el->data;
  if (i >= joint->rows->count) return false;
  ga_call_begin(call, &joint->curve[i], "curve", ga_of_curve, 0);
  call->value[0] = pass->q[pass->m->coordinates.item[el->coordinate[0]].q_at];
  return true;
}

/* Iterations and halvings of the search, and the relative change of s that ends it. */
enum { ITERATIONS = 100, HALVINGS = 40 };
static const double SETTLED = 1e-14;

/* *value <- sum over k of (p_k - c_k(s))^2; c: the curve there. False: it has no value. */
static bool misfit(const ga_joint_data *joint, const double *p, double s, double (*c)[3],
                   double *value) {
  *value = 0;
  if (curve_at(joint, s, c) != 0) return false;
  for (int k = 0; k < joint->rows->count; k++) {
    *value += (p[k] - c[k][0]) * (p[k] - c[k][0]);
  }
  return isfinite(*value);
}

/* Gauss and Newton: ds = c'.(p - c)/|c'|^2, halved until the distance shrinks. */
bool ga_curve_start(const ga_joint_data *joint, const ga_pair *p, double *s, double *rate) {
  double at[3], c[3][3], now, u[3], own[3];
  ga_times_t3(p->Ua, p->d, at);
  *s = joint->near;
  if (!misfit(joint, at, *s, c, &now)) return false;
  for (int i = 0; i < ITERATIONS; i++) {
    double slope = 0, square = 0, next = 0, trial[3][3];
    for (int k = 0; k < joint->rows->count; k++) {
      slope += c[k][1] * (at[k] - c[k][0]);
      square += c[k][1] * c[k][1];
    }
    if (!(square > 0)) return now == 0; /* the curve rests here: s has no rate */
    double step = slope / square;
    int halved = 0;
    while (halved < HALVINGS && !(misfit(joint, at, *s + step, trial, &next) && next < now)) {
      step /= 2;
      halved++;
    }
    if (halved == HALVINGS) break;
    *s += step;
    misfit(joint, at, *s, c, &now);
    if (fabs(step) <= SETTLED * fabs(*s)) break;
  }
  /* rate: that of the point as A sees it, along the curve */
  double slope = 0, square = 0;
  double turn[3];
  ga_pair_rate(p, u);
  ga_cross3(p->d, p->a->w, turn); /* -w x d */
  ga_plus3(u, 1, turn, u);
  ga_times_t3(p->Ua, u, own);
  for (int k = 0; k < joint->rows->count; k++) {
    slope += c[k][1] * own[k];
    square += c[k][1] * c[k][1];
  }
  *rate = slope / square;
  return square > 0;
}

const ga_element_type ga_element_curve = {.what = "joint",
                                          .trouble = "its curve cannot be evaluated here",
                                          .order = GA_ORDER_JOINTS,
                                          .structure = curve_structure,
                                          .evaluate = curve_evaluate,
                                          .function = curve_function,
                                          .geometry = ga_joint_geometry,
                                          .columns = ga_joint_columns,
                                          .ncolumn = 6,
                                          .nextra = 3,
                                          .output = ga_joint_output};

/* ---- the parameter -------------------------------------------------------------------------- */

/* The rows of the joint determine s: it has no row of its own. */
static void parameter_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el, (void)s;
}

/* nothing besides the rows of the joint */
static int parameter_evaluate(ga_pass *pass, const ga_element *el) {
  (void)pass, (void)el;
  return 0;
}

/* writes s and s' */
static void parameter_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                             double *values) {
  const ga_angle *c = &pass->m->coordinates.item[el->coordinate[0]];
  values[0] = state->q[c->q_at];
  values[1] = state->v[c->v_at];
}

/* the curve's author knows its unit */
static const ga_column parameter_columns[] = {{"", "", NULL}, {"_rate", "", NULL}};

const ga_element_type ga_element_parameter = {.what = "coordinate",
                                              .order = GA_ORDER_COORDINATES,
                                              .structure = parameter_structure,
                                              .evaluate = parameter_evaluate,
                                              GA_COLUMNS(parameter_columns),
                                              .output = parameter_output};
