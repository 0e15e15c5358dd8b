/* SPDX-License-Identifier: MIT */
/* Making, keeping and renewing the factors of the Newton matrix. */
#include "step/factors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Costs in passes through the nonzeros of the matrix. Measured: a residual with its acceptance test
 * 2 (large chains and nets) to 7 (few rows), an assembly 1 to 5. */
static const double RESIDUAL = 5, ASSEMBLY = 3;
/* If the solver reports no costs: of a solve, and of a factorization in solves. */
static const double SOLVE = 1.5, FACTOR = 3;
/* Relative change of h that factors survive: of given sizes one by rounding; of automatic sizes one
 * by which the iteration contracts little worse. M, G and H are the same for every h. */
static const double SAME_H = 1e-4, NEAR_H = 0.3;
static const double FADE = 0.98; /* factor of ga_experience.fresh when factors are given up */
enum { PAUSE_MAX = 64 };         /* steps at most with new factors until they are kept again */

static const ga_experience nothing_learned = {.pause_next = 1};

/* Append a block of the matrix to f->layout: size rows from row on belong to size unknowns from col
 * on. Empty ones only in a team, where all processes must have the same list. */
static void add_block(ga_factors *f, bool team, int row, int col, int size) {
  if (size > 0 || team) f->block[f->layout.nblock++] = (ga_linsol_block){row, col, size};
}

/* Set f->layout: the balance of forces j belongs to x_j, and constraints to multipliers in the
 * order of the method's table. Where there is an eta, it moves the positions: it belongs to the
 * position constraints, and lam to the others. */
static void describe_blocks(ga_factors *f, const ga_equations *s) {
  const ga_method *method = s->method;
  bool team = s->eval->team != NULL;
  f->layout = (ga_linsol_layout){.block = f->block};
  for (int j = 0; j < method->nx; j++) add_block(f, team, j * s->nv, j * s->nv, s->nv);
  add_block(f, team && s->eta >= 0, s->n, s->n, f->matrix.n - s->n);
  for (int c = 0; c < method->ncon; c++) {
    int position = method->con[c] == GA_ROW_POS, of = c;
    if (s->eta >= 0 && position) of = s->eta;
    if (s->eta == c && !position) of = method->dyn[0].lam;
    add_block(f, team, s->con_at[c], s->mult_at[of], ga_equations_con_size(s, method->con[c]));
  }
}

/* Set f->layout.size: the size of each x_j by the metric of the model, 0 for multipliers. May set
 * arena->failed. */
static void describe_sizes(ga_factors *f, const ga_equations *s, ga_arena *arena) {
  double *size = ga_arena_doubles(arena, (size_t)f->matrix.n);
  for (int i = 0; i < s->nx && !arena->failed; i++) size[i] = s->eval->root_metric[i % s->nv];
  f->layout.size = size;
}

/* Set f->numbering (and f->wide) in a team: numbers of rows and unknowns in the matrix of the whole
 * team, velocities first, block after block, then the constraints of all processes. Multipliers
 * have the numbers of constraints. Nothing to do without a team. Collective. */
static ga_status describe_numbering(ga_factors *f, const ga_equations *s, ga_arena *arena) {
  const ga_method *method = s->method;
  ga_numbering_block block[GA_MAX_X + 1 + GA_MAX_CON];
  int count = 0, extra = f->matrix.n - s->n;
  if (!s->eval->team) return GA_OK;
  for (int j = 0; j < method->nx; j++) {
    block[count++] = (ga_numbering_block){j * s->nv, s->nv, .velocities = true};
  }
  if (s->eta >= 0) block[count++] = (ga_numbering_block){s->n, extra, .velocities = true};
  for (int c = 0; c < method->ncon; c++) {
    int size = ga_equations_con_size(s, method->con[c]);
    block[count++] = (ga_numbering_block){s->con_at[c], size, .velocities = false};
  }
  f->wide = ga_arena_doubles(arena, (size_t)f->matrix.n);
  f->layout.numbering = &f->numbering;
  ga_status status =
      ga_numbering_init(&f->numbering, s->eval->team, f->matrix.n, count, block, arena, s->err);
  f->numbering.nunit = extra;
  return status;
}

/* Open the model's own solver, with the constraints as its border. */
static ga_status open_own_solver(ga_factors *f, ga_equations *s, ga_arena *arena) {
  ga_own_solver_init(&f->own, s, arena);
  s->mass_diagonal = f->own.block.diagonal;
  if (arena->failed) {
    return ga_fail(s->err, GA_ERR_MEM, "no memory for a step with %d unknowns", s->n);
  }
  ga_status status = ga_linsol_open_as(&f->ls, &ga_linsol_bordered, &f->own.block.lead,
                                       &f->matrix.blocks.A, s->err);
  if (status == GA_OK) {
    snprintf(f->ls.why, sizeof f->ls.why, "%s of the model, %d constraint rows",
             f->own.block.ops->name ? f->own.block.ops->name : "solver", s->n - s->nx);
  }
  return status;
}

/* Allocate the matrix from arena and open the linear solver for its pattern; no factors yet. *f
 * must be zero before. options and stats are borrowed. Message in s->err on failure. In a team
 * collective. */
ga_status ga_factors_init(ga_factors *f, ga_equations *s, const ga_options *options,
                          ga_stats *stats, ga_arena *arena) {
  f->options = options;
  f->stats = stats;
  f->past = nothing_learned;
  ga_status status = ga_matrix_init(&f->matrix, s, arena);
  if (status == GA_OK && !arena->failed) {
    f->aside = ga_arena_doubles(arena, ga_matrix_size(&f->matrix));
    describe_blocks(f, s);
    describe_sizes(f, s, arena);
  }
  if (status != GA_OK || arena->failed) {
    status = ga_fail(s->err, GA_ERR_MEM, "no memory for a step with %d unknowns", s->n);
  }
  status = ga_team_agree(s->eval->team, status, s->err);
  if (status == GA_OK) status = describe_numbering(f, s, arena);
  if (status != GA_OK) return status;
  if (s->own) return open_own_solver(f, s, arena);
  return ga_linsol_open_layout(&f->ls, options, &f->matrix.blocks.A, &f->layout, s->err);
}

/* Close the linear solver; arrays belong to the arena. */
void ga_factors_close(ga_factors *f) {
  ga_linsol_close(&f->ls);
}

/* Forget factors and experience, so that the next run gives the same numbers as the first. */
void ga_factors_reset(ga_factors *f) {
  ga_linsol_reset(&f->ls);
  f->valid = f->used = false;
  f->h = 0;
  f->past = nothing_learned;
}

/* Rows have changed their meaning: new factors and new pivots for the next step, nothing learned. */
void ga_factors_repivot(ga_factors *f) {
  ga_linsol_repivot(&f->ls);
  f->valid = f->used = false;
  f->past = nothing_learned;
}

/* Number of factorizations with new pivots so far. */
long ga_factors_repivots(const ga_factors *f) {
  return f->ls.repivots;
}

/* ---- making and using --------------------------------------------------------------------- */

/* Factor the assembled matrix; status of the solver, no message. f->ls.cost decides when new
 * factors are made, so all processes of a team get the largest one (collective). */
static ga_status factor_matrix(ga_factors *f, const ga_equations *s) {
  ga_team *team = s->eval->team;
  ga_status status = f->ls.ops->factor(&f->ls, &f->matrix.blocks.A);
  if (team && status == GA_OK) {
    f->ls.cost.factor = ga_team_max(team, f->ls.cost.factor);
    f->ls.cost.solve = ga_team_max(team, f->ls.cost.solve);
  }
  return status;
}

/* Write a message for a factorization that failed with this status: the callback that is not finite
 * (evaluated again at x), the unknown without pivot, or the text of the solver. Returns the status
 * to pass on. In a team collective, except for GA_RETRY_NONFINITE. */
static ga_status explain_failure(ga_factors *f, ga_equations *s, const double *x,
                                 ga_status status) {
  char name[128];
  if (status == GA_RETRY_NONFINITE) {
    ga_status cause = ga_matrix_blame(&f->matrix, s, x);
    if (cause != GA_OK) return cause;
    return ga_fail(s->err, GA_RETRY_SINGULAR, "t = %.9g, h = %.3g: Newton matrix is not finite",
                   s->t, s->h);
  }
  if (status == GA_RETRY_SINGULAR) {
    int i = f->ls.ops->singular_column ? f->ls.ops->singular_column(&f->ls) : -1;
    if (i >= s->n) i = -1; /* not one of the step's own */
    const bool said = s->own && i < 0 && f->ls.trouble[0];
    ga_fail(s->err, status,
            "t = %.9g, h = %.3g: Newton matrix is singular%s%s; a constraint depends on the "
            "others here, or a velocity has neither mass nor constraint",
            s->t, s->h,
            i >= 0 ? " at unknown "
            : said ? ": "
                   : "",
            i >= 0 ? ga_equations_unknown_name(s, i, name, sizeof name)
            : said ? f->ls.trouble
                   : "");
    return ga_team_tell(s->eval->team, status, i >= 0, s->err);
  }
  status = ga_fail(s->err, status < 0 ? status : GA_ERR_BACKEND,
                   "t = %.9g: linear solver failed to factor the Newton matrix%s%s", s->t,
                   f->ls.trouble[0] ? ": " : "", f->ls.trouble);
  return ga_team_tell(s->eval->team, status, f->ls.trouble[0] != '\0', s->err);
}

/* Assemble the matrix at x; in a team also check that it is finite, because the matrix of one
 * process may fail while others do not. */
static ga_status assemble_matrix(ga_factors *f, ga_equations *s, const double *x) {
  const ga_csr *A = &f->matrix.blocks.A;
  ga_status status = ga_matrix_assemble(&f->matrix, s, x);
  if (!s->eval->team) return status;
  if (status == GA_OK && ga_first_nonfinite(ga_csr_nnz(A), A->val) >= 0) {
    status = explain_failure(f, s, x, GA_RETRY_NONFINITE);
  }
  return ga_team_agree(s->eval->team, status, s->err);
}

/* Assemble and factor the matrix at x; sets f->made, f->valid and f->h. After a failure there are
 * no factors (f->valid is false) and s->err has a message. In a team collective. */
ga_status ga_factors_renew(ga_factors *f, ga_equations *s, const double *x) {
  f->valid = f->ahead = false;
  f->made = f->used = true;
  ga_status status = assemble_matrix(f, s, x);
  if (status != GA_OK) return status;
  f->stats->matrices++;
  if (s->own) ga_own_solver_place(&f->own, s, x);
  const ga_csr *A = &f->matrix.blocks.A;
  /* the built-in solvers check for NaN while they scale the matrix, and a team has checked before
   */
  bool checked = s->eval->team || !f->options->linsol_ops;
  bool finite = checked || ga_first_nonfinite(ga_csr_nnz(A), A->val) < 0;
  status = finite ? factor_matrix(f, s) : GA_RETRY_NONFINITE;
  if (status != GA_OK) return explain_failure(f, s, x, status);
  f->valid = true;
  f->h = s->h;
  return GA_OK;
}

/* The same before a step. */
ga_status ga_factors_renew_ahead(ga_factors *f, ga_equations *s, const double *x) {
  const ga_status status = ga_factors_renew(f, s, x);
  f->ahead = status == GA_OK;
  return status;
}

/* Were the factors made before a step of h that has not used them yet? */
bool ga_factors_are_ahead(const ga_factors *f, double h) {
  return f->valid && f->ahead && fabs(h / f->h - 1) <= SAME_H;
}

/* b <- A^-1 b. If the matrix has additional unknowns (team with eta), the right-hand side is
 * extended by zeros. */
static ga_status solve_extended(ga_factors *f, const ga_equations *s, double *b) {
  int n = s->n, extra = f->matrix.n - n;
  if (extra == 0) return f->ls.ops->solve(&f->ls, b);
  memcpy(f->wide, b, (size_t)n * sizeof(double));
  memset(f->wide + n, 0, (size_t)extra * sizeof(double));
  ga_status status = f->ls.ops->solve(&f->ls, f->wide);
  memcpy(b, f->wide, (size_t)n * sizeof(double));
  return status;
}

/* b <- A^-1 b, n numbers, with the present factors, which must be valid. On failure a message, and
 * b is not to be used. In a team collective. */
ga_status ga_factors_solve(ga_factors *f, const ga_equations *s, double *b) {
  f->solves++;
  ga_status status = solve_extended(f, s, b);
  if (status == GA_OK) return GA_OK;
  /* an iteration that does not converge for this matrix: another guess or a smaller step may help
   */
  bool retry = status == GA_RETRY_NEWTON || status == GA_RETRY_SINGULAR;
  status = ga_fail(s->err, status < 0 || retry ? status : GA_ERR_BACKEND,
                   "t = %.9g, h = %.3g: linear solver failed to solve%s%s", s->t, s->h,
                   f->ls.trouble[0] ? ": " : "", f->ls.trouble);
  return ga_team_tell(s->eval->team, status, f->ls.trouble[0] != '\0', s->err);
}

/* ---- masses ----------------------------------------------------------------------------------- */

void ga_factors_add_mass(const ga_factors *f, const ga_equations *s, double c, const double *x,
                         double *y) {
  if (s->own) {
    ga_own_solver_multiply(&f->own, c, 0, x, y);
  } else {
    ga_csr_mul_add(&s->site[GA_SITE_NEW].M, c, x, y);
  }
}

void ga_factors_add_mass_sizes(const ga_factors *f, const ga_equations *s, const double *x,
                               double *y) {
  if (!s->own) {
    ga_csr_add_sizes(&s->site[GA_SITE_NEW].M, false, x, y);
    return;
  }
  double *product = f->own.row + s->nv;
  memset(product, 0, (size_t)s->nv * sizeof(double));
  ga_own_solver_multiply(&f->own, 1, 0, x, product);
  for (int i = 0; i < s->nv; i++) y[i] += fabs(product[i]);
}

void ga_factors_add_masses(const ga_equations *s, double *y) {
  if (!s->own) ga_csr_add_diagonal_sizes(&s->site[GA_SITE_NEW].M, y);
  for (int i = 0; i < s->nv && s->own; i++) y[i] += fabs(s->mass_diagonal[i]);
}

/* ---- repeating a step ------------------------------------------------------------------------ */

/* A step begins: it has made no factors so far; remember the h of those it found. */
void ga_factors_begin(ga_factors *f) {
  f->made = f->set_aside = false;
  f->first = !f->used;
  f->h_found = f->h;
}

/* As ga_factors_renew, but the matrix that the step found is first saved in f->aside (once), so
 * that ga_factors_take_back can restore it. */
ga_status ga_factors_replace(ga_factors *f, ga_equations *s, const double *x) {
  if (!f->set_aside) ga_matrix_save(&f->matrix, f->aside);
  if (!f->set_aside && s->own) ga_own_solver_save(&f->own);
  f->set_aside = true;
  return ga_factors_renew(f, s, x);
}

/* A step is taken back: restore experience, h and, if the step replaced the factors that it began
 * with, factor their matrix again. If it made factors without saving the old ones, or that fails,
 * f->valid becomes false. */
void ga_factors_take_back(ga_factors *f, const ga_equations *s, const ga_experience *before) {
  f->past = *before;
  f->h = f->h_found;
  if (!f->made) return;
  f->valid = false;
  if (f->first) {
    ga_linsol_reset(&f->ls);
    f->used = false;
  }
  if (!f->set_aside) return;
  ga_matrix_load(&f->matrix, f->aside);
  if (s->own) ga_own_solver_load(&f->own);
  f->valid = factor_matrix(f, s) == GA_OK;
}

/* ---- keeping ------------------------------------------------------------------------------ */

/* Cost of a solve, in passes through the nonzeros of the matrix; SOLVE if the solver reports
 * none. */
static double cost_of_solve(const ga_factors *f) {
  double cost = f->ls.cost.solve;
  return cost > 0 ? cost : SOLVE;
}

/* Cost of a new matrix with its factors, in passes through the nonzeros of the matrix. */
static double cost_of_factors(const ga_factors *f) {
  double cost = f->ls.cost.factor;
  return ASSEMBLY + cost_of_solve(f) * (cost > 0 ? cost : FACTOR);
}

/* Should a step of size h begin with the current factors? By the rule of factors.h, "between
 * steps"; never if h has changed too much or option matrix_every forbids it. */
bool ga_factors_keep(const ga_factors *f, double h) {
  const ga_experience *past = &f->past;
  int every = f->options->matrix_every;
  bool automatic = f->options->rtol > 0 || f->options->atol > 0;
  if (!f->valid || past->steps == 0) return false;
  if (fabs(h / f->h - 1) > (automatic ? NEAR_H : SAME_H)) return false;
  if (every > 0 && past->steps >= every) return false;
  if (past->steps == 1) return past->pause == 0 && past->fresh > 0;
  return past->last < past->spent / past->steps;
}

/* Should factors be renewed inside a step? By the rule of factors.h, "inside a step"; left =
 * number of iterations predicted from the contraction. */
bool ga_factors_spent(const ga_factors *f, double excess, double contraction) {
  if (!(contraction < 1)) return true;
  double left = log(excess) / -log(contraction);
  return (left - 1) * (RESIDUAL + cost_of_solve(f)) > cost_of_factors(f);
}

/* Residuals and solves counted so far; the difference of two such counts is the effort of a
 * step. */
ga_effort ga_factors_effort(const ga_factors *f) {
  return (ga_effort){f->stats->residuals, f->solves};
}

/* Cost of the work since `before`, with `made` new matrices. */
static double cost_since(const ga_factors *f, ga_effort before, int made) {
  ga_effort now = ga_factors_effort(f);
  return RESIDUAL * (double)(now.residuals - before.residuals) +
         cost_of_solve(f) * (double)(now.solves - before.solves) + cost_of_factors(f) * made;
}

/* Kept factors are given up: did keeping them pay, compared with past->fresh, the cost of a step
 * with new ones? If not, pause before the next time, each time twice as long. detour: extra cost of
 * a step that had to renew them half way. Changes pause, pause_next and fresh. */
static void review_kept_factors(ga_experience *past, double detour) {
  double mean = (past->spent + detour) / past->steps;
  if (mean < past->fresh) {
    past->pause_next = 1;
  } else {
    past->pause_next = 2 * past->pause_next < PAUSE_MAX ? 2 * past->pause_next : PAUSE_MAX;
    past->pause = past->pause_next;
  }
  past->fresh *= FADE;
}

/* After a solved step: update f->past by the cost of the step (see factors.h for the arguments). */
void ga_factors_learn(ga_factors *f, ga_effort before, int made, bool reused) {
  ga_experience *past = &f->past;
  double cost = cost_since(f, before, made);
  if (made > 0 && (reused || past->steps > 1))
    review_kept_factors(past, reused ? cost - past->fresh : 0);
  if (!reused && past->pause > 0) past->pause--;
  if (!reused && past->last_fresh) past->fresh = past->fresh > 0 ? (past->fresh + cost) / 2 : cost;
  if (made > 0) past->steps = 0, past->spent = 0;
  past->steps++;
  past->spent += made > 0 && reused ? past->fresh : cost;
  past->last = cost;
  past->last_fresh = !reused;
  f->ahead = false;
}
