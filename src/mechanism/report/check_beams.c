/* SPDX-License-Identifier: MIT */
/* The check of beams: have they enough elements for their loads?
 *
 * Strains d/h are constant along an element, so that it follows a bent beam with an error of order
 * theta^4 (constant_strain: theta^2), where theta is the angle by which the larger of the moments
 * at its ends would turn them against each other, with EI and GJ of the section,
 *
 *     theta = h max_{A, B} |(Mx/GJ, My/EI_y, Mz/EI_z)|,    (.., M_A, .., M_B) = P^T sigma.
 *
 * It is |w - w0| for a constant moment; of an element bent like an S, too, it tells the truth. It is
 * looked at in the state that is checked, and at rest under the loads of that time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/beam/beam.h"
#include "mechanism/report/check_beams.h"
#include "statics/statics.h"

/* Largest theta without a warning: 30 degrees. Nine elements of a clamped beam with a force 10
 * EI/L^2 across its end have 28 degrees: the end is wrong by 1e-5 of the length then
 * (constant_strain: 2e-3). */
static const double TURN_FEW = 3.14159265358979323846 / 6;
/* most velocities of a model whose equilibrium is sought: it takes some seconds then */
enum { VELOCITIES_MOST = 1000 };

/* theta of an element at q; as much as it may have if its ends are turned too far */
static double turn_of(const ga_mechanism *m, const ga_element *el, const double *q) {
  const ga_beam_data *e = el->data;
  const double bending[3] = {e->GJ, e->EI[0], e->EI[1]};
  double f[GA_BEAM_NV], most = 0;
  ga_strain s;
  if (!ga_beam_strain(e, q + m->bodies.item[el->body[0]].q_at, q + m->bodies.item[el->body[1]].q_at,
                      NULL, &s)) {
    return GA_BEAM_TURN_MOST;
  }
  ga_beam_force(&s, f);
  for (int end = 0; end < 2; end++) {
    double turn[3];
    for (int i = 0; i < 3; i++) turn[i] = e->h * f[6 * end + 3 + i] / bending[i];
    most = fmax(most, ga_norm3(turn));
  }
  return most;
}

/* Warn of each beam with an element that is turned too far at q; where: the words for q. Returns the
 * number of warnings. */
static int check_at(const ga_mechanism *m, const double *q, const char *where, ga_log_fn say,
                    void *context) {
  int warnings = 0;
  for (int i = 0; i < m->others.count;) {
    const ga_element *first = &m->others.item[i], *worst = first;
    if (first->type != &ga_element_beam) {
      i++;
      continue;
    }
    const char *beam = ((const ga_beam_data *)first->data)->beam;
    double most = 0;
    int n = 0;
    for (; i < m->others.count && m->others.item[i].type == &ga_element_beam &&
           ((const ga_beam_data *)m->others.item[i].data)->beam == beam;
         i++, n++) {
      const double turn = turn_of(m, &m->others.item[i], q);
      if (turn > most) most = turn, worst = &m->others.item[i];
    }
    if (!(most > TURN_FEW)) continue;
    warnings++;
    char text[400];
    snprintf(text, sizeof text,
             "Beam '%.80s': %s its element %d is bent or twisted by %.0f degrees. More than 30 is "
             "coarse: use %d elements or more.",
             beam, where, (int)(worst - first) + 1, most * 30 / TURN_FEW,
             (int)ceil(n * most / TURN_FEW));
    if (say) say(context, GA_LOG_WARNING, text);
  }
  return warnings;
}

/* Check the beams of m, see the header. */
ga_status ga_check_beams(const ga_mechanism *m, const ga_check_place *at, ga_log_fn say,
                         void *context, int *warnings, ga_error *err) {
  *warnings = 0;
  if (!m->spread) return GA_OK;
  *warnings = check_at(m, at->q, "at the start", say, context);
  if (*warnings > 0 || m->nv > VELOCITIES_MOST) return GA_OK;
  double *q = ga_calloc((size_t)m->nq, sizeof *q);
  if (!q) return ga_fail(err, GA_ERR_MEM, "no memory to check the mechanism");
  memcpy(q, at->q, (size_t)m->nq * sizeof *q);
  ga_equilibrium how = {.weight = at->weight, .unit = at->unit, .relax_steps = -1};
  ga_error ignored = {GA_OK, ""};
  const ga_status status = ga_equilibrium_find(&m->model, at->t, q, &how, &ignored);
  if (status == GA_ERR_MEM) {
    ga_free(q);
    return ga_fail(err, status, "no memory to check the mechanism");
  }
  *warnings = check_at(m, q,
                       status == GA_OK ? "at rest under the loads of the start"
                                       : "on the way to rest under the loads of the start",
                       say, context);
  ga_free(q);
  return GA_OK;
}
