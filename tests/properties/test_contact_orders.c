/* SPDX-License-Identifier: MIT */
/* Steps that are cut at changes of contacts have order 2 in q, v and contact forces, for all rho_inf. */
#include "contact_scenes.h"

/* Orders over two halvings of h: errors at the end of q, v and forces N, against a run of stab2 with h/32. */
typedef struct {
  const scene *scene;
  double h;
} orders;

static void end_of_run(const scene *s, const ga_options *o, double out[3][MOST_V]) {
  run r;
  run_scene(&r, s, o);
  const ga_state *x = ga_integrator_state(r.it);
  memset(out, 0, 3 * sizeof out[0]);
  memcpy(out[0], x->q, (size_t)s->n * sizeof(double));
  memcpy(out[1], x->v, (size_t)s->n * sizeof(double));
  for (int i = 0; i < s->ncontacts; i++) {
    const ga_contact_state c = ga_integrator_contact(r.it, i);
    out[2][i] = c.normal + hypot(c.friction[0], c.friction[1]);
  }
  close_run(&r);
}

static void test_orders(void **state) {
  (void)state;
  static const orders of[] = {
      {&pendulum_scene, 0.01}, {&double_scene, 0.01}, {&limit_scene, 0.0025},
      {&driven_scene, 0.01},   {&push_scene, 0.01},   {&jerk_scene, 0.01},
      {&curve_scene, 0.01},    {&block_scene, 0.005}, {&rod_scene, 0.0025}};
  static const struct {
    const char *method;
    double rho;
  } with[] = {{"stab2", 0},  {"stab2", 0.5},  {"stab2", 0.9}, {"stab2", 1},
              {"index3", 0}, {"index3", 0.5}, {"index3", 0.9}};
  static const char *const what[] = {"q", "v", "force"};
  int failed = 0;
  for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
    double end[3][3][MOST_V], exact[3][MOST_V];
    ga_options fine = scene_options(of[n].scene, "stab2", 0.9, of[n].h / 32);
    fine.rest_time = 1e-9;
    end_of_run(of[n].scene, &fine, exact);
    for (size_t m = 0; m < sizeof with / sizeof with[0]; m++) {
      for (int i = 0; i < 3; i++) {
        ga_options o = scene_options(of[n].scene, with[m].method, with[m].rho, ldexp(of[n].h, -i));
        o.rest_time = 1e-9;
        end_of_run(of[n].scene, &o, end[i]);
      }
      for (int w = 0; w < 3; w++) {
        double err[3] = {0}, size = 0;
        for (int i = 0; i < MOST_V; i++) {
          size = fmax(size, fabs(exact[w][i]));
          for (int k = 0; k < 3; k++) err[k] = fmax(err[k], fabs(end[k][w][i] - exact[w][i]));
        }
        if (err[2] <= 1e-8 * fmax(size, 1)) continue; /* exact, or no force */
        const double slope = log2(err[0] / err[2]) / 2;
        /* a force is that of one step, whose size relative to the cuts changes with h */
        const bool good = slope >= (w < 2 ? 1.9 : 1.8) && slope <= (w < 2 ? 2.15 : 2.7);
        if (!good) {
          print_message("%s, %s, rho %g: order of %s %.3f (errors %.2g %.2g %.2g)\n",
                        of[n].scene->name, with[m].method, with[m].rho, what[w], slope, err[0],
                        err[1], err[2]);
        }
        failed += !good;
      }
    }
  }
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
