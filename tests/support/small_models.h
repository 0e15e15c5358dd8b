/* SPDX-License-Identifier: MIT */
/* Small models for the tests of step control, dense output and events; unit masses in R^n. */
#ifndef GA_TESTS_SMALL_MODELS_H
#define GA_TESTS_SMALL_MODELS_H

#include "support.h"

/* A model with its space; n coordinates, a force, perhaps one constraint. */
typedef struct {
  ga_model_ops ops;
  ga_model model;
  ga_space *space;
  int n;
  double k, t_jump, load; /* stiffness; when a load of this size sets in */
  int refuse;             /* the force asks for a smaller step so many times */
} small;

static inline int small_mass(void *user, double t, const double *q, ga_csr *M) {
  const small *s = user;
  (void)t, (void)q;
  for (int i = 0; i < s->n; i++) M->val[i * s->n + i] = 1;
  return 0;
}

/* a pendulum by its angle, g/l = k */
static inline int angle_force(void *user, double t, const double *q, const double *v, double *F) {
  const small *s = user;
  (void)t, (void)v;
  F[0] = -s->k * sin(q[0]);
  return 0;
}

/* free fall along the last coordinate, nothing along the others */
static inline int fall_force(void *user, double t, const double *q, const double *v, double *F) {
  const small *s = user;
  (void)t, (void)q, (void)v;
  for (int i = 0; i < s->n; i++) F[i] = i == s->n - 1 ? -9.81 : 0;
  return 0;
}

/* an oscillator q'' = -k q, on which a load sets in; other coordinates rest at zero */
static inline int load_force(void *user, double t, const double *q, const double *v, double *F) {
  small *s = user;
  (void)v;
  if (s->refuse > 0 && t > 0.3) {
    s->refuse--;
    return 1;
  }
  for (int i = 0; i < s->n; i++) F[i] = -s->k * q[i];
  if (t >= s->t_jump) F[0] += s->load;
  return 0;
}

/* a point on a spring of length 1 and stiffness k, gravity 9.81 along -y */
static inline int spring_force(void *user, double t, const double *q, const double *v, double *F) {
  const small *s = user;
  (void)t, (void)v;
  double r = hypot(q[0], q[1]), pull = -s->k * (r - 1) / r;
  F[0] = pull * q[0];
  F[1] = pull * q[1] - 9.81;
  return 0;
}

/* a rod of length 1 */
static inline int rod(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

typedef int (*small_fn)(void *user, double t, const double *q, const double *v, double *F);

static inline void small_open(small *s, int n, small_fn force, bool constrained) {
  *s = (small){.n = n, .k = 1, .t_jump = INFINITY};
  must(ga_space_rn(n, &s->space), NULL);
  s->ops = (ga_model_ops){.mass = small_mass, .force = force};
  if (constrained) s->ops.holonomic = rod;
  s->model = (ga_model){.ops = &s->ops,
                        .user = s,
                        .space = s->space,
                        .nlam = constrained,
                        .const_mass = true,
                        .scleronomic = true};
}

static inline void small_close(small *s) {
  ga_space_free(s->space);
}

static inline ga_integrator *small_start(const small *s, const ga_options *o, const double *q,
                                         const double *v) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(&s->model, o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
  return it;
}

/* complete elliptic integral of the first kind, by the arithmetic-geometric mean */
static inline double elliptic_K(double k) {
  double a = 1, b = sqrt(1 - k * k);
  for (int i = 0; i < 20; i++) {
    double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return acos(-1) / (2 * a);
}

/* period of a pendulum of frequency omega released from rest at the angle phi */
static inline double pendulum_period(double omega, double phi) {
  return 4 * elliptic_K(sin(phi / 2)) / omega;
}

/* The angle that a pendulum of length 1 on a rod has fallen from the horizontal, by RK4. */
static inline double rod_angle(double t) {
  const int n = 20000;
  double a = 0, w = 0, h = t / n, k[4], l[4];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) {
      double c = j == 0 ? 0 : j == 3 ? h : h / 2;
      k[j] = w + (j ? c * l[j - 1] : 0);
      l[j] = 9.81 * cos(a + (j ? c * k[j - 1] : 0));
    }
    a += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    w += h / 6 * (l[0] + 2 * l[1] + 2 * l[2] + l[3]);
  }
  return a;
}

#endif
