/* SPDX-License-Identifier: MIT */
/* Steps that are cut at changes of contacts have order 2 in q, v and contact forces, for all rho_inf: every
 * benchmark that is not exact with any step, every method with rows for contacts, rho_inf 0, 0.5, 0.9 (stab2:
 * 1, too), two halvings of h.
 *
 *     properties_contact_orders print    the slopes of all cells
 *
 * Errors are root mean squares over all steps of a run, those within the largest h of a change left out: there the
 * changes of two runs are not at the same time. (With rho_inf = 1 every second force errs to the same side, so a
 * sample of them would not do.) The reference is stab2 with rho_inf = 0.9 and the least h over 16. */
#include <stdlib.h>

#include "contact_scenes.h"

enum { MOST_TIMES = 22000, VALUES = 3 * MOST_V };

/* q, v and contact forces at multiples of `step`; changes. */
typedef struct {
  double step;
  int n, nchange;
  double value[MOST_TIMES][VALUES], change[400];
} motion;

static bool run_motion(const scene *s, const ga_options *o, double step, motion *m) {
  run r;
  m->step = step;
  m->n = (int)floor(s->t_end / step + 1e-9);
  if (m->n > MOST_TIMES) m->n = MOST_TIMES;
  open_run(&r, s, o);
  memset(m->value, 0, sizeof m->value);
  ga_status status = GA_OK;
  for (int i = 0; i < m->n && status == GA_OK; i++) {
    status = ga_integrator_run(r.it, (i + 1) * step);
    const ga_state *x = ga_integrator_state(r.it);
    for (int k = 0; k < s->n; k++) m->value[i][k] = x->q[k], m->value[i][MOST_V + k] = x->v[k];
    for (int k = 0; k < s->ncontacts; k++) {
      const ga_contact_state c = ga_integrator_contact(r.it, k);
      m->value[i][2 * MOST_V + k] = c.normal;
      m->value[i][2 * MOST_V + s->ncontacts + k] = hypot(c.friction[0], c.friction[1]);
    }
  }
  if (status != GA_OK) print_message("%s: %s\n", s->name, ga_integrator_error(r.it)->text);
  m->nchange = r.nchange;
  for (int i = 0; i < r.nchange; i++) m->change[i] = r.change[i].t;
  close_run(&r);
  return status == GA_OK;
}

static bool beside_a_change(const motion *m, double t, double h) {
  for (int i = 0; i < m->nchange; i++) {
    if (fabs(m->change[i] - t) <= h) return true;
  }
  return false;
}

/* error[w] <- root mean square of q (0), v (1), forces (2); size: of the reference. h: the largest step. */
static void compare(const motion *a, const motion *exact, double h, double *error, double *size) {
  const int every = (int)round(a->step / exact->step);
  for (int w = 0; w < 3; w++) {
    double sum = 0, whole = 0;
    int n = 0;
    for (int i = 0; i < a->n; i++) {
      const double *x = a->value[i], *y = exact->value[(i + 1) * every - 1];
      if (beside_a_change(exact, (i + 1) * a->step, h)) continue;
      n++;
      for (int k = w * MOST_V; k < (w + 1) * MOST_V; k++) {
        sum += pow(x[k] - y[k], 2), whole += pow(y[k], 2);
      }
    }
    error[w] = sqrt(sum / n), size[w] = sqrt(whole / n);
  }
}

static const struct {
  const char *method;
  double rho;
} with[] = {{"stab2", 0},  {"stab2", 0.5},  {"stab2", 0.9}, {"stab2", 1},
            {"index3", 0}, {"index3", 0.5}, {"index3", 0.9}};
static const char *const what[] = {"q", "v", "force"};
static bool say = false;

enum { ANY_RHO, NOT_ZERO, ZERO };

/* Slopes of one scene with some rho_inf; returns how many are wrong. h: the largest step. */
static int check_scene(const scene *s, double h, int which) {
  static motion exact, coarse[3];
  int wrong = 0;
  ga_options fine = scene_options(s, "stab2", 0.9, ldexp(h, -6));
  fine.rest_time = 1e-9;
  if (!run_motion(s, &fine, h / 4, &exact)) return 1;
  for (size_t m = 0; m < sizeof with / sizeof with[0]; m++) {
    double error[3][3], size[3];
    bool ran = true;
    if (which != ANY_RHO && (with[m].rho == 0) != (which == ZERO)) continue;
    for (int i = 0; i < 3; i++) {
      ga_options o = scene_options(s, with[m].method, with[m].rho, ldexp(h, -i));
      o.rest_time = 1e-9;
      ran = run_motion(s, &o, o.h, &coarse[i]) && ran;
      compare(&coarse[i], &exact, h, error[i], size);
    }
    for (int w = 0; w < 3; w++) {
      const bool none = error[2][w] <= 1e-10 * size[w]; /* exact, or no force */
      const double first = log2(error[0][w] / error[1][w]),
                   second = log2(error[1][w] / error[2][w]);
      const double slope = (first + second) / 2;
      const bool good = ran && (none || (slope >= 1.9 && slope <= 2.1));
      if (say || !good) {
        print_message("%-24s %-6s %.1f %-5s %s %.3f (%.3f, %.3f) errors %.2g %.2g %.2g%s\n",
                      s->name, with[m].method, with[m].rho, what[w], none ? "exact" : "slope",
                      slope, first, second, error[0][w], error[1][w], error[2][w],
                      good ? "" : " WRONG");
      }
      wrong += !good;
    }
  }
  return wrong;
}

static void test_orders(void **state) {
  (void)state;
  static scene crank, spin, seven;
  crank = crank_scene(0.0088), spin = spin4_scene();
  seven =
      woodpecker_scene; /* with rho_inf = 0 its forces need smaller steps: seven of its changes */
  seven.t_end = 0.083;
  const struct {
    const scene *scene;
    double h;
    int which;
  } of[] = {{&pendulum_scene, 0.01, ANY_RHO},
            {&double_scene, 0.01, ANY_RHO},
            {&limit_scene, 0.0025, ANY_RHO},
            {&driven_scene, 0.01, ANY_RHO},
            {&push_scene, 0.01, ANY_RHO},
            {&jerk_scene, 0.01, ANY_RHO},
            {&curve_scene, 0.01, ANY_RHO},
            {&stop_scene, 0.01, ANY_RHO},
            {&block_scene, 0.005, ANY_RHO},
            {&rod_scene, 0.0025, ANY_RHO},
            {&spin, 0.01, ANY_RHO},
            {&crank, 1e-5, ANY_RHO},
            {&woodpecker_scene, 1.25e-4, NOT_ZERO},
            {&seven, 1.5625e-5, ZERO}};
  int wrong = 0;
  for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
    wrong += check_scene(of[n].scene, of[n].h, of[n].which);
  }
  assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
  say = argc > 1 && strcmp(argv[1], "print") == 0;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
