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
/* Of metres: closed gaps where a step is cut are those of the dense output, before they are put
 * back. */
static const double GAP = 1e-7;
/* Of the momentum: the same is true of velocities, which an impact then corrects. */
static const double MOMENTUM = 1e-4;
/* Of the potential energy of 1 m: the work of friction in one step, by the trapezoidal rule, where
 * directions of slip turn within the step; and the balance of a whole run. */
static const double FRICTION = 1e-5, BALANCE = 0.02;

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
  int changes;
  double work; /* of friction, when it was called last */
  /* the worst that was seen: gap, energy gained in a change, by friction in a step, momentum */
  double gap, gain, power, lost;
} watched;

static void see_change(void *context, const ga_contact_change *c) {
  watched *w = context;
  w->changes++;
  if (c->energy < w->gain) w->gain = c->energy;
  if (ga_mechanism_model(w->m)->contacts[c->contact].name[0] != 'f') return;
  /* the floor has normal z, t1 = x, t2 = y */
  w->impulse[0] += c->impulse_t1, w->impulse[1] += c->impulse_t2, w->impulse[2] += c->impulse_n;
}

static int see_state(void *context, const ga_state *s, const ga_stats *stats) {
  watched *w = context;
  const ga_model *model = ga_mechanism_model(w->m);
  (void)stats;
  for (int k = 0; k < 3; k++) {
    const double p = ga_mechanism_output(w->m, s, w->momentum[k]);
    /* the same time: before and after a change */
    if (s->t == w->t) w->lost = fmax(w->lost, fabs(p - w->p[k] - w->impulse[k]));
    w->p[k] = p;
    w->impulse[k] = 0;
  }
  w->t = s->t;
  for (int i = 0; i < model->ncontacts; i++) {
    const ga_contact_state *c = &s->contacts[i];
    w->gap = fmin(w->gap, c->gap);
  }
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
  double begin = 0, size = 0, momentum = 0;
  if (status == GA_OK) {
    begin = ga_mechanism_output(w.m, ga_integrator_state(w.it), w.energy);
    for (int i = 0; i < p.n; i++) size += p.mass[i] * G, momentum += 4 * p.mass[i];
    status = ga_integrator_run(w.it, T_END);
  }
  const ga_state *s = ga_integrator_state(w.it);
  const ga_contact_stats stats = ga_integrator_contact_stats(w.it);
  const double end = ga_mechanism_output(w.m, s, w.energy);
  const double balance = (end + stats.energy_impacts - stats.energy_friction - begin) / size;
  if (say) {
    print_message(
        "%d: %d bodies, t %.3f, %ld changes, %ld impacts, %ld reduced, %ld uncut, %ld coarse; gap "
        "%.1e "
        "gain %.1e work %.1e momentum %.1e balance %.1e\n",
        number, p.n, s->t, stats.changes, stats.impacts, stats.reduced, stats.uncut, stats.coarse,
        w.gap, w.gain, w.power, w.lost, balance);
  }
  wrong[0] = 0;
  if (status != GA_OK) {
    snprintf(wrong, sizeof wrong, "%s at t = %g: %s", ga_status_name(status), s->t,
             ga_integrator_error(w.it)->text);
  } else if (w.gap < -GAP) {
    snprintf(wrong, sizeof wrong, "a gap of %g", w.gap);
  } else if (w.gain < -1e-9 * size) {
    snprintf(wrong, sizeof wrong, "an impact gains %g J", -w.gain);
  } else if (w.power > FRICTION * size) {
    snprintf(wrong, sizeof wrong, "friction gains %g J in a step", w.power);
  } else if (w.lost > MOMENTUM * momentum) {
    snprintf(wrong, sizeof wrong, "an impact loses a momentum of %g N s", w.lost);
  } else if (!(fabs(balance) <= BALANCE)) {
    snprintf(wrong, sizeof wrong, "energies do not balance by %g", balance);
  }
  ga_integrator_free(w.it);
  ga_file_free(file);
  free(p.text);
  return wrong[0] ? wrong : NULL;
}

static int first = 0, count = 12;
static bool say = false;

static void test_scenes(void **state) {
  (void)state;
  int bad = 0;
  for (int i = first; i < first + count; i++) {
    const char *wrong = run_scene(i, say);
    if (wrong) print_message("scene %d: %s\n", i, wrong);
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
