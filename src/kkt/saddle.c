/* SPDX-License-Identifier: MIT */
/* Assembly and solution of the mass KKT system. */
#include "kkt/saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "kkt/soft_rows.h"
#include "lie/lie.h"
#include "linsol/rank/rank.h"

/* Overwrite *s: allocate the matrices and work arrays; needs no communication. GA_ERR_MEM on
 * failure; the arena owns all arrays. */
static ga_status allocate_arrays(ga_saddle *s, ga_eval *eval, const ga_options *options,
                                 ga_arena *arena) {
  const ga_model *model = eval->model;
  int nv = eval->nv, nlam = eval->nlam, npsi = eval->npsi;
  *s = (ga_saddle){.eval = eval, .n = nv + nlam + npsi, .contacts = eval->contacts};
  if (s->contacts) s->k = ga_arena_doubles(arena, (size_t)npsi);
  ga_csr_init(&s->M, nv, nv, model->pat_M, arena);
  ga_csr_init(&s->G, nlam, nv, model->pat_G, arena);
  ga_csr_init(&s->H, npsi, nv, model->pat_H, arena);
  ga_csr_init_identity(&s->E, nlam + npsi, arena);
  if (ga_eval_own_reaction(eval)) {
    ga_csr_init(&s->L, nlam, nv, model->pat_G, arena);
    ga_csr_init(&s->P, npsi, nv, model->pat_H, arena);
    s->predicted = ga_arena_doubles(arena, (size_t)nv);
  }
  s->guess = ga_arena_doubles(arena, (size_t)nlam + (size_t)npsi);
  s->rhs = ga_arena_doubles(arena, (size_t)s->n);
  s->defect = ga_arena_doubles(arena, (size_t)s->n);
  if (options->redundant == GA_REDUNDANT_ALLOW) ga_soft_rows_init(s, arena);
  if (options->redundant == GA_REDUNDANT_ALLOW || eval->team) {
    s->sum = ga_arena_doubles(arena, (size_t)s->n);
  }
  if (!arena->failed) return GA_OK;
  return ga_fail(eval->err, GA_ERR_MEM, "no memory for the mass KKT system");
}

/* Is M left to the model's own solver? Soft rows and reactions of the model need the formed matrix. */
static bool leaves_mass(const ga_eval *eval, const ga_options *options) {
  const bool rows = eval->nlam + eval->npsi > 0;
  if (rows && (options->redundant == GA_REDUNDANT_ALLOW || ga_eval_own_reaction(eval)))
    return false;
  return ga_own_block_wanted(eval, options);
}

/* Allocate s->own; its point has v = 0, x = 0 and no multipliers: A = M depends on none of them. */
static void open_own_block(ga_saddle *s, ga_arena *arena) {
  const ga_eval *e = s->eval;
  ga_own_block_init(&s->own, e, &s->at, arena);
  s->q = ga_arena_doubles(arena, (size_t)e->nq);
  s->product = ga_arena_doubles(arena, (size_t)e->nv);
  const double *zero = ga_arena_doubles(arena, (size_t)s->n);
  s->at = (ga_solver_point){
      .q = s->q, .v = zero, .x = zero, .lam = zero, .psi = zero, .a = 1, .b = 0, .c = 0};
}

/* The next factorization is that of M(t, q). */
static void place(ga_saddle *s, double t, const double *q) {
  s->t = t;
  if (!s->own.ops || !q) return;
  s->at.t = t;
  s->at.u = s->eval->inputs.n > 0 ? ga_inputs_at(&s->eval->inputs, t) : NULL;
  memcpy(s->q, q, (size_t)s->eval->nq * sizeof(double));
}

/* Set up *s, not yet factored; eval is borrowed, arrays come from the arena. After a failure, too,
 * ga_saddle_close may be called if *s was zeroed. Collective. */
ga_status ga_saddle_init(ga_saddle *s, ga_eval *eval, const ga_options *options, ga_arena *arena) {
  bool own = ga_eval_own_reaction(eval);
  ga_status status = allocate_arrays(s, eval, options, arena);
  if (status == GA_OK && leaves_mass(eval, options)) {
    open_own_block(s, arena);
    if (arena->failed) status = ga_fail(eval->err, GA_ERR_MEM, "no memory for the mass KKT system");
  }
  status = ga_team_agree(eval->team, status, eval->err);
  if (status != GA_OK) return status;
  const ga_kkt_blocks blocks = {.M = s->own.ops ? NULL : &s->M,
                                .lead = s->own.ops ? &s->own.lead : NULL,
                                .G = &s->G,
                                .H = &s->H,
                                .L = own ? &s->L : NULL,
                                .P = own ? &s->P : NULL,
                                .E = &s->E,
                                .split = s->contacts ? &s->contacts->split : NULL,
                                .slip = s->contacts ? &s->contacts->slip : NULL};
  status = ga_kkt_init(&s->kkt, eval, &blocks, options, false, arena); /* false: not loose */
  if (status != GA_OK || !s->contacts) return status;
  ga_identity_rows_init(&s->off, &s->kkt.blocks.A, eval->nv, arena);
  s->kkt.factored = ga_arena_doubles(arena, (size_t)ga_csr_nnz(&s->kkt.blocks.A));
  return arena->failed ? ga_fail(eval->err, GA_ERR_MEM, "no memory for the mass KKT system")
                       : GA_OK;
}

/* Close the linear solver; the arrays belong to the arena. */
void ga_saddle_close(ga_saddle *s) {
  ga_kkt_close(&s->kkt);
}

/* which rows are in the matrix besides M */
typedef enum { MASS_ONLY, WITH_G, WITH_G_AND_H } rows;

/* Always returns GA_ERR_SINGULAR, with a message in eval->err that names the unknown without pivot:
 * a coordinate without mass or constraint, or a dependent constraint. The linear solver has just
 * failed. Collective. */
static ga_status explain_singular(ga_saddle *s, double t, rows with) {
  const ga_model *model = s->eval->model;
  ga_team *team = s->eval->team;
  int column = s->kkt.ls.ops->singular_column ? s->kkt.ls.ops->singular_column(&s->kkt.ls) : -1;
  int nv = s->eval->nv, nlam = s->eval->nlam;
  char name[96];
  if (column < 0) {
    ga_fail(s->eval->err, GA_ERR_SINGULAR,
            "t = %.9g: the matrix of masses and constraints is singular", t);
    return ga_team_tell(team, GA_ERR_SINGULAR, false, s->eval->err);
  }
  if (column < nv) {
    ga_eval_entry_name(name, sizeof name, "v", column, model->v_names);
    if (with == MASS_ONLY) {
      ga_fail(s->eval->err, GA_ERR_SINGULAR,
              "t = %.9g: the mass matrix is singular, velocity %s has no mass of its own; "
              "a regular one is needed here: give it mass, or take a method that needs none",
              t, name);
    } else {
      ga_fail(s->eval->err, GA_ERR_SINGULAR,
              "t = %.9g: velocity %s has neither mass nor a constraint that determines it", t,
              name);
    }
    return ga_team_agree(team, GA_ERR_SINGULAR, s->eval->err);
  }
  bool holonomic = column < nv + nlam;
  int i = column - nv - (holonomic ? 0 : nlam);
  ga_eval_entry_name(name, sizeof name, holonomic ? "g" : "k", i,
                     holonomic ? model->lam_names : model->psi_names);
  ga_fail(s->eval->err, GA_ERR_SINGULAR,
          "t = %.9g: constraint %s depends on the others (redundant or contradictory); remove "
          "it or change the configuration",
          t, name);
  return ga_team_agree(team, GA_ERR_SINGULAR, s->eval->err);
}

/* For a projection: the upper right blocks are G^T, H^T even if the model has its own reaction. */
static void set_symmetric_blocks(ga_saddle *s) {
  if (!ga_eval_own_reaction(s->eval)) return;
  memcpy(s->L.val, s->G.val, (size_t)ga_csr_nnz(&s->G) * sizeof(double));
  memcpy(s->P.val, s->H.val, (size_t)ga_csr_nnz(&s->H) * sizeof(double));
}

/* s->unit = eps D with D_i = sum_j G_ij^2/m_j, m = s->mass (ga_kkt_row_scales), divided by the squared weight of
 * the row (rank.h): the soft diagonals of all rows. eps = GA_SOFT_ROWS_EPS. Of rows that could carry the same
 * force, the one that is short only because the unknowns move both its places gets no larger multiplier. */
static void measure_units(ga_saddle *s) {
  const ga_eval *e = s->eval;
  ga_rank_masses(&s->M, e->metric, s->mass);
  ga_kkt_row_scales(&s->G, &s->H, s->mass, s->unit);
  for (int i = 0; i < s->E.nrow; i++) {
    const ga_csr *A = i < e->nlam ? &s->G : &s->H;
    const int row = i < e->nlam ? i : i - e->nlam;
    const double reach = ga_measure_reach(e, A, row), full = ga_measure_row(e, A, row, i);
    const double weight = reach > GA_RANK_TOL * full ? reach / full : 1;
    s->unit[i] *= GA_SOFT_ROWS_EPS / (weight * weight);
  }
}

/* Set the diagonal of the first n multipliers to -eps D, s->unit = eps D. If dropped is given: 0
 * for kept rows, -D for the others, whose multipliers are then their residuals divided by D:
 * rounding errors. */
static void set_soft_diagonal(ga_saddle *s, int n, const bool *dropped) {
  for (int i = 0; i < n; i++) {
    double kept = dropped && dropped[i] ? -s->unit[i] / GA_SOFT_ROWS_EPS : 0;
    s->E.val[i] = dropped ? kept : -s->unit[i];
  }
}

/* Note in s->kind which diagonals the matrix has: 1 M alone, 2 all rows, 3 without H, 4 and 5 the
 * same with soft rows. If it changes, forget the scaling of the solver: 1 may be far larger than
 * eps D. */
static void set_kind(ga_saddle *s, rows with) {
  bool nonholonomic = with == WITH_G_AND_H || s->eval->npsi == 0;
  int kind = with == MASS_ONLY ? 1 : (nonholonomic ? 2 : 3) + (s->softened ? 2 : 0);
  if (s->soft && kind != s->kind) ga_kkt_reset(&s->kkt);
  s->kind = kind;
}

/* Set s->E, the diagonals of the multiplier blocks: 0, -eps D for soft rows, 1 for rows that are left
 * out; see set_soft_diagonal for `dropped`. Sets s->softened, s->kind and, with soft rows, s->mass
 * and s->unit. */
static void set_diagonals(ga_saddle *s, rows with, const bool *dropped) {
  int nlam = s->eval->nlam;
  s->softened = s->soft && with != MASS_ONLY && !dropped;
  for (int i = 0; i < s->E.nrow; i++) s->E.val[i] = with < (i < nlam ? WITH_G : WITH_G_AND_H);
  if (s->soft && with != MASS_ONLY) {
    measure_units(s);
    set_soft_diagonal(s, with == WITH_G_AND_H ? s->E.nrow : nlam, dropped);
  }
  set_kind(s, with);
}

/* Assemble the matrix from the current M, G, H and factor it. dropped: rows to leave out, the
 * others are not softened; NULL: all rows, softened if s->soft. GA_ERR_SINGULAR with a message for
 * a singular matrix, GA_ERR_BACKEND if the solver fails otherwise. Collective. */
static ga_status factor_rows(ga_saddle *s, double t, rows with, const bool *dropped) {
  ga_linsol *ls = &s->kkt.ls;
  set_diagonals(s, with, dropped);
  ga_kkt_assemble(&s->kkt, &(ga_kkt_weights){.m = 1, .e = 1, .without_rows = with == MASS_ONLY});
  const int n = with == WITH_G_AND_H ? s->E.nrow : with == WITH_G ? s->eval->nlam : 0;
  if (s->contacts && n > 0)
    ga_contact_rows_put(s->contacts, &s->off, &s->kkt.blocks.A, s->eval->nv, n, s->moving);
  ga_status status = ga_kkt_factor(&s->kkt);
  if (status == GA_RETRY_SINGULAR) return explain_singular(s, t, with);
  if (status == GA_OK) return GA_OK;
  status = ga_fail(s->eval->err, status < 0 ? status : GA_ERR_BACKEND,
                   "t = %.9g: linear solver failed on the mass KKT matrix%s%s", t,
                   ls->trouble[0] ? ": " : "", ls->trouble);
  return ga_team_tell(s->eval->team, status, ls->trouble[0] != '\0', s->eval->err);
}

/* factor_rows without dropped rows, at (t, q) (s->t, for messages); s->judged: a solution with H
 * rows will be checked by ga_saddle_solve. */
static ga_status assemble_and_factor(ga_saddle *s, double t, const double *q, rows with) {
  place(s, t, q);
  s->judged = with == WITH_G_AND_H;
  return factor_rows(s, t, with, NULL);
}

/* Factor the KKT matrix with all rows, of M, G, H (L, P) as they are, at (t, q). Collective. */
ga_status ga_saddle_factor_rows(ga_saddle *s, double t, const double *q) {
  return assemble_and_factor(s, t, q, WITH_G_AND_H);
}

/* Evaluate M, G, H at (t, q, v) into s and factor the KKT matrix with all rows. Collective. */
ga_status ga_saddle_factor(ga_saddle *s, double t, const double *q, const double *v) {
  const ga_evaluation out = {.M = &s->M, .G = &s->G, .H = &s->H};
  ga_status status = ga_eval_all(s->eval, t, q, v, &out);
  status = ga_team_agree(s->eval->team, status, s->eval->err);
  if (status != GA_OK) return status;
  set_symmetric_blocks(s);
  return assemble_and_factor(s, t, q, WITH_G_AND_H);
}

/* Factor the KKT matrix for a projection of positions: M at (t, q), G T(d) at q_moved. First
 * without H rows (s->H = 0); if that is singular, again with them, at (t, q, v). T is work of
 * ga_space_tangent_size numbers. Collective. */
ga_status ga_saddle_factor_position(ga_saddle *s, double t, const double *q, const double *v,
                                    const double *d, const double *q_moved, double *T) {
  const ga_space *space = s->eval->model->space;
  ga_status status = ga_eval_mass(s->eval, t, q, &s->M);
  if (status == GA_OK) status = ga_eval_G(s->eval, t, q_moved, &s->G);
  status = ga_team_agree(s->eval->team, status, s->eval->err);
  if (status != GA_OK) return status;
  if (!space->commutative) {
    ga_space_tangent_rows(space, d, T);
    ga_space_apply_tangent(space, T, &s->G);
  }
  ga_csr_zero(&s->H);
  set_symmetric_blocks(s);
  status = assemble_and_factor(s, t, q, WITH_G);
  if (status != GA_ERR_SINGULAR || s->eval->npsi_all == 0) return status;
  status = ga_eval_H(s->eval, t, q, v, &s->H);
  status = ga_team_agree(s->eval->team, status, s->eval->err);
  if (status != GA_OK) return status;
  set_symmetric_blocks(s);
  return assemble_and_factor(s, t, q, WITH_G_AND_H);
}

/* out = M(t, q)^-1 b; out may be b, and is unchanged on failure. The constraint rows of the matrix
 * become identities. s->M, s->rhs and the factors are overwritten. In a team b has this process's
 * terms only, they are summed here. Collective. */
ga_status ga_saddle_mass_solve(ga_saddle *s, double t, const double *q, const double *b,
                               double *out) {
  ga_team *team = s->eval->team;
  ga_status status = ga_team_agree(team, ga_eval_mass(s->eval, t, q, &s->M), s->eval->err);
  if (status == GA_OK) status = assemble_and_factor(s, t, q, MASS_ONLY);
  if (status != GA_OK) return status;
  size_t bytes = (size_t)s->eval->nv * sizeof(double);
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  memcpy(s->rhs, b, bytes);
  status = ga_team_sum_shared(team, 1, s->rhs);
  if (status == GA_OK) status = ga_saddle_solve(s);
  if (status == GA_OK) memcpy(out, s->rhs, bytes);
  return status;
}

/* out = M^-1 F at (t, q, v), the applied acceleration; out is overwritten also on failure. */
ga_status ga_saddle_applied(ga_saddle *s, double t, const double *q, const double *v, double *out) {
  ga_status status = ga_eval_force(s->eval, t, q, v, out);
  status = ga_team_agree(s->eval->team, status, s->eval->err);
  return status != GA_OK ? status : ga_saddle_mass_solve(s, t, q, out, out);
}

/* s->defect -= A x with x in s->rhs; in a team A x is summed over the processes, in s->sum. */
static ga_status subtract_product(ga_saddle *s) {
  ga_team *team = s->eval->team;
  if (s->own.ops) {
    const int code =
        s->own.ops->multiply(s->eval->model->user, s->own.work, 1, 0, 0, s->rhs, s->product);
    if (code != 0) return ga_own_block_status(code);
    ga_axpy(s->eval->nv, -1, s->product, s->defect);
  }
  if (!team) {
    ga_csr_mul_add(&s->kkt.blocks.A, -1, s->rhs, s->defect);
    return GA_OK;
  }
  memset(s->sum, 0, (size_t)s->n * sizeof(double));
  ga_csr_mul_add(&s->kkt.blocks.A, 1, s->rhs, s->sum);
  ga_status status = ga_team_sum_shared(team, 1, s->sum);
  ga_axpy(s->n, -1, s->sum, s->defect);
  return status;
}

/* Soft rows have not converged: factor the matrix of the kept rows alone and refine the solution
 * s->sum with it. GA_ERR_SINGULAR if its residual stays above GA_KEPT_ROWS_TOL. The soft factors
 * are lost: s->softened is false afterwards. */
static ga_status solve_kept(ga_saddle *s) {
  ga_status status = factor_rows(s, s->t, WITH_G_AND_H, s->dropped);
  if (status != GA_OK) return status;
  status = ga_soft_rows_refine(s);
  /* false: of all equations, not those of least multipliers only */
  if (status != GA_OK || ga_soft_rows_residual(s, false) <= GA_KEPT_ROWS_TOL) return status;
  return ga_fail(s->eval->err, GA_ERR_SINGULAR,
                 "t = %.9g: constraints are so nearly dependent on each other that the forces they "
                 "need are lost in rounding errors; remove one of them",
                 s->t);
}

/* Solve with soft rows, into s->sum. If that does not satisfy forces and kept rows, and it is known
 * which rows are kept (s->dropped) and s->judged, solve with the kept rows alone. GA_ERR_SINGULAR
 * or GA_ERR_BACKEND if that fails or a number is not finite. */
static ga_status solve_softly(ga_saddle *s) {
  ga_status status = ga_soft_rows_solve(s, false); /* false: not for least multipliers */
  if (status == GA_OK && s->dropped && s->judged &&
      !(ga_soft_rows_residual(s, false) <= GA_SOFT_ROWS_TOL)) {
    status = solve_kept(s);
    if (status == GA_ERR_SINGULAR) return status;
  }
  if (status == GA_OK && ga_first_nonfinite(s->n, s->sum) < 0) return GA_OK;
  return ga_fail(s->eval->err, status < 0 ? status : GA_ERR_BACKEND,
                 "linear solver failed on the mass KKT system");
}

/* s->rhs <- A^-1 s->rhs with the last factors, without refinement: for corrections of which some
 * digits are enough. Not with soft rows. On failure s->rhs means nothing. Collective. */
ga_status ga_saddle_solve_roughly(ga_saddle *s) {
  if (s->contacts) ga_contact_rows_clear(s->contacts, s->rhs + s->eval->nv, false);
  ga_status status = s->kkt.ls.ops->solve(&s->kkt.ls, s->rhs);
  if (status != GA_OK || ga_first_nonfinite(s->n, s->rhs) >= 0) {
    status = ga_fail(s->eval->err, status < 0 ? status : GA_ERR_BACKEND,
                     "linear solver failed on the mass KKT system%s%s",
                     s->kkt.ls.trouble[0] ? ": " : "", s->kkt.ls.trouble);
  }
  return ga_team_agree(s->eval->team, status, s->eval->err);
}

/* s->rhs <- A^-1 s->rhs with the last factors and one step of iterative refinement; soft rows: see
 * solve_softly. Once for each factorization, if rows are soft. s->defect, s->sum are work; on
 * failure s->rhs means nothing. Collective. */
ga_status ga_saddle_solve(ga_saddle *s) {
  size_t bytes = (size_t)s->n * sizeof(double);
  if (s->contacts) ga_contact_rows_clear(s->contacts, s->rhs + s->eval->nv, true);
  if (s->softened) {
    ga_status status = solve_softly(s);
    memcpy(s->rhs, s->sum, bytes);
    return status;
  }
  memcpy(s->defect, s->rhs, bytes);
  ga_status status = s->kkt.ls.ops->solve(&s->kkt.ls, s->rhs);
  if (status == GA_OK) status = subtract_product(s);
  if (status == GA_OK) {
    status = s->kkt.ls.ops->solve(&s->kkt.ls, s->defect);
    ga_axpy(s->n, 1, s->defect, s->rhs);
  }
  if (status != GA_OK || ga_first_nonfinite(s->n, s->rhs) >= 0) {
    status = ga_fail(s->eval->err, status < 0 ? status : GA_ERR_BACKEND,
                     "linear solver failed on the mass KKT system%s%s",
                     s->kkt.ls.trouble[0] ? ": " : "", s->kkt.ls.trouble);
  }
  return ga_team_agree(s->eval->team, status, s->eval->err);
}

/* Replace lam, psi by the smallest multipliers with the same forces G^T lam + H^T psi: a soft solve
 * with these forces as right-hand side. Unchanged if there are none (GA_OK) or on failure. s->soft
 * must be set; s->M, G, H, rhs, sum and the factors are overwritten. Not in a team. */
ga_status ga_saddle_least(ga_saddle *s, const ga_csr *M, const ga_csr *G, const ga_csr *H,
                          double *lam, double *psi) {
  int nv = s->eval->nv, nlam = s->eval->nlam, npsi = s->eval->npsi;
  memcpy(s->M.val, M->val, (size_t)ga_csr_nnz(M) * sizeof(double));
  memcpy(s->G.val, G->val, (size_t)ga_csr_nnz(G) * sizeof(double));
  memcpy(s->H.val, H->val, (size_t)ga_csr_nnz(H) * sizeof(double));
  set_symmetric_blocks(s);
  ga_status status = assemble_and_factor(s, 0, NULL, WITH_G_AND_H);
  if (status != GA_OK) return status;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  if (nlam > 0) ga_csr_mul_t_add(&s->G, 1, lam, s->rhs);
  if (npsi > 0) ga_csr_mul_t_add(&s->H, 1, psi, s->rhs);
  status = ga_soft_rows_solve(s, true); /* true: least multipliers */
  if (status == GA_RETRY_SINGULAR) return GA_OK;
  if (status != GA_OK) {
    return ga_fail(s->eval->err, status < 0 ? status : GA_ERR_BACKEND,
                   "linear solver failed on the mass KKT system");
  }
  if (nlam > 0) memcpy(lam, s->sum + nv, (size_t)nlam * sizeof(double));
  if (npsi > 0) memcpy(psi, s->sum + nv + nlam, (size_t)npsi * sizeof(double));
  return GA_OK;
}
