/* SPDX-License-Identifier: MIT */
/* Nothing is stepped over: mechanisms that rest for a long time and are then hit by a pulse, by a
 * force, a torque, a drive or a law; pulses of many shapes, from 1 ms to 1 s long. Automatic steps
 * from t = 0 on must follow the same motion as fine steps of given size that begin just before the
 * pulse. */
#include <math.h>

#include "genalpha/ga_file.h"
#include "support.h"

/* Mechanisms at rest; U is the pulse. A drive of a position needs a smooth one, of a rate one
 * without jumps. */
typedef enum { ANY, CONTINUOUS, SMOOTH } need;
static const struct {
  const char *name, *text;
  need need;
} plants[] = {
    {"force on an oscillator",
     "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
     "joints: {g: {type: prismatic, between: [ground, m], axis: [0, 0, 1]}}\n"
     "forces:\n"
     "  k: {type: torsion, coordinate: g.position, stiffness: 100, damping: 1}\n"
     "  hit: {type: force, body: m, value: [0, 0, \"(U)/w\"]}\n",
     ANY},
    {"torque on a hanging rod",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {rod: {mass: 2, inertia: [0.2, 0.2, 0.01], position: [0, 0, -0.5]}}\n"
     "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
     "forces: {hit: {type: torque, body: rod, value: [0, \"(U)/w\", 0]}}\n",
     ANY},
    {"driven base",
     "bodies: {base: {mass: 1, inertia: [1, 1, 1]}, m: {mass: 2, inertia: [1, 1, 1]}}\n"
     "joints:\n"
     "  g: {type: prismatic, between: [ground, base], axis: [1, 0, 0]}\n"
     "  r: {type: prismatic, between: [base, m], axis: [1, 0, 0]}\n"
     "drives: {shake: {coordinate: g.position, position: \"0.1*(U)\"}}\n"
     "forces: {k: {type: torsion, coordinate: r.position, stiffness: 200, damping: 2}}\n",
     SMOOTH},
    {"law of a torsion",
     "bodies: {m: {mass: 1, inertia: [1, 2, 1]}}\n"
     "joints: {p: {type: revolute, between: [ground, m], axis: [0, 1, 0]}}\n"
     "forces: {k: {type: torsion, coordinate: p.angle, law: \"-50*s - s_dot + (U)/w\"}}\n",
     ANY},
    {"law of a spring",
     "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]},\n"
     "         b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}}\n"
     "joints:\n"
     "  ga: {type: prismatic, between: [ground, a], axis: [1, 0, 0]}\n"
     "  gb: {type: prismatic, between: [ground, b], axis: [1, 0, 0]}\n"
     "forces:\n"
     "  k: {type: spring, between: [ground, a], stiffness: 100, damping: 1}\n"
     "  l: {type: spring, between: [a, b], stiffness: 100, damping: 1, law: \"-(U)/w\"}\n",
     ANY},
    {"driven rate",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {cart: {mass: 1, inertia: [1, 1, 1]},\n"
     "         rod: {mass: 2, inertia: [0.2, 0.2, 0.01], position: [0, 0, -0.5]}}\n"
     "joints:\n"
     "  g: {type: prismatic, between: [ground, cart], axis: [1, 0, 0]}\n"
     "  pin: {type: revolute, between: [cart, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n"
     "drives: {move: {coordinate: g.position, rate: \"0.2*(U)/w\"}}\n",
     CONTINUOUS},
};
enum { PLANTS = (int)(sizeof plants / sizeof plants[0]) };

/* pulses between t1 and t1 + w */
static const struct {
  const char *text;
  need is;
} shapes[] = {
    {"step(t, t1, 0, t1 + w/2, 1) - step(t, t1 + w/2, 0, t1 + w, 1)", SMOOTH},
    {"if(t < t1, 0, if(t < t1 + w, 1, 0))", ANY},
    {"if(t <= t1, 0, if(t > t1 + w, 0, sin(pi*(t - t1)/w)))", CONTINUOUS},
    {"table(t, [0, t1, t1 + w/2, t1 + w, t1 + w + 1], [0, 0, 1, 0, 0], linear)", CONTINUOUS},
    {"if(t < t1, 0, if(t > t1 + w, 0, (1 - cos(2*pi*(t - t1)/w))/2))", SMOOTH},
    {"table(t, [0, t1, t1 + w/2, t1 + w, t1 + w + 1], [0, 0, 1, 0, 0])", CONTINUOUS},
    {"table(t, [0, t1, t1 + w/2, t1 + w], [0, 1, 0.4, 0], hold)", ANY},
    {"clamp((t - t1)*4/w, 0, 1) - clamp((t - t1 - w/2)*4/w, 0, 1)", CONTINUOUS},
    {"if(t < t1, 0, if(t < t1 + w, if(mod(t - t1, w/4) < w/8, 2, -0.5), 0))", ANY},
    {"max(0, 1 - abs(2*(t - t1)/w - 1))", CONTINUOUS},
    {"(sign(t - t1) - sign(t - t1 - w))/2", ANY},
    {"20*step(t, t1, 0, t1 + w, 1)*(1 - step(t, t1, 0, t1 + w, 1))", SMOOTH},
    {"if(t < t1, 0, if(t < t1 + w, sin(5*pi*(t - t1)/w)*(t - t1)/w, 0))", CONTINUOUS},
    {"if(t < t1, 0, if(t < t1 + w, 3*max(0, sin(6*pi*(t - t1)/w)), 0))", CONTINUOUS},
    {"if(t < t1, 0, if(t < t1 + w, 1 + sign(cos(9*(t - t1)/w)), 0))", ANY},
    {"step(2*t, 2*t1, 0, 2*t1 + w, 1)*step(-t, -t1 - w, 0, -t1 - w/2, 1)", SMOOTH},
};
enum { SHAPES = (int)(sizeof shapes / sizeof shapes[0]) };

/* Smooth functions without any corner, or with corners of a curve, which nobody can tell; zero but for
 * rounding before t1. */
static const struct {
  const char *text;
  need is;
} curves[] = {
    {"exp(-((t - t1 - w/2)/(w/12))^2)", SMOOTH},
    {"(tanh((t - t1 - w/2)/(w/40)) - tanh((t - t1 - 0.7*w)/(w/40)))/2", SMOOTH},
    {"1/(1 + exp(-(t - t1 - w/2)/(w/60))) - 1/(1 + exp(-(t - t1 - 0.6*w)/(w/60)))", ANY},
    {"1/cosh((t - t1 - w/2)/(w/40))^2", ANY},
    {"exp(-((t - t1 - w/2)/(w/12))^2)*sin(30*(t - t1 - w/2)/w)", SMOOTH},
    {"0.1*sin(0.3*t)^2*exp(-12*(t - t1 - w/2)^2/w^2*12)*20", SMOOTH},
    {"sin(0.5*pi*t/(t1 + w/2))^(2*floor(150*(t1 + w)^2/w^2))", SMOOTH},
    {"1.5*atan(exp(60*(t - t1 - w/2)/w)) - 1.5*atan(exp(60*(t - t1 - 0.6*w)/w))", ANY},
    {"exp(-exp(-20*(t - t1 - w/3)/w))*(1 - tanh((t - t1 - 0.8*w)/(w/40)))/2", ANY},
    {"2*exp(-(abs(t - t1 - w/2)/(w/6))^4)", SMOOTH},
    {"min(1, exp(40*(t - t1 - w)/w))*(1 - tanh(40*(t - t1 - w)/w))", CONTINUOUS},
    {"step(exp((t - t1)/w), 1.1, 0, 1.6, 1) - step(exp((t - t1)/w), 1.7, 0, 2.2, 1)", SMOOTH},
    {"if(exp((t - t1)/w) < 1.2, 0, if(exp((t - t1)/w) < 2, 1, 0))", ANY},
    {"max(0, 1 - (6*(t - t1 - w/2)/w)^2)", CONTINUOUS},
    {"clamp(2 - (8*(t - t1 - w/2)/w)^2, 0, 1)", CONTINUOUS},
    {"exp(-hypot(0.5, 60*(t - t1 - w/2)/w))*20", SMOOTH},
    {"table((t - t1)*abs((t - t1)/w)/w, [-1e9, 0, 0.3, 0.6, 1e9], [0, 0, 1, 0, 0])", CONTINUOUS},
};
enum { CURVES = (int)(sizeof curves / sizeof curves[0]) };

/* The model file of a plant under a pulse. */
static ga_file *file_of_case(int plant, const char *shape, double t1, double w) {
  char text[4000];
  ga_file *file = NULL;
  ga_error err = {0};
  int n = snprintf(text, sizeof text, "genalpha: 1\nparameters: {t1: %.17g, w: %.17g}\n", t1, w);
  for (const char *c = plants[plant].text; *c; c++) {
    n += *c == 'U' ? snprintf(text + n, sizeof text - (size_t)n, "%s", shape)
                   : snprintf(text + n, sizeof text - (size_t)n, "%c", *c);
  }
  must(ga_file_parse("case", text, (size_t)n, NULL, &file, &err), &err);
  return file;
}

/* largest |v| on the way, and the last state */
typedef struct {
  int nq, nv;
  double q0[SUPPORT_MAX], far, fast, q[SUPPORT_MAX], v[SUPPORT_MAX];
} motion;

static int watch(void *context, const ga_state *s, const ga_stats *stats) {
  motion *m = context;
  (void)stats;
  for (int i = 0; i < m->nq; i++) m->far = fmax(m->far, fabs(s->q[i] - m->q0[i]));
  for (int i = 0; i < m->nv; i++) m->fast = fmax(m->fast, fabs(s->v[i]));
  memcpy(m->q, s->q, (size_t)m->nq * sizeof(double));
  memcpy(m->v, s->v, (size_t)m->nv * sizeof(double));
  return 0;
}

/* From rest at t0 to t_end; steps of h to `fine_end`, of 5e-4 behind it, or by rtol. */
static motion run_from(const ga_mechanism *mech, double t0, double fine_end, double t_end, double h,
                       double rtol, long *steps) {
  const ga_model *model = ga_mechanism_model(mech);
  motion m = {.nq = ga_space_nq(model->space), .nv = ga_space_nv(model->space)};
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  memcpy(m.q0, ga_mechanism_q0(mech), (size_t)m.nq * sizeof(double));
  o.rtol = rtol;
  o.h = rtol > 0 ? 1e-3 : h;
  o.cut_at_corners = GA_CUT_YES;
  o.redundant = GA_REDUNDANT_ALLOW;
  must(ga_integrator_new(model, &o, &it, &err), &err);
  ga_integrator_observe(it, watch, &m);
  must(ga_integrator_start(it, t0, ga_mechanism_q0(mech), ga_mechanism_v0(mech)),
       ga_integrator_error(it));
  if (!(rtol > 0)) {
    must(ga_integrator_run(it, fine_end), ga_integrator_error(it));
    must(ga_integrator_set_step(it, fmax(h, 5e-4)), ga_integrator_error(it));
  }
  must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  *steps = ga_integrator_stats(it)->steps;
  ga_integrator_free(it);
  return m;
}

static double largest_difference(int n, const double *a, const double *b) {
  double e = 0;
  for (int i = 0; i < n; i++) e = fmax(e, fabs(a[i] - b[i]));
  return e;
}

/* One case: errors at the end, relative to the largest motion; at rtol 1e-4 below 2 %, at 1e-6 below
 * 0.2 %. Returns the larger error divided by its bound. */
static double compare(int plant, const char *shape, bool hidden, double t1, double w) {
  static const double rtol[] = {1e-4, 1e-6}, bound[] = {2e-2, 2e-3};
  ga_file *file = file_of_case(plant, shape, t1, w);
  const ga_mechanism *mech = ga_file_mechanism(file);
  const double t_end = t1 + 1.3 * w + 0.7;
  double worst = 0;
  long steps;
  const motion fine = run_from(mech, t1 - 0.1 * w, t1 + 1.1 * w, t_end,
                               w / (hidden ? 4096 : 256) + 1e-7, 0, &steps);
  assert_true(fine.far > 1e-6 && fine.fast > 1e-3);
  for (int k = 0; k < 2; k++) {
    const motion m = run_from(mech, 0, 0, t_end, 0, rtol[k], &steps);
    const double q = largest_difference(m.nq, m.q, fine.q) / fine.far;
    const double v = largest_difference(m.nv, m.v, fine.v) / fine.fast;
    print_message("%-24s %.60s  t = %6.3f w = %8.2e rtol %.0e: %5ld steps, errors %.1e %.1e\n",
                  plants[plant].name, shape, t1, w, rtol[k], steps, q, v);
    worst = fmax(worst, fmax(q, v) / bound[k]);
  }
  ga_file_free(file);
  return worst;
}

/* Every plant under every shape that it allows, at times and of widths by chance. */
static void pulses_after_long_rests(void **state) {
  (void)state;
  uint64_t seed = 20;
  int count = 0, wrong = 0;
  for (int n = 0; n < 2 * PLANTS; n++) {
    for (int shape = 0; shape < SHAPES; shape++) {
      const int plant = n % PLANTS;
      if (shapes[shape].is < plants[plant].need) continue;
      const double t1 = 1 + 40 * fabs(next_uniform(&seed));
      const double w = pow(10, -3 * fabs(next_uniform(&seed)));
      wrong += compare(plant, shapes[shape].text, false, t1, w) > 1;
      count++;
    }
  }
  assert_true(count >= 100);
  assert_int_equal(wrong, 0);
}

/* The same for curves, from 2 ms on, as the fine steps are equal. */
static void curves_after_long_rests(void **state) {
  (void)state;
  uint64_t seed = 21;
  int count = 0, wrong = 0;
  for (int plant = 0; plant < PLANTS; plant++) {
    for (int k = 0; k < CURVES; k++) {
      if (curves[k].is < plants[plant].need) continue;
      const double t1 = 1 + 40 * fabs(next_uniform(&seed));
      const double w = pow(10, -3 * fabs(next_uniform(&seed)));
      const bool bad = compare(plant, curves[k].text, curves[k].is == ANY, t1, w) > 1;
      if (bad) print_message("WRONG\n");
      wrong += bad;
      count++;
    }
  }
  assert_true(count >= 60);
  assert_int_equal(wrong, 0);
}

static void note_warning(void *context, ga_log_level level, const char *text) {
  if (level == GA_LOG_WARNING && strstr(text, "jumps at t = 0.530")) ++*(int *)context;
}

/* Jumps of curves, exp(t) = 1.7, under given steps and automatic ones: a drive ends the run in front of
 * it, with its time; a force in a given step is warned about. */
static void jumps_of_curves(void **state) {
  (void)state;
  static const char *const text =
      "genalpha: 1\n"
      "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {g: {type: prismatic, between: [ground, m], axis: [1, 0, 0]}}\n"
      "coordinates: %s\n"
      "%s\n";
  static const struct {
    const char *element;
    bool drive;
  } elements[] = {
      {"drives: {d: {coordinate: g.position, position: \"if(exp(t) < 1.7, 0, 0.1)\"}}", true},
      {"drives: {d: {coordinate: g.position, position: \"max(0, exp(t) - 1.7)\"}}", true},
      {"drives: {d: {coordinate: g.position, rate: \"if(exp(t) < 1.7, 0, 0.1)\"}}", true},
      {"forces: {f: {type: force, body: m, value: [\"if(exp(t) < 1.7, 0, 1)\", 0, 0]}}", false},
  };
  for (int n = 0; n < 2 * 2 * 4; n++) {
    const bool automatic = n / 4 % 2, kink = n % 4 == 1;
    char all[600];
    ga_file *file = NULL;
    ga_integrator *it = NULL;
    ga_error err = {0};
    int warnings = 0;
    const int length =
        snprintf(all, sizeof all, text, n / 8 ? "joint" : "absolute", elements[n % 4].element);
    must(ga_file_parse("jump", all, (size_t)length, NULL, &file, &err), &err);
    const ga_mechanism *m = ga_file_mechanism(file);
    ga_options o = ga_options_default();
    o.h = 0.003;
    o.rtol = automatic ? 1e-4 : 0;
    o.log = note_warning, o.log_context = &warnings;
    must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
    must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
         ga_integrator_error(it));
    const ga_status status = ga_integrator_run(it, 1);
    if (elements[n % 4].drive && !kink) {
      assert_refused(status, ga_integrator_error(it), GA_ERR_MODEL, "t = 0.53062", "jumps there");
      assert_true(fabs(ga_integrator_state(it)->t - log(1.7)) <= (automatic ? 1e-9 : o.h));
    } else if (!kink) {
      must(status, ga_integrator_error(it));
      assert_int_equal(warnings, automatic ? 0 : 1);
      const double t = 1 - log(1.7), miss = ga_integrator_state(it)->q[0] - t * t / 2;
      assert_true(fabs(miss) <= (automatic ? 1e-9 : 1e-3));
    }
    ga_integrator_free(it);
    ga_file_free(file);
  }
}

/* An input that follows a table with a pulse of 40 ms after 50 s of rest, in three ways. */
static void inputs_after_long_rests(void **state) {
  (void)state;
  enum { POINTS = 41 };
  static const char text[] =
      "genalpha: 1\n"
      "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {g: {type: prismatic, between: [ground, m], axis: [1, 0, 0]}}\n"
      "inputs: {u: 0}\n"
      "forces:\n"
      "  k: {type: torsion, coordinate: g.position, stiffness: 100, damping: 1}\n"
      "  f: {type: force, body: m, value: [\"u\", 0, 0]}\n";
  double t[POINTS + 3] = {0}, u[POINTS + 3] = {0};
  ga_file *file = NULL;
  ga_error err = {0};
  for (int i = 0; i < POINTS; i++) {
    t[i + 2] = 50 + 0.001 * i,
          u[i + 2] = i > 0 && i < 40 ? 100 * pow(sin(3.14159265358979 * i / 40), 2) : 0;
  }
  t[1] = 1, t[POINTS + 2] = 60;
  must(ga_file_parse("input", text, sizeof text - 1, NULL, &file, &err), &err);
  for (int kind = GA_INPUT_HOLD; kind <= GA_INPUT_SMOOTH; kind++) {
    double q[2];
    for (int k = 0; k < 2; k++) { /* fine steps from just before it, automatic ones from 0 */
      ga_options o = ga_options_default();
      ga_integrator *it = NULL;
      const ga_mechanism *m = ga_file_mechanism(file);
      o.h = 1e-5;
      o.rtol = k > 0 ? 1e-4 : 0;
      must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
      must(ga_integrator_set_input_table(it, 0, (ga_input_kind)kind, POINTS + 3, t, u),
           ga_integrator_error(it));
      must(ga_integrator_start(it, k > 0 ? 0 : 49.9, ga_mechanism_q0(m), ga_mechanism_v0(m)),
           ga_integrator_error(it));
      must(ga_integrator_run(it, 50.1), ga_integrator_error(it));
      q[k] = ga_integrator_state(it)->q[0];
      ga_integrator_free(it);
    }
    assert_true(fabs(q[0]) > 0.01 && fabs(q[1] / q[0] - 1) < 2e-3);
  }
  ga_file_free(file);
}

/* Forces on a mass at rest that grow for ever, faster than any power: v and x at t = 1 in closed form. (The
 * sizes that errors are relative to were those of exp(700).) */
static void forces_that_grow_for_ever(void **state) {
  (void)state;
  const struct {
    const char *force;
    double v, x;
  } known[] = {
      {"exp(t) - 1 - t", exp(1) - 2.5, exp(1) - 2.5 - 1.0 / 6},
      {"sinh(t) - t", cosh(1) - 1.5, sinh(1) - 1 - 1.0 / 6},
      {"cosh(9*t) - 1", sinh(9) / 9 - 1, (cosh(9) - 1) / 81 - 0.5},
      {"1e-9*(exp(20*t) - 1 - 20*t)", 1e-9 * ((exp(20) - 1) / 20 - 11),
       1e-9 * ((exp(20) - 21) / 400 - 0.5 - 20.0 / 6)},
      {"t^2*exp(t)", exp(1) - 2, 3 * exp(1) - 8},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    char text[400];
    ga_file *file = NULL;
    ga_error err = {0};
    long steps;
    const int n = snprintf(text, sizeof text,
                           "genalpha: 1\n"
                           "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "joints: {g: {type: prismatic, between: [ground, m], axis: [1, 0, 0]}}\n"
                           "forces: {f: {type: force, body: m, value: [\"%s\", 0, 0]}}\n",
                           known[i].force);
    must(ga_file_parse("growing", text, (size_t)n, NULL, &file, &err), &err);
    for (double rtol = 1e-3; rtol > 5e-7; rtol /= 10) {
      const motion m = run_from(ga_file_mechanism(file), 0, 0, 1, 0, rtol, &steps);
      const double v = fabs(m.v[0] / known[i].v - 1), x = fabs(m.q[0] / known[i].x - 1);
      if (!(v < 20 * rtol && x < 20 * rtol)) fail_msg("%s: %g %g", known[i].force, v, x);
    }
    ga_file_free(file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pulses_after_long_rests), cmocka_unit_test(curves_after_long_rests),
      cmocka_unit_test(jumps_of_curves), cmocka_unit_test(inputs_after_long_rests),
      cmocka_unit_test(forces_that_grow_for_ever)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
