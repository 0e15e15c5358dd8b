/* SPDX-License-Identifier: MIT */
/* A team over MPI, started by mpiexec with any number of processes:
 *
 *   test_mpi compare      runs of subdomains against the run of the whole on process 0
 *   test_mpi faults N     N random faults: one status, one message, no deadlock
 *   test_mpi counts       messages and bytes against what the sharing predicts
 *   test_mpi messages     wrong numbers of velocities
 *   test_mpi cost [SIZE]  CPU time of residuals and matrices on a net, printed */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "genalpha/ga_mpi.h"
#include "team_run.h"

static int process, size, bad;

static void expect(bool good, const char *what) {
  if (good) return;
  fprintf(stderr, "process %d of %d: %s\n", process, size, what);
  bad = 1;
}

typedef struct {
  const char *name;
  whole_system (*make)(void);
  const char *method;
  double h, t_end, rtol, level;
  long watched;
  bool terminal;
  double qv, lam; /* allowed differences */
} named_case;

static whole_system chain_1000(void) {
  return whole_chain(1000);
}
static whole_system net_32(void) {
  return whole_net(32, 1);
}
static whole_system lattice_8(void) {
  return whole_net(8, 8);
}
static whole_system chain_30(void) {
  return whole_chain(30);
}

/* index3 divides the rounding of positions by h^2: lam differs by that */
static const named_case cases[] = {
    {"chain 1000", chain_1000, "stab2", 1e-3, 0.03, 0, NAN, 0, false, 1e-10, 1e-8},
    {"chain 1000", chain_1000, "index3", 1e-3, 0.03, 0, NAN, 0, false, 1e-10, 1e-4},
    {"net 32", net_32, "stab2", 1e-3, 0.04, 0, NAN, 0, false, 1e-10, 1e-8},
    {"net 32", net_32, "index3", 1e-3, 0.04, 0, NAN, 0, false, 1e-10, 1e-4},
    {"lattice 8", lattice_8, "stab2", 1e-3, 0.04, 0, NAN, 0, false, 1e-10, 1e-8},
    {"lattice 8", lattice_8, "index3", 1e-3, 0.04, 0, NAN, 0, false, 1e-10, 1e-4},
    {"chain 30", chain_30, "index2", 1e-3, 0.03, 0, NAN, 0, false, 1e-10, 1e-8},
    {"chain 30", chain_30, "index1", 1e-3, 0.03, 0, NAN, 0, false, 1e-10, 1e-8},
    {"automatic chain 1000", chain_1000, "stab2", 1e-3, 0.05, 1e-4, NAN, 0, false, 1e-10, 1e-7},
    {"automatic net 32", net_32, "stab2", 1e-3, 0.1, 1e-4, NAN, 0, false, 1e-10, 1e-8},
    {"automatic lattice 8", lattice_8, "stab2", 1e-3, 0.04, 1e-4, NAN, 0, false, 1e-10, 1e-8},
    {"event in chain 30", chain_30, "stab2", 1e-3, 0.1, 0, -0.03, 3 * 20 + 1, false, 1e-10, 1e-8},
    {"end of chain 30", chain_30, "stab2", 1e-3, 0.1, 1e-4, -0.03, 3 * 20 + 1, true, 1e-10, 1e-8},
};
enum { CASES = (int)(sizeof cases / sizeof cases[0]) };

/* the factors at hand take part in the estimate of errors: with automatic steps each has its own */
static run_case case_of(const named_case *c) {
  run_case out = {.options = ga_options_default(), .t_end = c->t_end, .level = c->level};
  out.options.method = c->method;
  out.options.h = c->h;
  out.options.rtol = c->rtol, out.options.atol = c->rtol / 100;
  if (c->rtol > 0) out.options.matrix_every = 1, out.options.newton_tol = 1e-12;
  out.watched = c->watched, out.terminal = c->terminal;
  return out;
}

/* process 0 runs the whole without a team, all get the result */
static run_result run_whole(const whole_system *s, const run_case *c) {
  run_result out = {0};
  subdomain_model *whole = subdomain_new(s, 0, 1, false);
  if (process == 0) out = run_subdomain(whole, c, NULL);
  subdomain_free(whole);
  MPI_Bcast(&out, (int)sizeof out, MPI_BYTE, 0, MPI_COMM_WORLD);
  double **const all[] = {&out.q, &out.v, &out.lam};
  const int n[] = {out.nv, out.nv, out.nlam};
  for (int k = 0; k < 3; k++) {
    if (process != 0) *all[k] = malloc(((size_t)n[k] + 1) * sizeof(double));
    MPI_Bcast(*all[k], n[k], MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  return out;
}

static ga_team *team_of(const subdomain_model *p) {
  ga_team *team = NULL;
  ga_error err = {0};
  if (ga_mpi_team_new(MPI_COMM_WORLD, PER * p->nbody, p->velocity, &team, &err) != GA_OK) {
    fprintf(stderr, "process %d: %s\n", process, err.text);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return team;
}

static void compare(const named_case *c) {
  whole_system s = c->make();
  run_case run = case_of(c);
  run_result whole = run_whole(&s, &run);
  subdomain_model *p = subdomain_new(&s, process, size, process % 2);
  ga_team *team = team_of(p);
  int before = 0, own = p->model.nlam;
  MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (process == 0) before = 0;
  run_result out = run_subdomain(p, &run, team);
  expect(out.status == whole.status, out.error.text);
  expect(out.stats.steps == whole.stats.steps, "another number of steps");
  expect(out.stats.events == whole.stats.events, "another number of events");
  subdomain_errors e = {0, 0, 0};
  if (out.q && out.status == whole.status) e = run_compare(p, &out, &whole, before);
  double all[3] = {e.q, e.v, e.lam};
  MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (process == 0) {
    printf("%-20s %-7s %3ld steps, %ld and %ld iterations: q %.1e v %.1e lam %.1e\n", c->name,
           c->method, out.stats.steps, whole.stats.newton_its, out.stats.newton_its, all[0], all[1],
           all[2]);
  }
  expect(all[0] <= c->qv && all[1] <= c->qv && all[2] <= c->lam, "results differ");
  run_free(&whole);
  run_free(&out);
  ga_mpi_team_free(team);
  subdomain_free(p);
  whole_system_free(&s);
}

/* ---- faults ------------------------------------------------------------------------------------
 */

static unsigned long seed = 4711;

static long random_below(long n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (long)((seed >> 33) % (unsigned long)n);
}

/* all processes have the same status, and one of them, or all, the message itself */
static void check_message(const run_result *out, int trial) {
  char report[32];
  int lowest = out->status, highest = out->status, speaks = 1;
  for (int r = 0; r < size; r++) {
    snprintf(report, sizeof report, "process %d failed: ", r);
    if (strstr(out->error.text, report)) speaks = 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &speaks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char what[700];
  snprintf(what, sizeof what, "trial %d: status %d, others %d to %d, %d processes speak: %s", trial,
           out->status, lowest, highest, speaks, out->error.text);
  expect(lowest == highest && (out->status == GA_OK || speaks == 1 || speaks == size), what);
}

static void faults(int trials) {
  int failed = 0;
  for (int trial = 0; trial < trials; trial++) {
    whole_system s = trial % 2 ? whole_net(4, 1) : whole_chain(12);
    subdomain_model *p = subdomain_new(&s, process, size, false);
    run_case c = {.options = ga_options_default(), .t_end = 0.01, .level = NAN};
    c.options.method = trial % 3 ? "stab2" : "index3";
    if (trial % 5 == 0) c.options.rtol = 1e-4, c.options.atol = 1e-6, c.options.h_min = 1e-5;
    long who = random_below(size), from = random_below(25),
         fault = 1 + random_below(FAULT_SINGULAR);
    if (process == who) {
      p->fault = (subdomain_fault)fault;
      p->fault_from = from, p->fault_to = 1000000;
    }
    ga_team *team = team_of(p);
    run_result out = run_subdomain(p, &c, team);
    check_message(&out, trial);
    failed += out.status != GA_OK;
    run_free(&out);
    ga_mpi_team_free(team);
    subdomain_free(p);
    whole_system_free(&s);
  }
  if (process == 0)
    printf("%d of %d faults ended the run, on all %d processes\n", failed, trials, size);
  expect(2 * failed > trials, "faults are not found");
}

/* ---- messages -----------------------------------------------------------------------------------
 */

static void refuse(int nv, const long *velocity, const char *text) {
  ga_team *team = NULL;
  ga_error err = {0};
  ga_status status = ga_mpi_team_new(MPI_COMM_WORLD, nv, velocity, &team, &err);
  expect(status == GA_ERR_ARG && !team, "numbers are not refused");
  expect(strstr(err.text, text) || strstr(err.text, "another process"), err.text);
}

static void messages(void) {
  const long twice[] = {0, 1, 1}, gap[] = {0, 2}, negative[] = {0, -1};
  refuse(3, twice, "two velocities of the same number");
  refuse(2, gap, "belong to no process");
  refuse(2, process == 0 ? negative : gap, "less than 0");
  refuse(1, NULL, "no numbers");
}

/* ---- counts
 * -------------------------------------------------------------------------------------- */

/* Every exchange sends one message to each neighbour, 8 bytes for each vector of each velocity that
 * is shared with it; docs/internals/parallel.md has the exchanges of a step. */
static void counts(void) {
  whole_system s = net_32();
  subdomain_model *p = subdomain_new(&s, process, size, false);
  ga_team *team = team_of(p);
  long shared;
  int neighbours = ga_mpi_team_neighbours(team, &shared), nv = PER * p->nbody;
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err;
  double *q0 = malloc((size_t)nv * sizeof(double)), *v0 = calloc((size_t)nv, sizeof(double));
  subdomain_take(p, s.q0, q0);
  o.team = team;
  expect(ga_integrator_new(&p->model, &o, &it, &err) == GA_OK, err.text);
  expect(ga_integrator_start(it, 0, q0, v0) == GA_OK, ga_integrator_error(it)->text);
  expect(ga_integrator_run(it, 0.005) == GA_OK, ga_integrator_error(it)->text);
  ga_stats from = *ga_integrator_stats(it);
  ga_mpi_team_reset_counts(team);
  expect(ga_integrator_run(it, 0.015) == GA_OK, ga_integrator_error(it)->text);
  const ga_stats *to = ga_integrator_stats(it);
  ga_mpi_counts n = ga_mpi_team_counts(team);
  long residuals = to->residuals - from.residuals, steps = to->steps - from.steps;
  long looks = n.exchanges - 2 * residuals; /* exchanges of the judge */
  double per = 1.0 / (double)steps;
  printf(
      "process %d of %d: %d neighbours, %ld shared; per step %.1f residuals, %.1f exchanges (%.1f "
      "of "
      "the judge), %.1f messages, %.0f bytes, %.1f reductions of %.1f numbers\n",
      process, size, neighbours, shared, per * (double)residuals, per * (double)n.exchanges,
      per * (double)looks, per * (double)n.messages, per * (double)n.bytes,
      per * (double)n.reductions, n.reductions > 0 ? (double)n.reduced / (double)n.reductions : 0);
  expect(n.messages == n.exchanges * neighbours, "messages");
  /* a residual: G^T eta, then M x, F and R: 4 vectors; the judge: 5, or 1 where it counts eta */
  long least = 8 * shared * (4 * residuals + looks),
       most = 8 * shared * (4 * residuals + 5 * looks);
  if (size == 1) { /* no team */
    expect(n.exchanges == 0 && n.reductions == 0 && n.gathered == 0, "a team of one");
  } else {
    expect(looks >= 0 && n.bytes >= least && n.bytes <= most, "bytes");
  }
  ga_integrator_free(it);
  ga_mpi_team_free(team);
  free(q0);
  free(v0);
  subdomain_free(p);
  whole_system_free(&s);
}

/* ---- costs
 * --------------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU time inside the operations of the team: sums, agreements, linear solves */
static double inside;

static ga_status timed_sum(ga_team *team, int count, double *x) {
  double from = now();
  ga_team *real = team->linsol_context;
  ga_status status = real->ops->sum_shared(real, count, x);
  inside += now() - from;
  return status;
}
static ga_status timed_reduce(ga_team *team, ga_team_op op, int n, double *x) {
  double from = now();
  ga_team *real = team->linsol_context;
  ga_status status = real->ops->reduce(real, op, n, x);
  inside += now() - from;
  return status;
}
static void use_real(ga_linsol *ls) {
  ga_team *real = ls->context;
  ls->context = real->linsol_context;
}
static ga_status timed_analyze(ga_linsol *ls, const ga_csr *A) {
  use_real(ls);
  return ga_mpi_gather_linsol.analyze(ls, A);
}
static ga_status timed_factor(ga_linsol *ls, const ga_csr *A) {
  double from = now();
  ga_status status = ga_mpi_gather_linsol.factor(ls, A);
  inside += now() - from;
  return status;
}
static ga_status timed_solve(ga_linsol *ls, double *b) {
  double from = now();
  ga_status status = ga_mpi_gather_linsol.solve(ls, b);
  inside += now() - from;
  return status;
}

/* CPU time of what a process computes by itself in a step: residuals, matrices, judgement */
static void cost(int n) {
  static const ga_team_ops timed = {.sum_shared = timed_sum, .reduce = timed_reduce};
  const char *const methods[] = {"index3", "stab2"};
  ga_linsol_ops solver = ga_mpi_gather_linsol;
  solver.analyze = timed_analyze, solver.factor = timed_factor, solver.solve = timed_solve;
  whole_system s = whole_net(n, 1);
  subdomain_model *p = subdomain_new(&s, process, size, false);
  int nv = PER * p->nbody;
  double *q0 = malloc((size_t)nv * sizeof(double)), *v0 = calloc((size_t)nv, sizeof(double));
  subdomain_take(p, s.q0, q0);
  ga_team *real = team_of(p), team = *real;
  team.ops = &timed, team.linsol = &solver, team.linsol_context = real;
  for (int m = 0; m < 2; m++) {
    ga_options o = ga_options_default();
    ga_integrator *it = NULL;
    ga_error err = {0};
    o.method = methods[m], o.team = &team, o.matrix_every = 1;
    expect(ga_integrator_new(&p->model, &o, &it, &err) == GA_OK, err.text);
    expect(ga_integrator_start(it, 0, q0, v0) == GA_OK, "start");
    expect(ga_integrator_run(it, 0.002) == GA_OK, "run");
    double from = now();
    inside = 0;
    expect(ga_integrator_run(it, 0.012) == GA_OK, "run");
    double spent = (now() - from - inside) / 10, most;
    MPI_Allreduce(&spent, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const ga_stats *stats = ga_integrator_stats(it);
    if (process == 0) {
      printf(
          "net %d^2, %s, %d processes: %.3g ms a step and process (%ld residuals, %ld matrices in "
          "%ld "
          "steps)\n",
          n, methods[m], size, 1e3 * most, stats->residuals, stats->matrices, stats->steps);
    }
    ga_integrator_free(it);
  }
  ga_mpi_team_free(real);
  free(q0), free(v0);
  subdomain_free(p);
  whole_system_free(&s);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 1 ? argv[1] : "compare";
  int n = argc > 2 ? atoi(argv[2]) : 100;
  for (int k = 0; k < CASES && strcmp(what, "compare") == 0; k++) compare(&cases[k]);
  if (strcmp(what, "faults") == 0) faults(n);
  if (strcmp(what, "counts") == 0) counts();
  if (strcmp(what, "messages") == 0) messages();
  if (strcmp(what, "cost") == 0) cost(n);
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return bad;
}
