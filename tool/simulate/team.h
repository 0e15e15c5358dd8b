/* SPDX-License-Identifier: MIT */
/* Several ranks of one run. A launcher (mpirun, srun) tells every process in its environment how
 * many there are; the library that joins them is opened then, and only then. Without a launcher
 * there is one rank, and every function here returns at once. */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include "tool.h"

/* What the launcher says: how many ranks, and which is this one. Rank 0 alone prints and writes. */
int team_count(void);
bool team_first(void);

/* A command that knows nothing of ranks: CLI_FAILED after a message if there are several, else
 * CLI_OK. */
int team_refuse(const char *command);

/* A mechanism shared out; NULL: there is one rank. */
typedef struct team team;

/* Begin MPI and share out the mechanism of a problem; *out stays NULL if there is one rank.
 * petsc: options of PETSc, "off": another solver, NULL: not given. ARGS_GO_ON, or the exit code
 * after a message. team_close ends MPI. */
int team_open(const ga_problem *problem, const char *petsc, team **out);
void team_close(team *r);

/* Does this rank print and write? */
bool team_writes(const team *r);

/* this rank's part of the problem, and the team for its options */
const ga_model *team_model(const team *r);
const double *team_q0(const team *r);
const double *team_v0(const team *r);
struct ga_team *team_members(team *r);

/* The rest is called by all ranks together. */

/* is it so on all ranks? An exit code for all: the first that is not ARGS_GO_ON. */
bool team_agree(const team *r, bool good);
int team_code(const team *r, int code);

/* The state of the whole; arrays are NULL where this is not the first rank. */
const ga_state *team_gather(team *r, const ga_state *own);
/* A number of the whole state, the same on all ranks. */
typedef double (*team_function)(void *context, const ga_state *whole);
double team_value(team *r, team_function value, void *context, const ga_state *own);
/* kinetic and potential energy of the whole */
void team_energy(team *r, double *kin, double *pot);

ga_status team_save(team *r, ga_integrator *it, const char *path);
ga_status team_load(team *r, ga_integrator *it, const char *path);

/* What was shared out, for people; a rank's own work, no need to call it everywhere. */
void team_print(const team *r, FILE *to);

#endif
