/* SPDX-License-Identifier: MIT */
/* Spheres fall into a box of five planes, or stand in it: `contact: step`, friction 0.3.
 *
 *     bench_pile fall|stand N H T_END [DT]    one line for each DT
 *
 * Those that stand touch each other and the walls: closed contacts that do not change. A line has the time,
 * CPU time and steps since the line before, contacts that are closed at its end, microseconds per step
 * and closed contact (the mean of both ends), kinetic energy, energy, the deepest penetration, Newton
 * matrices, factorizations, changes, cone problems, their sweeps, those that are coarse, and how much of
 * the weight the floor carries. */
#define _POSIX_C_SOURCE 200809L
#include <genalpha/genalpha.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers in [-1, 1). */
static double uniform(unsigned long *seed) {
  *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* A cube of n spheres on a lattice in a box that is as wide; if they fall, apart and shaken a little. */
static char *scene(int n, bool stand, size_t *length) {
  static const char laws[] = "friction: 0.3";
  char *text = NULL;
  FILE *to = open_memstream(&text, length);
  const int side = (int)ceil(cbrt(n) - 1e-9);
  const double r = 0.05, cell = (stand ? 2 : 2.4) * r, wide = side * cell;
  unsigned long seed = 1;
  if (!to) return NULL;
  fprintf(to, "genalpha: 1\ngravity: [0, 0, -9.81]\ncoordinates: absolute\nbodies:\n");
  for (int i = 0; i < n; i++) {
    fprintf(to, "  s%d: {shape: {sphere: {radius: %g}}, mass: 0.5, position: [", i, r);
    const int at[3] = {i % side, i / side % side, i / side / side};
    for (int k = 0; k < 3; k++) {
      fprintf(to, "%.17g%s", cell * (at[k] + 0.5) + (stand ? 0 : 0.1 * r) * uniform(&seed),
              k < 2 ? ", " : "]}\n");
    }
  }
  fprintf(to, "contacts:\n  balls: {%s, all: [", laws);
  for (int i = 0; i < n; i++) fprintf(to, "%ss%d", i ? ", " : "", i);
  fprintf(to, "]}\n");
  for (int i = 0; i < n; i++) {
    fprintf(to, "  f%d: {%s, between: [ground, s%d], sphere: {radius: %g}}\n", i, laws, i, r);
    for (int w = 0; w < 4; w++) {
      const double at = w % 2 ? wide : 0, side_of = w % 2 ? -1 : 1;
      fprintf(to, "  w%d_%d: {%s, between: [ground, s%d], sphere: {radius: %g}, plane: {", w, i,
              laws, i, r);
      fprintf(to, "point: [%.17g, %.17g, 0], normal: [%g, %g, 0]}}\n", w < 2 ? at : 0,
              w < 2 ? 0 : at, w < 2 ? side_of : 0, w < 2 ? 0 : side_of);
    }
  }
  fclose(to);
  return text;
}

/* What the states of all contacts say. */
static int closed(const ga_model *model, const ga_state *s, double *deepest) {
  int count = 0;
  *deepest = 0;
  for (int i = 0; i < model->ncontacts; i++) {
    const ga_contact_state *c = &s->contacts[i];
    if (c->state == GA_CONTACT_OPEN) continue;
    *deepest = fmin(*deepest, c->gap);
    count++;
  }
  return count;
}

int main(int argc, char **argv) {
  const bool stand = argc > 1 && strcmp(argv[1], "stand") == 0;
  const int n = argc > 2 ? atoi(argv[2]) : 27;
  const double h = argc > 3 ? atof(argv[3]) : 1e-3, t_end = argc > 4 ? atof(argv[4]) : 0.2;
  const double dt = argc > 5 ? atof(argv[5]) : 0.05;
  size_t length;
  ga_error err;
  ga_file *file;
  ga_integrator *it;
  double begin = cpu();
  char *text = scene(n, stand, &length);
  if (!text || ga_file_parse("pile.yaml", text, length, NULL, &file, &err) != GA_OK) {
    return printf("%s\n", text ? err.text : "no memory"), 1;
  }
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  ga_options o = ga_options_default();
  o.h = h;
  o.contact = GA_CONTACT_STEP;
  if (ga_integrator_new(model, &o, &it, &err) != GA_OK ||
      ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)) != GA_OK) {
    return printf("%s\n", err.text), 1;
  }
  printf("# %d spheres, %d contacts, %d velocities: made in %.2f s\n", n, model->ncontacts,
         ga_space_nv(model->space), cpu() - begin);
  printf(
      "# t  CPU  steps  closed  us/(step contact)  kinetic  total  deepest  matrices  repivots  "
      "changes  "
      "cones  sweeps  "
      "coarse  floor/weight\n");
  const ga_state *s = ga_integrator_state(it);
  int before = 0, status = GA_OK;
  for (double t = dt; t < t_end + dt / 2 && status == GA_OK; t += dt) {
    const ga_stats was = *ga_integrator_stats(it);
    const ga_contact_stats cones = ga_integrator_contact_stats(it);
    begin = cpu();
    status = ga_integrator_run(it, t);
    const double took = cpu() - begin;
    const ga_stats now = *ga_integrator_stats(it);
    const ga_contact_stats c = ga_integrator_contact_stats(it);
    double deepest, kinetic, potential, floor = 0;
    const int count = closed(model, s, &deepest);
    const double steps = (double)(now.steps - was.steps), mean = fmax(1, (count + before) / 2.0);
    model->ops->energy(model->user, s->t, s->q, s->v, &kinetic, &potential);
    for (int i = 0; i < 5 * n; i += 5) floor += s->contacts[i].normal;
    printf("%.3f %7.3f %5.0f %5d %8.2f %10.3e %9.5f %9.1e %5ld %5ld %5ld %5ld %6ld %3ld %7.4f\n",
           s->t, took, steps, count, 1e6 * took / fmax(steps, 1) / mean, kinetic,
           kinetic + potential, deepest, now.matrices - was.matrices, now.repivots - was.repivots,
           c.changes - cones.changes, c.cones - cones.cones, c.sweeps - cones.sweeps,
           c.coarse - cones.coarse, floor / (n * 0.5 * 9.81));
    fflush(stdout);
    before = count;
  }
  if (status != GA_OK) printf("%s\n", ga_integrator_error(it)->text);
  ga_integrator_free(it);
  ga_file_free(file);
  free(text);
  return status != GA_OK;
}
