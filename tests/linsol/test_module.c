/* SPDX-License-Identifier: MIT */
/* The solver of a module in a process with MPI: refused with the reason, "auto" takes another. This
 * program exports a symbol of MPI, as one that is linked to it does. */
#include "linsol/module.h"

#include "linsol/registry.h"
#include "problems/problems.h"
#include "support.h"

GA_API int MPI_Init(void);
int MPI_Init(void) {
  return 0;
}

static void test_mpi(void **state) {
  (void)state;
  char trouble[120] = "";
  bool built = strstr(ga_capabilities(), "mumps") != NULL;
  assert_false(ga_mumps_available(trouble, sizeof trouble));
  assert_non_null(strstr(trouble, built ? "in a process that has MPI" : "it is not built in"));
  ga_problem_options size = ga_problem_options_default();
  ga_problem *p = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_options o = ga_options_default();
  size.size = 12;
  must(ga_problem_new("net", &size, &p, &err), &err);
  o.linsol = "mumps";
  assert_refused(ga_integrator_new(&p->model, &o, &it, &err), &err, GA_ERR_BACKEND,
                 built ? "in a process that has MPI" : "built without MUMPS", NULL);
  o.linsol = "auto";
  must(ga_integrator_new(&p->model, &o, &it, &err), &err);
  assert_non_null(strstr(ga_integrator_linsol_why(it), built ? "but the sequential" : "but it is"));
  must(ga_integrator_start(it, 0, p->q0, p->v0), ga_integrator_error(it));
  must(ga_integrator_step(it), ga_integrator_error(it));
  ga_integrator_free(it);
  ga_problem_free(p);
}

/* a module that is nowhere, and a symbol no module has */
static void test_missing(void **state) {
  (void)state;
  char trouble[160] = "";
  assert_null(ga_module_symbol("libgenalpha_nothing.so", "x", trouble, sizeof trouble));
  assert_string_equal(trouble, "module libgenalpha_nothing.so is not installed");
  assert_null(ga_module_symbol("libgenalpha_mumps.so", "x", trouble, sizeof trouble));
  assert_non_null(strstr(trouble, "libgenalpha_mumps.so"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mpi),
      cmocka_unit_test(test_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
