/* SPDX-License-Identifier: MIT */
/* Columns of contacts: of a point, and of a contact as a whole. Gaps, slips and directions follow from
 * the state; states and impulses are those of the run (ga_state.contacts). */
#include "mechanism/contact/contact.h"

/* x <- the tangent t_1 for columns: the space axis least along n, made perpendicular to it, ties as for
 * the x axes of joints. */
static void first_tangent(const double *n, double *x) {
  ga_axis_far_from(n, x);
  ga_plus3(x, -ga_dot3(x, n), n, x);
  const double size = ga_norm3(x);
  for (int i = 0; i < 3; i++) x[i] /= size;
}

/* force (space axes) along t_1, t_2, n; planes have tangents of their own, which ride on A */
static void along_axes(const ga_contact_data *data, const ga_touch_point *at, const double *F,
                       double *f) {
  const ga_contact_shape *s = &data->shape;
  double t1[3], t2[3];
  ga_copy3(at->t[1].t, t1);
  ga_copy3(at->t[2].t, t2);
  if (s->kind != GA_SURFACES_PLANE && s->kind != GA_SURFACES_DISK && !s->planar) {
    first_tangent(at->t[0].t, t1);
    ga_cross3(at->t[0].t, t1, t2);
  }
  f[0] = ga_dot3(F, t1);
  f[1] = s->planar ? ga_dot3(F, at->t[0].t) : ga_dot3(F, t2);
  f[2] = ga_dot3(F, at->t[0].t);
}

/* Sets state and impulse of a point from the run. A soft contact is closed where it presses. */
static void from_run(const ga_pass *pass, const ga_state *state, const ga_element *el,
                     ga_contact_values *own) {
  const long i = el - pass->m->elements.item - pass->m->nfree;
  own->state = own->n > 0;
  own->impulse = 0;
  if (i < 0 || !state->contacts) return;
  own->state = state->contacts[i].state;
  own->impulse = state->contacts[i].impulse;
}

/* *own <- the columns of one point or one end of a limit. */
void ga_contact_report(ga_pass *pass, const ga_state *state, const ga_element *el,
                       ga_contact_values *own) {
  *own = (ga_contact_values){.gap = NAN, .slip = NAN};
  double phi[3] = {el->nlam ? -state->lam[el->lam_at] : 0, 0, 0};
  for (int i = 0; i < el->npsi; i++) phi[1 + i] = -state->psi[el->psi_at + i];
  if (el->type == &ga_element_limit) {
    const ga_limit_data *data = el->data;
    const double theta = state->q[pass->m->coordinates.item[el->coordinate[0]].q_at];
    own->gap = data->sign * (theta - data->end);
    own->n = phi[0];
    from_run(pass, state, el, own);
    return;
  }
  const ga_contact_data *data = el->data;
  ga_touch_point at;
  double U[3], square = 0;
  if (!ga_contact_here(pass, el, &at)) return;
  if (data->stiffness > 0) ga_soft_contact_force(data, &at, phi);
  ga_touch_velocity(&at.pair, at.c.t, U);
  for (int i = 0; i < 3; i++) ga_plus3(own->F, phi[i], at.t[i].t, own->F);
  for (int i = 1; i < 3; i++) square += ga_dot3(U, at.t[i].t) * ga_dot3(U, at.t[i].t);
  own->gap = at.g;
  own->n = phi[0];
  own->slip = sqrt(square);
  along_axes(data, &at, own->F, own->f);
  from_run(pass, state, el, own);
}

/* values <- the columns in the order of their names. */
void ga_contact_put(const ga_contact_values *own, bool planar, double *values) {
  const int n = planar ? 2 : 3;
  *values++ = own->gap;
  *values++ = own->n;
  for (int i = 0; i < n; i++) *values++ = own->f[i];
  *values++ = own->slip;
  *values++ = own->state;
  *values++ = own->impulse;
  for (int i = 0; i < n; i++) *values++ = own->F[i];
}

/* The least gap, sums of forces and impulses, the largest slip and state of all points. */
static void group_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  const ga_contact_group *group = el->data;
  ga_contact_values all = {.gap = INFINITY}, own;
  for (int i = 0; i < group->count; i++) {
    ga_contact_report(pass, state, ga_mechanism_touch(pass->m, group->first + i), &own);
    all.gap = fmin(all.gap, own.gap);
    all.n += own.n;
    for (int k = 0; k < 3; k++) all.f[k] += own.f[k], all.F[k] += own.F[k];
    all.slip = fmax(all.slip, own.slip);
    all.state = fmax(all.state, own.state);
    all.impulse += own.impulse;
  }
  ga_contact_put(&all, el->type == &ga_group_contact_planar, values);
}

const ga_element_type ga_group_contact = {.what = "contact",
                                          .order = GA_ORDER_FORCES,
                                          .columns = ga_contact_names,
                                          .ncolumn = 8,
                                          .nextra = 3,
                                          .output = group_output};
const ga_element_type ga_group_contact_planar = {.what = "contact",
                                                 .order = GA_ORDER_FORCES,
                                                 .columns = ga_contact_names_planar,
                                                 .ncolumn = 7,
                                                 .nextra = 2,
                                                 .output = group_output};
