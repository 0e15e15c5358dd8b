/* SPDX-License-Identifier: MIT */
/* The judge of a team: every process checks its own rows, and all agree on one verdict.
 *
 * A quick check mostly accepts all rows. If some process has a row above its bound, all processes
 * check closely: allowances in rows of shared velocities are sums over the processes, and the
 * strongest force and liveliest motion of a subsystem are maxima over all of them.
 *
 * A subsystem ("part") is a set of velocities that constraints connect. It may reach over many
 * processes. Each process numbers its pieces; the smallest number of connected pieces is passed on
 * over shared velocities until nothing changes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/acceptance/allow.h"

/* ---- subsystems that several processes share ------------------------------------------------- */

/* Pieces of this process: label[k] of the piece whose first velocity is k, -1 if no other process
 * has velocities of it. x: nv numbers of work. */
typedef struct {
  double *label, *x;
} pieces;

/* Is velocity k shared with other processes, and does a constraint of some process act on its
 * subsystem? Only such a piece is connected with pieces elsewhere. constrained: of
 * count_constrained. */
static bool reaches_out(const ga_judge *j, const double *constrained, int k) {
  return j->eq->eval->shared[k] && constrained[k] > 0;
}

/* constrained[k], nv numbers: how many processes have a constraint that acts on the subsystem of k
 * (of this process alone if k is not shared). Overwrites j->bound. Collective: all processes call
 * it. */
static ga_status count_constrained(ga_judge *j, double *constrained) {
  const ga_equations *eq = j->eq;
  const ga_csr *const gradients[] = {&eq->site->G, &eq->site->H};
  double *acts = j->bound; /* on the piece that begins here */
  memset(acts, 0, (size_t)eq->nv * sizeof(double));
  for (int g = 0; g < 2; g++) {
    const ga_csr *D = gradients[g];
    for (int e = 0; e < ga_csr_nnz(D); e++) acts[j->part[D->col[e]]] = 1;
  }
  for (int k = 0; k < eq->nv; k++) constrained[k] = acts[j->part[k]];
  return ga_team_sum_shared(eq->eval->team, 1, constrained);
}

/* Set p->label: numbers for the pieces that reach out, different on all processes; -1 for all other
 * velocities. *total: number of labels of all processes. GA_ERR_BACKEND if a sum over the team
 * failed. Collective. */
static ga_status label_pieces(ga_judge *j, const double *constrained, pieces *p, double *total) {
  const ga_equations *eq = j->eq;
  ga_team *team = eq->eval->team;
  double count = 0, before;
  for (int k = 0; k < eq->nv; k++) p->label[k] = -1;
  for (int k = 0; k < eq->nv; k++) {
    double *label = &p->label[j->part[k]];
    if (*label < 0 && reaches_out(j, constrained, k)) *label = count++;
  }
  /* the labels of lower processes come first */
  before = 0;
  *total = 0;
  for (int r = 0; r < team->processes; r++) {
    double of_rank = ga_team_sum(team, r == team->process ? count : 0);
    if (r < team->process) before += of_rank;
    *total += of_rank;
  }
  for (int k = 0; k < eq->nv; k++) {
    if (p->label[k] >= 0) p->label[k] += before;
  }
  return isfinite(*total) ? GA_OK : GA_ERR_BACKEND;
}

/* Process r shows the labels of its pieces at shared velocities; the others take smaller ones into
 * p->label. *changed is set to true if this process took one, and else left. Overwrites p->x.
 * Collective. */
static ga_status show_labels(ga_judge *j, const double *constrained, pieces *p, int r,
                             bool *changed) {
  const ga_equations *eq = j->eq;
  ga_team *team = eq->eval->team;
  for (int k = 0; k < eq->nv; k++) {
    bool shown = r == team->process && reaches_out(j, constrained, k);
    p->x[k] = shown ? 1 + p->label[j->part[k]] : 0;
  }
  ga_status status = ga_team_sum_shared(team, 1, p->x);
  for (int k = 0; k < eq->nv; k++) {
    double *label = &p->label[j->part[k]];
    if (p->x[k] == 0 || !reaches_out(j, constrained, k) || p->x[k] - 1 >= *label) continue;
    *label = p->x[k] - 1;
    *changed = true;
  }
  return status;
}

/* Renumber the labels in use to 0, 1, ..: j->span[k] for the piece that begins at velocity k, -1 if
 * it is of this process alone; sets j->nspan (0 before) and allocates j->span_max with room for one
 * number more than spans. total: number of labels. Collective. */
static ga_status number_spans(ga_judge *j, const pieces *p, int total, ga_arena *arena) {
  const ga_equations *eq = j->eq;
  ga_arena scratch = {0};
  double *used = ga_arena_doubles(&scratch, (size_t)total + 1);
  j->span_max = ga_arena_doubles(arena, (size_t)total + 1);
  ga_status status = GA_OK;
  if (scratch.failed || arena->failed) {
    status = ga_fail(eq->err, GA_ERR_MEM, "no memory for %d parts of the system", total);
  }
  status = ga_team_agree(eq->eval->team, status, eq->err);
  if (status == GA_OK) {
    for (int k = 0; k < eq->nv; k++) {
      if (p->label[k] >= 0) used[(int)p->label[k]] = 1;
    }
    status = ga_team_max_all(eq->eval->team, total, used);
    for (int i = 0; i < total; i++) used[i] = used[i] > 0 ? j->nspan++ : -1;
    for (int k = 0; k < eq->nv; k++) {
      j->span[k] = p->label[k] < 0 ? -1 : (int)used[(int)p->label[k]];
    }
  }
  ga_arena_free(&scratch);
  return status;
}

/* Number the subsystems that reach over several processes, into span, nspan and span_max: exchange
 * labels until nothing changes. Overwrites size_q, size_v and size_x. Collective. */
static ga_status find_spans(ga_judge *j, ga_arena *arena) {
  ga_team *team = j->eq->eval->team;
  pieces p = {j->size_q, j->size_v}; /* not in use yet */
  double *constrained = j->size_x, total;
  ga_status status = count_constrained(j, constrained);
  if (status == GA_OK) status = label_pieces(j, constrained, &p, &total);
  bool changed = true;
  while (status == GA_OK && changed) {
    changed = false;
    for (int r = 0; r < team->processes && status == GA_OK; r++) {
      status = show_labels(j, constrained, &p, r, &changed);
    }
    changed = ga_team_any(team, changed);
  }
  return status == GA_OK ? number_spans(j, &p, (int)total, arena) : status;
}

/* Prepare the judge for a team: allocate sums and span from arena, number the shared subsystems,
 * agree on const_mass. GA_OK without a team. After ga_judge_init; collective. */
ga_status ga_judge_join(ga_judge *j, ga_arena *arena) {
  const ga_equations *eq = j->eq;
  ga_team *team = eq->eval->team;
  if (!team) return GA_OK;
  j->by_value = false; /* subsystems are found from patterns alone */
  j->sums = ga_arena_doubles(arena, (size_t)(GA_JUDGE_SUMS * eq->nx));
  j->span = ga_arena_ints(arena, (size_t)eq->nv);
  ga_status status = GA_OK;
  if (arena->failed) status = ga_fail(eq->err, GA_ERR_MEM, "no memory for the judge of a team");
  status = ga_team_agree(team, status, eq->err);
  if (status != GA_OK) return status;
  j->const_mass = !ga_team_any(team, !eq->eval->const_mass);
  return find_spans(j, arena);
}

/* of_part[k], for each first velocity k of a shared subsystem, becomes the maximum over the
 * processes; likewise *more (may be NULL). Numbers must not be negative. Overwrites j->span_max.
 * Collective. */
void ga_judge_share_parts(ga_judge *j, double *of_part, double *more) {
  const ga_equations *eq = j->eq;
  double *span_max = j->span_max;
  memset(span_max, 0, (size_t)j->nspan * sizeof(double));
  for (int k = 0; k < eq->nv; k++) {
    int s = j->span[k];
    if (s >= 0) span_max[s] = ga_max(span_max[s], of_part[k]);
  }
  if (more) span_max[j->nspan] = *more;
  ga_team_max_all(eq->eval->team, j->nspan + (more != NULL), span_max);
  for (int k = 0; k < eq->nv; k++) {
    if (j->span[k] >= 0) of_part[k] = span_max[j->span[k]];
  }
  if (more) *more = span_max[j->nspan];
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static const ga_verdict none = {.accepted = true, .doubtful = true, .shakable = true};

/* *v becomes the verdict of all processes: accepted, doubtful, shakable if all say so, the largest
 * excess. known: the excess that all of them had before; elsewhere (the worst row is one of another
 * process) is set only if it is exceeded. v->row stays that of this process. Collective. */
static void agree(ga_judge *j, double known, ga_verdict *v) {
  double all[] = {!v->accepted, !v->doubtful, !v->shakable, v->excess};
  ga_team_max_all(j->eq->eval->team, 4, all);
  if (all[3] > known) v->elsewhere = v->excess < all[3];
  v->accepted = all[0] == 0;
  v->doubtful = all[1] == 0;
  v->shakable = all[2] == 0;
  v->excess = all[3];
}

/* Is some row of constraint c above the bound that accepts most rows, |D| (newton_tol |x| +
 * roundings)? Rows of this process; j->size_x must be set. */
static bool suspect_constraint(ga_judge *j, const ga_iterate *at, int c, ga_look look) {
  const ga_equations *eq = j->eq;
  const ga_row_rounding k = ga_allow_rounding(j, eq->method->con[c], look);
  const ga_bound bound = {j->tol, GA_ROUND * k.factor, j->size_x, k.size};
  const double *r = at->r + eq->con_at[c];
  for (int i = 0; i < k.D->nrow; i++) {
    if (!(fabs(r[i]) <= ga_allow_row_bound(k.D, i, &bound))) return true;
  }
  return false;
}

/* Is some force row of this process above (newton_tol + roundings) times its terms, or NaN? */
static bool suspect_force(const ga_judge *j, const ga_iterate *at) {
  const double level = j->tol + GA_ROUND * DBL_EPSILON;
  for (int i = 0; i < j->eq->nx; i++) {
    if (!(fabs(at->r[i]) <= level * at->terms[i])) return true;
  }
  return false;
}

/* j->suspects[c]: constraints that some process must check closely; returns whether there are any.
 * *forces: the same for force rows. Sets j->size_x. Collective. */
static bool suspect(ga_judge *j, const ga_iterate *at, ga_look look, bool *forces) {
  const ga_equations *eq = j->eq;
  int ncon = eq->method->ncon;
  double mark[GA_MAX_CON + 1];
  bool any = false;
  ga_allow_accelerations(j, at);
  for (int c = 0; c < ncon; c++) mark[c] = suspect_constraint(j, at, c, look);
  mark[ncon] = suspect_force(j, at);
  ga_team_max_all(eq->eval->team, ncon + 1, mark);
  for (int c = 0; c < ncon; c++) any |= j->suspects[c] = mark[c] != 0;
  *forces = mark[ncon] != 0;
  return any;
}

/* The verdict of all processes on the constraint rows, by j->suspects, which is cleared afterwards.
 * Collective. */
static ga_verdict constraints(ga_judge *j, const ga_iterate *at, ga_look look) {
  ga_verdict v = none;
  ga_judge_constraints(j, at, look, &v);
  memset(j->suspects, 0, sizeof j->suspects);
  agree(j, 0, &v);
  return v;
}

/* The verdict of all processes on the force rows, added to v, the one on the constraints so far.
 * Collective. */
ga_verdict ga_judge_forces_together(ga_judge *j, const ga_iterate *at, ga_look look, ga_verdict v) {
  const double known = v.excess;
  if (!j->prepared) ga_allow_prepare(j, at->terms);
  ga_allow_sum_forces(j, at, look);
  ga_judge_forces(j, at, look, &v);
  agree(j, known, &v);
  return v;
}

/* The verdict of all processes on an iterate: constraints, if refused once more with eta counted in
 * the size of q, then forces; only what some process suspects. Collective. */
ga_verdict ga_judge_look_together(ga_judge *j, const ga_iterate *at, ga_look look) {
  bool forces, open = suspect(j, at, look, &forces);
  ga_verdict v = none;
  if (open) v = constraints(j, at, look);
  if (!v.accepted && look != GA_LOOK_ROUGHLY && j->eq->eta >= 0 && !j->eta_counted) {
    ga_allow_count_eta(j, at);
    v = none;
    if (suspect(j, at, look, &forces)) v = constraints(j, at, look);
  }
  return forces ? ga_judge_forces_together(j, at, look, v) : v;
}
