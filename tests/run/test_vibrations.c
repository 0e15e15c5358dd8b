/* SPDX-License-Identifier: MIT */
/* Forces that are switched on at the start, at the end of the first step and later: each method sees
 * them from their time on. A stiff beam, whose axial vibrations no step resolves, gains no energy by the
 * memory that is built there. */
#include <math.h>

#include "support.h"

static const char *const methods[] = {"stab2", "index3", "index2", "hht"};
enum { METHODS = 4 };

/* the energy less the work of the loads, and by how much it has risen above an earlier value */
typedef struct {
  const ga_mechanism *m;
  double load[3], least, rise, most;
} balance;

static double column(const balance *b, const ga_state *s, const char *name) {
  return ga_mechanism_output(b->m, s, ga_mechanism_column_index(b->m, name));
}

static int weigh(void *context, const ga_state *s, const ga_stats *stats) {
  balance *b = context;
  const double energy = column(b, s, "energy.total");
  const double now = energy - b->load[0] * (column(b, s, "arm.end.x") - 1) -
                     b->load[1] * column(b, s, "arm.end.y") -
                     b->load[2] * column(b, s, "arm.end.z");
  (void)stats;
  b->least = fmin(b->least, now);
  b->rise = fmax(b->rise, now - b->least);
  b->most = fmax(b->most, energy);
  return 0;
}

/* Run `text` to t_end; x, v: position and velocity of the first body at the end. */
static void run(const char *text, const ga_options *o, double t_end, balance *b, double *x,
                double *v) {
  ga_error err = {0};
  ga_file *file;
  ga_integrator *it;
  must(ga_file_parse("load.yaml", text, strlen(text), NULL, &file, &err), &err);
  b->m = ga_file_mechanism(file);
  must(ga_integrator_new(ga_mechanism_model(b->m), o, &it, &err), &err);
  if (b->load[0] != 0) ga_integrator_observe(it, weigh, b);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(b->m), ga_mechanism_v0(b->m)),
       ga_integrator_error(it));
  must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  *x = ga_integrator_state(it)->q[0];
  *v = ga_integrator_state(it)->v[0];
  ga_integrator_free(it);
  ga_file_free(file);
}

/* A mass of 1 kg under 1 N from T on: all methods are exact, for steps that end at T. T at the start, at
 * the end of the first step, and later. */
static void constant_force(void **state) {
  (void)state;
  for (int k = 0; k < 4 * METHODS; k++) {
    const double T = 0.05 * (k % 4);
    ga_options o = ga_options_default();
    o.h = 0.05;
    o.method = methods[k / 4];
    o.par = ga_params_rho(0.5);
    char text[400];
    snprintf(text, sizeof text,
             "genalpha: 1\n"
             "bodies:\n"
             "  ball: {kind: point, mass: 1, position: [0, 0, 0]}\n"
             "forces:\n"
             "  push: {type: force, body: ball, value: ['if(t >= %g, 1, 0)', 0, 0]}\n",
             T);
    balance b = {.m = NULL};
    double x, v;
    run(text, &o, 0.4, &b, &x, &v);
    print_message("%s, from %g: x %.2e, v %.2e\n", methods[k / 4], T, x - (0.4 - T) * (0.4 - T) / 2,
                  v - (0.4 - T));
    assert_true(fabs(x - (0.4 - T) * (0.4 - T) / 2) < 1e-14);
    assert_true(fabs(v - (0.4 - T)) < 1e-14);
  }
}

/* A clamped beam of 1.8 Hz, whose tip is pulled along and across it from T on. Its axial vibrations have
 * up to 28,000 rad/s. The energy that its motion has at most is 0.024 J. Without a corner the start is the
 * method's own, whose v' + alpha h v'' gains a tenth of it at most. */
static void beam(void **state) {
  (void)state;
  static const double h[] = {0.01, 0.002, 2e-4}, rho[] = {0.5, 0.8, 0.9};
  static const char *const when[] = {"1", "if(t >= 0, 1, 0)", "if(t >= 0.1, 1, 0)"};
  for (int k = 0; k < 27; k++) {
    ga_options o = ga_options_default();
    o.h = h[k % 3];
    o.par = ga_params_rho(rho[k / 3 % 3]);
    char text[800];
    snprintf(text, sizeof text,
             "genalpha: 1\n"
             "beams:\n"
             "  arm:\n"
             "    line: {from: [0, 0, 0], to: [1, 0, 0], elements: 8}\n"
             "    section: {EA: 1e6, GA: [4e5, 4e5], GJ: 10, EI: [10, 10], rhoA: 1,\n"
             "              rhoI: [2e-4, 1e-4, 1e-4]}\n"
             "joints:\n"
             "  clamp: {type: fixed, between: [ground, arm.start]}\n"
             "forces:\n"
             "  pull: {type: force, body: arm.end,\n"
             "         value: ['100*%s', 0, '%s']}\n",
             when[k / 9], when[k / 9]);
    balance b = {.load = {100, 0, 1}};
    double x, v;
    run(text, &o, 1, &b, &x, &v);
    print_message("%s, rho %g, h %g: energy up to %.4f J, %.1e J gained\n", when[k / 9],
                  rho[k / 3 % 3], o.h, b.most, b.rise);
    assert_true(b.most > 0.005 && b.rise < (k < 9 ? 0.15 : 0.02) * b.most);
  }
}

/* models/spin-up.yaml with 16 elements: its drive has a corner at 15, at a speed of 60 m/s. h resolves
 * bending alone, and nothing jumps: the arm stays as straight as it is. */
static void corner_of_a_drive(void **state) {
  (void)state;
  static const double h[] = {0.06, 0.05, 0.04};
  static const ga_file_set set = {"n", "16"};
  for (int k = 0; k < 6; k++) {
    ga_error err = {0};
    ga_file *file;
    ga_integrator *it;
    ga_options o = ga_options_default();
    o.h = h[k % 3];
    o.par = ga_params_rho(k < 3 ? 0.5 : 0.8);
    const ga_file_options choice = {.set = &set, .nset = 1};
    must(ga_file_load(GA_MODELS "/spin-up.yaml", &choice, &file, &err), &err);
    balance b = {.m = ga_file_mechanism(file)};
    must(ga_integrator_new(ga_mechanism_model(b.m), &o, &it, &err), &err);
    must(ga_integrator_start(it, 0, ga_mechanism_q0(b.m), ga_mechanism_v0(b.m)),
         ga_integrator_error(it));
    must(ga_integrator_run(it, 20), ga_integrator_error(it));
    const double x = column(&b, ga_integrator_state(it), "tip.x"),
                 y = column(&b, ga_integrator_state(it), "tip.y");
    print_message("h %g: tip %.6f, %.6f\n", o.h, x, y);
    assert_true(fabs(x - 10.000514) < 2e-5 && fabs(y) < 3e-3);
    ga_integrator_free(it);
    ga_file_free(file);
  }
}

/* A blade that turns from the start as a rigid one, with strain rates damped by beta: its axial vibrations
 * are damped up to 1e4 times more than critically, and v'' contains their decay. The memory a = v' + alpha h
 * v'' brought 550 J into a motion of 0.67 J, and the third step failed. */
static void damped_start(void **state) {
  (void)state;
  static const double beta[] = {1e-4, 2e-3, 0.02}, h[] = {0.01, 0.002}, rho[] = {0, 0.5, 0.8};
  for (int k = 0; k < 18; k++) {
    ga_options o = ga_options_default();
    o.h = h[k % 2];
    o.par = ga_params_rho(rho[k / 6]);
    char text[900];
    snprintf(text, sizeof text,
             "genalpha: 1\n"
             "beams:\n"
             "  arm:\n"
             "    line: {from: [0, 0, 0], to: [1, 0, 0], elements: 12}\n"
             "    section: {EA: 1e6, GA: [1e6, 1e6], GJ: 100, EI: [1, 1], rhoA: 1,\n"
             "              rhoI: [1e-6, 1e-6, 1e-6]}\n"
             "    angular_velocity: [0, 0, 1]\n"
             "    damping: %g\n"
             "joints:\n"
             "  root: {type: revolute, between: [ground, arm.start], axis: [0, 0, 1]}\n"
             "drives:\n"
             "  motor: {coordinate: root.angle, position: t}\n",
             beta[k / 2 % 3]);
    balance b = {.load = {1e-300, 0, 0}};
    double x, v;
    run(text, &o, 0.2, &b, &x, &v);
    print_message("beta %g, rho %g, h %g: %.9f J at most\n", beta[k / 2 % 3], rho[k / 6], o.h,
                  b.most);
    assert_true(b.most < 1.1 / 6); /* it has rhoA w^2 L^3/6 */
  }
}

/* A damped beam that flies and turns: what its memory brings in is a hundredth of the energy of the motion
 * or less, but all in the short elements, which h = 0.005 to 0.008 turned by more than half a turn in the
 * second step. Its energy rises by 98 h^2, as that of one whose steps are long enough to damp the start. */
static void damped_flight(void **state) {
  (void)state;
  static const double h[] = {0.02, 0.01, 0.008, 0.006, 0.005, 0.0045};
  for (int k = 0; k < 6; k++) {
    ga_options o = ga_options_default();
    o.h = h[k];
    o.par = ga_params_rho(0.9);
    balance b = {.load = {1e-300, 0, 0}, .least = INFINITY};
    double x, v;
    run("genalpha: 1\n"
        "beams:\n"
        "  arm:\n"
        "    line: {from: [0, 0, 0], to: [2, 0, 0], elements: 6}\n"
        "    section: {EA: 1e6, GA: [4e5, 4e5], GJ: 50, EI: [80, 120], rhoA: 0.6,\n"
        "              rhoI: [1e-3, 5e-4, 5e-4]}\n"
        "    velocity: [0, 1, 0]\n"
        "    angular_velocity: [3, 3, 6]\n"
        "    damping: 0.02\n",
        &o, 1, &b, &x, &v);
    print_message("h %g: energy rises by %.3g h^2\n", h[k], b.rise / (h[k] * h[k]));
    assert_true(b.rise < 120 * h[k] * h[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constant_force), cmocka_unit_test(beam), cmocka_unit_test(corner_of_a_drive),
      cmocka_unit_test(damped_start), cmocka_unit_test(damped_flight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
