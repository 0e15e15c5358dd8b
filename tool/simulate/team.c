/* SPDX-License-Identifier: MIT */
/* Ranks of a run: the launcher's environment, and the table of libgenalpha_mpi. */
#define _POSIX_C_SOURCE 200809L
#include "simulate/team.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/args.h"
#include "parallel/mpi/launch.h"
#include "source/model_file.h"

enum { SHOWN = 16 }; /* ranks that are listed one by one */

struct team {
  const ga_launch_ops *ops;
  ga_launch *launch;
  int size;
  bool begun;
  ga_state whole;
};

/* ---- the launcher --------------------------------------------------------------------------- */

/* Open MPI; MPICH, Intel MPI and others with Hydra; MVAPICH; Slurm's own srun */
static const char *const variables[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"},
                                           {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                           {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
enum { NVARIABLE = (int)(sizeof variables / sizeof variables[0]) };

static int number_in(const char *name) {
  const char *text = getenv(name);
  char *end;
  const long value = text ? strtol(text, &end, 10) : -1;
  return text && *text && !*end && value >= 0 && value <= INT_MAX ? (int)value : -1;
}

/* the first launcher that tells both numbers */
static int told(int which) {
  for (int i = 0; i < NVARIABLE; i++) {
    const int size = number_in(variables[i][0]), rank = number_in(variables[i][1]);
    if (size > 0 && rank >= 0) return which == 0 ? size : rank;
  }
  return which == 0 ? 1 : 0;
}

int team_count(void) {
  return told(0);
}

bool team_first(void) {
  return told(1) == 0;
}

int team_refuse(const char *command) {
  const int n = team_count();
  if (n == 1) return CLI_OK;
  cli_error(
      "%d ranks were started, but '%s' is not shared out over ranks and would be done %d times; "
      "start it without mpirun",
      n, command, n);
  return CLI_FAILED;
}

/* ---- the library ---------------------------------------------------------------------------- */

static void *open_library(const char *directory) {
  static const char name[] = "libgenalpha_mpi.so";
  char path[PATH_MAX + 100];
  snprintf(path, sizeof path, "%s%s", directory, name);
  if (*directory && access(path, R_OK) != 0) return NULL;
  /* MPI opens parts of its own, which look for its symbols */
  return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

/* beside the tool (a build tree), where it is installed, or wherever the system looks */
static const ga_launch_ops *find_library(const char **why) {
  static char own[PATH_MAX], beside[PATH_MAX + 40];
  const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
  own[n > 0 ? n : 0] = '\0';
  char *slash = strrchr(own, '/');
  if (slash) slash[1] = '\0';
  dlerror();
  void *library = slash ? open_library(own) : NULL;
  if (!library && slash) {
    snprintf(beside, sizeof beside, "%s%s/", own, GA_LIB_FROM_BIN);
    library = open_library(beside);
  }
  if (!library) library = open_library("");
  const ga_launch_ops *ops = library ? dlsym(library, GA_LAUNCH_SYMBOL) : NULL;
  if (!ops) *why = dlerror();
  return ops;
}

static const ga_launch_ops *load(void) {
  const char *why = NULL;
  const ga_launch_ops *ops = find_library(&why);
  if (!ops) {
    cli_error(
        "%d ranks were started, but libgenalpha_mpi cannot be opened: install MPI (Debian: "
        "libopenmpi-dev) and build genalpha anew, or start one process without mpirun (%s)",
        team_count(), why ? why : "it is not there");
  } else if (strcmp(ops->version, GA_VERSION) != 0) {
    cli_error("libgenalpha_mpi belongs to genalpha %s, this is %s; install both anew", ops->version,
              GA_VERSION);
    ops = NULL;
  }
  return ops;
}

/* ---- open and close ------------------------------------------------------------------------- */

static int begin(team *r) {
  ga_error err = {GA_OK, ""};
  int rank = 0;
  if (r->ops->begin(&rank, &r->size, &err) != GA_OK) {
    cli_error("%s", err.text);
    return CLI_FAILED;
  }
  r->begun = true;
  if (r->size == team_count()) return ARGS_GO_ON;
  cli_error(
      "the launcher has started %d ranks, but MPI finds %d: mpirun belongs to another MPI than "
      "libgenalpha_mpi",
      team_count(), r->size);
  return CLI_FAILED;
}

int team_open(const ga_problem *problem, const char *petsc, team **out) {
  *out = NULL;
  if (team_count() == 1) {
    if (!petsc) return ARGS_GO_ON;
    cli_error("--petsc is for several ranks: mpirun -n P genalpha run ...");
    return CLI_USAGE;
  }
  const ga_file *file = file_of(problem);
  if (!file) {
    cli_error(
        "'%s' is not shared out over ranks: only mechanisms of model files are; start it "
        "without mpirun",
        problem->name);
    return CLI_FAILED;
  }
  const ga_launch_ops *ops = load();
  team *r = ops ? calloc(1, sizeof *r) : NULL;
  if (!r) return CLI_FAILED;
  *out = r;
  r->ops = ops;
  int code = begin(r);
  if (code != ARGS_GO_ON) return code;
  ga_error err = {GA_OK, ""};
  const char *by = !petsc && ops->has_petsc() ? "" : petsc;
  if (petsc && strcmp(petsc, "off") == 0) by = NULL;
  if (ops->open(ga_file_mechanism(file), by, &r->launch, &err) == GA_OK) return ARGS_GO_ON;
  cli_error("%s", err.text);
  return CLI_FAILED;
}

void team_close(team *r) {
  if (!r) return;
  if (r->launch) r->ops->close(r->launch);
  if (r->begun) r->ops->end();
  free(r);
}

bool team_writes(const team *r) {
  return !r || team_first();
}

const ga_model *team_model(const team *r) {
  return r->ops->portion(r->launch).model;
}

const double *team_q0(const team *r) {
  return r->ops->portion(r->launch).q0;
}

const double *team_v0(const team *r) {
  return r->ops->portion(r->launch).v0;
}

struct ga_team *team_members(team *r) {
  return r->ops->team(r->launch);
}

/* ---- together ------------------------------------------------------------------------------- */

bool team_agree(const team *r, bool good) {
  return r ? r->ops->agree(good) : good;
}

int team_code(const team *r, int code) {
  if (team_agree(r, code == ARGS_GO_ON)) return ARGS_GO_ON;
  return code == ARGS_GO_ON ? CLI_FAILED : code;
}

const ga_state *team_gather(team *r, const ga_state *own) {
  if (!r) return own;
  r->ops->gather(r->launch, own, &r->whole);
  return &r->whole;
}

double team_value(team *r, team_function value, void *context, const ga_state *own) {
  return r ? r->ops->value(r->launch, value, context, own) : value(context, own);
}

void team_energy(team *r, double *kin, double *pot) {
  double both[2] = {*kin, *pot};
  if (!r) return;
  r->ops->sum(r->launch, 2, both);
  *kin = both[0], *pot = both[1];
}

ga_status team_save(team *r, ga_integrator *it, const char *path) {
  return r ? ga_integrator_save_whole(it, path, r->ops->whole(r->launch))
           : ga_integrator_save(it, path);
}

ga_status team_load(team *r, ga_integrator *it, const char *path) {
  return r ? ga_integrator_load_whole(it, path, r->ops->whole(r->launch))
           : ga_integrator_load(it, path);
}

/* ---- what was shared out -------------------------------------------------------------------- */

void team_print(const team *r, FILE *to) {
  if (!r) return;
  ga_launch_subdomain least = r->ops->part(r->launch, 0), most = least;
  long bodies = 0, shared = 0;
  for (int i = 0; i < r->size; i++) {
    const ga_launch_subdomain p = r->ops->part(r->launch, i);
    bodies += p.owned;
    shared += p.lent;
    if (p.bodies < least.bodies) least = p;
    if (p.bodies > most.bodies) most = p;
  }
  fprintf(to, "  %-13s%d, cut by %s: %ld of %ld bodies are on several ranks\n", "ranks", r->size,
          ga_partitioner_name(), shared, bodies);
  if (r->size > SHOWN) {
    fprintf(to, "  %-13s%d to %d bodies a rank\n", "", least.bodies, most.bodies);
    return;
  }
  fprintf(to, "  %-13s%6s%9s%9s%10s%12s%13s\n", "", "rank", "bodies", "shared", "elements",
          "velocities", "constraints");
  for (int i = 0; i < r->size; i++) {
    const ga_launch_subdomain p = r->ops->part(r->launch, i);
    fprintf(to, "  %-13s%6d%9d%9d%10d%12d%13d\n", "", i, p.bodies, p.shared, p.elements,
            p.velocities, p.constraints);
  }
}
