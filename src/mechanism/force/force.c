/* SPDX-License-Identifier: MIT */
/* Forces and torques on one body, as functions of time.
 *
 *   force     value(t) at a point of a body, in space or body axes
 *   torque    value(t), in space or body axes
 *
 * The body is side B of the element, the ground is side A. Tangents belong to -F, the left side of
 * the equations. */
#include "mechanism/force/force.h"

#include <string.h>

#include "mechanism/signal/signal.h"

typedef struct load {
  double s[3]; /* the point, from the centre of mass in body axes */
  ga_law value[3];
  bool body_frame; /* value is in body axes */
  bool turned;     /* or in those of the description's frame, R */
  double R[9];
} load;

/* component i of the author's value(t), ready to be called at pass->t; false past the third */
static bool load_function(ga_pass *pass, const ga_element *el, int i, ga_call *call) {
  const load *data = el->data;
  if (i >= 3) return false;
  ga_call_begin(call, &data->value[i], "value", ga_of_time, 0);
  call->value[GA_OF_TIME_T] = pass->t;
  return true;
}

/* component i of the value */
static const ga_law *load_law(const ga_element *el, int i) {
  return i < 3 ? &((const load *)el->data)->value[i] : NULL;
}

/* How component i of the value changes with its signals, to Kt and Ct: at a point r from the centre
 * of mass, a torque if r is NULL. */
static int reach_of_component(ga_pass *pass, const ga_element *el, const ga_call *call, int i,
                              const ga_frame *frame, const double *r) {
  const load *data = el->data;
  double e[3] = {i == 0, i == 1, i == 2}, axis[3], f[GA_PAIR] = {0};
  ga_copy3(e, axis);
  if (data->body_frame) ga_column3(frame->R, i, axis);
  if (data->turned) ga_column3(data->R, i, axis);
  ga_copy3(axis, f + (r ? GA_XB : GA_PB));
  if (r) ga_cross3(r, axis, f + GA_PB);
  return ga_pass_reach(pass, el, call, f);
}

/* value = value(t, signals) in space axes; *frame = frame of the loaded body, owned by the pass; r <-
 * the arm of the point s, NULL for a torque. What signals do goes to Kt and Ct, if they are wanted.
 * Returns 0, or a code where a function cannot be evaluated: then value is not set. */
static int load_value(ga_pass *pass, const ga_element *el, const ga_frame **frame, double *r,
                      double *value) {
  const load *data = el->data;
  const ga_frame *ground;
  double own[3];
  ga_pass_frames(pass, el, &ground, frame);
  if (r) ga_times3((*frame)->R, data->s, r);
  for (int i = 0; i < 3; i++) {
    const ga_law *law = &data->value[i];
    own[i] = law->constant;
    if (!law->fn && !law->expr) continue;
    ga_call call;
    load_function(pass, el, i, &call);
    const bool reaching = pass->tangents && call.law->uses;
    int code = ga_pass_call(pass, &call, reaching, &own[i]);
    if (code == 0 && reaching) code = reach_of_component(pass, el, &call, i, *frame, r);
    if (code != 0) return ga_function_code(pass, el, code);
  }
  if (data->body_frame) {
    ga_times3((*frame)->R, own, value);
  } else if (data->turned) {
    ga_times3(data->R, own, value);
  } else {
    ga_copy3(own, value);
  }
  return 0;
}

/* Fills the body of el, the point, the functions and their axes from the description of a force or
 * torque. GA_ERR_ARG for the ground or for a point given on side B. */
static ga_status load_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                               ga_element *el, void *out, ga_error *err) {
  load *data = out;
  ga_status status = ga_mechanism_body_named(m, owner, force->body, &el->body[1], err);
  if (status != GA_OK) return status;
  if (el->body[1] == 0) return ga_fail(err, GA_ERR_ARG, "%s acts on the ground", owner);
  const ga_solid *b = &m->bodies.item[el->body[1]];
  const ga_sides sides = {.owner = owner, .body = {b, &m->bodies.item[0]}};
  double s[2][3];
  status = ga_locate_origins(&sides, "at", &force->at, s, err);
  if (status == GA_OK && force->at.kind & GA_SIDE_B) {
    status =
        ga_fail(err, GA_ERR_ARG, "%s: at is given in the frame of '%s' (GA_ON_A)", owner, b->name);
  }
  ga_copy3(s[0], data->s);
  data->body_frame = force->frame == GA_FORCE_BODY;
  data->turned = m->base.placed && !data->body_frame;
  memcpy(data->R, m->base.R, sizeof data->R);
  for (int i = 0; i < 3 && status == GA_OK; i++) {
    status =
        ga_mechanism_law(m, owner, "value", &force->value[i], ga_of_time, &data->value[i], err);
  }
  return status;
}

/* copies the point for pictures */
static void load_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  (void)m;
  g->has[1] = true;
  ga_copy3(((const load *)el->data)->s, g->s[1]);
}

/* values[0..2] <- the force or torque in space axes, NaN where a function fails */
static void load_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                        double *values) {
  (void)state;
  const ga_frame *frame;
  if (load_value(pass, el, &frame, NULL, values) != 0) values[0] = values[1] = values[2] = NAN;
}

/* force times velocity of its point */
static double force_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  const ga_frame *ground, *frame;
  double F[3], r[3], v[3];
  load_output(pass, state, el, F);
  ga_pass_frames(pass, el, &ground, &frame);
  ga_times3(frame->R, ((const load *)el->data)->s, r);
  ga_copy3(frame->xd, v);
  ga_add_cross3(1, frame->w, r, v);
  return ga_dot3(F, v);
}

/* torque times angular velocity */
static double torque_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  const ga_frame *ground, *frame;
  double T[3];
  load_output(pass, state, el, T);
  ga_pass_frames(pass, el, &ground, &frame);
  return ga_dot3(T, frame->w);
}

/* ---- signals -------------------------------------------------------------------------------- */

/* where the components of measure_load begin */
enum { AXES = 0, SPEED = 9, TURNING = 12 };

/* Axes of the value, in space axes, and the velocity of the point and omega along them. Side A is the
 * loaded body. */
static void measure_load(const ga_measure_point *p, ga_dual *out) {
  const load *data = p->data;
  ga_dual x[3], v[3], w[3];
  ga_dual_point(p->frame[0], 0, p->n, data->s, x, v);
  ga_dual_omega(p->frame[0], 0, p->n, w);
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    ga_dual *axis = out + AXES + 3 * i;
    if (data->body_frame) ga_dual_fixed(p->frame[0], 0, p->n, e, axis);
    for (int k = 0; k < 3 && !data->body_frame; k++) {
      axis[k] = (ga_dual){.n = p->n, .f = data->turned ? data->R[3 * k + i] : e[k]};
    }
    out[SPEED + i] = ga_dual_dot(axis, v);
    out[TURNING + i] = ga_dual_dot(axis, w);
  }
}

/* *signal <- the sum over the components of the value, each times the measure at first + stride i */
static bool load_signal(ga_mechanism *m, const ga_element *el, int first, int stride,
                        ga_signal *signal) {
  const load *data = el->data;
  ga_term term[3];
  for (int i = 0; i < 3; i++) {
    const ga_signal value = {
        .kind = GA_SIGNAL_FUNCTION, .law = &data->value[i], .variables = ga_of_time};
    const ga_signal along = {.kind = GA_SIGNAL_MEASURE,
                             .body = {el->body[1], 0},
                             .measure = measure_load,
                             .data = data,
                             .component = first + stride * i};
    term[i] = (ga_term){1, ga_mechanism_add_signal(m, &value), ga_mechanism_add_signal(m, &along)};
    if (term[i].y < 0) return false;
  }
  return ga_signal_sum(m, 0, term, 3, signal);
}

/* components of the force in space axes; its power */
static bool force_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  if (column == GA_POWER) return load_signal(m, el, SPEED, 1, signal);
  return column < 3 && load_signal(m, el, AXES + column, 3, signal);
}

/* components of the torque in space axes; its power */
static bool torque_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  if (column == GA_POWER) return load_signal(m, el, TURNING, 1, signal);
  return column < 3 && load_signal(m, el, AXES + column, 3, signal);
}

/* known by name only */
static const ga_column force_columns[] = {
    {".fx", "N", NULL}, {".fy", "N", NULL}, {".fz", "N", NULL}};
static const ga_column torque_columns[] = {
    {".mx", "N m", NULL}, {".my", "N m", NULL}, {".mz", "N m", NULL}};
static const char *const function_trouble = "its function cannot be evaluated here";

/* ---- force at a point ----------------------------------------------------------------------- */

/* Sets the nonzeros of a force: it acts on x and phi of B; a value in body axes turns with the
 * body. */
static void point_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m;
  const load *data = el->data;
  s->force = GA_IN_XB | GA_IN_PB;
  s->blocks = GA_BLOCK_BIT(3, 3) | (data->body_frame ? GA_BLOCK_BIT(2, 3) : 0);
}

/* F += (F, r x F). Tangent of -F: d(r x F) = F~ r~ dphi; a force in body axes turns with the body,
 * dF = -F~ dphi. Returns 0, or a code where value(t) cannot be evaluated. */
static int point_evaluate(ga_pass *pass, const ga_element *el) {
  const load *data = el->data;
  const ga_frame *frame;
  double F[3], r[3], f[GA_PAIR] = {0};
  if (!pass->out->F && !pass->tangents) return 0;
  const int code = load_value(pass, el, &frame, r, F);
  if (code != 0) return code;
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

const ga_force_type ga_force_force = {
    .element = {.name = "force",
                .what = "force",
                .trouble = function_trouble,
                .structure = point_structure,
                .evaluate = point_evaluate,
                .function = load_function,
                .law = load_law,
                .geometry = load_geometry,
                .order = GA_ORDER_FORCES,
                .columns = force_columns,
                .nextra = 3,
                .output = load_output,
                .signal = force_signal,
                .power = force_power},
    .summary = "a force at a point of a body",
    .uses = GA_FORCE_HAS_BODY | GA_FORCE_HAS_AT | GA_FORCE_HAS_VALUE | GA_FORCE_HAS_FRAME,
    .needs = GA_FORCE_HAS_BODY,
    .at_help = "a point of the body frame",
    .own_point = true,
    .size = sizeof(load),
    .describe = load_describe};

/* ---- torque --------------------------------------------------------------------------------- */

/* Sets the nonzeros of a torque, which acts on phi of B. */
static void torque_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->force = GA_IN_PB;
  s->blocks = GA_BLOCK_BIT(3, 3);
}

/* F += torque on B. A torque in body axes turns with the body; this is its only tangent. Returns 0,
 * or a code where value(t) cannot be evaluated. */
static int torque_evaluate(ga_pass *pass, const ga_element *el) {
  const load *data = el->data;
  const ga_frame *frame;
  double f[GA_PAIR] = {0};
  if (!pass->out->F && !pass->tangents) return 0;
  const int code = load_value(pass, el, &frame, NULL, f + GA_PB);
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

/* as load_describe; a point body has no orientation and is rejected */
static ga_status torque_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                                 ga_element *el, void *data, ga_error *err) {
  const ga_status status = load_describe(m, owner, force, el, data, err);
  if (status != GA_OK) return status;
  const ga_solid *b = &m->bodies.item[el->body[1]];
  if (b->kind->nphi > 0) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "%s: the point '%s' cannot be turned", owner, b->name);
}

/* copies the point, which only pictures use */
static void torque_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  load_geometry(m, el, g);
  g->only_drawn = true;
}

const ga_force_type ga_force_torque = {
    .element = {.name = "torque",
                .what = "torque",
                .trouble = function_trouble,
                .structure = torque_structure,
                .evaluate = torque_evaluate,
                .function = load_function,
                .law = load_law,
                .geometry = torque_geometry,
                .order = GA_ORDER_FORCES,
                .columns = torque_columns,
                .nextra = 3,
                .output = load_output,
                .signal = torque_signal,
                .power = torque_power},
    .summary = "a torque on a body",
    .uses = GA_FORCE_HAS_BODY | GA_FORCE_HAS_VALUE | GA_FORCE_HAS_FRAME,
    .needs = GA_FORCE_HAS_BODY,
    .size = sizeof(load),
    .describe = torque_describe};
