/* SPDX-License-Identifier: MIT */
/* A ball that bounces down a slope: events, velocity jumps, automatic steps, dense output.
 *
 * A point mass falls, in the plane, onto the slope y = -x/2. At each contact the velocity normal to
 * the slope is reversed, with a loss of a fifth. The event is located on the dense output; the run
 * ends there, is given its new velocity and goes on. */
#include <genalpha/genalpha.h>
#include <stdio.h>

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 1;
  return 0;
}

/* gravity, and a little drag */
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q;
  F[0] = -0.1 * v[0];
  F[1] = -9.81 - 0.1 * v[1];
  return 0;
}

/* height above the slope */
static double height(void *context, const ga_state *s) {
  (void)context;
  return s->q[1] + 0.5 * s->q[0];
}

/* the highest points are not ends: they are only told */
static double climb(void *context, const ga_state *s) {
  (void)context;
  return s->v[1];
}
static int top(void *context, int event, int sign, const ga_state *s) {
  (void)event, (void)sign;
  ++*(int *)context;
  printf("  top at t = %.6f, y = %.6f\n", s->t, s->q[1]);
  return 0;
}

/* n = (1/2, 1)/|..|: v <- v - 1.8 (n.v) n */
static void bounce(const double *v, double *after) {
  const double n[] = {0.44721359549995794, 0.89442719099991588};
  double normal = n[0] * v[0] + n[1] * v[1];
  for (int i = 0; i < 2; i++) after[i] = v[i] - 1.8 * normal * n[i];
}

int main(void) {
  const ga_model_ops ops = {.mass = mass, .force = force};
  const double q0[] = {0, 1}, v0[] = {0, 0}, t_end = 2;
  ga_space *plane;
  ga_integrator *it = NULL;
  ga_error err;
  if (ga_space_rn(2, &plane) != GA_OK) return 1;
  ga_model model = {.ops = &ops, .space = plane, .const_mass = true};
  ga_options o = ga_options_default();
  o.rtol = 1e-6; /* automatic steps */
  if (ga_integrator_new(&model, &o, &it, &err) != GA_OK) return puts(err.text), 1;

  int tops = 0;
  const ga_event contact = {.value = height, .direction = GA_EVENT_FALLING, .terminal = true};
  const ga_event highest = {
      .value = climb, .handler = top, .context = &tops, .direction = GA_EVENT_FALLING};
  ga_status status = ga_integrator_add_event(it, &contact);
  if (status == GA_OK) status = ga_integrator_add_event(it, &highest);
  if (status == GA_OK) status = ga_integrator_start(it, 0, q0, v0);
  while (status == GA_OK && (status = ga_integrator_run(it, t_end)) == GA_EVENT) {
    const ga_state *s = ga_integrator_state(it);
    double v[2];
    printf("contact at t = %.6f, x = %.6f, height %.1e\n", s->t, s->q[0], height(NULL, s));
    bounce(s->v, v);
    status = ga_integrator_restart(it, NULL, v);
  }
  if (status != GA_OK) puts(ga_integrator_error(it)->text);

  /* between the last two steps */
  const ga_state *s = ga_integrator_state(it);
  double q[2];
  ga_integrator_dense_output(it, s->t - s->h / 2, q, NULL, NULL, NULL, NULL);
  const ga_stats *stats = ga_integrator_stats(it);
  printf("t = %g after %ld steps and %ld events; half a step before: (%.4f, %.4f)\n", s->t,
         stats->steps, stats->events, q[0], q[1]);
  ga_integrator_free(it);
  ga_space_free(plane);
  return status == GA_OK && tops > 0 ? 0 : 1;
}
