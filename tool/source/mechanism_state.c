/* SPDX-License-Identifier: MIT */
/* A mechanism at a state: its start, the end of a run, a saved state, or an equilibrium. */
#include "source/mechanism_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read the model file a->operand and set all of p to its start: q0, v0, t = 0, vd and multipliers
 * zero. ARGS_GO_ON, or the exit code after a message; mechanism_state_close in any case. */
int mechanism_state_open(mechanism_state *p, const problem_args *given, args *a) {
  *p = (mechanism_state){.t = 0};
  if (!file_named(a->operand)) {
    tool_error("'%s' is not a model file (NAME.yaml, or a path)", a->operand);
    return TOOL_USAGE;
  }
  const int code = problem_open(given, a, NULL, &p->problem);
  if (code != ARGS_GO_ON) return code;
  const ga_model *model = &p->problem->model;
  p->file = file_of(p->problem);
  p->mechanism = ga_file_mechanism(p->file);
  p->nq = ga_space_nq(model->space), p->nv = ga_space_nv(model->space);
  p->nlam = model->nlam, p->npsi = model->npsi;
  p->q = calloc((size_t)p->nq, sizeof(double));
  p->v = calloc((size_t)p->nv, sizeof(double));
  p->vd = calloc((size_t)p->nv, sizeof(double));
  p->lam = calloc((size_t)p->nlam + 1, sizeof(double));
  p->psi = calloc((size_t)p->npsi + 1, sizeof(double));
  p->contacts = calloc((size_t)model->ncontacts + 1, sizeof *p->contacts);
  if (!p->q || !p->v || !p->vd || !p->lam || !p->psi || !p->contacts) {
    tool_error("no memory for '%s'", a->operand);
    return TOOL_FAILED;
  }
  memcpy(p->q, p->problem->q0, (size_t)p->nq * sizeof(double));
  memcpy(p->v, p->problem->v0, (size_t)p->nv * sizeof(double));
  return ARGS_GO_ON;
}

/* Free the arrays and the problem. */
void mechanism_state_close(mechanism_state *p) {
  double *const arrays[] = {p->q, p->v, p->vd, p->lam, p->psi};
  for (int i = 0; i < 5; i++) free(arrays[i]);
  free(p->contacts);
  problem_close(p->problem);
}

/* The state for functions of the library; it borrows the arrays. The variable a is set to vd. */
ga_state mechanism_state_view(const mechanism_state *p) {
  return (ga_state){.t = p->t,
                    .q = p->q,
                    .v = p->v,
                    .vd = p->vd,
                    .a = p->vd,
                    .lam = p->lam,
                    .psi = p->psi,
                    .contacts = p->contacts};
}

/* The states of the contacts. */
void mechanism_state_set_contacts(mechanism_state *p, const int *states) {
  for (int i = 0; i < p->problem->model.ncontacts; i++) p->contacts[i].state = states[i];
}

/* Print the closed contacts, MOST at most by name; nothing for a model without contacts. */
void mechanism_state_print_contacts(const mechanism_state *p) {
  enum { MOST = 8 };
  const ga_model *model = &p->problem->model;
  int closed = 0;
  if (model->ncontacts == 0) return;
  for (int i = 0; i < model->ncontacts; i++) closed += p->contacts[i].state != GA_CONTACT_OPEN;
  printf("  contacts: %d of %d closed", closed, model->ncontacts);
  for (int i = 0, shown = 0; i < model->ncontacts && shown < MOST; i++) {
    if (p->contacts[i].state == GA_CONTACT_OPEN) continue;
    printf("%s %s%s", shown++ ? "," : ":", model->contacts[i].name,
           p->contacts[i].state == GA_CONTACT_STICK ? " (sticks)" : "");
  }
  printf("%s\n", closed > MOST ? ", .." : "");
}

/* Print ", contacts: {NAME: state, ..}". */
void mechanism_state_json_contacts(const mechanism_state *p) {
  const ga_model *model = &p->problem->model;
  for (int i = 0; i < model->ncontacts; i++) {
    printf(i == 0 ? ",\n  \"contacts\": {" : ", ");
    json_string(stdout, model->contacts[i].name);
    printf(": %d%s", p->contacts[i].state, i + 1 == model->ncontacts ? "}" : "");
  }
}

/* Copy time, q, v, vd and multipliers of s to p, whose sizes must be the same. */
static void copy_state(mechanism_state *p, const ga_state *s) {
  p->t = s->t;
  memcpy(p->q, s->q, (size_t)p->nq * sizeof(double));
  memcpy(p->v, s->v, (size_t)p->nv * sizeof(double));
  memcpy(p->vd, s->vd, (size_t)p->nv * sizeof(double));
  if (p->nlam) memcpy(p->lam, s->lam, (size_t)p->nlam * sizeof(double));
  if (p->npsi) memcpy(p->psi, s->psi, (size_t)p->npsi * sizeof(double));
  const size_t n = (size_t)p->problem->model.ncontacts;
  if (s->contacts) memcpy(p->contacts, s->contacts, n * sizeof *p->contacts);
}

/* Move p to the state at time t by a run from the start, or, if from_state is not NULL, to the
 * state saved in that file (t is not used). ARGS_GO_ON, or the exit code after a message. */
static int run_to(mechanism_state *p, const args *a, const char *from_state, double t) {
  solver s = {0};
  int code = solver_open(&s, &p->problem->model, a->options, NULL);
  if (code != ARGS_GO_ON) return code;
  ga_status status =
      from_state ? ga_integrator_load(s.it, from_state) : solver_start(&s, p->problem);
  if (status == GA_OK && !from_state && t > p->problem->t0) status = solver_run(&s, t);
  if (status == GA_OK) {
    copy_state(p, solver_state(&s));
  } else {
    tool_error("%s", solver_reason(&s, status).text);
    code = TOOL_FAILED;
  }
  solver_close(&s);
  return code;
}

/* Move p to the equilibrium at time p->t found from its q: changes q, lam, psi; v and vd become 0,
 * also if it fails. e (may be NULL) receives the effort and pointers to lam and psi of p.
 * ARGS_GO_ON, or TOOL_FAILED after a message. */
int mechanism_state_find_equilibrium(mechanism_state *p, ga_equilibrium *e) {
  ga_equilibrium own = {0};
  ga_error err = {GA_OK, ""};
  if (!e) e = &own;
  int *states = calloc((size_t)p->problem->model.ncontacts + 1, sizeof(int));
  if (!states) {
    tool_error("no memory for contacts");
    return TOOL_FAILED;
  }
  e->lam = p->lam;
  e->psi = p->psi;
  e->contacts = states;
  memset(p->v, 0, (size_t)p->nv * sizeof(double));
  memset(p->vd, 0, (size_t)p->nv * sizeof(double));
  const bool found = ga_mechanism_equilibrium(p->mechanism, p->t, p->q, e, &err) == GA_OK;
  if (found) mechanism_state_set_contacts(p, states);
  if (!found) tool_error("%s", err.text);
  e->contacts = NULL;
  free(states);
  return found ? ARGS_GO_ON : TOOL_FAILED;
}

/* Move p to the state that --at names: "equilibrium", a time in s, a saved state; NULL: stay.
 * ARGS_GO_ON, or the exit code after a message. */
int mechanism_state_move(mechanism_state *p, const args *a, const char *at) {
  char *end = NULL;
  if (!at) return ARGS_GO_ON;
  if (strcmp(at, "equilibrium") == 0) return mechanism_state_find_equilibrium(p, NULL);
  const double t = strtod(at, &end);
  if (end != at && !*end && isfinite(t)) {
    if (t < p->problem->t0) {
      tool_error("--at %s: the model begins at t = %.6g", at, p->problem->t0);
      return TOOL_USAGE;
    }
    return run_to(p, a, NULL, t);
  }
  if (access(at, F_OK) != 0) {
    tool_error("--at '%s': no such state file; 'equilibrium' or a time may stand here, too", at);
    return TOOL_FAILED;
  }
  return run_to(p, a, at, 0 /* not used */);
}

/* Save t, q, v as start values of runs, for `run --from-state`. ARGS_GO_ON, or TOOL_FAILED after a
 * message. */
int mechanism_state_save(const mechanism_state *p, const char *path) {
  ga_error err = {GA_OK, ""};
  if (ga_start_save(path, &p->problem->model, p->t, p->q, p->v, &err) == GA_OK) return ARGS_GO_ON;
  tool_error("%s", err.text);
  return TOOL_FAILED;
}
