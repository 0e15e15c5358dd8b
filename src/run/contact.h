/* SPDX-License-Identifier: MIT */
/* Contacts of a run: their states, the tests after a piece of a step, what happens at a change
 * (docs/internals/contact.md). */
#ifndef GA_SRC_RUN_CONTACT_H
#define GA_SRC_RUN_CONTACT_H

#include "base/base.h"
#include "contact/rows.h"
#include "genalpha/ga_contact.h"
#include "step/memory.h"

struct ga_integrator;
struct ga_plan;

enum { GA_CONTACT_NOTHING = -1 }; /* in place of a ga_contact_kind: the contact does not change */

/* Changes of one contact in a nominal step: after so many, what is left of the step is not cut. */
enum { GA_CONTACT_CHANGES = 30 };

typedef struct ga_contacts {
  int n;                   /* number of contacts; 0: nothing else is set */
  ga_contact_rows rows;    /* what the rows say */
  ga_contact_state *state; /* n: states at the accepted time */
  bool *redundant;         /* n: the forces of this contact are not unique */
  bool *needed;            /* n: it stays closed though equal compliances would let it pull */
  int *axes;               /* directions of the rows k (ga_evaluation.axes), of all contacts */
  double *reach;           /* n: sum_j |G_ij|/sqrt(w_j), which makes gaps of any kind comparable */
  double *turn;            /* npsi: k', derivatives of the slip velocities, of those that slip */
  double *d_begin;         /* npsi: d at the beginning of the piece */
  /* largest sizes so far, in the metric W: of positions, of contact velocities, of contact forces */
  double size, speed, force;
  /* a change that was located and is not yet made: */
  bool pending;
  double t_change; /* its time */
  double t_rest;   /* the end of the step that it cut; -INFINITY: none */
  int *found;      /* n: kinds, or GA_CONTACT_NOTHING */
  /* since the last nominal step: */
  double t_nominal; /* its beginning */
  int *count;       /* n: changes of each contact */
  double h_series;  /* automatic steps: size before the last series of impacts */
  double *bend[4];  /* nv: the state inside a piece (contact_between.c) */
  bool *kept;       /* n: stays closed to the end of the nominal step (contact_change.c) */
  double *t_hit;    /* n: when it last hit */
  bool *looked;   /* n: P4 has decided once, in this nominal step, what hit where its piece began */
  bool stuck;     /* the contacts of the pending change hit where their piece began, */
  bool keeps;     /* there are kept contacts, */
  double t_gaps;  /* contacts.g is that of dense output at this time */
  double t_keeps; /* since this time */
  bool pieces;    /* the last step was a piece of a nominal one */
  bool short_piece; /* the last piece was too short for a memory */
  bool told_reduced, told_uncut;
  bool starting; /* the change is that of a start */
  bool hold_all; /* all directions of slip are held in the next piece */
  bool *aimed;   /* n: rows.d is the direction at its end (contact_aim.c) */
  double aim_h;  /* its size while P4 looks for them; else 0 */
  /* steps that are not cut: */
  bool switched;              /* a contact has changed its state in the present step */
  unsigned char *tried;       /* n: kinds of changes in the present step, bits */
  double *un_begin;           /* n: rates of the gaps at its beginning */
  int *state_begin;           /* n: states there, or after a later change */
  double *psi_end;            /* npsi: psi at its end */
  bool *left;                 /* n: work of P2 */
  double *lam;                /* work: nlam */
  double *g, *gv, *k;         /* work: gaps, their rates, slip velocities */
  double *q, *v, *vd, *drift; /* work: nq, nv, nv, nlam + npsi */
  unsigned char *mode;        /* work: nlam + npsi */
  unsigned char
      *told_mode;   /* nlam + npsi: modes for which the factors of the step have their pivots, */
  bool told;        /* if they have */
  bool changing;    /* modes are tried for a while, and no step is made */
  ga_memory before; /* the state before a change that fails */
  /* memory of changes, of the problem of one, of its cone problem, of dependent rows: kept, so that
   * changes do not allocate */
  ga_arena of_change, of_problem, of_coupling, of_cone[2], of_rows;
  ga_contact_stats stats;
  ga_contact_observer observer;
  void *observer_context;
} ga_contacts;

/* Allocate; sets n. The caller checks arena.failed. Before the step and the saddle are made. */
void ga_contacts_init(struct ga_integrator *it);
void ga_contacts_free(struct ga_integrator *it);

/* Before a start: all contacts open; again: statistics go on. After it: P2, P3, P4 there. */
void ga_contacts_reset(struct ga_integrator *it, bool again);
ga_status ga_contacts_start(struct ga_integrator *it);
/* At a start: the first automatic step of the motion with contacts, into it->h. */
ga_status ga_contacts_first_size(struct ga_integrator *it);
/* Forces may have jumped at the accepted state: P4 and new states. */
ga_status ga_contacts_settle(struct ga_integrator *it);

/* Before a step: the change that is pending, a memory anew after a short piece. */
ga_status ga_contacts_prepare(struct ga_integrator *it);
/* After a piece that was cut: call the observer if something hits, then make the change. */
ga_status ga_contacts_pass(struct ga_integrator *it);
/* A piece of h begins: which directions of slip are held. */
void ga_contacts_hold(struct ga_integrator *it, double h);
/* A piece is solved: it->mem is its end. *cut: it has a change before its end; it->mem is then the
 * state there, and the change is pending. */
ga_status ga_contacts_examine(struct ga_integrator *it, struct ga_plan *plan, bool *cut);
/* contact_uncut.c: is the present step not cut at changes? */
bool ga_contacts_uncut(const struct ga_integrator *it);
/* Such a step is solved. *again: a contact lifts, slides or stops in it; after the step was taken back,
 * `switch` gives it the new state, and the step is to be solved once more. `finish`: nothing is
 * left to be switched; what is closed at its end hits there, *cut: a change is pending at its
 * end. */
ga_status ga_contacts_find_switch(struct ga_integrator *it, bool *again);
ga_status ga_contacts_switch(struct ga_integrator *it);
void ga_contacts_begin_uncut(struct ga_integrator *it);
ga_status ga_contacts_finish(struct ga_integrator *it, bool *cut);
/* contact_between.c: the state at t inside a piece, after `bend`. */
struct ga_dense_output;
void ga_contacts_init_bends(struct ga_integrator *it);
ga_status ga_contacts_bend(struct ga_integrator *it);
void ga_contacts_between(const struct ga_integrator *it, double t,
                         const struct ga_dense_output *out);
/* Does a direction of slip turn with the velocity? */
bool ga_contacts_slip_turns(const struct ga_integrator *it);
/* Contacts that hit where their piece began stay closed; their states in place of open. */
ga_status ga_contacts_keep(struct ga_integrator *it, double t, const double *q, double *v,
                           double *e);
void ga_contacts_close_kept(struct ga_integrator *it, const double *ut, int *states);
/* contact_tests.c: does an open contact with this gap hit, beyond rounding? contacts.found = tests that fail at the end of the step; those of them that fail
 * first, at *t (INFINITY: none after all). */
bool ga_contacts_closes(const struct ga_integrator *it, int i, double gap, double rate);
ga_status ga_contacts_find_failed(struct ga_integrator *it, bool *any);
ga_status ga_contacts_find_earliest(struct ga_integrator *it, double *t);
/* contact_aim.c: a piece was solved; again, if directions of slip turn fast in it. */
ga_status ga_contacts_aim(struct ga_integrator *it, const struct ga_plan *plan);
/* contact_uncut.c: a piece of given size could not be solved (status > 0). */
ga_status ga_contacts_retry(struct ga_integrator *it, struct ga_plan *plan, ga_status status);

/* contact_position.c, P2: q, with the gaps `equal` closed and no other below 0; further ones are marked in
 * equal, those that would pull and are not `held` taken out. States and rows are work. */
ga_status ga_contacts_close_gaps(struct ga_integrator *it, double t, double *q, const double *v,
                                 bool *equal, const bool *held);
/* Make the change that is pending, at the accepted state. */
ga_status ga_contacts_change(struct ga_integrator *it);
/* A piece is accepted: states, work of friction, largest sizes. refresh: states alone. */
ga_status ga_contacts_accept(struct ga_integrator *it);
ga_status ga_contacts_refresh(struct ga_integrator *it);
/* The same from contacts.g, gv, k, which are those of the accepted state. */
ga_status ga_contacts_read(struct ga_integrator *it);
/* Ask the model for the axes of contacts; true if one has changed. fresh: choose all anew. */
bool ga_contacts_turn_axes(struct ga_integrator *it, bool fresh);
bool ga_contacts_choose_axes(struct ga_integrator *it, double t, const double *q, bool fresh);

/* ---- contact_rows.c: from states to rows ----------------------------------------------------- */

/* Set rows.mode, rows.d, dropped rows of the step from the states, with the dependent rows that the
 * matrix A of `problem` shows; NULL: none depend. */
struct ga_touching;
ga_status ga_contacts_set_rows(struct ga_integrator *it, const struct ga_touching *problem);
/* At a start with redundant = allow: leave out rows that are always on and depend on others,
 * without the contacts. */
ga_status ga_contacts_drop_joints(struct ga_integrator *it, double t, const double *q,
                                  const double *v);
/* How many rows of joints are left out of the steps; rows of open contacts do not count. */
int ga_contacts_dropped_joints(const struct ga_integrator *it);
/* Let the equations of the step know the modes: factors and guesses are forgotten. */
void ga_contacts_tell_step(struct ga_integrator *it);
/* eps_g of contact i, eps_v, eps_F; how far positions move in the metric for a gap of eps_g. */
double ga_contacts_eps_position(const struct ga_integrator *it);
double ga_contacts_eps_gap(const struct ga_integrator *it, int i);
double ga_contacts_eps_speed(const struct ga_integrator *it, int i);
double ga_contacts_eps_force(const struct ga_integrator *it, int i);
/* g, G v + g_t, k of all rows at (t, q, v) into contacts.g, gv, k; reach of all contacts. */
ga_status ga_contacts_evaluate(struct ga_integrator *it, double t, const double *q,
                               const double *v);

/* reach of all contacts from G, if the model has a metric. */
void ga_contacts_measure_reach(struct ga_integrator *it, const ga_csr *G);

/* ---- contact_problem.c: A and b of contacts -------------------------------------------------- */

/* The contacts of a problem at (t, q, v): rows J, X = K^-1 J^T, A = J X, K of the rows that are always
 * on. */
typedef struct ga_touching {
  ga_arena *arena;      /* contacts.of_problem: one problem at a time; NULL: none */
  int n, m;             /* contacts, rows */
  int *contact;         /* n: their numbers */
  int *nt, *at;         /* n: tangential rows (0 without friction); first row */
  int *row;             /* m: row of G, or nlam + row of H */
  ga_csr X, A;          /* m x nv, m x m; entries of rows that are coupled */
  ga_csr normal;        /* n x n: A of the normals */
  double *b, *u;        /* m */
  double *r;            /* m */
  int *status, *island; /* n */
} ga_touching;

/* The problem of the contacts with a mark, at (t, q, v); free it, also after a failure. */
ga_status ga_touching_init(struct ga_integrator *it, const bool *mark, double t, const double *q,
                           const double *v, ga_touching *p);
void ga_touching_free(ga_touching *p);
/* u = rates of gaps and slip velocities at v, from contacts.gv and k. */
void ga_touching_velocities(const struct ga_integrator *it, const ga_touching *p, double *u);
/* b = J v'_free + drift: accelerations without the contacts, at (t, q, v). */
ga_status ga_touching_accelerations(struct ga_integrator *it, double t, const double *q,
                                    const double *v, ga_touching *p);
/* v += X^T r */
void ga_touching_apply(const ga_touching *p, const double *r, double *v);
/* (A r)_i of p->r */
double ga_touching_gain(const ga_touching *p, int i);
/* contact_coupling.c: X, A, normal with the factors of K; sum_j J_ij x_j of a row of the saddle */
ga_status ga_touching_couple(struct ga_integrator *it, ga_touching *p);
double ga_touching_row_times(const struct ga_integrator *it, int row, const double *x);

/* ---- contact_impact.c: P3; contact_forces.c: P4 ---------------------------------------------- */

/* Velocities after an impact of the contacts in p: v, p->r, p->u (before); *impact: there was one.
 * e: restitutions, n numbers; un_begin: rates of the gaps (n numbers) that they act on, NULL: those
 * at v. *factor: of all restitutions, less than 1 if energy would be gained. */
ga_status ga_contacts_impact(struct ga_integrator *it, ga_touching *p, double t, double *v,
                             const double *un_begin, const double *e, double *factor, bool *impact);
/* v^T M v/2 with saddle.M. */
double ga_contacts_kinetic(const struct ga_integrator *it, const double *v);

/* Forces p->r and new states (n) at (t, q, v) of the contacts in p that touch and do not move apart;
 * directions of slip go to rows.d. contacts.g, gv, k are of this point. slide (n marks, NULL: none):
 * contacts at the edge of sliding, with their direction in rows.d. without (NULL: none): contacts that
 * open. jam (n marks, NULL: not allowed): contacts that an impulse without collision has stopped, which
 * changes v; impulse: 3 n numbers, added. */
ga_status ga_contacts_forces(struct ga_integrator *it, ga_touching *p, double t, const double *q,
                             double *v, const bool *slide, const bool *without, bool *jam,
                             double *impulse, int *states);

#endif
