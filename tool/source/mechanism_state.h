/* SPDX-License-Identifier: MIT */
/* The mechanism of a model file at a state, for the commands check, equilibrium and modes. */
#ifndef TOOL_SOURCE_MECHANISM_STATE_H
#define TOOL_SOURCE_MECHANISM_STATE_H

#include "args/problem_args.h"
#include "output/output.h"

typedef struct mechanism_state {
  ga_problem *problem;
  const ga_file *file;
  const ga_mechanism *mechanism;
  int nq, nv, nlam, npsi;
  double t;
  double *q, *v, *vd, *lam, *psi; /* owned, as the next ones */
  ga_contact_state *contacts;     /* of each contact: its state */
} mechanism_state;

/* Read the model file that the operand names; the state is its start. ARGS_GO_ON, or the exit code
 * after a message; mechanism_state_close in any case. */
int mechanism_state_open(mechanism_state *p, const problem_args *given, args *a);
void mechanism_state_close(mechanism_state *p);

/* Move to the state that `at` names: a time (by a run), a file with a saved state, "equilibrium"
 * (found from the start), or NULL: stay at the start. Returns as mechanism_state_open. */
int mechanism_state_move(mechanism_state *p, const args *a, const char *at);
/* Set the states of the contacts (GA_CONTACT_..); print those that are closed, in one line; print
 * all as a member of a JSON object. Nothing is printed for a model without contacts. */
void mechanism_state_set_contacts(mechanism_state *p, const int *states);
void mechanism_state_print_contacts(const mechanism_state *p);
void mechanism_state_json_contacts(const mechanism_state *p);
/* Move to the equilibrium that is found from the present state; e may be NULL. */
int mechanism_state_find_equilibrium(mechanism_state *p, ga_equilibrium *e);

/* Save t, q, v as start values: any `run --from-state` of the model starts there. ARGS_GO_ON, or the
 * exit code after a message. */
int mechanism_state_save(const mechanism_state *p, const char *path);

/* The state for functions of the library; it borrows the arrays. */
ga_state mechanism_state_view(const mechanism_state *p);

#endif
