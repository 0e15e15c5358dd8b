/* SPDX-License-Identifier: MIT */
/* Coupled subsystems, from the patterns of the model. A pattern that the model does not name is
 * full, and connects everything. */
#include "step/subsystems.h"

/* Union-find: the first velocity of the subsystem of i. Paths in of[] are shortened. */
static int first_of(int *of, int i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

/* Unite the subsystems of velocities i and k; the smaller first velocity stands for both. */
static void unite(int *of, int i, int k) {
  const int a = first_of(of, i), b = first_of(of, k);
  of[a > b ? a : b] = a < b ? a : b;
}

/* Unite the columns of each row of a pattern; row i of a square matrix belongs to velocity i, too.
 * pattern NULL: full. */
static void unite_rows(int *of, const ga_csr *pattern, int nrow, int nv, bool square) {
  for (int k = 1; !pattern && nrow > 0 && k < nv; k++) unite(of, 0, k);
  for (int i = 0; pattern && i < nrow; i++) {
    for (int e = pattern->ptr[i]; e < pattern->ptr[i + 1]; e++) {
      unite(of, pattern->col[e], square ? i : pattern->col[pattern->ptr[i]]);
    }
  }
}

/* The labels of velocities, by their numbers in the whole system: label[j] <- the smallest label of
 * all velocities that are connected with j on any process. Each process takes the smallest label
 * inside its own connected sets; all exchange them until nothing changes. Collective. */
static ga_status exchange_labels(ga_team *team, int nv, const int *of, double *label) {
  const int n = (int)team->nv_all;
  ga_status status = GA_OK;
  bool changed = true;
  while (changed && status == GA_OK) {
    changed = false;
    for (int i = 0; i < nv; i++) {
      const long own = team->velocity[i], first = team->velocity[of[i]];
      if (label[own] < label[first]) label[first] = label[own], changed = true;
    }
    for (int i = 0; i < nv; i++) {
      const long own = team->velocity[i], first = team->velocity[of[i]];
      if (label[first] < label[own]) label[own] = label[first], changed = true;
    }
    status = team->ops->reduce(team, GA_TEAM_MIN, n, label);
    changed = ga_team_any(team, changed);
  }
  return status;
}

/* number[j] of label j <- 0, 1, .. for labels of subsystems that contain a shared velocity, -1 for
 * others; s->joint: how many there are. label, number: nv_all numbers. Collective. */
static ga_status number_joint(ga_subsystems *s, ga_eval *eval, const double *label,
                              double *number) {
  const ga_team *team = eval->team;
  for (int i = 0; i < eval->nv; i++) {
    if (eval->shared[i]) number[(long)label[team->velocity[i]]] = 1;
  }
  ga_status status = ga_team_max_all(eval->team, (int)team->nv_all, number);
  for (long j = 0; j < team->nv_all; j++) number[j] = number[j] > 0 ? s->joint++ : -1;
  return status;
}

/* Number the subsystems: joint ones first, by `number` of their label, then those of this process
 * alone. of[i] is the first velocity of the set of i on entry. label, number: NULL without a team.
 * found: nv ints of work. */
static void number_all(ga_subsystems *s, const ga_eval *eval, const double *label,
                       const double *number, int *found) {
  s->count = s->joint;
  for (int i = 0; i < eval->nv; i++) {
    const long whole = label ? (long)label[eval->team->velocity[i]] : 0;
    if (s->of[i] == i) found[i] = label && number[whole] >= 0 ? (int)number[whole] : s->count++;
  }
  for (int i = 0; i < eval->nv; i++) s->of[i] = found[s->of[i]];
}

/* The same for a team: labels over all processes first. scratch: work memory. Collective. */
static ga_status number_over_processes(ga_subsystems *s, ga_eval *eval, int *found,
                                       ga_arena *scratch) {
  ga_team *team = eval->team;
  double *label = ga_arena_doubles(scratch, (size_t)team->nv_all);
  double *number = ga_arena_doubles(scratch, (size_t)team->nv_all);
  ga_status status = GA_OK;
  if (scratch->failed) status = ga_fail(eval->err, GA_ERR_MEM, "no memory for the subsystems");
  status = ga_team_agree(eval->team, status, eval->err);
  if (status != GA_OK) return status;
  for (long j = 0; j < team->nv_all; j++) label[j] = (double)j;
  status = exchange_labels(team, eval->nv, s->of, label);
  if (status == GA_OK) status = number_joint(s, eval, label, number);
  if (status == GA_OK) number_all(s, eval, label, number, found);
  return status;
}

ga_status ga_subsystems_init(ga_subsystems *s, ga_eval *eval, ga_arena *arena) {
  const ga_model *model = eval->model;
  const int nv = eval->nv;
  ga_arena scratch = {0};
  *s = (ga_subsystems){.of = ga_arena_ints(arena, (size_t)nv)};
  int *found = ga_arena_ints(&scratch, (size_t)nv);
  ga_status status = GA_OK;
  if (arena->failed || scratch.failed) {
    status = ga_fail(eval->err, GA_ERR_MEM, "no memory for the subsystems");
  }
  status = ga_team_agree(eval->team, status, eval->err);
  if (status == GA_OK) {
    for (int i = 0; i < nv; i++) s->of[i] = i;
    unite_rows(s->of, model->pat_M, nv, nv, true);
    unite_rows(s->of, model->pat_K, nv, nv, true);
    unite_rows(s->of, ga_eval_pattern_C(model), nv, nv, true);
    unite_rows(s->of, model->pat_G, eval->nlam, nv, false);
    unite_rows(s->of, model->pat_H, eval->npsi, nv, false);
    for (int i = 0; i < nv; i++) s->of[i] = first_of(s->of, i);
    if (eval->team) {
      status = number_over_processes(s, eval, found, &scratch);
    } else {
      number_all(s, eval, NULL, NULL, found);
    }
  }
  ga_arena_free(&scratch);
  return status;
}
