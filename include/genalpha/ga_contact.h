/* SPDX-License-Identifier: MIT */
/* Contact: stops, impacts, friction (docs/internals/contact.md).
 *
 * A contact is rows of the model that are on or off: one holonomic row, the gap g >= 0, and 0, 1 or 2
 * nonholonomic rows, the slip velocities k. Between two changes of state the system is an ordinary
 * constrained system. The integrator cuts its steps at the changes.
 *
 *   open    the rows are off: lam = 0, psi = 0
 *   slip    g = 0, and psi = -mu lam d with d the direction of k; without rows k: closed
 *   stick   g = 0 and k = 0
 *
 * N = -lam >= 0 is the normal force, f = -psi the friction along the rows k, |f| <= mu N.
 *
 * Rows that a contact names belong to it; all other rows are always on. The model gives g, G, k, H and
 * their derivatives for all rows, whatever their state. The two rows k of a contact have the same
 * columns in the pattern of H. */
#ifndef GA_CONTACT_H
#define GA_CONTACT_H

#include <genalpha/ga_base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ga_integrator;

/* A contact of a model (ga_model.contacts). */
typedef struct ga_contact {
  const char *name;       /* for messages */
  int gap;                /* row of g */
  int slip, nslip;        /* first row of k, how many: 0, 1, 2 */
  double restitution;     /* e of Newton's law, 0 to 1 */
  double friction;        /* mu of Coulomb's law; 0 if there are no rows k */
  double static_friction; /* mu at rest, at least mu; 0: mu */
} ga_contact;

enum { GA_CONTACT_OPEN, GA_CONTACT_SLIP, GA_CONTACT_STICK };

/* A contact at the accepted state. */
typedef struct ga_contact_state {
  int state;          /* GA_CONTACT_.. */
  double gap, rate;   /* g and its derivative */
  double normal;      /* N = -lam */
  double friction[2]; /* f = -psi */
  double slip[2];     /* k */
  double impulse;     /* normal impulses since the start, summed */
} ga_contact_state;

/* The i-th contact of the model; all zero before a start or for a wrong number. */
GA_API ga_contact_state ga_integrator_contact(const struct ga_integrator *it, int i);

/* What happens at a change: an open contact closes, friction stops the slip or changes its direction,
 * a sticking contact slides, a closed contact opens, an impulse without collision (Painleve). */
typedef enum ga_contact_kind {
  GA_CONTACT_HIT,
  GA_CONTACT_STOP,
  GA_CONTACT_SLIDE,
  GA_CONTACT_LIFT,
  GA_CONTACT_JAM
} ga_contact_kind;
/* "hit", "stop", "slide", "lift", "jam". */
GA_API const char *ga_contact_kind_name(ga_contact_kind kind);

/* One contact in one change. */
typedef struct ga_contact_change {
  ga_contact_kind kind;
  int contact; /* its number */
  double t;
  int before, after;                        /* states */
  double un_before, un_after;               /* rates of the gap */
  double ut_before[2], ut_after[2];         /* slip velocities */
  double impulse_n, impulse_t1, impulse_t2; /* normal and along the rows k */
  double energy;                            /* kinetic energy lost in the whole impact, in its first
                                            * row; 0 in the others */
  double restitution;                       /* e of this impact, perhaps reduced */
} ga_contact_change;

/* Called for each contact that takes part in a change, with an impulse or a new state, after the
 * change. The observer of the run (ga_integrator_observe) is called twice at the time of a change, with
 * the state before and the state after it. */
typedef void (*ga_contact_observer)(void *context, const ga_contact_change *change);
GA_API void ga_integrator_observe_contacts(struct ga_integrator *it, ga_contact_observer observer,
                                           void *context);

/* Counters of contact since the last start, and energies: one list for the struct and reports. */
#define GA_CONTACT_STAT_LIST(COUNTER, NUMBER)                              \
  COUNTER(changes, "changes of contacts")                                  \
  COUNTER(impacts, "impacts")                                              \
  COUNTER(reduced, "impacts with reduced restitution")                     \
  COUNTER(cones, "cone problems")                                          \
  COUNTER(sweeps, "sweeps of cone problems")                               \
  COUNTER(coarse, "cone problems solved to 1e-6 only")                     \
  COUNTER(uncut, "steps not cut at changes")                               \
  NUMBER(energy_impacts, "kinetic energy lost at impacts since the start") \
  NUMBER(energy_friction, "work of friction since the start (trapezoid)")

#define GA_CONTACT_LONG(name, text) long name;
#define GA_CONTACT_DOUBLE(name, text) double name;
typedef struct ga_contact_stats {
  GA_CONTACT_STAT_LIST(GA_CONTACT_LONG, GA_CONTACT_DOUBLE)
} ga_contact_stats;
#undef GA_CONTACT_LONG
#undef GA_CONTACT_DOUBLE
GA_API ga_contact_stats ga_integrator_contact_stats(const struct ga_integrator *it);

/* Are the forces of contact i not unique at the accepted state (redundant contacts)? They are then
 * those of equal, vanishing compliances. */
GA_API bool ga_integrator_contact_redundant(const struct ga_integrator *it, int i);

#ifdef __cplusplus
}
#endif
#endif
