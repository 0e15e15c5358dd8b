/* SPDX-License-Identifier: MIT */
/* Microseconds that the linear solver takes for a body and a Newton iteration: PETSc on nets and
 * lattices of a team, against KLU on a chain, in the same run.
 *
 *     mpiexec -n 1 build/release/petsc_bench [PETSC_OPTIONS]
 *
 * CPU time of the slowest process, factorizations and solves of some steps together. On more
 * processes than cores the waiting counts, too. */
#define _POSIX_C_SOURCE 200809L
#include <genalpha/ga_mpi.h>
#include <genalpha/ga_petsc.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "linsol/registry.h"
#include "team_run.h"

/* CPU time of this process in seconds. */
static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a solver with a stopwatch ----------------------------------------------------------------
 */

typedef struct {
  const ga_linsol_ops *ops;
  void *context;
  double factor, solve; /* seconds */
  long factors, solves;
} stopwatch;

static ga_linsol *inner(const ga_linsol *ls) {
  return ls->impl;
}

/* Copies message and cost of the inner solver to ls; returns status. */
static ga_status hand_on(ga_linsol *ls, ga_status status) {
  memcpy(ls->trouble, inner(ls)->trouble, sizeof ls->trouble);
  ls->cost = inner(ls)->cost;
  return status;
}

/* Creates the inner solver in ls->impl and lets it analyze A. */
static ga_status watch_analyze(ga_linsol *ls, const ga_csr *A) {
  const stopwatch *w = ls->context;
  ga_linsol *in = calloc(1, sizeof *in);
  if (!in) return GA_ERR_MEM;
  ls->impl = in;
  *in = (ga_linsol){.ops = w->ops, .context = w->context, .layout = ls->layout};
  return hand_on(ls, w->ops->analyze(in, A));
}

/* Factors by the inner solver and adds the time to the stopwatch. */
static ga_status watch_factor(ga_linsol *ls, const ga_csr *A) {
  stopwatch *w = ls->context;
  double start = cpu_seconds();
  ga_status status = w->ops->factor(inner(ls), A);
  w->factor += cpu_seconds() - start;
  w->factors++;
  return hand_on(ls, status);
}

/* Solves by the inner solver (b becomes x) and adds the time to the stopwatch. */
static ga_status watch_solve(ga_linsol *ls, double *b) {
  stopwatch *w = ls->context;
  double start = cpu_seconds();
  ga_status status = w->ops->solve(inner(ls), b);
  w->solve += cpu_seconds() - start;
  w->solves++;
  return hand_on(ls, status);
}

static int watch_singular_column(const ga_linsol *ls) {
  return inner(ls)->ops->singular_column(inner(ls));
}

static void watch_reset(ga_linsol *ls) {
  if (inner(ls)->ops->reset) inner(ls)->ops->reset(inner(ls));
}

/* Frees the inner solver. */
static void watch_free(ga_linsol *ls) {
  if (!ls->impl) return;
  inner(ls)->ops->free(inner(ls));
  free(ls->impl);
  ls->impl = NULL;
}

static const ga_linsol_ops watched = {
    .name = "watched",
    .analyze = watch_analyze,
    .factor = watch_factor,
    .solve = watch_solve,
    .singular_column = watch_singular_column,
    .reset = watch_reset,
    .free = watch_free,
};

/* ---- runs --------------------------------------------------------------------------------------
 */

typedef struct {
  const char *name, *method;
  int size, layers; /* layers 0: a chain */
  long before, steps;
  double limit; /* of the ratio; 0: none */
} bench_case;

static int process, size;

/* Largest x of all processes; each must call it. */
static double largest(double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return x;
}

/* Takes c->before + c->steps steps; w, petsc and *iterations (Newton) count only the last c->steps.
 * The solver is wrapped by the stopwatch w. */
static ga_status run(subdomain_model *p, const bench_case *c, ga_team *team, stopwatch *w,
                     ga_petsc_context *petsc, long *iterations) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  o.method = c->method, o.h = 1e-3, o.team = team;
  if (team) {
    team->linsol = &watched, team->linsol_context = w;
  } else {
    o.linsol_ops = &watched, o.linsol_context = w;
  }
  int nv = PER * p->nbody;
  double *q0 = malloc((size_t)nv * sizeof *q0), *v0 = calloc((size_t)nv, sizeof *v0);
  subdomain_take(p, p->whole->q0, q0);
  ga_status status = ga_integrator_new(&p->model, &o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, 0, q0, v0);
  for (long k = 0; k < c->before + c->steps && status == GA_OK; k++) {
    if (k == c->before) {
      *w = (stopwatch){.ops = w->ops, .context = w->context};
      petsc->solves = petsc->iterations = 0;
      *iterations = ga_integrator_stats(it)->newton_its;
    }
    status = ga_integrator_step(it);
  }
  if (it) *iterations = ga_integrator_stats(it)->newton_its - *iterations;
  if (status != GA_OK) fprintf(stderr, "%s\n", it ? ga_integrator_error(it)->text : err.text);
  ga_integrator_free(it);
  free(q0), free(v0);
  return status;
}

/* Runs one case and prints its row without the last column; returns microseconds of the linear
 * solver per body and Newton iteration. Ends the program on failure. */
static double measure(const bench_case *c, const char *options) {
  whole_system s = c->layers > 0 ? whole_net(c->size, c->layers) : whole_chain(c->size);
  bool chain = c->layers == 0;
  subdomain_model *p = subdomain_new(&s, chain ? 0 : process, chain ? 1 : size, false);
  ga_petsc_context petsc = {.options = options};
  stopwatch w = {.ops = chain ? &ga_linsol_klu : &ga_petsc_linsol,
                 .context = chain ? NULL : &petsc};
  ga_team *team = NULL;
  ga_error err = {0};
  long iterations = 0;
  if (!chain && ga_mpi_team_world(PER * p->nbody, p->velocity, &team, &err) != GA_OK) {
    fprintf(stderr, "%s\n", err.text);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (run(p, c, team, &w, &petsc, &iterations) != GA_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  double each = 1e6 / s.n, total = largest(w.factor + w.solve) * each / (double)iterations;
  if (process == 0) {
    printf("| %s | %s | %.2f | %.2f | %.2f | %.1f | %.2f |", c->name, c->method,
           each * w.factor / (double)w.factors, each * w.solve / (double)w.solves,
           (double)w.factors / (double)c->steps,
           petsc.solves ? (double)petsc.iterations / (double)petsc.solves : 0, total);
  }
  if (team) ga_mpi_team_free(team);
  subdomain_free(p);
  whole_system_free(&s);
  return total;
}

/* Prints a table: each case, with its ratio to the chain of the same method before it. */
int main(int argc, char **argv) {
  static const bench_case cases[] = {
      {"chain 10000, klu", "stab2", 10000, 0, 20, 20, 0},
      {"net 100^2", "stab2", 100, 1, 20, 20, 11},
      {"net 200^2", "stab2", 200, 1, 20, 10, 11},
      {"lattice 20^3", "stab2", 20, 20, 20, 20, 10},
      {"chain 10000, klu", "index3", 10000, 0, 20, 20, 0},
      {"net 100^2", "index3", 100, 1, 20, 20, 11},
      {"net 200^2", "index3", 200, 1, 20, 10, 11},
      {"lattice 20^3", "index3", 20, 20, 20, 20, 10},
  };
  double chain = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (process == 0) {
    printf(
        "| system, %d processes | method | factor, us | solve, us | factors a step | FGMRES | us "
        "for "
        "a body and a Newton iteration | ratio to the chain |\n|---|---|---|---|---|---|---|---|\n",
        size);
  }
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double time = measure(&cases[k], argc > 1 ? argv[1] : NULL);
    if (cases[k].limit == 0) chain = time;
    if (process == 0 && cases[k].limit > 0) {
      printf(" %.1f (at most %g) |\n", time / chain, cases[k].limit);
    } else if (process == 0) {
      printf(" |\n");
    }
    fflush(stdout);
  }
  ga_petsc_close();
  MPI_Finalize();
  return 0;
}
