/* SPDX-License-Identifier: MIT */
/* Sensors: elements that have output columns and act on nothing. The functions *_output write the
 * columns of the table to values; pass and state are at the same time and state. describe_* set
 * el->body and *data, and fail (GA_ERR_ARG) for an unknown body or a wrong point; owner begins
 * messages. */
#include <math.h>

#include "mechanism/mechanism.h"

/* values[0..8] <- position, velocity, acceleration of the point in space axes; state->vd is
 * given. */
static void point_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  const ga_sensor_data *data = el->data;
  const ga_solid *b = &pass->m->bodies.item[el->body[0]];
  const ga_frame *f, *ground;
  double xdd[3], wd[3];
  ga_pass_frames(pass, el, &f, &ground);
  b->kind->acceleration(f, state->vd + b->v_at, xdd, wd);
  ga_point_motion(f, xdd, wd, data->s[0], values, values + 3, values + 6);
}

/* values[0], [1] <- |d|, d from the point on A to that on B, and its rate d.d'/|d|; at |d| = 0 the
 * rate is |d'|. */
static void distance_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                            double *values) {
  (void)state;
  const ga_sensor_data *data = el->data;
  const ga_frame *a, *b;
  ga_pair p;
  double rate[3];
  ga_pass_frames(pass, el, &a, &b);
  /* false: no second derivatives */
  ga_pair_points(&p, false, a, b, data->s[0], data->s[1]);
  ga_pair_rate(&p, rate);
  values[0] = ga_norm3(p.d);
  values[1] = values[0] > 0 ? ga_dot3(p.d, rate) / values[0] : ga_norm3(rate);
}

/* values[0] <- angle in [0, pi] between the directions: atan2(|a x b|, a.b), accurate at both
 * ends. */
static void angle_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  (void)state;
  const ga_sensor_data *data = el->data;
  const ga_frame *fa, *fb;
  double a[3], b[3], across[3];
  ga_pass_frames(pass, el, &fa, &fb);
  ga_times3(fa->R, data->s[0], a);
  ga_times3(fb->R, data->s[1], b);
  ga_cross3(a, b, across);
  values[0] = atan2(ga_norm3(across), ga_dot3(a, b));
}

/* values[0..5] <- d from the point on A to that on B, and its rate, as an observer on A sees them, in
 * the axes of A: R_A^T d and R_A^T (d' - w_A x d). */
static void relative_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                            double *values) {
  (void)state;
  const ga_sensor_data *data = el->data;
  const ga_frame *a, *b;
  ga_pair p;
  double rate[3], turn[3], seen[3];
  ga_pass_frames(pass, el, &a, &b);
  /* false: no second derivatives */
  ga_pair_points(&p, false, a, b, data->s[0], data->s[1]);
  ga_pair_rate(&p, rate);
  ga_cross3(a->w, p.d, turn);
  ga_plus3(rate, -1, turn, seen);
  ga_times_t3(a->R, p.d, values);
  ga_times_t3(a->R, seen, values + 3);
}

/* values[0..2] <- roll, pitch, yaw of B relative to A: R_A^T R_B = Rz(yaw) Ry(pitch) Rx(roll), pitch
 * in [-pi/2, pi/2]. At pitch = +-pi/2 only the sum or difference of the others has a meaning; roll
 * is then 0. */
static void orientation_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                               double *values) {
  (void)state;
  const ga_frame *a, *b;
  double R[9];
  ga_pass_frames(pass, el, &a, &b);
  ga_product_t3(a->R, b->R, R);
  const double level = hypot(R[0], R[3]);
  const bool upright = level < 1e-12; /* cos(pitch): rounding of 0 */
  values[1] = atan2(-R[6], level);
  values[0] = upright ? 0 : atan2(R[7], R[8]);
  values[2] = upright ? atan2(-R[1], R[4]) : atan2(R[3], R[0]);
}

/* ---- descriptions --------------------------------------------------------------------------- */

/* Set body and point of a point sensor from its description; side B is the ground. */
static ga_status describe_point(const ga_mechanism *m, const char *owner, const ga_sensor *sensor,
                                ga_element *el, ga_sensor_data *data, ga_error *err) {
  const ga_status status = ga_mechanism_body_named(m, owner, sensor->body, &el->body[0], err);
  if (status != GA_OK) return status;
  const ga_sides sides = {owner, {&m->bodies.item[el->body[0]], &m->bodies.item[0]}};
  return ga_locate_origins(&sides, "at", &sensor->at, data->s, err);
}

/* Set bodies and points of a distance sensor from its description. */
static ga_status describe_distance(const ga_mechanism *m, const char *owner,
                                   const ga_sensor *sensor, ga_element *el, ga_sensor_data *data,
                                   ga_error *err) {
  ga_sides sides = {.owner = owner};
  const ga_status status = ga_sides_of(m, sensor->between, el->body, &sides, err);
  if (status != GA_OK) return status;
  return ga_locate_origins(&sides, "at", &sensor->at, data->s, err);
}

/* Set bodies and directions of an angle sensor from its description. */
static ga_status describe_angle(const ga_mechanism *m, const char *owner, const ga_sensor *sensor,
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
static ga_status describe_orientation(const ga_mechanism *m, const char *owner,
                                      const ga_sensor *sensor, ga_element *el, ga_sensor_data *data,
                                      ga_error *err) {
  (void)data;
  ga_sides sides = {.owner = owner};
  return ga_sides_of(m, sensor->between, el->body, &sides, err);
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

static const ga_sensor_type types[] = {{.element = {.name = "point",
                                                    .what = "sensor",
                                                    .geometry = point_geometry,
                                                    GA_COLUMNS(point_columns),
                                                    .output = point_output},
                                        .describe = describe_point},
                                       {.element = {.name = "distance",
                                                    .what = "sensor",
                                                    .geometry = distance_geometry,
                                                    GA_COLUMNS(distance_columns),
                                                    .output = distance_output},
                                        .describe = describe_distance},
                                       {.element = {.name = "angle",
                                                    .what = "sensor",
                                                    .geometry = angle_geometry,
                                                    GA_COLUMNS(angle_columns),
                                                    .output = angle_output},
                                        .describe = describe_angle},
                                       {.element = {.name = "relative",
                                                    .what = "sensor",
                                                    .geometry = distance_geometry,
                                                    GA_COLUMNS(relative_columns),
                                                    .output = relative_output},
                                        .describe = describe_distance},
                                       {.element = {.name = "orientation",
                                                    .what = "sensor",
                                                    .geometry = angle_geometry,
                                                    GA_COLUMNS(orientation_columns),
                                                    .output = orientation_output},
                                        .describe = describe_orientation}};

/* The i-th type of sensors, NULL past the end. */
const ga_sensor_type *ga_sensor_type_at(int i) {
  return i >= 0 && i < (int)(sizeof types / sizeof types[0]) ? &types[i] : NULL;
}
