/* SPDX-License-Identifier: MIT */
/* Models that bring their own linear solver: the motions are those of the dense solver to rounding,
 * and no M, Kt, Ct is formed in a step; with constraints, eta, redundant rows, automatic steps. */
#include "methods.h"
#include "problems/problems.h"
#include "product_model.h"

enum { STEPS = 40 };

/* Run to the end of STEPS steps; q, v, vd, lam, psi there, one after the other. */
static ga_stats run_model(const ga_problem *p, const ga_model *model, const ga_options *o,
                          const char *solver, double *out) {
  ga_integrator *it;
  ga_error err;
  must(ga_integrator_new(model, o, &it, &err), &err);
  assert_string_equal(ga_integrator_linsol(it), solver);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  const bool automatic = o->rtol > 0;
  if (automatic) {
    must(ga_integrator_run(it, p->t0 + STEPS * p->h), ga_integrator_error(it));
  }
  for (int n = 0; n < STEPS && !automatic; n++) {
    must(ga_integrator_step(it), ga_integrator_error(it));
  }
  const ga_state *s = ga_integrator_state(it);
  const int nq = ga_space_nq(model->space), nv = ga_space_nv(model->space);
  const double *const part[] = {s->q, s->v, s->vd, s->lam, s->psi};
  const int size[] = {nq, nv, nv, model->nlam, model->npsi};
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < size[k]; i++) *out++ = part[k][i];
  }
  ga_stats stats = *ga_integrator_stats(it);
  ga_integrator_free(it);
  return stats;
}

/* Compare the run with the model's own solver with that of "dense": within tol of the largest
 * number, and 20 times the difference of "klu" and "dense", which is rounding. Where a method does
 * not take it, it is solved as always. */
static void compare_runs(const ga_problem *p, int last, const ga_options *o, const ga_method *m,
                         double tol) {
  product_model w;
  product_model_init(&w, &p->model);
  product_model_bring_solver(&w, last);
  const int n = ga_space_nq(p->model.space) + 2 * w.nv + p->model.nlam + p->model.npsi;
  double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y),
         *z = calloc((size_t)n, sizeof *z);
  ga_options dense = *o, own = *o;
  const bool taken = m->nx == 1 && !m->weighted;
  dense.linsol = "dense", own.linsol = taken ? "own" : "dense";
  run_model(p, &p->model, &dense, "dense", x);
  w.masses = w.tangents = 0;
  const ga_stats stats = run_model(p, &w.model, &own, taken ? "own" : "dense", y);
  dense.linsol = "klu";
  run_model(p, &p->model, &dense, "klu", z);
  double size = 0, apart = 0, klu = 0;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(x[i]));
    apart = fmax(apart, fabs(x[i] - y[i]));
    klu = fmax(klu, fabs(x[i] - z[i]));
  }
  if (!(apart <= tol * size + 20 * klu))
    fail_msg("%s, %s: %g of %g", p->name, m->name, apart, size);
  if (taken) assert_true(w.factors >= stats.matrices); /* and some for accelerations at starts */
  if (taken && !(o->rtol > 0)) assert_in_range(w.factors, stats.matrices, stats.matrices + 10);
  if (taken && !(o->rtol > 0)) assert_in_range(w.masses, 1, 10);
  if (taken) assert_in_range(w.tangents, 0, 0);
  free(x), free(y), free(z);
  product_model_free(&w);
}

static const struct {
  const char *name;
  int last;
} problems[] = {{"andrews", 0},    {"pendulum-spring", 0}, {"rheonomic", 0}, {"chain", 0},
                {"oscillator", 0}, {"rolling-disk", 0},    {"heavy-top", 3}};

/* all problems that give tangents, with holonomic and nonholonomic rows, rotations */
static void test_same_motion(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
    ga_problem *p = problem_named(problems[k].name);
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
      ga_options o = ga_options_default();
      use_method(&o, m);
      o.h = p->h, o.par = ga_params_rho(0.8), o.multiplier_guess = p->mult0;
      compare_runs(p, problems[k].last, &o, m, strcmp(m->name, "index3") == 0 ? 1e-9 : 1e-12);
    }
    ga_problem_free(p);
  }
}

/* automatic steps: the error estimate has M and Ct by products */
static void test_automatic_steps(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2; k++) {
    ga_problem *p = problem_named(k ? "heavy-top" : "andrews");
    for (int i = 0; i < 2; i++) {
      ga_options o = ga_options_default();
      o.method = methods[i];
      o.rtol = 1e-4, o.atol = 1e-6, o.h = p->h;
      compare_runs(p, k ? 3 : 0, &o, ga_method_find(methods[i], "", NULL), 2e-3);
    }
    ga_problem_free(p);
  }
}

/* ---- a chain with a tridiagonal solver -------------------------------------------------------- */

enum { LINKS = 150 };
static const double STIFF = 40, DAMPING = 0.3, SIDE = 0.5;

/* M_ii = 2 + cos(q_i)/2, M_i,i+1 = 1/2; springs between neighbours, damping, a load; a row
 * g = q_0 - sin(q_last) that closes a loop, if the model has one; a second one is twice that */
static void chain_tangents(const double *q, const double *x, const double *lam, int nlam,
                           double *diagonal, double *K) {
  for (int i = 0; i < LINKS; i++) {
    diagonal[i] = 2 + cos(q[i]) / 2;
    K[i] = 2 * STIFF - sin(q[i]) / 2 * x[i] + cos(q[i]);
  }
  for (int j = 0; j < nlam; j++) K[LINKS - 1] += (j + 1) * lam[j] * sin(q[LINKS - 1]);
}

static int chain_evaluate(void *user, double t, const double *q, const double *v,
                          const ga_evaluation *out) {
  const int last = LINKS - 1, nlam = *(const int *)user;
  double diagonal[LINKS], K[LINKS];
  (void)t;
  chain_tangents(q, out->x ? out->x : q, out->lam, out->lam ? nlam : 0, diagonal, K);
  for (int i = 0; i < LINKS; i++) {
    const double before = i ? q[i - 1] : 0, after = i < last ? q[i + 1] : 0;
    if (out->F) out->F[i] = STIFF * (before + after - 2 * q[i]) - DAMPING * v[i] - sin(q[i]) + 0.2;
    if (out->Mx) {
      out->Mx[i] = diagonal[i] * out->x[i];
      out->Mx[i] += SIDE * ((i ? out->x[i - 1] : 0) + (i < last ? out->x[i + 1] : 0));
    }
    for (int k = -1; k <= 1; k++) {
      if (i + k < 0 || i + k > last) continue;
      if (out->M) out->M->val[out->M->ptr[i] + (i ? k + 1 : k)] = k ? SIDE : diagonal[i];
      if (out->Kt) out->Kt->val[out->Kt->ptr[i] + (i ? k + 1 : k)] = k ? -STIFF : K[i];
      if (out->Ct && k == 0) out->Ct->val[out->Ct->ptr[i] + (i ? 1 : 0)] = DAMPING;
    }
  }
  for (int j = 0; j < nlam; j++) {
    const double by = j + 1;
    if (out->g) out->g[j] = by * (q[0] - sin(q[last]));
    if (out->G) out->G->val[2 * j] = by, out->G->val[2 * j + 1] = -by * cos(q[last]);
    if (out->Z) out->Z->val[2 * j + 1] = by * sin(q[last]) * v[last];
    if (out->drift) out->drift[j] = by * sin(q[last]) * v[last] * v[last];
  }
  return 0;
}

/* work: diagonals of M, K, then b = pivots, l = factors below */
static size_t chain_room(void *user) {
  (void)user;
  return 4 * LINKS + 1;
}

/* neighbours: entry beside the diagonal of A */
static int chain_factor(void *user, const ga_solver_point *p, double *work, double *diagonal) {
  double *M = work, *K = M + LINKS, *b = K + LINKS, *l = b + LINKS;
  const double side = l[LINKS] = p->a * SIDE - p->c * STIFF;
  chain_tangents(p->q, p->x, p->lam, *(const int *)user, M, K);
  for (int i = 0; i < LINKS; i++) {
    diagonal[i] = M[i];
    b[i] = p->a * M[i] + p->b * DAMPING + p->c * K[i];
    l[i] = i ? side / b[i - 1] : 0;
    if (i) b[i] -= l[i] * side;
    if (!(fabs(b[i]) > 1e-14 * (p->a * M[i] + fabs(p->c * K[i])))) return 1;
  }
  return 0;
}

static int chain_solve(void *user, double *work, double *x) {
  const double *b = work + 2 * LINKS, *l = b + LINKS, side = l[LINKS];
  (void)user;
  for (int i = 1; i < LINKS; i++) x[i] -= l[i] * x[i - 1];
  for (int i = LINKS - 1; i >= 0; i--) {
    x[i] = (x[i] - (i < LINKS - 1 ? side * x[i + 1] : 0)) / b[i];
  }
  return 0;
}

static int chain_multiply(void *user, double *work, double a, double b, double c, const double *x,
                          double *y) {
  const double *M = work, *K = M + LINKS, side = a * SIDE - c * STIFF;
  (void)user;
  for (int i = 0; i < LINKS; i++) {
    y[i] = (a * M[i] + b * DAMPING + c * K[i]) * x[i];
    y[i] += side * ((i ? x[i - 1] : 0) + (i < LINKS - 1 ? x[i + 1] : 0));
  }
  return 0;
}

/* without a loop, with one, with a redundant row: stab2, index3 against dense, and every derivative */
static void test_chain(void **state) {
  (void)state;
  static int ptr[LINKS + 1], col[3 * LINKS], nlam;
  static const ga_model_solver solver = {"tridiagonal", 2,           chain_room,
                                         chain_factor,  chain_solve, chain_multiply};
  static const ga_model_ops ops = {
      .evaluate = chain_evaluate,
      .gives = GA_GIVES_MX | GA_GIVES_TANGENTS | GA_GIVES_G | GA_GIVES_Z | GA_GIVES_DRIFT,
      .solver = &solver};
  for (int i = 0; i < LINKS; i++) {
    ptr[i + 1] = ptr[i];
    for (int k = -1; k <= 1; k++) {
      if (i + k >= 0 && i + k < LINKS) col[ptr[i + 1]++] = i + k;
    }
  }
  const ga_csr tridiagonal = {LINKS, LINKS, ptr, col, NULL};
  ga_csr ends = {1, LINKS, (int[]){0, 2, 4}, (int[]){0, LINKS - 1, 0, LINKS - 1}, NULL};
  double q[LINKS], v[LINKS] = {0}, out[2][3 * LINKS + 2];
  ga_space *space;
  ga_error err;
  must(ga_space_rn(LINKS, &space), NULL);
  for (nlam = 0; nlam < 3; nlam++) {
    ends.nrow = nlam;
    const ga_model model = {.ops = &ops,
                            .user = &nlam,
                            .space = space,
                            .nlam = nlam,
                            .pat_M = &tridiagonal,
                            .pat_K = &tridiagonal,
                            .pat_G = nlam ? &ends : NULL,
                            .scleronomic = true};
    for (int i = 0; i < LINKS; i++) q[i] = 0.3 * sin(0.11 * i), v[i] = 0.2 * cos(0.3 * i);
    must(ga_model_check_derivatives(&model, 0, q, v, NULL, &err), &err);
    for (int i = 0; i < LINKS; i++) v[i] = 0;
    q[0] = sin(q[LINKS - 1]);
    for (int m = 0; m < 2; m++) {
      const ga_problem p = {.model = model, .q0 = q, .v0 = v, .h = 0.02};
      ga_options o = ga_options_default();
      o.h = 0.02, o.method = m ? "index3" : "stab2";
      if (nlam == 2) o.redundant = GA_REDUNDANT_ALLOW;
      run_model(&p, &model, &o, "own", out[0]); /* auto takes it */
      o.linsol = "dense";
      run_model(&p, &model, &o, "dense", out[1]);
      const double apart = vector_error(3 * LINKS + nlam, out[0], out[1]);
      if (!(apart < (m ? 1e-8 : 1e-10))) fail_msg("%d rows, %s: %g", nlam, o.method, apart);
    }
  }
  ga_space_free(space);
}

/* ---- failures --------------------------------------------------------------------------------- */

/* a vanishing pivot asks for a smaller step, and the state stays; the next step works */
static void test_vanishing_pivot(void **state) {
  (void)state;
  ga_problem *p = problem_named("andrews");
  product_model w;
  ga_integrator *it;
  ga_error err;
  ga_options o = ga_options_default();
  o.h = p->h;
  product_model_init(&w, &p->model);
  product_model_bring_solver(&w, 0);
  must(ga_integrator_new(&w.model, &o, &it, &err), &err);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  w.fail_at = (int)w.factors + 1;
  assert_int_equal(ga_integrator_step(it), GA_RETRY_SINGULAR);
  assert_non_null(strstr(ga_integrator_error(it)->text, "'elimination' found no pivot"));
  assert_true(ga_integrator_state(it)->t == p->t0 && ga_integrator_state(it)->q[0] == p->q0[0]);
  must(ga_integrator_step(it), ga_integrator_error(it));
  ga_integrator_free(it);
  /* and nobody else's model has such a solver */
  o.linsol = "tree";
  assert_int_equal(ga_integrator_new(&p->model, &o, &it, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "brings no linear solver of its own"));
  product_model_free(&w);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_motion), cmocka_unit_test(test_automatic_steps),
      cmocka_unit_test(test_chain), cmocka_unit_test(test_vanishing_pivot)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
