/* SPDX-License-Identifier: MIT */
/* Starting values and parameters: refused with the row named, or projected; singular systems. */
#include "manufactured.h"
#include "problems/problems.h"

/* a rod of two points in the plane, both on the line y = 0.5 x by a constraint on the first, the
 * distance fixed; optional redundant copies of rows for singular systems */
typedef struct {
  int rows[4]; /* which of the constraints below, in order */
  int count;
  double mass[4];
} rod;

static double rod_constraint(int which, const double *q) {
  double dx = q[2] - q[0], dy = q[3] - q[1];
  switch (which) {
    case 0:
      return q[1] - 0.5 * q[0];
    case 1:
      return (dx * dx + dy * dy - 1) / 2;
    case 2:
      return 3 * q[1] - 1.5 * q[0]; /* row 0 again, times 3 */
    default:
      return q[0] + q[1] * q[1] - 0.25;
  }
}

static int rod_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)t, (void)q;
  const rod *r = user;
  for (int i = 0; i < 4; i++) M->val[5 * i] = r->mass[i];
  return 0;
}
static int rod_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  const double f[4] = {0, -9.81, 0, -9.81};
  memcpy(F, f, sizeof f);
  return 0;
}
static int rod_holonomic(void *user, double t, const double *q, double *g) {
  (void)t;
  const rod *r = user;
  for (int i = 0; i < r->count; i++) g[i] = rod_constraint(r->rows[i], q);
  return 0;
}
static const ga_model_ops rod_ops = {
    .mass = rod_mass, .force = rod_force, .holonomic = rod_holonomic};
static const char *const rod_names[4] = {"slope", "length", "copy", "curve"};

static ga_model rod_model(rod *r, ga_space *space) {
  return (ga_model){.ops = &rod_ops,
                    .user = r,
                    .space = space,
                    .nlam = r->count,
                    .const_mass = true,
                    .lam_names = rod_names};
}

static const rod good_rod = {{0, 1}, 2, {1, 1, 2, 2}};
static const double rod_q[4] = {0.4, 0.2, 1.0, 1.0}; /* length 1, on the line */
static const double rod_v[4] = {2, 1, 2, 1};

static ga_integrator *fresh(const ga_model *model, const ga_options *o) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(model, o, &it, &err), &err);
  return it;
}

static void test_refused(void **state) {
  (void)state;
  ga_space *space = NULL;
  must(ga_space_rn(4, &space), NULL);
  rod r = good_rod;
  ga_model model = rod_model(&r, space);
  ga_options o = ga_options_default();
  ga_integrator *it = fresh(&model, &o);
  must(ga_integrator_start(it, 0, rod_q, rod_v), ga_integrator_error(it));
  double q[4], v[4];
  memcpy(q, rod_q, sizeof q);
  memcpy(v, rod_v, sizeof v);
  q[3] += 1e-6; /* the length is off */
  assert_int_equal(ga_integrator_start(it, 0, q, v), GA_ERR_INITIAL);
  assert_non_null(strstr(ga_integrator_error(it)->text, "holonomic constraint g[1] ('length')"));
  assert_non_null(strstr(ga_integrator_error(it)->text, "project"));
  q[3] = rod_q[3];
  v[0] += 1e-5; /* the velocity leaves the line */
  assert_int_equal(ga_integrator_start(it, 0, q, v), GA_ERR_INITIAL);
  assert_non_null(strstr(ga_integrator_error(it)->text, "hidden velocity constraint of g[0]"));
  /* the accepted start is still there */
  assert_memory_equal(ga_integrator_state(it)->v, rod_v, sizeof rod_v);
  v[0] = NAN;
  assert_int_equal(ga_integrator_start(it, 0, q, v), GA_ERR_ARG);
  ga_integrator_free(it);
  ga_space_free(space);
}

/* Projected q: the point of the constraints nearest to q in the M-norm, i.e. M d is a combination
 * of the rows of G; projected v likewise. */
static void test_projected(void **state) {
  (void)state;
  ga_space *space = NULL;
  must(ga_space_rn(4, &space), NULL);
  rod r = good_rod;
  ga_model model = rod_model(&r, space);
  ga_options o = ga_options_default();
  o.initial = GA_INITIAL_PROJECT;
  ga_integrator *it = fresh(&model, &o);
  const double q[4] = {0.45, 0.15, 1.1, 1.05}, v[4] = {2.1, 0.8, 2, 1.4};
  must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  assert_true(fabs(rod_constraint(0, s->q)) < 1e-14 && fabs(rod_constraint(1, s->q)) < 1e-14);
  /* gradients at the projected point; M d = G^T mu is solved by the first and third entry */
  double dx = s->q[2] - s->q[0], dy = s->q[3] - s->q[1];
  const double G[4] = {-dx, -dy, dx, dy};
  for (int pass = 0; pass < 2; pass++) {
    double Md[4], gv = 0;
    for (int i = 0; i < 4; i++) {
      Md[i] = r.mass[i] * (pass ? s->v[i] - v[i] : s->q[i] - q[i]);
    }
    double mu1 = Md[2] / dx, mu0 = (Md[0] + dx * mu1) / -0.5;
    assert_true(fabs(Md[1] - (mu0 - dy * mu1)) < 1e-11);
    assert_true(fabs(Md[3] - dy * mu1) < 1e-11);
    for (int i = 0; i < 4; i++) gv += G[i] * s->v[i];
    /* G is a difference quotient in this model */
    assert_true(fabs(gv) < 1e-11 && fabs(s->v[1] - 0.5 * s->v[0]) < 1e-11);
  }
  assert_near("moved q", ga_integrator_stats(it)->start_dq, vector_error(4, s->q, q), 1e-12);
  assert_near("moved v", ga_integrator_stats(it)->start_dv, vector_error(4, s->v, v), 1e-12);
  ga_integrator_free(it);
  ga_space_free(space);
}

/* the same on a group: an inconsistent heavy top comes back to its joint */
static void test_projected_on_group(void **state) {
  (void)state;
  const char *const names[] = {"heavy-top", "heavy-top-se3"};
  for (int k = 0; k < 2; k++) {
    ga_problem *p = problem_named(names[k]);
    ga_options o = ga_options_default();
    o.initial = GA_INITIAL_PROJECT;
    ga_integrator *it = fresh(&p->model, &o);
    double q[7], v[6], w[6] = {0.02, -0.03, 0.01, 0.2, -0.1, 0.3};
    ga_space_step(p->model.space, p->q0, w, q);
    for (int i = 0; i < 6; i++) v[i] = p->v0[i] + 0.1 * w[i];
    must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
    double g[3];
    ga_model_evaluate(&p->model, 0, ga_integrator_state(it)->q, p->v0, &(ga_evaluation){.g = g});
    for (int i = 0; i < 3; i++) assert_true(fabs(g[i]) < 1e-14);
    assert_true(ga_integrator_stats(it)->start_dq > 1e-3);
    /* M d + (G T(d))^T mu = 0: no other point of the joint is nearer, in the mass norm of q */
    const ga_state *s = ga_integrator_state(it);
    double d[6], best = 0;
    double mass[6] = {15, 15, 15, 0.234375, 0.46875, 0.234375};
    ga_space_diff(p->model.space, q, s->q, d);
    for (int i = 0; i < 6; i++) best += mass[i] * d[i] * d[i];
    for (int axis = 0; axis < 6; axis++) {
      /* rotate the top about its tip: stays on the joint */
      double turn[3] = {0}, q2[7], e[4], norm = 0;
      turn[axis / 2] = axis % 2 ? 1e-4 : -1e-4;
      ga_group_so3.step(1, s->q + 3, turn, q2 + 3);
      memcpy(e, q2 + 3, sizeof e);
      /* x = R X, X = e_y: second column of R */
      q2[0] = 2 * (e[1] * e[2] - e[0] * e[3]);
      q2[1] = e[0] * e[0] - e[1] * e[1] + e[2] * e[2] - e[3] * e[3];
      q2[2] = 2 * (e[2] * e[3] + e[0] * e[1]);
      ga_space_diff(p->model.space, q, q2, d);
      for (int i = 0; i < 6; i++) norm += mass[i] * d[i] * d[i];
      assert_true(norm >= best);
    }
    ga_integrator_free(it);
    ga_problem_free(p);
  }
}

/* a nonholonomic row, nonlinear in v, is projected by iteration and named when violated */
static void test_nonholonomic(void **state) {
  (void)state;
  ga_space *space = NULL;
  must(ga_space_rn(MF_N, &space), NULL);
  ga_model model = {.ops = &mf_ops, .space = space, .nlam = 1, .npsi = 1};
  ga_options o = ga_options_default();
  double q[MF_N], v[MF_N], g[MF_N], h[MF_N], t = 0.7;
  mf_exact(t, q, v, NULL, NULL, NULL);
  /* along a direction that keeps the hidden constraint but not k */
  ga_csr G = {.val = g}, H = {.val = h};
  mf_holonomic_jac(NULL, t, q, &G);
  mf_nonholonomic_jac(NULL, t, q, v, &H);
  v[0] += 0.1 * g[3];
  v[3] -= 0.1 * g[0];
  ga_integrator *it = fresh(&model, &o);
  assert_int_equal(ga_integrator_start(it, t, q, v), GA_ERR_INITIAL);
  assert_non_null(strstr(ga_integrator_error(it)->text, "nonholonomic constraint k[0]"));
  ga_integrator_free(it);
  o.initial = GA_INITIAL_PROJECT;
  it = fresh(&model, &o);
  must(ga_integrator_start(it, t, q, v), ga_integrator_error(it));
  double k;
  mf_nonholonomic(NULL, t, ga_integrator_state(it)->q, ga_integrator_state(it)->v, &k);
  assert_true(fabs(k) < 1e-13);
  ga_integrator_free(it);
  ga_space_free(space);
}

/* a massless coordinate that only a nonholonomic row holds: the projection takes that row in */
static int held_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[4] = 1;
  return 0;
}
static int held_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = 1, F[1] = F[2] = 0;
  return 0;
}
static int held_holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0] * q[0] + 4 * q[1] * q[1] - 1; /* an ellipse */
  return 0;
}
static int held_nonholonomic(void *user, double t, const double *q, const double *v, double *k) {
  (void)user, (void)t, (void)q;
  k[0] = v[2] - v[0];
  return 0;
}

static void test_projected_from_afar(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = held_mass,
                            .force = held_force,
                            .holonomic = held_holonomic,
                            .nonholonomic = held_nonholonomic};
  ga_space *space = NULL;
  must(ga_space_rn(3, &space), NULL);
  ga_model model = {.ops = &ops, .space = space, .nlam = 1, .npsi = 1};
  ga_options o = ga_options_default();
  o.initial = GA_INITIAL_PROJECT;
  const double scale[] = {0.1, 0.5, 0.9, 1, 1.3, 2, 5};
  for (int k = 0; k < 7; k++) {
    ga_integrator *it = fresh(&model, &o);
    const double q[3] = {0.6 * scale[k], 0.4 * scale[k], 2}, v[3] = {0, 0, 0.1};
    must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
    double g;
    held_holonomic(NULL, 0, ga_integrator_state(it)->q, &g);
    assert_true(fabs(g) < 1e-14);
    must(ga_integrator_run(it, 0.1), ga_integrator_error(it));
    must(ga_integrator_project_position(it, NULL), ga_integrator_error(it));
    ga_integrator_free(it);
  }
  ga_space_free(space);
}

static void test_singular(void **state) {
  (void)state;
  ga_space *space = NULL;
  must(ga_space_rn(4, &space), NULL);
  ga_options o = ga_options_default();
  /* a redundant row is named */
  rod twice = {{0, 1, 2}, 3, {1, 1, 2, 2}};
  ga_model model = rod_model(&twice, space);
  ga_integrator *it = fresh(&model, &o);
  assert_int_equal(ga_integrator_start(it, 0, rod_q, rod_v), GA_ERR_SINGULAR);
  const char *text = ga_integrator_error(it)->text; /* either of the two will do */
  assert_true(strstr(text, "g[2] ('copy')") || strstr(text, "g[0] ('slope')"));
  ga_integrator_free(it);
  /* a coordinate without mass and without constraint too */
  rod light = {{0}, 1, {1, 1, 1, 0}};
  model = rod_model(&light, space);
  it = fresh(&model, &o);
  assert_int_equal(ga_integrator_start(it, 0, rod_q, rod_v), GA_ERR_SINGULAR);
  assert_non_null(strstr(ga_integrator_error(it)->text, "velocity v[3] has neither mass"));
  ga_integrator_free(it);
  /* massless where the constraints hold it: fine */
  rod held = {{0, 1}, 2, {0, 0, 2, 2}};
  model = rod_model(&held, space);
  it = fresh(&model, &o);
  must(ga_integrator_start(it, 0, rod_q, rod_v), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.05), ga_integrator_error(it));
  ga_integrator_free(it);
  ga_space_free(space);
}

/* what a set of parameters gets: an error, a warning that names the condition, or nothing */
static char logged[1024];
static void keep_log(void *context, ga_log_level level, const char *text) {
  (void)context;
  assert_int_equal(level, GA_LOG_WARNING);
  strncat(logged, text, sizeof logged - strlen(logged) - 1);
}

static void test_parameters(void **state) {
  (void)state;
  static const struct {
    const char *problem, *method;
    ga_params par;
    ga_status status;
    const char *text; /* in the error or the warning; NULL: silence */
  } cases[] = {
      {"heavy-top",
       "stab2",
       {0.42105263157894735, 0.47368421052631576, 0.27700831024930744, 0.55263157894736847, 0},
       GA_OK,
       NULL},
      {"heavy-top", "index3", {0.5, 0.5, 0.25, 0.5, 0}, GA_OK, "errors of the multipliers grow"},
      {"heavy-top", "stab2", {0.5, 0.5, 0.25, 0.5, 0}, GA_OK, "(23)"},
      {"heavy-top", "stab2", {0, 0, 0.3025, 0.6, 0}, GA_OK, "(20)"},
      {"oscillator", "stab2", {0, 0, 1.0 / 6, 0.5, 0}, GA_OK, "(23)"},
      {"heavy-top", "stab2", {0, 0, 1.0 / 6, 0.5, 0}, GA_ERR_ARG, "(23)"},
      {"heavy-top", "stab2", {0, 0, 0, 0.5, 0}, GA_ERR_ARG, "(23)"},
      {"heavy-top", "stab2", {0.7, 0.2, 0.3, 0, 0}, GA_ERR_ARG, "(21)"},
      {"heavy-top", "stab2", {1, 0.2, 0.3, 0, 0}, GA_ERR_ARG, "neither may be 1"},
      {"heavy-top", "stab2", {NAN, 0.2, 0.3, 0, 0}, GA_ERR_ARG, "must be finite"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    ga_problem *p = problem_named(cases[k].problem);
    ga_options o = ga_options_default();
    ga_error err = {0};
    ga_integrator *it = NULL;
    o.method = cases[k].method;
    o.par = cases[k].par;
    o.log = keep_log;
    logged[0] = '\0';
    assert_int_equal(ga_integrator_new(&p->model, &o, &it, &err), cases[k].status);
    const char *said = cases[k].status == GA_OK ? logged : err.text;
    if (!cases[k].text) assert_string_equal(said, "");
    if (cases[k].text && !strstr(said, cases[k].text)) {
      fail_msg("case %zu: '%s' does not mention '%s'", k, said, cases[k].text);
    }
    ga_integrator_free(it);
    ga_problem_free(p);
  }
}

static void test_start_options(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_integrator *it = NULL;
  o.start = GA_START_PERTURBED;
  assert_int_equal(ga_integrator_new(&p->model, &o, &it, &err), GA_ERR_ARG);
  assert_null(it);
  assert_non_null(strstr(err.text, "perturbed"));
  o = ga_options_default();
  o.method = "indx3";
  assert_int_equal(ga_integrator_new(&p->model, &o, &it, &err), GA_ERR_METHOD);
  assert_non_null(strstr(err.text, "did you mean 'index3'"));
  o = ga_options_default();
  o.h = -1;
  assert_int_equal(ga_integrator_new(&p->model, &o, &it, &err), GA_ERR_STEP);
  assert_non_null(strstr(err.text, "h = -1"));
  /* nothing before the start, nothing backwards */
  o = ga_options_default();
  must(ga_integrator_new(&p->model, &o, &it, &err), &err);
  assert_int_equal(ga_integrator_step(it), GA_ERR_ARG);
  assert_int_equal(ga_integrator_run(it, 1), GA_ERR_ARG);
  assert_int_equal(ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, NULL), GA_ERR_ARG);
  must(ga_integrator_start(it, 0, p->q0, p->v0), ga_integrator_error(it));
  assert_int_equal(ga_integrator_run(it, -1), GA_ERR_ARG);
  assert_int_equal(ga_integrator_run(it, NAN), GA_ERR_ARG);
  assert_int_equal(ga_integrator_set_step(it, 0), GA_ERR_STEP);
  assert_int_equal(ga_integrator_set_step(it, NAN), GA_ERR_STEP);
  assert_int_equal(ga_integrator_set_step(it, 1e-300), GA_ERR_STEP);
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  must(ga_integrator_set_step(it, 1e-17), NULL);
  assert_int_equal(ga_integrator_step(it), GA_ERR_STEP);
  assert_true(ga_integrator_state(it)->t == 1);
  ga_integrator_free(it);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_projected),
      cmocka_unit_test(test_projected_on_group),
      cmocka_unit_test(test_nonholonomic),
      cmocka_unit_test(test_projected_from_afar),
      cmocka_unit_test(test_singular),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_start_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
