/* SPDX-License-Identifier: MIT */
/* Which linear solver the steps use, for reports: the one that was asked for, or the choice of "auto"
 * with its reason; a solver of the user's own without a name has an empty one. */
#include "own_solver.h"
#include "problems/problems.h"
#include "support.h"

static ga_integrator *integrator_with(const ga_problem *p, const ga_options *o) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(&p->model, o, &it, &err), &err);
  return it;
}

static void by_name_and_by_choice(void **state) {
  (void)state;
  static const char *const names[] = {"dense", "klu"};
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  for (int i = 0; i < 2; i++) {
    o.linsol = names[i];
    ga_integrator *it = integrator_with(p, &o);
    assert_string_equal(ga_integrator_linsol(it), names[i]);
    ga_integrator_free(it);
  }
  o.linsol = "auto";
  ga_integrator *it = integrator_with(p, &o);
  assert_string_not_equal(ga_integrator_linsol(it), "auto");
  assert_true(strlen(ga_integrator_linsol(it)) > 0);
  assert_true(strlen(ga_integrator_linsol_why(it)) > 0);
  ga_integrator_free(it);
  ga_problem_free(p);
}

static void without_a_name(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  own_counts counts = {0};
  ga_linsol_ops nameless = own_solver;
  nameless.name = NULL;
  ga_options o = ga_options_default();
  o.linsol_ops = &nameless;
  o.linsol_context = &counts;
  ga_integrator *it = integrator_with(p, &o);
  assert_string_equal(ga_integrator_linsol(it), "");
  ga_integrator_free(it);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_name_and_by_choice),
      cmocka_unit_test(without_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
