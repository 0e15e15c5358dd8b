/* SPDX-License-Identifier: MIT */
/* Several ranks of one run. A launcher (mpirun, srun) tells every process in its environment how
 * many there are; the library that joins them is opened then, and only then. Without a launcher
 * there is one rank, and every function here returns at once. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "cli.h"

/* What the launcher says: how many ranks, and which is this one. Rank 0 alone prints and writes. */
int ranks_count(void);
bool ranks_first(void);

/* A command that knows nothing of ranks: CLI_FAILED after a message if there are several, else
 * CLI_OK. */
int ranks_refuse(const char *command);

/* A mechanism shared out; NULL: there is one rank. */
typedef struct ranks ranks;

/* Begin MPI and share out the mechanism of a problem; *out stays NULL if there is one rank.
 * petsc: options of PETSc, "off": another solver, NULL: not given. ARGS_GO_ON, or the exit code
 * after a message. ranks_close ends MPI. */
int ranks_open(const ga_problem *problem, const char *petsc, ranks **out);
void ranks_close(ranks *r);

/* this rank's part of the problem, and the team for its options */
const ga_model *ranks_model(const ranks *r);
const double *ranks_q0(const ranks *r);
const double *ranks_v0(const ranks *r);
struct ga_team *ranks_team(ranks *r);

/* The rest is called by all ranks together. */

/* is it so on all ranks? An exit code for all: the first that is not ARGS_GO_ON. */
bool ranks_agree(const ranks *r, bool good);
int ranks_code(const ranks *r, int code);

/* The state of the whole; arrays are NULL where this is not the first rank. */
const ga_state *ranks_gather(ranks *r, const ga_state *own);
/* A number of the whole state, the same on all ranks. */
typedef double (*ranks_function)(void *context, const ga_state *whole);
double ranks_value(ranks *r, ranks_function value, void *context, const ga_state *own);
/* kinetic and potential energy of the whole */
void ranks_energy(ranks *r, double *kin, double *pot);

ga_status ranks_save(ranks *r, ga_integrator *it, const char *path);
ga_status ranks_load(ranks *r, ga_integrator *it, const char *path);

/* What was shared out, for people; a rank's own work, no need to call it everywhere. */
void ranks_print(const ranks *r, FILE *to);

#endif
