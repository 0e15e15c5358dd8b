/* SPDX-License-Identifier: MIT */
/* Units of the named outputs. A file is in SI units, so the unit of a column follows from what it
 * is: mostly from the end of its name, for a few from the kind of its element. */
#include <string.h>

#include "mechanism/mechanism.h"

static const char METRE[] = "m", SPEED[] = "m/s", RADIAN[] = "rad", TURNING[] = "rad/s",
                  FORCE[] = "N", MOMENT[] = "N m", UNKNOWN[] = "";

/* ends of names, separated by blanks */
static const struct {
  const char *ends, *unit;
} by_end[] = {{"t", "s"},
              {".x .y .z .length", METRE},
              {".e0 .e1 .e2 .e3", "1"},
              {".vx .vy .vz", SPEED},
              {".wx .wy .wz", TURNING},
              {".ax .ay .az", "m/s^2"},
              {".alx .aly .alz .al", "rad/s^2"},
              {".angle", RADIAN},
              {".fx .fy .fz .Fx .Fy .Fz .f .force .tension", FORCE},
              {".mx .my .mz", MOMENT},
              {"energy.kinetic energy.potential energy.total", "J"},
              {"momentum.x momentum.y momentum.z", "kg m/s"},
              {"angular_momentum.x angular_momentum.y angular_momentum.z", "kg m^2/s"}};

static const char *find_end(const char *end) {
  const size_t n = strlen(end);
  for (size_t k = 0; k < sizeof by_end / sizeof by_end[0]; k++) {
    for (const char *at = by_end[k].ends; *at;) {
      const size_t length = strcspn(at, " ");
      if (length == n && strncmp(at, end, n) == 0) return by_end[k].unit;
      at += length + (at[length] == ' ');
    }
  }
  return UNKNOWN;
}

/* the block a column belongs to, NULL for those of the whole mechanism */
static const ga_column_block *find_block(const ga_mechanism *m, int column) {
  const ga_column_block *blocks = m->blocks.item;
  if (column >= m->ndefault) {
    for (int i = m->blocks.count - 1; i >= 0; i--) {
      if (blocks[i].extra >= 0 && blocks[i].extra <= column) return &blocks[i];
    }
    return NULL;
  }
  int low = 0, high = m->blocks.count; /* the last block that begins at the column or before */
  while (low < high) {
    const int middle = (low + high) / 2;
    if (blocks[middle].first <= column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 ? &blocks[low - 1] : NULL;
}

static bool is_angle(const ga_mechanism *m, const ga_element *el) {
  const ga_angle *c = &m->coordinates.item[el->coordinate[0]];
  const ga_joint_data *joint = m->joints.item[c->joint].data;
  return joint->type->coordinate[c->which].angle;
}

/* Elements whose columns have a name of their own, or a name that means something else elsewhere.
 * The effort of a coupler multiplies coordinates of all kinds. */
static const char *element_unit(const ga_mechanism *m, const ga_element *el, const char *end) {
  const ga_element_type *type = el->type;
  const bool rate = strcmp(end, "_rate") == 0;
  if (type == &ga_element_coordinate) {
    if (is_angle(m, el)) return rate ? TURNING : RADIAN;
    return rate ? SPEED : METRE;
  }
  if (type == &ga_element_drive || type == &ga_element_rate || type == &ga_element_torsion) {
    return is_angle(m, el) ? MOMENT : FORCE;
  }
  if (type == &ga_element_spring && strcmp(end, ".rate") == 0) return SPEED;
  if (type == &ga_element_sensor_distance) return rate ? SPEED : METRE;
  if (type == &ga_element_sensor_angle) return RADIAN;
  return find_end(end);
}

const char *ga_mechanism_column_unit(const ga_mechanism *m, int i) {
  const char *name = ga_mechanism_column_name(m, i);
  if (!name) return NULL;
  const char *whole = find_end(name);
  const ga_column_block *block = *whole ? NULL : find_block(m, i);
  if (!block) return whole;
  if (block->element) return element_unit(m, block->element, name + strlen(block->element->name));
  const char *end = name + strlen(m->bodies.item[block->body].name);
  return strcmp(end, ".rate") == 0 ? TURNING : find_end(end);
}
