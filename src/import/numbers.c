/* SPDX-License-Identifier: MIT */
/* Attributes of a robot's elements: numbers, names, frames. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/robot.h"
#include "mechanism/space3.h"

/* Is something of xacro, the language that robots are often generated from, left in a text? */
static bool has_xacro(const char *text) {
  return strstr(text, "${") || strstr(text, "$(");
}

/* Fail: the text of an attribute is no number, or not n of them. */
static bool fail_numbers(ga_robot *r, const ga_xml *element, const char *attribute,
                         const char *text, int n, int found) {
  if (has_xacro(text)) {
    return ga_robot_fail(r, element, "%s=\"%.80s\" is not a number: run xacro first", attribute,
                         text);
  }
  if (found >= 0) {
    return ga_robot_fail(r, element, "%s=\"%.80s\" has %d number%s, %d %s expected", attribute,
                         text, found, found == 1 ? "" : "s", n, n == 1 ? "is" : "are");
  }
  return ga_robot_fail(r, element, "%s=\"%.80s\": %s expected", attribute, text,
                       n == 1   ? "a number is"
                       : n == 3 ? "three numbers are"
                                : "numbers are");
}

const double GA_ROBOT_LARGEST = 1e50;

/* x <- the n numbers of an attribute, separated by blanks; finite, decimal. Not given: x stays. Limits may
 * be as large as numbers are: that is how some programs say that there are none. */
bool ga_robot_numbers(ga_robot *r, const ga_xml *element, const char *attribute, int n, double *x,
                      bool required, bool *given) {
  static const char blanks[] = " \t\n\r";
  const char *text = ga_xml_attribute(element, attribute), *at = text;
  int found = 0;
  if (given) *given = text != NULL;
  if (!text) {
    return !required || ga_robot_fail(r, element, "the attribute '%s' is missing", attribute);
  }
  for (at += strspn(at, blanks); *at; at += strspn(at, blanks)) {
    char *end;
    const size_t length = strcspn(at, blanks);
    const double value = strtod(at, &end);
    /* strtod would take nan, inf and 0x1, too */
    if (strspn(at, "0123456789+-.eE") < length || end != at + length || !isfinite(value)) {
      return fail_numbers(r, element, attribute, text, n, -1 /* not a number */);
    }
    if (fabs(value) > GA_ROBOT_LARGEST && strcmp(element->name, "limit") != 0) {
      return ga_robot_fail(r, element, "%s=\"%.80s\": %g is larger than anything of a robot (%g)",
                           attribute, text, value, GA_ROBOT_LARGEST);
    }
    if (found < n) x[found] = value;
    found++;
    at = end;
  }
  return found == n || fail_numbers(r, element, attribute, text, n, found);
}

/* *x <- one number, which may be left out. */
bool ga_robot_number(ga_robot *r, const ga_xml *element, const char *attribute, ga_given *x) {
  return ga_robot_numbers(r, element, attribute, 1, &x->value, false, &x->given);
}

/* p <- the quaternion of Rz(yaw) Ry(pitch) Rx(roll). */
void ga_pose_turn(const double rpy[3], double p[4]) {
  p[0] = 1, p[1] = p[2] = p[3] = 0;
  for (int i = 2; i >= 0; i--) {
    double w[3] = {0, 0, 0}, turn[4];
    w[i] = rpy[i];
    ga_quat_exp(w, turn);
    ga_quat_mul(p, turn, p);
  }
}

/* The identity. */
void ga_pose_identity(ga_pose *pose) {
  *pose = (ga_pose){.p = {1, 0, 0, 0}};
}

/* Is it the identity, bit by bit? */
bool ga_pose_is_identity(const ga_pose *pose) {
  return pose->x[0] == 0 && pose->x[1] == 0 && pose->x[2] == 0 && pose->p[0] == 1;
}

/* c <- a b: x = x_a + R_a x_b, R = R_a R_b. The numbers of b stay as they are if a is the identity,
 * and those of a if b is. c may not be a or b. */
void ga_pose_product(const ga_pose *a, const ga_pose *b, ga_pose *c) {
  if (ga_pose_is_identity(a) || ga_pose_is_identity(b)) {
    *c = ga_pose_is_identity(a) ? *b : *a;
    return;
  }
  double R[9], arm[3];
  ga_rotation3(a->p, R);
  ga_times3(R, b->x, arm);
  ga_plus3(a->x, 1, arm, c->x);
  ga_quat_mul(a->p, b->p, c->p);
  ga_quat_clean(c->p);
  ga_zero3(c->rpy);
  c->product = true;
}

/* *pose <- the element `origin` inside, the identity without one. */
bool ga_robot_origin(ga_robot *r, const ga_xml *element, ga_pose *pose) {
  const ga_xml *origin = ga_xml_child(element, "origin");
  ga_pose_identity(pose);
  if (!origin) return true;
  if (!ga_robot_numbers(r, origin, "xyz", 3, pose->x, false, NULL) ||
      !ga_robot_numbers(r, origin, "rpy", 3, pose->rpy, false, NULL)) {
    return false;
  }
  ga_pose_turn(pose->rpy, pose->p);
  return true;
}

/* A name that must be given; NULL after a failure. */
const char *ga_robot_name(ga_robot *r, const ga_xml *element, const char *attribute) {
  const char *name = ga_xml_attribute(element, attribute);
  if (!name || !*name) {
    ga_robot_fail(r, element,
                  name ? "the attribute '%s' is empty" : "the attribute '%s' is missing",
                  attribute);
    return NULL;
  }
  if (has_xacro(name)) {
    ga_robot_fail(r, element, "%s=\"%.80s\" is not a name: run xacro first", attribute, name);
    return NULL;
  }
  return name;
}
