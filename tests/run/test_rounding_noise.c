/* SPDX-License-Identifier: MIT */
/* Automatic steps with a relative tolerance alone, from rest: forces that grow from zero, in any
 * units, with and without constraints, beside parts that move. */
#include "small_models.h"

/* A driven system in units of its own: lengths and times are multiplied by these. */
typedef struct {
  small s;
  double length, time;
  double tilt; /* of gravity in the plane */
  double (*drive)(double t);
} driven;

static double wave(double t) {
  return 1 - cos(30 * t);
}
static double small_wave(double t) {
  return 1e-6 * wave(t);
}
static double ramp(double t) {
  return t;
}
static double late_parabola(double t) {
  return t > 1 ? (t - 1) * (t - 1) : 0;
}
static double late_load(double t) {
  return t > 1;
}
static double steep(double t) {
  return t * t * t * t * t * t;
}

/* a pendulum by its angle times the unit of length */
static int angle(void *user, double t, const double *q, const double *v, double *F) {
  const driven *d = user;
  (void)v;
  double force = -9.81 * sin(q[0] / d->length) + d->drive(t / d->time);
  F[0] = force * d->length / (d->time * d->time);
  return 0;
}
/* the same in the plane, hanging at (0, -1) or where gravity points to, pushed sideways */
static int plane(void *user, double t, const double *q, const double *v, double *F) {
  const driven *d = user;
  (void)q, (void)v;
  double push = d->drive(t), s = sin(d->tilt), c = cos(d->tilt);
  F[0] = push * c + 9.81 * s;
  F[1] = push * s - 9.81 * c;
  return 0;
}
/* a mass that rests until it is driven, one coupled to it, one that oscillates all along */
static int three(void *user, double t, const double *q, const double *v, double *F) {
  const driven *d = user;
  (void)v;
  F[0] = -9.81 * q[0] + 5 * (q[1] - q[0]) + d->drive(t);
  F[1] = 5 * (q[0] - q[1]);
  F[2] = -4 * q[2];
  return 0;
}
static int unit_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < M->nrow; i++) M->val[i * M->ncol + i] = 1;
  return 0;
}

static void driven_open(driven *d, int n, small_fn force, double (*drive)(double), bool rod_too) {
  *d = (driven){.length = 1, .time = 1, .drive = drive};
  small_open(&d->s, n, force, rod_too);
  d->s.ops.mass = unit_mass;
  d->s.model.user = d;
  d->s.model.ops = &d->s.ops;
}

enum { N = 3 };
typedef struct {
  double q[N], v[N];
  long steps;
} outcome;

static outcome run_driven(const driven *d, ga_options o, const double *q, const double *v) {
  outcome end = {0};
  ga_integrator *it = small_start(&d->s, &o, q, v);
  must(ga_integrator_run(it, 2.5 * d->time), ga_integrator_error(it));
  for (int i = 0; i < d->s.n; i++) {
    end.q[i] = ga_integrator_state(it)->q[i] / d->length;
    end.v[i] = ga_integrator_state(it)->v[i] * d->time / d->length;
  }
  end.steps = ga_integrator_stats(it)->steps;
  ga_integrator_free(it);
  return end;
}

/* The tolerance is honoured: over three decades of it, from 1e-3, where h^3 is small against h^2, the
 * larger of the errors of q and v falls in each, by 10 on average (not where the load jumps or rounding decides when the motion
 * begins: there it is below a bound that does), and it is small against the size of the motion. */
static void assert_decades(const char *what, const driven *d, const char *method, const double *q,
                           double size) {
  enum { LEVELS = 4 };
  const double v[N] = {0};
  double e[LEVELS];
  bool falls = d->drive != late_load && d->tilt == 0;
  ga_options o = ga_options_default();
  o.method = method;
  o.h = 2.5e-5 * d->time;
  outcome ref = run_driven(d, o, q, v);
  for (int l = 0; l < LEVELS; l++) {
    o.h = 1e-3;
    o.rtol = pow(10, -3 - l);
    o.h_max = INFINITY;
    outcome end = run_driven(d, o, q, v);
    e[l] = fmax(vector_error(d->s.n, end.q, ref.q), vector_error(d->s.n, end.v, ref.v));
    assert_between(what, e[l] / (o.rtol * size), 0, 50);
    assert_in_range(end.steps, 30 * (l + 1), 40000);
    if (l > 0 && falls) assert_between(what, e[l - 1] / e[l], 4, 30);
  }
  if (!falls) return;
  assert_between(what, pow(e[0] / e[LEVELS - 1], 1.0 / (LEVELS - 1)), 8, 14);
}

static void test_one_coordinate(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*drive)(double);
    double size;
  } cases[] = {{"wave", wave, 0.1},           {"small wave", small_wave, 1e-7},
               {"ramp", ramp, 0.2},           {"late parabola", late_parabola, 0.2},
               {"late load", late_load, 0.1}, {"steep", steep, 24}};
  const double zero = 0;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    driven d;
    driven_open(&d, 1, angle, cases[c].drive, false);
    assert_decades(cases[c].name, &d, "stab2", &zero, cases[c].size);
    small_close(&d.s);
  }
}

/* The same problem in other units: the same errors, and nearly the same steps. */
static void test_units(void **state) {
  (void)state;
  const double units[][2] = {{1, 1}, {1e-6, 1}, {1e6, 1}, {1, 1e-6}, {1, 1e6}, {1e6, 1e-6}};
  const double zero = 0;
  long steps = 0;
  for (int u = 0; u < 6; u++) {
    driven d;
    driven_open(&d, 1, angle, wave, false);
    d.length = units[u][0];
    d.time = units[u][1];
    char what[64];
    snprintf(what, sizeof what, "length %g, time %g", d.length, d.time);
    assert_decades(what, &d, "stab2", &zero, 0.1);
    ga_options o = ga_options_default();
    o.rtol = 1e-4;
    o.h_max = INFINITY;
    outcome end = run_driven(&d, o, &zero, &zero);
    if (u == 0) steps = end.steps;
    assert_between(what, (double)end.steps / (double)steps, 0.9, 1.1);
    small_close(&d.s);
  }
}

static void test_constrained(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3", "soi2"};
  const double hanging[] = {0, -1};
  for (int m = 0; m < 3; m++) {
    driven d;
    driven_open(&d, 2, plane, wave, true);
    assert_decades(methods[m], &d, methods[m], hanging, 0.1);
    small_close(&d.s);
  }
}

/* Gravity is tilted: the forces at the start balance up to rounding only, and v' is not zero. */
static void test_tilted(void **state) {
  (void)state;
  static const double tilts[] = {0.3, 1};
  static const struct {
    const char *name;
    double (*drive)(double);
    double size;
  } cases[] = {{"wave", wave, 0.1},
               {"small wave", small_wave, 1e-7},
               {"ramp", ramp, 0.2},
               {"late parabola", late_parabola, 0.2},
               {"late load", late_load, 0.1}};
  for (int c = 0; c < 5; c++) {
    for (int k = 0; k < 2; k++) {
      driven d;
      driven_open(&d, 2, plane, cases[c].drive, true);
      d.tilt = tilts[k];
      const double hanging[] = {sin(d.tilt), -cos(d.tilt)};
      assert_decades(cases[c].name, &d, "stab2", hanging, cases[c].size);
      small_close(&d.s);
    }
  }
}

/* ---- in equilibrium up to rounding --------------------------------------------------------- */

/* Masses on rods or on springs, one below the other, along gravity that is tilted by an angle. */
enum { LINKS_MAX = 12 };
typedef struct {
  int links;
  double tilt;
  bool springs;
} hanging;

static double link_mass(int i) {
  return 1 + 0.3 * i;
}
static double link_length(int i) {
  return 0.3 + 0.17 * i;
}
static double stiffness(int i) {
  return 1e4 / (i + 3);
}
/* what link i carries */
static double link_load(const hanging *h, int i) {
  double sum = 0;
  for (int k = i; k < h->links; k++) sum += link_mass(k);
  return 9.81 * sum;
}
static double link_part(const double *q, int i, int axis) {
  return q[2 * i + axis] - (i > 0 ? q[2 * i - 2 + axis] : 0);
}
static int links_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < M->nrow; i++) M->val[i * M->ncol + i] = link_mass(i / 2);
  return 0;
}
static int links_force(void *user, double t, const double *q, const double *v, double *F) {
  const hanging *h = user;
  const double down[2] = {sin(h->tilt), -cos(h->tilt)};
  (void)t, (void)v;
  for (int i = 0; i < h->links; i++) {
    for (int axis = 0; axis < 2; axis++) F[2 * i + axis] = link_mass(i) * 9.81 * down[axis];
  }
  for (int i = 0; i < h->links && h->springs; i++) {
    double x = link_part(q, i, 0), y = link_part(q, i, 1), l = hypot(x, y);
    double pull = stiffness(i) * (l - link_length(i)) / l;
    const double part[2] = {pull * x, pull * y};
    for (int axis = 0; axis < 2; axis++) {
      F[2 * i + axis] -= part[axis];
      if (i > 0) F[2 * i - 2 + axis] += part[axis];
    }
  }
  return 0;
}
static int links_row(void *user, double t, const double *q, double *g) {
  const hanging *h = user;
  (void)t;
  for (int i = 0; i < h->links; i++) {
    double x = link_part(q, i, 0), y = link_part(q, i, 1);
    g[i] = (x * x + y * y - link_length(i) * link_length(i)) / 2;
  }
  return 0;
}
static int links_jac(void *user, double t, const double *q, ga_csr *G) {
  const hanging *h = user;
  (void)t;
  for (int i = 0; i < h->links; i++) {
    for (int axis = 0; axis < 2; axis++) {
      double part = link_part(q, i, axis);
      G->val[i * G->ncol + 2 * i + axis] = part;
      if (i > 0) G->val[i * G->ncol + 2 * i - 2 + axis] = -part;
    }
  }
  return 0;
}

/* A relative tolerance alone: a run to some end, or steps without one, neither fail nor crawl, and
 * nothing moves. */
static void assert_stays(const hanging *h, const char *method, double rtol, double v0, bool ends) {
  const ga_model_ops ops = {.mass = links_mass,
                            .force = links_force,
                            .holonomic = h->springs ? NULL : links_row,
                            .holonomic_jac = h->springs ? NULL : links_jac};
  int n = 2 * h->links;
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_space_rn(n, &space), NULL);
  hanging data = *h;
  const ga_model model = {.ops = &ops,
                          .user = &data,
                          .space = space,
                          .nlam = h->springs ? 0 : h->links,
                          .const_mass = true,
                          .scleronomic = true};
  double q[2 * LINKS_MAX], v[2 * LINKS_MAX] = {0}, along = 0;
  for (int i = 0; i < h->links; i++) {
    along += link_length(i) + (h->springs ? link_load(h, i) / stiffness(i) : 0);
    q[2 * i] = along * sin(h->tilt);
    q[2 * i + 1] = -along * cos(h->tilt);
    v[2 * i] = v0 * cos(h->tilt);
    v[2 * i + 1] = v0 * sin(h->tilt);
  }
  ga_options o = ga_options_default();
  o.method = method;
  o.rtol = rtol;
  o.h_max = INFINITY;
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
  const ga_stats *stats = ga_integrator_stats(it);
  if (ends) must(ga_integrator_run(it, 10), ga_integrator_error(it));
  while (!ends && stats->steps < 3000 && ga_integrator_state(it)->t < 10) {
    must(ga_integrator_step(it), ga_integrator_error(it));
  }
  if (ga_integrator_state(it)->t < 10 || stats->steps + stats->rejected + stats->failed > 10000) {
    fail_msg("%s, %d %s, tilt %g, rtol %g: %ld steps, %ld rejected, %ld failed", method, h->links,
             h->springs ? "springs" : "rods", h->tilt, rtol, stats->steps, stats->rejected,
             stats->failed);
  }
  assert_true(vector_error(n, ga_integrator_state(it)->q, q) < 1e-9);
  ga_integrator_free(it);
  ga_space_free(space);
}

static void test_equilibrium(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3", "soi2", "hht", "index2"};
  for (int m = 0; m < 5; m++) {
    for (int links = 1; links <= LINKS_MAX; links += links < 3 ? 1 : 9) {
      for (double tilt = 0; tilt < 3.1; tilt += links < 3 ? 0.3 : 0.7) {
        for (int springs = 0; springs < 2; springs++) {
          const hanging h = {links, tilt, springs};
          assert_stays(&h, methods[m], 1e-6, 0, true);
          if (links < 3) assert_stays(&h, methods[m], 1e-6, 0, false);
        }
      }
    }
  }
  for (double rtol = 1e-2; rtol > 1e-12; rtol /= 10) {
    assert_stays(&(hanging){3, 0.3, false}, "stab2", rtol, 0, true);
    assert_stays(&(hanging){3, 0.3, true}, "stab2", rtol, 0, true);
  }
  /* a velocity that is none */
  assert_stays(&(hanging){3, 0.3, false}, "stab2", 1e-6, 1e-18, true);
}

static void test_beside_moving(void **state) {
  (void)state;
  const double beside[] = {0, 0, 1}, alone[] = {0, 0, 0};
  driven d;
  driven_open(&d, 3, three, wave, false);
  assert_decades("beside a moving part", &d, "stab2", beside, 1);
  assert_decades("alone", &d, "stab2", alone, 0.1);
  small_close(&d.s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_coordinate), cmocka_unit_test(test_units),
      cmocka_unit_test(test_constrained),    cmocka_unit_test(test_tilted),
      cmocka_unit_test(test_equilibrium),    cmocka_unit_test(test_beside_moving),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
