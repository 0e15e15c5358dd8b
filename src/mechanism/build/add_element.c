/* SPDX-License-Identifier: MIT */
/* Drives, couplers, forces and sensors, each checked against its table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/force/force.h"
#include "mechanism/joint/relation.h"

enum { OWNER = 160 }; /* bytes of "force 'name'", the beginning of messages */

/* Append *el to m->sensors (sensor) or m->others and define its name, which must be free; call it
 * last, only memory can fail. el->coordinate and `size` bytes of el->data are copied to the arena
 * (size 0: the data are there already); sets data, coordinate and name of *el. */
static ga_status add_element(ga_mechanism *m, const char *name, ga_element *el, size_t size,
                             bool sensor, ga_error *err) {
  void *data = size ? ga_arena_take(&m->arena, 1, size) : NULL;
  int *coordinate = el->ncoordinate ? ga_arena_ints(&m->arena, (size_t)el->ncoordinate) : NULL;
  const bool room = sensor ? GA_GROW(m->sensors) : GA_GROW(m->others);
  if (m->arena.failed || !room) return ga_fail(err, GA_ERR_MEM, "no memory for '%s'", name);
  ga_status status = ga_mechanism_define(m, name, sensor ? GA_NAMED_SENSOR : GA_NAMED_OTHER,
                                         sensor ? m->sensors.count : m->others.count, 0, err);
  if (status != GA_OK) return status;
  if (data) memcpy(data, el->data, size);
  if (coordinate) memcpy(coordinate, el->coordinate, (size_t)el->ncoordinate * sizeof *coordinate);
  if (data) el->data = data;
  el->coordinate = coordinate;
  el->name = ga_mechanism_find(m, name)->name;
  if (sensor) {
    m->sensors.item[m->sensors.count++] = *el;
  } else {
    m->others.item[m->others.count++] = *el;
  }
  return GA_OK;
}

/* Append a drive, coupler, rope or force to m->others; see add_element. */
ga_status ga_mechanism_add_other(ga_mechanism *m, const char *name, ga_element *el, size_t size,
                                 ga_error *err) {
  return add_element(m, name, el, size, false /* no sensor */, err);
}

/* Check that the name can be used (ga_mechanism_claim), and write "what 'name'" into owner[OWNER],
 * for messages. */
static ga_status claim_name(ga_mechanism *m, const char *what, const char *name, char *owner,
                            ga_error *err) {
  ga_status status = ga_mechanism_claim(m, what, name, err);
  if (status == GA_OK) snprintf(owner, OWNER, "%s '%.120s'", what, name);
  return status;
}

/* ---- drives and couplers -------------------------------------------------------------------- */

/* Add a drive: one holonomic row coordinate = position(t), or one nonholonomic row coordinate' =
 * rate(t). The coordinate is created if it does not exist yet. Fails (GA_ERR_ARG) unless exactly
 * one of position and rate is given; then m is unchanged. */
ga_status ga_mechanism_add_drive(ga_mechanism *m, const ga_drive *drive, ga_error *err) {
  char owner[OWNER];
  ga_law law;
  int coordinate;
  ga_status status = claim_name(m, "drive", drive->name, owner, err);
  if (status != GA_OK) return status;
  const bool position = ga_function_given(&drive->position), rate = ga_function_given(&drive->rate);
  if (position == rate) {
    return ga_fail(err, GA_ERR_ARG, "%s needs either a position or a rate", owner);
  }
  status = ga_mechanism_law(m, owner, position ? "position" : "rate",
                            position ? &drive->position : &drive->rate, ga_of_time, &law, err);
  if (status == GA_OK && position && law.uses) {
    status = ga_fail(err, GA_ERR_ARG,
                     "%s: position is a function of t alone, it cannot use '%s'; a rate can", owner,
                     law.uses->name[0]);
  }
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
  return ga_mechanism_add_other(m, drive->name, &el, sizeof law, err);
}

/* Add a coupler: one holonomic row sum of factor[k] coordinate[k] = equals, a number (default: its
 * value at the start, before an assembly) or a function of t and coordinates. Coordinates are created
 * if necessary; a description with a mistake fails and leaves none behind. */
ga_status ga_mechanism_add_coupler(ga_mechanism *m, const ga_coupler *coupler, ga_error *err) {
  char owner[OWNER];
  ga_status status = claim_name(m, "coupler", coupler->name, owner, err);
  if (status != GA_OK) return status;
  if (coupler->count < 1) return ga_fail(err, GA_ERR_ARG, "%s: its sum is empty", owner);
  if (coupler->equals.given && !isfinite(coupler->equals.value)) {
    return ga_fail(err, GA_ERR_ARG, "%s: equals is not a finite number", owner);
  }
  const ga_relation_terms terms = {coupler->count, coupler->coordinates, coupler->coefficients,
                                   coupler->equals.given ? NULL : &coupler->function, "equals"};
  ga_relation data;
  ga_element el = {.type = &ga_element_coupler, .nlam = 1, .data = &data};
  status = ga_relation_describe(m, owner, &terms, &el, &data, err);
  if (status != GA_OK) return status;
  if (coupler->equals.given) data.equals = coupler->equals.value;
  return ga_mechanism_add_other(m, coupler->name, &el, sizeof data, err);
}

/* ---- forces and sensors --------------------------------------------------------------------- */

/* Fail (GA_ERR_ARG) with "there is no type 'x'; did you mean 'y'?", or that it is missing (type is
 * NULL); name(i) lists the known types, NULL past the end. */
static ga_status fail_unknown_type(const char *owner, const char *type, const char *(*name)(int i),
                                   ga_error *err) {
  const char *near = type ? ga_nearest_word(type, name) : NULL;
  if (!type) return ga_fail(err, GA_ERR_ARG, "%s: a type is missing", owner);
  if (!near) return ga_fail(err, GA_ERR_ARG, "%s: there is no type '%s'", owner, type);
  return ga_fail(err, GA_ERR_ARG, "%s: there is no type '%s'; did you mean '%s'?", owner, type,
                 near);
}

/* Name of the i-th type of forces, NULL past the end. */
static const char *force_name(int i) {
  const ga_force_type *type = ga_force_type_at(i);
  return type ? type->element.name : NULL;
}

/* Add a force to m->others: check its fields against the type's table, then let the type fill
 * element and data (which may create a coordinate). Fails for an unknown type and for wrong fields;
 * no force is added then. */
ga_status ga_mechanism_add_force(ga_mechanism *m, const ga_force *force, ga_error *err) {
  char owner[OWNER];
  ga_status status = claim_name(m, "force", force->name, owner, err);
  if (status != GA_OK) return status;
  const ga_force_type *type = force->type ? ga_force_type_named(force->type) : NULL;
  if (!type) return fail_unknown_type(owner, force->type, force_name, err);
  status = ga_force_check_fields(owner, type, force, err);
  if (status != GA_OK) return status;
  void *data = ga_arena_take(&m->arena, 1, type->size);
  if (!data) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  ga_element el = {.type = &type->element, .data = data};
  status = type->describe(m, owner, force, &el, data, err);
  /* 0: the data are in the arena already; false: no sensor */
  return status != GA_OK ? status : add_element(m, force->name, &el, 0, false, err);
}

/* Name of the i-th type of sensors, NULL past the end. */
static const char *sensor_name(int i) {
  const ga_sensor_type *type = ga_sensor_type_at(i);
  return type ? type->element.name : NULL;
}

/* Add a sensor to m->sensors: output columns only; it acts on nothing. Fails for an unknown type,
 * body or field; no sensor is added then. */
ga_status ga_mechanism_add_sensor(ga_mechanism *m, const ga_sensor *sensor, ga_error *err) {
  char owner[OWNER];
  ga_sensor_data data = {.s = {{0}}};
  ga_status status = claim_name(m, "sensor", sensor->name, owner, err);
  if (status != GA_OK) return status;
  const ga_sensor_type *type = NULL;
  for (int i = 0; sensor->type && (type = ga_sensor_type_at(i)); i++) {
    if (strcmp(type->element.name, sensor->type) == 0) break;
  }
  if (!type) return fail_unknown_type(owner, sensor->type, sensor_name, err);
  ga_element el = {.type = &type->element, .data = &data};
  status = type->describe(m, owner, sensor, &el, &data, err);
  return status != GA_OK ? status : add_element(m, sensor->name, &el, sizeof data, true, err);
}
