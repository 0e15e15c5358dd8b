/* SPDX-License-Identifier: MIT */
/* What a step may be accepted with: forces that cannot balance are refused, however small the
 * positions they move; rounding of large velocities is not taken for a failure. */
#include "own_solver.h"
#include "support.h"

/* ---- forces without a balance ------------------------------------------------------------ */

/* M v' = F(q), where F points away from the place the motion goes to: F = -load if q > wall, else
 * load. At rest on the wall no v' is a solution: it leads to the other side. With a tangent of
 * zero, which is right almost everywhere, or by difference quotients, which see a stiff spring. */
static struct {
  double load, wall;
  int n;
} jump;

static int jump_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < jump.n; i++) M->val[i * jump.n + i] = 1;
  return 0;
}
/* the last coordinate; the others hang on soft springs */
static int jump_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)v;
  for (int i = 0; i < jump.n - 1; i++) F[i] = -q[i];
  F[jump.n - 1] = q[jump.n - 1] > jump.wall ? -jump.load : jump.load;
  return 0;
}
static int jump_tangents(void *user, double t, const double *q, const double *v, const double *x,
                         const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)user, (void)t, (void)q, (void)v, (void)x, (void)lam, (void)psi, (void)Ct;
  for (int i = 0; i < jump.n - 1; i++) Kt->val[i * jump.n + i] = 1;
  return 0;
}
/* the first two coordinates on a rod */
static int jump_rod(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}
static int jump_rod_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  G->val[0] = q[0], G->val[1] = q[1];
  return 0;
}

/* Steps from 1e-2 to 1e-8, loads from 1e-3 to 1e6: beta h^2 load, the way between the two sides, is
 * between 1e2 and 1e-19, mostly far below what a test of positions could see. */
static void test_no_balance(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3", "soi2", "hht"};
  for (int k = 0; k < 32; k++) {
    bool exact = k % 2, constrained = k / 2 % 2;
    ga_model_ops ops = {.mass = jump_mass,
                        .force = jump_force,
                        .holonomic = constrained ? jump_rod : NULL,
                        .holonomic_jac = constrained ? jump_rod_jac : NULL,
                        .force_tangents = exact && !constrained ? jump_tangents : NULL};
    const double q0[3] = {1, 0, 0}, v0[3] = {0, 0, 0};
    jump.n = constrained ? 3 : k / 4 % 2 ? 1 : 3;
    jump.wall = 0;
    ga_space *space = NULL;
    must(ga_space_rn(jump.n, &space), NULL);
    ga_model model = {
        .ops = &ops, .space = space, .nlam = constrained, .const_mass = true, .scleronomic = true};
    for (double h = 1e-2; h > 5e-9; h /= 10) {
      for (jump.load = 1e-3; jump.load < 2e6; jump.load *= 1e3) {
        ga_options o = ga_options_default();
        o.method = methods[k / 8];
        o.start = GA_START_PLAIN;
        o.h = h;
        ga_integrator *it = NULL;
        ga_error err = {0};
        must(ga_integrator_new(&model, &o, &it, &err), &err);
        must(ga_integrator_start(it, 0, jump.n == 1 ? q0 + 2 : q0, v0), ga_integrator_error(it));
        const ga_state *s = ga_integrator_state(it);
        const double before[3] = {s->q[jump.n - 1], s->v[jump.n - 1], s->vd[jump.n - 1]};
        assert_true(before[0] == 0 && before[2] == jump.load);
        ga_status status = ga_integrator_step(it);
        if (status != GA_RETRY_NEWTON) {
          fail_msg("%s, h = %g, load %g: %s; v' = %g at q = %g", o.method, h, jump.load,
                   ga_status_name(status), s->vd[jump.n - 1], s->q[jump.n - 1]);
        }
        const double after[3] = {s->q[jump.n - 1], s->v[jump.n - 1], s->vd[jump.n - 1]};
        assert_memory_equal(before, after, sizeof before);
        assert_true(s->t == 0);
        assert_int_equal(ga_integrator_stats(it)->steps, 0);
        assert_int_equal(ga_integrator_stats(it)->roundoff, 0);
        assert_int_equal(ga_integrator_stats(it)->failed, 1);
        ga_integrator_free(it);
      }
    }
    ga_space_free(space);
  }
}

/* ---- a solver that is always off --------------------------------------------------------- */

/* own_solver, but for an error of one entry of every solution: always the same, or with changing
 * sign. The increments of Newton's iteration then tell nothing, or stay as they are. */
static struct {
  double size;
  int entry, calls;
  bool changes;
} off;

static ga_status off_solve(ga_linsol *ls, double *b) {
  ga_status status = own_solve(ls, b);
  if (off.size == 0) return status; /* the start is undisturbed */
  b[off.entry] += off.changes && off.calls++ % 2 ? -off.size : off.size;
  return status;
}

/* a pendulum of mass 2 and length 1 */
static int swing_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 2;
  return 0;
}
static int swing_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = 0, F[1] = -2 * 9.81;
  return 0;
}
static const ga_model_ops swing_ops = {
    .mass = swing_mass, .force = swing_force, .holonomic = jump_rod, .holonomic_jac = jump_rod_jac};

/* An accepted step solves its equations, whatever the solver did: M v' - F + G^T lam = 0 to 1e-8 of
 * its terms, and the constraints that the method enforces to 1e-11 (1 + |q|). */
static void assert_solved(const ga_state *s, bool position, bool velocity) {
  const double terms = 30, unseen = 2.1e-11;
  double g, gv = s->q[0] * s->v[0] + s->q[1] * s->v[1];
  jump_rod(NULL, s->t, s->q, &g);
  double f0 = 2 * s->vd[0] + s->q[0] * s->lam[0];
  double f1 = 2 * s->vd[1] + 2 * 9.81 + s->q[1] * s->lam[0];
  if (fmax(fabs(f0), fabs(f1)) > 1e-8 * terms || (position && fabs(g) > unseen) ||
      (velocity && fabs(gv) > unseen)) {
    fail_msg("accepted with residuals %g, %g; g = %g, G v = %g", f0, f1, g, gv);
  }
}

/* one step for every size of the error and every entry of the solution it may be in; returns how
 * many were refused */
static int steps_off(bool changes) {
  static const struct {
    const char *method;
    int rows;
    bool position, velocity;
  } kinds[] = {{"stab2", 4, true, true}, {"index3", 3, true, false}, {"index2", 3, false, true}};
  const double q0[2] = {1, 0}, v0[2] = {0, 1};
  ga_linsol_ops ops = own_solver;
  ga_space *space = NULL;
  int refused = 0;
  ops.solve = off_solve;
  must(ga_space_rn(2, &space), NULL);
  ga_model model = {
      .ops = &swing_ops, .space = space, .nlam = 1, .const_mass = true, .scleronomic = true};
  for (int k = 0; k < 3 * 4 * 10; k++) {
    int kind = k / 40, entry = k / 10 % 4;
    if (entry >= kinds[kind].rows) continue;
    own_counts counts = {0};
    ga_options o = ga_options_default();
    o.method = kinds[kind].method;
    o.linsol_ops = &ops;
    o.linsol_context = &counts;
    ga_integrator *it = NULL;
    ga_error err = {0};
    off.size = 0;
    off.entry = entry;
    off.changes = changes;
    must(ga_integrator_new(&model, &o, &it, &err), &err);
    must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
    off.size = pow(10, -k % 10);
    ga_status status = ga_integrator_step(it);
    if (status == GA_OK) {
      assert_solved(ga_integrator_state(it), kinds[kind].position, kinds[kind].velocity);
    } else {
      assert_int_equal(status, GA_RETRY_NEWTON);
      refused++;
    }
    ga_integrator_free(it);
  }
  ga_space_free(space);
  return refused;
}

static void test_solver_off(void **state) {
  (void)state;
  assert_true(steps_off(true) >= 20);
  assert_true(steps_off(false) >= 20);
}

/* ---- rounding of large velocities -------------------------------------------------------- */

/* Two unit masses on a rod of length 1 that turns by 1 rad/s and flies along with a speed that
 * makes G v, the difference of two velocities, a rounding error of 1e-9; divided by a step of 1e-6
 * this is a thousand times newton_tol of the accelerations, which are 1/2. Only the size of the
 * velocities can tell that no iteration makes it smaller. */
static int pair_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < 4; i++) M->val[5 * i] = 1;
  return 0;
}
static int pair_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  memset(F, 0, 4 * sizeof *F);
  return 0;
}
static int pair_row(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  double x = q[2] - q[0], y = q[3] - q[1];
  g[0] = (x * x + y * y - 1) / 2;
  return 0;
}
static int pair_row_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  double x = q[2] - q[0], y = q[3] - q[1];
  G->val[0] = -x, G->val[1] = -y, G->val[2] = x, G->val[3] = y;
  return 0;
}

static void test_fast_pair(void **state) {
  (void)state;
  static const char *const methods[] = {"index2", "stab2", "index3", "soi2"};
  const double eps = 2.2e-16, h = 1e-6;
  ga_space *space = NULL;
  must(ga_space_rn(4, &space), NULL);
  for (int k = 0; k < 4 * 2 * 3; k++) {
    bool differences = k / 4 % 2;
    const double speed = pow(10, 5 + k / 8);
    ga_model_ops ops = {.mass = pair_mass, .force = pair_force, .holonomic = pair_row};
    if (!differences) ops.holonomic_jac = pair_row_jac;
    ga_model model = {
        .ops = &ops, .space = space, .nlam = 1, .const_mass = true, .scleronomic = true};
    ga_options o = ga_options_default();
    o.method = methods[k % 4];
    o.h = h;
    ga_integrator *it = NULL;
    ga_error err = {0};
    must(ga_integrator_new(&model, &o, &it, &err), &err);
    const double q0[4] = {-0.5, 0, 0.5, 0}, v0[4] = {speed, -0.5, speed, 0.5};
    must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
    const int steps = 200;
    const ga_state *s = ga_integrator_state(it);
    if (!differences) assert_near("lam at the start", s->lam[0], 0.5, 1e-7);
    for (int n = 1; n <= steps; n++) must(ga_integrator_step(it), ga_integrator_error(it));
    /* v_2 - v_1 = (-sin t, cos t): as good as the speed lets it be, or, where positions or
     * differences of them say what it is, as their rounding lets it be: among speeds near to these
     * up to 16 roundings of a position over h, also with an exact drift at the start */
    double t = steps * h, way = speed * t, noise = 4 * eps * speed;
    if (strcmp(o.method, "index3") == 0) noise += 20 * eps * way / h;
    if (differences) noise += eps * way / 7.4e-4 * speed;
    double error = fmax(fabs(s->v[2] - s->v[0] + sin(t)), fabs(s->v[3] - s->v[1] - cos(t)));
    if (!(error <= noise)) fail_msg("%s, speed %g: %g > %g", o.method, speed, error, noise);
    assert_true(ga_integrator_stats(it)->newton_its <= steps * (differences ? 6 : 3));
    assert_near("speed", (s->v[0] + s->v[2]) / 2, speed, 4 * eps);
    ga_integrator_free(it);
  }
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_balance),
      cmocka_unit_test(test_solver_off),
      cmocka_unit_test(test_fast_pair),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
