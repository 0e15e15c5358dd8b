/* SPDX-License-Identifier: MIT */
/* Analytic derivatives against difference quotients, entry by entry. */
#include <math.h>
#include <string.h>

#include "model/eval.h"

/* Everything one check needs. The sizes are those of the terms whose sums are differentiated: the
 * rounding of a quotient is measured against them, also where the derivative itself is zero. */
typedef struct {
  ga_eval own;
  ga_point point;
  double speed, G_size, H_size, force_size;
  const char *against; /* what the given values are compared with */
  FILE *report;
  ga_error fault;    /* of the last callback that failed */
  ga_error *err;     /* the first that is wrong, a derivative or a callback */
  ga_status verdict; /* its status */
} checker;

static bool ok(checker *c, ga_status status) {
  if (status == GA_OK) return true;
  if (c->verdict == GA_OK) c->verdict = ga_fail(c->err, status, "%s", c->fault.text);
  return false;
}

/* An entry is wrong if it differs by more than TOL times the largest entry of its row, FLOOR times
 * the largest of all (for rows that are zero but for rounding) and ROUNDING times the size of the
 * differentiated terms: well above the error of the quotient, well below any real mistake. */
static const double TOL = 2e-5, FLOOR = 1e-8, ROUNDING = 1e-10;

static double pair_max(int n, const double *a, const double *b) {
  return fmax(ga_max_abs(n, a), ga_max_abs(n, b));
}

/* Compare n entries, row by row of the pattern shape; a vector (shape NULL) counts as one row. */
static void compare(checker *c, const char *name, int n, const double *given,
                    const double *quotient, const ga_csr *shape, double terms) {
  double size = pair_max(n, given, quotient), error = 0, excess = 1;
  int row = -1, worst = -1, rows = shape ? shape->nrow : 1;
  for (int i = 0; i < rows; i++) {
    int from = shape ? shape->ptr[i] : 0, to = shape ? shape->ptr[i + 1] : n;
    double allowed =
        TOL * pair_max(to - from, given + from, quotient + from) + FLOOR * size + ROUNDING * terms;
    for (int e = from; e < to; e++) {
      double d = fabs(given[e] - quotient[e]);
      error = ga_larger(error, d);
      if (!(d <= excess * allowed)) {
        excess = d / allowed;
        worst = e;
        row = shape ? i : e;
      }
    }
  }
  bool wrong = worst >= 0;
  int col = shape && wrong ? shape->col[worst] : -1;
  if (c->report) {
    fprintf(c->report, "%-20s %s  largest difference %.2e, largest entry %.2e\n", name,
            wrong ? "WRONG" : "ok   ", error, size);
  }
  if (!wrong || c->verdict != GA_OK) return;
  char place[48];
  if (col >= 0) {
    snprintf(place, sizeof place, "row %d, column %d", row, col);
  } else {
    snprintf(place, sizeof place, "entry %d", row);
  }
  c->verdict = ga_fail(c->err, GA_ERR_MODEL,
                       "derivative '%s' is wrong at t = %g, %s: callback %.10g, %s %.10g", name,
                       c->point.t, place, given[worst], c->against, quotient[worst]);
}

/* a fixed, aperiodic sequence of numbers between 0.5 and 1.5 in size, of either sign */
static void fill(int n, double scale, int seed, double *x) {
  for (int i = 0; i < n; i++) {
    double s = sin(12.9898 * (i + 1) + 78.233 * seed);
    x[i] = scale * (s >= 0 ? 0.5 + s : s - 0.5);
  }
}

typedef struct {
  ga_csr given, quotient;
} pair;

/* g may depend on t although the model says it does not */
static void check_scleronomic(checker *c, double *quotient, double *zero) {
  ga_eval *e = &c->own;
  if (!e->model->scleronomic || e->nlam == 0) return;
  if (!ok(c, ga_fd_time(e, ga_point_g, &c->point, false, e->nlam, quotient))) return;
  memset(zero, 0, (size_t)e->nlam * sizeof(double));
  compare(c, "scleronomic", e->nlam, zero, quotient, NULL, c->G_size);
}

/* G and g_t come first: they enter the quotients of the others */
static void check_holonomic(checker *c, pair *G) {
  const ga_model_ops *ops = c->own.model->ops;
  const ga_point *p = &c->point;
  ga_eval *e = &c->own;
  double *given = G->given.val, *quotient = G->quotient.val;
  int n = ga_csr_nnz(&G->given);
  if (ops->holonomic_jac && ok(c, ga_eval_G(e, p->t, p->q, &G->given)) &&
      ok(c, ga_fd_columns(e, ga_point_g, p, GA_FD_Q, true, &e->colours_G, &G->quotient))) {
    compare(c, "holonomic_jac", n, given, quotient, &G->given, c->G_size);
  }
  check_scleronomic(c, quotient, given);
  if (ops->holonomic_t && !e->model->scleronomic && ok(c, ga_eval_gt(e, p->t, p->q, given)) &&
      ok(c, ga_fd_time(e, ga_point_g, p, false, e->nlam, quotient))) {
    compare(c, "holonomic_t", e->nlam, given, quotient, NULL, c->G_size);
  }
  if (ops->holonomic_curv && ok(c, ga_eval_Z(e, p->t, p->q, p->v, &G->given)) &&
      ok(c, ga_fd_columns(e, ga_point_hidden, p, GA_FD_Q, true, &e->colours_G, &G->quotient))) {
    compare(c, "holonomic_curv", n, given, quotient, &G->given, c->G_size * c->speed);
  }
  if (ops->holonomic_drift && ok(c, ga_eval_g_drift(e, p->t, p->q, p->v, given)) &&
      ok(c, ga_fd_time(e, ga_point_hidden, p, true, e->nlam, quotient))) {
    compare(c, "holonomic_drift", e->nlam, given, quotient, NULL,
            c->G_size * c->speed * (1 + c->speed));
  }
}

/* likewise M: compare with its value at another time and place */
static void check_const_mass(checker *c, pair *M) {
  ga_eval *e = &c->own;
  const ga_point *p = &c->point;
  struct ga_fd_level *fd = &e->fd[0];
  if (!e->model->const_mass) return;
  for (int i = 0; i < e->nv; i++) fd->w[i] = 0.1 * p->x[i] / (1 + c->speed);
  ga_space_step(e->model->space, p->q, fd->w, fd->q);
  if (ga_eval_mass(e, p->t, p->q, &M->given) == GA_OK &&
      ga_eval_mass(e, p->t + 0.37, fd->q, &M->quotient) == GA_OK) {
    compare(c, "const_mass", ga_csr_nnz(&M->given), M->given.val, M->quotient.val, &M->given, 0);
  }
}

static void check_nonholonomic(checker *c, pair *H) {
  const ga_model_ops *ops = c->own.model->ops;
  const ga_point *p = &c->point;
  ga_eval *e = &c->own;
  double *given = H->given.val, *quotient = H->quotient.val;
  int n = ga_csr_nnz(&H->given);
  if (ops->nonholonomic_jac && ok(c, ga_eval_H(e, p->t, p->q, p->v, &H->given)) &&
      ok(c, ga_fd_columns(e, ga_point_k, p, GA_FD_V, true, &e->colours_H, &H->quotient))) {
    compare(c, "nonholonomic_jac", n, given, quotient, &H->given, c->H_size);
  }
  if (ops->nonholonomic_dq && ok(c, ga_eval_Y(e, p->t, p->q, p->v, &H->given)) &&
      ok(c, ga_fd_columns(e, ga_point_k, p, GA_FD_Q, true, &e->colours_H, &H->quotient))) {
    compare(c, "nonholonomic_dq", n, given, quotient, &H->given, c->H_size * c->speed);
  }
  if (ops->nonholonomic_drift && ok(c, ga_eval_k_drift(e, p->t, p->q, p->v, given)) &&
      ok(c, ga_fd_time(e, ga_point_k, p, true, e->npsi, quotient))) {
    compare(c, "nonholonomic_drift", e->npsi, given, quotient, NULL,
            c->H_size * c->speed * (1 + c->speed));
  }
}

static void check_reaction(checker *c, pair *L, pair *P) {
  ga_eval *e = &c->own;
  if (!e->model->ops->reaction || !e->model->ops->reaction_dmult) return;
  if (ga_eval_reaction_dmult(e, &c->point, &L->given, &P->given) != GA_OK ||
      ga_fd_multipliers(e, &c->point, &L->quotient, &P->quotient) != GA_OK) {
    return;
  }
  if (e->nlam > 0) {
    compare(c, "reaction_dmult (L)", ga_csr_nnz(&L->given), L->given.val, L->quotient.val,
            &L->given, c->G_size);
  }
  if (e->npsi > 0) {
    compare(c, "reaction_dmult (P)", ga_csr_nnz(&P->given), P->given.val, P->quotient.val,
            &P->given, c->H_size);
  }
}

static void check_tangents(checker *c, pair *Kt, pair *Ct) {
  const ga_point *p = &c->point;
  ga_eval *e = &c->own;
  if (!e->model->ops->force_tangents) return;
  if (!ok(c, ga_eval_tangents(e, p, &Kt->given, &Ct->given))) return;
  int n = ga_csr_nnz(&Kt->given);
  if (ok(c, ga_fd_columns(e, ga_point_balance, p, GA_FD_Q, true, &e->colours_K, &Kt->quotient))) {
    compare(c, "force_tangents (Kt)", n, Kt->given.val, Kt->quotient.val, &Kt->given,
            c->force_size);
  }
  if (ok(c, ga_fd_columns(e, ga_point_force, p, GA_FD_V, true, &e->colours_K, &Ct->quotient))) {
    compare(c, "force_tangents (Ct)", n, Ct->given.val, Ct->quotient.val, &Ct->given,
            c->force_size);
  }
}

/* One thing out of what the one-pass callback is asked for, against that of its own callback. */
static void compare_pass(checker *c, const char *name, const ga_evaluation *ask, ga_status alone,
                         int n, const double *given, const double *own, const ga_csr *shape) {
  const ga_point *p = &c->point;
  if (alone != GA_OK || n == 0) return;
  if (ok(c, ga_eval_all(&c->own, p->t, p->q, p->v, ask))) {
    compare(c, name, n, given, own, shape, 0);
  }
}

/* evaluate against the callbacks of their own: vectors and M alone, the others all at once */
static void check_evaluate(checker *c, pair *M, pair *G, pair *H, pair *Kt, pair *Ct, pair *Z) {
  ga_eval *e = &c->own;
  const ga_point *p = &c->point;
  double *given = e->fd[0].mid, *own = e->fd[0].near;
  if (!e->model->ops->evaluate) return;
  c->against = "callback of its own";
  compare_pass(c, "evaluate (M)", &(ga_evaluation){.M = &M->given},
               ga_eval_mass(e, p->t, p->q, &M->quotient), ga_csr_nnz(&M->given), M->given.val,
               M->quotient.val, &M->given);
  compare_pass(c, "evaluate (F)", &(ga_evaluation){.F = given},
               ga_eval_force(e, p->t, p->q, p->v, own), e->nv, given, own, NULL);
  compare_pass(c, "evaluate (g)", &(ga_evaluation){.g = given}, ga_eval_g(e, p->t, p->q, own),
               e->nlam, given, own, NULL);
  compare_pass(c, "evaluate (k)", &(ga_evaluation){.k = given}, ga_eval_k(e, p->t, p->q, p->v, own),
               e->npsi, given, own, NULL);
  ga_status tangents = ga_eval_tangents(e, p, &Kt->quotient, &Ct->quotient);
  ga_status jac = ga_eval_G(e, p->t, p->q, &G->quotient);
  ga_status rate = ga_eval_H(e, p->t, p->q, p->v, &H->quotient);
  ga_status curv = ga_eval_Z(e, p->t, p->q, p->v, &Z->quotient);
  ga_evaluation all = {.M = &M->given, .F = given, .G = &G->given, .H = &H->given};
  all.x = p->x, all.lam = p->lam, all.psi = p->psi;
  all.Kt = &Kt->given, all.Ct = &Ct->given, all.Z = &Z->given;
  compare_pass(c, "evaluate (Kt)", &all, tangents, ga_csr_nnz(&Kt->given), Kt->given.val,
               Kt->quotient.val, &Kt->given);
  compare_pass(c, "evaluate (Ct)", &all, tangents, ga_csr_nnz(&Ct->given), Ct->given.val,
               Ct->quotient.val, &Ct->given);
  compare_pass(c, "evaluate (G)", &all, jac, ga_csr_nnz(&G->given), G->given.val, G->quotient.val,
               &G->given);
  compare_pass(c, "evaluate (H)", &all, rate, ga_csr_nnz(&H->given), H->given.val, H->quotient.val,
               &H->given);
  compare_pass(c, "evaluate (Z)", &all, curv, ga_csr_nnz(&Z->given), Z->given.val, Z->quotient.val,
               &Z->given);
}

/* largest |G|, |H| and largest term of M x - F + G^T lam + H^T psi */
static void measure(checker *c) {
  ga_eval *e = &c->own;
  const ga_point *p = &c->point;
  c->speed = ga_max_abs(e->nv, p->v);
  if (ok(c, ga_eval_G(e, p->t, p->q, &e->G))) {
    c->G_size = ga_max_abs(ga_csr_nnz(&e->G), e->G.val);
  }
  if (ok(c, ga_eval_H(e, p->t, p->q, p->v, &e->H))) {
    c->H_size = ga_max_abs(ga_csr_nnz(&e->H), e->H.val);
  }
  double *F = e->fd[0].mid;
  if (ok(c, ga_eval_force(e, p->t, p->q, p->v, F))) c->force_size = ga_max_abs(e->nv, F);
  if (ok(c, ga_eval_mass(e, p->t, p->q, &e->M))) {
    c->force_size += ga_max_abs(ga_csr_nnz(&e->M), e->M.val) * ga_max_abs(e->nv, p->x);
  }
  c->force_size += c->G_size + c->H_size;
}

static bool pair_init(pair *p, int nrow, int ncol, const ga_csr *pattern, ga_arena *arena) {
  return ga_csr_init(&p->given, nrow, ncol, pattern, arena) == GA_OK &&
         ga_csr_init(&p->quotient, nrow, ncol, pattern, arena) == GA_OK;
}

ga_status ga_model_check_derivatives(const ga_model *model, double t, const double *q,
                                     const double *v, FILE *report, ga_error *err) {
  ga_status status = ga_model_validate(model, err);
  if (status != GA_OK) return status;
  checker c = {.report = report, .err = err, .against = "difference quotient"};
  ga_arena arena = {0};
  int nv = ga_space_nv(model->space), nlam = model->nlam, npsi = model->npsi;
  double *x = ga_arena_doubles(&arena, (size_t)nv);
  double *lam = ga_arena_doubles(&arena, (size_t)nlam),
         *psi = ga_arena_doubles(&arena, (size_t)npsi);
  pair G, H, Kt, Ct, M, Z;
  bool ready = ga_eval_init(&c.own, model, &arena, &c.fault) == GA_OK &&
               pair_init(&G, nlam, nv, model->pat_G, &arena) &&
               pair_init(&Z, nlam, nv, model->pat_G, &arena) &&
               pair_init(&H, npsi, nv, model->pat_H, &arena) &&
               pair_init(&M, nv, nv, model->pat_M, &arena) &&
               pair_init(&Kt, nv, nv, model->pat_K, &arena) &&
               pair_init(&Ct, nv, nv, model->pat_K, &arena);
  if (!ready) {
    ga_arena_free(&arena);
    return ga_fail(err, GA_ERR_MEM, "no memory to check derivatives");
  }
  fill(nv, 1 + ga_max_abs(nv, v), 1, x);
  fill(nlam, 1, 2, lam);
  fill(npsi, 1, 3, psi);
  c.point = (ga_point){.t = t, .q = q, .v = v, .x = x, .lam = lam, .psi = psi};
  measure(&c);
  check_holonomic(&c, &G);
  check_nonholonomic(&c, &H);
  check_const_mass(&c, &M);
  check_reaction(&c, &G, &H);
  check_tangents(&c, &Kt, &Ct);
  check_evaluate(&c, &M, &G, &H, &Kt, &Ct, &Z);
  ga_arena_free(&arena);
  return c.verdict;
}
