/* SPDX-License-Identifier: MIT */
/* The own solver of trees with joints that close loops and forces between branches, against the full
 * matrix: residuals at random states, and motions. */
#include "genalpha/ga_helpers.h"
#include "lie/lie.h"
#include "mechanism/mechanism.h"
#include "random_tree.h"

/* ---- residuals ------------------------------------------------------------------------------- */

/* y = A x, sizes = the largest row of |A| |x| */
static double multiply(const full *A, const double *x, double *y) {
  double largest = 0;
  for (int i = 0; i < A->a.nrow; i++) {
    double size = 0;
    y[i] = 0;
    for (int j = 0; j < A->a.ncol; j++) {
      y[i] += A->val[i * A->a.ncol + j] * x[j];
      size += fabs(A->val[i * A->a.ncol + j] * x[j]);
    }
    largest = fmax(largest, size);
  }
  return largest;
}

static double difference(int n, const double *x, const double *y) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

/* A = M + b Ct + c Kt T at a random state, formed and by the own solver: the largest difference of a product
 * and residual of a solution, over the largest sum of their terms. */
static void compare(const ga_mechanism *m, unsigned *seed, double b, double c, double *product,
                    double *residual) {
  static full M, Kt, Ct;
  const ga_model *model = ga_mechanism_model(m);
  const ga_model_solver *solver = model->ops->solver;
  const int nv = ga_space_nv(model->space);
  double q[NMAX], v[NMAX], step[NMAX], x[NMAX], w[NMAX], lam[NMAX], psi[NMAX], T[9 * NMAX],
      diagonal[NMAX];
  assert_non_null(solver);
  random_vector(seed, nv, 1.5, v);
  random_vector(seed, nv, 0.7, step);
  random_vector(seed, nv, 5, x);
  random_vector(seed, nv, 0.5, w);
  random_vector(seed, model->nlam, 9, lam);
  random_vector(seed, model->npsi, 9, psi);
  ga_space_step(model->space, ga_mechanism_q0(m), step, q);
  const ga_evaluation out = {.x = x,
                             .lam = lam,
                             .psi = psi,
                             .M = full_init(&M, nv, nv, model->pat_M),
                             .Kt = full_init(&Kt, nv, nv, model->pat_K),
                             .Ct = full_init(&Ct, nv, nv, model->pat_K)};
  assert_int_equal(model->ops->evaluate(model->user, 0.3, q, v, &out), 0);
  if (!model->space->commutative) {
    ga_space_tangent_rows(model->space, w, T);
    ga_space_apply_tangent(model->space, T, &Kt.a);
  }
  full_spread(&M), full_spread(&Kt), full_spread(&Ct);
  for (int e = 0; e < nv * nv; e++) M.val[e] += b * Ct.val[e] + c * Kt.val[e];

  double *work = calloc(solver->room(model->user) + 1, sizeof *work);
  assert_non_null(work);
  const ga_solver_point at = {
      .t = 0.3, .q = q, .v = v, .x = x, .lam = lam, .psi = psi, .w = w, .a = 1, .b = b, .c = c};
  double y[NMAX], own[NMAX], rest[NMAX];
  assert_int_equal(solver->factor(model->user, &at, work, diagonal), 0);
  random_vector(seed, nv, 1, step);
  const double terms = multiply(&M, step, y);
  assert_int_equal(solver->multiply(model->user, work, 1, b, c, step, own), 0);
  *product = difference(nv, y, own) / terms;
  memcpy(own, step, sizeof own);
  assert_int_equal(solver->solve(model->user, work, own), 0);
  const double sum = multiply(&M, own, rest);
  *residual = difference(nv, rest, step) / fmax(sum, 1);
  free(work);
}

static const char *const closing[] = {"fixed",     "revolute",      "prismatic",     "cylindrical",
                                      "universal", "spherical",     "planar",        "orientation",
                                      "parallel",  "point_on_line", "point_on_plane"};

/* Loops that each type of joint closes, or another joint of the loop where the tree takes that one, with a
 * bushing and springs between branches, at the origin and 1 km away. */
static void residuals(void **state) {
  (void)state;
  const double stiffness[] = {1, 1e6};
  int loops = 0;
  for (int i = 0; i < 4 * (int)(sizeof closing / sizeof *closing) * 5; i++) {
    const random_tree t = {.seed = 31 * (unsigned)i + 5,
                           .far = i / 2 % 2 ? 1000 : 0,
                           .loop = true,
                           .closes = closing[i / 20],
                           .coordinates = GA_COORDINATES_JOINT};
    ga_mechanism *m = tree_new(&t);
    const double k = stiffness[i % 2];
    double K[36] = {0}, C[36] = {0};
    for (int e = 0; e < 6; e++) K[7 * e] = (e < 3 ? 40 : 5) * k, C[7 * e] = e < 3 ? 2 : 0.1;
    ga_error err = {0};
    ADD(force, m, .name = "soft", .type = "bushing", .between = {"b2", "b4"},
        .at = GA_IN_SPACE(t.far + 0.3, 0.2 - t.far, 0.4), .axis = GA_IN_SPACE(0.1, 0.2, 1), .K = K,
        .C = C);
    if (ga_mechanism_build(m, 0, &err) == GA_OK) {
      unsigned seed = 3 + (unsigned)i;
      double product, residual;
      compare(m, &seed, 5e-4, 2.5e-7, &product, &residual);
      loops += ga_mechanism_model(m)->nlam > 0;
      if (!(product <= 1e-12 && residual <= 1e-12)) {
        fail_msg("seed %u, %s: product %.2e, residual %.2e", t.seed, t.closes, product, residual);
      }
    }
    ga_mechanism_free(m);
  }
  assert_true(loops > 150);
}

/* ---- motions --------------------------------------------------------------------------------- */

enum { LINKS = 30, LONG = 100 };

/* A chain on an arc in space with two ball joints, one of which is cut, a spring and a bushing across it. */
static ga_mechanism *closed_chain(int n, bool forces, ga_coordinates coordinates) {
  const double w = 6.2831853 / (n + 6), R = 3, far = 50;
  ga_mechanism *m = mechanism_new(down_z);
  char name[LONG + 2][16] = {"ground"};
  for (int i = 1; i <= n; i++) {
    snprintf(name[i], sizeof name[i], "link%d", i);
    ADD(body, m, .name = name[i], .mass = 1, .inertia = {0.02, 0.03, 0.04},
        .position = {far + R * cos((i - 0.5) * w), R * sin((i - 0.5) * w), 0});
  }
  strcpy(name[n + 1], "ground");
  for (int i = 1; i <= n + 1; i++) {
    char joint[16];
    snprintf(joint, sizeof joint, "j%d", i);
    ADD(joint, m, .name = joint, .type = i == 9 || i == 20 ? "spherical" : "revolute",
        .between = {name[i - 1], name[i]},
        .at = GA_IN_SPACE(far + R * cos((i - 1) * w), R * sin((i - 1) * w), 0),
        .axis = GA_IN_SPACE(cos(i), 0.5, sin(i)));
  }
  double K[36] = {0}, C[36] = {0};
  for (int e = 0; e < 6; e++) K[7 * e] = e < 3 ? 900 : 20, C[7 * e] = e < 3 ? 3 : 0.2;
  if (forces) {
    ADD(force, m, .name = "soft", .type = "bushing", .between = {"link12", "link27"},
        .at = GA_IN_SPACE(far, 0.4, 0.1), .axis = GA_IN_SPACE(0.1, 0.2, 1), .K = K, .C = C);
    ADD(force, m, .name = "spring", .type = "spring", .between = {"link4", "link20"},
        .at = GA_ON_BOTH(0, 0.1, 0, 0, 0, 0.1), .stiffness = 500, .damping = 20);
  }
  assert_int_equal(ga_mechanism_set_coordinates(m, coordinates), GA_OK);
  build(m);
  return m;
}

typedef struct {
  double v[NMAX], lam[NMAX];
} end;

static end run(const ga_mechanism *m, const char *method, const char *linsol, double h) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  end e = {{0}, {0}};
  must(ga_options_set(&o, "method", method, &err), &err);
  must(ga_options_set(&o, "linsol", linsol, &err), &err);
  o.h = h;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.2), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  memcpy(e.v, s->v, (size_t)ga_space_nv(ga_mechanism_model(m)->space) * sizeof(double));
  memcpy(e.lam, s->lam, (size_t)ga_mechanism_model(m)->nlam * sizeof(double));
  ga_integrator_free(it);
  return e;
}

/* Motions with the own solver are those with the full matrix, and have order 2 themselves. */
static void motions(void **state) {
  (void)state;
  static const char *const methods[] = {"index3", "stab2"};
  ga_mechanism *m = closed_chain(LINKS, true, GA_COORDINATES_JOINT);
  const int nv = ga_space_nv(ga_mechanism_model(m)->space), nlam = ga_mechanism_model(m)->nlam;
  assert_int_equal(nlam, 3);
  for (int k = 0; k < 2; k++) {
    end own[3];
    for (int i = 0; i < 3; i++) {
      const double h = 1e-3 / (1 << i);
      own[i] = run(m, methods[k], "own", h);
      const end formed = run(m, methods[k], "dense", h);
      const double v = difference(nv, own[i].v, formed.v) / ga_max_abs(nv, formed.v);
      const double lam = difference(nlam, own[i].lam, formed.lam) / ga_max_abs(nlam, formed.lam);
      if (!(v <= 1e-8 && lam <= 1e-5)) {
        fail_msg("%s, h = %g: v differs by %.2e, lam by %.2e", methods[k], h, v, lam);
      }
    }
    const double v = difference(nv, own[0].v, own[1].v) / difference(nv, own[1].v, own[2].v);
    const double lam =
        difference(nlam, own[0].lam, own[1].lam) / difference(nlam, own[1].lam, own[2].lam);
    if (!(v > 3.2 && v < 4.8 && lam > 3.2 && lam < 4.8)) {
      fail_msg("%s: errors fall by %.2g in v, %.2g in lam", methods[k], v, lam);
    }
  }
  ga_mechanism_free(m);
}

/* Paths of a closed chain may be long, as the own solver is used. Short chains and those with forces between
 * their bodies have a full matrix, unless the solver is asked for. */
static void choice(void **state) {
  (void)state;
  static const struct {
    int links;
    bool forces, own;
    ga_coordinates coordinates;
  } chain[] = {{LINKS, false, true, GA_COORDINATES_JOINT},
               {LONG, false, true, GA_COORDINATES_AUTO},
               {LINKS, true, false, GA_COORDINATES_AUTO},
               {16, false, false, GA_COORDINATES_AUTO}};
  for (int i = 0; i < (int)(sizeof chain / sizeof *chain); i++) {
    ga_mechanism *m = closed_chain(chain[i].links, chain[i].forces, chain[i].coordinates);
    const ga_model *model = ga_mechanism_model(m);
    assert_int_equal(ga_mechanism_coordinates(m, NULL), GA_COORDINATES_JOINT);
    assert_non_null(model->ops->solver);
    assert_int_equal(ga_space_nv(model->space) >= model->ops->solver->least, chain[i].own);
    ga_mechanism_free(m);
  }
  ga_mechanism *m = closed_chain(LONG, true, GA_COORDINATES_AUTO);
  assert_int_equal(ga_mechanism_coordinates(m, NULL), GA_COORDINATES_ABSOLUTE);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(residuals), cmocka_unit_test(motions),
                                     cmocka_unit_test(choice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
