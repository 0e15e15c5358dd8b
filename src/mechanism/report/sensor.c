/* SPDX-License-Identifier: MIT */
/* Sensors: elements that have output columns and act on nothing. What depends on positions and
 * velocities is a measure: numbers with derivatives, which functions of the model may use. The
 * functions *_output write the columns of the table to values; pass and state are at the same time
 * and state. describe_* set el->body and *data, and fail (GA_ERR_ARG) for an unknown body or a wrong
 * point; owner begins messages. */
#include <math.h>

#include "mechanism/mechanism.h"
#include "mechanism/signal/signal.h"

/* values[0..8] <- position, velocity, acceleration of the point in space axes; state->vd is
 * given. */
static void point_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  const ga_sensor_data *data = el->data;
  ga_frame f;
  double xdd[3], wd[3];
  ga_pass_motion(pass, el->body[0], state->vd, &f, NULL, xdd, wd);
  ga_point_motion(&f, xdd, wd, data->s[0], values, values + 3, values + 6);
}

/* ---- measures ------------------------------------------------------------------------------- */

/* out[0..5] <- position and velocity of the point in space axes */
static void measure_point(const ga_measure_point *p, ga_dual *out) {
  const ga_sensor_data *data = p->data;
  ga_dual_point(p->frame[0], 0, p->n, data->s[0], out, out + 3);
}

/* out[0] <- angle in [0, pi] between the directions: atan2(|a x b|, a.b), accurate at both ends. */
static void measure_angle(const ga_measure_point *p, ga_dual *out) {
  const ga_sensor_data *data = p->data;
  ga_dual a[3], b[3], across[3];
  ga_dual_fixed(p->frame[0], 0, p->n, data->s[0], a);
  ga_dual_fixed(p->frame[1], 1, p->n, data->s[1], b);
  ga_dual_cross(a, b, across);
  const ga_dual sine = ga_dual_norm(across), cosine = ga_dual_dot(a, b);
  out[0] = ga_dual_atan2(&sine, &cosine);
}

/* out[0..5] <- d from the point on A to that on B, and its rate, as an observer on A sees them, in
 * the axes of A: R_A^T d and R_A^T (d' - w_A x d). */
static void measure_relative(const ga_measure_point *p, ga_dual *out) {
  const ga_sensor_data *data = p->data;
  ga_dual d[3], rate[3], w[3], turn[3], seen[3];
  ga_measure_between(p, data->s, d, rate);
  ga_dual_omega(p->frame[0], 0, p->n, w);
  ga_dual_cross(w, d, turn);
  for (int i = 0; i < 3; i++) seen[i] = ga_dual_plus(&rate[i], -1, &turn[i]);
  ga_dual_own(p->frame[0], 0, p->n, d, out);
  ga_dual_own(p->frame[0], 0, p->n, seen, out + 3);
}

/* out[0..2] <- roll, pitch, yaw of B relative to A: R = R_A^T R_B = Rz(yaw) Ry(pitch) Rx(roll), pitch
 * in [-pi/2, pi/2]. At pitch = +-pi/2 only the sum or difference of the others has a meaning; roll
 * is then 0. */
static void measure_orientation(const ga_measure_point *p, ga_dual *out) {
  ga_dual axis[2][3][3], R[3][3];
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    for (int side = 0; side < 2; side++) {
      ga_dual_fixed(p->frame[side], side, p->n, e, axis[side][i]);
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[i][j] = ga_dual_dot(axis[0][i], axis[1][j]);
  }
  ga_dual flat[3] = {R[0][0], R[1][0], {.n = p->n}};
  const ga_dual level = ga_dual_norm(flat), down = ga_dual_chain(&R[2][0], -R[2][0].f, -1);
  const bool upright = level.f < 1e-12; /* cos(pitch): rounding of 0 */
  const ga_dual across = ga_dual_chain(&R[0][1], -R[0][1].f, -1);
  out[1] = ga_dual_atan2(&down, &level);
  out[0] = upright ? (ga_dual){.n = p->n} : ga_dual_atan2(&R[2][1], &R[2][2]);
  out[2] = upright ? ga_dual_atan2(&across, &R[1][1]) : ga_dual_atan2(&R[1][0], &R[0][0]);
}

/* values <- the first columns, which are measures, by their function. */
static void put_measures(ga_pass *pass, const ga_element *el, ga_measure_fn measure, int n,
                         double *values) {
  ga_dual out[GA_MEASURES_MAX];
  const ga_solid *solid = &pass->m->bodies.item[el->body[0]];
  ga_measure_point p = {.solid = solid, .data = el->data};
  ga_pass_frames(pass, el, &p.frame[0], &p.frame[1]);
  measure(&p, out);
  for (int i = 0; i < n; i++) values[i] = out[i].f;
}

/* column `column` of a sensor as a signal: a measure */
static bool measure_signal(const ga_element *el, int column, ga_measure_fn measure, int n,
                           ga_signal *signal) {
  *signal = (ga_signal){.kind = GA_SIGNAL_MEASURE,
                        .body = {el->body[0], el->body[1]},
                        .measure = measure,
                        .data = el->data,
                        .component = column};
  return column < n;
}

/* NAME_output and NAME_signal of a type whose first n columns are measure_NAME */
#define MEASURED(name, n)                                                                      \
  static void name##_values(ga_pass *pass, const ga_state *state, const ga_element *el,        \
                            double *values) {                                                  \
    (void)state;                                                                               \
    put_measures(pass, el, measure_##name, n, values);                                         \
  }                                                                                            \
  static bool name##_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *s) { \
    (void)m;                                                                                   \
    return measure_signal(el, column, measure_##name, n, s);                                   \
  }
#define measure_distance ga_measure_distance
MEASURED(distance, 2)
MEASURED(angle, 1)
MEASURED(relative, 6)
MEASURED(orientation, 3)

/* position and velocity of a point; its acceleration is no signal */
static bool point_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  (void)m;
  return measure_signal(el, column, measure_point, 6, signal);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* the expression is function 0 */
static const ga_law *expression_law(const ga_element *el, int i) {
  return i == 0 ? &((const ga_sensor_data *)el->data)->value : NULL;
}

/* the expression as a signal */
static bool expression_signal(ga_mechanism *m, const ga_element *el, int column,
                              ga_signal *signal) {
  (void)m;
  *signal = (ga_signal){
      .kind = GA_SIGNAL_FUNCTION, .law = expression_law(el, 0), .variables = ga_of_time};
  return column == 0;
}

/* values[0] <- the expression, NaN where its function fails */
static void expression_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                              double *values) {
  (void)state;
  ga_call call = {.law = expression_law(el, 0),
                  .field = "value",
                  .variables = ga_of_time,
                  .value = {[GA_OF_TIME_T] = pass->t}};
  if (ga_pass_call(pass, &call, false, values) != 0) values[0] = NAN;
}

/* ---- power ---------------------------------------------------------------------------------- */

/* values[0] <- power that the element delivers */
static void power_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  const ga_mechanism *m = pass->m;
  const int of = ((const ga_sensor_data *)el->data)->of;
  /* others are the last elements */
  const ga_element *source = &m->elements.item[m->elements.count - m->others.count + of];
  values[0] = source->type->power(pass, state, source);
}

/* the power as a signal, if that of the element is one */
static bool power_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  const ga_element source = m->others.item[((const ga_sensor_data *)el->data)->of]; /* a copy */
  return column == 0 && source.type->signal && source.type->signal(m, &source, GA_POWER, signal);
}

/* ---- descriptions --------------------------------------------------------------------------- */

/* Set body and point of a point sensor from its description; side B is the ground. */
static ga_status describe_point(ga_mechanism *m, const char *owner, const ga_sensor *sensor,
                                ga_element *el, ga_sensor_data *data, ga_error *err) {
  const ga_status status = ga_mechanism_body_named(m, owner, sensor->body, &el->body[0], err);
  if (status != GA_OK) return status;
  const ga_sides sides = {.owner = owner,
                          .body = {&m->bodies.item[el->body[0]], &m->bodies.item[0]}};
  return ga_locate_origins(&sides, "at", &sensor->at, data->s, err);
}

/* Set bodies and points of a distance sensor from its description. */
static ga_status describe_distance(ga_mechanism *m, const char *owner, const ga_sensor *sensor,
                                   ga_element *el, ga_sensor_data *data, ga_error *err) {
  ga_sides sides = {.owner = owner};
  const ga_status status = ga_sides_of(m, sensor->between, el->body, &sides, err);
  if (status != GA_OK) return status;
  return ga_locate_origins(&sides, "at", &sensor->at, data->s, err);
}

/* Set bodies and directions of an angle sensor from its description. */
static ga_status describe_angle(ga_mechanism *m, const char *owner, const ga_sensor *sensor,
                                ga_element *el, ga_sensor_data *data, ga_error *err) {
  ga_sides sides = {.owner = owner};
  const ga_status status = ga_sides_of(m, sensor->between, el->body, &sides, err);
  if (status != GA_OK) return status;
  if (sensor->directions.kind != GA_SIDES) {
    return ga_fail(err, GA_ERR_ARG, "%s needs directions on both sides", owner);
  }
  return ga_locate_direction(&sides, "directions", &sensor->directions, data->s, err);
}

/* Set the bodies of an orientation sensor from its description. */
static ga_status describe_orientation(ga_mechanism *m, const char *owner, const ga_sensor *sensor,
                                      ga_element *el, ga_sensor_data *data, ga_error *err) {
  (void)data;
  ga_sides sides = {.owner = owner};
  return ga_sides_of(m, sensor->between, el->body, &sides, err);
}

/* Set the function of an expression. */
static ga_status describe_expression(ga_mechanism *m, const char *owner, const ga_sensor *sensor,
                                     ga_element *el, ga_sensor_data *data, ga_error *err) {
  (void)el;
  return ga_mechanism_law(m, owner, "value", &sensor->value, ga_of_time, &data->value, err);
}

/* Find the element whose power is measured. */
static ga_status describe_power(ga_mechanism *m, const char *owner, const ga_sensor *sensor,
                                ga_element *el, ga_sensor_data *data, ga_error *err) {
  (void)el;
  const ga_symbol *s = sensor->of ? ga_mechanism_find(m, sensor->of) : NULL;
  if (!s || s->kind != GA_NAMED_OTHER || !m->others.item[s->index].type->power) {
    return ga_fail(err, GA_ERR_ARG, "%s: of is the name of a force, drive or coupler, not '%s'",
                   owner, sensor->of ? sensor->of : "");
  }
  data->of = s->index;
  return GA_OK;
}

/* ---- pictures ------------------------------------------------------------------------------- */

/* Point of the sensor for pictures, on side A only. */
static void point_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  (void)m;
  g->has[0] = true;
  ga_copy3(((const ga_sensor_data *)el->data)->s[0], g->s[0]);
}

/* Both points of the sensor for pictures. */
static void distance_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  (void)m;
  for (int side = 0; side < 2; side++) {
    g->has[side] = true;
    ga_copy3(((const ga_sensor_data *)el->data)->s[side], g->s[side]);
  }
}

/* Directions have no points: pictures show them at the origins of the body frames. */
static void angle_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  for (int side = 0; side < 2; side++) {
    const double *com = m->bodies.item[el->body[side]].com;
    g->has[side] = true;
    for (int k = 0; k < 3; k++) g->s[side][k] = -com[k];
  }
}

/* ---- tables --------------------------------------------------------------------------------- */

static const ga_column point_columns[] = {
    {".x", "m", NULL},      {".y", "m", NULL},      {".z", "m", NULL},
    {".vx", "m/s", NULL},   {".vy", "m/s", NULL},   {".vz", "m/s", NULL},
    {".ax", "m/s^2", NULL}, {".ay", "m/s^2", NULL}, {".az", "m/s^2", NULL}};
static const ga_column distance_columns[] = {{"", "m", NULL}, {"_rate", "m/s", NULL}};
static const ga_column angle_columns[] = {{"", "rad", NULL}};
static const ga_column relative_columns[] = {{".x", "m", NULL},    {".y", "m", NULL},
                                             {".z", "m", NULL},    {".vx", "m/s", NULL},
                                             {".vy", "m/s", NULL}, {".vz", "m/s", NULL}};
static const ga_column orientation_columns[] = {
    {".roll", "rad", NULL}, {".pitch", "rad", NULL}, {".yaw", "rad", NULL}};

static const ga_column expression_columns[] = {{"", "", NULL}};
static const ga_column power_columns[] = {{"", "W", NULL}};

static const ga_sensor_type types[] = {{.element = {.name = "point",
                                                    .what = "sensor",
                                                    .geometry = point_geometry,
                                                    GA_COLUMNS(point_columns),
                                                    .output = point_output,
                                                    .signal = point_signal},
                                        .describe = describe_point},
                                       {.element = {.name = "distance",
                                                    .what = "sensor",
                                                    .geometry = distance_geometry,
                                                    GA_COLUMNS(distance_columns),
                                                    .output = distance_values,
                                                    .signal = distance_signal},
                                        .describe = describe_distance},
                                       {.element = {.name = "angle",
                                                    .what = "sensor",
                                                    .geometry = angle_geometry,
                                                    GA_COLUMNS(angle_columns),
                                                    .output = angle_values,
                                                    .signal = angle_signal},
                                        .describe = describe_angle},
                                       {.element = {.name = "relative",
                                                    .what = "sensor",
                                                    .geometry = distance_geometry,
                                                    GA_COLUMNS(relative_columns),
                                                    .output = relative_values,
                                                    .signal = relative_signal},
                                        .describe = describe_distance},
                                       {.element = {.name = "orientation",
                                                    .what = "sensor",
                                                    .geometry = angle_geometry,
                                                    GA_COLUMNS(orientation_columns),
                                                    .output = orientation_values,
                                                    .signal = orientation_signal},
                                        .describe = describe_orientation},
                                       {.element = {.name = "expression",
                                                    .what = "sensor",
                                                    .law = expression_law,
                                                    GA_COLUMNS(expression_columns),
                                                    .output = expression_output,
                                                    .signal = expression_signal},
                                        .describe = describe_expression},
                                       {.element = {.name = "power",
                                                    .what = "sensor",
                                                    GA_COLUMNS(power_columns),
                                                    .output = power_output,
                                                    .signal = power_signal},
                                        .describe = describe_power}};

/* The i-th type of sensors, NULL past the end. */
const ga_sensor_type *ga_sensor_type_at(int i) {
  return i >= 0 && i < (int)(sizeof types / sizeof types[0]) ? &types[i] : NULL;
}
