/* SPDX-License-Identifier: MIT */
/* Measurements of the judge: which velocities belong to one subsystem, how far roundings of the
 * constraints move the unknowns, how far roundings of q and v change the residual. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "step/acceptance/judge.h"

/* Union-find: the first velocity of the subsystem that i belongs to. Paths in part[] are
 * shortened. */
static int part_of(int *part, int i) {
  while (part[i] != i) i = part[i] = part[part[i]];
  return i;
}

/* Unite the subsystems of velocities i and k in part[]; the smaller first velocity stands for
 * both. */
static void unite(int *part, int i, int k) {
  int a = part_of(part, i), b = part_of(part, k);
  if (a < b) {
    part[b] = a;
  } else {
    part[a] = b;
  }
}

/* Find the subsystems: unite all velocities that occur in one row of G or H of the new site
 * (by_value: with nonzero values). Sets part, first (increasing) and nparts. */
void ga_judge_find_parts(ga_judge *j, bool by_value) {
  const ga_site *site = j->eq->site;
  const ga_csr *const gradients[] = {&site->G, &site->H};
  for (int i = 0; i < j->eq->nv; i++) j->part[i] = i;
  for (int g = 0; g < 2; g++) {
    const ga_csr *D = gradients[g];
    for (int i = 0; i < D->nrow; i++) {
      int last = -1; /* column met before in this row */
      for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
        if (by_value && D->val[e] == 0) continue;
        if (last >= 0) unite(j->part, D->col[e], last);
        last = D->col[e];
      }
    }
  }
  j->nparts = 0;
  for (int i = 0; i < j->eq->nv; i++) {
    j->part[i] = part_of(j->part, i);
    if (j->part[i] == i) j->first[j->nparts++] = i;
  }
}

/* Set j->root[i] = sqrt of m times the row sum of |M|, m of the tableau; once only if M is
 * constant. In a team sums over the processes; collective. */
static void measure_roots(ga_judge *j) {
  const ga_equations *eq = j->eq;
  const ga_csr *M = &eq->site[GA_SITE_NEW].M;
  if (j->roots_known) return;
  for (int i = 0; i < eq->nv; i++) {
    double mass = 0;
    for (int e = M->ptr[i]; e < M->ptr[i + 1]; e++) mass += fabs(M->val[e]);
    j->root[i] = mass;
  }
  ga_team_sum_shared(eq->eval->team, 1, j->root);
  for (int i = 0; i < eq->nv; i++) j->root[i] = sqrt(eq->tab.m * j->root[i]);
  j->roots_known = j->const_mass;
}

/* Set root, and part if subsystems are found by value, for the iterate in hand, unless they are
 * known. In a team collective. */
void ga_judge_know_parts(ga_judge *j) {
  if (j->parts_known) return;
  measure_roots(j);
  if (j->by_value) ga_judge_find_parts(j, true);
  j->parts_known = true;
}

/* of_part = 0 at the first velocity of each subsystem; other places are not touched. */
void ga_judge_clear_parts(const ga_judge *j, double *of_part) {
  for (int p = 0; p < j->nparts; p++) of_part[j->first[p]] = 0;
}

/* Set liveliest = max root (|x| + V/h) and fastest = max (|x| + V/h) of each subsystem (V: size_v;
 * without V for positions; root: sqrt of the mass). size_x must be set. In a team maxima over the
 * processes; collective. */
void ga_judge_measure_motion(ga_judge *j, ga_con_kind kind) {
  const double per_h = kind == GA_ROW_POS ? 0 : 1 / j->eq->h;
  ga_judge_know_parts(j);
  ga_judge_clear_parts(j, j->liveliest);
  ga_judge_clear_parts(j, j->fastest);
  for (int i = 0; i < j->eq->nv; i++) {
    double *liveliest = &j->liveliest[j->part[i]], *fastest = &j->fastest[j->part[i]];
    double motion = j->size_x[i] + per_h * j->size_v[i];
    *liveliest = ga_max(*liveliest, j->root[i] * motion);
    *fastest = ga_max(*fastest, motion);
  }
  if (j->eq->eval->team) ga_judge_share_parts(j, j->liveliest, NULL);
  if (j->eq->eval->team) ga_judge_share_parts(j, j->fastest, NULL);
}

/* +1 or -1, by a hash of i and of the number of the probe; the same in each run. */
static double sign_of(unsigned i, unsigned probe) {
  unsigned bits = (i + 1) * 2654435761u ^ (probe + 1) * 2246822519u;
  bits ^= bits >> 15;
  bits *= 2654435761u;
  return bits >> 31 ? 1 : -1;
}

/* Solve A s = (0, one rounding of each constraint, with random signs) into j->shake, n numbers: how
 * far rounding of the constraints moves the unknowns. Sets rounding and j->shaken (false if the
 * solve failed). In a team collective. */
ga_status ga_judge_shake(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  ga_judge_roundings(j, at);
  memset(j->shake, 0, (size_t)eq->nx * sizeof(double));
  for (int i = eq->nx; i < eq->n; i++) j->shake[i] = sign_of((unsigned)i, 0) * j->rounding[i];
  ga_status status = ga_factors_solve(j->factors, eq, j->shake);
  j->shaken = status == GA_OK;
  return status;
}

/* Sign, 1 or -1, of the shift of velocity i in this probe. A spring does not feel both its ends
 * moved alike, so one probe moves neighbours to opposite sides, the next those that are two or
 * three numbers apart. */
static double side_of(unsigned i, unsigned probe) {
  unsigned apart = probe / 2 % 2 ? i / 2 : i;
  return apart % 2 ? -sign_of(i / 4, probe) : sign_of(i / 4, probe);
}

/* The sizes of q_1 and v_1 of the iterate in hand, nv numbers each; computed once for each iterate
 * into now_q and now_v, to which the result points. */
ga_motion_sizes ga_judge_motion_sizes(ga_judge *j) {
  const ga_site *site = &j->eq->site[GA_SITE_NEW];
  if (!j->now_known) {
    ga_eval_size(j->eq->eval, site->q, j->now_q);
    for (int i = 0; i < j->eq->nv; i++) j->now_v[i] = fabs(site->v[i]);
  }
  j->now_known = true;
  return (ga_motion_sizes){j->now_q, j->now_v};
}

/* Residual r (n numbers) at x with q_1, v_1 moved by GA_ROUND roundings of these sizes; side = 1 or
 * -1. Overwrites shift_q, shift_v and terms; the sites are then those of the moved point. A shared
 * velocity is moved alike on all processes. */
static ga_status probe(ga_judge *j, const ga_iterate *at, ga_motion_sizes size, double side,
                       double *r) {
  const ga_equations *eq = j->eq;
  const ga_team *team = eq->eval->team;
  double step = side * GA_ROUND * DBL_EPSILON;
  for (int i = 0; i < eq->nv; i++) {
    unsigned number = team ? (unsigned)team->velocity[i] : (unsigned)i;
    j->shift_q[i] = step * side_of(number, 2 * j->probes) * size.q[i];
    j->shift_v[i] = step * side_of(number, 2 * j->probes + 1) * size.v[i];
  }
  return ga_equations_evaluate(j->eq, at->x, &(ga_shift){j->shift_q, j->shift_v}, NULL, r,
                               j->terms);
}

/* Set noise_i = min(|r_up - r|, |r_down - r|) with q_1, v_1 moved by roundings up and down; of
 * several probes at one iterate the largest counts. Sets measured, adds 1 to probes. The caller
 * must evaluate the residual at x again: the sites have moved. */
ga_status ga_judge_measure(ga_judge *j, const ga_iterate *at) {
  const ga_motion_sizes size = ga_judge_motion_sizes(j);
  ga_status status = probe(j, at, size, 1, j->r_up);
  if (status == GA_OK) status = probe(j, at, size, -1, j->r_down);
  if (status != GA_OK) return status;
  for (int i = 0; i < j->eq->n; i++) {
    double change = fmin(fabs(j->r_up[i] - at->r[i]), fabs(j->r_down[i] - at->r[i]));
    j->noise[i] = j->measured ? ga_max(j->noise[i], change) : change;
  }
  j->measured = true;
  j->probes++;
  return GA_OK;
}
