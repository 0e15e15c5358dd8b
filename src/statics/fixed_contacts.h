/* SPDX-License-Identifier: MIT */
/* A model whose contacts have fixed states: an ordinary constrained model for statics.
 *
 * Rows that are off are zero: g_i = 0, G_i = 0. Statics allows redundant rows, and their multipliers of
 * least norm are zero. A contact that is closed and has friction sticks (k = 0), or slides without
 * friction: a configuration that is at rest so is at rest with friction, too. */
#ifndef GA_SRC_FIXED_CONTACTS_H
#define GA_SRC_FIXED_CONTACTS_H

#include "statics/statics.h"

typedef struct ga_fixed_contacts {
  const ga_model *whole; /* the model with contacts */
  ga_model model;        /* the same with fixed states; whole itself if it has no contacts */
  ga_model_ops ops;
  int n;
  int *state; /* n: GA_CONTACT_.., to be changed between evaluations */
  /* omega^2 of a pendulum of the size of the model under its loads, set by _find: what stiffnesses of
   * contact forces are made of, though they may cancel */
  double load;
} ga_fixed_contacts;

/* Fills f, all contacts open. f must stay where it is. */
ga_status ga_fixed_contacts_open(ga_fixed_contacts *f, const ga_model *whole, ga_arena *arena,
                                 ga_error *err);
/* Closes contact i: it sticks if it has friction. */
void ga_fixed_contacts_close(ga_fixed_contacts *f, int i);
/* g (nlam numbers) <- rows of all contacts, whatever their state */
ga_status ga_fixed_contacts_gaps(const ga_fixed_contacts *f, double t, const double *q, double *g,
                                 ga_error *err);

/* reach[i] <- the change of gap i by a change of one unit everywhere, at (t, q). s: of f->model;
 * its G is overwritten. */
ga_status ga_fixed_contacts_reach(ga_fixed_contacts *f, ga_static_system *s, double t,
                                  const double *q, const double *unit, double *reach);

/* Closes all open contacts with gaps of at most 1e-9 of their reach; true if there is one. Then all
 * closed ones with friction stick again, because forces have changed. */
bool ga_fixed_contacts_touch(ga_fixed_contacts *f, const double *g, const double *reach);
/* Closes the open contact whose gap the way from g to g_try closes first; *part: of the way. False: it
 * closes none. */
bool ga_fixed_contacts_hit(ga_fixed_contacts *f, const double *g, const double *g_try,
                           const double *reach, double *part);

/* Do these forces fit the closed contacts: none pulls, none that sticks needs more friction than it
 * has? D: sizes of the rows (sum of G_ij^2/W_j), so that sqrt(D) times a multiplier is a size of
 * forces; what is below eps counts as zero. */
bool ga_fixed_contacts_fit(const ga_fixed_contacts *f, const double *lam, const double *psi,
                           const double *D, double eps);
/* Forces that fit, found by a cone problem (contact_balance.c): x, lam, psi, and the states that they
 * belong to: *changed. given: F, then the values that G x and H x should have, of all rows. s has
 * W or M, as `weights` says, and G, H. GA_RETRY_CONTACT: there are none. */
ga_status ga_fixed_contacts_balance(ga_fixed_contacts *f, ga_static_system *s,
                                    const ga_static_system_weights *weights, const double *given,
                                    double *x, double *lam, double *psi, bool *changed);

/* f->state <- those at (t, q, v) of contacts that touch and do not move: closed if they press.
 * GA_ERR_INITIAL if one slides, or would. s: of f->model, opened with tangents; W is set. */
ga_status ga_fixed_contacts_find(ga_fixed_contacts *f, ga_static_system *s, double t,
                                 const double *q, const double *v);

#endif
