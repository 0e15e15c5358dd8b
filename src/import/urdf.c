/* SPDX-License-Identifier: MIT */
/* URDF: links with what they weigh, joints with what they do. */
#include <math.h>
#include <string.h>

#include "import/robot.h"
#include "mechanism/space3.h"

static const struct {
  const char *name;
  int coordinates;
  const char *coordinate[3];
} types[] = {[GA_ROBOT_REVOLUTE] = {"revolute", 1, {"angle"}},
             [GA_ROBOT_CONTINUOUS] = {"continuous", 1, {"angle"}},
             [GA_ROBOT_PRISMATIC] = {"prismatic", 1, {"position"}},
             [GA_ROBOT_FIXED] = {"fixed", 0, {NULL}},
             [GA_ROBOT_FLOATING] = {"floating", 0, {NULL}},
             [GA_ROBOT_PLANAR] = {"planar", 3, {"x", "y", "angle"}}};
enum { NTYPE = (int)(sizeof types / sizeof types[0]) };

/* Number of coordinates of a joint in the model file. */
int ga_robot_coordinates(const ga_robot_joint *j) {
  return types[j->type].coordinates;
}

/* Name of its k-th coordinate. */
const char *ga_robot_coordinate(const ga_robot_joint *j, int k) {
  return types[j->type].coordinate[k];
}

/* Candidates for "did you mean". */
static const char *type_name(int i) {
  return i < NTYPE ? types[i].name : NULL;
}
static const char *link_name(const void *robot, int i) {
  const ga_robot *r = robot;
  return i < r->nlink ? r->links[i].name : NULL;
}
static const char *joint_name(const void *robot, int i) {
  const ga_robot *r = robot;
  return i < r->njoint ? r->joints[i].name : NULL;
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Set mass, com and J of a link from its element `inertial`: J = R I R^T in the axes of the link
 * with R of the origin; the numbers of the file where R = 1. */
static bool read_inertial(ga_robot *r, const ga_xml *inertial, ga_robot_link *link) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const int slots[6][2] = {{0, 0}, {4, 4}, {8, 8}, {1, 3}, {2, 6}, {5, 7}};
  const ga_xml *mass = ga_xml_child(inertial, "mass"), *inertia = ga_xml_child(inertial, "inertia");
  double I[9] = {0}, R[9], RI[9], Rt[9];
  ga_pose origin;
  if (!ga_robot_origin(r, inertial, &origin)) return false;
  if (mass && !ga_robot_numbers(r, mass, "value", 1, &link->mass, true, NULL)) return false;
  if (link->mass < 0) return ga_robot_fail(r, mass, "the mass %g is negative", link->mass);
  for (int i = 0; i < 6 && inertia; i++) {
    double x = 0;
    if (!ga_robot_numbers(r, inertia, names[i], 1, &x, i < 3, NULL)) return false;
    I[slots[i][0]] = I[slots[i][1]] = x;
  }
  ga_copy3(origin.x, link->com);
  memcpy(link->J, I, sizeof I);
  if (origin.p[0] == 1) return true;
  ga_rotation3(origin.p, R);
  for (int i = 0; i < 9; i++) Rt[i] = R[3 * (i % 3) + i / 3];
  ga_product3(R, I, RI);
  ga_product3(RI, Rt, link->J);
  for (int i = 0; i < 3; i++) { /* symmetric to the last bit */
    const int j = (i + 1) % 3;
    link->J[3 * i + j] = link->J[3 * j + i] = 0.5 * (link->J[3 * i + j] + link->J[3 * j + i]);
  }
  return true;
}

/* Read link number i from its element. */
static bool read_link(ga_robot *r, const ga_xml *element, int i, ga_name_table *names) {
  ga_robot_link *link = &r->links[i];
  *link = (ga_robot_link){.node = element, .name = ga_robot_name(r, element, "name")};
  if (!link->name) return false;
  const int *known = ga_name_table_find(names, link->name);
  if (known) {
    return ga_robot_fail(r, element, "a second link '%.60s'; the first is in line %d", link->name,
                         r->links[*known].node->line);
  }
  ga_name_table_add(names, link->name, i);
  const ga_xml *inertial = ga_xml_child(element, "inertial");
  if (inertial && !read_inertial(r, inertial, link)) return false;
  return ga_robot_read_looks(r, link);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* *link <- the link that `parent` or `child` of a joint names. The link `world` need not be there:
 * it is made. */
static bool read_end(ga_robot *r, const ga_xml *joint, const char *end, ga_name_table *links,
                     int *link) {
  const ga_xml *element = ga_xml_child(joint, end);
  if (!element) return ga_robot_fail(r, joint, "the element '%s' is missing", end);
  const char *name = ga_robot_name(r, element, "link");
  if (!name) return false;
  const int *known = ga_name_table_find(links, name);
  if (!known && strcmp(name, "world") == 0 && strcmp(end, "parent") == 0) {
    r->links[r->nlink] = (ga_robot_link){.name = name};
    ga_name_table_add(links, name, r->nlink);
    *link = r->nlink++;
    return true;
  }
  if (!known) {
    const char *near = ga_nearest_in(name, link_name, r);
    return ga_robot_fail(r, element, "there is no link '%.60s'%s%.60s%s", name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  *link = *known;
  return true;
}

/* Set the type of a joint, by its name. */
static bool read_type(ga_robot *r, ga_robot_joint *j) {
  const char *type = ga_robot_name(r, j->node, "type");
  if (!type) return false;
  for (int i = 0; i < NTYPE; i++) {
    if (strcmp(types[i].name, type) != 0) continue;
    j->type = (ga_robot_type)i;
    return true;
  }
  const char *near = ga_nearest_word(type, type_name);
  return ga_robot_fail(r, j->node, "unknown type '%.40s'%s%s%s", type,
                       near
                           ? "; did you mean '"
                           : "; known are revolute, continuous, prismatic, fixed, floating, planar",
                       near ? near : "", near ? "'?" : "");
}

/* Set the axis: in the frame of the child, of length 1; x if it is not given. */
static bool read_axis(ga_robot *r, ga_robot_joint *j) {
  const ga_xml *axis = ga_xml_child(j->node, "axis");
  j->axis[0] = 1;
  if (!axis || ga_robot_coordinates(j) == 0) return true;
  if (!ga_robot_numbers(r, axis, "xyz", 3, j->axis, true, NULL)) return false;
  const double largest = ga_max_abs(3, j->axis);
  if (!(largest > 0)) return ga_robot_fail(r, axis, "the axis is zero and has no direction");
  if (fabs(ga_dot3(j->axis, j->axis) - 1) < 4e-16) return true; /* the numbers of the file */
  for (int i = 0; i < 3; i++) j->axis[i] /= largest; /* no square overflows or vanishes */
  const double length = ga_norm3(j->axis);
  for (int i = 0; i < 3; i++) j->axis[i] /= length;
  return true;
}

/* Set damping, friction and limits. */
static bool read_dynamics(ga_robot *r, ga_robot_joint *j) {
  const ga_xml *dynamics = ga_xml_child(j->node, "dynamics");
  const ga_xml *limit = j->limit = ga_xml_child(j->node, "limit");
  if (dynamics) {
    if (!ga_robot_numbers(r, dynamics, "damping", 1, &j->damping, false, NULL)) return false;
    if (!ga_robot_numbers(r, dynamics, "friction", 1, &j->friction, false, NULL)) return false;
    if (j->damping < 0) return ga_robot_fail(r, dynamics, "damping %g is negative", j->damping);
    if (j->friction < 0) return ga_robot_fail(r, dynamics, "friction %g is negative", j->friction);
  }
  if (!limit) return true;
  if (!ga_robot_number(r, limit, "lower", &j->lower) ||
      !ga_robot_number(r, limit, "upper", &j->upper) ||
      !ga_robot_number(r, limit, "effort", &j->effort) ||
      !ga_robot_number(r, limit, "velocity", &j->velocity)) {
    return false;
  }
  /* one that is not given is 0 */
  if (j->lower.given || j->upper.given) j->lower.given = j->upper.given = true;
  const bool limited = j->type == GA_ROBOT_REVOLUTE || j->type == GA_ROBOT_PRISMATIC;
  const bool endless = j->lower.value < -GA_ROBOT_LARGEST && j->upper.value > GA_ROBOT_LARGEST;
  if (!limited || endless) j->lower.given = j->upper.given = false;
  if (j->lower.given && j->lower.value > j->upper.value) {
    return ga_robot_report(r, GA_LOG_WARNING, limit, "the limit lower = %g is above upper = %g",
                           j->lower.value, j->upper.value);
  }
  return true;
}

/* Read joint number i from its element; the joint that it mimics is found later. */
static bool read_joint(ga_robot *r, const ga_xml *element, int i, ga_name_table *names,
                       ga_name_table *links) {
  ga_robot_joint *j = &r->joints[i];
  *j = (ga_robot_joint){.node = element, .multiplier = 1, .master = GA_NO_JOINT};
  j->name = ga_robot_name(r, element, "name");
  if (!j->name) return false;
  const int *known = ga_name_table_find(names, j->name);
  if (known) {
    return ga_robot_fail(r, element, "a second joint '%.60s'; the first is in line %d", j->name,
                         r->joints[*known].node->line);
  }
  ga_name_table_add(names, j->name, i);
  return read_type(r, j) && read_end(r, element, "parent", links, &j->parent) &&
         read_end(r, element, "child", links, &j->child) &&
         ga_robot_origin(r, element, &j->origin) && read_axis(r, j) && read_dynamics(r, j);
}

/* Set the joint that joint j mimics: j = multiplier master + offset. */
static bool read_mimic(ga_robot *r, ga_robot_joint *j, const ga_name_table *names) {
  const ga_xml *mimic = ga_xml_child(j->node, "mimic");
  if (!mimic) return true;
  if (ga_robot_coordinates(j) != 1) {
    return ga_robot_report(r, GA_LOG_WARNING, mimic, "a joint of type %s cannot mimic another one",
                           types[j->type].name);
  }
  const char *name = ga_robot_name(r, mimic, "joint");
  if (!name) return false;
  const int *known = ga_name_table_find(names, name);
  if (!known) {
    const char *near = ga_nearest_in(name, joint_name, r);
    return ga_robot_fail(r, mimic, "there is no joint '%.60s'%s%.60s%s", name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  const ga_robot_joint *master = &r->joints[*known];
  if (master == j) return ga_robot_fail(r, mimic, "a joint cannot mimic itself");
  if (ga_robot_coordinates(master) != 1) {
    return ga_robot_fail(r, mimic, "the joint '%.60s' of type %s has no value to mimic", name,
                         types[master->type].name);
  }
  j->mimic = mimic;
  j->master = *known;
  return ga_robot_numbers(r, mimic, "multiplier", 1, &j->multiplier, false, NULL) &&
         ga_robot_numbers(r, mimic, "offset", 1, &j->offset, false, NULL);
}

/* Number of elements of this name inside another. */
static int count_elements(const ga_xml *element, const char *name) {
  int n = 0;
  for (const ga_xml *e = element->first; e; e = e->next) n += strcmp(e->name, name) == 0;
  return n;
}

/* Read all links, then all joints, of r->root_element. */
bool ga_robot_read_urdf(ga_robot *r) {
  const ga_xml *robot = r->root_element;
  const size_t nlink = (size_t)count_elements(robot, "link") + 1; /* and the world */
  const size_t njoint = (size_t)count_elements(robot, "joint");
  ga_name_table links, joints;
  const char *name = ga_xml_attribute(robot, "name");
  r->name = name ? ga_robot_text(r, name) : "";
  r->links = ga_arena_take(r->arena, nlink, sizeof *r->links);
  r->joints = ga_arena_take(r->arena, njoint, sizeof *r->joints);
  if (!r->links || !r->joints || !ga_name_table_new(r, nlink, &links) ||
      !ga_name_table_new(r, njoint, &joints)) {
    return ga_robot_no_memory(r);
  }
  if (!ga_robot_check_words(r, robot)) return false;
  for (const ga_xml *e = robot->first; e; e = e->next) {
    if (strcmp(e->name, "link") != 0) continue;
    if (!read_link(r, e, r->nlink, &links)) return false;
    r->nlink++;
  }
  if (r->nlink == 0) return ga_robot_fail(r, robot, "there is no link");
  for (const ga_xml *e = robot->first; e; e = e->next) {
    if (strcmp(e->name, "joint") != 0) continue;
    if (!read_joint(r, e, r->njoint, &joints, &links)) return false;
    r->njoint++;
  }
  for (int i = 0; i < r->njoint; i++) {
    if (!read_mimic(r, &r->joints[i], &joints)) return false;
  }
  return ga_robot_colour_looks(r);
}
