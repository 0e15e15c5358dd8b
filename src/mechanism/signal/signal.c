/* SPDX-License-Identifier: MIT */
/* Values and derivatives of signals. Functions of signals are differentiated in reverse: the weight
 * of a function times its derivative by a signal is the weight of that signal. */
#include "mechanism/signal/signal.h"

#include <string.h>

#include "mechanism/joint/relation.h"

/* Add a copy of *signal to m->signals. */
int ga_mechanism_add_signal(ga_mechanism *m, const ga_signal *signal) {
  if (!GA_GROW(m->signals)) return -1;
  m->signals.item[m->signals.count] = *signal;
  return m->signals.count++;
}

/* ---- sums and relations --------------------------------------------------------------------- */

/* Copy the terms of a sum into m's arena. */
bool ga_signal_sum(ga_mechanism *m, double constant, const ga_term *term, int nterm,
                   ga_signal *signal) {
  ga_term *copy = ga_arena_take(&m->arena, (size_t)nterm, sizeof *copy);
  if (!copy) return false;
  *signal = (ga_signal){.kind = GA_SIGNAL_SUM, .constant = constant, .term = copy, .nterm = nterm};
  for (int i = 0; i < nterm; i++) {
    if (term[i].x < 0) return false;
    copy[i] = term[i];
  }
  return true;
}

/* Add the signal `effort` and set *signal to weight times it times rate. */
bool ga_signal_power(ga_mechanism *m, double weight, const ga_signal *effort, int rate,
                     ga_signal *signal) {
  const ga_term product = {weight, ga_mechanism_add_signal(m, effort), rate};
  return rate >= 0 && ga_signal_sum(m, 0, &product, 1, signal);
}

/* Add e (component 0) or e' (1) of a relation. */
int ga_mechanism_relation_signal(ga_mechanism *m, const ga_element *el, int component) {
  ga_element *copy = ga_arena_take(&m->arena, 1, sizeof *copy);
  if (!copy) return -1;
  *copy = *el;
  return ga_mechanism_add_signal(
      m, &(ga_signal){.kind = GA_SIGNAL_RELATION, .component = component, .relation = copy});
}

/* ---- reach ---------------------------------------------------------------------------------- */

/* Add a body or a coordinate (the other is -1) unless it is there; false: too many. */
static bool reach_add(const ga_mechanism *m, int body, int coordinate, ga_reach *reach) {
  if (body == 0) return true; /* the ground does not move */
  for (int i = 0; i < reach->count; i++) {
    if (reach->block[i].body == body && reach->block[i].coordinate == coordinate) return true;
  }
  if (reach->count == GA_REACH_MAX) return false;
  const int v_at = body > 0 ? m->bodies.item[body].v_at : m->coordinates.item[coordinate].v_at;
  const int n = body > 0 ? m->bodies.item[body].kind->nv : 1;
  reach->block[reach->count++] = (ga_reach_block){body, coordinate, v_at, n, reach->n};
  reach->n += n;
  return true;
}

/* Add what a signal depends on; false: too many blocks. Needs resolved functions without cycles. */
bool ga_signal_reach(const ga_mechanism *m, int signal, ga_reach *reach) {
  const ga_signal *s = &m->signals.item[signal];
  switch (s->kind) {
    case GA_SIGNAL_TIME:
    case GA_SIGNAL_INPUT:
      return true;
    case GA_SIGNAL_COORDINATE:
    case GA_SIGNAL_RATE:
      return reach_add(m, -1, s->coordinate, reach);
    case GA_SIGNAL_MEASURE:
      return reach_add(m, s->body[0], -1, reach) && reach_add(m, s->body[1], -1, reach);
    case GA_SIGNAL_SUM:
      for (int i = 0; i < s->nterm; i++) {
        if (!ga_signal_reach(m, s->term[i].x, reach)) return false;
        if (s->term[i].y >= 0 && !ga_signal_reach(m, s->term[i].y, reach)) return false;
      }
      return true;
    case GA_SIGNAL_RELATION:
      for (int k = 0; k < s->relation->ncoordinate; k++) {
        if (!reach_add(m, -1, s->relation->coordinate[k], reach)) return false;
      }
      return true;
    case GA_SIGNAL_FUNCTION:
      break;
  }
  for (int i = 0; s->variables[i].name; i++) {
    if (!s->variables[i].time && !ga_signal_reach(m, s->own[i], reach)) return false;
  }
  for (int i = 0; s->law->uses && i < s->law->uses->count; i++) {
    if (!ga_signal_reach(m, s->law->uses->signal[i], reach)) return false;
  }
  return true;
}

/* The block of a body or a coordinate in the reach of a gradient; it is there. */
static const ga_reach_block *block_of(const ga_reach *reach, int body, int coordinate) {
  const ga_reach_block *b = reach->block;
  while (b->body != body || b->coordinate != coordinate) b++;
  return b;
}

/* ---- measures ------------------------------------------------------------------------------- */

/* out <- all components of a measure at the pass's state, frame[0], [1] <- the frames of its bodies;
 * n: GA_DUAL or 0. */
static void take_measure(ga_pass *pass, const ga_signal *s, int n, ga_frame frame[2],
                         ga_dual *out) {
  const bool turned = s->measure == ga_measure_body;
  double turn[4];
  ga_pass_motion(pass, s->body[0], NULL, &frame[0], turned ? turn : NULL, NULL, NULL);
  ga_pass_frame(pass, s->body[1], &frame[1]);
  const ga_measure_point p = {.frame = {&frame[0], &frame[1]},
                              .solid = &pass->m->bodies.item[s->body[0]],
                              .turn = turn,
                              .data = s->data,
                              .n = n};
  s->measure(&p, out);
}

/* g += weight times the derivatives of a measure, in the velocities of its bodies. Velocities v are
 * held instead of x' and omega: the first line of the table at the head of absolute.c. */
static void measure_gradient(ga_pass *pass, const ga_signal *s, double weight, ga_gradient *g) {
  ga_dual all[GA_MEASURES_MAX];
  ga_frame frame[2];
  take_measure(pass, s, GA_DUAL, frame, all);
  const double *d = all[s->component].d;
  for (int side = 0; side < 2; side++) {
    if (s->body[side] == 0) continue;
    const ga_reach_block *b = block_of(g->reach, s->body[side], -1);
    const double *plain = d + 6 * side, *rate = d + GA_DUAL_RATES + 6 * side;
    double by_q[6], by_v[6];
    pass->m->carrier->gradient(pass, s->body[side], &frame[side], plain, rate, by_q, by_v);
    for (int k = 0; k < b->n; k++) g->q[b->first + k] += weight * by_q[k];
    for (int k = 0; k < b->n; k++) g->v[b->first + k] += weight * by_v[k];
  }
}

/* ---- functions ------------------------------------------------------------------------------ */

/* Set the values of the signals in a call whose own variables have values. */
int ga_pass_fill_call(ga_pass *pass, ga_call *c) {
  const ga_uses *uses = c->law->uses;
  const int own = uses ? ga_call_own(c) : 0;
  for (int i = 0; uses && i < uses->count; i++) {
    const int code = ga_signal_value(pass, uses->signal[i], &c->value[own + i]);
    if (code != 0) return code;
  }
  return 0;
}

/* Fill the call and evaluate it. */
int ga_pass_call(ga_pass *pass, ga_call *c, bool derivatives, double *f) {
  const int code = ga_pass_fill_call(pass, c);
  return code != 0 ? code : ga_call_law(c, derivatives, f);
}

/* *c <- the law of a signal that is a function, with the values of its own variables. */
static int own_values(ga_pass *pass, const ga_signal *s, ga_call *c) {
  *c = (ga_call){.law = s->law, .variables = s->variables};
  for (int i = 0; s->variables[i].name; i++) {
    c->value[i] = pass->t;
    if (s->variables[i].time) continue;
    const int code = ga_signal_value(pass, s->own[i], &c->value[i]);
    if (code != 0) return code;
  }
  return 0;
}

/* *value <- a sum. */
static int sum_value(ga_pass *pass, const ga_signal *s, double *value) {
  int code = 0;
  *value = s->constant;
  for (int i = 0; i < s->nterm && code == 0; i++) {
    double x = 0, y = 1;
    code = ga_signal_value(pass, s->term[i].x, &x);
    if (code == 0 && s->term[i].y >= 0) code = ga_signal_value(pass, s->term[i].y, &y);
    *value += s->term[i].weight * x * y;
  }
  return code;
}

/* gradient += weight times the derivatives of a sum: x' y + x y' of each term */
static int sum_gradient(ga_pass *pass, const ga_signal *s, double weight, ga_gradient *gradient) {
  int code = 0;
  for (int i = 0; i < s->nterm && code == 0; i++) {
    const ga_term *term = &s->term[i];
    const double w = weight * term->weight;
    double x = 0, y = 1;
    if (term->y >= 0) {
      code = ga_signal_value(pass, term->x, &x);
      if (code == 0) code = ga_signal_value(pass, term->y, &y);
      if (code == 0) code = ga_signal_gradient(pass, term->y, w * x, gradient);
    }
    if (code == 0) code = ga_signal_gradient(pass, term->x, w * y, gradient);
  }
  return code;
}

/* *value <- e or e' of a relation. */
static int relation_value(const ga_pass *pass, const ga_signal *s, double *value) {
  ga_relation_point at;
  const int code = ga_relation_at(pass, s->relation, false, &at);
  *value = s->component == 0 ? at.value : at.rate;
  return code;
}

/* gradient += weight times the derivatives of e, by_k; or of e': bend_k by theta_k, by_k by theta_k',
 * and by the time what the drift of e has besides bend_k theta_k'. */
static int relation_gradient(const ga_pass *pass, const ga_signal *s, double weight,
                             ga_gradient *gradient) {
  const ga_element *el = s->relation;
  ga_relation_point at;
  const int code = ga_relation_at(pass, el, s->component == 1, &at);
  if (code != 0) return code;
  gradient->t += weight * (s->component == 0 ? at.by_t : at.drift);
  for (int k = 0; k < el->ncoordinate; k++) {
    const int i = block_of(gradient->reach, -1, el->coordinate[k])->first;
    if (s->component == 0) {
      gradient->q[i] += weight * at.by[k];
      continue;
    }
    const ga_angle *c = &pass->m->coordinates.item[el->coordinate[k]];
    gradient->q[i] += weight * at.bend[k];
    gradient->v[i] += weight * at.by[k];
    gradient->t -= weight * at.bend[k] * (pass->v ? pass->v[c->v_at] : 0);
  }
  return 0;
}

/* *value <- the signal at the state of the pass, whose v is given. */
int ga_signal_value(ga_pass *pass, int signal, double *value) {
  const ga_signal *s = &pass->m->signals.item[signal];
  const ga_angle *angles = pass->m->coordinates.item; /* NULL if there are none */
  ga_dual all[GA_MEASURES_MAX];
  ga_frame frame[2];
  ga_call c;
  double f = 0;
  switch (s->kind) {
    case GA_SIGNAL_TIME:
      *value = pass->t;
      return 0;
    case GA_SIGNAL_INPUT:
      *value = pass->u[s->coordinate];
      return 0;
    case GA_SIGNAL_COORDINATE:
      *value = pass->q[angles[s->coordinate].q_at];
      return 0;
    case GA_SIGNAL_RATE:
      *value = pass->v ? pass->v[angles[s->coordinate].v_at] : 0;
      return 0;
    case GA_SIGNAL_MEASURE:
      take_measure(pass, s, 0, frame, all);
      *value = all[s->component].f;
      return 0;
    case GA_SIGNAL_SUM:
      return sum_value(pass, s, value);
    case GA_SIGNAL_RELATION:
      return relation_value(pass, s, value);
    case GA_SIGNAL_FUNCTION:
      break;
  }
  int code = own_values(pass, s, &c);
  if (code == 0 && !s->law->zero) code = ga_pass_call(pass, &c, false, &f);
  *value = s->constant + f;
  for (int i = 0; s->variables[i].name; i++) *value += s->weight[i] * c.value[i];
  return code;
}

/* gradient->t += weight times the derivative of the call's function by the time of its own. */
static int add_time(const ga_call *c, double weight, ga_gradient *gradient) {
  int along = 0;
  double jet[3];
  while (c->variables[along].name && !c->variables[along].time) along++;
  const int code = ga_law_jet(c->law, c->value, along, jet);
  gradient->t += weight * jet[1];
  return code;
}

/* gradient += weight times the derivatives of the signals of a call, c->by given, and of its own
 * time. */
static int add_call(ga_pass *pass, const ga_call *c, double weight, ga_gradient *gradient) {
  const ga_uses *uses = c->law->uses;
  const int own = ga_call_own(c);
  int code = add_time(c, weight, gradient);
  for (int i = 0; uses && i < uses->count && code == 0; i++) {
    if (c->by[own + i] == 0) continue;
    code = ga_signal_gradient(pass, uses->signal[i], weight * c->by[own + i], gradient);
  }
  return code;
}

/* gradient += weight times the derivatives of the signal. */
int ga_signal_gradient(ga_pass *pass, int signal, double weight, ga_gradient *gradient) {
  const ga_signal *s = &pass->m->signals.item[signal];
  ga_call c;
  double f;
  switch (s->kind) {
    case GA_SIGNAL_TIME:
      gradient->t += weight;
      return 0;
    case GA_SIGNAL_INPUT:
      return 0;
    case GA_SIGNAL_COORDINATE:
      gradient->q[block_of(gradient->reach, -1, s->coordinate)->first] += weight;
      return 0;
    case GA_SIGNAL_RATE:
      gradient->v[block_of(gradient->reach, -1, s->coordinate)->first] += weight;
      return 0;
    case GA_SIGNAL_MEASURE:
      measure_gradient(pass, s, weight, gradient);
      return 0;
    case GA_SIGNAL_SUM:
      return sum_gradient(pass, s, weight, gradient);
    case GA_SIGNAL_RELATION:
      return relation_gradient(pass, s, weight, gradient);
    case GA_SIGNAL_FUNCTION:
      break;
  }
  int code = own_values(pass, s, &c);
  if (code == 0 && !s->law->zero) code = ga_pass_call(pass, &c, true, &f);
  for (int i = 0; s->variables[i].name && code == 0; i++) {
    if (s->variables[i].time) continue;
    code = ga_signal_gradient(pass, s->own[i], weight * (s->weight[i] + c.by[i]), gradient);
  }
  return code == 0 && !s->law->zero ? add_call(pass, &c, weight, gradient) : code;
}

/* *g <- derivatives of the call's function by the velocities of the reach, through its signals only;
 * g->t includes the time of its own. */
int ga_call_gradient(ga_pass *pass, const ga_call *c, const ga_reach *reach, ga_gradient *g) {
  g->reach = reach;
  g->t = 0;
  memset(g->q, 0, (size_t)(reach ? reach->n : 0) * sizeof *g->q);
  memset(g->v, 0, (size_t)(reach ? reach->n : 0) * sizeof *g->v);
  return add_call(pass, c, 1, g);
}
