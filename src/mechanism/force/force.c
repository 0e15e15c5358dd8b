/* SPDX-License-Identifier: MIT */
/* Forces: at a point, torques, springs with dampers, torsion on a coordinate.
 *
 *   force     value(t) at a point of a body, in space or body axes;  torque likewise
 *   spring    tension tau = k (s - l) + c s' + law(s, s', t) along the line of two points, s = |d|
 *   torsion   effort -k (theta - free) - c theta' + law(theta, theta', t) in +theta
 *
 * Tangents belong to -F, the left side of the equations. */
#include <string.h>

#include "mechanism/joint/joint.h"

/* variables of a law, in this order */
enum { LAW_S, LAW_RATE, LAW_T };

int ga_law_jet(const ga_law *law, const double *variables, int along, double f[3]) {
  f[1] = f[2] = 0;
  if (law->fn) return law->fn(law->context, variables, along, f);
  if (law->expr) {
    ga_expr_jet(law->expr, variables, along, f);
  } else {
    f[0] = law->constant;
  }
  return 0;
}

/* ---- force at a point, torque --------------------------------------------------------------- */

/* value(t) in space axes, and the body's frame: side B of the element */
static int value_at(ga_pass *pass, const ga_element *el, const ga_frame **frame, double *value) {
  const ga_force_data *data = el->data;
  const ga_frame *ground;
  double own[3];
  ga_pass_frames(pass, el, &ground, frame);
  for (int i = 0; i < 3; i++) {
    double f[3];
    const int code = ga_law_jet(&data->value[i], &pass->t, -1, f);
    if (code != 0) return ga_function_code(pass, el, code);
    own[i] = f[0];
  }
  if (data->body_frame) {
    ga_times3((*frame)->R, own, value);
  } else {
    ga_copy3(own, value);
  }
  return 0;
}

static void point_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m;
  const ga_force_data *data = el->data;
  s->force = GA_IN_XB | GA_IN_PB;
  s->blocks = GA_BLOCK_BIT(3, 3) | (data->body_frame ? GA_BLOCK_BIT(2, 3) : 0);
}

/* f = (F, r x F): d(r x F) = F~ r~ dphi, and F turns with the body: dF = -F~ dphi */
static int point_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_force_data *data = el->data;
  const ga_frame *frame;
  double F[3], r[3], f[GA_PAIR] = {0};
  if (!pass->out->F && !pass->tangents) return 0;
  const int code = value_at(pass, el, &frame, F);
  if (code != 0) return code;
  ga_times3(frame->R, data->s[1], r);
  ga_copy3(F, f + GA_XB);
  ga_cross3(r, F, f + GA_PB);
  if (pass->out->F) ga_pass_force(pass, el, f);
  if (!pass->tangents) return 0;
  ga_tangent t;
  double X[9];
  ga_tangent_clear(&t, false);
  for (int i = 0; i < GA_PAIR; i++) t.f[i] = -f[i];
  ga_skew_skew3(F, r, X);
  ga_add_block(t.A, GA_PB, GA_PB, -1, X);
  if (data->body_frame) {
    ga_skew_skew3(r, F, X);
    ga_add_block(t.A, GA_PB, GA_PB, 1, X);
    ga_skew3(F, X);
    ga_add_block(t.A, GA_XB, GA_PB, 1, X);
  }
  ga_pass_tangent(pass, el, &t);
  return 0;
}

static const char *const function_trouble = "its function cannot be evaluated here";

const ga_element_type ga_element_point_force = {.what = "force",
                                                .rank = 4,
                                                .trouble = function_trouble,
                                                .structure = point_structure,
                                                .evaluate = point_evaluate};

static void torque_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->force = GA_IN_PB;
  s->blocks = GA_BLOCK_BIT(3, 3);
}

static int torque_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_force_data *data = el->data;
  const ga_frame *frame;
  double f[GA_PAIR] = {0};
  if (!pass->out->F && !pass->tangents) return 0;
  const int code = value_at(pass, el, &frame, f + GA_PB);
  if (code != 0) return code;
  if (pass->out->F) ga_pass_force(pass, el, f);
  if (!pass->tangents) return 0;
  ga_tangent t;
  double X[9];
  ga_tangent_clear(&t, false);
  for (int i = 0; i < GA_PAIR; i++) t.f[i] = -f[i];
  if (data->body_frame) {
    ga_skew3(f + GA_PB, X);
    ga_add_block(t.A, GA_PB, GA_PB, 1, X);
  }
  ga_pass_tangent(pass, el, &t);
  return 0;
}

const ga_element_type ga_element_torque = {.what = "torque",
                                           .rank = 4,
                                           .trouble = function_trouble,
                                           .structure = torque_structure,
                                           .evaluate = torque_evaluate};

/* ---- spring --------------------------------------------------------------------------------- */

typedef struct {
  ga_pair pair;
  double s, rate, n[3], u[3]; /* distance, its rate, direction, d' */
  double tension, by_s, by_rate;
} spring;

/* tau and, if tangents are wanted, its derivatives; 0, > 0, < 0 as functions return */
static int spring_at(ga_pass *pass, const ga_element *el, bool tangents, spring *sp) {
  const ga_force_data *data = el->data;
  const ga_frame *a, *b;
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(&sp->pair, false, a, b, data->s[0], data->s[1]);
  sp->s = ga_norm3(sp->pair.d);
  /* points that meet have no direction */
  if (!(sp->s > 1e-12 * (1 + ga_norm3(sp->pair.ra) + ga_norm3(sp->pair.rb)))) return 1;
  for (int i = 0; i < 3; i++) sp->n[i] = sp->pair.d[i] / sp->s;
  ga_pair_rate(&sp->pair, sp->u);
  sp->rate = ga_dot3(sp->n, sp->u);
  sp->tension = data->stiffness * (sp->s - data->length) + data->damping * sp->rate;
  sp->by_s = data->stiffness;
  sp->by_rate = data->damping;
  if (data->law.zero) return 0;
  const double variables[3] = {sp->s, sp->rate, pass->t};
  double f[3];
  int code = ga_law_jet(&data->law, variables, tangents ? LAW_S : -1, f);
  sp->tension += f[0];
  sp->by_s += f[1];
  if (code == 0 && tangents) code = ga_law_jet(&data->law, variables, LAW_RATE, f);
  sp->by_rate += f[1];
  return code;
}

static bool damped(const ga_force_data *data) {
  return data->damping != 0 || !data->law.zero;
}

static void spring_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->force = GA_ALL_FIELDS;
  s->blocks = GA_ALL_BLOCKS;
}

/* phi = tau n at p_b on the left side. By d: tau_s n n^T + (tau/s) N + tau_s' n (N u)^T/s with
 * N = I - n n^T; by d': tau_s' n n^T. */
static void spring_tangent(ga_pass *pass, const ga_element *el, const spring *sp) {
  const bool with_rate = damped(el->data);
  double phi[3], by_d[9], by_rate[9];
  ga_tangent t;
  for (int i = 0; i < 3; i++) {
    phi[i] = sp->tension * sp->n[i];
    for (int j = 0; j < 3; j++) {
      const double along = sp->n[i] * sp->n[j], across = (i == j) - along;
      const double turning = sp->n[i] * (sp->u[j] - sp->rate * sp->n[j]) / sp->s;
      by_d[3 * i + j] = sp->by_s * along + sp->tension / sp->s * across + sp->by_rate * turning;
      by_rate[3 * i + j] = sp->by_rate * along;
    }
  }
  ga_tangent_clear(&t, with_rate);
  ga_tangent_points(&sp->pair, phi, by_d, with_rate ? by_rate : NULL, &t);
  ga_pass_tangent(pass, el, &t);
}

static int spring_evaluate(ga_pass *pass, const ga_element *el) {
  spring sp;
  if (!pass->out->F && !pass->tangents) return 0;
  const int code = spring_at(pass, el, pass->tangents, &sp);
  if (code != 0) return ga_function_code(pass, el, code);
  if (pass->out->F) {
    double f[GA_PAIR] = {0};
    for (int i = 0; i < 3; i++) {
      f[GA_XA + i] = sp.tension * sp.n[i];
      f[GA_XB + i] = -f[GA_XA + i];
    }
    ga_add_cross3(1, sp.pair.ra, f + GA_XA, f + GA_PA);
    ga_add_cross3(1, sp.pair.rb, f + GA_XB, f + GA_PB);
    ga_pass_force(pass, el, f);
  }
  if (pass->tangents) spring_tangent(pass, el, &sp);
  return 0;
}

static double spring_potential(ga_pass *pass, const ga_element *el) {
  const ga_force_data *data = el->data;
  const ga_frame *a, *b;
  ga_pair p;
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(&p, false, a, b, data->s[0], data->s[1]);
  const double stretch = ga_norm3(p.d) - data->length;
  return 0.5 * data->stiffness * stretch * stretch;
}

static void spring_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                          double *values) {
  (void)state;
  spring sp;
  const int code = spring_at(pass, el, false, &sp);
  values[0] = sp.s;
  values[1] = code == 0 ? sp.rate : NAN;
  values[2] = code == 0 ? sp.tension : NAN;
}

static const char *const spring_names[] = {".length", ".rate", ".force"};

const ga_element_type ga_element_spring = {
    .what = "spring",
    .rank = 4,
    .trouble = "its points meet, or its law cannot be evaluated here",
    .structure = spring_structure,
    .evaluate = spring_evaluate,
    .potential = spring_potential,
    .columns = spring_names,
    .ncolumn = 3,
    .output = spring_output};

/* ---- torsion -------------------------------------------------------------------------------- */

static void torsion_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->coordinate_block = true;
}

/* effort, and minus its derivatives */
static int torsion_at(ga_pass *pass, const ga_element *el, bool tangents, double *effort,
                      double *by_s, double *by_rate) {
  const ga_force_data *data = el->data;
  const ga_angle *c = &pass->m->coordinates.item[el->coordinate[0]];
  const double variables[3] = {pass->q[c->q_at], pass->v[c->v_at], pass->t};
  double f[3];
  *effort =
      -data->stiffness * (variables[LAW_S] - data->length) - data->damping * variables[LAW_RATE];
  *by_s = data->stiffness, *by_rate = data->damping;
  if (data->law.zero) return 0;
  int code = ga_law_jet(&data->law, variables, tangents ? LAW_S : -1, f);
  *effort += f[0];
  *by_s -= f[1];
  if (code == 0 && tangents) code = ga_law_jet(&data->law, variables, LAW_RATE, f);
  *by_rate -= f[1];
  return code;
}

static int torsion_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_evaluation *out = pass->out;
  double effort, by_s, by_rate;
  if (!out->F && !pass->tangents) return 0;
  const int code = torsion_at(pass, el, pass->tangents, &effort, &by_s, &by_rate);
  if (code != 0) return ga_function_code(pass, el, code);
  if (out->F) out->F[pass->m->coordinates.item[el->coordinate[0]].v_at] += effort;
  if (pass->tangents) {
    out->Kt->val[el->coordinate_at[0]] += by_s;
    out->Ct->val[el->coordinate_at[0]] += by_rate;
  }
  return 0;
}

static double torsion_potential(ga_pass *pass, const ga_element *el) {
  const ga_force_data *data = el->data;
  const double turn = pass->q[pass->m->coordinates.item[el->coordinate[0]].q_at] - data->length;
  return 0.5 * data->stiffness * turn * turn;
}

static void torsion_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  (void)state;
  double by_s, by_rate;
  if (torsion_at(pass, el, false, values, &by_s, &by_rate) != 0) values[0] = NAN;
}

static const char *const torsion_names[] = {".effort"};

const ga_element_type ga_element_torsion = {.what = "torsion",
                                            .rank = 4,
                                            .trouble = "its law cannot be evaluated here",
                                            .structure = torsion_structure,
                                            .evaluate = torsion_evaluate,
                                            .potential = torsion_potential,
                                            .columns = torsion_names,
                                            .ncolumn = 1,
                                            .output = torsion_output};
