/* SPDX-License-Identifier: MIT */
/* What pictures show of a link: boxes, cylinders, spheres, meshes, colours. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "import/robot.h"

/* colour <- 0xrrggbb of an element `color`, whose numbers go from 0 to 1. */
static bool read_colour(ga_robot *r, const ga_xml *element, int *colour) {
  double rgba[4] = {0, 0, 0, 1};
  if (!ga_robot_numbers(r, element, "rgba", 4, rgba, true, NULL)) return false;
  *colour = 0;
  for (int i = 0; i < 3; i++) {
    *colour = 256 * *colour + (int)lround(255 * fmin(fmax(rgba[i], 0), 1));
  }
  return true;
}

/* Report a shape with a length that is not positive. */
static bool report_flat(ga_robot *r, const ga_xml *shape, bool *drawn) {
  *drawn = false;
  return ga_robot_report(r, GA_LOG_WARNING, shape, "a length is not positive: it is not drawn");
}

/* Do pages read this kind of mesh? Others, such as Collada, are named only. */
static bool is_readable(const char *mesh) {
  const char *end = strrchr(mesh, '.');
  return end && (strcasecmp(end, ".stl") == 0 || strcasecmp(end, ".obj") == 0);
}

/* Read the file of a mesh and its scale. */
static bool read_mesh(ga_robot *r, const ga_xml *mesh, ga_robot_look *look, bool *drawn) {
  double *s = look->scale;
  look->shape = GA_LOOK_MESH;
  look->mesh = ga_robot_name(r, mesh, "filename");
  look->node = mesh;
  s[0] = s[1] = s[2] = 1;
  if (!look->mesh || !ga_robot_numbers(r, mesh, "scale", 3, s, false, NULL)) return false;
  if (s[0] == 0 || s[1] == 0 || s[2] == 0) {
    *drawn = false;
    return ga_robot_report(r, GA_LOG_WARNING, mesh, "a scale is 0: it is not drawn");
  }
  return is_readable(look->mesh) || ga_robot_unused(r, GA_UNUSED_MESH, mesh);
}

/* Read the shape of a look. *drawn: it has a form in a model file, or is a mesh. */
static bool read_geometry(ga_robot *r, const ga_xml *geometry, ga_robot_look *look, bool *drawn) {
  const ga_xml *shape = geometry ? geometry->first : NULL;
  const double *a = look->box;
  *drawn = shape != NULL;
  if (!shape) return true;
  if (strcmp(shape->name, "box") == 0) {
    look->shape = GA_LOOK_BOX;
    if (!ga_robot_numbers(r, shape, "size", 3, look->box, true, NULL)) return false;
    return (a[0] > 0 && a[1] > 0 && a[2] > 0) || report_flat(r, shape, drawn);
  }
  const bool cylinder = strcmp(shape->name, "cylinder") == 0;
  if (cylinder || strcmp(shape->name, "sphere") == 0) {
    look->shape = cylinder ? GA_LOOK_CYLINDER : GA_LOOK_SPHERE;
    look->length = 1; /* of a sphere: not used */
    if (!ga_robot_numbers(r, shape, "radius", 1, &look->radius, true, NULL) ||
        !ga_robot_numbers(r, shape, "length", 1, &look->length, cylinder, NULL)) {
      return false;
    }
    return (look->radius > 0 && look->length > 0) || report_flat(r, shape, drawn);
  }
  if (strcmp(shape->name, "mesh") == 0) return read_mesh(r, shape, look, drawn);
  *drawn = false; /* words.c has reported it */
  return true;
}

/* Append the looks of a link, in the order of the file. */
bool ga_robot_read_looks(ga_robot *r, ga_robot_link *link) {
  ga_robot_look **end = &link->looks;
  for (const ga_xml *e = link->node->first; e; e = e->next) {
    if (strcmp(e->name, "visual") != 0) continue;
    const ga_xml *material = ga_xml_child(e, "material");
    const ga_xml *colour = material ? ga_xml_child(material, "color") : NULL;
    ga_robot_look *look = ga_arena_take(r->arena, 1, sizeof *look);
    bool drawn;
    if (!look) return ga_robot_no_memory(r);
    *look = (ga_robot_look){.node = e, .coloured = colour != NULL};
    if (material) look->material = ga_xml_attribute(material, "name");
    if (!ga_robot_origin(r, e, &look->pose)) return false;
    if (!read_geometry(r, ga_xml_child(e, "geometry"), look, &drawn)) return false;
    if (colour && !read_colour(r, colour, &look->colour)) return false;
    if (!drawn) continue;
    *end = look;
    end = &look->next;
  }
  return true;
}

/* Enter the colour of an element `material` under its name, unless it has one. */
static bool add_material(ga_robot *r, const ga_xml *material, ga_name_table *table) {
  const char *name = ga_xml_attribute(material, "name");
  const ga_xml *colour = ga_xml_child(material, "color");
  int value;
  if (!name || !colour || ga_name_table_find(table, name)) return true;
  if (!read_colour(r, colour, &value)) return false;
  ga_name_table_add(table, name, value);
  return true;
}

/* Give looks without a colour that of the material they name, wherever it is defined: in the robot,
 * or in another look. */
bool ga_robot_colour_looks(ga_robot *r) {
  ga_name_table table;
  size_t most = 1;
  for (const ga_xml *e = r->root_element->first; e; e = e->next) most++;
  for (int i = 0; i < r->nlink; i++) {
    for (const ga_robot_look *l = r->links[i].looks; l; l = l->next) most++;
  }
  if (!ga_name_table_new(r, most, &table)) return ga_robot_no_memory(r);
  for (const ga_xml *e = r->root_element->first; e; e = e->next) {
    if (strcmp(e->name, "material") == 0 && !add_material(r, e, &table)) return false;
  }
  for (int i = 0; i < r->nlink; i++) {
    for (const ga_robot_look *l = r->links[i].looks; l; l = l->next) {
      if (l->coloured && l->material && !ga_name_table_find(&table, l->material)) {
        ga_name_table_add(&table, l->material, l->colour);
      }
    }
  }
  for (int i = 0; i < r->nlink; i++) {
    for (ga_robot_look *l = r->links[i].looks; l; l = l->next) {
      const int *colour = l->material ? ga_name_table_find(&table, l->material) : NULL;
      if (l->coloured || !colour) continue;
      l->coloured = true;
      l->colour = *colour;
    }
  }
  return true;
}
