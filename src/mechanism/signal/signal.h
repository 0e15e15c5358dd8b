/* SPDX-License-Identifier: MIT */
/* Signals: the numbers that functions of a model may use besides their own variables. A signal is
 * a function of t, q and v:
 *
 *   time          t
 *   input         a number that is set between steps
 *   coordinate    of a joint; a state of a controller
 *   rate          of a coordinate of a joint
 *   measure       a position or velocity of a body, a value of a sensor: a function of two frames
 *   function      constant + sum weight_i x_i + law(x, signals): the force of a spring, the effort on
 *                 a coordinate, a sensor that is an expression
 *   sum           constant + sum weight_i x_i y_i of signals: a power, a force in other axes
 *   relation      e or e' of a relation of coordinates: of an elastic rope, of a backlash
 *
 * Each gives its value and its derivatives by the velocities it depends on (its reach). A function
 * of an element that uses signals adds f_i dx_i/dq to a row of Kt or Y, f_i dx_i/dv to one of Ct or
 * H; the slots are found once (build/reach.c). */
#ifndef GA_SRC_SIGNAL_H
#define GA_SRC_SIGNAL_H

#include "mechanism/mechanism.h"
#include "mechanism/signal/dual.h"

typedef enum ga_signal_kind {
  GA_SIGNAL_TIME,
  GA_SIGNAL_INPUT,
  GA_SIGNAL_COORDINATE,
  GA_SIGNAL_RATE,
  GA_SIGNAL_MEASURE,
  GA_SIGNAL_FUNCTION,
  GA_SIGNAL_SUM,
  GA_SIGNAL_RELATION
} ga_signal_kind;

/* weight x y, signals x and y; y = -1: weight x */
typedef struct ga_term {
  double weight;
  int x, y;
} ga_term;

/* Where a measure is taken: frames of both sides, the body of side A, and the data
 * of the sensor or force. n: GA_DUAL, or 0 if values are enough. */
typedef struct ga_measure_point {
  const ga_frame *frame[2];
  const ga_solid *solid;
  const double *turn; /* its quaternion, or angle; of ga_measure_body alone */
  const void *data;
  int n;
} ga_measure_point;
enum { GA_MEASURES_MAX = 21 };
/* Writes all components of a measure, at most GA_MEASURES_MAX. */
typedef void (*ga_measure_fn)(const ga_measure_point *p, ga_dual *out);

struct ga_signal {
  ga_signal_kind kind;
  int coordinate; /* number of a coordinate or rate, or of an input */
  /* of a measure: */
  int body[2];
  ga_measure_fn measure;
  const void *data;
  int component;
  /* of a function: */
  const ga_law *law;
  const ga_variable *variables; /* its own ones, */
  int own[GA_OWN_MAX];          /* the signals that these are (not used for time), */
  double constant, weight[GA_OWN_MAX];
  /* of a sum: */
  const ga_term *term;
  int nterm;
  /* of a relation; component 0: e, 1: e' */
  const ga_element *relation;
};

/* Adds a signal to m; its number, -1 without memory. */
int ga_mechanism_add_signal(ga_mechanism *m, const ga_signal *signal);
/* *signal <- constant + the sum of these terms, which are copied; false: no memory, or a signal is -1
 * that must not be. */
bool ga_signal_sum(ga_mechanism *m, double constant, const ga_term *term, int nterm,
                   ga_signal *signal);
/* A signal of m for component 0 or 1 of el, a relation, which is copied; -1: no memory. */
int ga_mechanism_relation_signal(ga_mechanism *m, const ga_element *el, int component);
/* *signal <- the power of two signals, weight effort rate; false as ga_signal_sum */
bool ga_signal_power(ga_mechanism *m, double weight, const ga_signal *effort, int rate,
                     ga_signal *signal);
/* *number <- a signal of this name, which is added; it may make a coordinate exist. GA_ERR_ARG
 * with the reason if functions cannot use it. owner begins messages. */
ga_status ga_mechanism_signal_named(ga_mechanism *m, const char *owner, const char *name,
                                    int *number, ga_error *err);
/* Is there something of this name that functions can use? Nothing is added. */
bool ga_mechanism_signal_known(const ga_mechanism *m, const char *name);
/* Finds the signals of all functions; then definitions in a circle are refused. *failed, if not
 * NULL: whose uses are to blame. */
ga_status ga_mechanism_resolve(ga_mechanism *m, const ga_uses **failed, ga_error *err);

/* values of a body (measure.c): number of the column or further name `end` ('.x'), -1: none */
int ga_body_measure_named(const ga_body_kind *kind, const char *end);
void ga_measure_body(const ga_measure_point *p, ga_dual *out);
/* d = p_b - p_a of two points s[side] (from the centres of mass, body axes) and d' */
void ga_measure_between(const ga_measure_point *p, const double (*s)[3], ga_dual d[3],
                        ga_dual rate[3]);
/* distance of two points, data: double[2][3]; its value and its rate */
void ga_measure_distance(const ga_measure_point *p, ga_dual *out);

/* ---- reach ---------------------------------------------------------------------------------- */

enum { GA_REACH_MAX = 24, GA_REACH_VELOCITIES = 6 * GA_REACH_MAX };

/* The velocities that signals depend on: all of a body, or one of a coordinate. */
typedef struct ga_reach_block {
  int body, coordinate; /* one of them is -1 */
  int v_at, n;          /* its velocities */
  int first;            /* of them in a gradient */
} ga_reach_block;

struct ga_reach {
  int count, n; /* blocks, velocities */
  ga_reach_block block[GA_REACH_MAX];
  int *K_at; /* of a force: slots of the blocks in Kt, `count` for each velocity of A, then of B, or
                  for its coordinate */
  int *row_at; /* of a nonholonomic row: slots of the blocks in H */
};

/* Derivatives of a number by the velocities of a reach: Dq, by v; and by t. */
struct ga_gradient {
  const ga_reach *reach;
  double q[GA_REACH_VELOCITIES], v[GA_REACH_VELOCITIES], t;
};

/* Adds the blocks of a signal to the reach; false: it would have too many. */
bool ga_signal_reach(const ga_mechanism *m, int signal, ga_reach *reach);

/* *value, and gradient += weight times the derivatives; 0, or the code of an author's function. */
int ga_signal_value(ga_pass *pass, int signal, double *value);
int ga_signal_gradient(ga_pass *pass, int signal, double weight, ga_gradient *gradient);

/* g = gradient of the function of c by its signals, c->by given; g->t includes its own time. */
int ga_call_gradient(ga_pass *pass, const ga_call *c, const ga_reach *reach, ga_gradient *g);

#endif
