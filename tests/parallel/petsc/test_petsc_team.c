/* SPDX-License-Identifier: MIT */
/* The integrator on a team over MPI with the solver on PETSc, against one process without a
 * team. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the standard headers */
#include <cmocka.h>
#include <genalpha/ga_mpi.h>
#include <genalpha/ga_petsc.h>
#include <mpi.h>

#include "team_run.h"

static int process, size;

static run_result alone(const whole_system *s, const run_case *c) {
  subdomain_model *whole = subdomain_new(s, 0, 1, false);
  run_result out = run_subdomain(whole, c, NULL);
  subdomain_free(whole);
  return out;
}

/* multipliers of the processes before this one */
static int lam_before(const subdomain_model *p) {
  int mine = p->model.nlam, before = 0;
  MPI_Exscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return process == 0 ? 0 : before;
}

typedef struct {
  double qv, lam;
} limits;

static void assert_agrees(const whole_system *s, const run_case *c, const char *options,
                          limits allowed) {
  ga_petsc_context petsc = {.options = options};
  ga_error err = {0};
  ga_team *team = NULL;
  run_result whole = alone(s, c);
  subdomain_model *subdomain = subdomain_new(s, process, size, process % 2 == 1);
  ga_status status = ga_mpi_team_world(PER * subdomain->nbody, subdomain->velocity, &team, &err);
  if (status != GA_OK) fail_msg("%s", err.text);
  team->linsol = &ga_petsc_linsol;
  team->linsol_context = &petsc;
  run_result out = run_subdomain(subdomain, c, team);
  if (out.status != whole.status) {
    fail_msg("%s, %s: %s", c->options.method, options, out.error.text);
  }
  subdomain_errors e = run_compare(subdomain, &out, &whole, lam_before(subdomain));
  if (!(e.q <= allowed.qv && e.v <= allowed.qv && e.lam <= allowed.lam)) {
    fail_msg("%s, %d bodies: errors %g in q, %g in v, %g in lam", c->options.method, s->n, e.q, e.v,
             e.lam);
  }
  assert_int_equal(out.stats.steps, whole.stats.steps);
  assert_int_equal(out.stats.events, whole.stats.events);
  if (process == 0) {
    print_message(
        "%d bodies, %s: %ld Newton iterations, %ld alone; %.1f of FGMRES each, %d at most\n", s->n,
        c->options.method, out.stats.newton_its, whole.stats.newton_its,
        (double)petsc.iterations / (double)petsc.solves, petsc.most);
  }
  run_free(&out);
  run_free(&whole);
  ga_mpi_team_free(team);
  subdomain_free(subdomain);
}

static const limits strict = {1e-10, 1e-8};
/* index3 divides the rounding of positions by h^2: lam of two runs differs by that */
static const limits loose = {1e-8, 1e-4};

static run_case plain(const char *method, long steps) {
  run_case c = {.options = ga_options_default(), .level = NAN};
  c.options.method = method;
  c.options.h = 1e-3;
  c.t_end = 1e-3 * (double)steps;
  return c;
}

static void test_systems(void **state) {
  (void)state;
  whole_system systems[] = {whole_chain(1000), whole_net(32, 1), whole_net(8, 8)};
  for (int k = 0; k < 3; k++) {
    run_case stab2 = plain("stab2", 10), index3 = plain("index3", 10);
    assert_agrees(&systems[k], &stab2, NULL, strict);
    assert_agrees(&systems[k], &index3, NULL, loose);
    whole_system_free(&systems[k]);
  }
}

static void test_direct(void **state) {
  (void)state;
  whole_system s = whole_net(12, 1);
  run_case c = plain("stab2", 10);
  assert_agrees(&s, &c, "-pc_type lu", strict);
  whole_system_free(&s);
}

/* automatic steps, and an event that ends the run */
static void test_automatic(void **state) {
  (void)state;
  whole_system s = whole_net(6, 2);
  run_case c = plain("stab2", 200);
  c.options.rtol = 1e-4, c.options.atol = 1e-6, c.options.matrix_every = 1;
  c.level = -0.05, c.watched = PER * 35 + 2, c.terminal = true;
  assert_agrees(&s, &c, "-backward 1e-13", strict);
  whole_system_free(&s);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_systems),
      cmocka_unit_test(test_direct),
      cmocka_unit_test(test_automatic),
  };
  int failed = cmocka_run_group_tests_name("petsc_team", tests, NULL, NULL);
  /* a process that failed alone must not leave the others waiting */
  if (failed > 0) MPI_Abort(MPI_COMM_WORLD, 1);
  ga_petsc_close();
  MPI_Finalize();
  return failed;
}
