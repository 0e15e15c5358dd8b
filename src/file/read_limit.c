/* SPDX-License-Identifier: MIT */
/* Limits of coordinates: soft stops. With p, how far the coordinate s is beyond a limit, and p' its
 * rate, the effort that pushes it back is
 *
 *     k p + d,   d = c p', but -k p <= d <= k p
 *
 * and 0 for p <= 0. The damping is never more than the elastic effort, so that the effort begins at 0
 * when the limit is met, whatever the speed is, and a limit never pulls. */
#include <math.h>

#include "file/reader.h"

/* Target of the fields of a limit. */
typedef struct {
  const char *coordinate;
  ga_given lower, upper;
  double stiffness, damping;
} limit_input;

#define AT(member) offsetof(limit_input, member)
const ga_field ga_limit_fields[] = {
    {"coordinate", "coordinate", "JOINT.NAME", ga_field_name, AT(coordinate), NULL, true, NULL},
    {"lower", "number", "least value", ga_field_given, AT(lower), NULL, false, "q"},
    {"upper", "number", "largest value", ga_field_given, AT(upper), NULL, false, "q"},
    {"stiffness", "number", "of the stop, beyond the limit", ga_field_number, AT(stiffness), NULL,
     true, "J/q^2"},
    {"damping", "number", "of the stop; its effort is at most the elastic one", ga_field_number,
     AT(damping), NULL, false, "J s/q^2"},
    {.key = NULL}};
#undef AT

/* Effort that pushes back at penetration p with rate p', and its derivatives by p and p'. */
static double push_back(const limit_input *l, double p, double rate, double *by_p,
                        double *by_rate) {
  const double elastic = l->stiffness * p, damping = l->damping * rate;
  *by_p = *by_rate = 0;
  if (!(p > 0) || damping <= -elastic) return 0;
  const bool full = damping < elastic;
  *by_p = full ? l->stiffness : 2 * l->stiffness;
  *by_rate = full ? l->damping : 0;
  return full ? elastic + damping : 2 * elastic;
}

/* A ga_function_fn of s, s' and t; context: the limit_input. The effort is piecewise linear. */
static int limit_effort(void *context, const double *variables, int along, double f[3]) {
  const limit_input *l = context;
  const double s = variables[0], rate = variables[1];
  double by_p, by_rate;
  f[0] = f[1] = f[2] = 0;
  if (l->lower.given) {
    f[0] += push_back(l, l->lower.value - s, -rate, &by_p, &by_rate);
    f[1] -= along == 0 ? by_p : along == 1 ? by_rate : 0;
  }
  if (l->upper.given) {
    f[0] -= push_back(l, s - l->upper.value, rate, &by_p, &by_rate);
    f[1] -= along == 0 ? by_p : along == 1 ? by_rate : 0;
  }
  return 0;
}

/* Read an entry of `limits` and add it to r->m, as an effort on its coordinate. False after a
 * failure, which is recorded in r. */
bool ga_read_limit(ga_reader *r, const char *name, const ga_node *node) {
  limit_input *in = ga_arena_take(r->arena, 1, sizeof *in);
  ga_error err = {GA_OK, ""};
  if (!in) return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  *in = (limit_input){.coordinate = NULL};
  if (!ga_read_fields(r, node, ga_limit_fields, in)) return false;
  if (!in->lower.given && !in->upper.given) {
    return ga_reader_fail(r, node, "a limit needs lower, upper or both");
  }
  if (in->lower.given && in->upper.given && !(in->lower.value < in->upper.value)) {
    return ga_reader_fail(r, node, "lower %g must be less than upper %g", in->lower.value,
                          in->upper.value);
  }
  if (!(in->stiffness > 0) || !(in->damping >= 0)) {
    return ga_reader_fail(r, node, "stiffness must be positive, damping not negative");
  }
  const ga_force force = {.name = name,
                          .type = "torsion",
                          .coordinate = in->coordinate,
                          .free = {.given = true, .value = 0},
                          .law = {.fn = limit_effort, .context = in}};
  return ga_reader_accept(r, node, ga_mechanism_add_force(r->m, &force, &err), &err);
}
