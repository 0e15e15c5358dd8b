/* SPDX-License-Identifier: MIT */
/* A mechanism as pictures see it. Elements know points from the centres of mass, pictures from the
 * origins of the body frames. */
#include "genalpha/ga_drawable.h"

#include <string.h>

#include "mechanism/mechanism.h"

bool ga_mechanism_body_at(const ga_mechanism *m, int i, ga_body_info *info) {
  if (i < 0 || i + 1 >= m->bodies.count) return false;
  const ga_solid *b = &m->bodies.item[i + 1];
  const double *J = b->J;
  *info = (ga_body_info){.name = b->name,
                         .type = b->kind == &ga_kind_planar  ? GA_BODY_PLANAR
                                 : b->kind == &ga_kind_point ? GA_BODY_POINT
                                                             : GA_BODY_RIGID,
                         .mass = b->mass,
                         .inertia = {J[0], J[4], J[8], J[1], J[2], J[5]},
                         .look = b->look};
  double arm[3];
  ga_copy3(b->com, info->com);
  ga_times3(b->R0, b->com, arm);
  ga_plus3(b->x0, -1, arm, info->position);
  memcpy(info->orientation, b->p0, sizeof info->orientation);
  return true;
}

/* the point and the joint axes of one side; E NULL: the axes of the body */
static void place(const ga_mechanism *m, ga_drawable *part, int side, const double *s,
                  const double *E) {
  const ga_solid *b = &m->bodies.item[part->body[side] + 1];
  ga_plus3(s, 1, b->com, part->at[side]);
  ga_identity3(part->axes[side]);
  if (E) memcpy(part->axes[side], E, sizeof part->axes[side]);
}

static void fill_joint(const ga_mechanism *m, const ga_element *el, ga_drawable *part) {
  const ga_joint_data *data = el->data;
  part->type = data->type->name;
  part->length = data->length;
  part->radius = data->radius;
  for (int side = 0; side < 2; side++) {
    place(m, part, side, data->side[side].s, data->side[side].E);
  }
}

static void fill_spring(const ga_mechanism *m, const ga_element *el, ga_drawable *part) {
  const ga_force_data *data = el->data;
  part->length = data->length;
  for (int side = 0; side < 2; side++) place(m, part, side, data->s[side], NULL);
}

static void fill_bushing(const ga_mechanism *m, const ga_element *el, ga_drawable *part) {
  const ga_bushing_data *data = el->data;
  for (int side = 0; side < 2; side++) {
    place(m, part, side, data->side[side].s, data->side[side].E);
  }
}

/* Elements on one body have it as side B; pictures see it as side A. */
static void fill_load(const ga_mechanism *m, const ga_element *el, ga_drawable *part) {
  const ga_force_data *data = el->data;
  part->single = true;
  part->body[0] = el->body[1] - 1;
  part->body[1] = -1;
  place(m, part, 0, data->s[1], NULL);
}

static void fill_sensor(const ga_mechanism *m, const ga_element *el, ga_drawable *part) {
  const ga_sensor_data *data = el->data;
  part->single = el->type == &ga_element_sensor_point;
  for (int side = 0; side < 2 - part->single; side++) place(m, part, side, data->s[side], NULL);
}

/* directions, not points: shown at the origins of the bodies */
static void fill_angle(const ga_mechanism *m, const ga_element *el, ga_drawable *part) {
  (void)el;
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = &m->bodies.item[part->body[side] + 1];
    const double origin[3] = {-b->com[0], -b->com[1], -b->com[2]};
    place(m, part, side, origin, NULL);
  }
}

static const struct other {
  const ga_element_type *element;
  const char *type;
  void (*fill)(const ga_mechanism *m, const ga_element *el, ga_drawable *part);
} others[] = {{&ga_element_point_force, "force", fill_load},
              {&ga_element_torque, "torque", fill_load},
              {&ga_element_spring, "spring", fill_spring},
              {&ga_element_bushing, "bushing", fill_bushing},
              {&ga_element_sensor_point, "point", fill_sensor},
              {&ga_element_sensor_distance, "distance", fill_sensor},
              {&ga_element_sensor_angle, "angle", fill_angle}};
enum { NOTHER = (int)(sizeof others / sizeof others[0]) };

static const struct other *other_of(const ga_element *el) {
  for (int i = 0; i < NOTHER; i++) {
    if (others[i].element == el->type) return &others[i];
  }
  return NULL;
}

static void begin(const ga_element *el, ga_drawable *part) {
  *part = (ga_drawable){.name = el->name, .body = {el->body[0] - 1, el->body[1] - 1}};
}

bool ga_mechanism_drawable(const ga_mechanism *m, ga_drawable_kind kind, int i, ga_drawable *part) {
  if (i < 0) return false;
  if (kind == GA_DRAWABLE_JOINT) {
    if (i >= m->joints.count) return false;
    begin(&m->joints.item[i], part);
    fill_joint(m, &m->joints.item[i], part);
    return true;
  }
  const bool sensors = kind == GA_DRAWABLE_SENSOR;
  const ga_element *list = sensors ? m->sensors.item : m->others.item;
  const int count = sensors ? m->sensors.count : m->others.count;
  for (int k = 0; k < count; k++) {
    const struct other *other = other_of(&list[k]);
    if (!other || i-- > 0) continue;
    begin(&list[k], part);
    part->type = other->type;
    other->fill(m, &list[k], part);
    return true;
  }
  return false;
}

void ga_mechanism_gravity(const ga_mechanism *m, double gravity[3]) {
  ga_copy3(m->gravity, gravity);
}
