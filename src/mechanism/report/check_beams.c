/* SPDX-License-Identifier: MIT */
/* The check of beams: have they enough elements for their loads, and for a frequency?
 *
 * Strains d/h are constant along an element, so that it follows a bent beam with an error of order
 * theta^4 (constant_strain: theta^2), where theta is the angle by which the larger of the moments
 * at its ends would turn them against each other, with EI and GJ of the section,
 *
 *     theta = h max_{A, B} |(Mx/GJ, My/EI_y, Mz/EI_z)|,    (.., M_A, .., M_B) = P^T sigma.
 *
 * It is |w - w0| for a constant moment; of an element bent like an S, too, it tells the truth. It is
 * looked at in the state that is checked, and at rest under the loads of that time.
 *
 * Waves of the angular frequency w along a slender beam have the wave numbers
 *
 *     k = (w^2 rhoA/EI)^(1/4) of bending,  w sqrt(rhoI_x/GJ) of torsion,  w sqrt(rhoA/EA) of stretching.
 *
 * A frequency is wrong by about (k h)^4/500 for bending (measured: 2e-4, 1.7e-3, 6.7e-3, 1.8e-2 at k h =
 * 0.6, 1, 1.4, 1.8) and by (k h)^2/24 for torsion and stretching, whose shapes are straight lines
 * along an element; with lumped masses or constant_strain by about (k h)^2/19 for bending, too. */
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
/* Largest k h without a message, at which a frequency is wrong by about 1 %: 4 elements a wave of bending,
 * 16 where the error is of order 2. */
static const double WAVE = 3.14159265358979323846 / 2, WAVE_STRAIGHT = 3.14159265358979323846 / 8;
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

/* Waves of one kind: their k h of an element, and the largest without a message. */
typedef struct {
  const char *name;
  double kh, most;
} wave;

/* The kind of waves of angular frequency w for which the element is the longest; straight: bending has
 * order 2, too. */
static wave longest_wave(const ga_beam_data *e, double w, bool straight) {
  const double rhoA = e->mass / e->h, rhoI = 2 * e->J[0] / e->h;
  const wave all[] = {{"bending", e->h * sqrt(w * sqrt(rhoA / fmin(e->EI[0], e->EI[1]))),
                       straight ? WAVE_STRAIGHT : WAVE},
                      {"torsion", e->h * w * sqrt(rhoI / e->GJ), WAVE_STRAIGHT},
                      {"stretching", e->h * w * sqrt(rhoA / e->EA), WAVE_STRAIGHT}};
  wave worst = all[0];
  for (int i = 1; i < 3; i++) {
    if (all[i].kh / all[i].most > worst.kh / worst.most) worst = all[i];
  }
  return worst;
}

int ga_mechanism_check_waves(const ga_mechanism *m, double hertz, ga_log_fn say, void *context) {
  const double w = 2 * 3.14159265358979323846 * hertz;
  int few = 0;
  for (int i = 0; i < m->others.count;) {
    const ga_element *el = &m->others.item[i];
    if (el->type != &ga_element_beam) {
      i++;
      continue;
    }
    const ga_beam_data *first = el->data;
    wave worst = {"", 0, 1};
    int n = 0;
    for (; i < m->others.count && m->others.item[i].type == &ga_element_beam; i++, n++) {
      const ga_beam_data *e = m->others.item[i].data;
      if (e->beam != first->beam) break;
      const wave own = longest_wave(e, w, e->lumped || e->constant_strain);
      if (own.kh / own.most > worst.kh / worst.most) worst = own;
    }
    if (!(worst.kh > worst.most)) continue;
    few++;
    char text[400];
    snprintf(
        text, sizeof text,
        "Beam '%.80s': at %.4g Hz its waves of %s have %.2g elements each. Frequencies near it "
        "are wrong by 1 %% or more: use %.0f elements or more.",
        first->beam, hertz, worst.name, 4 * WAVE / worst.kh, ceil(n * worst.kh / worst.most));
    if (say) say(context, GA_LOG_WARNING, text);
  }
  return few;
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
