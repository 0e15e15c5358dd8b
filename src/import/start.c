/* SPDX-License-Identifier: MIT */
/* Where the joints of a robot start: values and rates that the caller gives, and the values of
 * joints that mimic others. */
#include <math.h>
#include <string.h>

#include "import/robot.h"

static const double two_pi = 6.283185307179586476925;

/* Candidates for "did you mean". */
static const char *joint_name(const void *robot, int i) {
  const ga_robot *r = robot;
  return i < r->njoint ? r->joints[i].name : NULL;
}

/* *joint, *k <- the coordinate that a name of the robot means: JOINT, or JOINT.x of a joint with
 * several. */
static bool find_coordinate(ga_robot *r, const char *name, ga_robot_joint **joint, int *k) {
  const char *dot = strrchr(name, '.');
  for (int i = 0; i < r->njoint; i++) {
    ga_robot_joint *j = *joint = &r->joints[i];
    const int n = ga_robot_coordinates(j);
    const size_t length = strlen(j->name);
    const bool whole = strcmp(j->name, name) == 0;
    *k = 0;
    if (whole && n == 1) return true;
    if (whole) {
      return ga_robot_fail(r, j->node,
                           n == 0 ? "joint '%.60s' has no coordinate to start from"
                                  : "joint '%.60s' has several coordinates: write JOINT.x, JOINT.y "
                                    "or JOINT.angle",
                           j->name);
    }
    if (!dot || (size_t)(dot - name) != length || strncmp(j->name, name, length) != 0) continue;
    for (*k = 0; *k < n; ++*k) {
      if (strcmp(ga_robot_coordinate(j, *k), dot + 1) == 0) return true;
    }
  }
  const char *near = ga_nearest_in(name, joint_name, r);
  return ga_robot_fail(r, NULL, "start value: there is no joint '%.60s'%s%.60s%s", name,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Take over the values that the caller gives. */
static bool take_given(ga_robot *r) {
  for (int i = 0; i < r->options->nstart; i++) {
    const ga_import_start *s = &r->options->start[i];
    ga_robot_joint *j = NULL;
    int k = 0;
    if (!find_coordinate(r, s->joint, &j, &k)) return false;
    if (j->mimic) {
      return ga_robot_fail(r, j->mimic,
                           "joint '%.60s' follows '%.60s': give that one a start value", j->name,
                           r->joints[j->master].name);
    }
    if (!isfinite(s->value.value) || !isfinite(s->rate.value)) {
      return ga_robot_fail(r, j->node, "the start of joint '%.60s' is not a number", j->name);
    }
    if (s->value.given) j->value[k] = s->value.value;
    if (s->rate.given) j->rate[k] = s->rate.value;
  }
  return true;
}

/* Set the values of joints that mimic others, masters first: value = multiplier master + offset.
 * Fails if they follow each other in a ring. */
static bool follow_masters(ga_robot *r) {
  bool *known = ga_arena_take(r->arena, (size_t)r->njoint, sizeof *known);
  int *chain = ga_arena_ints(r->arena, (size_t)r->njoint + 1);
  if (!known || !chain) return ga_robot_no_memory(r);
  for (int i = 0; i < r->njoint; i++) {
    int n = 0, at = i;
    for (; r->joints[at].mimic && !known[at]; at = r->joints[at].master) {
      if (n == r->njoint) {
        return ga_robot_fail(r, r->joints[i].mimic, "joints '%.60s' and '%.60s' mimic each other",
                             r->joints[i].name, r->joints[r->joints[i].master].name);
      }
      chain[n++] = at;
    }
    while (n-- > 0) {
      ga_robot_joint *j = &r->joints[chain[n]];
      const ga_robot_joint *master = &r->joints[j->master];
      j->value[0] = j->multiplier * master->value[0] + j->offset;
      j->rate[0] = j->multiplier * master->rate[0];
      known[chain[n]] = true;
      if (j->type != GA_ROBOT_PRISMATIC) j->turns = ceil((j->value[0] - two_pi / 2) / two_pi);
      if (!(fabs(j->value[0]) < 1e9) || !isfinite(j->rate[0])) {
        return ga_robot_fail(r, j->mimic, "the start value %g of joint '%.60s' is out of reach",
                             j->value[0], j->name);
      }
    }
  }
  return true;
}

/* Values and rates of all coordinates at the start. */
bool ga_robot_set_start(ga_robot *r) {
  return take_given(r) && follow_masters(r);
}
