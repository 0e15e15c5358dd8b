/* SPDX-License-Identifier: MIT */
/* The tree of links: one root, every other link on one joint, no cycle. */
#include <string.h>

#include "import/robot.h"

/* Set the joint of every link to its parent, and the lists of joints to children, which have the
 * order of the file. Fails if a link has two parents. */
static bool link_up(ga_robot *r) {
  for (int i = 0; i < r->nlink; i++) r->links[i].joint = r->links[i].first = GA_NO_JOINT;
  for (int i = 0; i < r->njoint; i++) {
    const ga_robot_joint *j = &r->joints[i];
    ga_robot_link *child = &r->links[j->child];
    if (j->parent == j->child) {
      return ga_robot_fail(r, j->node, "it connects the link '%.60s' with itself", child->name);
    }
    if (child->joint != GA_NO_JOINT) {
      return ga_robot_fail(r, j->node,
                           "the link '%.60s' has two parents, by the joints '%.60s' and '%.60s'",
                           child->name, r->joints[child->joint].name, j->name);
    }
    child->joint = i;
  }
  for (int i = r->njoint - 1; i >= 0; i--) {
    ga_robot_joint *j = &r->joints[i];
    j->next = r->links[j->parent].first;
    r->links[j->parent].first = i;
  }
  return true;
}

/* Fail: link i is on a cycle, or hangs on one. The cycle is found by going to parents. */
static bool fail_cycle(ga_robot *r, int i) {
  for (int n = 0; n < r->nlink; n++) i = r->joints[r->links[i].joint].parent;
  const int parent = r->joints[r->links[i].joint].parent;
  return ga_robot_fail(r, r->joints[r->links[i].joint].node,
                       "the joints are a cycle: the link '%.60s' is below '%.60s' and above it",
                       r->links[i].name, r->links[parent].name);
}

/* r->root <- the only link without a parent. */
static bool find_root(ga_robot *r) {
  r->root = -1;
  for (int i = 0; i < r->nlink; i++) {
    if (r->links[i].joint != GA_NO_JOINT) continue;
    if (r->root >= 0) {
      return ga_robot_fail(
          r, r->links[i].node ? r->links[i].node : r->root_element,
          "two links have no parent, '%.60s' and '%.60s'; a robot is a tree with one root",
          r->links[r->root].name, r->links[i].name);
    }
    r->root = i;
  }
  return r->root >= 0 || fail_cycle(r, 0);
}

/* r->order <- all links, depth first: each behind its parent, branch by branch. Goes to the first
 * child, else to the next joint of the nearest ancestor that has one; so it needs no stack. */
static bool find_order(ga_robot *r) {
  r->order = ga_arena_ints(r->arena, (size_t)r->nlink);
  if (!r->order) return ga_robot_no_memory(r);
  int n = 0, link = r->root;
  while (link >= 0) {
    r->order[n++] = link;
    int joint = r->links[link].first;
    while (joint == GA_NO_JOINT && link != r->root) {
      joint = r->joints[r->links[link].joint].next;
      link = r->joints[r->links[link].joint].parent;
    }
    link = joint == GA_NO_JOINT ? -1 : r->joints[joint].child;
  }
  if (n == r->nlink) return true;
  /* a link that was not reached has only parents that were not reached */
  bool *reached = ga_arena_take(r->arena, (size_t)r->nlink, sizeof *reached);
  if (!reached) return ga_robot_no_memory(r);
  for (int i = 0; i < n; i++) reached[r->order[i]] = true;
  int i = 0;
  while (reached[i]) i++;
  return fail_cycle(r, i);
}

/* Parents, children, root and order. */
bool ga_robot_find_tree(ga_robot *r) {
  return link_up(r) && find_root(r) && find_order(r);
}

/* Does the root link fly? One that is called world never does. */
bool ga_robot_floats(const ga_robot *r) {
  return r->options->floating && strcmp(r->links[r->root].name, "world") != 0;
}

/* Is a link a free body? */
bool ga_robot_is_free(const ga_robot *r, int link) {
  const int joint = r->links[link].joint;
  return joint == GA_NO_JOINT ? ga_robot_floats(r) : r->joints[joint].type == GA_ROBOT_FLOATING;
}
