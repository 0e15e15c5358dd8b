/* SPDX-License-Identifier: MIT */
/* Which coordinates a mechanism runs in: can it run in those of joints, should it, and if not why. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linsol/rank/rank.h"
#include "mechanism/contact/contact.h"
#include "mechanism/tree/tree.h"

/* Joint coordinates have dense rows along a path: they are slower than absolute ones where paths are
 * long, unless the tree's own solver is used, which forms no matrix. Long chains of balls are
 * ill-conditioned, and their errors are larger. Least gain that is worth it: a third of the unknowns
 * and rows. */
enum { LONGEST_PATH = 60, MOST_BALLS = 10, LEAST_GAIN = 3 };
/* A freedom moves a mass if its entry of M, in the metric, is larger than this part of the largest of
 * its path. */
static const double MOVES_MASS = 1e-12;

/* ---- can it? -------------------------------------------------------------------------------- */

/* Why a mechanism cannot run in joint coordinates, as the end of "coordinates: joint: ..", into text;
 * NULL: it can. New kinds of bodies and types of elements that need absolute coordinates say so in
 * their tables (a kind other than "rigid", absolute_only), nothing is to be done here. */
const char *ga_mechanism_joint_refusal(const ga_mechanism *m, char *text, size_t room) {
  for (int i = 0; i < m->joints.count + m->others.count; i++) {
    const ga_element *el = ga_mechanism_element(m, i);
    if (!el->type->absolute_only) continue;
    snprintf(text, room, "%s '%.80s' needs absolute coordinates; use absolute", el->type->what,
             el->name);
    return text;
  }
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    if (strcmp(b->kind->name, "rigid") == 0) continue;
    snprintf(text, room, "%s%s '%.80s' needs absolute coordinates; use absolute", b->kind->name,
             b->kind->planar || b->kind->point ? " body" : "", b->name);
    return text;
  }
  return NULL;
}

/* ---- should it? ----------------------------------------------------------------------------- */

/* Rows and unknowns in joint coordinates, by the tree; *rows: those of cut joints, drives, .. */
static int count_unknowns(const ga_mechanism *m, int *rows) {
  int n = m->tree->nfreedom;
  *rows = 0;
  for (int i = 0; i < m->joints.count + m->others.count; i++) {
    const ga_element *el = ga_mechanism_element(m, i);
    if (i < m->joints.count && m->tree->node_of_joint[i] >= 0) continue;
    *rows += el->nlam + el->npsi;
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const int joint = m->coordinates.item[c].joint;
    if (joint >= 0 && m->tree->node_of_joint[joint] >= 0) continue;
    n++;
    if (joint >= 0) (*rows)++;
  }
  return n;
}

/* Why `auto` takes absolute coordinates, into text; NULL: it takes those of joints, unless paths
 * are too long. Before the change. */
static const char *not_worth_it(const ga_mechanism *m, char *text, size_t room) {
  int rows;
  ga_mechanism view; /* rows of contacts are the same in both, and absent most of the time */
  const ga_mechanism *joints = ga_mechanism_without_contacts(m, &view);
  const int n = count_unknowns(m, &rows), absolute = joints->nv + joints->nlam + joints->npsi;
  if (LEAST_GAIN * (n + rows) <= absolute) return NULL;
  snprintf(text, room, "joint would have %d unknowns and %d rows instead of %d and %d%s", n, rows,
           joints->nv, joints->nlam + joints->npsi,
           joints->nlam == m->nlam ? "" : ", contacts not counted");
  return text;
}

/* The same for the length of paths, after the change, when it is known whether the tree is solved by
 * its own solver. */
static const char *too_long(const ga_mechanism *m, char *text, size_t room) {
  const ga_tree *tree = m->tree;
  const bool solved = tree->solves && tree->pays;
  if (tree->longest > LONGEST_PATH && !solved) {
    snprintf(text, room, "a path of the tree has %d freedoms, joint takes up to %d", tree->longest,
             LONGEST_PATH);
  } else if (tree->most_balls > MOST_BALLS) {
    snprintf(text, room, "a path of the tree has %d ball joints, joint takes up to %d",
             tree->most_balls, MOST_BALLS);
  } else {
    return NULL;
  }
  return text;
}

/* ---- the change ----------------------------------------------------------------------------- */

/* *list <- a copy of a list */
static bool copy_list(void **item, int count, size_t size) {
  void *copy = ga_calloc((size_t)count + 1, size);
  if (!copy) return false;
  if (count > 0) memcpy(copy, *item, (size_t)count * size);
  *item = copy;
  return true;
}

/* m->model of a mechanism that was copied: pointers to its own members. */
static void own_model(ga_mechanism *m) {
  m->model.user = m;
  m->model.pat_M = &m->M, m->model.pat_K = &m->K;
  m->model.pat_G = &m->G, m->model.pat_H = &m->H;
}

/* m->absolute <- what m is now; m gets lists of its own for what differs. */
static bool keep_absolute(ga_mechanism *m) {
  ga_mechanism *a = ga_calloc(1, sizeof *a);
  if (!a) return false;
  *a = *m;
  a->arena = (ga_arena){0};
  a->tree = NULL;
  own_model(a);
  m->absolute = a;
  m->space = NULL;
  m->blocks.item = NULL;
  m->blocks.count = m->blocks.room = 0;
  m->ncolumn = m->ndefault = 0;
  void *elements = m->elements.item, *coordinates = m->coordinates.item;
  m->elements.item = NULL, m->coordinates.item = NULL;
  const bool ok = copy_list(&elements, m->elements.count, sizeof *m->elements.item) &&
                  copy_list(&coordinates, m->coordinates.count, sizeof *m->coordinates.item);
  if (elements != a->elements.item) m->elements.item = elements;
  if (coordinates != a->coordinates.item) m->coordinates.item = coordinates;
  return ok;
}

/* Free what m has besides m->absolute, or what m->absolute has besides m. */
static void free_own(ga_mechanism *m) {
  ga_free(m->elements.item);
  ga_free(m->coordinates.item);
  ga_free(m->blocks.item);
  ga_space_free(m->space);
}

/* Back to absolute coordinates. */
static void undo(ga_mechanism *m) {
  ga_mechanism *a = m->absolute;
  ga_tree_free_pool(m->tree);
  m->tree = NULL;
  if (!a) return;
  const ga_arena arena = m->arena;
  free_own(m);
  *m = *a;
  m->arena = arena;
  own_model(m);
  ga_free(a);
}

void ga_mechanism_free_tree(ga_mechanism *m) {
  ga_tree_free_pool(m->tree);
  if (!m->absolute) return;
  free_own(m->absolute);
  ga_free(m->absolute);
}

/* The first body that a freedom moves, for messages. */
static const char *body_behind(const ga_mechanism *m, int freedom) {
  int i = m->tree->node_of[freedom];
  while (m->tree->node[i].body < 0) i++;
  return m->bodies.item[m->tree->node[i].body].name;
}

/* row[i] <- sum_j |A_ij|/sqrt(w_j) of row i of A. */
static void measure_rows_of(const ga_mechanism *m, const ga_csr *A, double *row) {
  for (int i = 0; i < A->nrow; i++) {
    row[i] = 0;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      row[i] += fabs(A->val[e]) / sqrt(m->model.metric[A->col[e]]);
    }
  }
}

/* The same of the rows of G and then of H at the start; nlam + npsi numbers. */
static ga_status measure_rows(const ga_mechanism *m, double t0, double *row) {
  ga_arena scratch = {0};
  ga_csr G, H;
  ga_status status = ga_csr_init(&G, m->nlam, m->nv, &m->G, &scratch);
  if (status == GA_OK) status = ga_csr_init(&H, m->npsi, m->nv, &m->H, &scratch);
  const ga_evaluation out = {.G = &G, .H = &H};
  if (status == GA_OK && ga_mechanism_evaluate(m, t0, m->q0, m->v0, &out) != 0) {
    status = GA_ERR_MEM;
  }
  if (status == GA_OK) {
    measure_rows_of(m, &G, row);
    measure_rows_of(m, &H, row + m->nlam);
  }
  ga_arena_free(&scratch);
  return status;
}

/* Set model.row_reach: rounding of a row is that of the places it compares, also where the tree holds them
 * and no unknown moves them, as two of the five rows of the hinge that closes a plane linkage. It is what the
 * row has in absolute coordinates at the start. */
static ga_status reach_of_rows(ga_mechanism *m, double t0) {
  const ga_mechanism *a = m->absolute;
  if (m->nlam + m->npsi == 0) return GA_OK;
  double *full = ga_calloc((size_t)a->nlam + (size_t)a->npsi + 1, sizeof *full);
  double *row = ga_arena_doubles(&m->arena, (size_t)m->nlam + (size_t)m->npsi);
  ga_status status = full && !m->arena.failed ? measure_rows(a, t0, full) : GA_ERR_MEM;
  for (int i = 0; i < m->elements.count && status == GA_OK; i++) {
    const ga_element *el = &m->elements.item[i], *was = &a->elements.item[i];
    for (int k = 0; k < el->nlam && k < was->nlam; k++) row[el->lam_at + k] = full[was->lam_at + k];
    for (int k = 0; k < el->npsi && k < was->npsi; k++) {
      row[m->nlam + el->psi_at + k] = full[a->nlam + was->psi_at + k];
    }
  }
  ga_free(full);
  m->model.row_reach = row;
  return status;
}

/* Why `auto` takes absolute coordinates after the change, into text: a joint that is cut holds nothing
 * that the tree does not hold, as the second hinge of a door does. How its force and those of the
 * tree share a load is not determined, and the least forces are found among the rows of all joints.
 * Rows of no length in joint coordinates have a length in absolute ones. *why unchanged: none. */
static ga_status find_idle_joint(const ga_mechanism *m, double t0, char *text, size_t room,
                                 const char **why) {
  if (m->nlam == 0) return GA_OK;
  double *row = ga_calloc((size_t)m->nlam + (size_t)m->npsi, sizeof *row);
  ga_status status = row ? measure_rows(m, t0, row) : GA_ERR_MEM;
  for (int i = 0; i < m->nfree && status == GA_OK && !*why; i++) {
    const ga_element *el = &m->elements.item[i];
    const double *own = row + el->lam_at, *full = m->model.row_reach + el->lam_at;
    bool idle = el->nlam > 0 && el->npsi == 0 && el->ncoordinate == 0;
    for (int k = 0; k < el->nlam && idle; k++) idle = own[k] <= GA_RANK_TOL * full[k];
    if (!idle) continue;
    snprintf(text, room,
             "%s '%.80s' repeats what other joints hold; the least forces need the rows of all",
             el->type->what, el->name);
    *why = text;
  }
  ga_free(row);
  return status;
}

/* Does every freedom move a mass? GA_ERR_ARG with the name of a body that has none. Sets
 * tree->start_mass. */
static ga_status check_masses(ga_mechanism *m, double t0, ga_error *err) {
  ga_arena scratch = {0};
  ga_tree *tree = m->tree;
  ga_csr M;
  tree->start_mass = ga_arena_doubles(&m->arena, (size_t)tree->nfreedom + 1);
  ga_status status = ga_csr_init(&M, m->nv, m->nv, &m->M, &scratch);
  if (status != GA_OK || m->arena.failed ||
      ga_mechanism_evaluate(m, t0, m->q0, NULL, &(ga_evaluation){.M = &M}) != 0) {
    ga_arena_free(&scratch);
    return ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  }
  for (int i = 0; i < tree->nfreedom; i++) tree->start_mass[i] = M.val[ga_csr_find(&M, i, i)];
  for (int i = 0; i < tree->nfreedom && status == GA_OK; i++) {
    double largest = 0;
    for (int k = i; k >= 0; k = tree->up[k]) {
      largest = fmax(largest, tree->start_mass[k] / m->model.metric[k]);
    }
    if (tree->start_mass[i] / m->model.metric[i] > MOVES_MASS * largest) continue;
    status =
        ga_fail(err, GA_ERR_ARG,
                "coordinates: joint: body '%s' has no mass and nothing beyond it has; use absolute",
                body_behind(m, i));
  }
  ga_arena_free(&scratch);
  return status;
}

/* Signs of quaternions as they are in absolute coordinates at the start. */
static ga_status set_signs(ga_mechanism *m, ga_error *err) {
  const ga_mechanism *a = m->absolute;
  double *qa = ga_calloc((size_t)a->nq + 1, sizeof *qa);
  ga_status status = qa ? ga_tree_write(m, m->q0, NULL, qa, NULL) : GA_ERR_MEM;
  for (int i = 1; status == GA_OK && i < m->bodies.count; i++) {
    const double *is = qa + m->bodies.item[i].q_at + 3, *was = a->q0 + m->bodies.item[i].q_at + 3;
    double product = 0;
    for (int k = 0; k < 4; k++) product += is[k] * was[k];
    m->tree->node[m->tree->node_of_body[i]].flip = product < 0 ? -1 : 1;
  }
  ga_free(qa);
  return status == GA_OK ? status : ga_fail(err, status, "no memory for joint coordinates");
}

/* m, built in absolute coordinates and with a tree, changes to joint coordinates. On failure it is half
 * changed. */
static ga_status change(ga_mechanism *m, double t0, ga_error *err) {
  if (!keep_absolute(m)) return ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  m->carrier = &ga_carrier_tree;
  ga_status status = ga_tree_number(m, err);
  if (status == GA_OK) status = ga_tree_layout(m, err);
  bool ok = true;
  if (status == GA_OK) m->tree->solves = ga_tree_can_solve(m, &ok);
  if (status == GA_OK && !(ok && ga_tree_new_pool(m))) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  }
  if (status == GA_OK) status = ga_mechanism_make_model(m, err);
  if (status == GA_OK) status = ga_tree_scales(m, err);
  if (status == GA_OK) status = ga_mechanism_name_columns(m, err);
  if (status != GA_OK) return status;
  m->q0 = ga_arena_doubles(&m->arena, (size_t)m->nq);
  m->v0 = ga_arena_doubles(&m->arena, (size_t)m->nv);
  if (m->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  status = ga_tree_read(m, m->absolute->q0, m->absolute->v0, m->q0, m->v0, err);
  if (status == GA_OK && reach_of_rows(m, t0) != GA_OK) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  }
  if (status == GA_OK) status = check_masses(m, t0, err);
  if (status == GA_OK) status = set_signs(m, err);
  return status == GA_OK ? ga_mechanism_settle(m, t0, m->q0, m->v0, err) : status;
}

/* ---- the choice ----------------------------------------------------------------------------- */

/* One line about the coordinates, for people. */
static void describe(ga_mechanism *m, const char *why) {
  char text[500];
  if (m->tree) {
    const ga_mechanism *a = m->absolute;
    char loops[60] = "no loops";
    const int rows = m->nlam + m->npsi;
    if (rows > 0) snprintf(loops, sizeof loops, "%d row%s", rows, rows == 1 ? "" : "s");
    snprintf(text, sizeof text, "joint (%d freedom%s, %s; absolute: %d unknowns, %d rows)", m->nv,
             m->nv == 1 ? "" : "s", loops, a->nv, a->nlam + a->npsi);
  } else {
    snprintf(text, sizeof text, "absolute (%d unknowns, %d rows%s%.300s)", m->nv, m->nlam + m->npsi,
             why ? "; " : "", why ? why : "");
  }
  m->coordinates_text = ga_mechanism_text(m, text, NULL);
}

/* At the end of the build: change to joint coordinates if they are asked for, or if they pay. */
ga_status ga_mechanism_choose_coordinates(ga_mechanism *m, double t0, ga_error *err) {
  char text[300];
  const bool asked = m->coordinates_asked == GA_COORDINATES_JOINT;
  if (m->coordinates_asked == GA_COORDINATES_ABSOLUTE || m->nlaid < m->elements.count) {
    describe(m, NULL);
    return GA_OK;
  }
  const char *why = ga_mechanism_joint_refusal(m, text, sizeof text);
  if (why && asked) return ga_fail(err, GA_ERR_ARG, "coordinates: joint: %s", why);
  ga_error own = {GA_OK, ""};
  if (!why) {
    const ga_status status = ga_tree_span(m, err);
    if (status != GA_OK) return status;
    if (m->tree->nfreedom == 0) why = "no body can move; use absolute";
    if (why && asked) return ga_fail(err, GA_ERR_ARG, "coordinates: joint: %s", why);
    if (!why && !asked) why = not_worth_it(m, text, sizeof text);
  }
  if (why) {
    m->tree = NULL;
  } else {
    const ga_status status = change(m, t0, &own);
    if (status != GA_OK && (asked || status == GA_ERR_MEM)) {
      return ga_fail(err, status, "%s", own.text);
    }
    if (status != GA_OK) why = own.text;
    if (status == GA_OK && !asked) why = too_long(m, text, sizeof text);
    if (status == GA_OK && !asked && !why &&
        find_idle_joint(m, t0, text, sizeof text, &why) != GA_OK) {
      return ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
    }
    if (why) undo(m);
  }
  describe(m, why);
  return GA_OK;
}

/* Which coordinates the build shall take. GA_ERR_ARG after the build. */
ga_status ga_mechanism_set_coordinates(ga_mechanism *m, ga_coordinates coordinates) {
  if (m->built || (int)coordinates < 0 || coordinates > GA_COORDINATES_AUTO) return GA_ERR_ARG;
  m->coordinates_asked = coordinates;
  return GA_OK;
}

/* The coordinates it runs in; *text, if not NULL: one line about them, owned by m. */
ga_coordinates ga_mechanism_coordinates(const ga_mechanism *m, const char **text) {
  if (text) *text = m->coordinates_text ? m->coordinates_text : "";
  return m->tree ? GA_COORDINATES_JOINT : GA_COORDINATES_ABSOLUTE;
}
