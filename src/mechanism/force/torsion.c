/* SPDX-License-Identifier: MIT */
/* Spring and damper on a coordinate theta of a joint, with a law; dry friction on it:
 *
 *   torsion     effort in +theta = -k (theta - free) - c theta' + law(theta, theta', t)
 *   friction    -tanh(theta'/w) (f + (f_s - f) exp(-(theta'/(10 w))^2))
 *
 * f is the friction while it slides, f_s near rest, w the rate over which the sign changes: below w
 * the coordinate creeps.
 *
 * Tangents belong to -F, the left side of the equations. */
#include "mechanism/force/force.h"
#include "mechanism/signal/signal.h"

/* Sets the nonzeros: the only entry of Kt and Ct is (theta, theta). */
static void torsion_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->coordinate_block = true;
}

/* the author's law, ready to be called at theta, theta', t */
static void law_at(const ga_pass *pass, const ga_element *el, ga_call *call) {
  const ga_angle *c = &pass->m->coordinates.item[el->coordinate[0]];
  ga_call_begin(call, &((const ga_elastic *)el->data)->law, "law", ga_of_state, 0);
  call->value[GA_LAW_S] = pass->q[c->q_at];
  call->value[GA_LAW_RATE] = pass->v[c->v_at];
  call->value[GA_LAW_T] = pass->t;
}

/* the law as function 0 of the element; false if there is no law */
static bool torsion_function(ga_pass *pass, const ga_element *el, int i, ga_call *call) {
  if (i > 0 || ((const ga_elastic *)el->data)->law.zero) return false;
  law_at(pass, el, call);
  return true;
}

/* *effort = -k (theta - free) - c theta' + law. *by_s, *by_rate: minus its derivatives by theta and
 * theta' (those of the law only if tangents are wanted; what its signals do goes to Kt and Ct at
 * once). Returns 0, or the code of the law. */
static int torsion_at(ga_pass *pass, const ga_element *el, bool tangents, double *effort,
                      double *by_s, double *by_rate) {
  const ga_elastic *e = el->data;
  ga_call call;
  double f = 0;
  law_at(pass, el, &call);
  *effort = -e->stiffness * (call.value[GA_LAW_S] - e->free) - e->damping * call.value[GA_LAW_RATE];
  *by_s = e->stiffness, *by_rate = e->damping;
  if (e->law.zero) return 0;
  const int code = ga_pass_call(pass, &call, tangents, &f);
  *effort += f;
  *by_s -= call.by[GA_LAW_S];
  *by_rate -= call.by[GA_LAW_RATE];
  return code == 0 && tangents ? ga_pass_reach(pass, el, &call, NULL) : code;
}

/* the law is function 0 */
static const ga_law *torsion_law(const ga_element *el, int i) {
  return i == 0 ? &((const ga_elastic *)el->data)->law : NULL;
}

/* The effort as a function of theta, theta' and the signals of its law; the power. */
static bool torsion_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  const ga_elastic *e = el->data;
  const int angle = el->coordinate[0];
  const ga_signal theta = {.kind = GA_SIGNAL_COORDINATE, .coordinate = angle};
  const ga_signal rate = {.kind = GA_SIGNAL_RATE, .coordinate = angle};
  *signal =
      (ga_signal){.kind = GA_SIGNAL_FUNCTION,
                  .law = &e->law,
                  .variables = ga_of_state,
                  .own = {ga_mechanism_add_signal(m, &theta), ga_mechanism_add_signal(m, &rate)},
                  .constant = e->stiffness * e->free,
                  .weight = {-e->stiffness, -e->damping}};
  if (signal->own[0] < 0 || signal->own[1] < 0) return false;
  if (column != GA_POWER) return column == 0;
  const ga_signal effort = *signal;
  return ga_signal_power(m, 1, &effort, effort.own[1], signal);
}

/* Adds the effort to F and its tangents to the diagonal entry of Kt and Ct. Returns 0, or a code
 * where the law cannot be evaluated. */
static int torsion_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_evaluation *out = pass->out;
  double effort, by_s, by_rate;
  if (!out->F && !pass->tangents) return 0;
  const int code = torsion_at(pass, el, pass->tangents, &effort, &by_s, &by_rate);
  if (code != 0) return ga_function_code(pass, el, code);
  if (out->F) out->F[pass->m->coordinates.item[el->coordinate[0]].v_at] += effort;
  if (pass->tangents) {
    out->Kt->val[el->coordinate_at[0]] += by_s;
    out->Ct->val[el->coordinate_at[0]] += by_rate;
  }
  return 0;
}

/* k (theta - free)^2/2; the law is not included */
static double torsion_energy(ga_pass *pass, const ga_element *el) {
  const ga_elastic *e = el->data;
  const double turn = pass->q[pass->m->coordinates.item[el->coordinate[0]].q_at] - e->free;
  return 0.5 * e->stiffness * turn * turn;
}

/* writes the effort in +theta, NaN where the law fails */
static void torsion_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  (void)state;
  double by_s, by_rate;
  if (torsion_at(pass, el, /* tangents: */ false, values, &by_s, &by_rate) != 0) values[0] = NAN;
}

/* effort times theta' */
static double torsion_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  double effort;
  torsion_output(pass, state, el, &effort);
  return effort * state->v[pass->m->coordinates.item[el->coordinate[0]].v_at];
}

/* Fills the coordinate of el and its data; makes the coordinate exist if needed. `free` is the
 * value given, or else the coordinate's start value. */
static ga_status torsion_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                                  ga_element *el, void *data, ga_error *err) {
  ga_elastic *e = data;
  ga_status status = ga_elastic_describe(m, owner, force, e, err);
  if (status != GA_OK) return status;
  int *number = ga_arena_ints(&m->arena, 1);
  if (!number) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  status = ga_mechanism_coordinate_named(m, owner, force->coordinate, number, err);
  if (status != GA_OK) return status;
  el->ncoordinate = 1;
  el->coordinate = number;
  e->free = force->free.given ? force->free.value : m->coordinates.item[*number].start;
  return GA_OK;
}

static const ga_column columns[] = {{".effort", "N", "N m"}};

const ga_force_type ga_force_torsion = {.element = {.name = "torsion",
                                                    .what = "torsion",
                                                    .trouble = "its law cannot be evaluated here",
                                                    .structure = torsion_structure,
                                                    .evaluate = torsion_evaluate,
                                                    .energy = torsion_energy,
                                                    .function = torsion_function,
                                                    .law = torsion_law,
                                                    .signal = torsion_signal,
                                                    .order = GA_ORDER_FORCES,
                                                    GA_COLUMNS(columns),
                                                    .output = torsion_output,
                                                    .power = torsion_power},
                                        .summary = "spring and damper on a coordinate of a joint",
                                        .uses = GA_FORCE_HAS_COORDINATE | GA_FORCE_HAS_STIFFNESS |
                                                GA_FORCE_HAS_DAMPING | GA_FORCE_HAS_FREE |
                                                GA_FORCE_HAS_LAW,
                                        .needs = GA_FORCE_HAS_COORDINATE,
                                        .size = sizeof(ga_elastic),
                                        .describe = torsion_describe};

/* ---- friction ------------------------------------------------------------------------------- */

typedef struct friction_data {
  ga_elastic elastic; /* its law is the friction below */
  double sliding, sticking, speed;
} friction_data;

/* A ga_function_fn of theta, theta', t; context: the friction_data. Second derivatives are not used. */
static int friction_effort(void *context, const double *variables, int along, double f[3]) {
  const friction_data *d = context;
  const double x = variables[GA_LAW_RATE] / d->speed, sign = tanh(x), rise = 1 - sign * sign;
  const double more = (d->sticking - d->sliding) * exp(-0.01 * x * x);
  f[0] = -sign * (d->sliding + more);
  f[1] =
      along == GA_LAW_RATE ? -(rise * (d->sliding + more) - sign * more * 0.02 * x) / d->speed : 0;
  f[2] = 0;
  return 0;
}

/* Fills the coordinate of el and its data. GA_ERR_ARG unless static_friction >= friction >= 0 and
 * speed > 0. */
static ga_status friction_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                                   ga_element *el, void *data, ga_error *err) {
  friction_data *d = data;
  const double numbers[3] = {force->friction, force->static_friction, force->speed};
  d->sliding = force->friction;
  d->sticking = force->static_friction > 0 ? force->static_friction : force->friction;
  d->speed = force->speed;
  if (!ga_finite(3, numbers) || d->sliding < 0 || d->sticking < d->sliding || !(d->speed > 0)) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: friction must not be negative, static_friction not less than friction, and "
                   "speed, over which its sign changes, positive",
                   owner);
  }
  const ga_force as_law = {.coordinate = force->coordinate,
                           .law = {.fn = friction_effort, .context = data}};
  return torsion_describe(m, owner, &as_law, el, data, err);
}

const ga_force_type ga_force_friction = {
    .element = {.name = "friction",
                .what = "friction",
                .structure = torsion_structure,
                .evaluate = torsion_evaluate,
                .function = torsion_function,
                .law = torsion_law,
                .signal = torsion_signal,
                .order = GA_ORDER_FORCES,
                GA_COLUMNS(columns),
                .output = torsion_output,
                .power = torsion_power},
    .summary = "dry friction on a coordinate of a joint",
    .uses = GA_FORCE_HAS_COORDINATE | GA_FORCE_HAS_FRICTION | GA_FORCE_HAS_STATIC_FRICTION |
            GA_FORCE_HAS_SPEED,
    .needs = GA_FORCE_HAS_COORDINATE | GA_FORCE_HAS_FRICTION | GA_FORCE_HAS_SPEED,
    .size = sizeof(friction_data),
    .describe = friction_describe};
