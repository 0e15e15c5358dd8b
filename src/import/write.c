/* SPDX-License-Identifier: MIT */
/* The model file of a robot: text that a person can read and go on with. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/robot.h"
#include "mechanism/space3.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

/* A text in double quotes, as YAML wants it. */
static void put_text(ga_buffer *to, const char *text) {
  ga_buffer_add(to, "\"");
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') ga_buffer_add(to, "\\");
    ga_buffer_append(to, text, 1);
  }
  ga_buffer_add(to, "\"");
}

/* ", orientation: .." or the like: the angles of the file, or a quaternion; nothing if it is not
 * turned. */
static void put_orientation(ga_buffer *to, const char *before, const ga_pose *pose) {
  if (pose->p[0] == 1) return;
  ga_buffer_add(to, "%sorientation: ", before);
  if (pose->product) {
    ga_buffer_numbers(to, 4, pose->p);
    return;
  }
  const double angles[3] = {pose->rpy[2], pose->rpy[1], pose->rpy[0]};
  ga_buffer_add(to, "{euler: {sequence: zyx, angles: ");
  ga_buffer_numbers(to, 3, angles);
  ga_buffer_add(to, "}}");
}

/* "key: number", with a text before it */
static void put_number(ga_buffer *to, const char *before, double x) {
  ga_buffer_add(to, "%s", before);
  ga_buffer_number(to, x);
}

/* "key: [..]", with a text before it */
static void put_numbers(ga_buffer *to, const char *before, int n, const double *x) {
  ga_buffer_add(to, "%s", before);
  ga_buffer_numbers(to, n, x);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Path of a mesh: as the file names it, or where --package and --mesh-dir say that it is. */
static void put_mesh_path(const ga_robot *r, ga_buffer *to, const char *mesh) {
  const ga_import_options *o = r->options;
  static const char package[] = "package://";
  const size_t n = strlen(package);
  if (strncmp(mesh, package, n) == 0) {
    for (int i = 0; i < o->npackage; i++) {
      const size_t m = strlen(o->package[i].name);
      if (strncmp(mesh + n, o->package[i].name, m) != 0 || mesh[n + m] != '/') continue;
      ga_buffer_add(to, "%s%s", o->package[i].directory, mesh + n + m);
      return;
    }
  } else if (o->mesh_directory && mesh[0] != '/' && !strstr(mesh, "://")) {
    ga_buffer_add(to, "%s/", o->mesh_directory);
  }
  ga_buffer_add(to, "%s", mesh);
}

/* One look as an entry of a list: its shape, where it is in the frame of the body, its colour. */
static void put_look(ga_robot *r, ga_buffer *to, const char *before, const ga_robot_look *look,
                     const ga_pose *pose) {
  const double *s = look->scale;
  ga_buffer_add(to, "%s- {", before);
  if (look->shape == GA_LOOK_BOX) {
    put_numbers(to, "box: ", 3, look->box);
  } else if (look->shape == GA_LOOK_CYLINDER) {
    put_number(to, "cylinder: {radius: ", look->radius);
    put_number(to, ", length: ", look->length);
    ga_buffer_add(to, "}");
  } else if (look->shape == GA_LOOK_SPHERE) {
    put_number(to, "sphere: {radius: ", look->radius);
    ga_buffer_add(to, "}");
  } else {
    ga_buffer path = {.text = NULL};
    put_mesh_path(r, &path, ga_robot_text(r, look->mesh));
    ga_buffer_add(to, "mesh: ");
    put_text(to, path.text ? path.text : "");
    to->failed = to->failed || path.failed;
    ga_buffer_free(&path);
    if (s[0] != 1 || s[1] != 1 || s[2] != 1) put_numbers(to, ", scale: ", 3, s);
  }
  put_numbers(to, ", position: ", 3, pose->x);
  put_orientation(to, ", ", pose);
  if (look->coloured) ga_buffer_add(to, ", colour: \"#%06x\"", (unsigned)look->colour);
  ga_buffer_add(to, "}\n");
}

/* The looks of a list of links that are one body, or the ground. `before`: the indent of its keys. */
static void put_looks(ga_robot *r, ga_buffer *to, const char *before, int first, const int *next) {
  int shapes = 0;
  char item[16];
  snprintf(item, sizeof item, "%s  ", before);
  for (int i = first; i >= 0; i = next[i]) {
    for (const ga_robot_look *l = r->links[i].looks; l; l = l->next) {
      ga_pose pose;
      if (shapes++ == 0) ga_buffer_add(to, "%slook:\n", before);
      ga_pose_product(&r->links[i].in_kept, &l->pose, &pose);
      put_look(r, to, item, l, &pose);
    }
  }
}

/* Has one of these links a look? */
static bool has_look(const ga_robot *r, int first, const int *next) {
  for (int i = first; i >= 0; i = next[i]) {
    if (r->links[i].looks) return true;
  }
  return false;
}

/* Where a body is: in the frame of the body that its parent belongs to. */
static void put_pose(const ga_robot *r, ga_buffer *to, const ga_robot_link *link) {
  if (link->joint == GA_NO_JOINT) return;
  const ga_robot_joint *j = &r->joints[link->joint];
  const ga_robot_link *parent = &r->links[j->parent];
  ga_pose pose;
  ga_pose_product(&parent->in_kept, &j->origin, &pose);
  if (parent->kept != GA_LINK_GROUND) ga_buffer_add(to, "    in: %s\n", parent->as);
  if (ga_max_abs(3, pose.x) > 0) {
    put_numbers(to, "    position: ", 3, pose.x);
    ga_buffer_add(to, "\n");
  }
  if (pose.p[0] != 1) {
    put_orientation(to, "    ", &pose);
    ga_buffer_add(to, "\n");
  }
}

/* Mass, centre of mass and inertia of a body. */
static void put_mass(ga_buffer *to, const ga_robot_link *link) {
  const double *J = link->all_J, six[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
  put_number(to, "    mass: ", link->all_mass);
  ga_buffer_add(to, "\n");
  if (ga_max_abs(3, link->all_com) > 0) {
    put_numbers(to, "    com: ", 3, link->all_com);
    ga_buffer_add(to, "\n");
  }
  if (ga_max_abs(6, six) == 0) return;
  put_numbers(to, "    inertia: ", ga_max_abs(3, six + 3) > 0 ? 6 : 3, six);
  ga_buffer_add(to, "\n");
}

/* "    # a, b are part of it", of the links merged into k */
static void put_merged(ga_robot *r, ga_buffer *to, int k, const int *next) {
  int n = 0;
  for (int i = k; i >= 0; i = next[i]) {
    if (i == k) continue;
    ga_buffer_add(to, "%s%s", n++ ? ", " : "    # ", ga_robot_text(r, r->links[i].name));
  }
  if (n) ga_buffer_add(to, n > 1 ? " are part of it\n" : " is part of it\n");
}

/* One body: what it is made of, weighs, where it is, how it looks. still: start values are set by an
 * assembly, so that a free body must be told to stay. */
static void put_body(ga_robot *r, ga_buffer *to, int k, const int *next, bool still) {
  const ga_robot_link *link = &r->links[k];
  ga_buffer_add(to, "  %s:\n", link->as);
  put_merged(r, to, k, next);
  put_mass(to, link);
  put_pose(r, to, link);
  if (still && ga_robot_is_free(r, k)) {
    ga_buffer_add(to, "    velocity: [0, 0, 0]\n    angular_velocity: [0, 0, 0]\n");
  }
  put_looks(r, to, "    ", k, next);
}

/* The looks of the ground and the section `bodies`, each behind its parent. */
static void put_bodies(ga_robot *r, ga_buffer *to, bool still) {
  /* links that are one body, or the ground, as lists in their order; each begins with its `kept` */
  int *next = ga_arena_ints(r->arena, (size_t)r->nlink);
  int *last = ga_arena_ints(r->arena, (size_t)r->nlink);
  int ground = -1, ground_last = -1;
  if (!next || !last) {
    ga_robot_no_memory(r);
    return;
  }
  for (int n = 0; n < r->nlink; n++) {
    const int i = r->order[n], k = r->links[i].kept;
    int *end = k >= 0 ? &last[k] : &ground_last;
    next[i] = -1;
    if (k < 0 && ground < 0) {
      ground = i;
    } else if (k != i) {
      next[*end] = i;
    }
    *end = i;
  }
  if (ground >= 0 && has_look(r, ground, next)) {
    ga_buffer_add(to, "ground:\n");
    put_looks(r, to, "  ", ground, next);
  }
  ga_buffer_add(to, "bodies:\n");
  for (int n = 0; n < r->nlink; n++) {
    if (r->links[r->order[n]].kept == r->order[n]) put_body(r, to, r->order[n], next, still);
  }
}

/* ---- joints, couplers ------------------------------------------------------------------------ */

/* Stiffness of the stops of a joint: that of the options, or the one that the joint's own largest
 * effort presses in by 1 % of its range. */
static bool stop_stiffness(ga_robot *r, const ga_robot_joint *j, double *k) {
  const double range = j->upper.value - j->lower.value;
  *k = r->options->stop_stiffness;
  if (!(range > 0)) {
    return ga_robot_fail(r, j->limit, "lower %g must be less than upper %g for a stop",
                         j->lower.value, j->upper.value);
  }
  if (*k > 0) return true;
  *k = j->effort.value / (0.01 * range);
  return (*k > 0 && isfinite(*k)) ||
         ga_robot_fail(r, j->limit,
                       "the stiffness of a stop follows from the effort, which is not given: write "
                       "--limits stop=K");
}

/* The limits of a joint as a comment behind it. */
static void put_limits_comment(ga_buffer *to, const ga_robot_joint *j) {
  const char *before = "  # limits: ";
  if (j->lower.given) {
    put_number(to, before, j->lower.value);
    put_number(to, " to ", j->upper.value);
    before = ", ";
  }
  if (j->effort.given) {
    ga_buffer_add(to, "%s", before);
    put_number(to, "effort ", j->effort.value);
    before = ", ";
  }
  if (j->velocity.given) {
    ga_buffer_add(to, "%s", before);
    put_number(to, "velocity ", j->velocity.value);
  }
}

/* One joint. */
static void put_joint(ga_robot *r, ga_buffer *to, const ga_robot_joint *j) {
  static const char *const types[] = {
      [GA_ROBOT_REVOLUTE] = "revolute",   [GA_ROBOT_CONTINUOUS] = "revolute",
      [GA_ROBOT_PRISMATIC] = "prismatic", [GA_ROBOT_FIXED] = "fixed",
      [GA_ROBOT_FLOATING] = "",           [GA_ROBOT_PLANAR] = "planar"};
  const char *child = r->links[j->child].as;
  ga_buffer_add(to, "  %s: {type: %s, between: [%s, %s], at: {%s: [0, 0, 0]}", j->as,
                types[j->type], r->links[j->parent].as, child, child);
  if (j->type != GA_ROBOT_FIXED) {
    ga_buffer_add(to, ", axis: {%s: ", child);
    ga_buffer_numbers(to, 3, j->axis);
    ga_buffer_add(to, "}");
  }
  if (j->turns != 0) put_number(to, ", turns: ", j->turns);
  if (j->damping > 0 && ga_robot_coordinates(j) == 1) put_number(to, ", damping: ", j->damping);
  if (j->friction > 0 && ga_robot_coordinates(j) == 1 && !r->options->ignore_friction) {
    put_number(to, ", friction: {friction: ", j->friction);
    put_number(to, ", speed: ", r->options->friction_rate > 0 ? r->options->friction_rate : 0.01);
    ga_buffer_add(to, "}");
  }
  if (j->lower.given && r->options->stops) {
    double k;
    if (!stop_stiffness(r, j, &k)) return;
    put_number(to, ", limits: {lower: ", j->lower.value);
    put_number(to, ", upper: ", j->upper.value);
    put_number(to, ", stiffness: ", k);
    ga_buffer_add(to, "}");
  }
  ga_buffer_add(to, "}");
  put_limits_comment(to, j);
  ga_buffer_add(to, "\n");
}

/* Couplers of joints that mimic others: value - multiplier master = offset. */
static void put_couplers(const ga_robot *r, ga_buffer *to) {
  int n = 0;
  for (int i = 0; i < r->njoint; i++) {
    const ga_robot_joint *j = &r->joints[i];
    if (!j->mimic) continue;
    const ga_robot_joint *master = &r->joints[j->master];
    if (n++ == 0) ga_buffer_add(to, "couplers:\n");
    ga_buffer_add(to, "  mimic_%s: {sum: {%s.%s: 1", j->as, j->as, ga_robot_coordinate(j, 0));
    if (j->multiplier != 0) {
      ga_buffer_add(to, ", %s.%s: ", master->as, ga_robot_coordinate(master, 0));
      ga_buffer_number(to, -j->multiplier);
    }
    put_number(to, "}, equals: ", j->offset);
    ga_buffer_add(to, "}\n");
  }
}

/* ---- the start, the output ------------------------------------------------------------------- */

/* Must the robot be assembled: does a coordinate start elsewhere than at 0, or a coupler? */
static bool needs_assembly(const ga_robot *r) {
  for (int i = 0; i < r->njoint; i++) {
    const ga_robot_joint *j = &r->joints[i];
    for (int k = 0; k < ga_robot_coordinates(j); k++) {
      if (j->value[k] != 0 || j->rate[k] != 0) return true;
    }
  }
  return false;
}

/* "  coordinates: {..}" or "  rates: {..}": of all joints that move by themselves */
static void put_start(const ga_robot *r, ga_buffer *to, bool rates) {
  const char *before = rates ? "  rates: {" : "  coordinates: {";
  for (int i = 0; i < r->njoint; i++) {
    const ga_robot_joint *j = &r->joints[i];
    for (int k = 0; k < ga_robot_coordinates(j) && !j->mimic; k++) {
      ga_buffer_add(to, "%s%s.%s: ", before, j->as, ga_robot_coordinate(j, k));
      ga_buffer_number(to, rates ? j->rate[k] : j->value[k]);
      before = ", ";
    }
  }
  if (before[0] == ',') ga_buffer_add(to, "}\n");
}

/* The section `initial`: the assembly holds free bodies and sets all coordinates. */
static void put_initial(const ga_robot *r, ga_buffer *to) {
  const char *before = "  fix: [";
  ga_buffer_add(to, "initial:\n  assemble: true\n");
  for (int i = 0; i < r->nlink; i++) {
    if (r->links[i].kept != i || !ga_robot_is_free(r, i)) continue;
    ga_buffer_add(to, "%s%s", before, r->links[i].as);
    before = ", ";
  }
  if (before[0] == ',') ga_buffer_add(to, "]\n");
  put_start(r, to, false);
  put_start(r, to, true);
}

/* The section `output`: all coordinates, and the energy. */
static void put_output(const ga_robot *r, ga_buffer *to) {
  ga_buffer_add(to, "output: [");
  for (int i = 0; i < r->njoint; i++) {
    const ga_robot_joint *j = &r->joints[i];
    for (int k = 0; k < ga_robot_coordinates(j); k++) {
      ga_buffer_add(to, "%s.%s, ", j->as, ga_robot_coordinate(j, k));
    }
  }
  for (int i = 0; i < r->nlink; i++) {
    const char *name = r->links[i].as;
    if (r->links[i].kept != i || !ga_robot_is_free(r, i)) continue;
    ga_buffer_add(to, "%s.x, %s.y, %s.z, ", name, name, name);
  }
  ga_buffer_add(to, "energy.total]\n");
}

/* Append the whole model file, without the comments at its head. */
void ga_robot_write(ga_robot *r, ga_buffer *to) {
  static const double earth[3] = {0, 0, -9.81};
  const bool assemble = needs_assembly(r);
  double gravity[3];
  int joints = 0;
  ga_buffer_add(to, "genalpha: 1\n");
  if (r->name[0]) {
    ga_buffer_add(to, "name: ");
    put_text(to, r->name);
    ga_buffer_add(to, "\n");
  }
  for (int i = 0; i < 3; i++) {
    const ga_given *g = &r->options->gravity[i];
    gravity[i] = g->given ? g->value : earth[i];
  }
  put_numbers(to, "gravity: ", 3, gravity);
  ga_buffer_add(to, "\n");
  put_bodies(r, to, assemble);
  for (int i = 0; i < r->njoint; i++) {
    if (!r->joints[i].as) continue;
    if (joints++ == 0) ga_buffer_add(to, "joints:\n");
    put_joint(r, to, &r->joints[i]);
  }
  put_couplers(r, to);
  if (assemble) put_initial(r, to);
  put_output(r, to);
}
