/* SPDX-License-Identifier: MIT */
/* Which contacts are present: have rows in the systems of the run (model/present_rows.h). */
#ifndef GA_SRC_PRESENCE_H
#define GA_SRC_PRESENCE_H

#include "genalpha/ga_contact.h"
#include "model/present_rows.h"

struct ga_integrator;

/* What a contact keeps while the systems are made anew. */
typedef struct ga_kept_contact {
  ga_contact_state state;
  int found, count;
  double reach, t_hit;
  bool redundant, needed, kept, looked, held;
} ga_kept_contact;

typedef struct ga_presence {
  bool on;               /* contacts may be absent; false: nothing else is set but whole */
  bool all;              /* none is: the model of the run is the whole one */
  int waiting;           /* the last contacts, of which the model itself knows which are near */
  ga_near_list near;     /* those */
  const ga_model *whole; /* the model of the user */
  ga_present_rows rows;
  int n;                 /* contacts of the whole model */
  ga_kept_contact *kept; /* n: of absent contacts, and while the systems are made anew */
  bool *next;            /* n: contacts that are to be present */
  bool *listed;          /* n: those that do not wait */
  bool change;           /* before the next step they are to be */
  int *axes;             /* n: directions of the rows k (ga_evaluation.axes) */
  /* what the user sees: all rows and contacts */
  double *lam, *psi, *lam_at, *psi_at;
  ga_contact_state *state;
  /* the watch: absent contacts stay open while each position moves by less than its room */
  double *room, *moved; /* nv */
  double h;             /* of the next step */
  int steps;            /* since the last look */
  unsigned char *mode;  /* nlam + npsi of the whole: work */
  double *d, *turn;     /* npsi: work */
} ga_presence;

/* Decide whether contacts may be absent, and let all be; sets it->model. */
ga_status ga_presence_init(struct ga_integrator *it);
/* The model with all rows. */
const ga_model *ga_presence_whole(const struct ga_integrator *it);
/* The number of the present contact i in the whole model. */
int ga_presence_number(const struct ga_integrator *it, int i);

/* The other way round: -1 if contact i of the whole model is absent. */
int ga_presence_place(const struct ga_integrator *it, int i);
/* An absent contact at the accepted state, evaluated there. */
ga_contact_state ga_presence_absent(const struct ga_integrator *it, int i);

/* Let the user's state point to the arrays of all rows; renew what is in them. */
void ga_presence_show_to(struct ga_integrator *it);
void ga_presence_show(struct ga_integrator *it);
/* whole <- multipliers of all rows, zeros for absent contacts, from those of the rows of the run. */
void ga_presence_spread_lam(const struct ga_integrator *it, const double *lam, double *whole);
void ga_presence_spread_psi(const struct ga_integrator *it, const double *psi, double *whole);

/* A new run: impulses of contacts that are absent are 0. */
void ga_presence_forget(struct ga_integrator *it);
/* Before a start at (t, q, v): let those contacts be present that are near there. */
ga_status ga_presence_start(struct ga_integrator *it, double t, const double *q, const double *v);
/* presence_look.c: the contacts that are to be present at (t, q), into next: those that motion at v and
 * vd (NULL: none) brings near; the room of the others. *late: an absent contact is closed. */
ga_status ga_presence_look(struct ga_integrator *it, double t, const double *q, const double *v,
                           const double *vd, bool *late);
/* Before a step: make the change that the watch has asked for. */
ga_status ga_presence_prepare(struct ga_integrator *it);
/* A step is solved: it->mem is its end, it->last.mem its beginning. *late: an absent contact is
 * closed at its end; the step is to be taken back, and made again after `prepare`. */
ga_status ga_presence_watch(struct ga_integrator *it, bool *late);
/* Let all contacts be present from now on, for a state that is saved or loaded. */
ga_status ga_presence_all(struct ga_integrator *it);

#endif
