/* SPDX-License-Identifier: MIT */
/* What is refused before a run: parameters out of their range, options that do not go with the
 * method, methods that do not go with the model; and Störmer's parameters, which some can use. */
#include "problems/problems.h"
#include "trajectory.h"

static const ga_params stoermer = {0, 0, 0, 0.5, 0};

/* a key set from text is refused with the parameter and its range */
static void refuse_text(const char *key, const char *text, const char *range) {
  ga_options o = ga_options_default();
  ga_error err = {0};
  assert_refused(ga_options_set(&o, key, text, &err), &err, GA_ERR_ARG, key, range);
}

static void test_ranges(void **state) {
  (void)state;
  const char *const alphas[] = {"-0.34", "0.001", "-1"}, *const rhos[] = {"-0.01", "1.01", "2"};
  for (int i = 0; i < 3; i++) {
    refuse_text("alpha", alphas[i], "-1/3 <= alpha <= 0");
    refuse_text("rho", rhos[i], "0 <= rho <= 1");
  }
  refuse_text("b", "half", "finite number");
}

/* an integrator is refused, with these words */
static void refuse(const char *problem, const ga_options *o, ga_status expected, const char *word,
                   const char *second) {
  ga_problem *p = problem_named(problem);
  ga_integrator *it = NULL;
  ga_error err = {0};
  assert_refused(ga_integrator_new(&p->model, o, &it, &err), &err, expected, word, second);
  assert_null(it);
  ga_problem_free(p);
}

static void accept(const char *problem, const ga_options *o) {
  ga_problem *p = problem_named(problem);
  ga_integrator *it = started(p, o);
  must(ga_integrator_step(it), ga_integrator_error(it));
  ga_integrator_free(it);
  ga_problem_free(p);
}

/* b != 1/2 where errors grow like 1/|1 - 2b|, b = 0 of the midpoint variants, any b of lunk-simeon;
 * elsewhere it is not used */
static void test_b(void **state) {
  (void)state;
  const double bs[] = {0, 0.3, 0.4999, 0.5, 0.5001, 1};
  for (int m = 0; m < METHODS; m++) {
    const ga_method *method = all_methods[m];
    for (int k = 0; k < 6 && ga_method_holonomic(method); k++) {
      ga_options o = ga_options_default();
      use_method(&o, method);
      o.par.b = bs[k];
      bool half = fabs(bs[k] - 0.5) < 1e-3;
      if (method->b_rule == GA_B_NOT_HALF && half) {
        refuse("pendulum-spring", &o, GA_ERR_ARG, "b = 0.", "b < 1/2 or b > 1/2");
      } else if (method->b_rule == GA_B_ZERO && bs[k] != 0) {
        refuse("pendulum-spring", &o, GA_ERR_ARG, "b = ", "allows b = 0 alone");
      } else {
        accept("pendulum-spring", &o);
      }
    }
  }
  assert_int_equal(ga_method_hht.b_rule, GA_B_NOT_HALF);
  assert_int_equal(ga_method_hht_predicted.b_rule, GA_B_NOT_HALF);
  assert_int_equal(ga_method_hht_mid.b_rule, GA_B_ZERO);
  assert_int_equal(ga_method_hht_mid_predicted.b_rule, GA_B_ZERO);
  assert_int_equal(ga_method_hht_lunk_simeon.b_rule, GA_B_FREE);
}

static void test_names(void **state) {
  (void)state;
  ga_options o = ga_options_default();
  o.variant = "mid";
  refuse("heavy-top", &o, GA_ERR_METHOD, "'stab2' has no variants", "'mid'");
  o.method = "hht";
  accept("heavy-top", &o);
  o.variant = "3.6";
  refuse("heavy-top", &o, GA_ERR_METHOD, "no variant '3.6'",
         "3.4, 3.5, mid, mid3.5, lunk-simeon, index2");
  o.variant = "index2";
  refuse("heavy-top", &o, GA_ERR_METHOD, "no rows for holonomic", "take one of: stab2, index3");
  o.variant = "";
  refuse("rolling-disk", &o, GA_ERR_METHOD, "no rows for nonholonomic", "hht --variant index2");
  /* of both kinds */
  refuse("jay-negrut-soi2", &o, GA_ERR_METHOD, "'hht', variant 3.4",
         "take one of: stab2, index3, soi2, index2, index1");
}

/* options that some methods have no use for */
static void test_options(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) {
    const ga_method *method = all_methods[m];
    ga_options o = ga_options_default();
    use_method(&o, method);
    o.mass_at = GA_MASS_PREVIOUS;
    if (method->weighted) {
      accept("oscillator", &o);
    } else {
      refuse("oscillator", &o, GA_ERR_ARG, "mass-at = previous", "soi2, nonhol2");
    }
    o.mass_at = GA_MASS_EVALUATED;
    o.rescale = GA_RESCALE_GAMMA;
    if (method->weighted) {
      refuse("oscillator", &o, GA_ERR_ARG, "rescale = gamma", "use a,v");
    } else {
      accept("oscillator", &o);
    }
    o.rescale = GA_RESCALE_ALL;
    o.start = GA_START_PERTURBED;
    if (method->hidden_free) {
      accept("oscillator", &o);
    } else {
      refuse("oscillator", &o, GA_ERR_ARG, "start = perturbed", "shifted, implicit or plain");
    }
  }
}

/* ---- Störmer: beta = 0, gamma = 1/2 ------------------------------------------------------ */

/* q_1 does not depend on the new acceleration: holonomic constraints need a reaction with a weight
 * of its own, as hht has it */
static void test_stoermer_refused(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) {
    ga_options o = ga_options_default();
    use_method(&o, all_methods[m]);
    o.par = stoermer;
    accept("oscillator", &o);
    if (!ga_method_holonomic(all_methods[m])) continue;
    bool moves = !has_rows(all_methods[m], GA_ROW_POS) || all_methods[m] == &ga_method_stab2;
    if (needs_inverse_mass(all_methods[m])) {
      accept("heavy-top", &o);
    } else if (moves) { /* eta moves the position, but multipliers grow */
      refuse("heavy-top", &o, GA_ERR_ARG, "unstable for constrained systems", "beta > 0.25");
    } else {
      refuse("heavy-top", &o, GA_ERR_ARG, "beta = 0 (Störmer)", "take beta > 0");
    }
  }
}

static void check_stoermer(const char *problem, double t_end, double h) {
  ga_problem *p = problem_named(problem);
  trajectory tr = trajectory_new(p, h / 8, t_end, 4);
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    double e[4][VARS];
    if (p->model.nlam > 0 && !needs_inverse_mass(m)) continue;
    for (int l = 0; l < 4; l++) {
      ga_options o = ga_options_default();
      use_method(&o, m);
      o.par = stoermer;
      o.h = ldexp(h, -l);
      trajectory_errors(&tr, &o, p->t0 + t_end / 4, t_end, e[l]);
      if (l > 0) assert_order_2(&tr, "Störmer", m, e[l - 1], e[l]);
    }
  }
  trajectory_free(&tr);
  ga_problem_free(p);
}

static void test_stoermer_orders(void **state) {
  (void)state;
  check_stoermer("oscillator", 1, 5e-3);
  check_stoermer("heavy-top", 0.05, 5e-4);
  check_stoermer("jay-nonholonomic", 1, 5e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_b),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_stoermer_refused),
      cmocka_unit_test(test_stoermer_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
