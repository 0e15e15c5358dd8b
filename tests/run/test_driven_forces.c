/* SPDX-License-Identifier: MIT */
/* Automatic steps where drives prescribe motion: q and v are exact, so that steps can only be too
 * large for the constraint forces. */
#include "models_all.h"
#include "run/integrator.h"
#include "small_models.h"

/* ---- all driven models ------------------------------------------------------------------- */

typedef struct {
  ga_integrator *it;
  double of_masses[SUPPORT_MAX], vd[SUPPORT_MAX]; /* work */
  double worst, largest; /* |M (v' - v'_c)| and |M v'_c| in the metric of forces */
} forces_seen;

/* The largest entry of M x, in the metric of forces, at the end of the last step. */
static double size_of_forces(forces_seen *s, const double *x) {
  ga_integrator *it = s->it;
  double most = 0;
  memset(s->of_masses, 0, sizeof s->of_masses);
  ga_factors_add_mass(&it->step.factors, &it->step.eq, 1, x, s->of_masses);
  for (int i = 0; i < it->eval.nv; i++) {
    most = fmax(most, fabs(s->of_masses[i]) / it->eval.root_metric[i]);
  }
  return most;
}

/* The equations of motion, with the constraints differentiated twice, have one v'_c at q and v: the
 * error of the constraint forces of a step is M (v' - v'_c). */
static void see_forces(forces_seen *s) {
  ga_integrator *it = s->it;
  const ga_state *at = ga_integrator_state(it);
  must(ga_saddle_acceleration(&it->saddle, at->t, at->q, at->v, s->vd, NULL, NULL), &it->error);
  s->largest = fmax(s->largest, size_of_forces(s, s->vd));
  for (int i = 0; i < it->eval.nv; i++) s->vd[i] = at->vd[i] - s->vd[i];
  s->worst = fmax(s->worst, size_of_forces(s, s->vd));
}

static ga_file *driven_file(const char *name) {
  ga_file *file = model_loaded_in(NULL, name, NULL, 0);
  const int nv = ga_space_nv(ga_mechanism_model(ga_file_mechanism(file))->space);
  assert_in_range(nv, 1, SUPPORT_MAX);
  return file;
}

/* Forces of all driven models are within 20 rtol at 16 times that the run meets: neither the steps
 * that are cut there nor those of other sizes around them leave larger errors. */
static void test_models(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double t;
  } models[] = {{"driven-crank", 2},
                {"engine", 0.1},
                {"stewart", 3},
                {"universal-shaft", 0.5},
                {"valve-train", 0.024}};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    ga_file *file = driven_file(models[k].name);
    const ga_mechanism *m = ga_file_mechanism(file);
    for (double rtol = 1e-2; rtol > 0.5e-5; rtol /= 10) {
      forces_seen s = {0};
      ga_error err = {0};
      ga_options o = ga_options_default();
      o.par = ga_params_rho(0.9);
      o.rtol = rtol;
      o.h_max = INFINITY;
      o.redundant = GA_REDUNDANT_ALLOW;
      must(ga_integrator_new(ga_mechanism_model(m), &o, &s.it, &err), &err);
      must(ga_integrator_start(s.it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
           ga_integrator_error(s.it));
      for (int i = 1; i <= 16; i++) {
        must(ga_integrator_run(s.it, models[k].t * i / 16), ga_integrator_error(s.it));
        see_forces(&s);
      }
      char what[96];
      snprintf(what, sizeof what, "%s: error of forces over rtol %g", models[k].name, rtol);
      assert_between(what, s.worst / s.largest / rtol, 0, 20);
      ga_integrator_free(s.it);
    }
    ga_file_free(file);
  }
}

/* ---- beside a stiff damper --------------------------------------------------------------- */

/* x = s(t) = sin(3 t) is prescribed; y, of unit mass too, hangs on a stiff and strongly damped spring
 * and lags behind 1e-6 sin t. */
static int led(void *user, double t, const double *q, double *g) {
  (void)user;
  g[0] = q[0] - sin(3 * t);
  return 0;
}

static int led_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t, (void)q;
  G->val[0] = 1;
  G->val[1] = 0;
  return 0;
}

static int led_t(void *user, double t, const double *q, double *gt) {
  (void)user, (void)q;
  gt[0] = -3 * cos(3 * t);
  return 0;
}

static int led_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)user, (void)q, (void)v;
  drift[0] = 9 * sin(3 * t);
  return 0;
}

static int stiff_force(void *user, double t, const double *q, const double *v, double *F) {
  const small *s = user;
  F[0] = 0;
  F[1] = -s->k * (q[1] - 1e-6 * sin(t)) - 2 * sqrt(s->k) * v[1];
  return 0;
}

static int watch_lam(void *context, const ga_state *s, const ga_stats *stats) {
  double *worst = context;
  (void)stats;
  *worst = fmax(*worst, fabs(s->lam[0] - 9 * sin(3 * s->t)) / 9);
  return 0;
}

/* The filter of errors takes nearly everything from the stiff part; the error of the drive's force must
 * not be taken with it. */
static void test_beside_stiff(void **state) {
  (void)state;
  small s;
  small_open(&s, 2, stiff_force, false);
  s.ops.holonomic = led;
  s.ops.holonomic_jac = led_jac;
  s.ops.holonomic_t = led_t;
  s.ops.holonomic_drift = led_drift;
  s.model.nlam = 1;
  s.model.scleronomic = false;
  const double q[] = {0, 0}, v[] = {3, 0};
  for (s.k = 1e4; s.k < 2e12; s.k *= 1e4) {
    for (double rtol = 1e-2; rtol > 0.5e-5; rtol /= 10) {
      double worst = 0;
      ga_options o = ga_options_default();
      o.rtol = rtol, o.h_max = INFINITY;
      ga_integrator *it = small_start(&s, &o, q, v);
      ga_integrator_observe(it, watch_lam, &worst);
      must(ga_integrator_run(it, 4), ga_integrator_error(it));
      assert_between("error of lam over rtol", worst / rtol, 0.1, 20);
      assert_in_range(ga_integrator_stats(it)->steps, 1, (long)(20 / sqrt(rtol)));
      ga_integrator_free(it);
    }
  }
  small_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_models),
                                     cmocka_unit_test(test_beside_stiff)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
