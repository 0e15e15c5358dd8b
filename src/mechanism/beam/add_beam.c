/* SPDX-License-Identifier: MIT */
/* ga_mechanism_beam: from the description of a beam to nodes and elements. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "genalpha/ga_beam.h"
#include "mechanism/beam/beam.h"

/* ---- checks --------------------------------------------------------------------------------- */

/* GA_ERR_ARG naming the first of n values of the section that is not positive. */
static ga_status check_positive(const char *beam, const char *field, int n, const double *x,
                                ga_error *err) {
  for (int i = 0; i < n; i++) {
    if (x[i] > 0 && isfinite(x[i])) continue;
    return ga_fail(err, GA_ERR_ARG, "beam '%s': %s of the section is %g; it must be positive", beam,
                   field, x[i]);
  }
  return GA_OK;
}

/* K (6 x 6) <- stiffness of the section; fails unless it is symmetric and positive definite and mass
 * and rotary inertia are positive. */
ga_status ga_beam_section_stiffness(const char *beam, const ga_beam_section *s, double *K,
                                    ga_error *err) {
  const struct {
    const char *name;
    int n;
    const double *x;
  } value[] = {{"rhoA", 1, &s->rhoA}, {"rhoI", 3, s->rhoI}, {"EA", 1, &s->EA},
               {"GA", 2, s->GA},      {"GJ", 1, &s->GJ},    {"EI", 2, s->EI}};
  for (int i = 0; i < (s->K ? 2 : 6); i++) {
    const ga_status status = check_positive(beam, value[i].name, value[i].n, value[i].x, err);
    if (status != GA_OK) return status;
  }
  memset(K, 0, 36 * sizeof *K);
  if (!s->K) {
    const double diagonal[6] = {s->EA, s->GA[0], s->GA[1], s->GJ, s->EI[0], s->EI[1]};
    for (int i = 0; i < 6; i++) K[7 * i] = diagonal[i];
    return GA_OK;
  }
  if (!ga_finite(36, s->K)) {
    return ga_fail(err, GA_ERR_ARG, "beam '%s': K has a number that is not finite", beam);
  }
  for (int i = 0; i < 36; i++) {
    const double other = s->K[6 * (i % 6) + i / 6];
    if (fabs(s->K[i] - other) > 1e-9 * (fabs(s->K[i]) + fabs(other))) {
      return ga_fail(err, GA_ERR_ARG, "beam '%s': K is not symmetric at row %d, column %d", beam,
                     i / 6 + 1, i % 6 + 1);
    }
    K[i] = 0.5 * (s->K[i] + other);
  }
  double inverse[36];
  memcpy(inverse, K, sizeof inverse);
  if (ga_invert_spd6(inverse)) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "beam '%s': K is not positive definite", beam);
}

/* q <- frame (x, p) of a node; fails if it is not one. */
static ga_status node_frame(const ga_beam *beam, const ga_beam_node *nodes, int k, double *q,
                            ga_error *err) {
  const double *p = nodes[k].orientation;
  const double length = sqrt(p[0] * p[0] + ga_dot3(p + 1, p + 1));
  if (!ga_finite(3, nodes[k].position) || !isfinite(length)) {
    return ga_fail(err, GA_ERR_ARG, "beam '%s': node %d has a number that is not finite",
                   beam->name, k);
  }
  if (length != 0 && fabs(length - 1) > 1e-6) {
    return ga_fail(err, GA_ERR_ARG, "beam '%s': the quaternion of node %d has length %g, not 1",
                   beam->name, k, length);
  }
  ga_copy3(nodes[k].position, q);
  memcpy(q + 3, p, 4 * sizeof *q);
  if (length == 0) q[3] = 1;
  ga_quat_clean(q + 3);
  return GA_OK;
}

/* d <- log of frame k + 1 relative to frame k; fails if they are turned too far, or are one point. */
static ga_status node_difference(const ga_beam *beam, const ga_beam_node *nodes, int k, double *d,
                                 ga_error *err) {
  double qa[7], qb[7];
  ga_status status = node_frame(beam, nodes, k, qa, err);
  if (status == GA_OK) status = node_frame(beam, nodes, k + 1, qb, err);
  if (status != GA_OK) return status;
  ga_group_se3.diff(1, qa, qb, d);
  if (!(ga_norm3(d + 3) < GA_BEAM_TURN_MOST)) {
    return ga_fail(err, GA_ERR_ARG,
                   "beam '%s': the frames of nodes %d and %d are turned against each other by "
                   "%.4g rad, more than 0.95 pi: use more elements",
                   beam->name, k, k + 1, ga_norm3(d + 3));
  }
  if (!(ga_norm3(d) > 0)) {
    return ga_fail(err, GA_ERR_ARG, "beam '%s': element %d has zero length", beam->name, k + 1);
  }
  return GA_OK;
}

/* Everything that can be wrong with numbers of the description but the section and the frames. */
static ga_status check_numbers(const ga_beam *beam, ga_error *err) {
  if (beam->elements < 1) {
    return ga_fail(err, GA_ERR_ARG, "beam '%s': a beam needs at least 1 element, not %d",
                   beam->name, beam->elements);
  }
  if (!beam->nodes) return ga_fail(err, GA_ERR_ARG, "beam '%s': it has no nodes", beam->name);
  bool finite = ga_finite(6, beam->damping) && ga_finite(3, beam->load) &&
                ga_finite(3, beam->velocity) && ga_finite(3, beam->angular_velocity);
  for (int k = 0; beam->node_velocities && k <= beam->elements; k++) {
    finite = finite && ga_finite(6, beam->node_velocities + 6 * k);
  }
  if (!finite) {
    return ga_fail(err, GA_ERR_ARG, "beam '%s' has a number that is not finite", beam->name);
  }
  for (int i = 0; i < 6; i++) {
    if (beam->damping[i] >= 0) continue;
    return ga_fail(err, GA_ERR_ARG, "beam '%s': damping %g is negative", beam->name,
                   beam->damping[i]);
  }
  return GA_OK;
}

/* ---- elements ------------------------------------------------------------------------------- */

/* Fill the data of element k (from 0) with the section's stiffness K. */
static ga_status make_element(const ga_beam *beam, int k, const double *K, ga_beam_data *e,
                              ga_error *err) {
  const ga_beam_section *s = &beam->section;
  double d[6];
  *e = (ga_beam_data){.lumped = beam->mass == GA_BEAM_LUMPED,
                      .constant_strain = beam->stiffness == GA_BEAM_CONSTANT_STRAIN};
  ga_status status = node_difference(beam, beam->nodes, k, d, err);
  if (status != GA_OK) return status;
  memcpy(e->d0, d, sizeof d);
  if (beam->reference) status = node_difference(beam, beam->reference, k, e->d0, err);
  if (status != GA_OK) return status;
  e->h = ga_norm3(e->d0);
  memcpy(e->K, K, sizeof e->K);
  if (beam->stiffness == GA_BEAM_FLEXIBILITY && !ga_beam_flexibility(K, e->d0, e->K)) {
    return ga_fail(err, GA_ERR_ARG,
                   "beam '%s': the stiffnesses of its section are too different (element %d)",
                   beam->name, k + 1);
  }
  for (int i = 0; i < 36; i++) {
    e->K[i] /= e->h;
    e->C[i] = sqrt(beam->damping[i / 6] * beam->damping[i % 6]) * e->K[i];
    e->damped = e->damped || e->C[i] != 0;
  }
  e->mass = s->rhoA * e->h;
  for (int i = 0; i < 3; i++) {
    e->J[i] = 0.5 * s->rhoI[i] * e->h;
    e->load[i] = beam->load[i] / s->rhoA;
  }
  e->EA = K[0], e->GJ = K[21], e->EI[0] = K[28], e->EI[1] = K[35];
  return GA_OK;
}

/* Radius for pictures: that of a solid circle with the ratio of EI and EA, at most L/40. */
static double guess_radius(const ga_beam *beam, const double *K, double length) {
  if (beam->section.radius > 0) return beam->section.radius;
  return fmin(2 * sqrt(fmin(K[28], K[35]) / K[0]), length / 40);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Velocity of node k in space axes. */
static void set_velocity(const ga_beam *beam, int k, ga_solid *b) {
  if (beam->node_velocities) {
    ga_copy3(beam->node_velocities + 6 * k, b->xd0);
    ga_copy3(beam->node_velocities + 6 * k + 3, b->w0);
    return;
  }
  double arm[3];
  ga_plus3(b->x0, -1, beam->nodes[0].position, arm);
  ga_copy3(beam->velocity, b->xd0);
  ga_copy3(beam->angular_velocity, b->w0);
  ga_add_cross3(1, b->w0, arm, b->xd0);
}

/* Define "BEAM.END" as a body. *name <- the copy in m. */
static ga_status define_node(ga_mechanism *m, const char *beam, const char *end, int index,
                             const char **name, ga_error *err) {
  char text[200];
  snprintf(text, sizeof text, "%.160s.%s", beam, end);
  const ga_status status = ga_mechanism_define(m, text, GA_NAMED_BODY, index, 0, err);
  if (status == GA_OK) *name = ga_mechanism_find(m, text)->name;
  return status;
}

/* Append node k to m->bodies under its names; elements: data of all of them. */
static ga_status add_node(ga_mechanism *m, const ga_beam *beam, int k, const ga_beam_data *elements,
                          ga_error *err) {
  const bool first = k == 0, last = k == beam->elements;
  char end[32];
  double q[7];
  ga_solid b = {.kind = ga_body_kind_of_node(beam->formulation),
                .look = {.hide = true}, /* the line of the beam is drawn */
                .quiet = !first && !last};
  ga_status status = node_frame(beam, beam->nodes, k, q, err);
  if (status != GA_OK) return status;
  ga_copy3(q, b.x0);
  memcpy(b.p0, q + 3, sizeof b.p0);
  ga_rotation3(b.p0, b.R0);
  set_velocity(beam, k, &b);
  for (int i = first ? k : k - 1; i <= k && i < beam->elements; i++) { /* nominal: lumped */
    b.mass += 0.5 * elements[i].mass;
    for (int n = 0; n < 3; n++) b.J[4 * n] += elements[i].J[n];
  }
  b.diagonal = true;
  if (!GA_GROW(m->bodies)) return ga_fail(err, GA_ERR_MEM, "no memory for beam '%s'", beam->name);
  snprintf(end, sizeof end, "n%d", k);
  status = define_node(m, beam->name, end, m->bodies.count, &b.node_name, err);
  b.name = b.node_name;
  if (status == GA_OK && (first || last)) {
    status = define_node(m, beam->name, first ? "start" : "end", m->bodies.count, &b.name, err);
  }
  if (status == GA_OK) m->bodies.item[m->bodies.count++] = b;
  return status;
}

/* Append element k between nodes first + k and first + k + 1. */
static ga_status add_element(ga_mechanism *m, const ga_beam *beam, int first, int k,
                             const ga_beam_data *data, ga_error *err) {
  char end[32];
  snprintf(end, sizeof end, ".s%d", k + 1);
  const char *name = ga_mechanism_text(m, beam->name, end);
  if (!name || !GA_GROW(m->others)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for beam '%s'", beam->name);
  }
  m->others.item[m->others.count++] = (ga_element){
      .type = &ga_element_beam, .name = name, .body = {first + k, first + k + 1}, .data = data};
  return GA_OK;
}

/* Take back what a beam without enough memory has added. */
static void forget(ga_mechanism *m, const char *beam, int bodies, int others, int nodes) {
  char text[200];
  m->bodies.count = bodies;
  m->others.count = others;
  for (int k = -3; k <= nodes; k++) {
    if (k >= 0) snprintf(text, sizeof text, "%.160s.n%d", beam, k);
    if (k < 0) {
      static const char *const end[] = {"", ".start", ".end"};
      snprintf(text, sizeof text, "%.160s%s", beam, end[-1 - k]);
    }
    if (ga_mechanism_find(m, text)) ga_mechanism_undefine(m, text);
  }
}

/* Add the beam to pictures: a line through its nodes, number `first` on, along their x axes. */
static ga_status add_drawing(ga_mechanism *m, const ga_beam *beam, int first, double radius,
                             ga_error *err) {
  const int n = beam->elements + 1;
  ga_line_point *points = ga_arena_take(&m->arena, (size_t)n, sizeof *points);
  if (!points) return ga_fail(err, GA_ERR_MEM, "no memory for beam '%s'", beam->name);
  for (int k = 0; k < n; k++) points[k].body = first - 1 + k;
  const ga_line line = {.name = beam->name,
                        .type = "beam",
                        .count = n,
                        .point = points,
                        .radius = radius,
                        .curved = true};
  return ga_mechanism_add_line(m, &line, err);
}

/* ---- the beam ------------------------------------------------------------------------------- */

/* *placed <- the beam of a sub-assembly in space: nodes and their velocities, the load. The reference
 * stays: only differences of its nodes count. */
static ga_status place_beam(ga_mechanism *m, const ga_beam *beam, ga_beam *placed, ga_error *err) {
  const size_t n = (size_t)beam->elements + 1;
  ga_beam_node *nodes = ga_arena_take(&m->arena, n, sizeof *nodes);
  double *v = ga_arena_doubles(&m->arena, 6 * n);
  if (m->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for beam '%s'", beam->name);
  *placed = *beam;
  for (int k = 0; k <= beam->elements; k++) {
    ga_solid own = {.mass = 0};
    ga_body there, here = {.name = beam->name, .type = GA_BODY_RIGID};
    ga_copy3(beam->nodes[k].position, here.position);
    ga_copy3(here.position, own.x0);
    memcpy(here.orientation, beam->nodes[k].orientation, sizeof here.orientation);
    set_velocity(beam, k, &own);
    ga_copy3(own.xd0, here.velocity);
    ga_copy3(own.w0, here.angular_velocity);
    const ga_status status = ga_base_body(&m->base, &here, &there, err);
    if (status != GA_OK) return status;
    ga_copy3(there.position, nodes[k].position);
    memcpy(nodes[k].orientation, there.orientation, sizeof there.orientation);
    ga_copy3(there.velocity, v + 6 * k);
    ga_copy3(there.angular_velocity, v + 6 * k + 3);
  }
  placed->nodes = nodes;
  placed->node_velocities = v;
  ga_times3(m->base.R, beam->load, placed->load);
  return GA_OK;
}

/* Add a beam that stands in space. */
static ga_status add_beam(ga_mechanism *m, const ga_beam *beam, ga_error *err) {
  const int n = beam->elements;
  double K[36], length = 0;
  ga_status status = ga_beam_section_stiffness(beam->name, &beam->section, K, err);
  if (status != GA_OK) return status;
  ga_beam_data *data = ga_arena_take(&m->arena, (size_t)n, sizeof *data);
  if (!data) return ga_fail(err, GA_ERR_MEM, "no memory for beam '%s'", beam->name);
  for (int k = 0; k < n && status == GA_OK; k++) {
    status = make_element(beam, k, K, &data[k], err);
    length += data[k].h;
  }
  if (status != GA_OK) return status;
  const int bodies = m->bodies.count, others = m->others.count;
  status = ga_mechanism_define(m, beam->name, GA_NAMED_BEAM, bodies, 0, err);
  const char *name = status == GA_OK ? ga_mechanism_find(m, beam->name)->name : NULL;
  for (int k = 0; k <= n && status == GA_OK; k++) status = add_node(m, beam, k, data, err);
  for (int k = 0; k < n && status == GA_OK; k++) {
    data[k].beam = name;
    data[k].radius = guess_radius(beam, K, length);
    status = add_element(m, beam, bodies, k, &data[k], err);
  }
  if (status == GA_OK) status = add_drawing(m, beam, bodies, data[0].radius, err);
  if (status != GA_OK) forget(m, beam->name, bodies, others, n);
  return status;
}

/* Add a beam, which stands in the frame of the sub-assembly if there is one. */
ga_status ga_mechanism_beam(ga_mechanism *m, const ga_beam *beam, ga_error *err) {
  ga_beam placed;
  ga_status status = ga_mechanism_claim(m, "beam", beam->name, err);
  if (status == GA_OK) status = check_numbers(beam, err);
  if (status != GA_OK || !m->base.placed) return status == GA_OK ? add_beam(m, beam, err) : status;
  status = place_beam(m, beam, &placed, err);
  return status == GA_OK ? add_beam(m, &placed, err) : status;
}
