/* SPDX-License-Identifier: MIT */
/* Drives, couplers, forces and sensors, each checked against its table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/mechanism.h"

enum { OWNER = 160 };
static const char *const of_time[] = {"t", NULL}, *const of_state[] = {"s", "s_dot", "t", NULL};

/* the element is added last, when nothing can fail any more but memory */
static ga_status add_element(ga_mechanism *m, const char *name, ga_element *el, size_t size,
                             bool sensor, ga_error *err) {
  void *data = ga_arena_take(&m->arena, 1, size);
  int *coordinate = el->ncoordinate ? ga_arena_ints(&m->arena, (size_t)el->ncoordinate) : NULL;
  const bool room = sensor ? GA_GROW(m->sensors) : GA_GROW(m->others);
  if (m->arena.failed || !room) return ga_fail(err, GA_ERR_MEM, "no memory for '%s'", name);
  ga_status status = ga_mechanism_define(m, name, GA_NAMED_OTHER, 0, 0, err);
  if (status != GA_OK) return status;
  memcpy(data, el->data, size);
  if (coordinate) memcpy(coordinate, el->coordinate, (size_t)el->ncoordinate * sizeof *coordinate);
  el->data = data;
  el->coordinate = coordinate;
  el->name = ga_mechanism_find(m, name)->name;
  if (sensor) {
    m->sensors.item[m->sensors.count++] = *el;
  } else {
    m->others.item[m->others.count++] = *el;
  }
  return GA_OK;
}

static ga_status claim(ga_mechanism *m, const char *what, const char *name, char *owner,
                       ga_error *err) {
  ga_status status = ga_mechanism_claim(m, what, name, err);
  if (status == GA_OK) snprintf(owner, OWNER, "%s '%.120s'", what, name);
  return status;
}

/* ---- drives and couplers -------------------------------------------------------------------- */

static bool is_given(const ga_function *f) {
  return f->fn || f->text || f->constant != 0;
}

ga_status ga_mechanism_add_drive(ga_mechanism *m, const ga_drive *drive, ga_error *err) {
  char owner[OWNER];
  ga_law law;
  int coordinate;
  ga_status status = claim(m, "drive", drive->name, owner, err);
  if (status != GA_OK) return status;
  const bool position = is_given(&drive->position), rate = is_given(&drive->rate);
  if (position == rate) {
    return ga_fail(err, GA_ERR_ARG, "%s needs either a position or a rate", owner);
  }
  status = ga_mechanism_law(m, owner, position ? "position" : "rate",
                            position ? &drive->position : &drive->rate, of_time, &law, err);
  if (status == GA_OK) {
    status = ga_mechanism_coordinate_named(m, owner, drive->coordinate, &coordinate, err);
  }
  if (status != GA_OK) return status;
  ga_element el = {.type = position ? &ga_element_drive : &ga_element_rate,
                   .nlam = position,
                   .npsi = rate,
                   .ncoordinate = 1,
                   .coordinate = &coordinate,
                   .data = &law};
  return add_element(m, drive->name, &el, sizeof law, false, err);
}

static ga_status coupler_terms(ga_mechanism *m, const char *owner, const ga_coupler *coupler,
                               int *number, double *factor, ga_error *err) {
  for (int k = 0; k < coupler->count; k++) {
    ga_status status =
        ga_mechanism_coordinate_named(m, owner, coupler->coordinates[k], &number[k], err);
    if (status != GA_OK) return status;
    factor[k] = coupler->coefficients[k];
    if (!isfinite(factor[k]) || factor[k] == 0) {
      return ga_fail(err, GA_ERR_ARG, "%s: the coefficient of '%s' is %g", owner,
                     coupler->coordinates[k], factor[k]);
    }
    for (int i = 0; i < k; i++) {
      if (number[i] == number[k]) {
        return ga_fail(err, GA_ERR_ARG, "%s: '%s' stands in the sum twice", owner,
                       coupler->coordinates[k]);
      }
    }
  }
  return GA_OK;
}

ga_status ga_mechanism_add_coupler(ga_mechanism *m, const ga_coupler *coupler, ga_error *err) {
  char owner[OWNER];
  ga_status status = claim(m, "coupler", coupler->name, owner, err);
  if (status != GA_OK) return status;
  if (coupler->count < 1) return ga_fail(err, GA_ERR_ARG, "%s: its sum is empty", owner);
  if (coupler->equals.given && !isfinite(coupler->equals.value)) {
    return ga_fail(err, GA_ERR_ARG, "%s: equals is not a finite number", owner);
  }
  int *number = ga_arena_ints(&m->arena, (size_t)coupler->count);
  double *factor = ga_arena_doubles(&m->arena, (size_t)coupler->count);
  if (m->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  const int before = m->coordinates.count;
  status = coupler_terms(m, owner, coupler, number, factor, err);
  if (status != GA_OK) {
    ga_mechanism_forget_coordinates(m, before);
    return status;
  }
  ga_coupler_data data = {.coefficient = factor};
  for (int k = 0; k < coupler->count; k++) {
    data.equals += factor[k] * m->coordinates.item[number[k]].start;
  }
  if (coupler->equals.given) data.equals = coupler->equals.value;
  ga_element el = {.type = &ga_element_coupler,
                   .nlam = 1,
                   .ncoordinate = coupler->count,
                   .coordinate = number,
                   .data = &data};
  return add_element(m, coupler->name, &el, sizeof data, false, err);
}

/* ---- forces --------------------------------------------------------------------------------- */

typedef ga_status (*force_adder)(ga_mechanism *m, const char *owner, const ga_force *force,
                                 ga_element *el, void *data, ga_error *err);

/* a force or torque on one body: side B of the element, side A is the ground */
static ga_status on_body(ga_mechanism *m, const char *owner, const ga_force *force, ga_element *el,
                         void *out, ga_error *err) {
  ga_force_data *data = out;
  ga_status status = ga_mechanism_body_named(m, owner, force->body, &el->body[1], err);
  if (status != GA_OK) return status;
  if (el->body[1] == 0) return ga_fail(err, GA_ERR_ARG, "%s acts on the ground", owner);
  const ga_solid *b = &m->bodies.item[el->body[1]];
  if (el->type == &ga_element_torque && b->kind->nphi == 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: the point '%s' cannot be turned", owner, b->name);
  }
  if (el->type == &ga_element_torque && force->at.kind != GA_NOT_GIVEN) {
    return ga_fail(err, GA_ERR_ARG, "%s: a torque has no point", owner);
  }
  const ga_sides sides = {owner, {b, &m->bodies.item[0]}};
  double s[2][3];
  status = ga_locate_origins(&sides, "at", &force->at, s, err);
  if (status == GA_OK && force->at.kind & GA_SIDE_B) {
    status =
        ga_fail(err, GA_ERR_ARG, "%s: at is given in the frame of '%s' (GA_ON_A)", owner, b->name);
  }
  ga_copy3(s[0], data->s[1]);
  data->body_frame = force->frame == GA_FORCE_BODY;
  for (int i = 0; i < 3 && status == GA_OK; i++) {
    status = ga_mechanism_law(m, owner, "value", &force->value[i], of_time, &data->value[i], err);
  }
  return status;
}

static ga_status constants(ga_mechanism *m, const char *owner, const ga_force *force,
                           ga_force_data *data, ga_error *err) {
  const double numbers[4] = {force->stiffness, force->damping, force->length.value,
                             force->free.value};
  if (!ga_finite(4, numbers)) {
    return ga_fail(err, GA_ERR_ARG, "%s has a number that is not finite", owner);
  }
  data->stiffness = force->stiffness;
  data->damping = force->damping;
  return ga_mechanism_law(m, owner, "law", &force->law, of_state, &data->law, err);
}

static ga_status spring(ga_mechanism *m, const char *owner, const ga_force *force, ga_element *el,
                        void *out, ga_error *err) {
  ga_force_data *data = out;
  ga_sides sides = {.owner = owner};
  ga_frame a, b;
  ga_pair p;
  ga_status status = ga_sides_of(m, force->between, el->body, &sides, err);
  if (status == GA_OK) status = ga_locate_origins(&sides, "at", &force->at, data->s, err);
  if (status == GA_OK) status = constants(m, owner, force, data, err);
  if (status != GA_OK) return status;
  ga_solid_frame(sides.body[0], &a);
  ga_solid_frame(sides.body[1], &b);
  ga_pair_points(&p, false, &a, &b, data->s[0], data->s[1]);
  data->length = force->length.given ? force->length.value : ga_norm3(p.d);
  if (data->length < 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: length %g is negative", owner, data->length);
  }
  return GA_OK;
}

static ga_status torsion(ga_mechanism *m, const char *owner, const ga_force *force, ga_element *el,
                         void *out, ga_error *err) {
  ga_force_data *data = out;
  ga_status status = constants(m, owner, force, data, err);
  if (status != GA_OK) return status;
  int *number = ga_arena_ints(&m->arena, 1);
  if (!number) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  status = ga_mechanism_coordinate_named(m, owner, force->coordinate, number, err);
  if (status != GA_OK) return status;
  el->ncoordinate = 1;
  el->coordinate = number;
  data->length = force->free.given ? force->free.value : m->coordinates.item[*number].start;
  return GA_OK;
}

static ga_status bushing(ga_mechanism *m, const char *owner, const ga_force *force, ga_element *el,
                         void *out, ga_error *err) {
  ga_bushing_data *data = out;
  ga_sides sides = {.owner = owner};
  double s[2][3], E[2][9];
  ga_status status = ga_sides_of(m, force->between, el->body, &sides, err);
  if (status == GA_OK &&
      (sides.body[0]->kind == &ga_kind_planar || sides.body[1]->kind == &ga_kind_planar ||
       sides.body[0]->kind == &ga_kind_point || sides.body[1]->kind == &ga_kind_point)) {
    status = ga_fail(err, GA_ERR_ARG, "%s: a bushing is between rigid bodies", owner);
  }
  if (status == GA_OK) status = ga_locate_point(&sides, "at", &force->at, s, err);
  if (status == GA_OK) {
    status = ga_locate_axes(&sides, false, &force->axis, &force->x_axis, E, err);
  }
  if (status != GA_OK) return status;
  for (int side = 0; side < 2; side++) {
    ga_copy3(s[side], data->side[side].s);
    memcpy(data->side[side].E, E[side], sizeof E[side]);
  }
  if (force->K) memcpy(data->K, force->K, sizeof data->K);
  if (force->C) memcpy(data->C, force->C, sizeof data->C);
  if (!ga_finite(36, data->K) || !ga_finite(36, data->C)) {
    return ga_fail(err, GA_ERR_ARG, "%s has a number that is not finite", owner);
  }
  for (int i = 0; i < 36; i++) {
    data->damped = data->damped || data->C[i] != 0;
    const double other = data->K[6 * (i % 6) + i / 6];
    if (fabs(data->K[i] - other) > 1e-9 * (fabs(data->K[i]) + fabs(other))) {
      return ga_fail(err, GA_ERR_ARG, "%s: the stiffness K is not symmetric at row %d, column %d",
                     owner, i / 6 + 1, i % 6 + 1);
    }
  }
  return GA_OK;
}

static const struct force_type {
  const char *name;
  const ga_element_type *element;
  force_adder add;
  size_t size;
} force_types[] = {{"force", &ga_element_point_force, on_body, sizeof(ga_force_data)},
                   {"torque", &ga_element_torque, on_body, sizeof(ga_force_data)},
                   {"spring", &ga_element_spring, spring, sizeof(ga_force_data)},
                   {"torsion", &ga_element_torsion, torsion, sizeof(ga_force_data)},
                   {"bushing", &ga_element_bushing, bushing, sizeof(ga_bushing_data)}};
enum { NFORCE = (int)(sizeof force_types / sizeof force_types[0]) };

static const char *force_name(int i) {
  return i < NFORCE ? force_types[i].name : NULL;
}

static ga_status unknown_type(const char *owner, const char *type, const char *(*name)(int i),
                              ga_error *err) {
  const char *near = type ? ga_nearest_word(type, name) : NULL;
  if (!type) return ga_fail(err, GA_ERR_ARG, "%s: a type is missing", owner);
  if (!near) return ga_fail(err, GA_ERR_ARG, "%s: there is no type '%s'", owner, type);
  return ga_fail(err, GA_ERR_ARG, "%s: there is no type '%s'; did you mean '%s'?", owner, type,
                 near);
}

ga_status ga_mechanism_add_force(ga_mechanism *m, const ga_force *force, ga_error *err) {
  char owner[OWNER];
  union {
    ga_force_data force;
    ga_bushing_data bushing;
  } data;
  memset(&data, 0, sizeof data);
  ga_status status = claim(m, "force", force->name, owner, err);
  if (status != GA_OK) return status;
  for (int i = 0; force->type && i < NFORCE; i++) {
    if (strcmp(force_types[i].name, force->type) != 0) continue;
    ga_element el = {.type = force_types[i].element, .data = &data};
    status = force_types[i].add(m, owner, force, &el, &data, err);
    if (status != GA_OK) return status;
    return add_element(m, force->name, &el, force_types[i].size, false, err);
  }
  return unknown_type(owner, force->type, force_name, err);
}

/* ---- sensors -------------------------------------------------------------------------------- */

static const struct sensor_type {
  const char *name;
  const ga_element_type *element;
} sensor_types[] = {{"point", &ga_element_sensor_point},
                    {"distance", &ga_element_sensor_distance},
                    {"angle", &ga_element_sensor_angle}};
enum { NSENSOR = (int)(sizeof sensor_types / sizeof sensor_types[0]) };

static const char *sensor_name(int i) {
  return i < NSENSOR ? sensor_types[i].name : NULL;
}

static ga_status sensor_places(ga_mechanism *m, const char *owner, const ga_sensor *sensor,
                               ga_element *el, ga_sensor_data *data, ga_error *err) {
  ga_sides sides = {.owner = owner};
  ga_status status;
  if (el->type == &ga_element_sensor_point) {
    status = ga_mechanism_body_named(m, owner, sensor->body, &el->body[0], err);
    if (status != GA_OK) return status;
    sides.body[0] = &m->bodies.item[el->body[0]];
    sides.body[1] = &m->bodies.item[0];
    return ga_locate_origins(&sides, "at", &sensor->at, data->s, err);
  }
  status = ga_sides_of(m, sensor->between, el->body, &sides, err);
  if (status != GA_OK) return status;
  if (el->type == &ga_element_sensor_distance) {
    return ga_locate_origins(&sides, "at", &sensor->at, data->s, err);
  }
  if (sensor->directions.kind != GA_SIDES) {
    return ga_fail(err, GA_ERR_ARG, "%s needs directions on both sides", owner);
  }
  return ga_locate_direction(&sides, "directions", &sensor->directions, data->s, err);
}

ga_status ga_mechanism_add_sensor(ga_mechanism *m, const ga_sensor *sensor, ga_error *err) {
  char owner[OWNER];
  ga_sensor_data data = {{{0}}};
  ga_status status = claim(m, "sensor", sensor->name, owner, err);
  if (status != GA_OK) return status;
  for (int i = 0; sensor->type && i < NSENSOR; i++) {
    if (strcmp(sensor_types[i].name, sensor->type) != 0) continue;
    ga_element el = {.type = sensor_types[i].element, .data = &data};
    status = sensor_places(m, owner, sensor, &el, &data, err);
    return status != GA_OK ? status : add_element(m, sensor->name, &el, sizeof data, true, err);
  }
  return unknown_type(owner, sensor->type, sensor_name, err);
}
