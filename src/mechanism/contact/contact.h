/* SPDX-License-Identifier: MIT */
/* Contacts of a mechanism: elements whose rows a run turns on and off, and groups of them.
 *
 * A contact of the author is a group of points, each an element of its own with one gap and 0, 1 or 2
 * slips; a limit is a group of one or two ends, each with one gap. Soft contacts are forces. Points
 * and ends are in the list m->touches, in the order of their calls, groups in m->groups. Columns of
 * the group are usual ones, those of its points are known by name. */
#ifndef GA_SRC_CONTACT_H
#define GA_SRC_CONTACT_H

#include "mechanism/contact/geometry.h"
#include "mechanism/mechanism.h"

/* Data of a contact point. */
typedef struct ga_contact_data {
  ga_contact_shape shape;
  double foot[2][3]; /* points of both bodies at the start, for pictures and sizes */
  double restitution, friction, static_friction;
  double stiffness, damping, slip_speed; /* of a soft contact; else stiffness is 0 */
  bool
      sparse; /* one of many: nothing but a distance is computed where the surfaces are far apart */
} ga_contact_data;

/* Data of one end of a limit: g = sign (theta - end). */
typedef struct ga_limit_data {
  double sign, end, restitution;
} ga_limit_data;

/* The ball about a body of `all`, about s, an offset from the centre of mass in body axes. */
typedef struct ga_ball {
  int body;
  double s[3], radius;
} ga_ball;

/* Data of a group: its elements are the touches first .. first + count - 1. */
typedef struct ga_contact_group {
  int first, count;
  int nball; /* of `all`: its bodies; the pairs (0, 1), (0, 2), .. (1, 2), .. are the touches */
  const ga_ball *ball;
} ga_contact_group;

extern const ga_element_type ga_element_contact, ga_element_contact_planar, ga_element_soft_contact,
    ga_element_soft_contact_planar, ga_element_limit;
/* groups: columns alone */
extern const ga_element_type ga_group_contact, ga_group_contact_planar, ga_group_limit;
extern const ga_column ga_contact_names[], ga_contact_names_planar[];

/* The contact of an element at the state of the pass; false where it cannot be evaluated. */
bool ga_contact_here(ga_pass *pass, const ga_element *el, ga_touch_point *at);
/* phi <- normal force and friction along t_1, t_2 of a soft contact */
void ga_soft_contact_force(const ga_contact_data *data, const ga_touch_point *at, double *phi);

/* ---- columns (contact_columns.c) ------------------------------------------------------------ */

/* Columns of one point or of a group. */
typedef struct ga_contact_values {
  double gap, n, f[3], slip, state, impulse, F[3];
} ga_contact_values;
/* *own <- those of one point or one end of a limit; NaN where a disk lies flat */
void ga_contact_report(ga_pass *pass, const ga_state *state, const ga_element *el,
                       ga_contact_values *own);
/* values <- gap n fx fy fz slip state impulse Fx Fy Fz, in the plane without z */
void ga_contact_put(const ga_contact_values *own, bool planar, double *values);

/* crowd.c: contacts whose rows wait */
struct ga_model_crowd;
extern const struct ga_model_crowd ga_mechanism_crowd;

/* ---- build (contact_rows.c) ----------------------------------------------------------------- */

/* Sets m->model.contacts; needs the layout. False: no memory. */
bool ga_mechanism_set_contacts(ga_mechanism *m);
/* GA_ERR_INITIAL, with the body and the distance, if a gap is negative at (t0, q0). */
ga_status ga_mechanism_check_gaps(const ga_mechanism *m, double t0, ga_error *err);
/* m if it has no hard contacts; else *view, a shallow copy of m whose model has none: the rows of
 * joints, drives and couplers alone. It borrows everything from m. */
const ga_mechanism *ga_mechanism_without_contacts(const ga_mechanism *m, ga_mechanism *view);

#endif
