/* SPDX-License-Identifier: MIT */
/* Static equilibrium: every mechanism of models/ that has one, a hanging chain, reactions, forces
 * that nothing holds, dynamic relaxation. */
#include "models_all.h"

static ga_file *parsed(const char *text) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

/* ---- every mechanism ------------------------------------------------------------------------ */

static bool is_stable(const ga_mechanism *m, const double *q) {
  ga_error err = {0};
  double re, im, *v = calloc((size_t)m->nv, sizeof(double));
  ga_modes modes = {.room = 1, .re = &re, .im = &im};
  /* drives are about to move some of them: taken as they stand */
  must(ga_mechanism_modes(m, 0, q, v, !m->model.scleronomic, &modes, &err), &err);
  free(v);
  return !modes.unstable;
}

static double potential(const ga_mechanism *m, const double *q) {
  double kin, pot, *v = calloc((size_t)m->nv, sizeof(double));
  m->model.ops->energy(m->model.user, 0, q, v, &kin, &pot);
  free(v);
  return pot;
}

/* Mechanisms that nothing holds, with the word that says so. A slider-crank with a motor torque
 * alone turns for ever; a disk falls flat; a rate drive allows no rest. */
static const struct {
  const char *name, *word;
} restless[] = {{"slider-crank", "no equilibrium"},
                {"rolling-disk", "no equilibrium"},
                {"fan", "no equilibrium"},
                {"gear-train", "there is no rest"}};

static const char *restless_word(const char *name) {
  for (size_t i = 0; i < sizeof restless / sizeof restless[0]; i++) {
    if (strcmp(restless[i].name, name) == 0) return restless[i].word;
  }
  return NULL;
}

static void from_perturbed_starts(const char *name, const ga_file *file) {
  const ga_mechanism *m = ga_file_mechanism(file);
  double *q = calloc((size_t)m->nq, sizeof(double)), *lam = calloc((size_t)m->nlam + 1, 8);
  double first = NAN;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    ga_equilibrium e = {.relax_steps = -1, .lam = lam};
    ga_error err = {0};
    perturbed(m, m->q0, 0.03, seed, q);
    const ga_status status = ga_mechanism_equilibrium(m, 0, q, &e, &err);
    const char *word = restless_word(name);
    if (word) {
      assert_int_equal(status, GA_ERR_INITIAL);
      if (!strstr(err.text, word)) fail_msg("%s: %s", name, err.text);
      continue;
    }
    if (status != GA_OK) fail_msg("%s: %s", name, err.text);
    assert_true(e.unbalanced < 1e-9);
    if (!is_stable(m, q)) fail_msg("%s: an unstable equilibrium was found", name);
    /* the same from every start */
    if (seed == 1) first = potential(m, q);
    if (!(fabs(potential(m, q) - first) <= 1e-8 * (1 + fabs(first)))) {
      fail_msg("%s: %.12g, and %.12g from another start", name, potential(m, q), first);
    }
  }
  free(q);
  free(lam);
}

static void every_mechanism(void **state) {
  (void)state;
  assert_true(each_model(from_perturbed_starts) >= 17);
}

/* ---- the discrete catenary ------------------------------------------------------------------ */

/* A chain of N uniform links between two pins: the horizontal force is the same everywhere, the
 * vertical one changes by the weight of a link, hence tan(theta_i) is linear in i; slope and
 * tension follow from the span. */
static void catenary_of(int N) {
  char text[2000];
  static const char format[] =
      "genalpha: 1\nparameters: {N: %d, l: 0.1, m: 0.2, a: 50 deg}\ngravity: [0, -9.81, 0]\n"
      "repeat:\n"
      "  - {index: i, from: 1, to: N, bodies: {\"link{i}\": {kind: planar, mass: m, inertia: "
      "m*l^2/12,\n"
      "      position: [(i - 1/2)*l*cos(a), \"if(i <= N/2, -(i - 1/2), -(N - i + "
      "1/2))*l*sin(a)\"],\n"
      "      orientation: \"if(i <= N/2, -a, a)\"}}}\n"
      "  - {index: i, from: 2, to: N, joints: {\"pin{i}\": {type: revolute, between: "
      "[\"link{i-1}\", \"link{i}\"],\n"
      "      at: {\"link{i-1}\": [l/2, 0], \"link{i}\": [-l/2, 0]}}}}\n"
      "joints:\n"
      "  left: {type: revolute, between: [ground, link1], at: [0, 0]}\n"
      "  right: {type: revolute, between: [\"link{N}\", ground], at: [N*l*cos(a), 0]}\n";
  snprintf(text, sizeof text, format, N);
  ga_file *file = parsed(text);
  const ga_mechanism *m = ga_file_mechanism(file);
  double *q = calloc((size_t)m->nq, sizeof(double)), *lam = calloc((size_t)m->nlam, 8);
  ga_equilibrium e = {.relax_steps = -1, .lam = lam};
  ga_error err = {0};
  memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
  must(ga_mechanism_equilibrium(m, 0, q, &e, &err), &err);
  /* the slope b of tan(theta_i) = b (i - (N + 1)/2) from the span, by bisection */
  double low = 1e-3, high = 1;
  for (int k = 0; k < 100; k++) {
    const double b = 0.5 * (low + high);
    double span = 0;
    for (int i = 1; i <= N; i++) span += 0.1 * cos(atan(b * (i - 0.5 * (N + 1))));
    if (span > N * 0.1 * cos(50 * pi_ / 180)) low = b;
    if (!(span > N * 0.1 * cos(50 * pi_ / 180))) high = b;
  }
  for (int i = 1; i <= N; i++) {
    const double theta = q[m->bodies.item[i].q_at + 2];
    assert_near("tan", tan(theta), low * (i - 0.5 * (N + 1)), 1e-9);
  }
  /* H = w / b; the pins carry half of the weight each */
  const double w = 0.2 * 9.81;
  assert_near("horizontal", fabs(lam[m->joints.item[0].lam_at]), w / low, 1e-8);
  if (N <= 100) assert_true(is_stable(m, q));
  free(q);
  free(lam);
  ga_file_free(file);
}

static void catenary(void **state) {
  (void)state;
  catenary_of(100);
}

/* the factors stay as sparse as the chain is */
static void long_catenary(void **state) {
  (void)state;
  catenary_of(600);
}

/* ---- reactions, relaxation, messages -------------------------------------------------------- */

/* A beam on two supports with a load at a quarter: 3/4 and 1/4 of it. */
static void reactions(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\n"
      "bodies: {beam: {kind: planar, mass: 1, inertia: 1, position: [2, 0]}}\n"
      "joints:\n"
      "  pin: {type: revolute, between: [ground, beam], at: [0, 0]}\n"
      "  rest: {type: point_on_line, between: [ground, beam], at: [4, 0], axis: [1, 0]}\n"
      "forces: {load: {type: force, body: beam, at: [-1, 0], value: [0, -80, 0]}}\n";
  ga_file *file = parsed(text);
  const ga_mechanism *m = ga_file_mechanism(file);
  double q[3], lam[3], zero[3] = {0, 0, 0};
  ga_equilibrium e = {.lam = lam};
  ga_error err = {0};
  memcpy(q, m->q0, sizeof q);
  must(ga_mechanism_equilibrium(m, 0, q, &e, &err), &err);
  double *values = calloc((size_t)ga_mechanism_columns(m), sizeof(double));
  must(ga_mechanism_outputs(m, &(ga_state){.q = q, .v = zero, .vd = zero, .lam = lam}, values),
       NULL);
  assert_near("pin", values[ga_mechanism_column_index(m, "pin.Fy")], 60, 1e-9);
  assert_near("rest", values[ga_mechanism_column_index(m, "rest.Fy")], 20, 1e-9);
  free(values);
  ga_file_free(file);
}

static void relaxation_alone(void **state) {
  (void)state;
  ga_file *file = model_loaded("double-pendulum", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  double q[40];
  ga_error err = {0};
  ga_equilibrium e = {.steps = -1};
  memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
  must(ga_mechanism_equilibrium(m, 0, q, &e, &err), &err);
  assert_true(e.relaxations > 20);
  /* both rods hang below the ball; the last digits come from Newton's steps, of which few are left
   */
  assert_true(e.iterations < 10);
  assert_near("potential", potential(m, q), -14.8230812, 1e-8);
  ga_file_free(file);
}

/* an exactly upright start is an equilibrium, and not a stable one */
static void upright(void **state) {
  (void)state;
  const ga_file_set set[] = {{"th0", "pi"}};
  ga_file *file = model_loaded("pendulum", set, 1);
  const ga_mechanism *m = ga_file_mechanism(file);
  double q[8];
  ga_error err = {0};
  memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
  must(ga_mechanism_equilibrium(m, 0, q, NULL, &err), &err);
  assert_near("potential", potential(m, q), 9.81, 1e-12);
  assert_false(is_stable(m, q));
  ga_file_free(file);
}

static int never(void *user, double t, const double *q, const double *v, const ga_evaluation *out) {
  (void)user, (void)t, (void)q, (void)v, (void)out;
  fail_msg("a model that is refused was evaluated");
  return -1;
}

/* A reaction other than -G^T lam - H^T psi is refused, also if evaluate gives it. */
static void own_reaction(void **state) {
  (void)state;
  const ga_model_ops ops = {.evaluate = never, .gives = GA_GIVES_R};
  ga_space *space = NULL;
  ga_linearization *lin = NULL;
  ga_error err = {0};
  double q[2] = {0}, v[2] = {0};
  must(ga_space_rn(2, &space), NULL);
  const ga_model model = {.ops = &ops, .space = space, .nlam = 1};
  assert_refused(ga_equilibrium_find(&model, 0, q, NULL, &err), &err, GA_ERR_ARG, "equilibrium",
                 "reaction of its own");
  assert_refused(ga_linearization_new(&model, 0, q, v, false, &lin, &err), &err, GA_ERR_ARG,
                 "frequencies", "reaction of its own");
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mechanism),  cmocka_unit_test(catenary),
      cmocka_unit_test(long_catenary),    cmocka_unit_test(reactions),
      cmocka_unit_test(relaxation_alone), cmocka_unit_test(upright),
      cmocka_unit_test(own_reaction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
