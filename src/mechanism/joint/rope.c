/* SPDX-License-Identifier: MIT */
/* Ropes over points of bodies and over sheaves. With the distances l_k of neighbouring points, which are
 * coordinates of joints `span`, and the given length L(t, theta), a function of time and other
 * coordinates:
 *
 *   e = sum l_k + fixed - L,   fixed: distances of neighbours on one body
 *
 * With the signed radii rho of sheaves (sheave.c) l_k is f(s_k) + rho_a phi_a - rho_b phi_b, of three
 * coordinates of the span: its length f and the angles phi of the line of centres, seen from both
 * bodies. What the angles leave open is in `fixed`, too.
 *
 *   not elastic   g = e = 0; lam is the tension
 *   elastic       tension k e + d, d = c e', |d| <= k e, where e > 0; else the rope is slack
 *
 * The rope puts -tension de/dtheta on every coordinate. So it pulls neighbouring points towards each
 * other with the same force everywhere, and an angle in L, of a drum, gets tension times radius. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "genalpha/ga_rope.h"
#include "mechanism/joint/joint.h"
#include "mechanism/joint/relation.h"
#include "mechanism/joint/sheave.h"
#include "mechanism/signal/signal.h"

/* One side of a sheave: the span, number of a joint (-1: both ends are on one body), which of its
 * angles, and D about the axis. */
typedef struct rope_side {
  int joint, which;
  double radii, asine; /* asin(D/s) if both ends are on one body */
} rope_side;
/* The angle of rope on a sheave: sign (alpha_out - alpha_in) + fixed. */
typedef struct rope_wrap {
  rope_side side[2]; /* in, out */
  double sign, fixed;
} rope_wrap;

typedef struct rope_data {
  ga_relation relation; /* first: the element is a relation */
  int spans; /* its first coordinates: those of spans, with the relation's coefficients */
  double fixed;
  double stiffness, damping;
  int nwrap;
  const rope_wrap *wrap; /* of sheaves between the ends */
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
    values[0] += rope->relation.coefficient[k] * state->q[span->q_at];
    values[1] += rope->relation.coefficient[k] * state->v[span->v_at];
  }
}

/* phi - asin(D/s) of one side of a sheave, phi as it counts turns */
static double side_direction(ga_pass *pass, const ga_state *state, const rope_side *side) {
  if (side->joint < 0) return -side->asine;
  const ga_element *joint = &pass->m->joints.item[side->joint];
  const ga_joint_data *data = joint->data;
  ga_pair p;
  ga_joint_pair(pass, joint, data, &p);
  const ga_angle *angle = &pass->m->coordinates.item[data->coordinate[side->which]];
  return state->q[angle->q_at] - asin(side->radii / ga_norm3(p.d));
}

/* The least angle of rope on a sheave between the ends; 0 if there is none. */
static double least_wrap(ga_pass *pass, const ga_state *state, const ga_element *el) {
  const rope_data *rope = el->data;
  double least = 0;
  for (int i = 0; i < rope->nwrap; i++) {
    const rope_wrap *w = &rope->wrap[i];
    const double turn =
        side_direction(pass, state, &w->side[1]) - side_direction(pass, state, &w->side[0]);
    const double angle = w->sign * turn + w->fixed;
    if (i == 0 || angle < least) least = angle;
  }
  return least;
}

/* writes length, rate, tension and the least wrap */
static void rope_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                        double *values) {
  rope_length(pass, state, el, values);
  values[2] = state->lam[el->lam_at];
  values[3] = least_wrap(pass, state, el);
}

/* the same of an elastic rope; NaN where L cannot be evaluated */
static void elastic_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  ga_relation_point at;
  double by_e, by_rate;
  rope_length(pass, state, el, values);
  const int code = ga_relation_at(pass, el, false, &at);
  values[2] = code == 0 ? tension_at(el->data, &at, &by_e, &by_rate) : NAN;
  values[3] = least_wrap(pass, state, el);
}

static double rope_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  return ga_relation_power(pass, el, state->lam[el->lam_at]);
}

static double elastic_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  double values[4];
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
    term[k] = (ga_term){
        .weight = rope->relation.coefficient[k], .x = ga_mechanism_add_signal(m, &span), .y = -1};
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

static const ga_column columns[] = {{".length", "m", NULL},
                                    {".rate", "m/s", NULL},
                                    {".tension", "N", NULL},
                                    {".wrap", "rad", NULL}};
#define ROPE_COLUMNS .columns = columns, .ncolumn = 3, .nextra = 1 /* the last by its name only */

static const ga_element_type element_rope = {.name = "rope",
                                             .what = "rope",
                                             .trouble = "its length cannot be evaluated here",
                                             .rheonomic = true,
                                             .relation = true,
                                             .structure = ga_relation_structure,
                                             .evaluate = ga_relation_row,
                                             .function = rope_function,
                                             .order = GA_ORDER_COUPLERS,
                                             ROPE_COLUMNS,
                                             .output = rope_output,
                                             .signal = rope_signal,
                                             .power = rope_power};
static const ga_element_type element_elastic_rope = {
    .name = "rope",
    .what = "rope",
    .trouble = "its length cannot be evaluated here",
    .relation = true,
    .structure = ga_relation_structure,
    .evaluate = elastic_evaluate,
    .energy = elastic_energy,
    .function = rope_function,
    .order = GA_ORDER_COUPLERS,
    ROPE_COLUMNS,
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

/* What is known of a rope while its spans are added. */
typedef struct laying {
  const ga_rope *rope;
  ga_sheave at[GA_RELATION_MAX];
  ga_rope_span span[GA_RELATION_MAX];
  int joint[GA_RELATION_MAX]; /* of a span; -1: both ends are on one body */
  int terms;
  char name[3 * GA_RELATION_MAX][NAME]; /* coordinates of spans */
  double factor[3 * GA_RELATION_MAX];
} laying;

/* Adds a term: coordinate `which` of the span i. */
static void add_term(laying *lay, int i, const char *which, double factor) {
  snprintf(lay->name[lay->terms], NAME, "%.120s_span%d.%s", lay->rope->name, i + 1, which);
  lay->factor[lay->terms++] = factor;
}

/* The point of a side, unless it is the origin: point bodies have no other. */
static bool off_origin(const double *at) {
  return at[0] != 0 || at[1] != 0 || at[2] != 0;
}

/* Add the joint `span` between points i and i + 1, unless both are on one body, and its terms. A sheave
 * has its axis as z of its side. */
static ga_status add_span(ga_mechanism *m, laying *lay, int i, ga_error *err) {
  const ga_rope_point *p = &lay->rope->over[i];
  char joint[NAME];
  lay->joint[i] = -1;
  if (lay->at[i].body == lay->at[i + 1].body) return GA_OK;
  snprintf(joint, sizeof joint, "%.120s_span%d", lay->rope->name, i + 1);
  ga_joint j = {.name = joint, .type = "span", .between = {p[0].body, p[1].body}};
  int at = 0, axis = 0;
  for (int side = 0; side < 2; side++) {
    const int own = side == 0 ? GA_SIDE_A : GA_SIDE_B;
    ga_copy3(p[side].at, side == 0 ? j.at.a : j.at.b);
    if (off_origin(p[side].at)) at |= own;
    if (p[side].radius == 0) continue;
    ga_copy3(p[side].axis, side == 0 ? j.axis.a : j.axis.b);
    if (off_origin(p[side].axis)) axis |= own;
  }
  const bool planar = m->bodies.item[lay->at[i].body].kind->planar ||
                      m->bodies.item[lay->at[i + 1].body].kind->planar;
  j.at.kind = (ga_point_kind)at;
  if (!planar) j.axis.kind = (ga_point_kind)axis;
  const ga_status status = ga_mechanism_add_joint(m, &j, err);
  if (status != GA_OK) return status;
  lay->joint[i] = m->joints.count - 1;
  ga_joint_data *own = (ga_joint_data *)m->joints.item[lay->joint[i]].data;
  own->radii = lay->span[i].radii[0];
  add_term(lay, i, "length", 1);
  if (p[0].radius != 0) add_term(lay, i, "angle_a", p[0].radius);
  if (p[1].radius != 0) add_term(lay, i, "angle_b", -p[1].radius);
  return GA_OK;
}

/* What the coordinates of a span leave open: its length, or -D asin(D/s) of f. */
static double fixed_of(const ga_rope_span *span, int joint) {
  const double D = span->radii[0];
  return joint < 0 ? ga_rope_span_length(span) : D == 0 ? 0 : -D * asin(D / span->s);
}

/* The start value of a side of a sheave, as side_direction. */
static double start_direction(const ga_mechanism *m, const rope_side *side, double s) {
  const double asine = asin(side->radii / s);
  if (side->joint < 0) return -asine;
  const ga_joint_data *data = m->joints.item[side->joint].data;
  return m->coordinates.item[data->coordinate[side->which]].start - asine;
}

/* data->wrap <- the sheaves between the ends; data->fixed += their arcs at the start. */
static ga_status add_wraps(ga_mechanism *m, const char *owner, const laying *lay, rope_data *data,
                           ga_error *err) {
  rope_wrap *wrap = ga_arena_take(&m->arena, (size_t)lay->rope->count, sizeof *wrap);
  if (!wrap) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  data->wrap = wrap;
  for (int i = 1; i + 1 < lay->rope->count; i++) {
    if (lay->at[i].radius == 0) continue;
    double angle = 0;
    const ga_status status = ga_sheave_wrap(owner, lay->at, lay->span, i, &angle, err);
    if (status != GA_OK) return status;
    const ga_rope_span *in = &lay->span[i - 1], *out = &lay->span[i];
    rope_wrap w = {.side = {{lay->joint[i - 1], 2, in->radii[1], asin(in->radii[1] / in->s)},
                            {lay->joint[i], 1, out->radii[0], asin(out->radii[0] / out->s)}},
                   .sign = lay->at[i].radius > 0 ? 1 : -1};
    w.fixed = angle - w.sign * (start_direction(m, &w.side[1], out->s) -
                                start_direction(m, &w.side[0], in->s));
    wrap[data->nwrap++] = w;
    data->fixed += fabs(lay->at[i].radius) * angle;
  }
  return GA_OK;
}

/* Fills relation, coordinates and fixed length of the rope; spans are added. */
static ga_status lay_rope(ga_mechanism *m, const char *owner, laying *lay, ga_element *el,
                          rope_data *data, ga_error *err) {
  const ga_rope *rope = lay->rope;
  const char *sum[3 * GA_RELATION_MAX];
  ga_status status = GA_OK;
  for (int i = 0; i < rope->count && status == GA_OK; i++) {
    status = ga_sheave_at(m, owner, rope, i, &lay->at[i], err);
  }
  for (int i = 0; i + 1 < rope->count && status == GA_OK; i++) {
    status = ga_rope_span_of(owner, lay->at, i, &lay->span[i], err);
    if (status == GA_OK) status = add_span(m, lay, i, err);
    if (status == GA_OK) data->fixed += fixed_of(&lay->span[i], lay->joint[i]);
  }
  if (status != GA_OK) return status;
  if (lay->terms == 0) return ga_fail(err, GA_ERR_ARG, "%s: all points are on one body", owner);
  data->spans = lay->terms;
  for (int k = 0; k < lay->terms; k++) sum[k] = lay->name[k];
  const ga_relation_terms terms = {lay->terms, sum, lay->factor, &rope->length, "length"};
  status = ga_relation_describe(m, owner, &terms, el, &data->relation, err);
  if (status == GA_OK && el->ncoordinate > GA_RELATION_MAX) {
    status = ga_fail(err, GA_ERR_ARG, "%s: more than %d coordinates", owner, GA_RELATION_MAX);
  }
  if (status == GA_OK) status = add_wraps(m, owner, lay, data, err);
  if (status != GA_OK) return status;
  for (int k = 0; k < lay->terms; k++) {
    const ga_angle *c = &m->coordinates.item[el->coordinate[k]];
    if (ga_kind_of_coordinate(m, el->coordinate[k]) == GA_COORDINATE_ANGLE) {
      data->fixed -= lay->factor[k] * c->start;
    }
  }
  /* without a function, equals is the sum of spans at the start: the initial length */
  if (!data->relation.law.zero) data->relation.equals = -data->fixed;
  return GA_OK;
}

/* lay_rope, with scratch memory that is given back */
static ga_status describe(ga_mechanism *m, const char *owner, const ga_rope *rope, ga_element *el,
                          rope_data *data, ga_error *err) {
  laying *lay = ga_calloc(1, sizeof *lay);
  if (!lay) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  lay->rope = rope;
  const ga_status status = lay_rope(m, owner, lay, el, data, err);
  free(lay);
  return status;
}

/* Add the rope to pictures: a line through its points, whose bodies are known. Points of the ground
 * are in the frame of the description, as those of joints. */
static ga_status add_drawing(ga_mechanism *m, const char *owner, const ga_rope *rope,
                             ga_error *err) {
  ga_line_point points[GA_RELATION_MAX] = {{0}};
  for (int i = 0; i < rope->count; i++) {
    int body = 0;
    const ga_status status = ga_mechanism_body_named(m, owner, rope->over[i].body, &body, err);
    if (status != GA_OK) return status;
    const double planar[3] = {0, 0, rope->over[i].radius != 0};
    const double *axis = off_origin(rope->over[i].axis) ? rope->over[i].axis : planar;
    points[i].body = body - 1;
    points[i].radius = rope->over[i].radius;
    points[i].turns = rope->over[i].turns;
    ga_copy3(rope->over[i].at, points[i].at);
    ga_copy3(axis, points[i].axis);
    if (body != 0 || !m->base.placed) continue;
    ga_base_point(&m->base, rope->over[i].at, points[i].at);
    ga_times3(m->base.R, axis, points[i].axis);
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
