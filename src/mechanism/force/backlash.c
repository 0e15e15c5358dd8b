/* SPDX-License-Identifier: MIT */
/* Backlash of gears, splines and couplings: teeth that touch only beyond half of the play.
 *
 *   e = sum c_k theta_k - free,   p = |e| - gap/2
 *   effort on e: -sign(e) (k p + d), d = c p', |d| <= k p, where p > 0; else 0
 *
 * Every coordinate gets c_k times the effort. */
#include <math.h>

#include "mechanism/force/force.h"
#include "mechanism/joint/relation.h"
#include "mechanism/signal/signal.h"

typedef struct backlash_data {
  ga_relation relation; /* first: the element is a relation */
  double gap, stiffness, damping;
} backlash_data;

/* -effort at this point, and its derivatives by e and e' */
static double teeth_at(const backlash_data *b, const ga_relation_point *at, double *by_e,
                       double *by_rate) {
  const double side = at->value < 0 ? -1 : 1;
  return side * ga_push_back(b->stiffness, b->damping, side * at->value - 0.5 * b->gap,
                             side * at->rate, by_e, by_rate);
}

/* Adds the efforts and their tangents. */
static int backlash_evaluate(ga_pass *pass, const ga_element *el) {
  ga_relation_point at;
  double by_e, by_rate;
  if (!pass->out->F && !pass->tangents) return 0;
  ga_relation_at(pass, el, false, &at);
  const double teeth = teeth_at(el->data, &at, &by_e, &by_rate);
  if (teeth != 0) ga_relation_force(pass, el, &at, teeth, by_e, by_rate);
  return 0;
}

/* k p^2/2 where the teeth touch */
static double backlash_energy(ga_pass *pass, const ga_element *el) {
  const backlash_data *b = el->data;
  ga_relation_point at;
  ga_relation_at(pass, el, false, &at);
  const double p = fabs(at.value) - 0.5 * b->gap;
  return p > 0 ? 0.5 * b->stiffness * p * p : 0;
}

/* writes e, from the middle of the play, its rate and the effort on it */
static void backlash_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                            double *values) {
  (void)state;
  ga_relation_point at;
  double by_e, by_rate;
  ga_relation_at(pass, el, false, &at);
  values[0] = at.value;
  values[1] = at.rate;
  values[2] = -teeth_at(el->data, &at, &by_e, &by_rate);
}

/* effort times rate */
static double backlash_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  double values[3];
  backlash_output(pass, state, el, values);
  return values[2] * values[1];
}

/* A ga_function_fn of e, e', t: the effort; context: the backlash_data. Second derivatives are not
 * used. */
static int effort_on(void *context, const double *variables, int along, double f[3]) {
  const ga_relation_point at = {.value = variables[GA_LAW_S], .rate = variables[GA_LAW_RATE]};
  double by_e, by_rate;
  f[0] = -teeth_at(context, &at, &by_e, &by_rate);
  f[1] = along == GA_LAW_S ? -by_e : along == GA_LAW_RATE ? -by_rate : 0;
  f[2] = 0;
  return 0;
}

/* e and e' of the relation; the effort is a function of both; the power */
static bool backlash_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  return ga_relation_effort_signal(m, el, effort_on, 1, column, signal);
}

/* Fills coordinates of el and its data from the description. */
static ga_status backlash_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                                   ga_element *el, void *out, ga_error *err) {
  backlash_data *data = out;
  const ga_relation_terms terms = {.count = force->nsum,
                                   .coordinates = force->sum,
                                   .coefficients = force->coefficients,
                                   .field = "sum"};
  const double numbers[4] = {force->stiffness, force->damping, force->gap, force->free.value};
  if (!ga_finite(4, numbers)) {
    return ga_fail(err, GA_ERR_ARG, "%s has a number that is not finite", owner);
  }
  if (force->stiffness <= 0 || force->damping < 0 || force->gap < 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: stiffness must be positive, gap and damping not negative",
                   owner);
  }
  if (force->nsum > GA_RELATION_MAX) {
    return ga_fail(err, GA_ERR_ARG, "%s: more than %d coordinates", owner, GA_RELATION_MAX);
  }
  const ga_status status = ga_relation_describe(m, owner, &terms, el, &data->relation, err);
  if (status != GA_OK) return status;
  if (force->free.given) data->relation.equals = force->free.value;
  data->gap = force->gap;
  data->stiffness = force->stiffness;
  data->damping = force->damping;
  return GA_OK;
}

/* the sum may add metres and radians */
static const ga_column columns[] = {
    {".offset", "", NULL}, {".rate", "", NULL}, {".effort", "", NULL}};

const ga_force_type ga_force_backlash = {
    .element = {.name = "backlash",
                .what = "backlash",
                .relation = true,
                .structure = ga_relation_structure,
                .evaluate = backlash_evaluate,
                .energy = backlash_energy,
                .order = GA_ORDER_FORCES,
                GA_COLUMNS(columns),
                .output = backlash_output,
                .signal = backlash_signal,
                .power = backlash_power},
    .summary = "play of gears or couplings, with elastic teeth",
    .uses = GA_FORCE_HAS_SUM | GA_FORCE_HAS_GAP | GA_FORCE_HAS_STIFFNESS | GA_FORCE_HAS_DAMPING |
            GA_FORCE_HAS_FREE,
    .needs = GA_FORCE_HAS_SUM | GA_FORCE_HAS_STIFFNESS,
    .size = sizeof(backlash_data),
    .describe = backlash_describe};
