/* SPDX-License-Identifier: MIT */
/* Rows of a step's residual against what rounding makes of them. */
#include "step/rounding.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double NOISE = 200; /* rounding level, in units of eps times the size of the terms */
static const double CLEAN = 4;   /* what no iteration can improve of constraints, in these units */
/* Of what the rounding of the constraints does to accelerations, what may be left in the forces; of
 * what it leaves in their rows, what may be left in others. */
static const double NOISE_PART = 0.1, PART = 0.2;

static double row_sum(const ga_csr *A, int i) {
  double sum = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum += fabs(A->val[e]);
  return sum;
}

/* What the reactions contribute to each velocity's row: gradient times multiplier of each
 * constraint that acts there at all. An entry of G is rounded against the largest of its row. */
static void reaction_sizes(const ga_step *s, double *sum) {
  const ga_method *method = s->method;
  memset(sum, 0, (size_t)s->nv * sizeof(double));
  for (int c = 0; c < method->ncon; c++) {
    if (method->mult[c] == GA_BLOCK_ETA) continue;
    const ga_csr *D = method->mult[c] == GA_BLOCK_PSI ? &s->site->H : &s->site->G;
    for (int k = 0; k < D->nrow; k++) {
      double gradient = 0;
      for (int e = D->ptr[k]; e < D->ptr[k + 1]; e++) {
        double entry = fabs(D->val[e]);
        gradient = entry > gradient ? entry : gradient;
      }
      double size = gradient * fabs(s->x[s->mult_at[c] + k]);
      for (int e = D->ptr[k]; e < D->ptr[k + 1]; e++) sum[D->col[e]] += D->val[e] != 0 ? size : 0;
    }
  }
}

/* what the rounding of a row depends on besides the row; measured once, when a row asks for it */
typedef struct {
  double Q, V, size_x; /* largest position, velocity, acceleration */
  double rough;        /* relative rounding of G and H */
} noise;

static void measure_noise(const ga_step *s, noise *n) {
  n->Q = ga_max_abs(s->nq, s->site->q);
  n->V = ga_max_abs(s->nv, s->site->v);
  n->size_x = ga_max_abs(s->method->nx * s->nv, s->x);
  n->rough = ga_max(NOISE * DBL_EPSILON, 10 * ga_eval_jacobian_noise(s->eval));
  reaction_sizes(s, s->reaction_size);
}

static double diagonal_mass(const ga_step *s, const ga_site *site, int i) {
  int place = s->mass_diagonal[i];
  return place >= 0 ? fabs(site->M.val[place]) : 0;
}

/* Rounding of a force balance: a stiff spring between two points is the difference of terms as
 * large as stiffness times position, a damper likewise; G by differences has its own, larger
 * rounding. */
static bool at_row_noise(const ga_step *s, int i, const noise *n) {
  int j = i / s->nv, row = i % s->nv;
  double mass = diagonal_mass(s, &s->site[s->method->dyn[j].site], row);
  double terms = s->row_size[i] + row_sum(&s->Kt[j], row) * n->Q + row_sum(&s->Ct[j], row) * n->V;
  double level = NOISE * DBL_EPSILON * (terms + mass * n->size_x);
  return fabs(s->r[i]) <= level + n->rough * s->reaction_size[row];
}

/* Every force balance within `part` of its own terms, or within rounding. */
bool ga_balanced(const ga_step *s, double part) {
  noise n;
  bool measured = false;
  for (int i = 0; i < s->method->nx * s->nv; i++) {
    if (fabs(s->r[i]) <= part * s->row_size[i]) continue;
    if (!measured) measure_noise(s, &n);
    measured = true;
    if (!at_row_noise(s, i, &n)) return false;
  }
  return true;
}

/* Every constraint row below `level` times what its gradient makes of positions of size Q and
 * velocities of size V. */
static bool constraints_below(const ga_step *s, double level, double Q, double V) {
  const ga_method *method = s->method;
  for (int c = 0; c < method->ncon; c++) {
    ga_con_kind kind = method->con[c];
    const ga_csr *D = kind == GA_ROW_NONHOL ? &s->site->H : &s->site->G;
    double scale = kind == GA_ROW_POS ? Q / (s->h * s->h) : V / s->h;
    double part = level;
    if (kind == GA_ROW_ACC) {
      scale = Q + ga_max_abs(s->method->nx * s->nv, s->x) + V * V;
      part = ga_max(level, 20 * ga_eval_drift_noise(s->eval));
    }
    for (int i = 0; i < ga_step_con_size(s, kind); i++) {
      if (!(fabs(s->r[s->con_at[c] + i]) <= part * scale * row_sum(D, i))) return false;
    }
  }
  return true;
}

/* every row of the residual within NOISE roundings of the terms it is the sum of; G and H by
 * differences carry their own, larger rounding into forces and velocities */
bool ga_at_rounding_level(const ga_step *s) {
  double level = NOISE * DBL_EPSILON;
  double rough = ga_max(level, 10 * ga_eval_jacobian_noise(s->eval));
  double Q = ga_max_abs(s->nq, s->site->q) + ga_max_abs(s->nv, s->wq);
  double V = ga_max_abs(s->nv, s->site->v) + s->h * ga_max_abs(s->nv, s->x);
  return ga_balanced(s, rough) && constraints_below(s, level, Q, V * rough / level);
}

/* size of the terms of a row: sum_j |A_ij|, and that times the largest |x_j| that it meets */
static double row_terms(const ga_csr *A, int i, const double *x, double *row) {
  double sum = 0, largest = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    double size = fabs(x[A->col[e]]);
    sum += fabs(A->val[e]);
    largest = size > largest ? size : largest;
  }
  if (row) *row = sum;
  return sum * largest;
}

/* Nothing left to gain in constraint rows c: each is as small as the rounding of q or v makes it,
 * CLEAN roundings of its own terms, or a part of what those of others are, which move all
 * accelerations and multipliers. Unlike NOISE this is no excuse for a row that stays large: one
 * more iteration would only exchange one rounding for another, whatever the matrix. */
bool ga_constraint_clean(const ga_step *s, int c, double *left) {
  const ga_site *at = s->site;
  ga_con_kind kind = s->method->con[c];
  if (kind == GA_ROW_ACC) return false;
  const ga_csr *D = kind == GA_ROW_NONHOL ? &at->H : &at->G;
  const double *r = s->r + s->con_at[c], *size = at->v;
  double level = CLEAN * DBL_EPSILON / s->h, row, over = 0;
  if (kind == GA_ROW_POS) {
    ga_space_size(s->eval->model->space, at->q, s->size_q);
    size = s->size_q;
    level /= s->h;
  }
  for (int i = 0; i < D->nrow; i++) {
    bool clean = fabs(r[i]) <= level * row_terms(D, i, size, &row);
    double part = row > 0 ? fabs(r[i]) / row : 0;
    if (!clean) {
      over = ga_max(over, part);
      continue;
    }
    *left = ga_max(*left, part);
  }
  return over <= PART * *left;
}

/* The same of the force balances, whose roundings are not divided by h: up to `level` of the terms
 * may be left, or of what the mass makes of the accelerations around (and not more than of the
 * largest force: multipliers). */
static bool force_clean(const ga_step *s, int i, double level, double size_x) {
  double r = fabs(s->r[i]), mass = diagonal_mass(s, s->site, i);
  return r <= level * s->row_size[i] || r <= level * fmin(mass * size_x, s->force_size);
}

/* or of all of its terms */
bool ga_forces_clean(const ga_step *s, double level, double size_x) {
  const ga_site *at = s->site;
  bool measured = false;
  for (int i = 0; i < s->nv; i++) {
    if (force_clean(s, i, level, size_x)) continue;
    if (!measured) {
      ga_space_size(s->eval->model->space, at->q, s->size_q);
      reaction_sizes(s, s->reaction_size);
      measured = true;
    }
    double terms = s->row_size[i] + s->reaction_size[i] + row_terms(&s->Kt[0], i, s->size_q, NULL) +
                   row_terms(&s->Ct[0], i, at->v, NULL);
    if (!(fabs(s->r[i]) <= level * terms)) return false;
  }
  return true;
}

/* Constraints hold to a level that no discretization notices. */
bool ga_constraints_unseen(const ga_step *s) {
  if (constraints_below(s, GA_UNSEEN, 1, 1 / s->h)) return true;
  double Q = 1 + ga_max_abs(s->nq, s->site->q), V = ga_max_abs(s->nv, s->site->v) + Q / s->h;
  return constraints_below(s, GA_UNSEEN, Q, V);
}

/* M_ii less the other entries of the row: |(M^-1 r)_i| is at most r over the least of these, where
 * M is diagonally dominant; 0 where it is not */
static double least_mass(const ga_step *s, int i) {
  const ga_csr *M = &s->site->M;
  double mass = 2 * diagonal_mass(s, s->site, i) - row_sum(M, i);
  return mass > 0 ? mass : 0;
}

bool ga_forces_below(const ga_step *s, double left) {
  double level = NOISE_PART * left;
  for (int i = 0; i < s->nv; i++) {
    double r = fabs(s->r[i]);
    if (r <= DBL_EPSILON * s->row_size[i]) continue;
    if (!(r <= level * s->gain[s->component[i]] * least_mass(s, i))) return false;
  }
  return true;
}

static int root_of(int *above, int i) {
  while (above[i] != i) i = above[i] = above[above[i]];
  return i;
}

/* the columns of a row belong together, and to it, if rows are velocities */
static void join(const ga_csr *A, bool square, int *above) {
  for (int i = 0; i < A->nrow; i++) {
    int first = square ? i : A->ptr[i] < A->ptr[i + 1] ? A->col[A->ptr[i]] : 0;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      above[root_of(above, A->col[e])] = root_of(above, first);
    }
  }
}

void ga_components_init(ga_step *s, ga_arena *arena) {
  int *above = s->component = ga_arena_ints(arena, (size_t)s->nv);
  if (arena->failed) return;
  for (int i = 0; i < s->nv; i++) above[i] = i;
  join(&s->site->M, true, above);
  for (int j = 0; j < s->method->nx; j++) join(&s->Kt[j], true, above);
  join(&s->site->G, false, above);
  join(&s->site->H, false, above);
  /* numbers of roots, as negative ones until all are known */
  for (int i = 0; i < s->nv; i++) above[i] = root_of(above, i);
  for (int i = 0; i < s->nv; i++) {
    if (above[i] == i) above[i] = -++s->ncomponent;
  }
  for (int i = 0; i < s->nv; i++) {
    if (above[i] >= 0) above[i] = above[above[i]];
  }
  for (int i = 0; i < s->nv; i++) above[i] = -above[i] - 1;
  s->gain = ga_arena_doubles(arena, (size_t)s->ncomponent);
}
