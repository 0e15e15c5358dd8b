/* SPDX-License-Identifier: MIT */
/* Calls of the functions that the author of a model gives: numbers, expressions, C functions. */
#include <math.h>

#include "mechanism/element.h"

const ga_variable ga_of_time[] = {{"t", true}, {NULL, false}};
const ga_variable ga_of_state[] = {{"s", false}, {"s_dot", false}, {"t", true}, {NULL, false}};

/* f = value, first and second derivative along variable `along` (-1: value only, the others are 0).
 * Returns 0, or the code of the author's C function. */
int ga_law_jet(const ga_law *law, const double *variables, int along, double f[3]) {
  f[1] = f[2] = 0;
  if (law->fn) return law->fn(law->context, variables, along, f);
  if (law->expr) {
    ga_expr_jet(law->expr, variables, along, f);
  } else {
    f[0] = law->constant;
  }
  return 0;
}

/* Relative step of the quotients of a C function without derivatives along directions: the third root
 * of the rounding. */
static const double STEP = 6e-6;

/* f = value, first and second derivative along a direction. A C function that has none gives first
 * derivatives sum d_i f_i; the second one is their central difference along the direction. */
int ga_law_jet_along(const ga_law *law, const double *variables, const double *direction, int n,
                     double f[3]) {
  if (law->fn && law->along) return law->along(law->context, variables, direction, f);
  if (!law->fn && law->expr) {
    ga_expr_jet_along(law->expr, variables, direction, f);
    return 0;
  }
  int code = ga_law_jet(law, variables, -1, f);
  if (!law->fn || code != 0) return code;
  double x[GA_VARIABLES_MAX], size = 1, length = 0, slope[3];
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(variables[i]));
    length = fmax(length, fabs(direction[i]));
  }
  if (length == 0) return 0;
  const double h = STEP * size / length, shift[3] = {0, h, -h};
  for (int k = 0; k < 3; k++) {
    slope[k] = 0;
    for (int i = 0; i < n; i++) x[i] = variables[i] + shift[k] * direction[i];
    for (int i = 0; i < n && code == 0; i++) {
      double jet[3] = {0, 0, 0};
      if (direction[i] != 0) code = ga_law_jet(law, x, i, jet);
      slope[k] += direction[i] * jet[1];
    }
  }
  f[1] = slope[0];
  f[2] = (slope[1] - slope[2]) / (2 * h);
  return code;
}

/* number of variables that the function has by the place where it stands */
int ga_call_own(const ga_call *c) {
  int n = 0;
  while (c->variables[n].name) n++;
  return n;
}

/* number of all variables: its own, then signals */
int ga_call_variables(const ga_call *c) {
  return ga_call_own(c) + (c->law->uses ? c->law->uses->count : 0);
}

/* name of variable i */
const char *ga_call_variable(const ga_call *c, int i) {
  const int own = ga_call_own(c);
  return i < own ? c->variables[i].name : c->law->uses->name[i - own];
}

/* *f = value of the function at c->value; with `derivatives`, c->by[i] = derivative by variable i,
 * one call per variable; 0 for the time of its own. Returns 0, or the code of the author's C
 * function; then *f and by are of no use. */
int ga_call_law(ga_call *c, bool derivatives, double *f) {
  const int own = ga_call_own(c), all = ga_call_variables(c);
  double jet[3] = {0, 0, 0};
  bool called = false;
  for (int i = 0; derivatives && i < all; i++) {
    c->by[i] = 0;
    if (i < own && c->variables[i].time) continue;
    const int code = ga_law_jet(c->law, c->value, i, jet);
    if (code != 0) return code;
    if (!called) *f = jet[0];
    c->by[i] = jet[1];
    called = true;
  }
  if (called) return 0;
  const int code = ga_law_jet(c->law, c->value, -1, jet);
  *f = jet[0];
  return code;
}

/* The first corner of the function after t, where its variable number `time` is t. A C function that
 * does not tell its corners is taken to be smooth. */
ga_corner ga_law_next_corner(const ga_law *law, int time, double t) {
  ga_corner corner = {.before = INFINITY, .t = INFINITY};
  if (law->fn) {
    if (law->next_corner) law->next_corner(law->context, time, t, &corner);
  } else if (law->expr) {
    const ga_expr_corner c = ga_expr_next_corner(law->expr, time, t);
    corner = (ga_corner){.before = c.before, .t = c.t, .jumps = c.order, .hidden = c.hidden};
  }
  return corner;
}

/* May ga_law_surprise find something? */
bool ga_law_may_surprise(const ga_law *law, int time) {
  if (law->fn) return law->surprise != NULL;
  return law->expr && ga_expr_may_surprise(law->expr, time);
}

/* Where a step from t of length `way` would pass over something that the function does. */
ga_corner ga_law_surprise(const ga_law *law, int time, double since, double t, double way) {
  ga_corner corner = {.before = INFINITY, .t = INFINITY};
  if (law->fn) {
    if (law->surprise) law->surprise(law->context, time, since, t, way, &corner);
  } else if (law->expr) {
    const ga_expr_corner c = ga_expr_surprise(law->expr, time, since, t, way);
    corner = (ga_corner){.before = c.before, .t = c.t, .jumps = c.order, .hidden = c.hidden};
  }
  return corner;
}
