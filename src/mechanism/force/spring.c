/* SPDX-License-Identifier: MIT */
/* Spring and damper along the line between two points, with a law:
 *
 *   tension tau = k (s - l) + c s' + law(s, s', t),   s = |d| the distance of the points
 *
 * Tangents belong to -F, the left side of the equations. */
#include <math.h>

#include "mechanism/force/force.h"
#include "mechanism/signal/signal.h"

typedef struct spring_data {
  double s[2][3];     /* points from the centres of mass, body axes */
  ga_elastic elastic; /* free: the length l */
} spring_data;

/* ---- the line of the spring ----------------------------------------------------------------- */

/* a spring at a state */
typedef struct spring {
  ga_pair pair;
  double s, rate, n[3], u[3];    /* distance, its rate, direction, d' */
  double tension, by_s, by_rate; /* tau, its derivatives by s and s' */
  ga_call call;                  /* of the law, if there is one */
} spring;

/* Distance below which two points meet, relative to the lengths whose difference it is: rounding
 * errors are 1e-16 of these, and leave four digits of the direction. */
static const double MEET = 1e-12;

/* Sets pair, distance s, direction n, d' and rate of sp. False where the points meet, because they
 * have no direction then: only pair and s are set. */
static bool find_line(ga_pass *pass, const ga_element *el, spring *sp) {
  const spring_data *data = el->data;
  const ga_frame *a, *b;
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(&sp->pair, false, a, b, data->s[0], data->s[1]);
  sp->s = ga_norm3(sp->pair.d);
  const double *ra = sp->pair.ra, *rb = sp->pair.rb;
  const double size2 =
      ga_dot3(a->x, a->x) + ga_dot3(b->x, b->x) + ga_dot3(ra, ra) + ga_dot3(rb, rb);
  if (!(sp->s * sp->s > MEET * MEET * size2)) return false;
  for (int i = 0; i < 3; i++) sp->n[i] = sp->pair.d[i] / sp->s;
  ga_pair_rate(&sp->pair, sp->u);
  sp->rate = ga_dot3(sp->n, sp->u);
  return true;
}

/* the author's law, ready to be called at s, s', t */
static void law_at(const ga_pass *pass, const spring_data *data, const spring *sp, ga_call *call) {
  ga_call_begin(call, &data->elastic.law, "law", ga_of_state, 0);
  call->value[GA_LAW_S] = sp->s;
  call->value[GA_LAW_RATE] = sp->rate;
  call->value[GA_LAW_T] = pass->t;
}

/* Fills sp with line and tension and, if tangents are wanted, its derivatives by s and s' (else
 * without those of the law). Returns 0; > 0 where the points meet (only pair and s are set); else
 * the code of the law. */
static int spring_at(ga_pass *pass, const ga_element *el, bool tangents, spring *sp) {
  const spring_data *data = el->data;
  const ga_elastic *e = &data->elastic;
  if (!find_line(pass, el, sp)) return 1;
  sp->tension = e->stiffness * (sp->s - e->free) + e->damping * sp->rate;
  sp->by_s = e->stiffness;
  sp->by_rate = e->damping;
  if (e->law.zero) return 0;
  law_at(pass, data, sp, &sp->call);
  double f = 0;
  const int code = ga_pass_call(pass, &sp->call, tangents, &f);
  sp->tension += f;
  sp->by_s += sp->call.by[GA_LAW_S];
  sp->by_rate += sp->call.by[GA_LAW_RATE];
  return code;
}

/* the law as function 0 of the element, at NaN where the points meet; false if there is no law */
static bool spring_function(ga_pass *pass, const ga_element *el, int i, ga_call *call) {
  const spring_data *data = el->data;
  spring sp;
  if (i > 0 || data->elastic.law.zero) return false;
  if (!find_line(pass, el, &sp)) sp.s = sp.rate = NAN;
  law_at(pass, data, &sp, call);
  return true;
}

/* ---- force and tangent ---------------------------------------------------------------------- */

/* Sets the nonzeros: the force depends on both frames and fills all blocks of Kt and Ct. */
static void spring_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->force = GA_ALL_VARIATIONS;
  s->blocks = GA_ALL_BLOCKS;
}

/* Adds the tangent of the force phi = tau n at p_b (left side of the equations) to Kt and Ct. With
 * d = p_b - p_a = s n, u = d', N = I - n n^T and tau_s, tau_s' the derivatives of tau by s and s':
 *   by d: tau_s n n^T + (tau/s) N + tau_s' n (N u)^T/s;   by d': tau_s' n n^T */
static void add_tangent(ga_pass *pass, const ga_element *el, const spring *sp) {
  const ga_elastic *e = &((const spring_data *)el->data)->elastic;
  const bool with_rate = e->damping != 0 || !e->law.zero;
  double phi[3], by_d[9], by_rate[9];
  ga_tangent t;
  for (int i = 0; i < 3; i++) {
    phi[i] = sp->tension * sp->n[i];
    for (int j = 0; j < 3; j++) {
      const double along = sp->n[i] * sp->n[j], across = (i == j) - along;
      const double turning = sp->n[i] * (sp->u[j] - sp->rate * sp->n[j]) / sp->s;
      by_d[3 * i + j] = sp->by_s * along + sp->tension / sp->s * across + sp->by_rate * turning;
      by_rate[3 * i + j] = sp->by_rate * along;
    }
  }
  ga_tangent_clear(&t, with_rate);
  ga_tangent_points(&sp->pair, phi, by_d, with_rate ? by_rate : NULL, &t);
  ga_pass_tangent(pass, el, &t);
}

/* f <- the force of a tension: tau n at p_a, -tau n at p_b. */
static void force_covector(const spring *sp, double tension, double *f) {
  for (int i = 0; i < GA_PAIR; i++) f[i] = 0;
  for (int i = 0; i < 3; i++) {
    f[GA_XA + i] = tension * sp->n[i];
    f[GA_XB + i] = -f[GA_XA + i];
  }
  ga_add_cross3(1, sp->pair.ra, f + GA_XA, f + GA_PA);
  ga_add_cross3(1, sp->pair.rb, f + GA_XB, f + GA_PB);
}

/* F += tau n at p_a and -tau n at p_b, and the tangent. Returns 0, or a code where the points meet
 * or the law cannot be evaluated. */
static int spring_evaluate(ga_pass *pass, const ga_element *el) {
  spring sp;
  if (!pass->out->F && !pass->tangents) return 0;
  int code = spring_at(pass, el, pass->tangents, &sp);
  if (code != 0) return ga_function_code(pass, el, code);
  if (pass->out->F) {
    double f[GA_PAIR];
    force_covector(&sp, sp.tension, f);
    ga_pass_force(pass, el, f);
  }
  if (!pass->tangents) return 0;
  add_tangent(pass, el, &sp);
  if (!el->reach) return 0;
  double f[GA_PAIR];
  force_covector(&sp, 1, f);
  code = ga_pass_reach(pass, el, &sp.call, f);
  return code == 0 ? 0 : ga_function_code(pass, el, code);
}

/* the law is function 0 */
static const ga_law *spring_law(const ga_element *el, int i) {
  return i == 0 ? &((const spring_data *)el->data)->elastic.law : NULL;
}

/* Length and rate as measures, the tension as a function of them and of the signals of its law; the
 * power. */
static bool spring_signal(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal) {
  const spring_data *data = el->data;
  const ga_elastic *e = &data->elastic;
  ga_signal line = {.kind = GA_SIGNAL_MEASURE,
                    .body = {el->body[0], el->body[1]},
                    .measure = ga_measure_distance,
                    .data = data->s};
  int own[2];
  for (line.component = 0; line.component < 2; line.component++) {
    own[line.component] = ga_mechanism_add_signal(m, &line);
  }
  line.component = column;
  *signal = line;
  if (column >= 0 && column < 2) return true;
  *signal = (ga_signal){.kind = GA_SIGNAL_FUNCTION,
                        .law = &e->law,
                        .variables = ga_of_state,
                        .own = {own[0], own[1]},
                        .constant = -e->stiffness * e->free,
                        .weight = {e->stiffness, e->damping}};
  if (own[0] < 0 || own[1] < 0) return false;
  if (column != GA_POWER) return true;
  const ga_signal tension = *signal;
  return ga_signal_power(m, -1, &tension, own[1], signal);
}

/* k (s - l)^2/2; the law is not included */
static double spring_energy(ga_pass *pass, const ga_element *el) {
  const spring_data *data = el->data;
  const ga_frame *a, *b;
  ga_pair p;
  ga_pass_frames(pass, el, &a, &b);
  ga_pair_points(&p, false, a, b, data->s[0], data->s[1]);
  const double stretch = ga_norm3(p.d) - data->elastic.free;
  return 0.5 * data->elastic.stiffness * stretch * stretch;
}

/* writes length, rate and tension; the last two are NaN where the points meet or the law fails */
static void spring_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                          double *values) {
  (void)state;
  spring sp;
  const int code = spring_at(pass, el, /* tangents: */ false, &sp);
  values[0] = sp.s;
  values[1] = code == 0 ? sp.rate : NAN;
  values[2] = code == 0 ? sp.tension : NAN;
}

/* -tension times s'; NaN where the points meet or the law fails */
static double spring_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  double values[3];
  spring_output(pass, state, el, values);
  return -values[2] * values[1];
}

/* ---- description ---------------------------------------------------------------------------- */

/* Fills bodies of el, and points, stiffness, damping and law of its data (zero before). The free
 * length is the one given, or else the distance in the start configuration. */
static ga_status spring_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                                 ga_element *el, void *out, ga_error *err) {
  spring_data *data = out;
  ga_sides sides = {.owner = owner};
  ga_frame a, b;
  ga_pair p;
  ga_status status = ga_sides_of(m, force->between, el->body, &sides, err);
  if (status == GA_OK) status = ga_locate_origins(&sides, "at", &force->at, data->s, err);
  if (status == GA_OK) status = ga_elastic_describe(m, owner, force, &data->elastic, err);
  if (status != GA_OK) return status;
  ga_solid_frame(sides.body[0], &a);
  ga_solid_frame(sides.body[1], &b);
  ga_pair_points(&p, false, &a, &b, data->s[0], data->s[1]);
  const double length = force->length.given ? force->length.value : ga_norm3(p.d);
  data->elastic.free = length;
  if (length < 0) return ga_fail(err, GA_ERR_ARG, "%s: length %g is negative", owner, length);
  return GA_OK;
}

/* copies points and free length for pictures */
static void spring_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g) {
  (void)m;
  const spring_data *data = el->data;
  g->length = data->elastic.free;
  g->law = data->elastic.stiffness == 0 && !data->elastic.law.zero;
  for (int side = 0; side < 2; side++) {
    g->has[side] = true;
    ga_copy3(data->s[side], g->s[side]);
  }
}

static const ga_column columns[] = {
    {".length", "m", NULL}, {".rate", "m/s", NULL}, {".force", "N", NULL}};

const ga_force_type ga_force_spring = {
    .element = {.name = "spring",
                .what = "spring",
                .trouble = "its points meet, or its law cannot be evaluated here",
                .structure = spring_structure,
                .evaluate = spring_evaluate,
                .energy = spring_energy,
                .function = spring_function,
                .law = spring_law,
                .signal = spring_signal,
                .geometry = spring_geometry,
                .order = GA_ORDER_FORCES,
                GA_COLUMNS(columns),
                .output = spring_output,
                .power = spring_power},
    .summary = "spring and damper between two points",
    .uses = GA_FORCE_HAS_BETWEEN | GA_FORCE_HAS_AT | GA_FORCE_HAS_STIFFNESS | GA_FORCE_HAS_DAMPING |
            GA_FORCE_HAS_LENGTH | GA_FORCE_HAS_LAW,
    .needs = GA_FORCE_HAS_BETWEEN,
    .at_help = "{A: [], B: []} in body frames",
    .size = sizeof(spring_data),
    .describe = spring_describe};
