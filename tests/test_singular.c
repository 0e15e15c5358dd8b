/* SPDX-License-Identifier: MIT */
/* Singular positions: a step that would end there ends beside it, the branch is kept. */
#include "mechanisms.h"

static ga_integrator *begun(const ga_mechanism *m, const ga_options *o) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(ga_mechanism_model(m), o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  return it;
}

static double column(const ga_mechanism *m, const ga_integrator *it, const char *name) {
  static double values[4096];
  ga_mechanism_outputs(m, ga_integrator_state(it), values);
  return values[ga_mechanism_column_index(m, name)];
}


__attribute__((unused)) static void land(void **state) {
  (void)state;
  ga_file *file = model_loaded("n-four-bar", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int meth = 0; meth < 2; meth++) for (int allow = 0; allow < 2; allow++) {
    ga_options o = ga_options_default();
    o.method = meth ? "index3" : "stab2";
    o.redundant = allow ? GA_REDUNDANT_ALLOW : GA_REDUNDANT_REFUSE;
    double ts = meth ? 0.714362186686185 : 0.71435767494055, n = 200;
    for (int k = 2; k < 16; k++) {
      double dt = (k % 2 ? -1 : 1) * pow(10, -k / 2.0 - 1);
      o.h = (ts + dt) / n;
      if (k == 15) o.h = ts / n;
      ga_integrator *it = begun(m, &o);
      double e0 = column(m, it, "energy.total");
      ga_status s = ga_integrator_run(it, 800 * o.h);
      printf("meth %d allow %d dt %9.1e status %d singular %ld failed %ld spread %.3g dE %.3g angle %.9g %s\n", meth, allow, dt, s, ga_integrator_stats(it)->singular, ga_integrator_stats(it)->failed, fabs(column(m, it, "crank0.angle")-column(m, it, "crank2.angle")) + fabs(column(m, it, "crank0.angle")-column(m, it, "crank1.angle")), column(m, it, "energy.total")-e0, column(m, it, "crank0.angle"), s ? ga_integrator_error(it)->text : "");
      ga_integrator_free(it);
    }
  }
  ga_file_free(file);
}


/* run that ends in the singular position, then goes on */
static void land2(void **state) {
  (void)state;
  ga_file *file = model_loaded("n-four-bar", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int meth = 0; meth < 2; meth++) {
    ga_options o = ga_options_default();
    o.method = meth ? "index3" : "stab2";
    o.redundant = GA_REDUNDANT_ALLOW;
    double ts = meth ? 0.714362186686185 : 0.71435767494055, n = 200;
    for (int k = 5; k < 8; k++) {
      o.h = ts / n;
      double te = ts + (k == 7 ? 0 : k == 6 ? 1e-7 : 1e-10);
      ga_integrator *it = begun(m, &o);
      double e0 = column(m, it, "energy.total");
      ga_status s = ga_integrator_run(it, te);
      printf("end %g status %d angles %.3g %.3g %.3g\n", te - ts, s, column(m, it, "crank0.angle"), column(m, it, "crank1.angle"), column(m, it, "crank2.angle"));
      if (!s) s = ga_integrator_run(it, 800 * o.h);
      printf("meth %d  status %d singular %ld failed %ld spread %.3g dE %.3g angle %.9g %s\n", meth, s, ga_integrator_stats(it)->singular, ga_integrator_stats(it)->failed, fabs(column(m, it, "crank0.angle")-column(m, it, "crank2.angle")) + fabs(column(m, it, "crank0.angle")-column(m, it, "crank1.angle")), column(m, it, "energy.total")-e0, column(m, it, "crank0.angle"), s ? ga_integrator_error(it)->text : "");
      ga_integrator_free(it);
    }
  }
  ga_file_free(file);
}

/* flat start */
static void flat(void **state) {
  (void)state;
  static const char text[] = "genalpha: 1\nparameters: {N: 3}\ngravity: [0, -9.81, 0]\nrepeat:\n"
   "  - {index: i, from: 0, to: N, bodies: {\"crank{i}\": {kind: planar, mass: 1, inertia: 1/12, position: [i + 1/2, 0], orientation: 0, velocity: [0, 1], angular_velocity: 2}}, joints: {\"A{i}\": {type: revolute, between: [ground, \"crank{i}\"], at: [i, 0]}}}\n"
   "  - {index: i, from: 1, to: N, bodies: {\"coupler{i}\": {kind: planar, mass: 1, inertia: 1/12, position: [i + 1/2, 0], velocity: [0, 2]}}, joints: {\"B{i}\": {type: revolute, between: [\"crank{i-1}\", \"coupler{i}\"], at: [i, 0]}, \"C{i}\": {type: revolute, between: [\"coupler{i}\", \"crank{i}\"], at: [i + 1, 0]}}}\n";
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("flat.yaml", text, strlen(text), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int meth = 0; meth < 2; meth++) for (int k = 0; k < 4; k++) {
    ga_options o = ga_options_default();
    o.method = meth ? "index3" : "stab2";
    o.redundant = GA_REDUNDANT_ALLOW;
    o.h = 4e-3 / (1 << k);
    ga_integrator *it = begun(m, &o);
    double e0 = column(m, it, "energy.total");
    printf("start: wz' %.9g %.9g \n", column(m, it, "crank0.al"), column(m, it, "crank3.al"));
    ga_status s = ga_integrator_run(it, 1);
    printf("flat meth %d  status %d singular %ld failed %ld spread %.3g dE %.3g angle %.9g B1.fx %.9g %s\n", meth, s, ga_integrator_stats(it)->singular, ga_integrator_stats(it)->failed, fabs(column(m, it, "crank0.angle")-column(m, it, "crank2.angle")) + fabs(column(m, it, "crank0.angle")-column(m, it, "crank1.angle")), column(m, it, "energy.total")-e0, column(m, it, "crank0.angle"), column(m, it, "B1.fx"), s ? ga_integrator_error(it)->text : "");
    ga_integrator_free(it);
  }
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(land2), cmocka_unit_test(flat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
