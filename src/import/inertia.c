/* SPDX-License-Identifier: MIT */
/* What links weigh: checked, and put together where fixed joints hold them.
 *
 * Links i with frames X_i = (x_i, R_i) in the frame of the link that stays have together
 *
 *     m = sum m_i,   c = sum m_i X_i c_i / m,
 *     J = sum R_i J_i R_i^T + m_i (|d_i|^2 1 - d_i d_i^T),   d_i = X_i c_i - c,
 *
 * Huygens and Steiner. A link without mass but with inertia counts, too. */
#include <math.h>
#include <string.h>

#include "import/robot.h"
#include "mechanism/body/body.h"
#include "mechanism/space3.h"

/* ---- moments of inertia of one link ---------------------------------------------------------- */

/* w, V <- eigenvalues and eigenvectors (columns) of a symmetric 3 x 3 matrix, by Jacobi's rotations:
 * each makes one entry zero; the others fall quadratically. A is destroyed. It is divided by a power of two
 * first, so that nothing overflows or vanishes. */
static void eigenvalues(double *A, double *w, double *V) {
  const double largest = ga_max_abs(9, A);
  const int power = largest > 0 ? ilogb(largest) : 0;
  ga_identity3(V);
  for (int i = 0; i < 9; i++) A[i] = scalbn(A[i], -power);
  for (int sweep = 0; sweep < 30; sweep++) {
    const double off = fabs(A[1]) + fabs(A[2]) + fabs(A[5]);
    if (off <= 1e-18 * (fabs(A[0]) + fabs(A[4]) + fabs(A[8]))) break;
    for (int i = 0; i < 3; i++) {
      const int p = i == 2 ? 1 : 0, q = i == 0 ? 1 : 2;
      const double apq = A[3 * p + q];
      if (apq == 0) continue;
      const double theta = (A[4 * q] - A[4 * p]) / (2 * apq);
      const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1));
      const double c = 1 / hypot(t, 1), s = t * c;
      for (int k = 0; k < 3; k++) {
        const double akp = A[3 * k + p], akq = A[3 * k + q];
        A[3 * k + p] = c * akp - s * akq, A[3 * k + q] = s * akp + c * akq;
      }
      for (int k = 0; k < 3; k++) {
        const double apk = A[3 * p + k], aqk = A[3 * q + k];
        const double vkp = V[3 * k + p], vkq = V[3 * k + q];
        A[3 * p + k] = c * apk - s * aqk, A[3 * q + k] = s * apk + c * aqk;
        V[3 * k + p] = c * vkp - s * vkq, V[3 * k + q] = s * vkp + c * vkq;
      }
    }
  }
  for (int i = 0; i < 3; i++) w[i] = scalbn(A[4 * i], power);
}

/* Check the inertia of a link: principal moments must not be negative beyond rounding, or become 0
 * (--repair-inertia); a warning where one is larger than the sum of the others, which no
 * distribution of masses has. */
static bool check_inertia(ga_robot *r, ga_robot_link *link) {
  double A[9], w[3], V[9], least = 0, sum = 0;
  const ga_xml *inertial = link->node ? ga_xml_child(link->node, "inertial") : NULL;
  const ga_xml *node = inertial && ga_xml_child(inertial, "inertia")
                           ? ga_xml_child(inertial, "inertia")
                           : link->node;
  memcpy(A, link->J, sizeof A);
  if (ga_max_abs(9, A) == 0) return true;
  eigenvalues(A, w, V);
  for (int i = 0; i < 3; i++) {
    least = fmin(least, w[i]);
    sum += fabs(w[i]);
  }
  if (least < -1e-12 * sum) {
    if (!r->options->repair_inertia) {
      return ga_robot_fail(r, node,
                           "link '%.60s': the inertia has the eigenvalue %.3g, which no body has; "
                           "--repair-inertia makes it 0",
                           link->name, least);
    }
    for (int i = 0; i < 9; i++) {
      link->J[i] = 0;
      for (int k = 0; k < 3; k++) {
        link->J[i] += V[i / 3 * 3 + k] * fmax(w[k], 0) * V[i % 3 * 3 + k];
      }
    }
    return ga_robot_report(r, GA_LOG_WARNING, node,
                           "the eigenvalue %.3g of the inertia has become 0 (--repair-inertia)",
                           least);
  }
  for (int i = 0; i < 3; i++) {
    if (2 * w[i] - sum <= 1e-9 * sum) continue;
    return ga_robot_report(r, GA_LOG_WARNING, node, GA_TRIANGLE_TEXT);
  }
  return true;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Set kept, in_kept and merged of every link, parents first: on a fixed joint, those of its parent, if
 * links are to be merged. */
static void find_kept(ga_robot *r, bool merge) {
  for (int i = 0; i < r->nlink; i++) {
    const int k = r->order[i];
    ga_robot_link *link = &r->links[k];
    const ga_robot_joint *j = link->joint == GA_NO_JOINT ? NULL : &r->joints[link->joint];
    link->kept = k;
    link->merged = 0;
    ga_pose_identity(&link->in_kept);
    if (!j && !ga_robot_floats(r)) link->kept = GA_LINK_GROUND;
    if (!j || j->type != GA_ROBOT_FIXED || !merge) continue;
    const ga_robot_link *parent = &r->links[j->parent];
    link->kept = parent->kept;
    ga_pose_product(&parent->in_kept, &j->origin, &link->in_kept);
    if (link->kept >= 0) r->links[link->kept].merged++;
  }
}

/* x <- X c, a point of the link in the frame of the one that stays. */
static void point_in_kept(const ga_robot_link *link, const double *c, double *x) {
  double R[9], arm[3];
  ga_rotation3(link->in_kept.p, R);
  ga_times3(R, c, arm);
  ga_plus3(link->in_kept.x, 1, arm, x);
}

/* J += R J_i R^T + m_i (|d|^2 1 - d d^T) of one link, d from the common centre of mass. */
static void add_inertia(const ga_robot_link *link, const double *com, double *J) {
  double R[9], RJ[9], d[3];
  ga_rotation3(link->in_kept.p, R);
  ga_product3(R, link->J, RJ);
  point_in_kept(link, link->com, d);
  ga_plus3(d, -1, com, d);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      J[3 * i + j] += ga_dot3(RJ + 3 * i, R + 3 * j) +
                      link->mass * ((i == j ? ga_dot3(d, d) : 0) - d[i] * d[j]);
    }
  }
}

/* Put the links of every link that stays together. A link alone keeps the numbers of the file. */
static void add_up(ga_robot *r) {
  for (int i = 0; i < r->nlink; i++) {
    ga_robot_link *link = &r->links[i];
    link->all_mass = link->mass;
    ga_copy3(link->com, link->all_com);
    memcpy(link->all_J, link->J, sizeof link->J);
    if (link->kept != i || link->merged == 0) continue;
    ga_zero3(link->all_com);
    memset(link->all_J, 0, sizeof link->all_J);
    link->all_mass = 0;
  }
  for (int pass = 0; pass < 3; pass++) { /* masses and moments, centres, inertias */
    for (int i = 0; i < r->nlink; i++) {
      const ga_robot_link *link = &r->links[i];
      ga_robot_link *kept = link->kept >= 0 ? &r->links[link->kept] : NULL;
      double x[3];
      if (!kept || kept->merged == 0) continue;
      if (pass == 0) kept->all_mass += link->mass;
      if (pass == 1 && kept->all_mass > 0) {
        point_in_kept(link, link->com, x);
        ga_plus3(kept->all_com, link->mass / kept->all_mass, x, kept->all_com);
      }
      if (pass == 2) add_inertia(link, kept->all_com, kept->all_J);
    }
  }
}

/* ---- what moves must weigh something --------------------------------------------------------- */

/* Is there a resistance of the merged link alone to the motion of its joint: mass along the axis, or
 * inertia about it, beyond rounding? */
static bool resists(const ga_robot_link *link, const ga_robot_joint *j) {
  const double *a = j->axis, *J = link->all_J, *c = link->all_com;
  double Ja[3], arm[3] = {0, 0, 0};
  if (j->type == GA_ROBOT_PRISMATIC || j->type == GA_ROBOT_PLANAR) {
    if (link->all_mass <= 0) return false;
  }
  if (j->type == GA_ROBOT_PRISMATIC) return true;
  ga_times3(J, a, Ja);
  ga_add_cross3(1, a, c, arm);
  const double about = ga_dot3(a, Ja) + link->all_mass * ga_dot3(arm, arm);
  return about > 1e-14 * (J[0] + J[4] + J[8] + link->all_mass * ga_dot3(c, c));
}

/* Is a free body complete: has it mass, and inertia about every axis? */
static bool is_body(const ga_robot_link *link) {
  double A[9], w[3], V[9];
  memcpy(A, link->all_J, sizeof A);
  eigenvalues(A, w, V);
  const double least = fmin(w[0], fmin(w[1], w[2])), sum = w[0] + w[1] + w[2];
  return link->all_mass > 0 && least > 1e-14 * sum;
}

/* The joint at the end of the chain of masters: it moves all that mimic it. The chain ends at a
 * multiplier 0, too: such a joint is held. */
static int leader(const ga_robot *r, int joint) {
  for (int n = 0; n < r->njoint; n++) {
    const ga_robot_joint *j = &r->joints[joint];
    if (!j->mimic || j->multiplier == 0) break;
    joint = j->master;
  }
  return joint;
}

/* Refuse links that move without inertia. A link with others behind it counts as heavy if anything
 * behind it is; one at the end of a chain must resist the motion of its joint by itself. Joints that
 * mimic each other move together: one of them must resist. */
static bool check_motion(ga_robot *r) {
  bool *heavy = ga_arena_take(r->arena, (size_t)r->nlink, sizeof *heavy); /* it and those behind */
  bool *leaf = ga_arena_take(r->arena, (size_t)r->nlink, sizeof *leaf);
  bool *moved = ga_arena_take(r->arena, (size_t)r->njoint, sizeof *moved);
  if (!heavy || !leaf || !moved) return ga_robot_no_memory(r);
  for (int i = 0; i < r->nlink; i++) leaf[i] = true;
  for (int n = r->nlink - 1; n >= 0; n--) { /* children first */
    const int i = r->order[n];
    const ga_robot_link *link = &r->links[i];
    if (link->kept != i) continue;
    heavy[i] = heavy[i] || link->all_mass > 0 || ga_max_abs(9, link->all_J) > 0;
    if (link->joint == GA_NO_JOINT) continue;
    const ga_robot_joint *j = &r->joints[link->joint];
    const int parent = r->links[j->parent].kept;
    if (j->type == GA_ROBOT_FLOATING) continue;
    if (parent >= 0) heavy[parent] = heavy[parent] || heavy[i], leaf[parent] = false;
    if (leaf[i] ? resists(link, j) : heavy[i]) moved[leader(r, link->joint)] = true;
  }
  for (int n = 0; n < r->nlink; n++) {
    const int i = r->order[n];
    const ga_robot_link *link = &r->links[i];
    if (link->kept != i) continue;
    if (ga_robot_is_free(r, i) && !is_body(link)) {
      return ga_robot_fail(r, link->node,
                           "link '%.60s' is free but has no mass, or no inertia about some axis%s",
                           link->name, i == r->root ? "; --base fixed makes it the ground" : "");
    }
    if (link->joint == GA_NO_JOINT) continue;
    const ga_robot_joint *j = &r->joints[link->joint];
    const int first = leader(r, link->joint);
    if (ga_robot_coordinates(j) == 0 || moved[first] || r->joints[first].mimic) continue;
    return ga_robot_fail(r, j->node, "link '%.60s' moves on joint '%.60s' but has no inertia",
                         link->name, j->name);
  }
  return true;
}

/* Check every link, merge those on fixed joints, refuse what moves without inertia: links on fixed joints
 * move together, whether they stay bodies or not. */
bool ga_robot_merge(ga_robot *r) {
  bool moves = ga_robot_floats(r);
  for (int i = 0; i < r->nlink; i++) {
    if (!check_inertia(r, &r->links[i])) return false;
  }
  for (int i = 0; i < r->njoint; i++) moves = moves || ga_robot_moves(&r->joints[i]);
  if (!moves) {
    return ga_robot_fail(r, r->root_element,
                         "nothing moves: all joints are fixed, and so is the "
                         "base (--base floating lets it fly)");
  }
  find_kept(r, true);
  add_up(r);
  if (!check_motion(r)) return false;
  if (!r->options->keep_fixed) return true;
  find_kept(r, false);
  add_up(r);
  return true;
}
