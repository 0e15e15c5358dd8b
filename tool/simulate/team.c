/* SPDX-License-Identifier: MIT */
/* A run over several processes, by the table of libgenalpha_mpi. */
#include "simulate/team.h"

#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "parallel/launcher.h"
#include "source/model_file.h"

enum { LISTED_MAX = 16 }; /* up to so many processes are listed one by one */

struct team {
  const ga_launch_ops *ops;
  ga_launch *launch;
  int processes;
  ga_state whole;
};

/* ---- open and close ------------------------------------------------------------------------- */

/* Join the other processes and cut the mechanism into subdomains; *out becomes NULL if there is one
 * process. petsc: PETSc options, "off", or NULL: not given, PETSc if it is there. ARGS_GO_ON, or
 * the exit code after a message; team_close in any case. Collective: all processes call it. */
int team_open(const ga_problem *problem, const char *petsc, team **out) {
  *out = NULL;
  const launcher found = launcher_detect();
  if (found.processes == 1) {
    if (!petsc) return ARGS_GO_ON;
    tool_error("--petsc is for several processes: mpirun -n P genalpha run ...");
    return TOOL_USAGE;
  }
  const ga_file *file = file_of(problem);
  tool_join(); /* what fails from here on fails everywhere, or is agreed upon */
  if (!file) {
    tool_error(
        "'%s' cannot be divided among processes: only mechanisms of model files can; start it "
        "without mpirun",
        problem->name);
    return TOOL_FAILED;
  }
  team *r = calloc(1, sizeof *r);
  if (!r) {
    tool_error("no memory for a team");
    return TOOL_FAILED;
  }
  *out = r;
  char why[1000];
  r->processes = found.processes;
  r->ops = launcher_join(LAUNCHER_MPI_VISIBLE, why, sizeof why);
  if (!r->ops) {
    tool_error("%s", why);
    return TOOL_FAILED;
  }
  ga_error err = {GA_OK, ""};
  const char *options = !petsc && r->ops->has_petsc() ? "" : petsc;
  if (petsc && strcmp(petsc, "off") == 0) options = NULL;
  if (r->ops->open(ga_file_mechanism(file), options, &r->launch, &err) == GA_OK) return ARGS_GO_ON;
  tool_error("%s", err.text);
  return TOOL_FAILED;
}

/* Leave the team. NULL is allowed. */
void team_close(team *r) {
  if (!r) return;
  if (r->launch) r->ops->close(r->launch);
  if (r->ops) r->ops->end();
  free(r);
}

/* Does this process write files and print? Process 0 does, and any process without a team. */
bool team_writes(const team *r) {
  return !r || launcher_detect().process == 0;
}

/* The model of this process's subdomain, owned by the team. */
const ga_model *team_model(const team *r) {
  return r->ops->subdomain(r->launch).model;
}

/* Start positions of this process's subdomain, owned by the team. */
const double *team_q0(const team *r) {
  return r->ops->subdomain(r->launch).q0;
}

/* Start velocities of this process's subdomain, owned by the team. */
const double *team_v0(const team *r) {
  return r->ops->subdomain(r->launch).v0;
}

/* The library's team, for ga_options.team; owned by r. */
struct ga_team *team_members(team *r) {
  return r->ops->team(r->launch);
}

/* ---- together ------------------------------------------------------------------------------- */

/* Is good true on all processes? `good` itself without a team. Collective: all call it. */
bool team_agree(const team *r, bool good) {
  return r ? r->ops->agree(good) : good;
}

/* ARGS_GO_ON if all processes have it; else this process's own error code, or TOOL_FAILED if only
 * others have one. A process that failed prints its message if process 0 did not fail itself.
 * Collective: all processes call it. */
int team_code(const team *r, int code) {
  const int process = launcher_detect().process;
  if (team_agree(r, code == ARGS_GO_ON)) return ARGS_GO_ON;
  if (r && team_agree(r, process != 0 || code == ARGS_GO_ON) && code != ARGS_GO_ON) {
    tool_speak_alone(process);
  }
  return code == ARGS_GO_ON ? TOOL_FAILED : code;
}

/* The state of the whole mechanism, in process 0 (arrays are NULL elsewhere); `own` itself without
 * a team. Valid until the next call. Collective: all processes call it. */
const ga_state *team_gather(team *r, const ga_state *own) {
  if (!r) return own;
  r->ops->gather(r->launch, own, &r->whole);
  return &r->whole;
}

/* value(context, state of the whole), the same on all processes; NaN if it could not be gathered.
 * Collective: all processes call it. */
double team_value(team *r, team_function value, void *context, const ga_state *own) {
  return r ? r->ops->value(r->launch, value, context, own) : value(context, own);
}

/* Replace the energies of the subdomains by their sums over all processes; nothing without a team
 * (r NULL). Collective: all processes call it. */
void team_energy(team *r, double *kin, double *pot) {
  double both[2] = {*kin, *pot};
  if (!r) return;
  r->ops->sum(r->launch, 2, both);
  *kin = both[0], *pot = both[1];
}

/* Save the state of the whole mechanism to a file, the same as that of one process. GA_OK, or the
 * failure, with the message in the integrator. Collective: all processes call it. */
ga_status team_save(team *r, ga_integrator *it, const char *path) {
  return r ? ga_integrator_save_whole(it, path, r->ops->whole(r->launch))
           : ga_integrator_save(it, path);
}

/* Load a state that one or any number of processes saved into the integrator. GA_OK, or the
 * failure, with the message in the integrator. Collective: all processes call it. */
ga_status team_load(team *r, ga_integrator *it, const char *path) {
  return r ? ga_integrator_load_whole(it, path, r->ops->whole(r->launch))
           : ga_integrator_load(it, path);
}

/* ---- the subdomains ------------------------------------------------------------------------- */

/* Print the sizes of all subdomains; only least and largest beyond LISTED_MAX processes. One
 * process may call it alone. */
void team_print(const team *r, FILE *to) {
  if (!r) return;
  ga_launch_subdomain least = r->ops->size(r->launch, 0), most = least;
  long bodies = 0, shared = 0;
  for (int i = 0; i < r->processes; i++) {
    const ga_launch_subdomain p = r->ops->size(r->launch, i);
    bodies += p.owned;
    shared += p.lent;
    if (p.bodies < least.bodies) least = p;
    if (p.bodies > most.bodies) most = p;
  }
  fprintf(to, "  %-13s%d, cut by %s: %ld of %ld bodies are shared by several\n", "processes",
          r->processes, ga_partitioner_name(), shared, bodies);
  if (r->processes > LISTED_MAX) {
    fprintf(to, "  %-13s%d to %d bodies in each\n", "", least.bodies, most.bodies);
    return;
  }
  fprintf(to, "  %-13s%7s%9s%9s%10s%12s%13s\n", "", "process", "bodies", "shared", "elements",
          "velocities", "constraints");
  for (int i = 0; i < r->processes; i++) {
    const ga_launch_subdomain p = r->ops->size(r->launch, i);
    fprintf(to, "  %-13s%7d%9d%9d%10d%12d%13d\n", "", i, p.bodies, p.shared, p.elements,
            p.velocities, p.constraints);
  }
}
