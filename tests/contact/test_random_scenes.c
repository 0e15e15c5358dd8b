/* SPDX-License-Identifier: MIT */
/* Random scenes of boxes and spheres on a floor, for two seconds: nothing penetrates, impacts and
 * friction gain no energy, momentum and energy balance, no run hangs.
 *
 *     contact_random_scenes                  some scenes
 *     contact_random_scenes FIRST COUNT      COUNT scenes from number FIRST on
 *     contact_random_scenes print NUMBER     the text of one */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { MOST = 4, MOST_CHANGES = 3000 };
static const double G = 9.81, H = 0.005, T_END = 2;
/* A state is the result of a step or of a change; at a change there is one more, just before it, from dense output.
 * Of metres: gaps of the first kind are below the tolerance of contacts, 1e-9 of lengths of a metre; before a change
 * the cubic of dense output is off by h^3 times a jerk, 10 m/s^3 and more where a sphere passes an edge. */
static const double GAP = 1e-9, GAP_BEFORE = 1e-6;
/* Of the momentum: velocities of dense output, which an impact then corrects, are off by h^2 times such a jerk. */
static const double MOMENTUM = 1e-4;
/* Laws of forces, in N or m/s: as the tolerance of contacts, 1e-8 of the largest force (about 100 N). */
static const double LAW = 1e-6;
/* Of the potential energy of 1 m: friction dissipates, up to rounding; the balance of a whole run, whose work of
 * friction is summed by the trapezoidal rule. */
static const double FRICTION = 1e-13, BALANCE = 1e-3;
/* Of the impulse of the weights: momentum against the forces of the floor, by the trapezoidal rule. Where friction
 * changes without an impact there is one state only, and the rule is off by h/2 times a jump. */
static const double WHOLE = 5e-3;

/* A number in [low, high). */
static double between(uint64_t *seed, double low, double high) {
  return low + (high - low) * 0.5 * (next_uniform(seed) + 1);
}

typedef struct {
  int n;
  bool sphere[MOST];
  double radius[MOST]; /* of a sphere, or around a box */
  double mass[MOST];
  char *text;
  size_t length;
} plan;

/* Bodies above the floor, each in a cell of its own at the start, so that they do not touch. */
static void write_scene(int number, plan *p) {
  uint64_t seed = 1000003u * (uint64_t)(number + 1);
  for (int i = 0; i < 10; i++) next_uniform(&seed);
  memset(p, 0, sizeof *p);
  p->n = 1 + (int)between(&seed, 0, MOST);
  FILE *to = open_memstream(&p->text, &p->length);
  assert_non_null(to);
  double size[MOST][3];
  fprintf(to, "genalpha: 1\ngravity: [0, 0, -%g]\nbodies:\n", G);
  for (int i = 0; i < p->n; i++) {
    p->sphere[i] = next_uniform(&seed) < 0;
    p->mass[i] = between(&seed, 0.5, 2);
    p->radius[i] = between(&seed, 0.05, 0.15);
    for (int k = 0; k < 3; k++) size[i][k] = between(&seed, 0.08, 0.3);
    const double cell = 0.4, x = cell * (i % 2), y = cell * (i / 2);
    fprintf(to, "  b%d: {mass: %.6f, shape: ", i, p->mass[i]);
    if (p->sphere[i]) {
      fprintf(to, "{sphere: {radius: %.6f}}", p->radius[i]);
    } else {
      fprintf(to, "{box: [%.6f, %.6f, %.6f]}", size[i][0], size[i][1], size[i][2]);
    }
    fprintf(to, ", position: [%.6f, %.6f, %.6f], orientation: {axis: [%.6f, %.6f, %.6f], angle: 1}",
            x, y, between(&seed, 0.3, 0.8), next_uniform(&seed), next_uniform(&seed),
            next_uniform(&seed));
    fprintf(to, ", velocity: [%.6f, %.6f, %.6f], angular_velocity: [%.6f, %.6f, %.6f]}\n",
            next_uniform(&seed), next_uniform(&seed), next_uniform(&seed), 5 * next_uniform(&seed),
            5 * next_uniform(&seed), 5 * next_uniform(&seed));
  }
  fprintf(to, "contacts:\n");
  const double laws[2] = {between(&seed, -0.3, 1), between(&seed, -0.3, 1.2)};
  const double e = fmax(laws[0], 0), mu = fmax(laws[1], 0);
  for (int i = 0; i < p->n; i++) {
    fprintf(to, "  f%d: {between: [ground, b%d], shape: true, restitution: %.4f, friction: %.4f}\n",
            i, i, e, mu);
    for (int j = 0; j < i; j++) {
      if (!p->sphere[i] && !p->sphere[j]) continue; /* two boxes have no contact */
      const int a = p->sphere[i] ? j : i, b = p->sphere[i] ? i : j;
      fprintf(to, "  c%d%d: {between: [b%d, b%d], restitution: %.4f, friction: %.4f, ", i, j, a, b,
              e, mu);
      if (p->sphere[a]) {
        fprintf(to, "spheres: [%.6f, %.6f]}\n", p->radius[a], p->radius[b]);
      } else {
        fprintf(to, "block: [%.6f, %.6f, %.6f], sphere: {radius: %.6f}}\n", size[a][0], size[a][1],
                size[a][2], p->radius[b]);
      }
    }
  }
  fclose(to);
}

/* A run that is watched. */
typedef struct {
  const ga_mechanism *m;
  ga_integrator *it;
  int energy, momentum[3];
  double t, p[3];    /* when and with which momentum the observer was called last */
  double impulse[3]; /* of the floor, in changes since then */
  double force[3];   /* of the floor then */
  double whole[3];   /* impulse of the floor since the start */
  int changes;
  double work; /* of friction, when it was called last */
  double last_gap, last_law;
  /* the worst that was seen: gaps, energy gained in a change, by friction in a step, momentum at a change; laws of
   * forces */
  double gap, gap_before, gain, power, lost, law;
} watched;

static void see_change(void *context, const ga_contact_change *c) {
  watched *w = context;
  w->changes++;
  if (c->energy < w->gain) w->gain = c->energy;
  if (ga_mechanism_model(w->m)->contacts[c->contact].name[0] != 'f') return;
  /* the floor has normal z, t1 = x, t2 = y */
  const double r[3] = {c->impulse_t1, c->impulse_t2, c->impulse_n};
  for (int k = 0; k < 3; k++) w->impulse[k] += r[k], w->whole[k] += r[k];
}

/* Do contacts i and k, of the same pair of bodies (their names up to the point), share their normal? */
static bool same_pair(const ga_model *model, int i, int k) {
  const char *a = model->contacts[i].name, *b = model->contacts[k].name;
  const size_t n = strcspn(a, ".");
  return n == strcspn(b, ".") && strncmp(a, b, n) == 0;
}

/* How much a state breaks the laws: N >= 0, nothing where the gap is open, |f| <= mu N, friction against the slip,
 * no slip where it sticks. Forces of points of one body on the floor may not be unique: their sums obey the cone. */
static double broken(const ga_model *model, const ga_contact_state *c) {
  double worst = 0;
  for (int i = 0; i < model->ncontacts; i++) {
    const double f[2] = {c[i].friction[0], c[i].friction[1]};
    const double k[2] = {c[i].slip[0], c[i].slip[1]};
    double sum[3] = {0, 0, 0};
    worst = fmax(worst, -c[i].normal);
    if (c[i].state == GA_CONTACT_OPEN) worst = fmax(worst, fabs(c[i].normal) + hypot(f[0], f[1]));
    if (c[i].state == GA_CONTACT_STICK) worst = fmax(worst, hypot(k[0], k[1]));
    worst = fmax(worst, f[0] * k[0] + f[1] * k[1]);
    for (int j = 0; j < model->ncontacts; j++) {
      if (!same_pair(model, i, j)) continue;
      sum[0] += c[j].friction[0], sum[1] += c[j].friction[1], sum[2] += c[j].normal;
    }
    worst = fmax(worst, hypot(sum[0], sum[1]) - model->contacts[i].friction * sum[2]);
  }
  return worst;
}

static int see_state(void *context, const ga_state *s, const ga_stats *stats) {
  watched *w = context;
  const ga_model *model = ga_mechanism_model(w->m);
  const bool after = s->t == w->t; /* a change: the state before was one of dense output */
  const double h = w->t >= 0 ? s->t - w->t : 0;
  double force[3] = {0, 0, 0};
  (void)stats;
  if (after) {
    w->gap_before = fmin(w->gap_before, w->last_gap);
  } else {
    w->gap = fmin(w->gap, w->last_gap), w->law = fmax(w->law, w->last_law);
  }
  w->last_gap = 0;
  for (int i = 0; i < model->ncontacts; i++) {
    const ga_contact_state *c = &s->contacts[i];
    w->last_gap = fmin(w->last_gap, c->gap);
    if (model->contacts[i].name[0] != 'f') continue;
    force[0] += c->friction[0], force[1] += c->friction[1], force[2] += c->normal;
  }
  w->last_law = broken(model, s->contacts);
  for (int k = 0; k < 3; k++) {
    const double p = ga_mechanism_output(w->m, s, w->momentum[k]);
    if (after) w->lost = fmax(w->lost, fabs(p - w->p[k] - w->impulse[k]));
    w->whole[k] += h / 2 * (w->force[k] + force[k]);
    w->force[k] = force[k];
    w->p[k] = p;
    w->impulse[k] = 0;
  }
  w->t = s->t;
  w->power = fmax(w->power, s->energy_friction - w->work); /* of the last piece */
  w->work = s->energy_friction;
  return w->changes > MOST_CHANGES;
}

/* One scene; returns a sentence about what is wrong, NULL: nothing. */
static const char *run_scene(int number, bool say) {
  static char wrong[700];
  static const char *const names[3] = {"momentum.x", "momentum.y", "momentum.z"};
  plan p;
  watched w = {0};
  ga_error err = {0};
  ga_file *file = NULL;
  write_scene(number, &p);
  ga_status status = ga_file_parse("scene.yaml", p.text, p.length, NULL, &file, &err);
  if (status != GA_OK) {
    snprintf(wrong, sizeof wrong, "%s", err.text);
    free(p.text);
    return wrong;
  }
  w.m = ga_file_mechanism(file);
  w.energy = ga_mechanism_column_index(w.m, "energy.total");
  for (int k = 0; k < 3; k++) w.momentum[k] = ga_mechanism_column_index(w.m, names[k]);
  assert_true(w.energy >= 0 && w.momentum[0] >= 0 && w.momentum[2] >= 0);
  ga_options o = ga_options_default();
  o.h = H;
  w.t = -1;
  must(ga_integrator_new(ga_mechanism_model(w.m), &o, &w.it, &err), &err);
  ga_integrator_observe(w.it, see_state, &w);
  ga_integrator_observe_contacts(w.it, see_change, &w);
  status = ga_integrator_start(w.it, 0, ga_mechanism_q0(w.m), ga_mechanism_v0(w.m));
  double begin = 0, size = 0, momentum = 0, start[3] = {0, 0, 0}, whole = 0;
  if (status == GA_OK) {
    begin = ga_mechanism_output(w.m, ga_integrator_state(w.it), w.energy);
    for (int k = 0; k < 3; k++) start[k] = w.p[k], w.whole[k] = 0;
    for (int i = 0; i < p.n; i++) size += p.mass[i] * G, momentum += 4 * p.mass[i];
    status = ga_integrator_run(w.it, T_END);
  }
  const ga_state *s = ga_integrator_state(w.it);
  for (int k = 0; k < 3; k++) {
    const double weight = k == 2 ? -size * s->t : 0;
    whole = fmax(whole, fabs(w.p[k] - start[k] - w.whole[k] - weight) / (size * T_END));
  }
  const ga_contact_stats stats = ga_integrator_contact_stats(w.it);
  const double end = ga_mechanism_output(w.m, s, w.energy);
  const double balance = (end + stats.energy_impacts - stats.energy_friction - begin) / size;
  if (say) {
    print_message(
        "%d: %d bodies, t %.3f, %ld changes, %ld impacts, %ld reduced, %ld uncut, %ld coarse; gap "
        "%.1e "
        "%.1e gain %.1e work %.1e law %.1e momentum %.1e %.1e balance %.1e\n",
        number, p.n, s->t, stats.changes, stats.impacts, stats.reduced, stats.uncut, stats.coarse,
        w.gap, w.gap_before, w.gain, w.power, w.law, w.lost, whole, balance);
  }
  wrong[0] = 0;
  if (status != GA_OK) {
    snprintf(wrong, sizeof wrong, "%s at t = %g: %s", ga_status_name(status), s->t,
             ga_integrator_error(w.it)->text);
  } else if (w.gap < -GAP || w.gap_before < -GAP_BEFORE) {
    snprintf(wrong, sizeof wrong, "a gap of %g, before a change %g", w.gap, w.gap_before);
  } else if (w.law > LAW) {
    snprintf(wrong, sizeof wrong, "a law of forces is broken by %g", w.law);
  } else if (w.gain < -1e-9 * size) {
    snprintf(wrong, sizeof wrong, "an impact gains %g J", -w.gain);
  } else if (w.power > FRICTION * size) {
    snprintf(wrong, sizeof wrong, "friction gains %g J in a step", w.power);
  } else if (w.lost > MOMENTUM * momentum) {
    snprintf(wrong, sizeof wrong, "an impact loses a momentum of %g N s", w.lost);
  } else if (!(whole <= WHOLE)) {
    snprintf(wrong, sizeof wrong, "momentum and forces of the floor do not balance by %g", whole);
  } else if (!(fabs(balance) <= BALANCE)) {
    snprintf(wrong, sizeof wrong, "energies do not balance by %g", balance);
  }
  ga_integrator_free(w.it);
  ga_file_free(file);
  free(p.text);
  return wrong[0] ? wrong : NULL;
}

/* Where a sphere passes the edge of a box N jumps from positive to negative: contacts lift there. */
static const int jumping[] = {1073, 1350, 1658};

static int first = 0, count = 40;
static bool say = false;

static void test_scenes(void **state) {
  (void)state;
  int bad = 0;
  for (int i = first - (say ? 0 : 3); i < first + count; i++) {
    const int number = i < first ? jumping[first - 1 - i] : i;
    const char *wrong = run_scene(number, say);
    if (wrong) print_message("scene %d: %s\n", number, wrong);
    bad += wrong != NULL;
  }
  assert_int_equal(bad, 0);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "print") == 0) {
    plan p;
    write_scene(atoi(argv[2]), &p);
    fputs(p.text, stdout);
    free(p.text);
    return 0;
  }
  if (argc > 2) first = atoi(argv[1]), count = atoi(argv[2]), say = true;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
