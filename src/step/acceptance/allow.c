/* SPDX-License-Identifier: MIT */
/* What is allowed in a row of a step's equations; judge.c states the rule. */
#include "step/acceptance/allow.h"

#include <float.h>
#include <string.h>

static const double ROUND = GA_ROUND;
/* The most that a rounding which is not measured (a tangent's claim, the shake, a stall) may
 * excuse, as a fraction of the row's terms: half of the 1e-8 that no accepted step may be out of
 * balance. */
static const double SHARE = 5e-9;
/* Largest violation of a position constraint after a stalled iteration, relative to the motion by
 * accelerations, h^2 |G||x|: q is then right to OPEN of the step's own curvature. */
static const double OPEN = 1e-4;
/* In a subsystem that constraints connect, a row is negligible if its terms are below sqrt(FAINT) =
 * 1e-7 of the strongest force: it need not be balanced better than to FAINT of that force. At the
 * far end of a long chain all motion is the rounding of motion elsewhere, which some hundred joints
 * have passed on: 100 rods take 1.0 iterations a step with it, 1.9 without. */
static const double FAINT = 1e-14;
/* A force out of balance may cause this fraction of the accelerations that the roundings of the
 * constraints cause anyway: the sum of both is hardly larger than the latter. */
static const double PART = 0.25;
/* The vectors of ga_judge.sums, as many numbers each as there are dynamic rows. */
enum { BY_X, BY_SHAKE, BY_REACTION, BY_LARGEST, BY_TANGENTS, BY_ROWS, SUMS = GA_JUDGE_SUMS };

/* ---- constraint rows ------------------------------------------------------------------------ */

/* j->size_x[i]: |x| of velocity i at this iterate, the largest over the x blocks of the method. */
void ga_allow_accelerations(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  for (int i = 0; i < eq->nv; i++) j->size_x[i] = fabs(at->x[i]);
  for (int b = 1; b < eq->method->nx; b++) {
    const double *x = at->x + b * eq->nv;
    for (int i = 0; i < eq->nv; i++) j->size_x[i] = ga_max(j->size_x[i], fabs(x[i]));
  }
}

/* Add the summand h^2 |G_n|^T |eta| of q_1 to j->size_q and set j->eta_counted; eq->eta must be >=
 * 0. In a team collective, and overwrites j->bound. It matters only if all other summands are tiny,
 * so this is called only after a constraint was refused. */
ga_status ga_allow_count_eta(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  const ga_csr *G = &eq->Gn;
  const double *eta = at->x + eq->mult_at[eq->eta];
  double *to = eq->eval->team ? j->bound : j->size_q;
  ga_status status = GA_OK;
  if (eq->eval->team) memset(to, 0, (size_t)eq->nv * sizeof(double));
  for (int i = 0; i < G->nrow; i++) {
    double size = eq->h * eq->h * fabs(eta[i]);
    for (int e = G->ptr[i]; e < G->ptr[i + 1]; e++) to[G->col[e]] += size * fabs(G->val[e]);
  }
  if (eq->eval->team) {
    status = ga_team_sum_shared(eq->eval->team, 1, to);
    ga_axpy(eq->nv, 1, to, j->size_q);
  }
  j->eta_counted = true;
  return status;
}

/* The largest entry of row i of a gradient that is a difference quotient (derivatives.c), as far as
 * its rounding goes. Values of g are rounded like |D| |q|, and the steps of the quotient grow like
 * |q|^(1/5) only; those of velocities grow like |v|, and size is NULL. */
static double largest_quotient(const ga_csr *D, int i, const double *size) {
  double largest = 0;
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    double q = size ? size[D->col[e]] : 0;
    largest = ga_max(largest, fabs(D->val[e]) * (q > 1 ? pow(q, 0.8) : 1));
  }
  return largest;
}

/* One rounding of G and H relative to their size, eps or more. Difference quotients have larger
 * ones, which count once (noise/ROUND) as long as the iteration goes on, and in full, like other
 * roundings, when it has stalled. */
static double gradient_rounding(const ga_judge *j, ga_look look) {
  double noise = j->eq->eval->noise_all;
  return look == GA_LOOK_STALLED ? noise : ga_max(noise / ROUND, DBL_EPSILON);
}

/* One rounding of the rows of this kind: factor |D| size, as the table at the head of judge.c says.
 * The result points to arrays of j (size_q, size_v, pace, now_q, now_v), valid for this iterate;
 * for a stalled iteration j->pace must be set. */
ga_row_rounding ga_allow_rounding(ga_judge *j, ga_con_kind kind, ga_look look) {
  const ga_equations *eq = j->eq;
  double noise = gradient_rounding(j, look);
  ga_row_rounding out = {.D = ga_equations_gradient(eq, kind), .size = j->size_v};
  if (look == GA_LOOK_STALLED) out.size = j->pace;
  out.noise = noise;
  out.factor = noise / eq->h;
  out.quotient = look == GA_LOOK_STALLED && noise > DBL_EPSILON;
  if (kind == GA_ROW_POS) {
    out.size = j->size_q;
    out.noise = DBL_EPSILON;
    out.factor = DBL_EPSILON / (eq->h * eq->h);
    out.quotient = false;
  } else if (kind == GA_ROW_ACC) {
    out.size = j->size_q;
    out.factor = out.noise = ga_eval_drift_noise(eq->eval);
    out.speed = j->speed;
  }
  if (out.quotient) {
    const ga_motion_sizes now = ga_judge_motion_sizes(j);
    out.now_q = kind == GA_ROW_NONHOL ? NULL : now.q;
    out.now_v = now.v;
  }
  return out;
}

/* First velocity of the subsystem that constraint row i acts on, by its first nonzero entry (the
 * last entry if all are zero); 0 for an empty row. */
static int part_of_row(const ga_judge *j, const ga_csr *D, int i) {
  int e = D->ptr[i], end = D->ptr[i + 1];
  while (e + 1 < end && D->val[e] == 0) e++;
  return e < end ? j->part[D->col[e]] : 0;
}

/* The sizes of constraint row i, see ga_row_sizes; k must be of ga_allow_rounding, and j->size_x
 * set. The rounding is at least that of the smallest acceleration that newton.c does not set to
 * zero (GA_UNDERFLOW). */
ga_row_sizes ga_allow_sizes(const ga_judge *j, const ga_row_rounding *k, int i) {
  const ga_csr *D = k->D;
  double x = 0, sum = 0, moved = 0, all = 0;
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    double entry = fabs(D->val[e]);
    int col = D->col[e];
    double size = k->size[col];
    if (k->speed > 0) size += j->size_x[col] + k->speed * j->size_v[col];
    all += entry;
    x += entry * j->size_x[col];
    sum += entry * size;
    if (k->quotient && entry > 0) moved += k->now_v[col];
  }
  const double summed = k->factor / k->noise * sum;
  double rounding = k->factor * sum;
  if (k->quotient) {
    rounding = DBL_EPSILON * summed + k->factor * largest_quotient(D, i, k->now_q) * moved;
  }
  return (ga_row_sizes){.by_x = x, .summed = summed, .rounding = rounding + GA_UNDERFLOW * all};
}

/* Allowance of row i. proved: `allowed` plus the larger of the claim (a rounding that tangents say
 * but nobody measured, up to SHARE of the terms) and the measured rounding j->noise in full.
 * claimed: allowed + most. A measured change far above `most`, the largest claim, is a jump of a
 * force and does not count. shakable is 0. */
static ga_allowance with_claim(const ga_judge *j, int i, double allowed, double claim, double most,
                               double terms) {
  const bool shown = j->measured && j->noise[i] <= ROUND * most;
  const double noise = shown ? j->noise[i] : 0;
  return (ga_allowance){.proved = allowed + ga_max(noise, fmin(claim, SHARE * terms)),
                        .claimed = allowed + most};
}

/* One rounding of the liveliest motion in the subsystem, in the direction of row i of D: in a plane
 * motion in space the terms across the plane are only rounding of others. Motion is compared by
 * kinetic energy (root = sqrt of the mass) and as it is; the smaller one counts.
 * ga_judge_measure_motion must have set liveliest and fastest. */
double ga_allow_motion(const ga_judge *j, const ga_csr *D, int i) {
  double square = 0, sum = 0;
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    double root = j->root[D->col[e]], entry = root > 0 ? D->val[e] / root : 0;
    square += entry * entry;
    sum += fabs(D->val[e]);
  }
  int part = part_of_row(j, D, i);
  return DBL_EPSILON * fmin(sqrt(square) * j->liveliest[part], sum * j->fastest[part]);
}

/* Allowance of row i of constraint c (a number in method->con) with these sizes: newton_tol terms
 * and roundings, the claim of the tangents Z or Y by q and, if the iteration has stalled, SHARE of
 * the terms. Constraint rows have no shakable part. */
ga_allowance ga_allow_constraint(const ga_judge *j, int c, int i, ga_row_sizes size, ga_look look) {
  const ga_equations *eq = j->eq;
  ga_con_kind kind = eq->method->con[c];
  double allowed = j->tol * size.by_x + ROUND * size.rounding, claim = 0;
  if (kind == GA_ROW_VEL || kind == GA_ROW_NONHOL) {
    const ga_tangents *d = &j->factors->matrix.tangents;
    const ga_csr *by_q = kind == GA_ROW_VEL ? &d->Z : &d->Y;
    claim = ROUND * DBL_EPSILON * ga_allow_row_sum(by_q, i, j->size_q) / eq->h;
  }
  double terms = size.by_x + size.summed;
  if (look == GA_LOOK_STALLED) {
    double share = SHARE * terms;
    allowed = ga_max(allowed, kind == GA_ROW_POS ? fmin(share, OPEN * size.by_x) : share);
  }
  return with_claim(j, eq->con_at[c] + i, allowed, claim, claim, terms);
}

/* ---- force rows ----------------------------------------------------------------------------- */

/* |x| of an unknown in a force row, at least so large that its rounding is not below what newton.c
 * sets to zero. */
static double size_of(double x) {
  return fabs(x) + GA_UNDERFLOW / DBL_EPSILON;
}

/* sum_i |D_ik| |mult_i| over the rows i of D: the size of the reaction on velocity k. columns: D by
 * columns. */
static double column_sum(const ga_csr *D, const ga_columns *columns, int k, const double *mult) {
  double sum = 0;
  for (int c = columns->ptr[k]; c < columns->ptr[k + 1]; c++) {
    sum += fabs(D->val[columns->entry[c]]) * size_of(mult[columns->row[c]]);
  }
  return sum;
}

/* The same, with each nonzero entry replaced by the largest of its row (largest_quotient with
 * `size`): the rounding of a D that is a difference quotient. */
static double largest_sum(const ga_csr *D, const ga_columns *columns, int k, const double *mult,
                          const double *size) {
  double sum = 0;
  for (int c = columns->ptr[k]; c < columns->ptr[k + 1]; c++) {
    int i = columns->row[c];
    if (D->val[columns->entry[c]] == 0) continue;
    sum += largest_quotient(D, i, size) * size_of(mult[i]);
  }
  return sum;
}

/* *reaction = |G|^T |lam| + |H|^T |psi| of velocity k in block b, of this process alone; 0 if the
 * block has applied forces only. *rounded: the same, but in a stalled iteration an entry of a
 * difference quotient counts as the largest of its row. */
static void reaction_sizes(ga_judge *j, const ga_iterate *at, int b, int k, ga_look look,
                           double *reaction, double *rounded) {
  const ga_equations *eq = j->eq;
  const ga_dyn_row *row = &eq->method->dyn[b];
  const ga_site *site = &eq->site[row->site];
  bool quotient = ga_eval_jacobian_noise(eq->eval) > DBL_EPSILON && look == GA_LOOK_STALLED;
  *reaction = *rounded = 0;
  if (row->forces == GA_FORCES_APPLIED) return;
  const double *lam = ga_equations_multipliers(eq, at->x, row->lam);
  const double *psi = ga_equations_multipliers(eq, at->x, row->psi);
  *reaction =
      column_sum(&site->G, &j->G_columns, k, lam) + column_sum(&site->H, &j->H_columns, k, psi);
  *rounded = *reaction;
  if (quotient) {
    const double *now_q = ga_judge_motion_sizes(j).q;
    *rounded = largest_sum(&site->G, &j->G_columns, k, lam, now_q) +
               largest_sum(&site->H, &j->H_columns, k, psi, NULL);
  }
}

/* The largest terms among the components of the vector (on SO(3) or SE(3); on R^n a single number)
 * that dynamic row i belongs to. */
static double vector_terms(const ga_judge *j, const ga_iterate *at, int i) {
  int k = i % j->eq->nv, row0 = i - k;
  double largest = 0;
  for (int e = j->vector[k]; e < j->vector_end[k]; e++) {
    largest = ga_max(largest, at->terms[row0 + e]);
  }
  return largest;
}

/* Raise strongest (F/sqrt(m)), hardest (F/m) and greatest (F) of each subsystem by the terms of one
 * block of nv force rows. root: sqrt(m). Velocities without mass raise only `greatest`. Begin with
 * ga_judge_clear_parts. */
static void find_strongest(ga_judge *j, const double *restrict terms) {
  const int nv = j->eq->nv, *restrict of = j->part;
  const double *restrict root = j->root;
  double *restrict strongest = j->strongest, *restrict hardest = j->hardest;
  double *restrict greatest = j->greatest;
  for (int k = 0; k < nv;) { /* neighbours are mostly of one part */
    const int part = of[k];
    double by_energy = strongest[part], by_motion = hardest[part], most = greatest[part];
    for (; k < nv && of[k] == part; k++) {
      const double force = terms[k], m = root[k] * root[k];
      if (force > most) most = force;
      if (force > by_energy * root[k] && m > 0) by_energy = force / root[k];
      if (force > by_motion * m && m > 0) by_motion = force / m;
    }
    strongest[part] = by_energy;
    hardest[part] = by_motion;
    greatest[part] = most;
  }
}

/* Set strongest, hardest, greatest (the strongest force in each subsystem, compared as F/sqrt(m),
 * whose unit is the same for torques, as F/m and as F), j->largest (of all) and j->prepared. terms:
 * those of the iterate's dynamic rows. In a team maxima over the processes; collective. */
void ga_allow_prepare(ga_judge *j, const double *terms) {
  const ga_equations *eq = j->eq;
  ga_judge_know_parts(j);
  ga_judge_clear_parts(j, j->strongest);
  ga_judge_clear_parts(j, j->hardest);
  ga_judge_clear_parts(j, j->greatest);
  for (int b = 0; b < eq->method->nx; b++) find_strongest(j, terms + b * eq->nv);
  j->largest = 0;
  for (int p = 0; p < j->nparts; p++) j->largest = ga_max(j->largest, j->greatest[j->first[p]]);
  if (eq->eval->team) ga_judge_share_parts(j, j->strongest, &j->largest);
  if (eq->eval->team) ga_judge_share_parts(j, j->hardest, NULL);
  if (eq->eval->team) ga_judge_share_parts(j, j->greatest, NULL);
  j->prepared = true;
}

/* Sum over all processes for dynamic row i of a shared velocity, from the last ga_allow_sum_forces;
 * vector: BY_X to BY_ROWS. */
static double shared_sum(const ga_judge *j, int vector, int i) {
  return j->sums[vector * j->eq->nx + i];
}

/* Is velocity k one that several processes have? False without a team. */
static bool is_shared(const ga_judge *j, int k) {
  return j->eq->eval->team && j->eq->eval->shared[k];
}

/* Has column k of D a nonzero value? columns: D by columns. */
static bool has_entry(const ga_csr *D, const ga_columns *columns, int k) {
  for (int c = columns->ptr[k]; c < columns->ptr[k + 1]; c++) {
    if (D->val[columns->entry[c]] != 0) return true;
  }
  return false;
}

/* Force that is negligible for velocity k, whose row has these terms: if a constraint acts on k,
 * FAINT of the strongest force in its subsystem, but at most SHARE of the terms unless these are
 * below sqrt(FAINT) of it; else, or without mass, (ROUND eps)^2 of it. Strongest: the least of
 * three comparisons, by F, F/sqrt(m) and F/m. Call ga_allow_prepare and, in a team,
 * ga_allow_sum_forces before. */
double ga_allow_faint(const ga_judge *j, int k, double terms) {
  const ga_site *site = &j->eq->site[GA_SITE_NEW];
  const double level = ROUND * DBL_EPSILON;
  if (!(j->root[k] > 0)) return level * level * j->greatest[j->part[k]];
  /* moved: a constraint (of any process) acts on k; root: sqrt(m) */
  bool moved = has_entry(&site->G, &j->G_columns, k) || has_entry(&site->H, &j->H_columns, k);
  if (is_shared(j, k)) moved = shared_sum(j, BY_ROWS, k) > 0;
  const int part = j->part[k];
  const double root = j->root[k], by_energy = root * j->strongest[part];
  const double by_motion = root * root * j->hardest[part];
  const double strongest = fmin(j->greatest[part], fmin(by_energy, by_motion));
  if (!moved) return level * level * strongest;
  const bool all = terms <= sqrt(FAINT) * strongest; /* all terms are negligible */
  return all ? FAINT * strongest : fmin(FAINT * strongest, SHARE * terms);
}

/* *by_x += m |M| |x|, *by_shake += m |M| |shake| of dynamic row i, of this process alone; the
 * second only if j->shaken. */
static void by_mass(const ga_judge *j, const ga_iterate *at, int i, double *by_x,
                    double *by_shake) {
  const ga_equations *eq = j->eq;
  int b = i / eq->nv, k = i % eq->nv;
  const ga_csr *M = &eq->site[eq->method->dyn[b].site].M;
  const double *x = at->x + b * eq->nv, *shake = j->shake + b * eq->nv;
  for (int e = M->ptr[k]; e < M->ptr[k + 1]; e++) {
    double entry = eq->tab.m * fabs(M->val[e]);
    *by_x += entry * size_of(x[M->col[e]]);
    if (j->shaken) *by_shake += entry * fabs(shake[M->col[e]]);
  }
}

/* |K| |q_1| + |C| |v_1| of dynamic row i, of this process alone: the force that one relative change
 * of q_1 and v_1 would make, by the tangents of the matrix made last. */
static double by_tangents(ga_judge *j, int i) {
  const ga_tangents *d = &j->factors->matrix.tangents;
  const ga_motion_sizes size = ga_judge_motion_sizes(j);
  int b = i / j->eq->nv, k = i % j->eq->nv;
  return ga_allow_row_sum(&d->Kt[b], k, size.q) + ga_allow_row_sum(&d->Ct[b], k, size.v);
}

/* The vectors BY_X to BY_ROWS of shared velocities, summed over the processes into j->sums; zero
 * for velocities of one process. Only in a team; collective: all processes call it. */
ga_status ga_allow_sum_forces(ga_judge *j, const ga_iterate *at, ga_look look) {
  const ga_equations *eq = j->eq;
  const ga_site *site = &eq->site[GA_SITE_NEW];
  int nx = eq->nx, nv = eq->nv;
  memset(j->sums, 0, (size_t)(SUMS * nx) * sizeof(double));
  for (int i = 0; i < nx; i++) {
    int k = i % nv;
    if (!eq->eval->shared[k]) continue;
    double *sum = j->sums + i;
    by_mass(j, at, i, &sum[BY_X * nx], &sum[BY_SHAKE * nx]);
    reaction_sizes(j, at, i / nv, k, look, &sum[BY_REACTION * nx], &sum[BY_LARGEST * nx]);
    sum[BY_TANGENTS * nx] = by_tangents(j, i);
    sum[BY_ROWS * nx] =
        has_entry(&site->G, &j->G_columns, k) || has_entry(&site->H, &j->H_columns, k);
  }
  return ga_team_sum_shared(eq->eval->team, SUMS * eq->method->nx, j->sums);
}

/* Allowance of dynamic row i with residual |r| = r; faint: of ga_allow_faint. The cheap terms are
 * computed first; the others only if r is larger than these and the look is not rough, so `claimed`
 * is 0 otherwise. ga_allow_prepare must have been called, in a team also ga_allow_sum_forces. */
ga_allowance ga_allow_force(ga_judge *j, const ga_iterate *at, int i, double r, double faint,
                            ga_look look) {
  const ga_equations *eq = j->eq;
  int b = i / eq->nv, k = i % eq->nv;
  const bool shared = is_shared(j, k);
  const double level = ROUND * DBL_EPSILON, phi = eq->tab.phi;
  double by_x = 0, by_shake = 0, terms = at->terms[i];
  by_mass(j, at, i, &by_x, &by_shake);
  if (shared) by_x = shared_sum(j, BY_X, i), by_shake = shared_sum(j, BY_SHAKE, i);
  double allowed = j->tol * terms + level * (vector_terms(j, at, i) + by_x);
  allowed += j->shaken ? ga_max(faint, fmin(PART * by_shake, SHARE * terms)) : faint;
  ga_allowance rough = {.proved = allowed, .shakable = allowed + SHARE * terms};
  if (r <= allowed || look == GA_LOOK_ROUGHLY) return rough;
  double reaction, rounded;
  if (shared) {
    reaction = shared_sum(j, BY_REACTION, i), rounded = shared_sum(j, BY_LARGEST, i);
  } else {
    reaction_sizes(j, at, b, k, look, &reaction, &rounded);
  }
  allowed += ROUND * gradient_rounding(j, look) * phi * rounded;
  terms += phi * reaction;
  double claim = level * phi * (shared ? shared_sum(j, BY_TANGENTS, i) : by_tangents(j, i));
  if (look == GA_LOOK_STALLED) claim = ga_max(claim, SHARE * terms);
  ga_allowance out = with_claim(j, i, allowed, claim, ga_max(claim, level * j->largest), terms);
  out.shakable = rough.shakable;
  return out;
}
