/* SPDX-License-Identifier: MIT */
/* Painleve with several contacts: random bodies that slide on two contacts. Where no forces fit, an impulse
 * stops what jams, within the laws of impacts; the run goes on. */
#include "contact_models.h"

/* Numbers between lo and hi, the same on every machine. */
static double uniform(unsigned long long *seed, double lo, double hi) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return lo + (hi - lo) * (double)(*seed >> 11) / 9007199254740992.0;
}

static double rows[4][3], inertia, force[3]; /* N, T of each contact by turns */

static void body_at(const scene *s, point *p) {
  (void)s;
  for (int i = 0; i < 3; i++) p->M[i][i] = i < 2 ? 1 : inertia, p->F[i] = force[i];
  for (int i = 0; i < 2; i++) {
    memcpy(p->G[i], rows[2 * i], sizeof rows[0]);
    memcpy(p->H[i], rows[2 * i + 1], sizeof rows[0]);
    for (int j = 0; j < 3; j++) {
      p->g[i] += p->G[i][j] * p->q[j];
      p->k[i] += p->H[i][j] * p->v[j];
    }
  }
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A random body that slides on both contacts, v; false: nearly dependent rows, or none. */
static bool choose(scene *s, unsigned long long *seed) {
  double *v = s->v0, mu = uniform(seed, 0.2, 2), length = 0;
  inertia = uniform(seed, 0.3, 3) / 12;
  for (int i = 0; i < 2; i++) {
    const double a = uniform(seed, 0, 6.283185307179586), x = uniform(seed, -0.7, 0.7),
                 y = uniform(seed, -0.7, 0.7), n[2] = {cos(a), sin(a)}, t[2] = {n[1], -n[0]};
    for (int k = 0; k < 2; k++) {
      const double *e = k ? t : n;
      double *row = rows[2 * i + k];
      row[0] = e[0], row[1] = e[1], row[2] = x * e[1] - y * e[0];
    }
    s->contact[i] =
        (ga_contact){.name = i ? "b" : "a", .gap = i, .slip = i, .nslip = 1, .friction = mu};
  }
  for (int i = 0; i < 3; i++) force[i] = uniform(seed, -3, 3);
  const double *a = rows[0], *b = rows[2]; /* v = N_a x N_b: both gaps stay 0 */
  for (int i = 0; i < 3; i++) {
    v[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    length += v[i] * v[i];
  }
  if (length < 1e-2) return false;
  for (int i = 0; i < 3; i++) v[i] /= sqrt(length);
  return fabs(dot(rows[1], v)) > 0.01 && fabs(dot(rows[3], v)) > 0.01;
}

/* Start a run of the scene; the status of the start. */
static ga_status begin(run *r, const scene *s) {
  ga_error err;
  const ga_options o = scene_options(s, "stab2", 0.9, 0);
  memset(r, 0, sizeof *r);
  must(ga_space_rn(s->n, &r->space), NULL);
  r->model = (ga_model){.ops = &linear_ops,
                        .user = (void *)(size_t)s,
                        .space = r->space,
                        .nlam = s->nlam,
                        .npsi = s->npsi,
                        .contacts = s->contact,
                        .ncontacts = s->ncontacts};
  must(ga_integrator_new(&r->model, &o, &r->it, &err), &err);
  ga_integrator_observe_contacts(r->it, note_change, r);
  return ga_integrator_start(r->it, 0, s->q0, s->v0);
}

static void several_contacts_jam(void **state) {
  (void)state;
  unsigned long long seed = 1;
  int tried = 0, jams = 0, both = 0, none = 0;
  while (tried < 2000) {
    scene s = {.name = "body", .n = 3, .nlam = 2, .npsi = 2, .ncontacts = 2, .at = body_at};
    s.linear = true, s.h = 1e-3, s.t_end = 0.01;
    if (!choose(&s, &seed)) continue;
    tried++;
    run r;
    if (begin(&r, &s) != GA_OK) {
      assert_non_null(strstr(ga_integrator_error(r.it)->text, "no forces fit"));
      none++;
      close_run(&r);
      continue;
    }
    const double T0 = (s.v0[0] * s.v0[0] + s.v0[1] * s.v0[1] + inertia * s.v0[2] * s.v0[2]) / 2;
    double energy = 0, most = 0;
    int count = 0;
    for (int i = 0; i < r.nchange; i++) {
      const ga_contact_change *c = &r.change[i];
      const double mu = s.contact[c->contact].friction;
      energy += c->energy;
      assert_true(c->un_after >= -1e-8);
      if (c->kind != GA_CONTACT_JAM) continue;
      count++;
      most = fmax(most, c->impulse_n);
      assert_true(c->impulse_n >= 0 && fabs(c->impulse_t1) <= mu * c->impulse_n + 1e-8);
      /* Coulomb's law: against the slip that is left */
      assert_true(c->impulse_t1 * c->ut_after[0] <= 1e-6);
      if (fabs(c->ut_after[0]) > 1e-5) {
        assert_true(fabs(fabs(c->impulse_t1) - mu * c->impulse_n) <= 1e-6 * (1 + c->impulse_n));
      }
    }
    const double *v = ga_integrator_state(r.it)->v;
    /* steps of stab2 keep gaps at velocities of O(h^2) */
    for (int i = 0; i < 2; i++) assert_true(dot(rows[2 * i], v) >= -1e-5);
    assert_true(energy >= -1e-9 * T0 && energy <= T0 * (1 + 1e-9));
    jams += count > 0;
    both += count > 1;
    if (count) assert_true(most > 1e-6);
    must(ga_integrator_run(r.it, s.t_end), ga_integrator_error(r.it));
    close_run(&r);
  }
  print_message("%d bodies: %d jam, %d at both contacts; %d find no forces\n", tried, jams, both,
                none);
  assert_true(jams > 100 && both > 50 && none <= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(several_contacts_jam)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
