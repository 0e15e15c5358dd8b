/* SPDX-License-Identifier: MIT */
/* Contacts of the model of a mechanism, the gaps of its start, and the mechanism without contacts. */
#include <stdio.h>
#include <string.h>

#include "mechanism/contact/contact.h"

/* Sets m->model.contacts from the elements behind m->nfree. False: no memory. */
bool ga_mechanism_set_contacts(ga_mechanism *m) {
  const int n = m->elements.count - m->nfree;
  if (n == 0) return true;
  ga_contact *contacts = ga_arena_take(&m->arena, (size_t)n, sizeof *contacts);
  if (!contacts) return false;
  for (int i = 0; i < n; i++) {
    const ga_element *el = &m->elements.item[m->nfree + i];
    contacts[i] =
        (ga_contact){.name = el->name, .gap = el->lam_at, .slip = el->psi_at, .nslip = el->npsi};
    if (el->type == &ga_element_limit) {
      contacts[i].restitution = ((const ga_limit_data *)el->data)->restitution;
      continue;
    }
    const ga_contact_data *data = el->data;
    contacts[i].restitution = data->restitution;
    contacts[i].friction = data->friction;
    contacts[i].static_friction = data->static_friction;
  }
  /* the only point of a contact has the name of the contact */
  for (int g = 0; g < m->groups.count; g++) {
    const ga_contact_group *group = m->groups.item[g].data;
    const int i = m->touch_at[group->first] - m->nfree;
    if (group->count == 1 && i >= 0 && m->groups.item[g].type != &ga_group_limit) {
      contacts[i].name = m->groups.item[g].name;
    }
  }
  m->model.contacts = contacts;
  m->model.ncontacts = n;
  m->model.still_gaps = true; /* planes and ends of limits do not move by themselves */
  return true;
}

/* ---- the start ------------------------------------------------------------------------------ */

/* text <- a length for people: in mm below 1 m. */
static const char *length_text(double x, char *text, size_t room) {
  if (x < 1) {
    snprintf(text, room, "%.3g mm", 1e3 * x);
  } else {
    snprintf(text, room, "%.3g m", x);
  }
  return text;
}

/* The message about an end of a limit that the coordinate is beyond by x. */
static ga_status fail_limit(const ga_mechanism *m, const ga_element *el, double x, ga_error *err) {
  const ga_limit_data *data = el->data;
  const bool lower = data->sign > 0;
  const int length = (int)(strrchr(el->name, '.') - el->name);
  const ga_angle *c = &m->coordinates.item[el->coordinate[0]];
  return ga_fail(
      err, GA_ERR_INITIAL,
      "limit '%.*s': %s starts at %g, %s its %s end %g by %.3g; correct the start values "
      "or the limit",
      length, el->name, c->name, m->q0[c->q_at], lower ? "below" : "above",
      lower ? "lower" : "upper", data->end, x);
}

/* The message about a contact that starts closed by x. */
static ga_status fail_contact(const ga_mechanism *m, const ga_element *el, int contact, double x,
                              ga_error *err) {
  const ga_evaluation nothing = {.u = NULL};
  char by[40];
  ga_pass pass;
  ga_touch_point at;
  if (!ga_pass_begin(&pass, m, 0, m->q0, m->v0, &nothing)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  }
  ga_contact_here(&pass, el, &at);
  ga_pass_end(&pass);
  const int side = el->body[1] > 0;
  const double s = side ? 1 : -1, *n = at.t[0].t;
  length_text(x, by, sizeof by);
  return ga_fail(err, GA_ERR_INITIAL,
                 "contact '%s' starts closed by %s: move '%s' by %s along [%.3g, %.3g, %.3g]",
                 m->model.contacts[contact].name, by, m->bodies.item[el->body[side]].name, by,
                 s * n[0] + 0, s * n[1] + 0, s * n[2] + 0);
}

/* Fail if a gap is below -1e-6 of the length of the mechanism (of 1 rad) at the start. */
ga_status ga_mechanism_check_gaps(const ga_mechanism *m, double t0, ga_error *err) {
  static const double CLOSED = 1e-6;
  ga_arena scratch = {0};
  const int n = m->elements.count - m->nfree;
  if (n == 0) return GA_OK;
  double *g = ga_arena_doubles(&scratch, (size_t)m->nlam);
  ga_status status = g ? GA_OK : ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  if (status == GA_OK) {
    const int code = ga_mechanism_evaluate(m, t0, m->q0, m->v0, &(ga_evaluation){.g = g});
    char text[300];
    if (code != 0) {
      status = ga_fail(err, GA_ERR_INITIAL, "at the start: %s",
                       ga_mechanism_explain(m, code, text, sizeof text));
    }
  }
  for (int i = 0; i < n && status == GA_OK; i++) {
    const ga_element *el = &m->elements.item[m->nfree + i];
    const double gap = g[el->lam_at];
    if (gap >= -CLOSED * ga_row_size(m, el, 0)) continue;
    status = el->type == &ga_element_limit ? fail_limit(m, el, -gap, err)
                                           : fail_contact(m, el, i, -gap, err);
  }
  ga_arena_free(&scratch);
  return status;
}

/* ---- without contacts ----------------------------------------------------------------------- */

/* Rows of contacts are the last ones: the patterns of the others are the beginning of all. */
const ga_mechanism *ga_mechanism_without_contacts(const ga_mechanism *m, ga_mechanism *view) {
  if (m->elements.count == m->nfree) return m;
  *view = *m;
  view->elements.count = view->nlaid = m->nfree;
  for (int i = m->nfree; i < m->elements.count; i++) {
    view->nlam -= m->elements.item[i].nlam;
    view->npsi -= m->elements.item[i].npsi;
  }
  view->G.nrow = view->nlam;
  view->H.nrow = view->npsi;
  view->model.nlam = view->nlam;
  view->model.npsi = view->npsi;
  view->model.pat_G = &view->G;
  view->model.pat_H = &view->H;
  view->model.user = view;
  view->model.contacts = NULL;
  view->model.ncontacts = 0;
  return view;
}
