/* SPDX-License-Identifier: MIT */
/* Coupled subsystems, from the patterns of the model. A pattern that the model does not name is
 * full, and connects everything. */
#include "step/subsystems.h"

/* Union-find: the first velocity of the subsystem of i. Paths in of[] are shortened. */
static int first_of(int *of, int i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

/* Unite the columns of each row of a pattern (NULL: full); row i of a square matrix belongs to
 * velocity i, too. */
static void unite_rows(int *of, const ga_csr *pattern, int nrow, int nv, bool square) {
  for (int i = 0; i < nrow; i++) {
    const int from = pattern ? pattern->ptr[i] : 0, to = pattern ? pattern->ptr[i + 1] : nv;
    for (int e = from; e < to; e++) {
      const int k = pattern ? pattern->col[e] : e;
      const int with = square ? i : pattern ? pattern->col[from] : 0;
      const int a = first_of(of, k), b = first_of(of, with);
      of[a > b ? a : b] = a < b ? a : b;
    }
    if (!pattern) return; /* one full row connects everything */
  }
}

/* label[j], by numbers in the whole system <- the smallest label of all velocities that are
 * connected with j on any process. Each process takes the smallest one inside its own sets; all
 * exchange them until nothing changes. number[j] <- 0, 1, .. for labels of subsystems with a shared
 * velocity, -1 for others; s->joint: how many. nv_all numbers each. Collective. */
static ga_status label_joint(ga_subsystems *s, ga_eval *eval, double *label, double *number) {
  ga_team *team = eval->team;
  const int n = (int)team->nv_all;
  ga_status status = GA_OK;
  for (int j = 0; j < n; j++) label[j] = j;
  for (bool changed = true; changed && status == GA_OK;) {
    changed = false;
    for (int pass = 0; pass < 2; pass++) { /* from the velocities to the first of a set, and back */
      for (int i = 0; i < eval->nv; i++) {
        const long own = team->velocity[i], first = team->velocity[s->of[i]];
        const double least = fmin(label[own], label[first]);
        double *to = &label[pass ? own : first];
        changed |= least < *to;
        *to = least;
      }
    }
    status = team->ops->reduce(team, GA_TEAM_MIN, n, label);
    changed = ga_team_any(team, changed);
  }
  for (int i = 0; i < eval->nv; i++) {
    if (eval->shared[i]) number[(long)label[team->velocity[i]]] = 1;
  }
  if (status == GA_OK) status = ga_team_max_all(team, n, number);
  for (int j = 0; j < n; j++) number[j] = number[j] > 0 ? s->joint++ : -1;
  return status;
}

ga_status ga_subsystems_init(ga_subsystems *s, ga_eval *eval, ga_arena *arena) {
  const ga_model *model = eval->model;
  const int nv = eval->nv;
  const size_t all = eval->team ? (size_t)eval->team->nv_all : 0;
  ga_arena scratch = {0};
  *s = (ga_subsystems){.of = ga_arena_ints(arena, (size_t)nv)};
  int *found = ga_arena_ints(&scratch, (size_t)nv);
  double *label = ga_arena_doubles(&scratch, all), *number = ga_arena_doubles(&scratch, all);
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
    if (eval->team) status = label_joint(s, eval, label, number);
    /* joint subsystems have the numbers of their labels, those of this process alone the next */
    s->count = s->joint;
    for (int i = 0; i < nv; i++) {
      const double joint = eval->team ? number[(long)label[eval->team->velocity[i]]] : -1;
      if (s->of[i] == i) found[i] = joint >= 0 ? (int)joint : s->count++;
      s->of[i] = found[s->of[i]]; /* the first of a set comes before the others */
    }
  }
  ga_arena_free(&scratch);
  return status;
}
