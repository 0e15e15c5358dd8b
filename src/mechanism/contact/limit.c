/* SPDX-License-Identifier: MIT */
/* One end of a limit of a joint coordinate: g = theta - lower, or g = upper - theta, a row that a run
 * turns on and off. It reacts on the coordinate alone and has no friction. */
#include "mechanism/contact/contact.h"

/* the row depends on the coordinate alone */
static void limit_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->coordinates = true;
}

/* Writes the row; its drift is zero because it is linear. */
static int limit_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_limit_data *data = el->data;
  const ga_evaluation *out = pass->out;
  if (!pass->holonomic) return 0;
  const double theta = pass->q[pass->m->coordinates.item[el->coordinate[0]].q_at];
  if (out->g) out->g[el->lam_at] = data->sign * (theta - data->end);
  if (out->drift) out->drift[el->lam_at] = 0;
  ga_pass_row_coordinate(pass, el, 0, 0, data->sign);
  return 0;
}

/* gap n impulse state */
static void limit_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  ga_contact_values own;
  ga_contact_report(pass, state, el, &own);
  values[0] = own.gap, values[1] = own.n, values[2] = own.impulse, values[3] = own.state;
}

/* the same of a group: the lesser gap, sums of n and impulse, the larger state */
static void group_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  const ga_contact_group *group = el->data;
  for (int i = 0; i < group->count; i++) {
    double own[4];
    limit_output(pass, state, ga_mechanism_touch(pass->m, group->first + i), own);
    values[0] = i == 0 ? own[0] : fmin(values[0], own[0]);
    values[1] = own[1] + (i == 0 ? 0 : values[1]);
    values[2] = own[2] + (i == 0 ? 0 : values[2]);
    values[3] = i == 0 ? own[3] : fmax(values[3], own[3]);
  }
}

static const ga_column limit_names[] = {
    {".gap", "m", "rad"}, {".n", "N", "N m"}, {".impulse", "N s", "N m s"}, {".state", "1", NULL}};

const ga_element_type ga_element_limit = {.what = "limit",
                                          .order = GA_ORDER_FORCES,
                                          .structure = limit_structure,
                                          .evaluate = limit_evaluate,
                                          .columns = limit_names,
                                          .nextra = 4,
                                          .output = limit_output};
const ga_element_type ga_group_limit = {
    .what = "limit", .order = GA_ORDER_FORCES, GA_COLUMNS(limit_names), .output = group_output};
