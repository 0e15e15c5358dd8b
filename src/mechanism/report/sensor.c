/* SPDX-License-Identifier: MIT */
/* Sensors: columns that act on nothing. */
#include "mechanism/mechanism.h"

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

static void distance_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                            double *values) {
  (void)state;
  const ga_sensor_data *data = el->data;
  const ga_frame *a, *b;
  ga_pair p;
  double rate[3];
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(&p, false, a, b, data->s[0], data->s[1]);
  ga_pair_rate(&p, rate);
  values[0] = ga_norm3(p.d);
  values[1] = values[0] > 0 ? ga_dot3(p.d, rate) / values[0] : ga_norm3(rate);
}

/* atan2(|a x b|, a.b) has full accuracy at both ends of [0, pi] */
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

static const char *const point_names[] = {".x",  ".y",  ".z",  ".vx", ".vy",
                                          ".vz", ".ax", ".ay", ".az"};
static const char *const distance_names[] = {"", "_rate"}, *const angle_names[] = {""};

const ga_element_type ga_element_sensor_point = {
    .what = "sensor", .columns = point_names, .ncolumn = 9, .output = point_output};
const ga_element_type ga_element_sensor_distance = {
    .what = "sensor", .columns = distance_names, .ncolumn = 2, .output = distance_output};
const ga_element_type ga_element_sensor_angle = {
    .what = "sensor", .columns = angle_names, .ncolumn = 1, .output = angle_output};
