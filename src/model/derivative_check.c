/* SPDX-License-Identifier: MIT */
/* Analytic derivatives against difference quotients, entry by entry.
 *
 * In calls of ga_difference_columns `true` asks for the fourth-order quotient; in calls of
 * ga_difference_time it asks for the derivative along the motion, `false` for that by t alone. */
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "model/crowd.h"
#include "model/evaluation.h"

/* Everything one check needs. The sizes are those of the terms whose sums are differentiated: the
 * rounding of a quotient is measured against them, also where the derivative itself is zero. */
typedef struct {
  ga_eval own;
  ga_eval_point point;
  double speed, G_size, H_size, force_size;
  const char *against; /* what the given values are compared with */
  FILE *report;
  ga_error fault;    /* of the last callback that failed */
  ga_error *err;     /* the first that is wrong, a derivative or a callback */
  ga_status verdict; /* its status */
} checker;

/* Was the status GA_OK? If not, the first failure becomes the verdict, with the text in c->fault as
 * message in c->err. */
static bool succeeded(checker *c, ga_status status) {
  if (status == GA_OK) return true;
  if (c->verdict == GA_OK) c->verdict = ga_fail(c->err, status, "%s", c->fault.text);
  return false;
}

/* An entry is wrong if it differs by more than TOL times the largest entry of its row, FLOOR times
 * the largest of all (for rows that are zero but for rounding) and ROUNDING times the size of the
 * differentiated terms: well above the error of the quotient, well below any real mistake. */
static const double TOL = 2e-5, FLOOR = 1e-8, ROUNDING = 1e-10;

/* The largest entry, by size, of both arrays. */
static double pair_max(int n, const double *a, const double *b) {
  return fmax(ga_max_abs(n, a), ga_max_abs(n, b));
}

/* Compare n entries of given with those of quotient, row by row of the pattern shape; a vector
 * (shape NULL) counts as one row. terms: size of the differentiated terms (see ROUNDING). Prints a
 * line with `name` to c->report, if there is one; the first wrong entry of all calls becomes
 * c->verdict, with a message in c->err that names the entry which exceeds its limit most. */
static void compare_entries(checker *c, const char *name, int n, const double *given,
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
  char where[48];
  if (col >= 0) {
    snprintf(where, sizeof where, "row %d, column %d", row, col);
  } else {
    snprintf(where, sizeof where, "entry %d", row);
  }
  c->verdict = ga_fail(c->err, GA_ERR_MODEL,
                       "derivative '%s' is wrong at t = %g, %s: callback %.10g, %s %.10g", name,
                       c->point.t, where, given[worst], c->against, quotient[worst]);
}

/* Fill x with a fixed, aperiodic sequence; |x_i| is from 0.5 to 1.5 times scale, of either sign. */
static void fill_aperiodic(int n, double scale, int seed, double *x) {
  for (int i = 0; i < n; i++) {
    double s = sin(12.9898 * (i + 1) + 78.233 * seed);
    x[i] = scale * (s >= 0 ? 0.5 + s : s - 0.5);
  }
}

/* a matrix as the model gives it and by difference quotients, in the same pattern */
typedef struct {
  ga_csr given, quotient;
} pair;

/* NULL if the model does not give the field with this bit and symbol; else the name for reports,
 * written to name: "evaluate (G)", that of its callback, or "callback (Kt)" if that gives two
 * fields. */
static const char *name_if_given(const checker *c, unsigned bit, const char *symbol,
                                 char name[32]) {
  if (!(c->own.given & bit)) return NULL;
  for (int i = 0; i < GA_MODEL_FIELDS; i++) {
    const ga_model_field *field = &ga_model_field_list[i];
    if (field->bit != bit || strcmp(field->symbol, symbol) != 0) continue;
    bool two = bit == GA_GIVES_TANGENTS || bit == GA_GIVES_DR;
    if (c->own.pass & bit) {
      snprintf(name, 32, "evaluate (%s)", symbol);
    } else {
      snprintf(name, 32, two ? "%s (%s)" : "%s", field->callback, symbol);
    }
  }
  return name;
}

/* If the model says that g does not depend on t, compare its time derivative with zero. Overwrites
 * both arrays of nlam numbers. The result goes to the report and to c->verdict. */
static void check_scleronomic(checker *c, double *quotient, double *zero) {
  ga_eval *e = &c->own;
  if (!e->model->scleronomic || e->nlam == 0) return;
  if (!succeeded(c, ga_difference_time(e, ga_eval_point_g, &c->point, false, e->nlam, quotient)))
    return;
  memset(zero, 0, (size_t)e->nlam * sizeof(double));
  compare_entries(c, "scleronomic", e->nlam, zero, quotient, NULL, c->G_size);
}

/* Check G, g_t, Z and the drift of g'' if the model gives them; results go to the report and to
 * c->verdict. G and g_t come first, because they enter the quotients of the others. The values of
 * *G are overwritten, also by vectors of nlam numbers. */
static void check_holonomic(checker *c, pair *G) {
  const ga_eval_point *p = &c->point;
  ga_eval *e = &c->own;
  char name[32];
  double *given = G->given.val, *quotient = G->quotient.val;
  int n = ga_csr_nnz(&G->given);
  if (name_if_given(c, GA_GIVES_G, "G", name) &&
      succeeded(c, ga_eval_G(e, p->t, p->q, &G->given)) &&
      succeeded(c, ga_difference_columns(e, ga_eval_point_g, p, GA_DIFFERENCE_Q, true,
                                         &e->colouring_G, &G->quotient))) {
    compare_entries(c, name, n, given, quotient, &G->given, c->G_size);
  }
  check_scleronomic(c, quotient, given);
  if (name_if_given(c, GA_GIVES_GT, "gt", name) && !e->model->scleronomic &&
      succeeded(c, ga_eval_gt(e, p->t, p->q, given)) &&
      succeeded(c, ga_difference_time(e, ga_eval_point_g, p, false, e->nlam, quotient))) {
    compare_entries(c, name, e->nlam, given, quotient, NULL, c->G_size);
  }
  if (name_if_given(c, GA_GIVES_Z, "Z", name) &&
      succeeded(c, ga_eval_Z(e, p->t, p->q, p->v, &G->given)) &&
      succeeded(c, ga_difference_columns(e, ga_eval_point_hidden, p, GA_DIFFERENCE_Q, true,
                                         &e->colouring_G, &G->quotient))) {
    compare_entries(c, name, n, given, quotient, &G->given, c->G_size * c->speed);
  }
  if (name_if_given(c, GA_GIVES_DRIFT, "drift", name) &&
      succeeded(c, ga_eval_g_drift(e, p->t, p->q, p->v, given)) &&
      succeeded(c, ga_difference_time(e, ga_eval_point_hidden, p, true, e->nlam, quotient))) {
    compare_entries(c, name, e->nlam, given, quotient, NULL, c->G_size * c->speed * (1 + c->speed));
  }
}

/* If the model says that M is constant: compare M at the point with M at an arbitrary other one,
 * 0.37 later and moved by about 0.1. *M and scratch level 0 are overwritten; the result goes to the
 * report and to c->verdict. */
static void check_const_mass(checker *c, pair *M) {
  ga_eval *e = &c->own;
  const ga_eval_point *p = &c->point;
  struct ga_difference_level *fd = &e->fd[0];
  if (!e->model->const_mass || e->mass_given) return;
  for (int i = 0; i < e->nv; i++) fd->w[i] = 0.1 * p->x[i] / (1 + c->speed);
  ga_space_step(e->model->space, p->q, fd->w, fd->q);
  if (succeeded(c, ga_eval_mass(e, p->t, p->q, &M->given)) &&
      succeeded(c, ga_eval_mass(e, p->t + 0.37, fd->q, &M->quotient))) {
    compare_entries(c, "const_mass", ga_csr_nnz(&M->given), M->given.val, M->quotient.val,
                    &M->given, 0);
  }
}

/* If the model says that nothing depends on t, compare the time derivative of F with zero. */
static void check_autonomous(checker *c, ga_arena *arena) {
  ga_eval *e = &c->own;
  double *quotient = ga_arena_doubles(arena, (size_t)e->nv);
  const double *zero = ga_arena_doubles(arena, (size_t)e->nv);
  if (!e->model->autonomous || arena->failed) return;
  if (succeeded(c, ga_difference_time(e, ga_eval_point_force, &c->point, false, e->nv, quotient))) {
    compare_entries(c, "autonomous", e->nv, zero, quotient, NULL, c->force_size);
  }
}

/* Check that the model leaves the rows of const_M as it finds them: a model that adds to them
 * counts them twice. *M is overwritten; the result goes to the report and to c->verdict. */
static void check_constant_rows(checker *c, pair *M) {
  ga_eval *e = &c->own;
  const ga_eval_point *p = &c->point;
  int n = ga_csr_nnz(&M->given);
  if (!e->model->const_M || e->mass_given) return;
  if (!succeeded(c, ga_eval_mass(e, p->t, p->q, &M->given))) return;
  memcpy(M->quotient.val, M->given.val, (size_t)n * sizeof(double));
  ga_adapter_put_constant_mass(e->model, &M->quotient);
  const char *before = c->against;
  c->against = "constant row";
  compare_entries(c, "const_M", n, M->given.val, M->quotient.val, &M->given, 0);
  c->against = before;
}

/* Check H = dk/dv, Y = D_q k and the drift of k, as far as given, against quotients of k. The
 * values of *H are overwritten; results go to the report and to c->verdict. */
static void check_nonholonomic(checker *c, pair *H) {
  const ga_eval_point *p = &c->point;
  ga_eval *e = &c->own;
  char name[32];
  double *given = H->given.val, *quotient = H->quotient.val;
  int n = ga_csr_nnz(&H->given);
  if (name_if_given(c, GA_GIVES_H, "H", name) &&
      succeeded(c, ga_eval_H(e, p->t, p->q, p->v, &H->given)) &&
      succeeded(c, ga_difference_columns(e, ga_eval_point_k, p, GA_DIFFERENCE_V, true,
                                         &e->colouring_H, &H->quotient))) {
    compare_entries(c, name, n, given, quotient, &H->given, c->H_size);
  }
  if (name_if_given(c, GA_GIVES_Y, "Y", name) &&
      succeeded(c, ga_eval_Y(e, p->t, p->q, p->v, &H->given)) &&
      succeeded(c, ga_difference_columns(e, ga_eval_point_k, p, GA_DIFFERENCE_Q, true,
                                         &e->colouring_H, &H->quotient))) {
    compare_entries(c, name, n, given, quotient, &H->given, c->H_size * c->speed);
  }
  if (name_if_given(c, GA_GIVES_K_DRIFT, "k_drift", name) &&
      succeeded(c, ga_eval_k_drift(e, p->t, p->q, p->v, given)) &&
      succeeded(c, ga_difference_time(e, ga_eval_point_k, p, true, e->npsi, quotient))) {
    compare_entries(c, name, e->npsi, given, quotient, NULL, c->H_size * c->speed * (1 + c->speed));
  }
}

/* L = -dR/dlam and P = -dR/dpsi of a model that gives a reaction R of its own and these
 * derivatives, against quotients of R; results go to the report and to c->verdict. L and P have the
 * patterns of G and H and are overwritten. */
static void check_reaction(checker *c, pair *L, pair *P) {
  ga_eval *e = &c->own;
  char name[32];
  if (!(e->given & GA_GIVES_R) || !(e->given & GA_GIVES_DR)) return;
  if (!succeeded(c, ga_eval_reaction_dmult(e, &c->point, &L->given, &P->given)) ||
      !succeeded(c, ga_difference_multipliers(e, &c->point, &L->quotient, &P->quotient))) {
    return;
  }
  if (e->nlam > 0) {
    compare_entries(c, name_if_given(c, GA_GIVES_DR, "L", name), ga_csr_nnz(&L->given),
                    L->given.val, L->quotient.val, &L->given, c->G_size);
  }
  if (e->npsi > 0) {
    compare_entries(c, name_if_given(c, GA_GIVES_DR, "P", name), ga_csr_nnz(&P->given),
                    P->given.val, P->quotient.val, &P->given, c->H_size);
  }
}

/* If given: M x against M times x. Overwrites e->M and scratch level 0; the result goes to the report
 * and to c->verdict. */
static void check_product(checker *c) {
  const ga_eval_point *p = &c->point;
  ga_eval *e = &c->own;
  double *given = e->fd[0].hi, *product = e->fd[0].lo;
  char name[32];
  if (!name_if_given(c, GA_GIVES_MX, "Mx", name)) return;
  const ga_evaluation ask = {.Mx = given, .x = p->x};
  if (!succeeded(c, ga_eval_all(e, p->t, p->q, p->v, &ask)) ||
      !succeeded(c, ga_eval_mass(e, p->t, p->q, &e->M))) {
    return;
  }
  ga_csr_mul(&e->M, 1, p->x, product);
  c->against = "M times x";
  compare_entries(c, name, e->nv, given, product, NULL, 0);
  c->against = "difference quotient";
}

/* If given: Kt against quotients of M x - F - R by q, Ct against quotients of -F - R by v. Both
 * pairs are overwritten; results go to the report and to c->verdict. */
static void check_tangents(checker *c, pair *Kt, pair *Ct) {
  const ga_eval_point *p = &c->point;
  ga_eval *e = &c->own;
  char name[32];
  if (!(e->given & GA_GIVES_TANGENTS)) return;
  if (!succeeded(c, ga_eval_tangents(e, p, &Kt->given, &Ct->given))) return;
  int n = ga_csr_nnz(&Kt->given);
  if (succeeded(c, ga_difference_columns(e, ga_eval_point_balance, p, GA_DIFFERENCE_Q, true,
                                         &e->colouring_K, &Kt->quotient))) {
    compare_entries(c, name_if_given(c, GA_GIVES_TANGENTS, "Kt", name), n, Kt->given.val,
                    Kt->quotient.val, &Kt->given, c->force_size);
  }
  if (succeeded(c, ga_difference_columns(e, ga_eval_point_force, p, GA_DIFFERENCE_V, true,
                                         &e->colouring_C, &Ct->quotient))) {
    compare_entries(c, name_if_given(c, GA_GIVES_TANGENTS, "Ct", name), ga_csr_nnz(&Ct->given),
                    Ct->given.val, Ct->quotient.val, &Ct->given, c->force_size);
  }
}

/* The solver of the model: `multiply` and `diagonal` against the formed matrices of A = M + 0.3 Ct +
 * 0.2 Kt T, `solve` against `multiply`. *K and *C are overwritten, and scratch level 0; results go to
 * the report and to c->verdict. */
static void check_solver(checker *c, ga_csr *K, ga_csr *C, ga_arena *arena) {
  ga_eval *e = &c->own;
  const ga_space *space = e->model->space;
  const ga_model_solver *solver = e->model->ops->solver;
  struct ga_difference_level *fd = &e->fd[0];
  void *user = e->model->user;
  ga_eval_point *p = &c->point;
  if (!solver) return;
  double *work = ga_arena_doubles(arena, solver->room ? solver->room(user) : 0);
  double *T = ga_arena_doubles(arena, (size_t)ga_space_tangent_size(space));
  const double size = ga_max_abs(e->nv, p->x);
  for (int i = 0; i < e->nv; i++) fd->w[i] = p->x[i] / size;
  const ga_solver_point at = {p->t,
                              p->q,
                              p->v,
                              p->x,
                              p->lam,
                              p->psi,
                              ga_inputs_at(&e->inputs, p->t),
                              space->commutative ? NULL : fd->w,
                              1,
                              0.3,
                              0.2};
  if (arena->failed || !succeeded(c, ga_eval_tangents(e, p, K, C)) ||
      !succeeded(c, ga_eval_mass(e, p->t, p->q, &e->M))) {
    return;
  }
  ga_space_tangent_rows(space, fd->w, T);
  if (!space->commutative) ga_space_apply_tangent(space, T, K);
  ga_csr_mul(&e->M, 1, p->x, fd->lo);
  ga_csr_mul_add(C, 0.3, p->x, fd->lo);
  ga_csr_mul_add(K, 0.2, p->x, fd->lo);
  int code = solver->factor(user, &at, work, fd->mid);
  if (code == 0) code = solver->multiply(user, work, 1, 0.3, 0.2, p->x, fd->hi);
  memcpy(fd->near, fd->hi, (size_t)e->nv * sizeof(double));
  if (code == 0) code = solver->solve(user, work, fd->near);
  if (code != 0) {
    ga_fail(&c->fault, GA_ERR_MODEL, "the model's solver failed (%d)", code);
    succeeded(c, GA_ERR_MODEL);
    return;
  }
  c->against = "formed matrices";
  compare_entries(c, "solver, multiply", e->nv, fd->hi, fd->lo, NULL, 0);
  memset(fd->far, 0, (size_t)e->nv * sizeof(double));
  ga_csr_add_diagonal_sizes(&e->M, fd->far);
  compare_entries(c, "solver, diagonal", e->nv, fd->mid, fd->far, NULL, 0);
  c->against = "its multiply";
  compare_entries(c, "solver, solve", e->nv, fd->near, p->x, NULL, 0);
  c->against = "difference quotient";
}

/* Ask evaluate for all its fields at once (values into given), and compare each with the single
 * callback if the model has one, else with evaluate asked for this field alone (values into own).
 * All members of given and own must be allocated. Changes c->against; results go to the report and
 * to c->verdict. */
static void check_evaluate(checker *c, const ga_evaluation *given, const ga_evaluation *own) {
  ga_eval pass = c->own;
  const ga_eval_point *p = &c->point;
  const int size[] = {pass.nv, pass.nlam, pass.npsi};
  ga_eval_sources(&pass, true);
  ga_evaluation all = *given;
  ga_adapter_remove(&all, ~pass.pass);
  if (pass.mass_given) all.M = NULL; /* not of evaluate */
  if (pass.pass == 0 || !succeeded(c, ga_eval_all(&pass, p->t, p->q, p->v, &all))) return;
  for (int i = 0; i < GA_MODEL_FIELDS; i++) {
    const ga_model_field *field = &ga_model_field_list[i];
    const void *a = ga_model_field_value(&all, field), *b = ga_model_field_value(own, field);
    const ga_csr *A = field->kind == GA_MODEL_FIELD_MATRIX ? a : NULL, *B = A ? b : NULL;
    int n = A ? ga_csr_nnz(A) : a ? size[field->kind] : 0;
    ga_evaluation ask = *own;
    ga_adapter_remove(&ask, ~field->bit);
    if (n == 0 || !succeeded(c, ga_eval_all(&c->own, p->t, p->q, p->v, &ask))) continue;
    bool both = !(c->own.pass & field->bit);
    char name[40];
    snprintf(name, sizeof name, "evaluate (%s%s)", field->symbol, both ? "" : " with others");
    c->against = both ? "callback of its own" : "alone";
    compare_entries(c, name, n, A ? A->val : a, B ? B->val : b, A, 0);
  }
}

/* Set speed, G_size, H_size and force_size of c: the largest |v|, |G|, |H|, and the largest term of
 * M x - F + G^T lam + H^T psi. Overwrites e->G, e->H and e->M; a failure becomes the verdict. */
static void measure_sizes(checker *c) {
  ga_eval *e = &c->own;
  const ga_eval_point *p = &c->point;
  c->speed = ga_max_abs(e->nv, p->v);
  if (succeeded(c, ga_eval_G(e, p->t, p->q, &e->G))) {
    c->G_size = ga_max_abs(ga_csr_nnz(&e->G), e->G.val);
  }
  if (succeeded(c, ga_eval_H(e, p->t, p->q, p->v, &e->H))) {
    c->H_size = ga_max_abs(ga_csr_nnz(&e->H), e->H.val);
  }
  double *F = e->fd[0].mid;
  if (succeeded(c, ga_eval_force(e, p->t, p->q, p->v, F))) c->force_size = ga_max_abs(e->nv, F);
  if (succeeded(c, ga_eval_mass(e, p->t, p->q, &e->M))) {
    c->force_size += ga_max_abs(ga_csr_nnz(&e->M), e->M.val) * ga_max_abs(e->nv, p->x);
  }
  c->force_size += c->G_size + c->H_size;
}

/* Allocate a matrix with this pattern (NULL: full). Its values serve as a vector of nrow numbers, too,
 * and there may be rows without an entry. False if memory runs out. */
static bool with_vector(ga_csr *A, int nrow, int ncol, const ga_csr *pattern, ga_arena *arena) {
  if (ga_csr_init(A, nrow, ncol, pattern, arena) != GA_OK) return false;
  if (ga_csr_nnz(A) < nrow) A->val = ga_arena_doubles(arena, (size_t)nrow);
  return A->val || nrow == 0;
}

/* Allocate both matrices of a pair; false if memory runs out. */
static bool pair_init(pair *p, int nrow, int ncol, const ga_csr *pattern, ga_arena *arena) {
  return with_vector(&p->given, nrow, ncol, pattern, arena) &&
         with_vector(&p->quotient, nrow, ncol, pattern, arena);
}

/* Allocate all fields of *all in the patterns of the model, from arena (x, lam and psi stay as they
 * are). False if memory runs out. */
static bool allocate_fields(ga_evaluation *all, const ga_model *model, ga_arena *arena) {
  size_t nv = (size_t)ga_space_nv(model->space), nlam = (size_t)model->nlam;
  int n = (int)nv;
  ga_csr **const of_nv[] = {&all->M, &all->Kt, &all->Ct};
  const ga_csr *const square[] = {model->pat_M, model->pat_K, ga_eval_pattern_C(model)};
  ga_csr **const of_lam[] = {&all->G, &all->Z, &all->L};
  ga_csr **const of_psi[] = {&all->H, &all->Y, &all->P};
  for (int i = 0; i < 3; i++) {
    ga_csr *A = ga_arena_take(arena, 3, sizeof *A);
    if (!A || ga_csr_init(&A[0], n, n, square[i], arena) != GA_OK ||
        ga_csr_init(&A[1], model->nlam, n, model->pat_G, arena) != GA_OK ||
        ga_csr_init(&A[2], model->npsi, n, model->pat_H, arena) != GA_OK) {
      return false;
    }
    *of_nv[i] = &A[0], *of_lam[i] = &A[1], *of_psi[i] = &A[2];
  }
  all->F = ga_arena_doubles(arena, nv);
  all->R = ga_arena_doubles(arena, nv);
  all->Mx = ga_arena_doubles(arena, nv);
  double **const lam_size[] = {&all->g, &all->gt, &all->drift};
  for (int i = 0; i < 3; i++) *lam_size[i] = ga_arena_doubles(arena, nlam);
  all->k = ga_arena_doubles(arena, (size_t)model->npsi);
  all->k_drift = ga_arena_doubles(arena, (size_t)model->npsi);
  return !arena->failed;
}

/* Public: compare every derivative that the model gives at (t, q, v) with difference quotients; x,
 * lam and psi are arbitrary numbers. Prints a line per derivative to report (may be NULL). Returns
 * GA_OK if all agree, else the status of the first failure (GA_ERR_MODEL: wrong derivative), with a
 * message in err. */
ga_status ga_model_check_derivatives(const ga_model *given, double t, const double *q,
                                     const double *v, FILE *report, ga_error *err) {
  ga_status status = ga_model_validate(given, err);
  if (status != GA_OK) return status;
  checker c = {.report = report, .err = err, .against = "difference quotient"};
  ga_arena arena = {0};
  const ga_model *model = ga_model_complete(given, &arena);
  if (!model) {
    ga_arena_free(&arena);
    return ga_fail(err, GA_ERR_MEM, "no memory to check derivatives");
  }
  int nv = ga_space_nv(model->space), nlam = model->nlam, npsi = model->npsi;
  double *x = ga_arena_doubles(&arena, (size_t)nv);
  double *lam = ga_arena_doubles(&arena, (size_t)nlam),
         *psi = ga_arena_doubles(&arena, (size_t)npsi);
  pair G, H, Kt, Ct, M;
  ga_evaluation all = {.x = x, .lam = lam, .psi = psi}, alone = all;
  bool ready = ga_eval_init(&c.own, model, &arena, &c.fault) == GA_OK &&
               pair_init(&G, nlam, nv, model->pat_G, &arena) &&
               pair_init(&H, npsi, nv, model->pat_H, &arena) &&
               pair_init(&M, nv, nv, model->pat_M, &arena) &&
               pair_init(&Kt, nv, nv, model->pat_K, &arena) &&
               pair_init(&Ct, nv, nv, ga_eval_pattern_C(model), &arena) &&
               allocate_fields(&all, model, &arena) && allocate_fields(&alone, model, &arena);
  if (!ready) {
    ga_arena_free(&arena);
    return ga_fail(err, GA_ERR_MEM, "no memory to check derivatives");
  }
  ga_eval_sources(&c.own, false);
  fill_aperiodic(nv, 1 + ga_max_abs(nv, v), 1, x);
  fill_aperiodic(nlam, 1, 2, lam);
  fill_aperiodic(npsi, 1, 3, psi);
  c.point = (ga_eval_point){.t = t, .q = q, .v = v, .x = x, .lam = lam, .psi = psi};
  measure_sizes(&c);
  check_holonomic(&c, &G);
  check_nonholonomic(&c, &H);
  check_const_mass(&c, &M);
  check_autonomous(&c, &arena);
  check_constant_rows(&c, &M);
  check_reaction(&c, &G, &H);
  check_product(&c);
  check_tangents(&c, &Kt, &Ct);
  check_solver(&c, &Kt.given, &Ct.given, &arena);
  check_evaluate(&c, &all, &alone);
  ga_arena_free(&arena);
  return c.verdict;
}
