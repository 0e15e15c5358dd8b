/* SPDX-License-Identifier: MIT */
/* A run over several processes, which a launcher (mpirun, srun) has started: each process
 * integrates a subdomain of the mechanism. Without a launcher there is one process, the team is
 * NULL, and every function here returns at once. */
#ifndef TOOL_SIMULATE_TEAM_H
#define TOOL_SIMULATE_TEAM_H

#include "tool.h"

/* A mechanism cut into subdomains; NULL: there is one process. */
typedef struct team team;

/* Join the other processes and cut the mechanism of a problem; *out stays NULL if there is one
 * process. petsc: options of PETSc, "off": another solver, NULL: not given. Returns ARGS_GO_ON, or
 * the exit code after a message. Call team_close in any case. */
int team_open(const ga_problem *problem, const char *petsc, team **out);
void team_close(team *r);

/* Does this process print and write? Process 0 alone does. */
bool team_writes(const team *r);

/* this process's subdomain, and the team for its options */
const ga_model *team_model(const team *r);
const double *team_q0(const team *r);
const double *team_v0(const team *r);
struct ga_team *team_members(team *r);

/* All processes call the functions from here to team_load together. */

/* Is good true on all processes? */
bool team_agree(const team *r, bool good);
/* ARGS_GO_ON if all processes have it; else this process's own code, or TOOL_FAILED. */
int team_code(const team *r, int code);

/* The state of the whole mechanism; its arrays are NULL in all processes but the first. */
const ga_state *team_gather(team *r, const ga_state *own);
/* A function of the whole state, the same number in all processes. */
typedef double (*team_function)(void *context, const ga_state *whole);
double team_value(team *r, team_function value, void *context, const ga_state *own);
/* kinetic and potential energy of the whole */
void team_energy(team *r, double *kin, double *pot);

ga_status team_save(team *r, ga_integrator *it, const char *path);
ga_status team_load(team *r, ga_integrator *it, const char *path);

/* The sizes of all subdomains, for people. One process may call it alone. */
void team_print(const team *r, FILE *to);

#endif
