/* SPDX-License-Identifier: MIT */
/* Models on which an error estimate may lie: friction, stops, impacts, chaos, kinks, jumps, noise,
 * stiff springs. Unit masses, F(t, q, v), so that any other integrator can solve them, too. */
#ifndef GA_TESTS_DISHONEST_MODELS_H
#define GA_TESTS_DISHONEST_MODELS_H

#include <math.h>

typedef void (*dishonest_force)(double t, const double *q, const double *v, double *F);

typedef struct {
  const char *name;
  dishonest_force force;
  int n;
  double t_end, q0[4], v0[4];
} dishonest;

static inline double sign_of_number(double x) {
  return (x > 0) - (x < 0);
}

#define FORCE(name) static inline void name(double t, const double *q, const double *v, double *F)
#define UNUSED (void)t, (void)q, (void)v

/* friction */
FORCE(coulomb_sign) {
  UNUSED;
  F[0] = -q[0] - 0.1 * sign_of_number(v[0]);
}
FORCE(coulomb_tanh_sharp) {
  UNUSED;
  F[0] = -q[0] - 0.1 * tanh(v[0] / 1e-4);
}
FORCE(coulomb_tanh_smooth) {
  UNUSED;
  F[0] = -q[0] - 0.1 * tanh(v[0] / 0.1);
}
FORCE(stick_slip_belt) {
  UNUSED;
  F[0] = -q[0] - 0.5 * tanh((v[0] - 0.2) / 1e-3) / (1 + fabs(v[0] - 0.2));
}
FORCE(braking_to_rest) {
  UNUSED;
  F[0] = -0.5 * sign_of_number(v[0]);
}
FORCE(dry_on_slope) {
  UNUSED;
  F[0] = 0.3 - 0.35 * tanh(v[0] / 1e-3);
}
/* stops and impacts */
FORCE(elastic_stop) {
  UNUSED;
  F[0] = -1 + (q[0] < 0 ? -1e4 * q[0] : 0);
}
FORCE(hertz_stop) {
  UNUSED;
  F[0] = -1 + (q[0] < 0 ? 1e5 * pow(-q[0], 1.5) : 0);
}
FORCE(damped_stop) {
  UNUSED;
  F[0] = -1 + (q[0] < 0 ? fmax(0, -1e4 * q[0] - 20 * v[0]) : 0);
}
FORCE(hard_stop) {
  UNUSED;
  F[0] = -1 + (q[0] < 0 ? -1e8 * q[0] : 0);
}
FORCE(backlash) {
  UNUSED;
  F[0] = -100 * (q[0] > 0.1 ? q[0] - 0.1 : q[0] < -0.1 ? q[0] + 0.1 : 0);
}
FORCE(two_stops) {
  UNUSED;
  F[0] = sin(3 * t) + (q[0] < -1 ? 1e3 * (-1 - q[0]) : q[0] > 1 ? 1e3 * (1 - q[0]) : 0);
}
FORCE(bouncing_pair) {
  UNUSED;
  double c = q[0] < q[1] ? 1e5 * (q[1] - q[0]) : 0, g = q[1] < 0 ? -1e5 * q[1] : 0;
  F[0] = -1 + c, F[1] = -1 - c + g;
}
/* chaos */
FORCE(duffing_chaos) {
  UNUSED;
  F[0] = q[0] - q[0] * q[0] * q[0] - 0.3 * v[0] + 0.5 * cos(1.2 * t);
}
FORCE(henon_heiles) {
  UNUSED;
  F[0] = -q[0] - 2 * q[0] * q[1];
  F[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
}
FORCE(ueda) {
  UNUSED;
  F[0] = -0.05 * v[0] - q[0] * q[0] * q[0] + 7.5 * cos(t);
}
FORCE(saddle) {
  UNUSED;
  F[0] = 4 * q[0];
}
FORCE(inverted_pendulum) {
  UNUSED;
  F[0] = 9.81 * sin(q[0]);
}
/* kinks and jumps in time and place */
FORCE(square_wave) {
  UNUSED;
  F[0] = -q[0] + (sin(3.7 * t) > 0 ? 1 : -1);
}
FORCE(triangle_wave) {
  UNUSED;
  F[0] = -q[0] + asin(sin(3.7 * t));
}
FORCE(switch_at_pi) {
  UNUSED;
  F[0] = -q[0] + (t > 3.14159265358979 ? 1 : 0);
}
FORCE(short_pulse) {
  UNUSED;
  F[0] = -q[0] + (t > 5.01 && t < 5.06 ? 20 : 0);
}
FORCE(late_gauss) {
  UNUSED;
  F[0] = -q[0] + 10 * exp(-(t - 7.3) * (t - 7.3) / 2e-4);
}
FORCE(ramp_then_hold) {
  UNUSED;
  F[0] = -q[0] + fmin(t, 2.3);
}
FORCE(bilinear_spring) {
  UNUSED;
  F[0] = q[0] > 0 ? -q[0] : -9 * q[0];
}
FORCE(absolute_value) {
  UNUSED;
  F[0] = -sign_of_number(q[0]) * sqrt(fabs(q[0]));
}
FORCE(square_damping) {
  UNUSED;
  F[0] = -q[0] - 0.5 * v[0] * fabs(v[0]);
}
FORCE(staircase) {
  UNUSED;
  F[0] = -q[0] + 0.2 * floor(t);
}
FORCE(table_of_road) {
  UNUSED;
  static const double z[11] = {0, 0.1, -0.1, 0.2, 0, 0, -0.2, 0.1, 0.05, 0, 0};
  double x = fmin(fmax(t, 0), 9.999);
  int i = (int)x;
  F[0] = -40 * (q[0] - (z[i] + (x - i) * (z[i + 1] - z[i]))) - v[0];
}
/* noise, stiff springs, scales */
FORCE(noise) {
  UNUSED;
  F[0] = -q[0] + 1e-6 * sin(1e9 * q[0]);
}
FORCE(ripple) {
  UNUSED;
  F[0] = -q[0] + 0.05 * sin(400 * q[0]);
}
FORCE(stiff_pair) {
  UNUSED;
  F[0] = -q[0] - 1e8 * (q[0] - q[1]), F[1] = -1e8 * (q[1] - q[0]);
}
FORCE(stiff_excited) {
  UNUSED;
  F[0] = -1e6 * (q[0] - 0.1 * sin(t));
}
FORCE(slow_and_fast) {
  UNUSED;
  F[0] = -q[0], F[1] = -1e4 * q[1];
}
FORCE(tiny_amplitude) {
  UNUSED;
  F[0] = -q[0] - q[0] * q[0];
}
FORCE(kepler_eccentric) {
  UNUSED;
  double r = sqrt(q[0] * q[0] + q[1] * q[1]), r3 = r * r * r;
  F[0] = -q[0] / r3, F[1] = -q[1] / r3;
}
FORCE(near_collision) {
  UNUSED;
  double r = sqrt(q[0] * q[0] + q[1] * q[1] + 1e-6), r3 = r * r * r;
  F[0] = -q[0] / r3, F[1] = -q[1] / r3;
}
FORCE(beat) {
  UNUSED;
  F[0] = -q[0] + 0.01 * cos(1.001 * t);
}
FORCE(at_rest) {
  UNUSED;
  F[0] = 0;
}
FORCE(runaway) {
  UNUSED;
  F[0] = q[0] * q[0];
}
FORCE(rounding_offset) {
  UNUSED;
  F[0] = -(q[0] - 1e8);
}
FORCE(van_der_pol) {
  UNUSED;
  F[0] = 50 * (1 - q[0] * q[0]) * v[0] - q[0];
}
FORCE(hysteresis_of_speed) {
  UNUSED;
  F[0] = -q[0] + (v[0] > 0.5 ? -0.3 : 0.1);
}
#undef FORCE
#undef UNUSED

static const dishonest dishonest_models[] = {
    {"coulomb_sign", coulomb_sign, 1, 10, {1}, {0}},
    {"coulomb_tanh_sharp", coulomb_tanh_sharp, 1, 10, {1}, {0}},
    {"coulomb_tanh_smooth", coulomb_tanh_smooth, 1, 10, {1}, {0}},
    {"stick_slip_belt", stick_slip_belt, 1, 20, {0}, {0}},
    {"braking_to_rest", braking_to_rest, 1, 3, {0}, {1}},
    {"dry_on_slope", dry_on_slope, 1, 5, {0}, {0.2}},
    {"elastic_stop", elastic_stop, 1, 10, {1}, {0}},
    {"hertz_stop", hertz_stop, 1, 10, {1}, {0}},
    {"damped_stop", damped_stop, 1, 10, {1}, {0}},
    {"hard_stop", hard_stop, 1, 10, {1}, {0}},
    {"backlash", backlash, 1, 10, {0.5}, {0}},
    {"two_stops", two_stops, 1, 10, {0}, {1}},
    {"bouncing_pair", bouncing_pair, 2, 4, {1.3, 0.7}, {0, 0}},
    {"duffing_chaos", duffing_chaos, 1, 100, {1}, {0}},
    {"henon_heiles", henon_heiles, 2, 200, {0, 0.1}, {0.49, 0.1}},
    {"ueda", ueda, 1, 60, {2.5}, {0}},
    {"saddle", saddle, 1, 10, {1e-6}, {-2e-6}},
    {"inverted_pendulum", inverted_pendulum, 1, 10, {1e-9}, {0}},
    {"square_wave", square_wave, 1, 10, {0}, {0}},
    {"triangle_wave", triangle_wave, 1, 10, {0}, {0}},
    {"switch_at_pi", switch_at_pi, 1, 10, {0.5}, {0}},
    {"short_pulse", short_pulse, 1, 8, {0.1}, {0}},
    {"late_gauss", late_gauss, 1, 10, {0.1}, {0}},
    {"ramp_then_hold", ramp_then_hold, 1, 10, {0}, {0}},
    {"bilinear_spring", bilinear_spring, 1, 10, {1}, {0}},
    {"absolute_value", absolute_value, 1, 10, {1}, {0}},
    {"square_damping", square_damping, 1, 10, {1}, {0}},
    {"staircase", staircase, 1, 7.5, {0}, {0}},
    {"table_of_road", table_of_road, 1, 10, {0}, {0}},
    {"noise", noise, 1, 10, {1}, {0}},
    {"ripple", ripple, 1, 10, {1}, {0}},
    {"stiff_pair", stiff_pair, 2, 10, {1, 1}, {0, 0}},
    {"stiff_excited", stiff_excited, 1, 3, {0}, {0}},
    {"slow_and_fast", slow_and_fast, 2, 10, {1, 1e-3}, {0, 0}},
    {"tiny_amplitude", tiny_amplitude, 1, 10, {1e-12}, {0}},
    {"kepler_eccentric", kepler_eccentric, 2, 10, {1, 0}, {0, 0.2}},
    {"near_collision", near_collision, 2, 4, {1, 0}, {0, 0.01}},
    {"beat", beat, 1, 100, {0}, {0}},
    {"at_rest", at_rest, 1, 10, {1}, {0}},
    {"runaway", runaway, 1, 2.5, {1}, {0.8}},
    {"rounding_offset", rounding_offset, 1, 10, {1e8 + 1}, {0}},
    {"van_der_pol", van_der_pol, 1, 60, {2}, {0}},
    {"hysteresis_of_speed", hysteresis_of_speed, 1, 20, {1}, {0}},
};

enum { DISHONEST_MODELS = (int)(sizeof dishonest_models / sizeof dishonest_models[0]) };

#endif
