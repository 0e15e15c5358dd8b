/* SPDX-License-Identifier: MIT */
/* Ropes over points of bodies. With the distances l_k of neighbouring points, which are coordinates
 * of joints `span`, and the given length L(t, theta), a function of time and other coordinates:
 *
 *   e = sum l_k + fixed - L,   fixed: distances of neighbours on one body
 *
 *   not elastic   g = e = 0; lam is the tension
 *   elastic       tension k e + d, d = c e', |d| <= k e, where e > 0; else the rope is slack
 *
 * The rope puts -tension de/dtheta on every coordinate. So it pulls neighbouring points towards each
 * other with the same force everywhere, and an angle in L, of a drum, gets tension times radius. */
#include <math.h>
#include <stdio.h>

#include "genalpha/ga_rope.h"
#include "mechanism/joint/relation.h"
#include "mechanism/signal/signal.h"

typedef struct rope_data {
  ga_relation relation; /* first: the element is a relation */
  int spans;            /* its first coordinates */
  double fixed;
  double stiffness, damping;
} rope_data;

/* ---- the element ---------------------------------------------------------------------------- */

/* L is called length */
static bool rope_function(ga_pass *pass, const ga_element *el, int i, ga_call *call) {
  return ga_relation_function(pass, el, "length", i, call);
}

/* tension of an elastic rope at this point, and its derivatives by e and e' */
static double tension_at(const rope_data *rope, const ga_relation_point *at, double *by_e,
                         double *by_rate) {
  return ga_push_back(rope->stiffness, rope->damping, at->value, at->rate, by_e, by_rate);
}

/* Adds the force of an elastic rope. Returns 0, or a code where L cannot be evaluated. */
static int elastic_evaluate(ga_pass *pass, const ga_element *el) {
  const rope_data *rope = el->data;
  ga_relation_point at;
  double by_e, by_rate;
  if (!pass->out->F && !pass->tangents) return 0;
  const int code = ga_relation_at(pass, el, pass->tangents, &at);
  if (code != 0) return ga_function_code(pass, el, code);
  const double tension = tension_at(rope, &at, &by_e, &by_rate);
  if (tension > 0) ga_relation_force(pass, el, &at, tension, by_e, by_rate);
  return 0;
}

/* k e^2/2 where the rope is taut */
static double elastic_energy(ga_pass *pass, const ga_element *el) {
  const rope_data *rope = el->data;
  ga_relation_point at;
  if (ga_relation_at(pass, el, false, &at) != 0) return NAN;
  return at.value > 0 ? 0.5 * rope->stiffness * at.value * at.value : 0;
}

/* writes the length of the rope and its rate, as its points are */
static void rope_length(const ga_pass *pass, const ga_state *state, const ga_element *el,
                        double *values) {
  const rope_data *rope = el->data;
  values[0] = rope->fixed;
  values[1] = 0;
  for (int k = 0; k < rope->spans; k++) {
    const ga_angle *span = &pass->m->coordinates.item[el->coordinate[k]];
    values[0] += state->q[span->q_at];
    values[1] += state->v[span->v_at];
  }
}

/* writes length, rate and tension */
static void rope_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                        double *values) {
  rope_length(pass, state, el, values);
  values[2] = state->lam[el->lam_at];
}

/* the same of an elastic rope; NaN where L cannot be evaluated */
static void elastic_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  ga_relation_point at;
  double by_e, by_rate;
  rope_length(pass, state, el, values);
  const int code = ga_relation_at(pass, el, false, &at);
  values[2] = code == 0 ? tension_at(el->data, &at, &by_e, &by_rate) : NAN;
}

static double rope_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  return ga_relation_power(pass, el, state->lam[el->lam_at]);
}

static double elastic_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  double values[3];
  elastic_output(pass, state, el, values);
  return ga_relation_power(pass, el, values[2]);
}

/* Length (column 0) and rate (1) as sums over the spans. */
static bool rope_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  const rope_data *rope = el->data;
  ga_term term[GA_RELATION_MAX];
  if (column != 0 && column != 1) return false;
  for (int k = 0; k < rope->spans; k++) {
    const ga_signal span = {.kind = column ? GA_SIGNAL_RATE : GA_SIGNAL_COORDINATE,
                            .coordinate = el->coordinate[k]};
    term[k] = (ga_term){.weight = 1, .x = ga_mechanism_add_signal(m, &span), .y = -1};
  }
  return ga_signal_sum(m, column ? 0 : rope->fixed, term, rope->spans, signal);
}

/* A ga_function_fn of e, e', t: the tension of an elastic rope; context: the rope_data. Second
 * derivatives are not used. */
static int tension_of(void *context, const double *variables, int along, double f[3]) {
  const ga_relation_point at = {.value = variables[GA_LAW_S], .rate = variables[GA_LAW_RATE]};
  double by_e, by_rate;
  f[0] = tension_at(context, &at, &by_e, &by_rate);
  f[1] = along == GA_LAW_S ? by_e : along == GA_LAW_RATE ? by_rate : 0;
  f[2] = 0;
  return 0;
}

/* Those of an elastic rope: its tension and its power, too. */
static bool elastic_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  return column == 0 || column == 1
             ? rope_signal(m, el, column, signal)
             : ga_relation_effort_signal(m, el, tension_of, -1, column, signal);
}

static const ga_column columns[] = {
    {".length", "m", NULL}, {".rate", "m/s", NULL}, {".tension", "N", NULL}};

static const ga_element_type element_rope = {.name = "rope",
                                             .what = "rope",
                                             .trouble = "its length cannot be evaluated here",
                                             .rheonomic = true,
                                             .relation = true,
                                             .absolute_only = true,
                                             .structure = ga_relation_structure,
                                             .evaluate = ga_relation_row,
                                             .function = rope_function,
                                             .order = GA_ORDER_COUPLERS,
                                             GA_COLUMNS(columns),
                                             .output = rope_output,
                                             .signal = rope_signal,
                                             .power = rope_power};
static const ga_element_type element_elastic_rope = {
    .name = "rope",
    .what = "rope",
    .trouble = "its length cannot be evaluated here",
    .relation = true,
    .absolute_only = true,
    .structure = ga_relation_structure,
    .evaluate = elastic_evaluate,
    .energy = elastic_energy,
    .function = rope_function,
    .order = GA_ORDER_COUPLERS,
    GA_COLUMNS(columns),
    .output = elastic_output,
    .signal = elastic_signal,
    .power = elastic_power};

/* ---- description ---------------------------------------------------------------------------- */

enum { OWNER = 160, NAME = 160 };

/* Takes back the joints behind the first `count`, and their coordinates. */
static void take_back_spans(ga_mechanism *m, int joints, int coordinates) {
  ga_mechanism_forget_coordinates(m, coordinates);
  while (m->joints.count > joints) {
    ga_mechanism_undefine(m, m->joints.item[m->joints.count - 1].name);
    m->joints.count--;
  }
}

/* The point of a side, unless it is the origin: point bodies have no other. */
static bool off_origin(const double *at) {
  return at[0] != 0 || at[1] != 0 || at[2] != 0;
}

/* Add the joint `span` between two points, number i of the rope, and its coordinate; name <- that of
 * the coordinate. Or *fixed += their distance if both are on one body: then name is "". */
static ga_status add_span(ga_mechanism *m, const char *owner, const char *rope,
                          const ga_rope_point *over, int i, char *name, double *fixed,
                          ga_error *err) {
  const ga_rope_point *a = &over[i], *b = &over[i + 1];
  int body[2] = {0, 0};
  name[0] = '\0';
  for (int side = 0; side < 2; side++) {
    const ga_rope_point *p = side == 0 ? a : b;
    const ga_status status = ga_mechanism_body_named(m, owner, p->body, &body[side], err);
    if (status != GA_OK) return status;
    if (!ga_finite(3, p->at)) {
      return ga_fail(err, GA_ERR_ARG, "%s: point %d is not finite", owner, i + side + 1);
    }
  }
  if (body[0] == body[1]) {
    *fixed += sqrt((b->at[0] - a->at[0]) * (b->at[0] - a->at[0]) +
                   (b->at[1] - a->at[1]) * (b->at[1] - a->at[1]) +
                   (b->at[2] - a->at[2]) * (b->at[2] - a->at[2]));
    return GA_OK;
  }
  char joint[NAME];
  snprintf(joint, sizeof joint, "%.120s_span%d", rope, i + 1);
  ga_joint j = {.name = joint, .type = "span", .between = {a->body, b->body}};
  for (int k = 0; k < 3; k++) j.at.a[k] = a->at[k], j.at.b[k] = b->at[k];
  j.at.kind =
      (ga_point_kind)((off_origin(a->at) ? GA_SIDE_A : 0) | (off_origin(b->at) ? GA_SIDE_B : 0));
  const ga_status status = ga_mechanism_add_joint(m, &j, err);
  if (status == GA_OK) snprintf(name, NAME, "%.150s.length", joint);
  return status;
}

/* Fills relation, coordinates and fixed length of the rope; spans are added. */
static ga_status describe(ga_mechanism *m, const char *owner, const ga_rope *rope, ga_element *el,
                          rope_data *data, ga_error *err) {
  char names[GA_RELATION_MAX][NAME];
  const char *sum[GA_RELATION_MAX];
  double ones[GA_RELATION_MAX];
  for (int i = 0; i + 1 < rope->count; i++) {
    const ga_status status =
        add_span(m, owner, rope->name, rope->over, i, names[data->spans], &data->fixed, err);
    if (status != GA_OK) return status;
    if (!names[data->spans][0]) continue;
    ones[data->spans] = 1;
    sum[data->spans] = names[data->spans];
    data->spans++;
  }
  if (data->spans == 0) return ga_fail(err, GA_ERR_ARG, "%s: all points are on one body", owner);
  const ga_relation_terms terms = {data->spans, sum, ones, &rope->length, "length"};
  const ga_status status = ga_relation_describe(m, owner, &terms, el, &data->relation, err);
  if (status == GA_OK && el->ncoordinate > GA_RELATION_MAX) {
    return ga_fail(err, GA_ERR_ARG, "%s: more than %d coordinates", owner, GA_RELATION_MAX);
  }
  /* without a function, equals is the sum of spans at the start: the initial length */
  if (!data->relation.law.zero) data->relation.equals = -data->fixed;
  return status;
}

/* Add the rope to pictures: a line through its points, whose bodies are known. Points of the ground
 * are in the frame of the description, as those of joints. */
static ga_status add_drawing(ga_mechanism *m, const char *owner, const ga_rope *rope,
                             ga_error *err) {
  ga_line_point points[GA_RELATION_MAX];
  for (int i = 0; i < rope->count; i++) {
    int body = 0;
    const ga_status status = ga_mechanism_body_named(m, owner, rope->over[i].body, &body, err);
    if (status != GA_OK) return status;
    points[i].body = body - 1;
    ga_copy3(rope->over[i].at, points[i].at);
    if (body == 0 && m->base.placed) ga_base_point(&m->base, rope->over[i].at, points[i].at);
  }
  const ga_line line = {.name = rope->name, .type = "rope", .count = rope->count, .point = points};
  return ga_mechanism_add_line(m, &line, err);
}

/* Add a rope: its spans as joints, and a row or a force on their lengths. A failure leaves m as it
 * was. */
ga_status ga_mechanism_add_rope(ga_mechanism *m, const ga_rope *rope, ga_error *err) {
  char owner[OWNER];
  ga_status status = ga_mechanism_claim(m, "rope", rope->name, err);
  if (status != GA_OK) return status;
  snprintf(owner, sizeof owner, "rope '%.120s'", rope->name);
  if (rope->count < 2 || rope->count > GA_RELATION_MAX) {
    return ga_fail(err, GA_ERR_ARG, "%s runs over %d points; from 2 to %d are possible", owner,
                   rope->count, GA_RELATION_MAX);
  }
  const double numbers[2] = {rope->stiffness, rope->damping};
  if (!ga_finite(2, numbers) || rope->stiffness < 0 || rope->damping < 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: stiffness and damping must not be negative", owner);
  }
  if (rope->damping > 0 && rope->stiffness == 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: damping needs a stiffness", owner);
  }
  const bool elastic = rope->stiffness > 0;
  const int joints = m->joints.count, coordinates = m->coordinates.count;
  rope_data data = {.stiffness = rope->stiffness, .damping = rope->damping};
  ga_element el = {
      .type = elastic ? &element_elastic_rope : &element_rope, .nlam = !elastic, .data = &data};
  status = describe(m, owner, rope, &el, &data, err);
  if (status == GA_OK) status = add_drawing(m, owner, rope, err);
  if (status == GA_OK) status = ga_mechanism_add_other(m, rope->name, &el, sizeof data, err);
  if (status != GA_OK) take_back_spans(m, joints, coordinates);
  return status;
}
