/* SPDX-License-Identifier: MIT */
/* The check of a mechanism's corners in time: which there are, and drives that jump. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "mechanism/evaluate/time_corners.h"

/* most corners of an element that are looked at, that are listed; most elements listed; samples of a
 * function */
enum { LOOKED_AT = 1000, LISTED = 4, ELEMENTS = 6, SAMPLES = 64 };
static const double JUMP = 1e-8; /* a change of a function above this fraction of its size */

/* Largest |f|, |f'| of the function of a drive from t0 to t1, by samples. */
static void sizes_of(const ga_law *law, double t0, double t1, double size[2]) {
  size[0] = size[1] = 0;
  for (int i = 0; i <= SAMPLES; i++) {
    const double t = t0 + (t1 - t0) * i / SAMPLES;
    double f[3];
    if (ga_law_jet(law, &t, GA_OF_TIME_T, f) != 0) continue;
    for (int k = 0; k < 2; k++) size[k] = isfinite(f[k]) ? fmax(size[k], fabs(f[k])) : size[k];
  }
}

/* The lowest derivative of the function (0 or 1, below `order`) that jumps at the corner, and by how
 * much; -1: none does. size: of f and f' over the run. */
static int jump_of(const ga_law *law, const ga_corner *c, int order, const double size[2],
                   double *by) {
  double old[3], new[3];
  if (ga_law_jet(law, &c->before, GA_OF_TIME_T, old) != 0) return -1;
  if (ga_law_jet(law, &c->t, GA_OF_TIME_T, new) != 0) return -1;
  for (int k = 0; k < order; k++) {
    *by = fabs(new[k] - old[k]);
    const double next = fmax(fabs(old[k + 1]), fabs(new[k + 1])); /* rounding of the time: */
    const double late = 100 * DBL_EPSILON * fabs(c->t) * next;
    if (*by > JUMP * fmax(size[k], fmax(fabs(old[k]), fabs(new[k]))) + late) return k;
  }
  return -1;
}

/* Report a drive that jumps between t and t_end, its first jump only; the number of warnings. */
static int check_drive(const ga_mechanism *m, const ga_element *el, double t, double t_end,
                       ga_log_fn say, void *context) {
  const ga_evaluation nothing = {0};
  ga_pass pass;
  ga_call call;
  double size[2], by;
  if (!el->type->function || !ga_pass_begin(&pass, m, t, m->anywhere, m->anywhere, &nothing)) {
    return 0;
  }
  const bool moves = el->type->function(&pass, el, 0, &call);
  ga_pass_end(&pass);
  if (!moves) return 0;
  if (call.time_derivatives == 0 || el->type == &ga_element_state) return 0; /* they may jump */
  if (call.law->uses) return 0; /* not a function of time alone */
  sizes_of(call.law, t, t_end, size);
  for (int i = 0; i < LOOKED_AT; i++) {
    const ga_corner c = ga_element_next_corner(m, el, t);
    if (!(c.t < t_end)) return 0;
    const int k = jump_of(call.law, &c, call.time_derivatives, size, &by);
    t = c.t;
    if (k < 0) continue;
    char text[400];
    const bool position = k == 0 && call.time_derivatives == 2;
    snprintf(
        text, sizeof text,
        "Drive '%.80s' lets the %s of %.80s jump by %.3g at t = %.9g: a run ends there. Let it "
        "change smoothly, as step(t, t0, y0, t1, y1) does.",
        el->name, position ? "position" : "rate", m->coordinates.item[el->coordinate[0]].name, by,
        c.t);
    if (say) say(context, GA_LOG_WARNING, text);
    return 1;
  }
  return 0;
}

/* Append the corners of one element to text (room bytes, `used` of them filled): "; force 'hit' at 5,
 * 5.05". Returns the bytes used; *hidden: some of them cannot be found. */
static int list_corners(const ga_mechanism *m, const ga_element *el, double t, double t_end,
                        char *text, int room, int used, bool *hidden) {
  int n = 0;
  ga_corner c = ga_element_next_corner(m, el, t);
  *hidden = c.hidden;
  for (; c.t < t_end && n <= LISTED && used < room; n++, c = ga_element_next_corner(m, el, c.t)) {
    *hidden = *hidden || c.hidden;
    if (n == 0) {
      used += snprintf(text + used, (size_t)(room - used), "%s%s '%.60s' at %.6g", used ? "; " : "",
                       el->type->what, el->name, c.t);
    } else {
      used += snprintf(text + used, (size_t)(room - used), n < LISTED ? ", %.6g" : ", ..", c.t);
    }
  }
  return used < room ? used : room;
}

/* Report the corners between t and t_end; see ga_mechanism.h. */
int ga_mechanism_check_corners(const ga_mechanism *m, double t, double t_end, ga_log_fn say,
                               void *context) {
  char list[600] = "", text[800];
  int used = 0, listed = 0, warnings = 0;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    bool hidden = false;
    warnings += check_drive(m, el, t, t_end, say, context);
    if (listed < ELEMENTS) {
      const int before = used;
      used = list_corners(m, el, t, t_end, list, (int)sizeof list, used, &hidden);
      listed += used > before;
    }
    if (!hidden || !say) continue;
    snprintf(
        text, sizeof text,
        "%s '%.80s' has a corner in a function that is not linear in time, as in "
        "step(exp(t), ..): when it comes is not known beforehand. Automatic steps look for it on "
        "the way; given steps pass over it.",
        el->type->what, el->name);
    say(context, GA_LOG_INFO, text);
  }
  if (listed == 0 || !say) return warnings;
  snprintf(text, sizeof text, "Corners in time, at which automatic steps end: %s%s.", list,
           listed == ELEMENTS ? "; and perhaps others" : "");
  say(context, GA_LOG_INFO, text);
  return warnings;
}
